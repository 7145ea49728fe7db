"""The training race in a browser: links, presets, a live race that is stopped, and stored steps."""

import re

import numpy as np
import pytest
from dashboard import open_list, open_own, press, wait_until_idle
from harness import open_page, query_parameters

from sattn_core.lessons.training_race import TrainingRaceParams, measure_race_start

pytestmark = [pytest.mark.e2e, pytest.mark.walk]


def main(page):
    return page.get_by_test_id("stMainBlockContainer")


def bar(page):
    return page.get_by_test_id("stProgress").first.inner_text().strip()


SENTENCE = ".st-key-picture [data-sentence]"
DATA = ".st-key-race_attention_data"

# Return the training step in the live sentence; 0 before the first.
DRAWN_STEP = f"""() => {{
  const said = document.querySelector('{SENTENCE}')?.innerText.match(/Step ([0-9,]+) of/);
  return said ? Number(said[1].replace(',', '')) : 0;
}}"""

# Return all matrices of the picture as Plotly has drawn them.
MATRIX = """() => {
  const plot = document.querySelector('.st-key-picture .js-plotly-plot');
  return plot?._fullData.filter(trace => trace.z).map(trace => Array.from(trace.z, row => Array.from(row))) ?? null;
}"""


def sentence(page):
    return page.locator(SENTENCE).inner_text().strip()


def test_a_link_opens_a_finished_race_and_a_preset_sets_the_address(server, new_page):
    page = new_page(1440, 900)
    open_page(page, server, "training_race", d_k="32", seed="3")
    assert sentence(page).startswith("After 300 steps at dₖ = 32, ")
    open_own(page)
    open_list(page.locator(".st-key-race_preset input"))
    page.get_by_role("option", name="Fresh data every step").click()
    wait_until_idle(page)
    wanted = {"d_k": "32", "seed": "3", "data": "fresh", "n_pairs": "16", "n_steps": "400", "learning_rate": "0.3"}
    found = query_parameters(page)
    assert {name: found.get(name) for name in wanted} == wanted
    assert sentence(page).startswith("After 400 steps at dₖ = 32, ")


def test_slider_shows_untrained_starts_except_at_the_d_k_of_the_race(server, new_page):
    page = new_page(1440, 900)
    open_page(page, server, "training_race", d_k="32", n_seeds="1")
    finished, learnt = page.evaluate(MATRIX), sentence(page)
    slider = page.locator(".st-key-dimension input")
    press(slider, "ArrowRight")
    assert sentence(page).startswith("Untrained at dₖ = 36, ")
    assert bar(page).startswith("The last race was at dₖ = 32.")
    start = measure_race_start(TrainingRaceParams(36))
    assert np.allclose(page.evaluate(MATRIX), start.attention_weights, rtol=1e-9, atol=1e-12)
    press(slider, "ArrowLeft")
    assert (page.evaluate(MATRIX), sentence(page)) == (finished, learnt)
    assert "dₖ = 32" in learnt


def test_a_race_is_drawn_live_until_stop_and_keeps_its_steps(server, new_page):
    page = new_page(1440, 900)
    long = {
        "n_steps": "3000",
        "n_pairs": "64",
        "n_seeds": "8",
        "exponent": "0.25",
    }  # takes minutes unless stopped
    open_page(page, server, "training_race", d_k="256", **long)
    assert bar(page).startswith("Train takes about ")
    page.get_by_role("button", name="Train", exact=True).click()
    drawn = 0
    for _ in range(2):  # the picture goes on without input
        page.wait_for_function(f"before => ({DRAWN_STEP})() > before", arg=drawn)
        drawn = page.evaluate(DRAWN_STEP)
    page.locator(DATA).wait_for(state="detached")  # downloads are hidden during a race
    page.locator(".st-key-dimension input").press("ArrowRight")  # must not stop the race
    page.locator(SENTENCE, has_text=" The slider stands elsewhere.").wait_for()
    drawn = page.evaluate(DRAWN_STEP)
    page.wait_for_function(f"before => ({DRAWN_STEP})() > before", arg=drawn)
    assert page.get_by_role("button", name="Skip to the end").count() == 1
    assert re.match("Training: step [0-9,]+ of 3,000, dₖ = 256", bar(page))
    page.locator(".st-key-dimension input").press("ArrowLeft")
    stop = page.get_by_role("button", name="Stop")
    for _ in range(2):  # only our Stop: Streamlit's own would interrupt a picture
        assert main(page).get_by_role("button", name="Stop").count() == stop.count() == 1
        drawn = page.evaluate(DRAWN_STEP)
        page.wait_for_function(f"before => ({DRAWN_STEP})() > before", arg=drawn)
    stop.click()
    wait_until_idle(page)
    assert stop.count() == 0
    assert page.locator(DATA).count() == 1
    step = page.locator(".st-key-trained_steps_dial .value").inner_text().removeprefix("step ")
    assert sentence(page).startswith(f"Step {step} of 3,000 at dₖ = 256: ")
    assert int(step.replace(",", "")) > 0


def test_dial_shows_a_stored_step_and_a_reload_keeps_it(server, new_page):
    page = new_page(1440, 900)
    open_page(page, server, "training_race", d_k="32")
    dial, ended = page.locator(".st-key-trained_steps_dial input[type=range]"), page.evaluate(MATRIX)
    press(dial, "ArrowLeft")
    page.locator(SENTENCE, has_text="Step 295 of 300").wait_for()
    assert query_parameters(page)["trained_steps"] == "295"
    there = sentence(page), page.evaluate(MATRIX)
    assert there[1] != ended
    page.reload()
    page.locator(SENTENCE, has_text="Step 295 of 300").wait_for()
    wait_until_idle(page)
    assert (sentence(page), page.evaluate(MATRIX)) == there
