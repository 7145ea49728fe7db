"""The training race in a browser: a link, a race run live and stopped, a preset."""

import pytest
from dashboard import wait_until_idle
from harness import open_page, query_parameters

pytestmark = pytest.mark.e2e


def main(page):
    return page.get_by_test_id("stMainBlockContainer")


def bar(page):
    return page.get_by_test_id("stProgress").first.inner_text().strip()


# Checkpoints of the live picture, as Plotly has drawn them.
DRAWN_STEPS = """() => {
  const plot = document.querySelector('.st-key-race_learning .js-plotly-plot');
  return Math.max(...(plot?._fullData ?? []).map(trace => trace.x?.length ?? 0));
}"""


def test_a_link_opens_on_the_finished_race_and_a_preset_goes_into_the_address(server, new_page):
    page = new_page(1440, 900)
    open_page(page, server, "training_race", d_k="32", seed="3")
    assert bar(page).startswith("At dₖ = 32 and after 300 steps without the scale ")
    assert "at dₖ = 32" in page.locator(".st-key-sentence_race_learning").inner_text()
    page.locator(".st-key-race_preset input").click()
    page.get_by_role("option", name="Fresh data every step").click()
    wait_until_idle(page)
    wanted = {"d_k": "32", "seed": "3", "data": "fresh", "n_pairs": "16", "n_steps": "400", "learning_rate": "0.3"}
    found = query_parameters(page)
    assert {name: found.get(name) for name in wanted} == wanted


def test_a_race_runs_live_until_stop_and_what_is_there_stays(server, new_page):
    page = new_page(1440, 900)
    open_page(page, server, "training_race", d_k="128", n_steps="3000")  # ten seconds and more
    assert bar(page).startswith("Press Train")
    page.get_by_role("button", name="Train", exact=True).click()
    for least in (2, 4):  # the picture at rest goes on, by the same means: its lines grow
        page.wait_for_function(f"least => ({DRAWN_STEPS})() >= least", arg=least)
    assert page.locator(".st-key-race_learning_data").count() == 0  # what can be taken away comes when it rests
    stop = page.get_by_role("button", name="Stop")
    for _ in range(20):  # the only one: Streamlit's own, which comes and goes, would break a picture off
        assert main(page).get_by_role("button", name="Stop").count() == stop.count() == 1
        page.wait_for_timeout(100)
    stop.click()
    wait_until_idle(page)
    assert bar(page).startswith("Stopped at step ")
    assert stop.count() == 0
    step = bar(page).split()[3]
    assert f"Step {step} of 3,000" in page.locator(".st-key-sentence_race_learning").inner_text()
