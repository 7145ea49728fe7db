"""The new_lesson page: its picture says what it is of."""

from tests.pages.opening import charts, open_page


def test_the_picture_says_both_variances():
    shown = charts(open_page("new_lesson", d_k="16"))
    assert list(shown) == ["new_lesson_variances"]
    assert shown["new_lesson_variances"].alt.startswith("At d_k = 16 the raw scores have variance 1")


# --- tries ---------------------------------------------------------------------------------------------


def test_try_one_component(tried):
    _, shown = tried("new_lesson", "one_component", d_k="300", seed="7")
    raw, scaled = shown.measure_new_lesson.variance
    assert raw == scaled
