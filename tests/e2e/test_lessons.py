"""Lessons in a browser: typed input, sliders, downloaded data, code that runs, and the keyboard."""

import csv
import io
import os
import subprocess
import sys

import numpy as np
import pytest
from dashboard import (
    ALERTS,
    CHARTS,
    LESSONS,
    SETTINGS,
    chart_data,
    field,
    how_sure,
    open_list,
    open_own,
    press,
    sentences,
    slider,
    turn_to,
    type_into,
    typed_dimension,
)
from harness import ROOT, open_page, query_parameters, wait_until_idle, wait_until_still

from sattn_core import effective_keys, entropy_nats, softmax, softmax_jacobian_norm

pytestmark = [pytest.mark.e2e, pytest.mark.walk]


def alerts(page):
    return [text.split("\n")[-1] for text in page.locator(ALERTS).all_inner_texts()]


# --- typed lists and vectors ---------------------------------------------------------------------------

UNREADABLE = {
    "4, five": 'First list: "five" (item 2) is not a number.',
    "": "First list: The list is empty: write at least 2 numbers, for example 4, 5.",
    "4, 1e400": 'First list: "1e400" (item 2) is not a finite number.',
    "4, 2000000": "is too large: numbers must lie between −1,000,000 and 1,000,000.",
    "7": "First list: The list has 1 number, but 2 to 64 are needed.",
    " ".join(["1"] * 1000): "First list: The list has 1000 numbers, but 2 to 64 are needed.",
    "4, <b>5</b>": "is not a number.",
}


@pytest.mark.parametrize(
    ("path", "name", "text", "allowed"),
    [("score_variance", "seed", "99999", "0 and 9999"), ("attention_steps", "query", "17", "1 and 16")],
)
def test_number_outside_its_range_stays_with_a_visible_message(new_page, server, path, name, text, allowed):
    page = new_page(1440, 844)
    open_page(page, server, path)
    box = page.locator(f".st-key-{name} input")
    if path == "attention_steps":
        open_own(page)
    if not box.is_visible():
        page.locator(SETTINGS).click()
    box.fill(text)
    press(box, "Enter")
    said = page.locator(f".st-key-{name}").get_by_role("alert")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        wait_until_still(page)
        assert said.inner_text().endswith(f"Please enter a value between {allowed}.")
        place = said.bounding_box()
        assert min(place["width"], 5 * place["height"]) > 200  # large enough to see
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= width
    assert box.input_value() == text
    assert query_parameters(page) == {}


def test_unreadable_list_gets_one_message_and_a_third_list_is_drawn(page, server):
    open_page(page, server, "softmax_saturation", step="lists")
    charts = page.locator(CHARTS).count()
    for text, sentence in UNREADABLE.items():
        type_into(page, "list_1", text)
        assert len(alerts(page)) == 1, text[:20]
        assert sentence in alerts(page)[0], (text[:20], alerts(page))
        assert field(page, "list_1").input_value() == text
        assert page.locator(CHARTS).count() == charts == 1
        assert (chart_data(page), sentences(page)) == ([], ["One of the lists cannot be read."])
    type_into(page, "list_1", "4, 5, 6")
    assert alerts(page) == []
    assert page.locator(CHARTS).count() == charts
    assert weights(page)[0] == pytest.approx(softmax([4, 5, 6]), abs=1e-12)
    page.locator(SETTINGS).click()
    type_into(page, "list_3", "0, 0, 0")
    assert weights(page)[2] == pytest.approx([1 / 3] * 3)
    assert query_parameters(page) == {"list_1": "4, 5, 6", "list_3": "0, 0, 0"}


def test_typed_vectors_can_be_edited(page, server):
    open_page(page, server, "score_variance", q_2d="1, 2\n1, 4\n8, 10")  # a link from before the lesson had steps
    wait_until_idle(page)
    assert query_parameters(page) == {"q_2d": "1, 2;1, 4;8, 10"}
    assert field(page, "q_2d").input_value() == "1, 2;1, 4;8, 10"
    assert sentences(page)[0].startswith("Products picked by hand spread by 39.4 and 82.0.")
    type_into(page, "q_2d", "1 2; 1 4; 8 9")
    assert sentences(page)[0].startswith("Products picked by hand spread by 38.4 and 82.0.")
    type_into(page, "q_2d", "1 2; 1 x; 8 9")
    assert alerts(page) == ['The first example: q: "x" (vector 2, item 2) is not a number.']
    assert field(page, "q_2d").input_value() == "1 2; 1 x; 8 9"
    assert sentences(page)[0].startswith("Products picked by hand spread by 82.0. The first example gives none.")


# --- the divisor dial ---------------------------------------------------------------------------------


def test_only_an_exponent_near_one_half_is_called_found(page, server):
    open_page(page, server, "softmax_saturation", step="divisor")
    assert sentences(page)[0].startswith("Not divided: ")
    dial = slider(page, "exponent")
    for stop, said in ((26, "Found, close to √dₖ: "), (25, "Found: divided by √dₖ, ")):
        while steps := stop - int(dial.evaluate("dial => dial.valueAsNumber")):  # a late answer may undo a key press
            press(dial, *["ArrowRight" if steps > 0 else "ArrowLeft"] * abs(steps))
        assert query_parameters(page) == {"exponent": f"{stop / 50:g}"}
        assert sentences(page)[0].startswith(said)
    here = [each[0] for each in weights(page)]
    assert max(here) < 1.25 * min(here)
    press(dial, "End")
    wait_until_idle(page)
    assert sentences(page)[0].startswith("Divided by dₖ: ")
    here = [each[0] for each in weights(page)]
    assert max(here) > 1.5 * min(here)
    assert query_parameters(page) == {"exponent": "1"}
    assert [each["name"] for each in chart_data(page)[:3]] == [f"÷ dₖ, dₖ = {d_k}" for d_k in ("4", "64", "1,024")]


def test_outputs_collapse_if_scores_are_divided_by_d_k(page, server):
    open_page(page, server, "softmax_saturation", step="too_flat", d_k=4)

    def reach():
        return [np.ptp([each["x"], each["y"]], axis=1).max() for each in chart_data(page)[2::3]]

    before = reach()
    press(slider(page, "d_k"), "End")
    wait_until_idle(page)
    raw, scaled, flat = reach()
    assert sentences(page)[0].startswith("At dₖ = 1,024, ÷ dₖ leaves 0.1 % ")
    assert flat < 0.1 * before[2] < 0.2 * scaled < 0.2 * raw
    press(slider(page, "middle_exponent"), "End")
    wait_until_idle(page)
    assert reach() == pytest.approx([raw, flat, flat])
    assert query_parameters(page) == {"d_k": "1024", "middle_exponent": "1"}


# --- sliders -------------------------------------------------------------------------------------------


def weights(page):
    """Return the bar heights of each list or row. Four points draw a bar; the second has its height."""
    named = ("difference", "outline: dₖ = 4")
    return [trace["y"][1::4] for trace in chart_data(page) if trace["name"] not in named]


def test_a_shift_keeps_the_weights_and_a_multiplier_changes_them(page, server):
    open_page(page, server, "softmax_saturation", step="lists")
    at_first = weights(page)
    assert at_first[0] == pytest.approx(softmax([4, 5]), abs=1e-12)
    assert at_first[1] == pytest.approx(softmax([1, 10]), abs=1e-12)
    press(slider(page, "shift"), *["ArrowRight"] * 3)
    assert query_parameters(page) == {"shift": "3"}
    page.get_by_text("How sure?").first.click()
    page.get_by_text("Softmax turns [7, 8] into [26.89 %, 73.11 %]; the gap is 1.").wait_for()
    assert weights(page) == [pytest.approx(row, abs=1e-12) for row in at_first]
    press(slider(page, "shift"), "Home")
    assert weights(page) == [pytest.approx(row, abs=1e-12) for row in at_first]
    press(slider(page, "shift"), *["ArrowRight"] * 4)
    press(slider(page, "multiplier"), "ArrowRight")
    assert query_parameters(page) == {"multiplier": "1/2"}
    assert weights(page)[0] == pytest.approx(softmax([2, 2.5]), abs=1e-12)
    press(slider(page, "multiplier"), "End")
    assert weights(page)[1] == pytest.approx(softmax([0.1, 1]), abs=1e-12)


def test_table_of_the_lists_has_the_numbers_of_the_core(page, server):
    open_page(page, server, "softmax_saturation", step="lists", list_1="1, 2, 4", list_2="0, 0.5")
    cells = how_sure(page, "list_weights").locator("tbody tr").all()
    for row, scores in zip(cells, ([1, 2, 4], [0, 0.5]), strict=True):
        texts = row.locator("td, th").all_inner_texts()
        wanted = [entropy_nats(scores), effective_keys(scores), softmax_jacobian_norm(scores)]
        assert [float(text) for text in texts[-3:]] == pytest.approx([float(w) for w in wanted], rel=1e-5)


def test_axes_stay_when_d_k_changes(page, server):
    open_page(page, server, "score_variance", d_k=4, n_samples=1000)
    ranges = """chart => ['xaxis', 'yaxis', 'xaxis2', 'yaxis2', 'xaxis3', 'yaxis3'].map(
                  name => chart.querySelector('.js-plotly-plot')._fullLayout[name].range)"""
    before, bars = page.locator(CHARTS).first.evaluate(ranges), chart_data(page)[0]
    press(slider(page, "d_k"), "ArrowRight")
    assert page.locator(CHARTS).first.evaluate(ranges) == before
    assert chart_data(page)[0] != bars
    assert sentences(page)[0].startswith("At dₖ = 5, raw scores spread by about 2.")


# --- data, picture, code -------------------------------------------------------------------------------


BRACKETS = str.maketrans("[]", "  ")


def columns_of(csv_text):
    head, *rows = csv.reader(io.StringIO(csv_text))
    return {name: list(values) for name, values in zip(head, zip(*rows, strict=True), strict=True)}


def floats(values):
    return np.array([float(value) for value in values])


def open_data(page, folder):
    """Open the fold with the picture's data; return its columns and code. Save its plots in `folder`."""
    page.locator("[class*='_data'] summary").click()
    wait_until_idle(page)
    box = page.locator("[data-testid=stExpander]", has=page.get_by_text("Data, picture and code"))
    assert box.get_by_role("table").count() == 1
    with page.expect_download() as started:
        box.get_by_role("button", name="Download this table (CSV)").click()
    text = started.value.path().read_text(encoding="utf-8")
    assert started.value.suggested_filename.endswith(".csv")
    for figure in box.get_by_role("button", name="Download this figure").all():
        with page.expect_download() as started:
            figure.click()
        started.value.save_as(folder / started.value.suggested_filename)
    return columns_of(text), box.locator("code").inner_text()


# The code calls `Figure.show`, which must not open a window.
UNSEEN = "import plotly.graph_objects\nplotly.graph_objects.Figure.show = lambda figure: None\n"


def run_code(codes, folder):
    """Run code blocks in order in a new Python, with `folder` as the working directory; return the output of each."""
    program = UNSEEN + "\nprint('-' * 9)\n".join(codes)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    options = {"cwd": folder, "env": environment, "capture_output": True, "text": True, "timeout": 120}
    done = subprocess.run([sys.executable, "-c", program], **options)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("---------\n")


def test_code_of_the_start_page_prints_the_numbers_of_its_table(page, server, tmp_path):
    open_page(page, server, d_k=100, n_keys=32)
    columns, code = open_data(page, tmp_path)
    (printed,) = run_code([code], tmp_path)
    variances, raw, scaled = (floats(line.translate(BRACKETS).split()) for line in printed.splitlines())
    weight, keys = floats(columns["largest weight, this query"]), floats(columns["effective keys, this query"])
    assert raw == pytest.approx([weight[0], keys[0]])
    assert scaled == pytest.approx([weight[1], keys[1]])
    assert np.sqrt(variances) == pytest.approx(floats(columns["standard deviation, measured"]))


def test_code_of_score_variance_prints_the_numbers_of_its_pictures(page, server, tmp_path):
    open_page(page, server, "score_variance", n_samples=2000, d_k=16)
    histogram = open_data(page, tmp_path)
    drawn, said = {trace["name"]: trace for trace in chart_data(page)}, sentences(page)[0]
    raw_bars = drawn["raw, 2,000 scores"]
    counts = floats(histogram[0]["count"])
    assert counts.sum() == 2000
    assert raw_bars["x"][: len(counts)] == pytest.approx(counts / counts.max())
    assert raw_bars["y"][0] == pytest.approx(float(histogram[0]["raw from"][0]))
    turn_to(page, "divide")
    curve = open_data(page, tmp_path)
    dims = floats(curve[0]["d_k"])
    for name, column in (("raw", "raw"), ("÷ dₖ", "divided by d_k")):
        small, large = (trace for trace in chart_data(page) if trace["name"] == name)
        measured = floats(curve[0][f"{column}: measured"])
        assert small["y"] == pytest.approx(measured[np.isin(dims, small["x"])])
        assert large["y"] == pytest.approx(measured[dims == 16])
    printed = run_code([each[1] for each in (histogram, curve)], tmp_path)
    variance = next(line for line in printed[0].splitlines() if line.startswith("raw variance"))
    assert f"raw scores spread by about {float(variance.split()[2]) ** 0.5:.1f}" in said
    ends = floats(printed[0][printed[0].rindex("\n[") :].translate(BRACKETS).split())
    assert drawn["walks at 16"]["y"] == pytest.approx(ends)
    assert all(text.strip() for text in printed)


def test_code_of_softmax_saturation_prints_the_shown_limits(page, server, tmp_path):
    open_page(page, server, "softmax_saturation", step="lists", list_1="1, 2, 3", d_k=32)
    lists = open_data(page, tmp_path)
    assert np.concatenate(weights(page)) == pytest.approx(floats(lists[0]["weight"]), abs=1e-15)
    careful = how_sure(page, "list_weights").inner_text()
    turn_to(page, "divisor")
    rows = open_data(page, tmp_path)
    assert np.concatenate(weights(page)) == pytest.approx(floats(rows[0]["weight"]), abs=1e-15)
    assert rows[0]["row"][::16] == ["raw, dₖ = 4", "raw, dₖ = 64", "raw, dₖ = 1,024"]
    turn_to(page, "too_flat")
    outputs = open_data(page, tmp_path)
    dots = [each["x"] for each in chart_data(page)[2::3]]
    assert np.concatenate(dots) == pytest.approx(floats(outputs[0]["first number"])[16:], abs=1e-15)
    printed = run_code([each[1] for each in (lists, rows, outputs)], tmp_path)
    assert "0.09003057" in printed[0]
    breaks = {words[0]: float(words[1]) for words in map(str.split, printed[0].splitlines()) if "float" in words[0]}
    assert breaks.keys() == {"float16", "float32", "float64"}
    assert f"{breaks['float16']:.2f}" == "11.09"
    for dtype, score in breaks.items():
        assert f"{dtype}: exp(s) ÷ (exp(0) + exp(s)) gives NaN from s = {score:.5g}." in careful


# --- keyboard ------------------------------------------------------------------------------------------


def test_all_kinds_of_controls_work_by_keyboard(page, server):
    open_page(page, server, "score_variance")
    press(page.locator(SETTINGS), "Enter")
    assert typed_dimension(page).is_visible()
    press(field(page, "seed"), "ArrowUp", "Enter")
    law = field(page, "law")
    open_list(law)
    page.get_by_role("option", name="uniform").wait_for()
    press(law, "Enter")
    pairs = page.locator(".st-key-sampling [role=radio]").first
    pairs.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    wait_until_idle(page)
    press(typed_dimension(page), "Control+a", "8", "Enter")
    assert query_parameters(page) == {"seed": "1", "law": "uniform", "sampling": "matrix", "d_k": "8"}
    press(slider(page, "mean_q"), "ArrowRight")
    assert query_parameters(page)["mean_q"] == "0.25"
    expander = page.locator("[class*='_data'] summary").first
    press(expander, "Enter")
    assert page.get_by_role("button", name="Download this table (CSV)").count() == 1
    link = page.get_by_test_id("stSidebar").get_by_role("link", name=LESSONS["softmax_saturation"])
    link.press("Enter")
    page.get_by_role("heading", level=1, name=LESSONS["softmax_saturation"]).wait_for()
    wait_until_idle(page)
    assert query_parameters(page) == {"seed": "1", "law": "uniform", "d_k": "8"}
