"""The small_samples page: as asked, other matrices, draws that fall until they stop, the next seed."""

from pages._view.lessons.small_samples import falling
from tests.pages import opening
from tests.pages.opening import button, press, said

SAID = {
    "small_samples": "The last draw gave",
    "sample_band": "lie inside it, but only",
    "large_experiment": "a false alarm",
}  # what each picture's sentence speaks of


def open_page(**query):
    return opening.open_page("small_samples", **query)


def test_each_picture_says_what_it_is_of():
    shown = said(open_page())
    assert list(shown) == list(SAID)
    assert all(words in shown[key] for key, words in SAID.items())


def test_the_question_is_answered_at_once():
    app = open_page()
    first = said(app)["small_samples"]
    assert first.startswith("200 draws of two normal 2 × 2 matrices")
    assert "where 1.50 is predicted, not d_k = 2" in first
    assert "The 1.6 of the question is at percentile 71.4" in first
    assert app.table[0].value["predicted"].tolist()[0] == "1.50"


def test_with_ddof_1_the_mean_is_d_k_and_the_percentile_another():
    first = said(open_page(ddof="1"))["small_samples"]
    assert "where 2.00 is predicted, which is d_k" in first
    assert "percentile 63." in first  # 63.3, from 400,000 draws ± 0.08


def test_the_slider_s_d_k_goes_inside_when_asked_for():
    app = open_page(size="16", inner="d_k", d_k="100")
    assert "(16 × 100) @ (100 × 16)" in said(app)["small_samples"]
    assert "At d_k = 100 the 95 % band" in said(app)["sample_band"]


def test_of_large_matrices_as_many_are_drawn():
    first = said(open_page(size="64", inner="d_k", d_k="1024", n_draws="10000"))["small_samples"]
    assert first.startswith("10,000 draws")


def test_one_more_draw():
    app = open_page(n_draws="1")
    press(app, "Draw once")
    assert said(app)["small_samples"].startswith("2 draws")
    assert app.session_state["n_draws"] == 2


def test_draws_fall_one_by_one_until_they_are_stopped():
    app = open_page()
    button(app, "Draw many").click().run()
    seen = [int(said(app)["small_samples"].split()[0]) for _ in range(3) if app.run()]
    assert seen == [seen[0], seen[0] + 1, seen[0] + 2]
    button(app, "Stop").click().run()
    assert said(app.run())["small_samples"].startswith(f"{seen[-1]} draws")
    assert app.session_state["n_draws"] == seen[-1]
    assert button(app, "Draw many")


def test_a_suggestion_ends_the_falling():
    app = open_page()
    button(app, "Draw many").click().run()
    app.button(key="try_one_draw").click().run()
    assert [said(app.run())["small_samples"].split()[0] for _ in range(2)] == ["1", "1"]
    assert button(app, "Draw many")


def test_the_falling_ends_by_itself(monkeypatch):
    monkeypatch.setattr(falling, "MANY", 5)
    app = open_page()
    button(app, "Draw many").click().run()
    for _ in range(6):
        app.run()
    assert said(app)["small_samples"].startswith("5 draws")
    assert app.session_state["n_draws"] == 5
    assert "fallen" not in app.session_state


def test_the_large_experiment_is_run_again_with_the_next_seed():
    app = open_page(seed="9999")
    assert "with seed 9999" in said(app)["large_experiment"]
    press(app, "Run it again with the next seed")
    assert "with seed 0: variance 111.015" in said(app)["large_experiment"]
