"""Every page, run without a browser: controls at both ends, laws, links, typed texts, data."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from pages._view import controls, frame
from pages._view.show import plain
from pages._view.theme import PROJECTOR
from tests.pages.opening import app_at, charts, turn_to

ROOT = Path(__file__).resolve().parents[2]
STEMS = [lesson.stem for lesson in frame.LESSONS]
SHARED = (*frame.SHARED, "mode")
OWN_CONTROLS = {
    "start": (),
    "score_variance": (
        "sampling",
        "axis",
        "n_samples",
        "n_queries",
        "mean_q",
        "mean_k",
        "correlation",
        "q_2d",
        "k_2d",
        "q_3d",
        "k_3d",
    ),
    "softmax_saturation": ("list_1", "list_2", "list_3", "list_4", "multiplier", "shift"),
    "gradient_flow": ("place", "jacobian", "row"),
    "derivation": ("broken",),
    "attention_steps": ("step", "preset", "query", "key", "column", "without_scale", "Q", "K", "V", "mask"),
    "backprop": ("A", "B", "gradient", "exponent", "masking", "weight"),
    "small_samples": ("size", "inner", "ddof", "n_draws"),
    "unit_variance": ("scheme", "n_heads", "normalise", "x_mean", "x_std", "bias"),
    "scaling_rules": ("alpha", "rho", "rule", "pairs", "bug"),
    "your_scores": ("sample", "head"),
    "training_race": (
        "optimizer",
        "rates",
        "learning_rate",
        "loss",
        "data",
        "values",
        "start",
        "n_pairs",
        "n_steps",
        "n_seeds",
        "own_exponent",
    ),
}
# Controls of the derivation that are drawn only while their assumption is the broken one.
STRENGTHS = {name: broken for broken, fields in controls.BROKEN.items() for name in fields}
CHARTS = {  # what each picture's sentence speaks of
    "start": {},
    "score_variance": {
        "score_histograms": "raw scores have variance",
        "variance_curve": "the raw variance ",
        "random_walks": "walks stand",
    },
    "softmax_saturation": {
        "softmax_lists": "Only differences count.",
        "average_max_weight": "Over many queries",
        "average_effective_keys": "Over many queries",
        "average_entropy_nats": "Over many queries",
        "overflow": "breaks in float16",
    },
    "gradient_flow": {
        "gradient_histograms": "The median row passes",
        "gradient_curves": "000 rows a point",
        "median_crossover": "the median row passes less to its raw scores",
        "row_jacobians": "Both share one colour domain",
    },
    "derivation": {"score_growth": "the standard deviation of the raw scores goes from"},
    "attention_steps": {f"matrix_{name}": "Step 1 of 5, MatMul" for name in ("Q", "K", "raw")},
    "backprop": {
        **{f"product_{name}": "a matrix becomes a vector" for name in ("hadamard", "rows", "frobenius")},
        "gradient_matrix": "The central difference is",
        "first_order": "⟨∂L/∂W, dW⟩",
        "difference_error": "The complex step has no difference to round",
    },
    "small_samples": {
        "small_samples": "The last draw gave",
        "sample_band": "lie inside it, but only",
        "large_experiment": "a false alarm",
    },
    "unit_variance": {
        "unit_variance": "measured (and predicted), of q is",
        "schemes": "the scaled scores start with a standard deviation from",
        "shared_input": "all divided by √d_k",
    },
    "scaling_rules": {
        **dict.fromkeys(("exponent_variance", "exponent_mean"), "the variance goes from"),
        **dict.fromkeys(("rule_comparison", "rule_scores"), "Means over 32 queries"),
        **dict.fromkeys(("rule_entropy_d_k", "rule_entropy_n_keys"), "Dotted: all keys alike"),
        "bug_weights": "the output is off by",
    },
    "your_scores": {
        "your_histogram": "the 95 % band of ideal q and k",
        "your_growth": "Added component by component",
    },
    "training_race": {
        "race_learning": "uniform attention ",
        "race_state": "look at the median row",
        "race_attention": "Mean weight on the right key",
        "race_equivalence": "The two losses: SGD 0.01, × √d_k: ",
    },
}
STEP_CHARTS = {  # the matrices of each step, and those that come beside them without the scale
    "matmul": (("Q", "K", "raw"), ()),
    "scale": (("raw", "scaled"), ()),
    "mask": (("scaled", "masked"), ("masked_raw",)),
    "softmax": (("masked", "weights"), ("weights_raw",)),
    "output": (("weights", "V", "output"), ("weights_raw", "output_raw")),
}
# Pictures under one sentence are told apart by their titles.
TITLED = ("average_", "matrix_", "product_", "exponent_", "rule_")
DATA = {
    "start": ["start"],
    "score_variance": list(CHARTS["score_variance"]),
    "softmax_saturation": ["softmax_lists", "softmax_averages", "overflow"],
    "gradient_flow": list(CHARTS["gradient_flow"]),
    "derivation": ["derivation", "score_growth"],
    "attention_steps": ["attention_steps"],
    "backprop": ["products", "gradient_matrix", "first_order", "difference_error"],
    "small_samples": ["small_samples", "sample_band", "large_experiment"],
    "unit_variance": ["unit_variance", "schemes", "shared_input"],
    "scaling_rules": ["exponents", "rules", "rule_curves", "bug_weights"],
    "your_scores": ["your_histogram", "your_growth"],
    "training_race": ["race_learning", "race_state", "race_attention", "race_equivalence"],
}


def open_page(stem, **query):
    """The page as a fresh visitor with this link sees it."""
    return app_at(stem, **query).run()


def widget(app, name):
    """The widget of a control, whatever its kind."""
    kinds = ("select_slider", "number_input", "selectbox", "button_group", "text_input", "text_area")
    found = [each for kind in kinds for each in app.get(kind) if each.key == name]
    assert len(found) == 1, f"{name} is drawn {len(found)} times"
    return found[0]


def settle(app):
    """Run what the last move asks for, and then the whole page: a move of d_k redraws a part of it only."""
    app.run()
    assert [each.message for each in app.exception] == []
    return app.run()


def drawn_controls(app):
    kinds = ("select_slider", "number_input", "selectbox", "button_group", "text_input", "text_area")
    return {each.key for kind in kinds for each in app.get(kind)} & set(controls.CONTROLS)


def hero(app):
    found = [each for each in app.get("bidi_component") if each.key == "hero"]
    assert len(found) == 1
    return json.loads(found[0].proto.json)


def charts_of_step(app):
    """The matrices that attention_steps shows, each with what its sentence speaks of."""
    step = app.session_state["step"]
    with_scale, without = STEP_CHARTS[step]
    names = with_scale + without if app.session_state["without_scale"] == "show" else with_scale
    said = f"Step {list(STEP_CHARTS).index(step) + 1} of 5"
    return {f"matrix_{name}": said for name in names}


def check_page(app, stem):
    """What holds whatever is set: no exception, the right lesson, all its pictures, each under its sentence."""
    assert [each.message for each in app.exception] == []
    assert [each.value for each in app.title] == [frame.lesson(stem).question]
    shown = charts(app)
    wanted = charts_of_step(app) if stem == "attention_steps" else CHARTS[stem]
    if "race_rates" in shown:  # only where a sweep was asked for, and between the others
        assert app.session_state["rates"] == "best"
        wanted = {name: wanted.get(name, "Rates that have solved it by step") for name in shown}
        assert set(wanted) == {*CHARTS[stem], "race_rates"}
    assert list(shown) == list(wanted)
    texts = {each.value for each in app.markdown}
    for name, chart in shown.items():
        heading, _, sentence = chart.alt.partition(". ") if name.startswith(TITLED) else ("", "", chart.alt)
        assert plain(sentence) in texts
        assert wanted[name] in sentence
        title = json.loads(chart.spec)["layout"]["title"]["text"] if heading else ""
        assert heading == title.replace("<br>", " ")
    if stem == "start":
        payload = hero(app)
        assert [stop["d_k"] for stop in payload["stops"]].count(payload["d_k"]) == 1


@pytest.fixture(scope="module")
def apps():
    return {}


@pytest.fixture
def app(apps, request):
    """One visitor of the page `stem`, kept for all tests; what a test moves is put back."""
    stem = request.getfixturevalue("stem")
    if stem not in apps:
        apps[stem] = open_page(stem)
    app = apps[stem]
    yield app
    moved = [name for name in (*SHARED, *OWN_CONTROLS[stem]) if app.session_state[name] != default_of(name)]
    if moved:
        app.run()  # the whole page, if the last run redrew a part of it only
        for name in moved:
            widget(app, name).set_value(default_of(name))
        check_page(settle(app), stem)
        assert len(app.error) == 0


def default_of(name):
    return controls.CONTROLS[name].default


# --- the frame -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stem", STEMS)
def test_a_page_opens_inside_its_frame_with_every_control_once(stem):
    app = open_page(stem)
    check_page(app, stem)
    assert drawn_controls(app) == {*SHARED, *OWN_CONTROLS[stem]}
    assert [each.label for each in app.sidebar.get("page_link")] == [each.question for each in frame.LESSONS]
    assert [*app.error, *app.warning, *app.info] == []


@pytest.mark.parametrize("stem", STEMS[1:])
def test_a_deep_link_that_is_the_first_request_of_a_server_opens_inside_the_frame(stem, monkeypatch):
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)  # as in a process that has just begun
    app = open_page(stem, d_k="100", n_keys="32", law="uniform", seed="3")
    check_page(app, stem)
    assert set(SHARED) <= drawn_controls(app)
    assert [app.session_state[name] for name in frame.SHARED] == [100, 32, "uniform", 3]
    assert "d_k = 100" in " ".join(each.value for each in app.markdown).replace("\\", "")


def test_the_pages_draw_every_control_there_is():
    own = {name for names in OWN_CONTROLS.values() for name in names}
    assert {*SHARED, *own, *STRENGTHS} == set(controls.CONTROLS)


def test_shared_controls_keep_their_values_on_the_next_page():
    app = open_page("score_variance", d_k="300", n_keys="32", law="laplace", seed="7")
    for stem in ("softmax_saturation", "score_variance"):
        turn_to(app, stem).run()
        check_page(app, stem)
        assert [widget(app, name).value for name in frame.SHARED] == [300, 32, "laplace", 7]
        assert any("d_k = 300" in chart.alt for chart in charts(app).values())


def test_the_remark_about_a_link_stays_behind_with_the_page_it_opened():
    app = open_page("score_variance", d_k="abc")
    assert len(app.run().info) == 1
    assert len(turn_to(app, "softmax_saturation").run().info) == 0


@pytest.mark.parametrize("stem", STEMS)
def test_projector_mode_reaches_every_picture(stem):
    app = open_page(stem, mode="projector")
    check_page(app, stem)
    assert len(app.sidebar.get("page_link")) == 0  # the menu moves to the top
    for chart in charts(app).values():
        layout = json.loads(chart.spec)["layout"]
        assert layout["font"]["size"] == PROJECTOR.tick_size
        assert layout["paper_bgcolor"] == PROJECTOR.ground
    if stem == "start":
        assert hero(app)["mode"] == "projector"


@pytest.mark.parametrize(("ground", "colour"), [("light", "#ffffff"), ("dark", "#12161c")])
def test_figures_follow_the_ground_the_visitor_sees(ground, colour):
    app = app_at("score_variance")
    app.context["theme"] = ground
    app.run()
    assert {json.loads(chart.spec)["layout"]["paper_bgcolor"] for chart in charts(app).values()} == {colour}


# --- controls at both ends -------------------------------------------------------------------------------


def ends(control):
    """The ends of a slider, every option of a choice, the shortest and the longest text."""
    if isinstance(control, controls.Choice):
        return control.options
    if isinstance(control, controls.Text):
        return "", "9" * controls.LONGEST_LINK_VALUE
    return control.low, control.high


@pytest.mark.parametrize(("stem", "name"), [(stem, name) for stem in STEMS for name in (*SHARED, *OWN_CONTROLS[stem])])
def test_a_control_works_at_both_ends(app, stem, name):
    control = controls.CONTROLS[name]
    start = {"d_k": 1} if name == "n_samples" else {}  # a million pairs of 64 components take seconds
    for other, value in start.items():
        widget(app, other).set_value(value)
    for value in ends(control):
        widget(app, name).set_value(value)
        settle(app)
        assert app.session_state[name] == value
        assert [each.message for each in app.exception] == []
        if not isinstance(control, controls.Text):
            check_page(app, stem)


@pytest.mark.parametrize("stem", STEMS)
def test_a_move_of_the_dimension_is_said_at_once(app, stem):
    widget(app, "d_k").set_value(111).run()
    assert [each.message for each in app.exception] == []
    if stem == "start":
        assert hero(app)["d_k"] == 111
    else:
        assert any("d_k = 111" in chart.alt for chart in charts(app).values())


@pytest.mark.parametrize("stem", STEMS)
def test_a_typed_dimension_moves_the_slider(stem):
    app = open_page(stem)
    fields = [each for each in app.number_input if each.key.startswith("d_k_typed")]
    assert [each.value for each in fields] == [64]
    fields[0].set_value(300)
    settle(app)
    check_page(app, stem)
    assert (widget(app, "d_k").value, app.session_state["d_k"]) == (300, 300)
    assert hero(app)["d_k"] == 300 if stem == "start" else any("d_k = 300" in c.alt for c in charts(app).values())


@pytest.mark.parametrize("stem", ["score_variance"])
@pytest.mark.parametrize("law", controls.CONTROLS["law"].options)
def test_every_law_is_measured_in_pairs_and_in_a_matrix(app, stem, law):
    widget(app, "law").set_value(law)
    drawn = {"pairs": "over 50,000 independent pairs", "matrix": "over the 64 × 16 entries of one Q Kᵀ"}
    for sampling in ("matrix", "pairs"):
        widget(app, "sampling").set_value(sampling).run()
        check_page(app, stem)
        assert drawn[sampling] in charts(app)["score_histograms"].alt
        moments = app.table[0].value
        assert moments["quantity"].tolist() == [
            f"{side} {moment}" for side in ("raw", "scaled") for moment in ("mean", "variance", "excess kurtosis")
        ]
        raw, scaled = moments["predicted"][1], moments["predicted"][4]
        assert (raw, scaled) == {"pairs": ("64.00", "1.000"), "matrix": ("63.94", "0.9990")}[sampling]  # × 1 − 1/1024


def test_constant_scores_leave_a_working_page():
    app = open_page("score_variance", law="rademacher", correlation="1", d_k="1")
    check_page(app, "score_variance")
    verdicts = app.table[0].value["verdict"].tolist()
    assert verdicts == ["nothing to compare"] * 6
    assert app.table[0].value["measured"].tolist()[2] == "undefined"


def test_a_correlation_asked_of_a_matrix_is_said_not_to_count():
    app = open_page("score_variance", sampling="matrix", correlation="0.5")
    check_page(app, "score_variance")
    said = "The correlation pairs each q with its own k: it counts for pairs, not for a matrix."
    assert said in {each.value for each in app.markdown}
    assert app.table[0].value["predicted"][1] == "63.94"  # 64 * (1 - 1/1024), without 1 + 0.5**2


# --- links -----------------------------------------------------------------------------------------------

BAD_LINKS = [
    ({"d_k": "abc"}, {"d_k": 64}, "d_k is not a number; 64 is used (the link says “abc”)"),
    ({"d_k": "nan"}, {"d_k": 64}, "d_k is not a number; 64 is used (the link says “nan”)"),
    ({"d_k": ""}, {"d_k": 64}, "d_k is not a number; 64 is used (the link says “”)"),
    ({"d_k": "9999"}, {"d_k": 1024}, "d_k must be between 1 and 1024; 1024 is used (the link says “9999”)"),
    ({"d_k": "-1"}, {"d_k": 1}, "d_k must be between 1 and 1024; 1 is used (the link says “-1”)"),
    ({"d_k": "7.5"}, {"d_k": 8}, "d_k must be a whole number; 8 is used (the link says “7.5”)"),
    ({"d_k": ["8", "16"]}, {"d_k": 16}, "d_k is given 2 times; the last, 16, is used"),
    ({"d_k": ["8", "x"]}, {"d_k": 64}, "d_k is not a number; 64 is used (the link says “x”)"),
    (
        {"d_k": "7" * 10_000},
        {"d_k": 1024},
        f"d_k must be between 1 and 1024; 1024 is used (the link says “{'7' * 24}…”)",
    ),
    (
        {"d_k": "<script>alert(1)</script>"},
        {"d_k": 64},
        "d_k is not a number; 64 is used (the link says “<script>alert(1)</script…”)",
    ),
    (
        {"n_keys": "1e999999999"},
        {"n_keys": 512},
        "n_keys must be between 2 and 512; 512 is used (the link says “1e999999999”)",
    ),
    ({"seed": "-5"}, {"seed": 0}, "seed must be between 0 and 9999; 0 is used (the link says “-5”)"),
    (
        {"law": "foo"},
        {"law": "normal"},
        "law must be one of normal, uniform, rademacher, laplace, student_t, sparse; normal is used "
        "(the link says “foo”)",
    ),
    (
        {"mode": "foo"},
        {"mode": "screen"},
        "mode must be one of screen, projector; screen is used (the link says “foo”)",
    ),
    (
        {"list_1": "4," * 5_000},
        {"list_1": "4, 5"},
        f"list_1 is longer than 2,000 characters; the default is used (the link says “{'4,' * 12}…”)",
    ),
    ({"foo": "1"}, {}, "“foo” is not a setting of this dashboard and was ignored"),
    (
        {"<script>alert(1)</script>": "1"},
        {},
        "“<script>alert(1)</script…” is not a setting of this dashboard and was ignored",
    ),
    (
        {"d_k": "9999", "seed": "x", "foo": "1"},
        {"d_k": 1024, "seed": 0},
        "d_k must be between 1 and 1024; 1024 is used (the link says “9999”); "
        "seed is not a number; 0 is used (the link says “x”); "
        "“foo” is not a setting of this dashboard and was ignored",
    ),
]


@pytest.mark.parametrize(("query", "state", "note"), BAD_LINKS)
def test_a_bad_link_opens_a_working_page_and_says_so_in_one_line(query, state, note):
    app = open_page("softmax_saturation", **query)
    check_page(app, "softmax_saturation")
    assert [each.value for each in app.info] == [plain(f"This link was adjusted: {note}.")]
    assert "\n" not in app.info[0].value
    for name, value in state.items():
        assert app.session_state[name] == value
        assert widget(app, name).value == value
    kept = {name: str(value) for name, value in state.items() if value != controls.CONTROLS[name].default}
    assert app.query_params == kept


@pytest.mark.parametrize("stem", STEMS)
def test_a_bad_link_leaves_every_page_working(stem):
    app = open_page(stem, d_k="9999", n_keys="nan", law="<script>", n_samples="-1", multiplier="inf", foo="1")
    check_page(app, stem)
    assert len(app.info) == 1
    assert app.session_state["d_k"] == 1024


@pytest.mark.parametrize("stem", STEMS)
def test_a_link_between_two_stops_is_a_place_on_every_slider(stem):
    app = open_page(stem, d_k="300", n_keys="48")
    check_page(app, stem)
    assert len(app.info) == 0
    assert (widget(app, "d_k").value, widget(app, "n_keys").value) == (300, 48)
    assert "300" in widget(app, "d_k").options
    if stem == "start":
        payload = hero(app)
        here = next(stop for stop in payload["stops"] if stop["d_k"] == 300)
        assert payload["d_k"] == 300
        assert "At d_k = 300 raw scores" in here["sentence"]
        assert "of 48 keys" in here["sentence"]


def test_a_good_link_is_followed_without_a_word():
    app = open_page(
        "softmax_saturation", multiplier="1/64", shift="-20", list_1="1; 2 3", list_3="0 0", law="sparse", seed="9999"
    )
    check_page(app, "softmax_saturation")
    assert len(app.info) == 0
    state = {name: app.session_state[name] for name in ("multiplier", "shift", "list_1", "list_3", "law", "seed")}
    assert state == {
        "multiplier": 1 / 64,
        "shift": -20,
        "list_1": "1; 2 3",
        "list_3": "0 0",
        "law": "sparse",
        "seed": 9999,
    }


def test_the_same_link_gives_two_visitors_the_same_sentences():
    query = {"d_k": "111", "law": "laplace", "seed": "5", "n_samples": "2000", "mean_q": "0.25"}
    first, second = (open_page("score_variance", **query) for _ in range(2))
    assert [chart.alt for chart in charts(first).values()] == [chart.alt for chart in charts(second).values()]
    assert "At d_k = 111, over 2,000 independent pairs" in charts(first)["score_histograms"].alt


# --- typed lists and vectors -----------------------------------------------------------------------------

THOUSAND = ", ".join(["1"] * 1_000)
BAD_LISTS = [
    ("4, five", '"five" (item 2) is not a number.'),
    ("", "The list is empty: write at least 2 numbers, for example 4, 5."),
    ("   ", "The list is empty: write at least 2 numbers, for example 4, 5."),
    ("1e400, 2", '"1e400" (item 1) is not a finite number.'),
    ("1, nan", '"nan" (item 2) is not a finite number.'),
    ("1, 2000000", '"2000000" (item 2) is too large: numbers must lie between −1,000,000 and 1,000,000.'),
    ("4", "The list has 1 number, but 2 to 64 are needed."),
    ("4,, 5", "Item 2 is missing: a comma or semicolon has no number beside it."),
    (THOUSAND[:1999], "The list has 667 numbers, but 2 to 64 are needed."),
    (THOUSAND, "The text has 2,998 characters, but at most 2,000 are allowed."),
    ("*4*, <b>5</b>", '"*4*" (item 1) is not a number.'),
]


@pytest.mark.parametrize("stem", ["softmax_saturation"])
@pytest.mark.parametrize(("text", "sentence"), BAD_LISTS)
def test_a_list_that_cannot_be_read_gets_a_sentence_and_stays(app, stem, text, sentence):
    widget(app, "list_2").set_value(text).run()
    assert [each.message for each in app.exception] == []
    assert [each.value for each in app.error] == [plain(f"Second list: {sentence}")]
    assert widget(app, "list_2").value == text
    assert list(charts(app)) == list(CHARTS[stem])[1:]  # the rest of the page is there


@pytest.mark.parametrize("stem", ["softmax_saturation"])
def test_every_list_that_cannot_be_read_gets_its_own_sentence(app, stem):
    typed = {"list_1": "a, 1", "list_2": "1, 2", "list_3": "3", "list_4": "1 b"}
    for name, text in typed.items():
        widget(app, name).set_value(text)
    app.run()
    assert [each.value.split()[0] for each in app.error] == ["First", "Third", "Fourth"]
    assert {name: widget(app, name).value for name in typed} == typed


BAD_VECTORS = [
    ("q_2d", "1, 2\n1, x\n8, 9", 'q: "x" (line 2, item 2) is not a number.'),
    ("q_2d", "", "There are no numbers: write one vector per line, for example 1, 2."),
    (
        "k_2d",
        "2, 3\n5, 6, 7\n10, 2",
        "Line 2 has 3 numbers, but line 1 has 2: all vectors need the same length.",
    ),
    ("q_3d", "1, 2, 3\n3, 4, 1e400\n10, 9, 11", '"1e400" (line 2, item 3) is not a finite number.'),
    (
        "k_3d",
        "3, 2, 1\n6, 7, 8",
        "vectors of one length, at least one each, but q is 3 × 3 and k is 2 × 3",
    ),
    ("k_3d", "\n".join(["1, 2, 3"] * 17), "There are 17 vectors, but at most 16 lines are allowed."),
    ("k_2d", THOUSAND, "k: Line 1 has 1000 numbers, but at most 64 are allowed."),
]


@pytest.mark.parametrize("stem", ["score_variance"])
@pytest.mark.parametrize(("name", "text", "part"), BAD_VECTORS)
def test_vectors_that_cannot_be_read_get_a_sentence_and_stay(app, stem, name, text, part):
    widget(app, name).set_value(text).run()
    check_page(app, stem)
    assert len(app.error) == 1
    assert plain(part) in app.error[0].value
    assert widget(app, name).value == text


def test_the_examples_made_by_hand_give_the_numbers_of_the_notes():
    said = {each.value for each in open_page("score_variance").markdown}
    assert "Dot products 8, 29, 98; mean 45.0000, variance 1,478.00 (ddof = 0)." in said
    assert "Dot products 10, 86, 209; mean 101.667, variance 6,722.89 (ddof = 0)." in said


# --- gradients -------------------------------------------------------------------------------------------


def test_the_gradient_page_says_the_truth_of_the_moment():
    app = open_page("gradient_flow", n_keys="64", d_k="512")
    check_page(app, "gradient_flow")
    said = charts(app)["gradient_histograms"].alt
    # The exact means, 1 − E Σp² without the scale and over √512 with it; the median row and the frozen ones.
    assert "55.5 % of the rows are frozen without the scale and 0.0 % with it" in said
    assert "The median row passes 0.00369 to the raw scores without the scale and 0.0426 with it" in said
    assert "the mean row 0.105 ± 0.0039 (exact 0.104) and 0.0425 ± " in said
    assert "(exact 0.0425), 2.48 times as much." in said


def test_at_the_default_setting_the_typical_row_is_not_said_to_freeze():
    app = open_page("gradient_flow")
    said = charts(app)["gradient_histograms"].alt
    assert "23.4 % of the rows are frozen without the scale and 0.0 % with it" in said
    assert "0.141 to the raw scores without the scale and 0.110 with it, 1.28 times as much without it" in said
    assert any("a growing *share* of the rows freezes" in each.value for each in app.markdown)


@pytest.mark.parametrize("stem", ["gradient_flow"])
def test_each_place_has_its_own_sentences_and_only_q_has_no_exact_mean(app, stem):
    frozen = set()
    for place, words in (("scores", "to the scores "), ("raw_scores", "to the raw scores "), ("q", "to q ")):
        widget(app, "place").set_value(place).run()
        check_page(app, stem)
        said = charts(app)
        for name in ("gradient_histograms", "gradient_curves"):
            assert words.strip() in said[name].alt
            assert ("exact" in said[name].alt) == (place != "q")
        assert ("The rate" in said["gradient_curves"].alt) == (place != "q")
        frozen.add(said["gradient_histograms"].alt.split(":")[0])
    assert len(frozen) == 1


@pytest.mark.parametrize("stem", ["gradient_flow"])
def test_the_lists_of_the_notes_and_the_drawn_rows_have_their_jacobians(app, stem):
    widget(app, "d_k").set_value(1)
    settle(app)
    for chosen, norm in (("4, 5", "0.393224"), ("1, 10", "0.000246759")):
        widget(app, "jacobian").set_value(chosen).run()
        check_page(app, stem)
        assert f"The scores [{chosen}]: " in charts(app)["row_jacobians"].alt
        assert f"norm {norm}; after ÷ √1 " in charts(app)["row_jacobians"].alt
    widget(app, "jacobian").set_value("row").run()
    first = charts(app)["row_jacobians"].alt
    widget(app, "row").set_value(2).run()
    second = charts(app)["row_jacobians"].alt
    assert (first[:7], second[:7]) == ("Row 1: ", "Row 2: ")
    assert first[7:] != second[7:]


@pytest.mark.parametrize("stem", ["gradient_flow"])
def test_a_move_of_the_dimension_leaves_the_curves_as_they_are(app, stem):
    before = charts(app)["gradient_curves"]
    before = before.spec, before.alt
    widget(app, "d_k").set_value(300).run()
    after = charts(app)["gradient_curves"]
    assert (after.spec, after.alt) == before


# --- the derivation --------------------------------------------------------------------------------------


def derivation_sentence(app):
    return next(each.value for each in app.markdown if each.value.startswith("At d"))


@pytest.mark.parametrize(("name", "broken"), STRENGTHS.items())
def test_an_assumption_is_broken_by_its_own_controls_at_both_ends(name, broken):
    app = open_page("derivation", broken=broken, d_k="8")
    check_page(app, "derivation")
    assert drawn_controls(app) == {*SHARED, "broken", *controls.BROKEN[broken]}
    for value in ends(controls.CONTROLS[name]):
        widget(app, name).set_value(value).run()
        check_page(app, "derivation")
        assert app.session_state[name] == value
    widget(app, "broken").set_value("nothing").run()
    check_page(app, "derivation")
    assert "no assumption broken, all 9 lines hold" in derivation_sentence(app)


FIRST_FAILING = {"means": 4, "variances": 7, "alignment": 3, "coordinates": 5, "tails": 5}


@pytest.mark.parametrize(("broken", "number"), FIRST_FAILING.items())
def test_the_first_line_that_fails_is_named_and_marked(broken, number):
    app = open_page("derivation", broken=broken)
    assert f"line {number} fails first" in derivation_sentence(app)
    rows = next(each.value for each in app.markdown if each.value.startswith("| no.")).split("\n")
    assert [row.split()[1] for row in rows if "**" in row] == [str(number)]
    assert len(rows) == 11


# --- what the pages say and give away --------------------------------------------------------------------


@pytest.mark.parametrize("stem", ["softmax_saturation"])
def test_a_shift_changes_no_weight_and_a_multiplier_does(app, stem):
    def weights():
        return [row[row.index("becomes") :] for row in charts(app)["softmax_lists"].alt.split(";")[:2]]

    before = weights()
    widget(app, "shift").set_value(100).run()
    assert "[104, 105] becomes [26.89 %, 73.11 %]" in charts(app)["softmax_lists"].alt
    assert [w.split("]")[0] for w in weights()] == [w.split("]")[0] for w in before]
    widget(app, "multiplier").set_value(2.0).run()
    assert "[108, 110] becomes [11.92 %, 88.08 %]" in charts(app)["softmax_lists"].alt  # 1 / (1 + e**2)


@pytest.mark.parametrize("stem", STEMS)
def test_opened_data_shows_the_table_the_file_and_code_that_runs(stem):
    app = open_page(stem, d_k="8", n_samples="1000")
    names = [f"{each}_data" for each in DATA[stem]]
    assert [each.key for each in app.expander if each.key.endswith("_data")] == names
    tables_before = len(app.table)
    for name in names:
        app.session_state[name] = True
    app.run()
    check_page(app, stem)
    assert len(app.table) == tables_before + len(names)
    shown = {str(kind) for each in app.table for kind in each.value.dtypes}
    assert not [kind for kind in shown if kind.startswith("float")]  # written with the digits of the sentences
    files = [each.key for each in app.get("download_button") if each.key.endswith("_csv")]
    assert files == [name.replace("_data", "_csv") for name in names]
    assert len(app.code) == len(names)
    script = "\n".join(each.value for each in app.code)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


def test_a_component_can_put_a_control_between_two_stops_and_never_beyond_its_bounds():
    def script():
        import streamlit as st

        from pages._view import controls

        wanted = st.text_input("wanted", "300")
        st.button("place", on_click=lambda: controls.place("d_k", wanted))
        controls.draw("d_k")

    app = AppTest.from_function(script, default_timeout=60).run()
    for text, value in (("300", 300), ("9999", 1024), ("-3", 1), ("300", 300)):
        app.text_input[0].set_value(text).run()
        app.button[0].click().run()
        assert [each.message for each in app.exception] == []
        assert (app.select_slider[0].value, app.session_state["d_k"]) == (value, value)
        assert str(value) in app.select_slider[0].options


# --- attention step by step ------------------------------------------------------------------------------


def press(app, label):
    next(each for each in app.button if each.label == label).click()
    return settle(app)


def lit(app):
    """The step that the diagram lights."""
    (drawn,) = [each.proto.body for each in app.get("html") if "Architecture" in each.proto.body]
    return drawn.split('aria-current="step"')[1].split("<b")[1].split(">")[1].split("<")[0]


def test_next_and_previous_walk_through_the_steps_and_stop_at_the_ends():
    app = open_page("attention_steps")
    walked = []
    for label in ["Next"] * 5 + ["Previous"] * 5:
        press(app, label)
        check_page(app, "attention_steps")
        walked.append((app.session_state["step"], lit(app)))
    there = [("scale", "Scale"), ("mask", "Mask (optional)"), ("softmax", "Softmax"), ("output", "MatMul")]
    assert walked == [*there, there[-1], *there[-2::-1], ("matmul", "MatMul"), ("matmul", "MatMul")]


@pytest.mark.parametrize("step", list(STEP_CHARTS))
@pytest.mark.parametrize("preset", controls.CONTROLS["preset"].options)
def test_every_step_of_every_preset_is_shown_beside_itself_without_the_scale(step, preset):
    app = open_page("attention_steps", step=step, preset=preset, without_scale="show", d_k="16")
    check_page(app, "attention_steps")
    assert len(app.error) == 0
    remarks = [each.value for each in app.info]
    assert len(remarks) == (preset in ("fully_masked", "same_input"))
    if preset == "fully_masked":
        assert remarks[0].startswith("The mask forbids every key to query 1:")
    if preset == "same_input":
        assert "√d\\_k = 4)" in remarks[0]


def test_the_chosen_cell_is_written_out_term_by_term():
    said = " ".join(each.value for each in open_page("attention_steps", query="3", key="2").markdown)
    assert "8 × 5 + 9 × 6 = 40 + 54 = 94" in said
    assert "94 ÷ 1.414213562 ≈ 66.4680" in said  # 94 / √2 = 66.46804


def test_a_cell_outside_the_matrices_is_their_last_one():
    app = open_page("attention_steps", query="16", key="16", column="64")
    assert "Query 3 with key 3 scores 98" in charts(app)["matrix_raw"].alt


BAD_MATRICES = [
    ("Q", "1, 2\n3, x", 'Q has "x" in row 2, column 2: write a number, as 1.5.'),
    ("Q", "1, 2, 3", "Q has 3 columns but K has 2: both need d_k columns."),
    ("V", "1\n2", "K has 3 rows but V has 2: both need one row for each key."),
    ("K", "1, 2\n3", "K has 2 entries in row 1 but 1 in row 2: every row needs the same number."),
    ("V", "\n".join(["1"] * 17), "V has 17 rows: at most 16 are allowed."),
    ("Q", ",".join(["1"] * 65), "Q has 65 columns: at most 64 are allowed."),
    ("Q", "1, 1e7", "Q has 1e+07 in row 1, column 2: numbers must lie between −1,000,000 and 1,000,000."),
    ("mask", "10\n01", "mask is 2 × 2 but the scores are 3 × 3: both need one shape."),
    ("mask", "102", 'mask has "2" in row 1, column 3: write 1 (may attend) or 0 (forbidden).'),
]


@pytest.mark.parametrize("stem", ["attention_steps"])
@pytest.mark.parametrize(("name", "text", "sentence"), BAD_MATRICES)
def test_a_matrix_that_cannot_be_used_gets_a_sentence_and_stays(app, stem, name, text, sentence):
    widget(app, name).set_value(text)
    settle(app)
    assert [each.value for each in app.error] == [plain(sentence)]
    assert widget(app, name).value == text


@pytest.mark.parametrize("stem", ["attention_steps"])
def test_a_typed_mask_that_forbids_a_whole_row_is_no_error(app, stem):
    widget(app, "mask").set_value("100\n000\n111")
    settle(app)
    check_page(app, stem)
    assert len(app.error) == 0
    assert app.info[0].value.startswith("The mask forbids every key to query 2:")


def test_the_preset_can_be_written_into_the_fields_and_taken_back():
    app = press(open_page("attention_steps"), "Write the preset into the fields")
    written = {name: widget(app, name).value for name in ("Q", "K", "V", "mask")}
    assert written == {
        "Q": "1, 2\n1, 4\n8, 9",
        "K": "2, 3\n5, 6\n10, 2",
        "V": "1, 0, 0\n0, 1, 0\n0, 0, 1",
        "mask": "111\n111\n111",
    }
    check_page(app, "attention_steps")
    assert {name: app.query_params[name] for name in written} == written
    press(app, "Back to the preset")
    assert {widget(app, name).value for name in written} == {""}
    assert not set(written) & set(app.query_params)


def test_matrices_too_large_for_a_link_stay_on_the_page_and_say_so():
    app = open_page("attention_steps", preset="random")
    large, small = "\n".join([", ".join(["0.12345"] * 64)] * 4), "1, 2"
    for text, remarks in ((large, 1), (small, 0)):
        for name in ("Q", "K"):
            widget(app, name).set_value(text)
        widget(app, "V").set_value("\n".join(["1"] * len(text.split("\n"))))
        settle(app)
        check_page(app, "attention_steps")
        said = [each.value for each in app.info if "too large for a link" in each.value]
        assert len(said) == remarks
        assert widget(app, "Q").value == text
        assert app.query_params.get("Q") == (None if remarks else text)


@pytest.mark.parametrize(
    ("stem", "names"), [("attention_steps", ["Q", "K", "V"]), ("backprop", ["A", "B"])], ids=["attention", "backprop"]
)
def test_an_opened_grid_shows_every_matrix_and_says_which_text_is_no_rectangle(stem, names):
    app = open_page(stem)
    assert len(app.dataframe) == 0
    app.session_state[f"grid_of_{names[0]}"] = True
    settle(app)
    check_page(app, stem)
    first = {"Q": [["1", "2"], ["1", "4"], ["8", "9"]], "A": [["1", "2"], ["3", "4"]]}[names[0]]
    assert len(app.dataframe) == len(names)
    assert app.dataframe[0].value.to_numpy().tolist() == first
    widget(app, names[0]).set_value("1, x")
    settle(app)
    assert app.dataframe[0].value.to_numpy().tolist() == [["1", "x"]]
    widget(app, names[0]).set_value("1, 2\n3")
    settle(app)
    assert len(app.dataframe) == len(names) - 1
    assert "This text is no rectangle of entries yet: mend it in its field." in [each.value for each in app.markdown]


# --- backprop --------------------------------------------------------------------------------------------


def test_next_and_previous_walk_through_the_gradients():
    app = open_page("backprop")
    for place in range(2, 11):
        press(app, "Next")
        check_page(app, "backprop")
        assert charts(app)["gradient_matrix"].alt.startswith(f"Gradient {place} of 10, ")
        assert "Both agree." in charts(app)["gradient_matrix"].alt
    assert app.session_state["gradient"] == "X"
    press(app, "Previous")
    assert app.session_state["gradient"] == "W_V"


@pytest.mark.parametrize("masking", controls.CONTROLS["masking"].options)
@pytest.mark.parametrize("exponent", ["0", "0.5", "1"])
def test_every_gradient_agrees_whatever_the_mask_and_the_scale(masking, exponent):
    app = open_page("backprop", masking=masking, exponent=exponent, seed="3")
    check_page(app, "backprop")
    rows = next(each.value for each in app.markdown if each.value.startswith("| formula |")).splitlines()
    assert [row.rsplit("| ", 1)[1] for row in rows[2:]] == ["agree |"] * 10


def test_the_central_difference_has_no_truncation_in_w_v_and_the_page_says_why():
    sentence = charts(open_page("backprop", weight="W_V"))["difference_error"].alt
    assert "no h² branch: the loss is quadratic in W_V" in sentence


@pytest.mark.parametrize("stem", ["backprop"])
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1, 2, 3", "A is 1 × 3 but B is 2 × 2: both need one shape."),
        ("1, x\n3, 4", 'A has "x" in row 1, column 2: write a number, as 1.5.'),
        ("", "A is empty: write at least one number."),
    ],
)
def test_products_that_cannot_be_formed_get_a_sentence_and_the_gradients_stay(app, stem, text, sentence):
    widget(app, "A").set_value(text)
    settle(app)
    assert [each.value for each in app.error] == [plain(sentence)]
    assert widget(app, "A").value == text
    assert list(charts(app)) == ["gradient_matrix", "first_order", "difference_error"]


def test_the_three_products_and_their_identities_are_worked_out():
    app = open_page("backprop", A="1, 2", B="3, -4")
    assert "A ⊖ B = [−5]" in charts(app)["product_rows"].alt
    assert "⟨A, B⟩ = −5" in charts(app)["product_frobenius"].alt
    assert sum(each.value.count("relative error 0") for each in app.markdown) >= 6
