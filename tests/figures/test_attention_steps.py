"""Pictures of the attention_steps lesson: their data are the result's, their words are its numbers."""

import re

import numpy as np
import pytest

from pages._view.lessons.attention_steps import figures
from pages._view.lessons.attention_steps.declaration import LESSON
from pages._view.theme import LIGHT
from sattn_core.lessons.attention_steps import (
    PRESETS,
    STEP_NAMES,
    expand_cell,
    expand_output,
    measure_attention_steps,
    preset_params,
)
from tests.figures.drawing import PROFILES, check, run

FIRST = (0, 0, 0)


@pytest.fixture(scope="module")
def notes():
    return measure_attention_steps(preset_params("notes"))


@pytest.fixture(scope="module")
def masked():
    return measure_attention_steps(preset_params("fully_masked", d_k=4))


def picture(result, step, at=FIRST, d_k=64, profile=LIGHT, *, without_scale=False):
    return figures.panels(result, step, at, d_k, profile, without_scale=without_scale)


def panels(*args, **kwargs):
    """The matrices of a step by their names."""
    return picture(*args, **kwargs).figure


def said(*args, **kwargs):
    return picture(*args, **kwargs).sentence


def values(fig):
    return np.array(fig.data[0].z, dtype=float)


def test_the_steps_are_those_of_the_core():
    assert tuple(figures.STEPS) == STEP_NAMES


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("step", STEP_NAMES)
def test_the_diagram_lights_one_step(step, profile):
    drawn = figures.diagram(step, profile)
    assert drawn.count('aria-current="step"') == 1
    boxes = drawn.split("<li")[1:]
    assert ['aria-current="step"' in box for box in boxes] == [name == step for name in STEP_NAMES]
    assert [re.search("<b[^>]*>(.*?)</b>", box)[1] for box in boxes] == [
        "MatMul",
        "Scale",
        "Mask (optional)",
        "Softmax",
        "MatMul",
    ]
    assert f"background:{profile.text};color:{profile.ground}" in drawn


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("step", STEP_NAMES)
def test_every_panel_shows_the_result_s_matrix(notes, step, profile):
    whole = picture(notes, step, profile=profile, without_scale=True)
    check(whole)
    assert (whole.key,) == LESSON.pictures
    scaled, unscaled = notes.scaled, notes.unscaled
    wanted = {
        "matrix_Q": notes.params.Q,
        "matrix_K": notes.params.K,
        "matrix_V": notes.params.V,
        "matrix_raw": scaled.raw_scores,
        "matrix_scaled": scaled.scaled_scores,
        "matrix_masked": scaled.masked_scores,
        "matrix_masked_raw": unscaled.masked_scores,
        "matrix_weights": scaled.attention_weights,
        "matrix_weights_raw": unscaled.attention_weights,
        "matrix_output": scaled.output,
        "matrix_output_raw": unscaled.output,
    }
    for name, fig in whole.figure.items():
        np.testing.assert_array_equal(values(fig), np.array(wanted[name], dtype=float))
    beside = {"matrix_masked_raw", "matrix_weights_raw", "matrix_output_raw"}
    assert set(panels(notes, step, profile=profile)) == set(whole.figure) - beside


def test_raw_and_scaled_scores_stand_beside_each_other_row_by_row():
    large = measure_attention_steps(preset_params("random", n_queries=16, n_keys=16))
    raw, scaled = panels(large, "scale").values()
    assert raw.layout.height == scaled.layout.height


def test_raw_and_scaled_scores_share_one_colour_domain(notes):
    raw, scaled = (fig.data[0] for fig in panels(notes, "scale").values())
    assert (raw.zmin, raw.zmax) == (scaled.zmin, scaled.zmax) == (-98, 98)
    assert raw.colorscale == scaled.colorscale


@pytest.mark.parametrize("preset", ["random", "causal", "padding", "fully_masked"])
def test_drawn_scores_have_the_same_colours_at_every_dimension(preset):
    domains, shades = set(), {"matrix_raw": [], "matrix_scaled": []}
    for d_k in (1, 2, 8, 64):
        drawn = measure_attention_steps(preset_params(preset, d_k=d_k, n_queries=16, n_keys=16))
        shown = picture(drawn, "scale", d_k=d_k)
        for name, fig in shown.figure.items():
            domains.add((fig.data[0].zmin, fig.data[0].zmax))
            shades[name].append(np.nanmean(np.abs(values(fig))) / fig.data[0].zmax)
        assert ("darkest from ±16 on, at every dₖ" in shown.sentence) == (d_k > 1)
    assert domains == {(-16, 16)}
    assert (np.diff(shades["matrix_raw"]) > 0).all()
    assert shades["matrix_raw"][-1] > 5 * shades["matrix_raw"][0]  # √64 = 8 but for the luck of 256 scores
    assert max(shades["matrix_scaled"]) < 1.5 * min(shades["matrix_scaled"])
    assert shades["matrix_scaled"][-1] == pytest.approx(shades["matrix_raw"][-1] / 8, rel=1e-12)


def test_other_matrices_say_that_their_colours_are_their_own(notes):
    wanted = "Both have the same colours, darkest at ±98, the largest raw score here."
    assert wanted in said(notes, "scale", d_k=2)


def test_the_division_is_written_at_every_cell(notes):
    texts = panels(notes, "scale")["matrix_scaled"].data[0].text
    assert texts[0][0] == "8 ÷ √2<br>≈ 5.66"
    assert texts[2][2] == "98 ÷ √2<br>≈ 69.3"
    wide = measure_attention_steps(preset_params("random", n_keys=8, d_k=16))
    texts = panels(wide, "scale")["matrix_scaled"].data[0].text
    assert {text.split("<br>")[0] for row in texts for text in row} == {"÷ √16"}


def test_weights_are_blue_with_the_scale_and_orange_without_on_one_domain(notes):
    shown = panels(notes, "softmax", without_scale=True)
    ours, theirs = shown["matrix_weights"].data[0], shown["matrix_weights_raw"].data[0]
    assert (ours.zmin, ours.zmax) == (theirs.zmin, theirs.zmax) == (0, 1)
    assert ours.colorscale[-1] != theirs.colorscale[-1]


def test_a_forbidden_cell_is_minus_infinity(masked):
    texts = panels(masked, "mask")["matrix_masked"].data[0].text
    assert [[text == "−∞" for text in row] for row in texts] == [[j >= i for j in range(4)] for i in range(4)]


@pytest.mark.parametrize(
    ("step", "wanted"),
    [
        ("matmul", "Query 3 with key 2 scores 94; the raw scores run from 8 to 98, with standard deviation 32.9."),
        ("scale", "√dₖ = √2. 94 becomes 66.5; the standard deviation falls from 32.9 to 23.2. Both "),
        ("mask", "no mask here"),
        ("softmax", "Query 3 gives key 2 5.6 % and its favourite 94.4 %"),
        ("output", "Query 3 gets 0.944 in column 3"),
    ],
)
def test_the_sentence_has_the_numbers_of_the_moment(notes, step, wanted):
    # 1 / (1 + exp(4 / √2)) = 0.0558
    sentence = said(notes, step, (2, 1, 2))
    assert wanted in sentence
    assert sentence.startswith(f"Step {STEP_NAMES.index(step) + 1} of 5, ")
    assert "These matrices have dₖ = 2 of their own; the slider's dₖ = 64 counts for the random presets." in sentence
    assert "Without" not in sentence
    assert "Without the scale" in said(notes, step, (2, 1, 2), without_scale=True)
    assert "Here dₖ = 2." in said(notes, step, (2, 1, 2), 2, without_scale=True)


@pytest.mark.parametrize("step", STEP_NAMES)
@pytest.mark.parametrize("d_k", [65, 512, 1024])
def test_a_dimension_beyond_the_matrices_is_said_beside_them(step, d_k):
    result = measure_attention_steps(preset_params("random", d_k=64))
    beyond = f"The slider says dₖ = {d_k:,}, but matrices stop at 64 columns here: these have dₖ = 64."
    assert said(result, step, d_k=d_k).endswith(beyond)
    assert said(result, step, d_k=64).endswith("Here dₖ = 64.")


@pytest.mark.parametrize(
    ("chart", "at", "wanted"),
    [
        *(("Q", (2, place), {"query": 3}) for place in (0, 1)),
        ("K", (1, 0), {"key": 2}),
        ("V", (0, 2), {"key": 1, "column": 3}),
        *(
            (name, (1, 2), {"query": 2, "key": 3})
            for name in ("raw", "scaled", "masked", "masked_raw", "weights", "weights_raw")
        ),
        *((name, (2, 0), {"query": 3, "column": 1}) for name in ("output", "output_raw")),
        ("raw", (-1, 3), {"query": 1, "key": 3}),  # on the edge of the drawing
        ("raw", (3, -1), {"query": 3, "key": 1}),
    ],
)
def test_a_click_on_a_matrix_chooses_its_cell(notes, chart, at, wanted):
    line, place = at
    assert figures.clicked(notes.params, {"chart": f"matrix_{chart}", "line": line, "place": place}) == wanted


def test_a_click_between_two_blocks_chooses_nothing():
    wide = preset_params("random", d_k=12)
    click = {"chart": "matrix_Q", "line": 5, "place": 0}
    assert figures.clicked(wide, click) == {}
    assert figures.clicked(wide, click | {"line": 7}) == {"query": 2}


def test_the_sentence_without_the_scale_has_its_own_numbers(notes):
    # 1 / (1 + exp(-4)) = 0.982; the two rows differ by (0.9441 - 0.9820) * √2
    for step, wanted in (
        ("softmax", "its favourite gets 98.2 %"),
        ("output", "it gets 0.982; the two output rows are 0.0535 apart"),
    ):
        assert wanted in said(notes, step, (2, 1, 2), 2, without_scale=True)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("step", STEP_NAMES)
def test_no_sentence_has_an_undefined_number_or_a_hyphen_for_a_minus(preset, step):
    result = measure_attention_steps(preset_params(preset, d_k=4))
    for query in range(len(result.params.Q)):
        sentence = said(result, step, (query, 0, 0), 4, without_scale=True)
        assert "undefined" not in sentence
        assert not re.search(r"-\d", sentence)


def test_the_remarks_name_the_masked_row_and_the_trap(notes, masked):
    assert figures.remarks(notes, (1, 1, 1), FIRST) == []
    assert figures.remarks(masked, (1, 1, 1), FIRST)[0].startswith("The mask forbids every key to query 1:")
    (trap,) = figures.remarks(measure_attention_steps(preset_params("same_input", d_k=64)), (1, 1, 1), FIRST)
    assert "here 8, 8, 8, 8;" in trap
    assert "√dₖ = 8)" in trap


def test_one_cell_is_written_out_to_its_weight(notes):
    lines = dict(figures.calculation(expand_cell(notes.params, 2, 1), without_scale=True))
    assert list(lines.values()) == [
        "8 × 5 + 9 × 6 = 40 + 54 = 94",
        "94 ÷ 1.414213562 ≈ 66.4680",
        "score − largest of the row: 66.4680 − 69.2965 ≈ −2.82843, and e to that power ≈ 0.0591057",
        "(1.28798 × 10⁻¹⁷) + 0.0591057 + 1 ≈ 1.05911",
        "0.0591057 ÷ 1.05911 ≈ 0.0558072",
        "score − largest of the row: 94 − 98 = −4, and e to that power ≈ 0.0183156",
        "(1.29958 × 10⁻²⁴) + 0.0183156 + 1 ≈ 1.01832",
        "0.0183156 ÷ 1.01832 ≈ 0.0179862",
    ]


def test_forbidden_cells_and_rows_are_written_out_too(masked):
    row = figures.calculation(expand_cell(masked.params, 0, 0), without_scale=False)
    assert row[-1][1] == "every key is forbidden, so the row sum is 0 and the weight is 0"
    one = figures.calculation(expand_cell(masked.params, 1, 3), without_scale=False)
    assert one[-1][1] == "the mask makes the score −∞ and e to that power is 0: weight 0 ÷ 1 = 0"


def test_the_output_is_written_out_with_and_without_the_scale(notes):
    lines = figures.output_calculation(expand_output(notes.params, 2, 2), without_scale=True)
    assert [text for _, text in lines] == [
        "(1.21610 × 10⁻¹⁷) × 0 + 0.0558072 × 0 + 0.944193 × 1 ≈ 0.944193",
        "(1.27621 × 10⁻²⁴) × 0 + 0.0179862 × 0 + 0.982014 × 1 ≈ 0.982014",
    ]


_AS_PYTHON = str.maketrans("−×÷", "-*/") | str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def _calculated(text):
    """What a calculator finds for an expression as it is printed."""
    powers = re.sub(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda found: f"1e{found[1].translate(_AS_PYTHON)}", text)
    return eval(powers.translate(_AS_PYTHON).replace(" %", "/100").replace(",", ""), {})


@pytest.mark.parametrize("preset", ["notes", "random", "causal"])
@pytest.mark.parametrize("d_k", [1, 3, 16])
def test_a_calculator_finds_what_is_printed(preset, d_k):
    params = preset_params(preset, d_k=d_k, seed=1)
    for query, key in np.ndindex(2, 2):
        lines = figures.calculation(expand_cell(params, query, key), without_scale=True)
        lines += figures.output_calculation(expand_output(params, query, key), without_scale=True)
        texts = [re.sub(r"^score − largest of the row: |, and e .*", "", text) for _, text in lines]
        for text in [text for text in texts if "−∞" not in text and "weight" not in text]:
            left, *rights = re.split(" [=≈] ", text)
            for right in rights:
                # Operands and results have six digits, each at most half of 1 in 100,000 off; a sum of such
                # operands may be off by as many units of 1e-6 as it has terms where they nearly cancel.
                assert _calculated(right) == pytest.approx(_calculated(left), rel=1.6e-5, abs=5e-5), text


def test_a_place_outside_the_matrices_is_said(notes):
    assert figures.remarks(notes, (16, 3, 64), (2, 2, 2)) == [
        "There is no query 16: these matrices have 3 queries, and query 3 is shown.",
        "There is no column 64: these matrices have 3 columns, and column 3 is shown.",
    ]


def test_one_column_has_nothing_to_divide_by_or_to_add_up():
    one = measure_attention_steps(preset_params("random", d_k=1))
    sentence = said(one, "scale", d_k=1)
    assert "√1 = 1, so" in sentence
    assert "falls" not in sentence
    product = figures.calculation(expand_cell(one.params, 0, 0), without_scale=False)[0][1]
    assert len(re.findall("[=≈]", product)) == 1


def test_the_table_has_every_entry(notes):
    table = picture(notes, "matmul").table
    assert len(table["value"]) == 2 * 6 + 9 + 7 * 9
    at = table["matrix"].index("raw scores")
    assert table["value"][at : at + 9] == notes.scaled.raw_scores.ravel().tolist()
    assert (table["row"][at + 5], table["column"][at + 5]) == (2, 3)


@pytest.mark.parametrize("preset", ["notes", "causal"])
def test_the_code_gives_the_numbers_that_are_shown(preset):
    result = measure_attention_steps(preset_params(preset))
    names, printed = run(picture(result, "matmul").code)
    np.testing.assert_array_equal(names["steps"].output, result.unscaled.output)
    assert str(result.scaled.output) in printed
