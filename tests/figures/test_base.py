"""Parts that all figures share: they have the profile's colours and sizes, and are valid for Plotly."""

import pytest

from pages._view.figures import base
from pages._view.theme import DARK, LIGHT, PROJECTOR
from tests.figures.drawing import PROFILES, plotted


def everything(profile):
    """Return a figure with every kind of part."""
    drawn = base.figure(
        profile,
        [
            base.line([0, 1], [2, 3], base.dashed(profile), "law"),
            base.line([0, 1], [2, 3], base.dotted(profile), "threshold"),
            base.points(profile, profile.raw, "circle", [1, 2], [3, 4], [0.1, 0.2], [0.3, 0.4], "raw"),
            base.steps([0, 1, 2], [0.5, 1.0], profile.scaled, "scaled"),
        ],
        title=base.title("A title", profile, key=("dashed: law", "dotted: threshold")),
        xaxis=base.axis(profile, "score"),
        yaxis=base.axis(profile, "share", grid=True, range=[0, 1]),
        annotations=[
            base.label("raw", profile, x=1, y=2),
            base.corner("dashed: exact law", profile),
            base.corner("left", profile, side="left", axes="2"),
            base.under(["dashed: exact law", "dotted: threshold"], profile),
            base.heading("Raw", profile),
            base.heading("Scaled", profile, axes="2", x=0.5),
        ],
        shapes=[base.upright(64, base.thin(profile))],
    )
    return plotted(drawn)


@pytest.mark.parametrize("profile", PROFILES)
def test_plotly_accepts_every_property(profile):
    assert len(everything(profile).data) == 4


def test_validation_refuses_an_unknown_property():
    with pytest.raises(ValueError, match="colour"):
        plotted(base.figure(LIGHT, [base.line([0], [0], {"colour": "red"}, "typo")]))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_figure_has_the_colours_and_sizes_of_its_profile(profile):
    layout = everything(profile).layout
    assert (layout.paper_bgcolor, layout.plot_bgcolor) == (profile.ground, profile.ground)
    assert (layout.font.color, layout.font.size) == (profile.text, profile.tick_size)
    assert (layout.title.text, layout.title.font.size) == ("A title", profile.title_size)
    for axis, text in ((layout.xaxis, "score"), (layout.yaxis, "share")):
        assert (axis.title.text, axis.title.font.size) == (text, profile.axis_size)
        assert (axis.tickfont.size, axis.color, axis.linecolor) == (profile.tick_size, profile.text, profile.text)
        assert axis.fixedrange
    assert (layout.xaxis.showgrid, layout.yaxis.showgrid, layout.yaxis.gridcolor) == (False, True, profile.grid)
    assert layout.hoverlabel.font.size == profile.tick_size
    assert plotted(base.figure(profile, [])).layout.height == profile.height
    assert plotted(base.figure(profile, [], height=0.5)).layout.height == profile.height / 2


@pytest.mark.parametrize(
    ("text", "letters", "lines"),
    [
        ("Only ÷ √d_k is flat", 25, ["Only ÷ √d_k is flat"]),
        ("one two three", 8, ["one two", "three"]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 6, ["one", "two", "three"]),
        ("unbreakable a", 5, ["unbreakable", "a"]),
        ("a\u00a0vector and", 8, ["a\u00a0vector", "and"]),
        (("dashed: exact law", "dotted: limit"), 40, ["dashed: exact law\u2002\u2002dotted: limit"]),
        (("dashed: exact law", "dotted: limit"), 31, ["dashed: exact law", "dotted: limit"]),
        (("<b style='color:#000000'>raw</b>", "scaled"), 11, ["<b style='color:#000000'>raw</b>\u2002\u2002scaled"]),
    ],
)
def test_words_are_broken_into_lines_that_fit(text, letters, lines):
    assert base.wrapped(text, letters).split("<br>") == lines


def titled(profile, text, **options):
    return plotted(base.figure(profile, [], title=base.title(text, profile, **options))).layout


@pytest.mark.parametrize("profile", PROFILES)
def test_margin_fits_title_and_key_with_any_number_of_lines(profile):
    plain = titled(profile, "Short")
    keys = {"one": ("dashed: law",), "two": ("dashed: exact law", "dotted: the right divisor", "● measured")}
    assert plain.title.subtitle.text is None
    for text, lines in (("Short", 1), ("A title that is too long for one line", 2)):
        for key in (None, *keys.values()):
            layout = titled(profile, text, key=key)
            key_lines = layout.title.subtitle.text.count("<br>") + 1 if key else 0
            assert layout.title.text.count("<br>") + 1 == lines
            # The title's first baseline, its further lines, and the 1.6 font sizes that Plotly leaves above the key.
            size, small = profile.title_size, profile.tick_size
            deepest = size * (1.0 + 1.3 * (lines - 1) + 0.3)
            deepest += small * (1.6 + 1.3 * (key_lines - 1) + 0.3) if key else 0
            assert deepest + 0.4 * size <= layout.margin.t < deepest + 0.6 * size
            assert layout.height - layout.margin.t == plain.height - plain.margin.t
    assert "<br>" in titled(profile, "Short", key=keys["two"]).title.subtitle.text
    assert layout.title.subtitle.font.size == profile.tick_size


def test_narrow_titles_are_broken_into_lines_and_may_be_smaller():
    text = "Largest weight of keys"
    assert titled(LIGHT, text).title.text == text
    assert titled(LIGHT, text, letters=base.THIRD).title.text == "Largest weight<br>of keys"
    smaller = titled(LIGHT, text, letters=base.THIRD, size=LIGHT.tick_size).title
    assert (smaller.text, smaller.font.size) == (text, LIGHT.tick_size)


@pytest.mark.parametrize("profile", PROFILES)
def test_each_line_style_has_its_colour_width_and_dash(profile):
    assert base.dashed(profile) == {"color": profile.text, "width": profile.line_width, "dash": "dash"}
    assert base.dotted(profile) == {"color": profile.text, "width": profile.line_width, "dash": "dot"}
    assert base.thin(profile) == {"color": profile.text, "width": profile.line_width / 2}
    assert base.solid(profile, profile.raw, 2) == {"color": profile.raw, "width": 2 * profile.line_width}


def test_projector_lines_are_wider_by_three_quarters():
    for style in (base.dashed, base.dotted, base.thin):
        assert style(PROJECTOR)["width"] == 1.75 * style(LIGHT)["width"] == 1.75 * style(DARK)["width"]


@pytest.mark.parametrize("profile", PROFILES)
def test_points_have_error_bars(profile):
    trace = everything(profile).data[2]
    assert (list(trace.x), list(trace.y)) == ([1, 2], [3, 4])
    assert (list(trace.error_y.array), list(trace.error_y.arrayminus)) == ([0.1, 0.2], [0.3, 0.4])
    assert (trace.mode, trace.marker.color, trace.marker.size) == ("markers", profile.raw, profile.marker_size)
    assert (trace.error_y.color, trace.error_y.thickness) == (profile.raw, profile.line_width)


def test_bars_are_drawn_as_one_outline_that_ends_at_zero():
    trace = base.steps([0, 1, 2], [0.5, 1.0], "#123456", "bars")
    assert (trace["x"], trace["y"]) == ([0, 1, 2], [0.5, 1.0, 0])
    assert (trace["line"]["shape"], trace["fill"], trace["fillcolor"]) == ("hv", "tozeroy", "#123456")


@pytest.mark.parametrize("profile", PROFILES)
def test_words_on_a_figure_have_text_colour_and_background_colour(profile):
    notes = everything(profile).layout.annotations
    key = "\u2002\u2002" if profile is PROJECTOR else "<br>"  # one line fits on a wall
    key = f"dashed: exact law{key}dotted: threshold"
    assert [note.text for note in notes] == ["raw", "dashed: exact law", "left", key, "Raw", "Scaled"]
    for note in notes:
        assert (note.font.color, note.bgcolor, note.showarrow) == (profile.text, profile.ground, False)
    tick, axis = profile.tick_size, profile.axis_size
    assert [note.font.size for note in notes] == [tick, tick, tick, tick, axis, axis]
    assert (notes[1].xref, notes[1].x, notes[1].xanchor) == ("x domain", 1, "right")
    assert (notes[2].xref, notes[2].x, notes[2].xanchor) == ("x2 domain", 0.02, "left")
    assert [note.xanchor for note in notes[4:]] == ["left", "center"]


def test_a_vertical_line_spans_the_whole_plot():
    shape = base.upright(64, {"color": "#000000"})
    assert (shape["x0"], shape["x1"], shape["y0"], shape["y1"], shape["yref"]) == (64, 64, 0, 1, "paper")


@pytest.mark.parametrize("profile", PROFILES)
def test_key_of_the_line_styles_is_below_the_title_of_its_axis(profile):
    key = base.under(["dashed: exact law"], profile)
    near = base.axis(profile, "score", near=True)["title"]
    # px: ticks of 5, the numbers, the standoff and the title; a line of text is 1.2 times its font size high.
    title_ends = 5 + 1.2 * profile.tick_size + near["standoff"] + 1.2 * profile.axis_size
    assert (key["y"], key["yanchor"]) == (0, "top")
    assert title_ends <= -key["yshift"]
    assert "standoff" not in base.axis(profile, "score")["title"]


def test_only_traces_with_a_hover_template_have_hover_labels():
    own = {"hovertemplate": "Row %{y}<extra></extra>"}
    line = base.line([0, 1], [2, 3], base.thin(LIGHT), "law")
    drawn = base.figure(LIGHT, [line, line | own, base.heatmap(LIGHT, [[1.0]], 1.0)])
    assert [each.get("hoverinfo") for each in drawn.data] == ["skip", None, "skip"]
