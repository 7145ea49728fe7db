"""The small_samples page: the experiment of its question, other sizes and numbers of draws, seeds, examples by hand."""

import numpy as np
import pytest

from pages._view.literal import plain
from sattn_core.lessons.small_samples import draw_sweep
from tests.pages import opening
from tests.pages.opening import charts, check_page, press, settle, sure_of, widget

STEM = "small_samples"


def open_page(**query):
    return opening.open_page(STEM, **query)


def drawn(app):
    """Return the number of draws in the picture."""
    return int(sure_of(app, "small_samples").split()[0].replace(",", ""))


@pytest.mark.parametrize(
    ("step", "key"),
    [
        ("draw", "small_samples"),
        ("band", "sample_band"),
        ("large", "large_experiment"),
        ("by_hand", "hand_made"),
    ],
)
@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_each_step_shows_only_its_picture(step, key, mode):
    assert list(charts(open_page(step=step, mode=mode))) == [key]


def test_page_opens_with_its_story_and_the_answer():
    app = open_page()
    assert any("two random 2 × 2 matrices" in each.value and "measured 1.6" in each.value for each in app.markdown)
    assert charts(app)["small_samples"].sentence.startswith("Variances of two-by-two products average 1.5, so 1.6 is")
    assert "The 1.6 of the question is at percentile 71.4" in sure_of(app, "small_samples")


def test_right_hand_histogram_has_the_linked_d_k_and_number_of_draws():
    app = open_page(size="64", d_k="1024", n_draws="2000")
    assert drawn(app) == 2_000
    assert "64 × 1024 times 1024 × 64" in sure_of(app, "small_samples").replace(",", "")
    assert "At dₖ = 1,024 the 95 % band" in sure_of(open_page(step="band", d_k="1024"), "sample_band")


def test_number_of_draws_follows_its_dial_and_the_link():
    app = open_page(n_draws="137")
    assert drawn(app) == 137
    assert charts(app)["small_samples"].values == {"d_k": 64, "size": 2, "n_draws": 137}
    widget(app, "n_draws").set_value(3)
    settle(app)
    assert drawn(app) == 3
    assert app.query_params["n_draws"] in ("3", ["3"])


def test_the_first_draw_is_written_in_full():
    app = open_page()
    (text,) = [each.value for each in app.markdown if each.value.startswith("$\\begin{pmatrix}")]
    assert text.count("pmatrix") == 6


@pytest.mark.parametrize(("step", "key"), [("large", "large_experiment"), ("draw", "small_samples")])
def test_next_seed_draws_everything_again(step, key):
    app = open_page(step=step, seed="9999")
    before = charts(app)[key].spec
    press(app, "Draw all of it again with the next seed")
    assert app.session_state["seed"] == 0
    assert charts(app)[key].spec != before
    assert charts(app)[key].spec == charts(open_page(step=step, seed="0"))[key].spec


def test_large_experiment_uses_the_seed():
    assert "with seed 9999" in sure_of(open_page(step="large", seed="9999"), "large_experiment")
    assert "with seed 0: variance 111.015" in sure_of(open_page(step="large"), "large_experiment")


def test_hand_made_examples_give_the_numbers_of_the_lecture_notes():
    app = open_page(step="by_hand")
    said = sure_of(app, "hand_made")
    assert "the dot products are 8, 29 and 98. The mean is 45.0000 and the variance 1,478.00" in said
    assert "the dot products are 10, 86 and 209. The mean is 101.667 and the variance 6,722.89" in said
    assert not [each for each in app.expander if each.key == "own"]


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("q_2d", "1, 2; 1, x; 8, 9", 'The first example: q: "x" (vector 2, item 2) is not a number.'),
        ("k_2d", ", ".join(["1"] * 1_000), "k: Vector 1 has 1000 numbers, but at most 64 are allowed."),
        ("q_3d", "1, 2, 3; 3, 4, 1e400; 10, 9, 11", '"1e400" (vector 2, item 3) is not a finite number.'),
        ("k_3d", "3, 2, 1; 6, 7, 8", "vectors of one length, at least one each, but q is 3 × 3 and k is 2 × 3"),
        ("q_3d", "", "The second example: q: There are no numbers: write vectors, for example 1 2; 3 4."),
    ],
)
def test_unreadable_vectors_get_an_error_and_stay_in_their_field(name, text, part):
    app = open_page(step="by_hand")
    widget(app, name).set_value(text).run()
    check_page(app, STEM)
    assert len(app.error) == 1
    assert plain(part) in app.error[0].value
    assert widget(app, name).value == text
    assert "gives none." in charts(app)["hand_made"].sentence


def test_typed_vectors_stay_while_other_steps_are_open():
    app = open_page(step="by_hand")
    widget(app, "q_2d").set_value("1 2; 3 4; 5 6").run()
    for step in ("draw", "by_hand"):
        widget(app, "step").set_value(step)
        settle(app)
        assert app.query_params["q_2d"] in ("1 2; 3 4; 5 6", ["1 2; 3 4; 5 6"])
    assert widget(app, "q_2d").value == "1 2; 3 4; 5 6"
    assert "are 8, 39 and 62." in sure_of(app, "hand_made")


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"size": "16", "d_k": "300", "ddof": "1", "n_draws": "20", "seed": "7"}


def test_try_many_draws(tried):
    _, shown = tried("small_samples", "many_draws", **ADVERSE)
    result = shown.measure_small_samples
    assert (result.params.n_draws, result.params.size, result.params.d_k) == (2_000, 2, 2)
    assert (np.abs(result.counts - result.expected) < 4 * np.sqrt(result.expected) + 1).all()
    assert 0.65 < np.mean(result.variances < 1.6) < 0.75


def test_try_ddof_1(tried):
    _, shown = tried("small_samples", "ddof_1", step="band", **(ADVERSE | {"ddof": "0"}))
    np.testing.assert_allclose(shown.band_curve.mean, shown.band_curve.d_k, rtol=1e-12)


def test_try_large_dimension(tried):
    app, shown = tried("small_samples", "large_dimension", step="band", **ADVERSE)
    curve = shown.band_curve
    assert (app.session_state["d_k"], curve.d_k, curve.sizes[0]) == (1024, 1024, 2)
    assert curve.high[0] / curve.d_k > 2
    sweep = draw_sweep((1024,), n_draws=2_000)
    assert abs(np.mean(np.abs(sweep.ratios[0] - 1) < 0.1) - 1 / 12) < 0.02


def test_try_large_matrices(tried):
    app, shown = tried("small_samples", "large_matrices", **ADVERSE)
    sweep = shown.draw_sweep
    assert (app.session_state["d_k"], sweep.size) == (64, 64)
    assert np.mean(np.abs(sweep.ratios[sweep.dims.index(64)] - 1) < 0.1) > 0.95


def test_try_smaller(tried):
    app, _ = tried("small_samples", "smaller", step="by_hand", q_2d="5 5; 1 1; 0 0")
    first, second = (float(each) for each in charts(app)["hand_made"].sentence.split(". Drawn")[0].split()[-3::2])
    assert second < 3**0.5 < 2**0.5 * 10 < first


def test_try_all_signs(tried):
    app, _ = tried("small_samples", "all_signs", step="by_hand", q_2d="5 5; 1 1; 0 0")
    assert charts(app)["hand_made"].sentence.startswith("Products picked by hand spread by 1.41 and 1.73.")
    assert "variance 2.00000" in sure_of(app, "hand_made")
    assert "variance 3.00000" in sure_of(app, "hand_made")
