"""What the new_lesson page promises to whoever clicks a suggestion."""


def test_one_component(tried):
    _, shown = tried("new_lesson", "one_component", d_k="300", seed="7")
    raw, scaled = shown.measure_new_lesson.variance
    assert raw == scaled
