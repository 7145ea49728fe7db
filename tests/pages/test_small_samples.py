"""The small_samples page: as asked, other matrices, draws that fall until they stop, the next seed."""

import numpy as np

from pages._view.page.fragments import small_samples as falling
from tests.pages import opening
from tests.pages.opening import button, charts, press, sure_of


def open_page(**query):
    return opening.open_page("small_samples", **query)


def drawn(app):
    """How many draws are shown."""
    return int(sure_of(app, "small_samples").split()[0].replace(",", ""))


def test_the_story_and_the_answer_are_there_at_once():
    app = open_page()
    assert any("two random 2 × 2 matrices" in each.value and "measured 1.6" in each.value for each in app.markdown)
    assert charts(app)["small_samples"].sentence.startswith("Variances of two-by-two products average 1.5, so 1.6 is")
    assert "The 1.6 of the question is at percentile 71.4" in sure_of(app, "small_samples")


def test_the_right_side_has_the_slider_s_d_k_and_as_many_draws_as_asked():
    app = open_page(size="64", d_k="1024", n_draws="2000")
    assert drawn(app) == 2_000
    assert "64 × 1024 times 1024 × 64" in sure_of(app, "small_samples").replace(",", "")
    assert "At dₖ = 1,024 the 95 % band" in sure_of(app, "sample_band")


def test_one_more_draw():
    app = open_page(n_draws="1")
    press(app, "Draw once")
    assert drawn(app) == app.session_state["n_draws"] == 2


def test_draws_fall_one_by_one_until_they_are_stopped():
    app = open_page()
    button(app, "Draw many").click().run()
    seen = [drawn(app) for _ in range(3) if app.run()]
    assert seen == [seen[0], seen[0] + 1, seen[0] + 2]
    assert f"n_draws={seen[-1]}&" in f"{charts(app)['small_samples'].address}&"  # for what follows the hand
    button(app, "Stop").click().run()
    assert drawn(app.run()) == seen[-1]
    assert app.session_state["n_draws"] == seen[-1]
    assert button(app, "Draw many")


def test_a_suggestion_ends_the_falling():
    app = open_page()
    button(app, "Draw many").click().run()
    app.button(key="try_one_draw").click().run()
    assert [drawn(app.run()) for _ in range(2)] == [1, 1]
    assert button(app, "Draw many")


def test_the_falling_ends_by_itself(monkeypatch):
    monkeypatch.setattr(falling, "MANY", 5)
    app = open_page()
    button(app, "Draw many").click().run()
    for _ in range(6):
        app.run()
    assert drawn(app) == 5
    assert app.session_state["n_draws"] == 5
    assert "fallen" not in app.session_state


def test_the_large_experiment_is_run_again_with_the_next_seed():
    app = open_page(seed="9999")
    assert "with seed 9999" in sure_of(app, "large_experiment")
    press(app, "Run it again with the next seed")
    assert "with seed 0: variance 111.015" in sure_of(app, "large_experiment")


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"size": "16", "d_k": "300", "ddof": "1", "n_draws": "20", "seed": "7"}


def test_try_one_draw(tried):
    app, shown = tried("small_samples", "one_draw", **ADVERSE)
    result = shown.measure_small_samples
    assert len(result.variances) == 1
    assert result.variances[0] == (result.first_A @ result.first_B).var()
    written = [each.value for each in app.markdown if each.value.startswith("$\\begin{pmatrix}")]
    assert [text.count("pmatrix") for text in written] == [6]
    assert f"{result.first_product[0, 0]:.2f}&" in written[0]


def test_try_many_draws(tried):
    _, shown = tried("small_samples", "many_draws", **ADVERSE)
    result = shown.measure_small_samples
    assert (result.params.n_draws, result.params.size, result.params.d_k) == (2_000, 2, 2)
    assert (np.abs(result.counts - result.expected) < 4 * np.sqrt(result.expected) + 1).all()
    assert 0.65 < np.mean(result.variances < 1.6) < 0.75


def test_try_ddof_1(tried):
    _, shown = tried("small_samples", "ddof_1", **(ADVERSE | {"ddof": "0"}))
    assert shown.measure_small_samples.mean_theory == shown.measure_small_samples.params.d_k == 2


def test_try_large_dimension(tried):
    app, shown = tried("small_samples", "large_dimension", **ADVERSE)
    sweep = shown.draw_sweep
    assert (app.session_state["d_k"], sweep.size, sweep.ratios.shape[1]) == (1024, 2, 2_000)
    near = np.mean(np.abs(sweep.ratios[sweep.dims.index(1024)] - 1) < 0.1)
    assert abs(near - 1 / 12) < 0.02


def test_try_large_matrices(tried):
    app, shown = tried("small_samples", "large_matrices", **ADVERSE)
    sweep = shown.draw_sweep
    assert (app.session_state["d_k"], sweep.size) == (64, 64)
    assert np.mean(np.abs(sweep.ratios[sweep.dims.index(64)] - 1) < 0.1) > 0.95
