"""Strategies for a stranger's input, made from the lessons' declarations: texts, addresses and widget states."""

import json
from urllib.parse import quote

from hypothesis import settings
from hypothesis import strategies as st

from pages._view.kinds import Answers, Choice, Code, Drawing, Listed, Number, Settings, Tally, Text
from pages._view.lessons import LESSONS, PAGES
from pages._view.shared import CARRIED, SHARED

LONG_RUN = settings.get_current_profile_name() == "attack"


def examples(few, many):
    """Return Hypothesis settings: few examples, or many under the profile "attack"."""
    return settings(max_examples=many if LONG_RUN else few)


# --- texts -----------------------------------------------------------------------------------------------

NO_NUMBERS = ("nan", "-inf", "1e309", "-0", "1e-400", "0x10", "1_000", "1/64", "½", "٣", "−5", "", " ", "9" * 400)
NO_TEXTS = ("<script>", "%00", "\0", "../..", "{}", "[" * 300, "$", "`", "{d_k}", "9" * 3000, "dₖ", "\ud7ff", "\u202e")
TEXTS = st.text(max_size=30) | st.sampled_from((*NO_NUMBERS, *NO_TEXTS))
ROWS = st.text("0123456789.,;-−e[]() \t\n\ufeffx", max_size=80) | st.lists(
    st.lists(st.floats(-1e7, 1e7) | st.integers(-9, 9), min_size=1, max_size=5), min_size=1, max_size=5
).map(lambda rows: "; ".join(", ".join(map(repr, row)) for row in rows))
TYPED = ROWS | TEXTS | st.builds("{}{}".format, ROWS, TEXTS)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)

# --- addresses -------------------------------------------------------------------------------------------


def texts_of(one):
    """Return a strategy for a control's text in an address, from valid texts to nonsense."""
    if isinstance(one, Number):
        near = (one.low, one.high, one.default, one.low - 1, one.high + 1, *one.stops)
        within = st.integers(int(one.low), int(one.high)) if one.whole else st.floats(one.low, one.high)
        return st.sampled_from(near).map(str) | within.map(str) | st.floats().map(str) | TEXTS
    if isinstance(one, Choice):
        return st.sampled_from((*one.options, *map(one.called, one.options))) | TEXTS
    if isinstance(one, Text):
        return TYPED
    if isinstance(one, Drawing):
        heights = st.lists(st.integers(0, 2 * one.most), min_size=1, max_size=2 * len(one.at))
        return heights.map(one.write) | TEXTS
    if isinstance(one, Settings):
        return st.builds("d_k={}&seed={}".format, st.integers(), TEXTS) | TEXTS
    if isinstance(one, Tally):
        return st.builds("{}-{}".format, st.integers(0, 200), st.integers(0, 200)) | TEXTS
    if isinstance(one, Code):
        return st.text("BCDFGHIabc", min_size=4, max_size=4) | TEXTS
    if isinstance(one, Answers):
        return st.lists(texts_of(one.of), max_size=4).map("~".join) | TEXTS
    if isinstance(one, Listed):
        return st.lists(st.sampled_from(_STEPS) | TEXTS, max_size=4).map(",".join)
    return texts_of(one.of)


_STEPS = ["lecture", *(f"{stem}.{step.name}" for stem, lesson in LESSONS.items() for step in lesson.steps)]


def _known(lesson):
    return {**SHARED, **lesson.controls, **CARRIED, **lesson.linked}


def addresses(pages=PAGES):
    """Return a strategy for pages and query parameters: the page's own, other pages' and unknown ones."""

    def of(stem):
        lesson = LESSONS[stem]
        known = {name: texts_of(one) for name, one in _known(lesson).items()}
        own = st.fixed_dictionaries({}, optional=known | {"ground": TEXTS})
        more = st.dictionaries(TEXTS | st.sampled_from(sorted(OTHERS)), TEXTS, max_size=2)
        return st.tuples(st.just(stem), st.builds(lambda first, then: then | first, own, more))

    return st.sampled_from(pages).flatmap(of)


OTHERS = {name for lesson in LESSONS.values() for name in _known(lesson)}
QUERIES = st.binary(max_size=40).map(lambda raw: quote(raw, safe="&=%+;#?")) | st.text("&=%+;?d_kseed0159", max_size=40)

# --- widget states ---------------------------------------------------------------------------------------

_JSON_TEXT = JSON.map(json.dumps)
_EVENTS = st.sampled_from(("release", "cell", "other"))
_CLICKS = st.fixed_dictionaries({}, optional={"chart": JSON, "line": JSON, "place": JSON}) | st.fixed_dictionaries(
    {"chart": st.sampled_from(("Q", "scores", "weights", "x")), "line": st.integers(), "place": st.integers()}
)
_RELEASES = st.fixed_dictionaries(
    {"at": st.integers() | st.floats() | JSON, "number": st.floats(0, 1, exclude_max=True) | st.floats() | JSON}
)
_TOLD = st.fixed_dictionaries({}, optional={"event": _EVENTS | JSON, "value": JSON | _CLICKS | _RELEASES})
_CHOSEN = ("string_array_value", st.lists(TEXTS, max_size=3))
_LINE = ("string_value", TYPED)
_PRESSED = ("trigger_value", st.booleans())
_ON = ("bool_value", st.booleans())
# For each kind of element: the message field that holds its widget's value, and a strategy for the value.
READABLE = {
    "number_input": ("double_value", st.floats(allow_nan=False, allow_infinity=False)),
    "slider": _CHOSEN,
    "button_group": _CHOSEN,
    "selectbox": _LINE,
    "radio": _LINE,
    "text_input": _LINE,
    "text_area": _LINE,
    "checkbox": _ON,
    "expandable": _ON,
    "button": _PRESSED,
    "download_button": _PRESSED,
    "bidi_component": ("json_value", st.dictionaries(_EVENTS | TEXTS, JSON | _CLICKS, max_size=3).map(json.dumps)),
    "file_uploader": ("file_uploader_state_value", st.none()),
    "events": ("json_trigger_value", st.lists(_TOLD, max_size=3).map(json.dumps) | _JSON_TEXT),
}
# For any widget: fields of other kinds of widget, and values that cannot be read.
UNREADABLE = st.sampled_from(
    (
        ("trigger_value", True),
        ("bool_value", True),
        ("double_value", float("nan")),
        ("double_value", float("inf")),
        ("int_value", -(2**63)),
        ("string_value", "x"),
        ("json_value", "["),
        ("json_trigger_value", "[" * 5000),
        ("bytes_value", b"\xff"),
        ("string_array_value", ["x"]),
        ("double_array_value", [float("nan"), 1e308]),
        ("int_array_value", [-1, 2**62]),
        ("file_uploader_state_value", None),
        ("arrow_value", None),
        ("chat_input_value", None),
    )
)
