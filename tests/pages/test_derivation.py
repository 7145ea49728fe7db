"""The derivation page: each assumption broken, the first line that fails."""

import pytest

from pages._view.shared import SHARED
from tests.pages.opening import charts, check_page, drawn_controls, open_page, widget

SAID = {"score_growth": "the standard deviation of the raw scores goes from"}  # what each picture's sentence speaks of


def test_each_picture_says_what_it_is_of():
    shown = charts(open_page("derivation"))
    assert list(shown) == list(SAID)
    assert all(words in shown[key].alt for key, words in SAID.items())


def derivation_sentence(app):
    return next(each.value for each in app.markdown if each.value.startswith("At d"))


STRENGTHS = {
    "means": {"mean_q", "mean_k"},
    "variances": {"var_q", "var_k"},
    "alignment": {"correlation"},
    "coordinates": {"r"},
    "tails": {"nu"},
}


@pytest.mark.parametrize(("broken", "strengths"), STRENGTHS.items())
def test_an_assumption_is_broken_by_its_own_controls(broken, strengths):
    app = open_page("derivation", broken=broken, d_k="8")
    check_page(app, "derivation")
    assert drawn_controls(app) == {*SHARED, "broken", *strengths}
    widget(app, "broken").set_value("nothing").run()
    check_page(app, "derivation")
    assert "no assumption broken, all 9 lines hold" in derivation_sentence(app)


FIRST_FAILING = {"means": 4, "variances": 7, "alignment": 3, "coordinates": 5, "tails": 5}


@pytest.mark.parametrize(("broken", "number"), FIRST_FAILING.items())
def test_the_first_line_that_fails_is_named_and_marked(broken, number):
    app = open_page("derivation", broken=broken)
    assert f"line {number} fails first" in derivation_sentence(app)
    rows = next(each.value for each in app.markdown if each.value.startswith("| no.")).split("\n")
    assert [row.split()[1] for row in rows if "**" in row] == [str(number)]
    assert len(rows) == 11
