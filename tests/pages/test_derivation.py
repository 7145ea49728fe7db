"""The derivation page: each assumption broken, the first line that fails."""

import pytest

from pages._view import compute
from pages._view.lessons import LESSONS
from pages._view.shared import SHARED
from tests.pages.opening import charts, check_page, drawn_controls, open_page, widget

FIRST_FAILING = {
    "means not 0": 4,
    "variances not 1": 7,
    "q and k aligned": 3,
    "coordinates correlated": 5,
    "heavy tails": 5,
}


def rows_of(app, head):
    """The rows of the table of Markdown that begins with this head."""
    (table,) = [each.value for each in app.markdown if each.value.startswith(head)]
    return table.split("\n")[2:]


def claim_of(app):
    """What the page says of the nine lines."""
    return next(each.value for each in app.header if "of nine" in each.value or "nine lines" in each.value)


def test_the_three_lines_stand_beside_their_figure_and_the_nine_below():
    app = open_page("derivation")
    assert list(charts(app)) == ["three_lines", "score_growth"]
    assert charts(app)["three_lines"].sentence.startswith("At dₖ = 64 all three lines hold.")
    assert [len(rows_of(app, head)) for head in ("| line |", "| no.")] == [3, 9]
    assert [each.value for each in app.header] == ["All nine lines hold", "Here √dₖ is the right divisor"]
    assert [each.key for each in app.expander if each.key.endswith("_sure")] == [
        "three_lines_sure",
        "derivation_sure",
        "score_growth_sure",
    ]


def test_the_three_lines_are_measured_once_for_every_dimension(monkeypatch):
    asked, result = [], compute.result
    monkeypatch.setattr(compute, "result", lambda *args: asked.append(args) or result(*args))
    app = open_page("derivation", d_k="8")
    widget(app, "d_k").set_value(512).run()
    growths = {params for function, params in asked if function.__name__ == "measure_growth"}
    assert [(each.d_k, each.n_samples) for each in growths] == [(1024, 2_000)]
    assert charts(app)["three_lines"].sentence.startswith("At dₖ = 512 ")


@pytest.mark.parametrize("broken", FIRST_FAILING)
def test_an_assumption_is_broken_by_its_own_controls(broken):
    controls = LESSONS["derivation"].controls
    strengths = {name for name, control in controls.items() if control.when == ("broken", broken)}
    app = open_page("derivation", broken=broken, d_k="8")
    check_page(app, "derivation")
    assert strengths
    assert drawn_controls(app) == {*SHARED, "broken", *strengths} - {"rest"}
    assert any("~~" in row for row in rows_of(app, "| line |"))
    widget(app, "broken").set_value("all hold").run()
    check_page(app, "derivation")
    assert claim_of(app) == "All nine lines hold"


@pytest.mark.parametrize(("broken", "number"), FIRST_FAILING.items())
def test_the_first_line_that_fails_is_named_and_marked(broken, number):
    app = open_page("derivation", broken=broken)
    assert claim_of(app) == f"Line {number} of nine is the first to fail"
    rows = rows_of(app, "| no.")
    assert [row.split()[1] for row in rows if "**" in row] == [str(number)]
    assert len(rows) == 9


@pytest.mark.parametrize(("old", "today"), LESSONS["derivation"].controls["broken"].old_options.items())
def test_an_older_link_breaks_the_same_assumption(old, today):
    app = open_page("derivation", broken=old, d_k="8")
    check_page(app, "derivation")
    assert (widget(app, "broken").value, len(app.info)) == (today, 0)
    assert app.query_params == {"d_k": "8"} | ({} if today == "all hold" else {"broken": today})
