"""The attention_steps page: steps, presets, one cell, typed matrices."""

import pytest

from pages._view.lessons import LESSONS
from pages._view.lessons.attention_steps import figures
from pages._view.show import plain
from tests.pages.opening import charts, check_page, open_page, press, settle, widget

STEP_CHARTS = {  # the matrices of each step, and those that come beside them without the scale
    "matmul": (("Q", "K", "raw"), ()),
    "scale": (("raw", "scaled"), ()),
    "mask": (("scaled", "masked"), ("masked_raw",)),
    "softmax": (("masked", "weights"), ("weights_raw",)),
    "output": (("weights", "V", "output"), ("weights_raw", "output_raw")),
}


def check_step(app):
    """The page shows the matrices of its step, each described by a sentence that names the step."""
    step = app.session_state["step"]
    with_scale, without = STEP_CHARTS[step]
    names = with_scale + without if app.session_state["without_scale"] == "show" else with_scale
    shown = charts(app)
    assert list(shown) == [f"matrix_{name}" for name in names]
    said = f"Step {list(STEP_CHARTS).index(step) + 1} of 5, {figures.STEPS[step][0]}: "
    assert all(said in chart.alt for chart in shown.values())


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
        check_step(app)
        walked.append((app.session_state["step"], lit(app)))
    there = [("scale", "Scale"), ("mask", "Mask (optional)"), ("softmax", "Softmax"), ("output", "MatMul")]
    assert walked == [*there, there[-1], *there[-2::-1], ("matmul", "MatMul"), ("matmul", "MatMul")]


@pytest.mark.parametrize("step", list(STEP_CHARTS))
@pytest.mark.parametrize("preset", LESSONS["attention_steps"].controls["preset"].options)
def test_every_step_of_every_preset_is_shown_beside_itself_without_the_scale(step, preset):
    app = open_page("attention_steps", step=step, preset=preset, without_scale="show", d_k="16")
    check_page(app, "attention_steps")
    check_step(app)
    assert len(app.error) == 0
    remarks = [each.value for each in app.info]
    assert len(remarks) == (preset in ("fully_masked", "same_input"))
    if preset == "fully_masked":
        assert remarks[0].startswith("The mask forbids every key to query 1:")
    if preset == "same_input":
        assert "√dₖ = 4)" in remarks[0]


def test_the_chosen_cell_is_written_out_term_by_term():
    said = " ".join(each.value for each in open_page("attention_steps", query="3", key="2").markdown)
    assert "8 × 5 + 9 × 6 = 40 + 54 = 94" in said
    assert "94 ÷ 1.414213562 ≈ 66.4680" in said  # 94 / √2 = 66.46804


def test_a_cell_outside_the_matrices_is_their_last_one():
    app = open_page("attention_steps", query="16", key="16", column="64")
    assert "Query 3 with key 3 scores 98" in charts(app)["matrix_raw"].alt


BAD_MATRICES = [
    ("Q", "1, 2\n3, x", 'Q has "x" in row 2, column 2: write a number, as 1.5.'),
    ("Q", "1, 2, 3", "Q has 3 columns but K has 2: both need dₖ columns."),
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
