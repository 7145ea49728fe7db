"""The derivation page: each assumption broken, the first line that fails."""

import pytest

from pages._view.lessons import LESSONS
from pages._view.shared import SHARED
from tests.pages.opening import charts, check_page, drawn_controls, open_page, widget

FIRST_FAILING = {"means": 4, "variances": 7, "alignment": 3, "coordinates": 5, "tails": 5}


def sentence_of(app):
    """What the page says of the lines."""
    return next(each.value for each in app.markdown if each.value.startswith("At d"))


def test_the_growth_is_a_picture_and_the_lines_are_a_table():
    app = open_page("derivation")
    (growth,) = charts(app).items()
    assert growth[0] == "score_growth"
    assert "the standard deviation of the raw scores goes from" in growth[1].alt
    rows = next(each.value for each in app.markdown if each.value.startswith("| no.")).split("\n")
    assert len(rows) == 11


@pytest.mark.parametrize("broken", FIRST_FAILING)
def test_an_assumption_is_broken_by_its_own_controls(broken):
    controls = LESSONS["derivation"].controls
    strengths = {name for name, control in controls.items() if control.when == ("broken", broken)}
    app = open_page("derivation", broken=broken, d_k="8")
    check_page(app, "derivation")
    assert strengths
    assert drawn_controls(app) == {*SHARED, "broken", *strengths} - {"rest"}
    widget(app, "broken").set_value("nothing").run()
    check_page(app, "derivation")
    assert "no assumption broken, all 9 lines hold" in sentence_of(app)


@pytest.mark.parametrize(("broken", "number"), FIRST_FAILING.items())
def test_the_first_line_that_fails_is_named_and_marked(broken, number):
    app = open_page("derivation", broken=broken)
    assert f"line {number} fails first" in sentence_of(app)
    rows = next(each.value for each in app.markdown if each.value.startswith("| no.")).split("\n")
    assert [row.split()[1] for row in rows if "**" in row] == [str(number)]
    assert len(rows) == 11
