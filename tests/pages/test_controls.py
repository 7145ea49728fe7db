"""Controls and downloads without a page: values from links, CSV files, plain text as Markdown."""

import csv
import io
import re
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages._view.kinds import Choice, Number, Text
from pages._view.lessons import LESSONS
from pages._view.page import controls, show
from pages._view.shared import SHARED

EVERY = SHARED | {f"{stem}.{name}": one for stem in LESSONS for name, one in LESSONS[stem].controls.items()}
CONTROLS = {key.rpartition(".")[2]: control for key, control in reversed(EVERY.items())}
NUMBERS = {key: control for key, control in EVERY.items() if isinstance(control, Number)}
OFF = "is not a number; {} is used"


# --- the table of controls -------------------------------------------------------------------------------


# Controls whose old links have values beyond the stops of today's sliders.
OLDER = {"softmax_saturation.multiplier", "softmax_saturation.shift"}


@pytest.mark.parametrize("name", NUMBERS)
def test_stops_are_sorted_within_bounds_and_include_the_default(name):
    control = NUMBERS[name]
    assert list(control.stops) == sorted(set(control.stops))
    assert control.low <= control.stops[0]
    assert control.stops[-1] <= control.high
    assert control.default in control.stops
    if not control.typed and name not in OLDER:
        assert (control.stops[0], control.stops[-1]) == (control.low, control.high)


def test_d_k_slider_has_a_stop_at_every_value_named_in_lessons():
    d_k = CONTROLS["d_k"]
    assert len(d_k.stops) >= 48
    assert {1, 2, 3, 4, 8, 16, 32, 64, 100, 111, 128, 256, 512, 1024} <= set(d_k.stops)
    assert (d_k.default, d_k.low, d_k.high) == (64, 1, 1024)


@pytest.mark.parametrize("key", EVERY)
def test_every_widget_value_is_read_back_from_the_address(key):
    control, values = EVERY[key], [EVERY[key].default]
    if isinstance(control, Number):
        values += [*control.stops, control.low, control.high]
    for value in [*values, *getattr(control, "options", ())]:
        assert control.read(control.write(value)) == (value, None)


# --- Number ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [("300", 300), (" 64 ", 64), ("+5", 5), ("1e2", 100), ("64.0", 64), ("128/2", 64), ("1", 1), ("1024", 1024)],
)
def test_whole_number_in_bounds_is_read_unchanged(text, value):
    kept, note = CONTROLS["d_k"].read(text)
    assert (kept, note, type(kept)) == (value, None, int)


LOW = ("0", "-1", "−1", "0.5", "-inf", "-1e400", "1e-400", "1e-999999999")
HIGH = ("9999", "1024.5", "inf", "1e400", "1e999999999", "9" * 10_000)


@pytest.mark.parametrize(("text", "kept"), [*((text, 1) for text in LOW), *((text, 1024) for text in HIGH)])
def test_number_out_of_bounds_becomes_the_nearest_bound(text, kept):
    assert CONTROLS["d_k"].read(text) == (kept, f"must be between 1 and 1024; {kept} is used")


@pytest.mark.parametrize(
    "text",
    ["", " ", "abc", "nan", "-nan", "1/0", "0/0", "1/2/3", "/", "0x10", "64px", "1,000", "six", "<b>1</b>", "\0"],
)
def test_text_that_is_not_a_number_gives_the_default(text):
    assert CONTROLS["d_k"].read(text) == (64, OFF.format(64))
    assert CONTROLS["multiplier"].read(text) == (1, OFF.format("1"))


@pytest.mark.parametrize(("text", "kept"), [("2.5", 2), ("3.5", 4), ("63.49", 63), ("63.51", 64), ("7/2", 4)])
def test_whole_number_controls_round_half_to_even(text, kept):
    assert CONTROLS["d_k"].read(text) == (kept, f"must be a whole number; {kept} is used")


@pytest.mark.parametrize(
    ("text", "value"),
    [("1/64", 1 / 64), ("0.015625", 1 / 64), ("1/3", 1 / 3), ("64", 64.0), ("2.5", 2.5), ("128/3", 128 / 3)],
)
def test_multiplier_takes_fractions_and_decimals_within_bounds(text, value):
    kept, note = CONTROLS["multiplier"].read(text)
    assert (kept, note, type(kept)) == (value, None, float)


@pytest.mark.parametrize(
    ("text", "kept"), [("1/65", 1 / 64), ("0.0156249999", 1 / 64), ("64.0001", 64.0), ("0", 1 / 64), ("1e9999", 64.0)]
)
def test_multiplier_is_clipped_exactly_to_its_bounds(text, kept):
    shown = "1/64" if kept < 1 else "64"
    assert CONTROLS["multiplier"].read(text) == (kept, f"must be between 1/64 and 64; {shown} is used")


def test_typographic_minus_is_read_as_a_minus():
    assert CONTROLS["shift"].read("−20") == (-20.0, None)
    assert CONTROLS["mean_q"].read("−0.25") == (-0.25, None)
    assert CONTROLS["correlation"].read("−1.01") == (-1.0, "must be between -1 and 1; -1 is used")


@pytest.mark.parametrize("name", ["mean_q", "shift", "seed"])
def test_minus_zero_is_read_as_zero(name):
    kept, note = CONTROLS[name].read("-0")
    assert (kept, note, str(float(kept))) == (0, None, "0.0")


MULTIPLIERS = ((1 / 64, "1/64"), (0.5, "1/2"), (1.0, "1"), (64.0, "64"), (2.5, "5/2"), (0.75, "3/4"), (0.3, "3/10"))
WRITTEN = [("d_k", 1024, "1024"), ("shift", -100, "-100"), ("mean_k", -0.25, "-0.25"), ("correlation", 0.3, "0.3")]


@pytest.mark.parametrize(("name", "value", "text"), [*WRITTEN, *(("multiplier", *each) for each in MULTIPLIERS)])
def test_a_number_is_written_as_it_is_shown(name, value, text):
    assert CONTROLS[name].write(value) == text


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(NUMBERS)), st.text(max_size=40) | st.floats().map(str) | st.integers().map(str))
def test_any_text_gives_a_value_in_bounds_that_can_be_read_back(name, text):
    control = NUMBERS[name]
    kept, note = control.read(text)
    assert control.low <= kept <= control.high
    assert type(kept) is (int if control.whole else float) or kept == control.default
    assert note is None or note.endswith("is used")
    again, nothing = control.read(control.write(kept))
    assert nothing is None
    assert control.read(control.write(again)) == (again, None)


# --- Choice and Text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["foo", "", "Normal", " normal", "normal ", "x" * 10_000])
def test_choice_accepts_only_its_options(text):
    sentence = "must be one of normal, uniform, rademacher, laplace, student_t, sparse; normal is used"
    assert CONTROLS["law"].read(text) == ("normal", sentence)


@pytest.mark.parametrize("name", [key for key, control in EVERY.items() if isinstance(control, Choice)])
def test_links_may_use_the_internal_names_of_options(name):
    for option in EVERY[name].options:
        assert EVERY[name].read(option) == (option, None)


def test_text_is_kept_up_to_the_allowed_length():
    text = CONTROLS["list_1"]
    assert isinstance(text, Text)
    for typed in ("4, five", "", "<script>", "9" * 2_000):
        assert text.read(typed) == (typed, None)
    assert text.read("9" * 2_001) == ("4, 5", "is longer than 2,000 characters; the default is used")


def test_quotation_from_a_link_is_cut_to_one_short_line():
    assert controls._short("<b>`$x$`*[a]\\\n\x00\u202e") == "<b>`$x$`*[a]\\"
    assert controls._short("x" * 24) == "x" * 24
    assert controls._short("x" * 25) == "x" * 24 + "…"


# --- show ------------------------------------------------------------------------------------------------


def test_csv_contains_every_number_at_full_precision():
    table = {"d_k": [1, 2], "weight, raw": [0.1 + 0.2, 1e-300], 'say "x"': ["a,b", "c\nd"]}
    rows = list(csv.reader(io.StringIO(show.as_csv(table), newline="")))
    assert rows[0] == list(table)
    assert [[int(d), float(w), text] for d, w, text in rows[1:]] == [
        [1, 0.30000000000000004, "a,b"],
        [2, 1e-300, "c\nd"],
    ]


def test_csv_refuses_columns_of_different_length():
    with pytest.raises(ValueError, match="shorter"):
        show.as_csv({"a": [1, 2], "b": [1]})


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("https://example.org/a", "`https://example.org/a`"),
        ("HTTP://a.b, (www.a.b)", "`HTTP://a.b`, (`www.a.b`)"),
        ("“mail@example.org”.", "“`mail@example.org`”."),
        ("<https://a.b> <b>x</b>", "`<https://a.b>` \\<b>x\\</b>"),
        ("![x](https://a.b/c.png)", "!\\[x\\](`https://a.b/c.png`)"),
        (":red[x] $x^2$", "\\:red\\[x\\] \\$x^2\\$"),
        (":smile: a:b:c ::x", "`:smile:` `a:b:c` :\\:x"),
        (":material/edit: :material_edit:", "\\:material\\/edit: `:material_edit:`"),
        ("a -> b <= c", "a `->` b `<=` c"),
        ("`a@b`", "`` `a@b` ``"),
        ("a``b@c", "```a``b@c```"),
        ("a|b", "a\\|b"),
        ("&copy; a & b", "\\&copy; a & b"),
        ("# a # b", "\\# a # b"),
        ("- a - b", "\\- a - b"),
        ("1. a 2. b", "1\\. a 2. b"),
        ("  a\n\n  b\u2028c ", "a b c"),
        ("5\u00a0% at d_k = 64: 3 < 4, −1", "5\u00a0% at dₖ = 64: 3 < 4, −1"),
        ("", ""),
    ],
)
def test_plain_returns_markdown_that_shows_the_text(text, markdown):
    assert show.plain(text) == markdown


@settings(deadline=None, max_examples=100)
@given(st.text(":/@w.a_`|<>[]() \\$", max_size=30))
def test_plain_leaves_no_markup_outside_code(text):
    outside = re.sub(r"(?<!\\)(`+)(?!`).*?(?<!`)\1(?!`)", "\x00", show.plain(text))
    bare = re.sub(r"\\(.)", r"\1", outside)
    assert not re.search(r"https?://|www\.|@|:[\w+-]+:", bare)
    assert not re.search(r"(?<!\\)(?:\\\\)*[`$\[\]|_]", outside)


def test_plain_escapes_every_markdown_character():
    assert show.plain("d_j * [4, 5] `x` $y$ ~z~ \\n") == "d\\_j \\* \\[4, 5\\] \\`x\\` \\$y\\$ \\~z\\~ \\\\n"
    assert show.plain("64.4 (predicted 64.0 ± 0.3)") == "64.4 (predicted 64.0 ± 0.3)"


def test_table_shows_text_of_a_visitor_literally():
    shown = show.readable({"file": ["*a*_b_[x](http://e).csv", "d_k"], "list": ["$c^2$", "no_scale"]})
    assert shown["file"] == [r"\*a\*\_b\_\[x\](`http://e`).csv", "d\\_k"]
    assert shown["list"] == ["$c^2$", "no scale"]  # formulas of a lesson stay formulas


def test_table_rounds_like_sentences_and_csv_keeps_all_digits():
    table = {"n": [1, 2], "name": ["a", "b"], "value": [0.98561, -12345.6], "standard error": [0.041234, None]}
    assert show.readable(table) == {
        "n": [1, 2],
        "name": ["a", "b"],
        "value": ["0.986", "−12,346"],
        "standard error": ["0.041", "none"],
    }
    assert "0.98561,0.041234" in show.as_csv(table)


def test_component_may_set_values_between_stops_within_bounds():
    def script():
        import streamlit as st

        from pages._view.page import controls

        wanted = st.text_input("wanted", "300")
        st.button("place", on_click=lambda: controls.place("n_keys", wanted))
        controls.draw("n_keys")

    app = AppTest.from_function(script, default_timeout=60).run()
    for text, value in (("300", 300), ("9999", 512), ("-3", 2), ("300", 300)):
        app.text_input[0].set_value(text).run()
        app.button[0].click().run()
        assert [each.message for each in app.exception] == []
        assert (app.select_slider[0].value, app.session_state["n_keys"]) == (value, value)
        assert str(value) in app.select_slider[0].options


def test_number_field_follows_slider():
    def script():
        import streamlit as st

        from pages._view.page import controls

        st.button("place", on_click=lambda: controls.place("d_k", 8))
        st.session_state.setdefault("d_k", 64)
        controls.draw_typed("d_k")

    app = AppTest.from_function(script, default_timeout=60).run()
    app.number_input[0].set_value(500).run()
    assert (app.number_input[0].value, app.session_state["d_k"]) == (500, 500)
    app.button[0].click().run()
    assert (app.number_input[0].value, app.session_state["d_k"]) == (8, 8)


@pytest.mark.parametrize(("drawn", "d_k"), [(1, 500), (2, 64)])
def test_message_from_a_replaced_number_field_is_ignored(monkeypatch, drawn, d_k):
    # `drawn` is the version of the field on the page; the message comes from version 1.
    state = {"d_k": 64, "d_k_typed": (drawn, 64), "d_k_typed_1": 500}
    monkeypatch.setattr(controls, "st", SimpleNamespace(session_state=state, query_params={}, rerun=lambda: None))
    controls._place_typed("d_k", "d_k_typed", 1)
    assert (state["d_k"], state["d_k_typed"]) == (d_k, (drawn, d_k))


BELIEVED = [
    ("scaling", "off", "off"),
    ("scaling", None, "on"),
    ("law", "zz", "normal"),
    ("law", ["uniform"], "normal"),
    ("Q", "1, 2", "1, 2"),
    ("Q", 99, CONTROLS["Q"].default),
    ("seed", 5, 5),
    ("seed", "x", 0),
]


@pytest.mark.parametrize(("name", "said", "value"), BELIEVED)
def test_forged_widget_values_are_ignored(monkeypatch, name, said, value):
    monkeypatch.setattr(controls.st, "session_state", {name: said})
    assert controls._value(name) == value


def test_parameters_without_widget_share_no_name_with_a_control():
    """Else the next lesson would take the parameter for its control's value."""
    for stem, lesson in LESSONS.items():
        elsewhere = {name for other, each in LESSONS.items() if other != stem for name in each.controls}
        assert set(lesson.unseen) & elsewhere == set(), stem


def test_newly_placed_value_overrides_the_old_address(monkeypatch):
    state = {"lesson": "score_variance", "n_keys": 16, "placed": {"n_keys": 64}}
    monkeypatch.setattr(controls, "st", SimpleNamespace(session_state=state, query_params={"n_keys": "32"}))
    controls._follow_address("n_keys")
    assert state["n_keys"] == 64


def test_value_left_by_the_previous_lesson_is_not_added_as_a_stop(monkeypatch):
    """Both lessons have a control called size, with different bounds."""
    state = {"lesson": "small_samples", "size": 1}
    monkeypatch.setattr(controls, "st", SimpleNamespace(session_state=state, query_params={}))
    controls.place("size", 4)
    assert state["size"] == 4
    assert state["visited_stops"] == {("small_samples", "size"): {4}}
