"""A picture's data for the browser, and the part of it that is shown before a bet."""

from pages._view.picture import Figure, Picture

TRACE = {"type": "scatter", "x": [1], "y": [2], "name": "raw"}
LAYOUT = {"height": 400, "margin": {"t": 30, "b": 20}, "annotations": [{"text": "raw"}, {"text": "12"}], "shapes": [{}]}


def test_wide_and_phone_layouts_hide_the_same_parts_before_a_bet():
    narrow = {"height": 500, "margin": {"t": 0, "b": 0}, "annotations": [{"text": "12"}, {"text": "raw"}]}
    shown = Picture("key", Figure([TRACE], LAYOUT, narrow), "One.", {}, "").partly("Two.", words=("raw",))
    for layout in (shown.figure.layout, shown.figure.narrow):
        assert [each["text"] for each in layout["annotations"]] == ["raw"]
        assert layout["shapes"] == []
    told = shown.told()
    assert (told["height"], told["plot"], told["narrow"]) == (400, 350, {"height": 500, "plot": 500})


def test_figure_without_a_phone_layout_keeps_its_height_on_a_phone():
    told = Picture("key", Figure([TRACE], LAYOUT), "One.", {}, "").partly("Two.").told()
    assert told["narrow"] == {"height": 400, "plot": 350}
