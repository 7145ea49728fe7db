"""The attention_steps page: steps, presets, one cell, typed matrices."""

import numpy as np
import pytest

from pages._view.lessons import LESSONS
from pages._view.lessons.attention_steps import figures
from pages._view.literal import plain
from pages._view.theme import LIGHT
from tests.figures.drawing import plotted
from tests.pages.opening import charts, check_page, open_page, press, prose, settle, traces, widget

STEP_PANELS = {
    "scores": ["Q", "K", "raw"],
    "scale": ["raw", "scaled"],
    "mask": ["scaled", "masked"],
    "softmax": ["masked", "weights"],
    "output": ["weights", "V", "output"],
}
REMARKS = {
    "fully_masked": "The mask forbids every key to query 1:",
    "same_input": "√dₖ = 4)",
    "notes": "These matrices have dₖ = 2 of their own; the slider moves the random ones.",
}


@pytest.fixture
def stem():
    return "attention_steps"


def the_picture(app):
    """Return the only picture."""
    (shown,) = charts(app).values()
    return shown


def panels(app):
    """Return the matrices of the only picture by name."""
    return {name: each["z"] for name, each in traces(app, the_picture(app).key).items()}


def check_step(app):
    """Check that the page shows the matrices of its step in one picture, whose alt text names the step."""
    step = app.session_state["step"]
    assert list(panels(app)) == STEP_PANELS[step]
    place = list(STEP_PANELS).index(step) + 1
    assert the_picture(app).alt.startswith(f"Step {place} of 5, {figures.STEPS[step][0]}. ")


def lit(app):
    """Return the step that the diagram highlights."""
    (drawn,) = [each.proto.body for each in app.get("html") if "Architecture" in each.proto.body]
    return drawn.split('aria-current="step"')[1].split("<b")[1].split(">")[1].split("<")[0]


def go_to(app, step):
    """Go to another step by its dot."""
    widget(app, "step").set_value(step)
    return settle(app)


def test_diagram_highlights_the_open_step():
    app = open_page("attention_steps")
    walked = []
    for step in STEP_PANELS:
        go_to(app, step)
        check_page(app, "attention_steps")
        check_step(app)
        walked.append(lit(app))
    assert walked == ["MatMul", "Scale", "Mask (optional)", "Softmax", "MatMul"]


def test_typed_and_chosen_values_stay_when_the_step_changes(app):
    typed = {"Q": "1, 2\n3, 4", "K": "1, 1", "V": "5", "query": 2}
    for name, value in typed.items():
        widget(app, name).set_value(value)
    settle(app)
    for step in (*STEP_PANELS, "scores"):
        go_to(app, step)
        assert {name: widget(app, name).value for name in typed} == typed
    assert panels(app)["raw"].tolist() == [[3], [7]]


@pytest.mark.parametrize("preset", LESSONS["attention_steps"].controls["preset"].options)
def test_every_step_shows_every_preset_without_the_scale(preset):
    app = open_page("attention_steps", preset=preset, scaling="off", d_k="16")
    for step in STEP_PANELS:
        check_page(go_to(app, step), "attention_steps")
        check_step(app)
        assert len(app.error) == 0
        assert len(app.info) == (preset in REMARKS)
        assert all(REMARKS[preset] in each.value for each in app.info)


def test_chosen_cell_is_written_out_term_by_term():
    said = prose(open_page("attention_steps", preset="notes", query="3", key="2"))
    assert "8 × 5 + 9 × 6 = 40 + 54 = 94" in said
    assert "94 ÷ 1.414213562 ≈ 66.4680" in said  # 94 / √2 = 66.46804


def test_cell_outside_the_matrices_becomes_the_last_cell():
    assert "Query 3 with key 3 scores 98" in prose(
        open_page("attention_steps", preset="notes", query="16", key="16", column="64")
    )


BAD_MATRICES = [
    ("Q", "1, 2\n3, x", 'Q has "x" in row 2, column 2: write a number, as 1.5.'),
    ("Q", "1, 2, 3", "Q has 3 columns but K has 2: both need dₖ columns."),
    ("V", "1\n2", "K has 3 rows but V has 2: both need one row for each key."),
    ("mask", "10\n01", "mask is 2 × 2 but the scores are 3 × 3: both need one shape."),
]


@pytest.mark.parametrize(("name", "text", "sentence"), BAD_MATRICES)
def test_invalid_matrix_gets_an_error_and_the_preset_is_shown(app, name, text, sentence):
    widget(app, "preset").set_value("notes")
    widget(app, name).set_value(text)
    settle(app)
    assert [each.value for each in app.error] == [plain(sentence)]
    assert widget(app, name).value == text
    assert panels(app)["raw"][2].tolist() == [43, 94, 98]


def test_typed_mask_may_forbid_all_keys_to_a_query(app, stem):
    widget(app, "preset").set_value("notes")
    widget(app, "mask").set_value("100\n000\n111")
    settle(app)
    check_page(app, stem)
    assert len(app.error) == 0
    assert app.info[1].value.startswith("The mask forbids every key to query 2:")


def test_preset_can_be_written_into_the_fields_and_removed():
    app = press(open_page("attention_steps", preset="notes"), "Write the preset into the fields")
    written = {name: widget(app, name).value for name in ("Q", "K", "V", "mask")}
    assert (written["Q"], written["K"]) == ("1, 2\n1, 4\n8, 9", "2, 3\n5, 6\n10, 2")
    assert (written["V"], written["mask"]) == ("1, 0, 0\n0, 1, 0\n0, 0, 1", "111\n111\n111")
    check_page(app, "attention_steps")
    assert {name: app.query_params[name] for name in written} == written
    press(app, "Back to the preset")
    assert {widget(app, name).value for name in written} == {""}
    assert not set(written) & set(app.query_params)


def test_matrices_too_large_for_a_link_are_kept_and_noted():
    app = open_page("attention_steps", d_k="2")
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


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"seed": "7", "d_k": "3", "preset": "causal", "step": "mask", "query": "3", "scaling": "off"}
ADVERSE |= {"Q": "1, 2", "K": "9, 9", "V": "5"}


def shades(shown):
    """Return the mean shade of raw and of scaled scores, as shares of the darkest shade."""
    result = shown.measure_attention_steps
    traces = plotted(figures.main(result, "scale", (0, 0, 0), LIGHT, scaled=True)).data
    assert [trace.name for trace in traces] == ["raw", "scaled"]
    return [np.minimum(np.abs(np.array(trace.z)) / trace.zmax, 1).mean() for trace in traces]


def test_try_small_dimension(tried):
    app, shown = tried("attention_steps", "small_dimension", **ADVERSE)
    assert (app.session_state["step"], app.session_state["scaling"]) == ("scale", "on")
    assert shown.measure_attention_steps.d_k == 2
    raw, scaled = shades(shown)
    assert max(raw, scaled) < 0.1
    assert raw == pytest.approx(np.sqrt(2) * scaled, rel=1e-12)


def test_try_large_dimension(tried):
    _, before = tried("attention_steps", "small_dimension", **ADVERSE)
    before = shades(before)
    app, shown = tried("attention_steps", "large_dimension", **ADVERSE)
    assert (app.session_state["step"], shown.measure_attention_steps.d_k) == ("scale", 256)
    raw, scaled = shades(shown)
    assert raw > 5 * before[0]
    assert scaled < 0.1
    assert abs(scaled - before[1]) < 0.03  # 3 % of the darkest shade: invisible


def test_try_softmax_without_scale(tried):
    app, shown = tried("attention_steps", "softmax_without_scale", **ADVERSE | {"scaling": "on"})
    assert (app.session_state["step"], app.session_state["scaling"]) == ("softmax", "off")
    assert app.session_state["query"] == 1
    assert shown.measure_attention_steps.d_k == 64
    assert shown.measure_attention_steps.unscaled_rows.max_weight[0] > 0.99
    assert shown.measure_attention_steps.scaled_rows.max_weight[0] < 0.6


def test_try_first_query_sees_nothing(tried):
    app, shown = tried("attention_steps", "first_query_sees_nothing", **ADVERSE)
    assert (app.session_state["step"], app.session_state["query"]) == ("output", 1)
    assert shown.measure_attention_steps.fully_masked_rows == (0,)
    assert not shown.measure_attention_steps.scaled.attention_weights[0].any()
    assert not shown.measure_attention_steps.scaled.output[0].any()
