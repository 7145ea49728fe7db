"""Typed matrices shown as grids."""

import pytest

from tests.pages.opening import check_page, open_page, settle, widget


@pytest.mark.parametrize(
    ("stem", "names", "said"),
    [("attention_steps", ["Q", "K", "V"], {"preset": "notes"}), ("backprop", ["A", "B"], {})],
    ids=["attention", "backprop"],
)
def test_opened_grid_shows_every_matrix_and_reports_ragged_text(stem, names, said):
    app = open_page(stem, **said)
    assert len(app.dataframe) == 0
    app.session_state[f"grid_of_{names[0]}"] = True
    settle(app)
    check_page(app, stem)
    first = {"Q": [["1", "2"], ["1", "4"], ["8", "9"]], "A": [["1", "2"], ["3", "4"]]}[names[0]]
    assert len(app.dataframe) == len(names)
    assert app.dataframe[0].value.to_numpy().tolist() == first
    widget(app, names[0]).set_value("1, x")
    settle(app)
    assert app.dataframe[0].value.to_numpy().tolist() == [["1", "x"]]
    widget(app, names[0]).set_value("1, 2\n3")
    settle(app)
    assert len(app.dataframe) == len(names) - 1
    said = [each.value for each in app.markdown]
    assert "This text is not a rectangle of entries yet: correct it in its field." in said
