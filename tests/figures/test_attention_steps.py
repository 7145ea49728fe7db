"""Pictures of the attention_steps lesson: plotted data and stated numbers equal those of the result."""

import re

import numpy as np
import pytest

from pages._view.lessons.attention_steps import figures
from pages._view.theme import LIGHT
from sattn_core.lessons import attention_steps as core
from tests.figures.drawing import plotted, run

FIRST = (0, 0, 0)


@pytest.fixture(scope="module")
def notes():
    return core.measure_attention_steps(core.preset_params("notes"))


@pytest.fixture(scope="module")
def masked():
    return core.measure_attention_steps(core.preset_params("fully_masked", d_k=4))


def picture(result, step, at=FIRST, profile=LIGHT, *, scaled=True):
    return figures.main(result, step, at, profile, scaled=scaled, code="print(1)")


def panels(*args, **kwargs):
    """Return the traces of a step's matrices by name."""
    return {trace.name: trace for trace in plotted(picture(*args, **kwargs)).data}


def said(*args, **kwargs):
    return picture(*args, **kwargs).sentence


def sure(*args, **kwargs):
    return " ".join(picture(*args, **kwargs).sure)


def values(trace):
    return np.array(trace.z, dtype=float)


def test_steps_are_those_of_the_core():
    assert tuple(figures.STEPS) == core.STEP_NAMES


@pytest.mark.parametrize("step", core.STEP_NAMES)
def test_diagram_marks_one_step_as_current(step):
    boxes = figures.diagram(step, LIGHT).split("<li")[1:]
    assert ['aria-current="step"' in box for box in boxes] == [name == step for name in core.STEP_NAMES]


STEP_PANELS = {
    "scores": ["Q", "K", "raw"],
    "scale": ["raw", "scaled"],
    "mask": ["scaled", "masked"],
    "softmax": ["masked", "weights"],
    "output": ["weights", "V", "output"],
}


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("step", core.STEP_NAMES)
@pytest.mark.parametrize("preset", ["notes", "masked"])
def test_every_panel_shows_a_matrix_of_the_result(request, preset, step, scaled):
    result = request.getfixturevalue(preset)
    steps = result.scaled if scaled else result.unscaled
    wanted = {
        "Q": result.params.Q,
        "K": result.params.K,
        "V": result.params.V,
        "raw": result.scaled.raw_scores,
        "scaled": steps.scaled_scores,
        "masked": steps.masked_scores,
        "weights": steps.attention_weights,
        "output": steps.output,
    }
    shown = panels(result, step, profile=LIGHT, scaled=scaled)
    assert list(shown) == STEP_PANELS[step]
    for name, trace in shown.items():
        np.testing.assert_array_equal(values(trace), np.array(wanted[name], dtype=float))


@pytest.mark.parametrize("step", core.STEP_NAMES)
@pytest.mark.parametrize("preset", ["random", "causal", "padding", "fully_masked"])
def test_axes_and_colour_ranges_are_the_same_at_every_d_k(step, preset):
    seen = set()
    for d_k in (1, 2, 8, 64, 65, 1024):
        fig = plotted(picture(core.measure_attention_steps(core.preset_params(preset, d_k=d_k)), step))
        layout = fig.to_dict()["layout"]
        axes = [(name, str(layout[name]["range"]), str(layout[name]["domain"])) for name in layout if "axis" in name]
        colours = [(trace.name, float(trace.zmin), float(trace.zmax)) for trace in fig.data]
        seen.add((fig.layout.height, tuple(axes), tuple(colours)))
    assert len(seen) == 1


def test_only_the_first_64_components_of_vectors_are_drawn(notes):
    for d_k, columns in ((2, 2), (64, 64), (512, 64)):
        shown = picture(core.measure_attention_steps(core.preset_params("random", d_k=d_k)), "scores")
        assert values(plotted(shown).data[0]).shape == (4, columns)
        assert bool(shown.note) == ("of 512 components" in " ".join(shown.sure)) == (d_k > 64)
        assert (set(shown.table["matrix"]) & {"Q", "K", "V"} == {"V"}) == (d_k > 64)
    table = picture(notes, "scores").table
    at = table["matrix"].index("raw scores")
    assert table["value"][at : at + 9] == notes.scaled.raw_scores.ravel().tolist()
    assert (table["row"][at + 5], table["column"][at + 5]) == (2, 3)


def test_chosen_cell_and_its_row_and_column_are_framed_if_drawn(notes):
    for step, frames in (
        ("scores", [(0, 2, 2, 3), (0, 2, 1, 2), (1, 2, 2, 3)]),
        ("softmax", [(0, 3, 2, 3), (1, 2, 2, 3)]),
        ("output", [(0, 3, 2, 3), (2, 3, 0, 3), (2, 3, 2, 3)]),
    ):
        shapes = plotted(picture(notes, step, (2, 1, 2))).layout.shapes
        assert [(each.x0 + 0.5, each.x1 + 0.5, each.y0 + 0.5, each.y1 + 0.5) for each in shapes] == frames
    wide = core.measure_attention_steps(core.preset_params("same_input", d_k=128))
    shapes = plotted(picture(wide, "output", (0, 0, 63))).layout.shapes
    assert all(each.visible is not False for each in shapes)
    shapes = plotted(picture(wide, "output", (0, 0, 64))).layout.shapes
    assert [each.visible for each in shapes] == [None, False, False]


def test_colour_ranges_are_the_same_with_and_without_the_scale(notes, masked):
    raw, scaled = panels(notes, "scale").values()
    assert (raw.zmin, raw.zmax) == (scaled.zmin, scaled.zmax) == (-98, 98)
    assert raw.colorscale == scaled.colorscale
    ours, theirs = (panels(notes, "softmax", scaled=scaled)["weights"] for scaled in (True, False))
    assert (ours.zmin, ours.zmax) == (theirs.zmin, theirs.zmax) == (0, 1)
    assert ours.colorscale[-1] != theirs.colorscale[-1]
    assert theirs.text[2] == ["≈ 0", "0.02", "0.98"]
    texts = panels(masked, "mask")["masked"].text
    assert [[text == "−∞" for text in row] for row in texts] == [[j >= i for j in range(4)] for i in range(4)]


@pytest.mark.parametrize("preset", ["random", "causal", "padding", "fully_masked"])
def test_raw_scores_get_darker_as_d_k_grows_and_scaled_ones_do_not(preset):
    shades = {"raw": [], "scaled": []}
    for d_k in (1, 2, 8, 64):
        drawn = core.measure_attention_steps(core.preset_params(preset, d_k=d_k, n_queries=16, n_keys=16))
        for name, trace in panels(drawn, "scale").items():
            assert (trace.zmin, trace.zmax) == (-16, 16)
            shades[name].append(np.nanmean(np.abs(values(trace))) / trace.zmax)
        assert ("darkest from ±16 on, at every dₖ" in sure(drawn, "scale")) == (d_k > 1)
    assert (np.diff(shades["raw"]) > 0).all()
    assert shades["raw"][-1] > 5 * shades["raw"][0]  # expected ratio: √64 = 8
    assert max(shades["scaled"]) < 1.5 * min(shades["scaled"])
    assert shades["scaled"][-1] == pytest.approx(shades["raw"][-1] / 8, rel=1e-12)


@pytest.mark.parametrize("scaled", [True, False])
def test_sentences_compare_results_with_and_without_the_scale(notes, scaled):
    # weight with the scale: 1 / (1 + exp(-4 / √2)) = 0.944; without it: 1 / (1 + exp(-4)) = 0.982
    ours, theirs, scale = ("94", "98", "without") if scaled else ("98", "94", "with")
    assert said(notes, "softmax", (2, 1, 2), scaled=scaled).endswith(
        f" {ours} % of its weight; {scale} the scale, {theirs} %."
    )
    ours, theirs = ("0.944", "0.982") if scaled else ("0.982", "0.944")
    assert said(notes, "output", (2, 1, 2), scaled=scaled).endswith(f" {ours}; {scale} the scale, {theirs}.")
    assert ("left out" in said(notes, "scale", scaled=scaled)) != scaled


@pytest.mark.parametrize("preset", core.PRESETS)
@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_a_key_gets_all_of_the_weight_only_if_no_other_is_left(preset, d_k):
    """A weight that rounds to 1 beside smaller ones is called practically all."""
    result = core.measure_attention_steps(core.preset_params(preset, d_k=d_k))
    for query in range(len(result.params.Q)):
        scores = result.unscaled.masked_scores[query]
        left = scores[scores > -np.inf]
        if not left.size:
            continue
        others = np.delete(left, left.argmax())
        lead = left.max() - others.max(initial=-np.inf)
        ours = said(result, "softmax", (query, 0, 0), scaled=False)
        assert ("key all of its weight" in ours) == (left.size == 1)
        assert not re.search(r"scale, all\.", ours)
        assert ("key practically all" in ours) == (np.exp(others - left.max()).sum() < 0.0005 and left.size > 1), lead


@pytest.mark.parametrize("preset", core.PRESETS)
@pytest.mark.parametrize("step", core.STEP_NAMES)
def test_sentences_never_say_undefined(step, preset):
    for d_k in (1, 2, 3, 8, 64, 512, 1024):
        result = core.measure_attention_steps(core.preset_params(preset, d_k=d_k))
        for query, scaled in np.ndindex(len(result.params.Q), 2):
            sentence = said(result, step, (query, 0, 0), scaled=bool(scaled))
            for text in (sentence, sure(result, step, (query, 0, 0), scaled=bool(scaled))):
                assert "undefined" not in text


def test_sentences_explain_overflow_equal_scores_and_full_masks():
    params = core.AttentionStepsParams([[0.0, 1e6]], [[0.0, 1e6], [0.0, 1e6]], [[1e-6], [1e-6]], [[False, True]])
    result = core.measure_attention_steps(params)
    assert said(result, "scores") == "At dₖ = 2 each score is a sum of dₖ products; all of them are beyond ±10,000,000."
    assert said(result, "scale") == "At dₖ = 2 all scores are equal, with the scale as without it."
    assert said(result, "mask").startswith("The mask turns 1 of 2 scores into −∞")
    assert said(result, "softmax").endswith("key all of its weight, with the scale as without it.")
    assert said(result, "output").endswith("is practically zero, with the scale as without it.")
    far = core.measure_attention_steps(core.AttentionStepsParams([[30.0]], [[1.0], [0.0]], [[1.0], [2.0]]))
    assert "key practically all of its weight" in said(far, "softmax")
    shut = core.measure_attention_steps(core.AttentionStepsParams([[1.0]], [[1.0]], [[1.0]], [[False]]))
    assert said(shut, "mask") == "The mask forbids every key to every query, so no weight is left to share out."
    assert said(shut, "softmax").endswith("so all its weights are zero.")
    assert said(shut, "output").endswith("so its output is zero.")


@pytest.mark.parametrize(
    ("chart", "at", "wanted"),
    [
        *(("Q", (2, place), {"query": 3}) for place in (0, 1)),
        ("K", (1, 0), {"key": 2}),
        ("V", (0, 2), {"key": 1, "column": 3}),
        *((name, (1, 2), {"query": 2, "key": 3}) for name in ("raw", "scaled", "masked", "weights")),
        ("output", (2, 0), {"query": 3, "column": 1}),
        ("raw", (-1, 3), {"query": 1, "key": 3}),  # just outside the matrix
        ("raw", (3, -1), {"query": 3, "key": 1}),
    ],
)
def test_a_click_on_a_matrix_chooses_query_key_or_column(notes, chart, at, wanted):
    line, place = at
    assert figures.clicked(notes.params, {"chart": chart, "line": line, "place": place}) == wanted


def chosen(d_k, query=1, key=1, column=1):
    """Return the values of the controls that remarks depend on."""
    return {"d_k": d_k, "query": query, "key": key, "column": column}


def test_remarks_name_masked_rows_fixed_d_k_and_missing_cells(notes, masked):
    assert figures.remarks(notes, chosen(2), FIRST) == []
    assert figures.remarks(notes, chosen(64), FIRST) == [
        "These matrices have dₖ = 2 of their own; the slider moves the random ones."
    ]
    assert figures.remarks(masked, chosen(4), FIRST)[0].startswith("The mask forbids every key to query 1:")
    (trap,) = figures.remarks(core.measure_attention_steps(core.preset_params("same_input", d_k=64)), chosen(64), FIRST)
    assert "here 8, 8, 8, 8;" in trap
    assert "√dₖ = 8)" in trap
    assert figures.remarks(notes, chosen(2, 16, 3, 64), (2, 2, 2)) == [
        "There is no query 16: these matrices have 3 queries, and query 3 is shown.",
        "There is no column 64: these matrices have 3 columns, and column 3 is shown.",
    ]


def test_calculations_explain_masks_and_shorten_long_sums(masked):
    row = figures.calculation(core.expand_cell(masked.params, 0, 0), scaled=True)
    assert row[-1][1] == "every key is forbidden, so the row sum is 0 and the weight is 0"
    one = figures.calculation(core.expand_cell(masked.params, 1, 3), scaled=True)
    assert one[-1][1] == "the mask makes the score −∞ and e to that power is 0: weight 0 ÷ 1 = 0"
    params = core.preset_params("random", d_k=64)
    letters, factors, products = figures.calculation(core.expand_cell(params, 0, 0), scaled=True)[0][1].split(" = ")[:3]
    assert letters == "q₁k₁ + q₂k₂ + … + q₆₄k₆₄"
    assert factors.count(" × ") == 3
    assert f"{params.Q[0][63] * params.K[0][63]:.6g}".replace("-", "−") in products
    one = core.measure_attention_steps(core.preset_params("random", d_k=1))
    assert said(one, "scale") == "At dₖ = 1 the division changes nothing, for √1 is 1."


_AS_PYTHON = str.maketrans("−×÷", "-*/") | str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def _calculated(text):
    """Evaluate a printed expression."""
    powers = re.sub(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda found: f"1e{found[1].translate(_AS_PYTHON)}", text)
    return eval(powers.translate(_AS_PYTHON).replace(" %", "/100").replace(",", ""), {})


@pytest.mark.parametrize("preset", ["notes", "random", "causal"])
@pytest.mark.parametrize("d_k", [1, 3, 8])
def test_printed_calculations_evaluate_to_their_results(preset, d_k):
    params = core.preset_params(preset, d_k=d_k, seed=1)
    for query, key in np.ndindex(2, 2):
        cell, output = core.expand_cell(params, query, key), core.expand_output(params, query, key)
        lines = [line for scaled in (True, False) for line in figures.calculation(cell, scaled=scaled)]
        lines += [line for scaled in (True, False) for line in figures.output_calculation(output, scaled=scaled)]
        texts = [re.sub(r"^the score less the largest of its row is |, and e .*", "", text) for _, text in lines]
        for text in [text for text in texts if "−∞" not in text and "weight" not in text]:
            left, *rights = re.split(" [=≈] ", text)
            for right in rights:
                # Operands and results are rounded to six digits, a relative error of at most 5e-6. If the terms of
                # a sum nearly cancel, the absolute errors of all terms add up.
                assert _calculated(right) == pytest.approx(_calculated(left), rel=1.6e-5, abs=5e-5), text


@pytest.mark.parametrize(
    "values",
    [
        {"preset": "notes", "d_k": 64},
        {"preset": "causal", "d_k": 512},
        {"preset": "random", "d_k": 2, "Q": "1, 2\n3, 4", "mask": "1101"},
    ],
)
def test_code_gives_the_numbers_of_the_figure(values):
    values = {"seed": 3, **dict.fromkeys(("Q", "K", "V", "mask"), "")} | values
    result = core.measure_attention_steps(core.typed_params(**values))
    names, printed = run(figures.matrices_code(values))
    np.testing.assert_array_equal(names["result"].unscaled.output, result.unscaled.output)
    assert str(result.scaled.output) in printed
