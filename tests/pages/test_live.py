"""What the components tell Python: only what our own scripts say is heard, for a message may be forged."""

import pytest

from pages._view import live


@pytest.fixture
def tell(monkeypatch):
    """Draw a component to which the browser says this at once."""

    def told(component, event, said, draw):
        monkeypatch.setattr(live, component, lambda **drawn: drawn[f"on_{event}_change"]())
        monkeypatch.setattr(live.st, "session_state", {"drawn": said})
        draw(key="drawn")

    return told


@pytest.mark.parametrize(
    ("said", "heard"),
    [({"release": {"at": 65, "number": 0.25}}, [65]), ({"release": {"at": 0.5, "number": 0}}, [0.5])]
    + [({"release": wrong}, []) for wrong in (None, 65, "65", [65], {}, {"at": 65}, {"at": "65", "number": 0.25})]
    + [({"release": {"at": 65, "number": wrong}}, []) for wrong in (None, "0.25", [0.25], 1, float("nan"))]
    + [(said, []) for said in ({}, {"other": {"at": 65, "number": 0.25}})],
)
def test_the_slider_is_heard_where_it_says_a_number(tell, said, heard):
    places = []
    tell("_slider", "release", said, lambda key: live.draw_slider({}, key=key, on_release=places.append))
    assert places == heard


CLICK = {"chart": "Q", "line": 1, "place": 0}


@pytest.mark.parametrize(
    ("said", "heard"),
    [({"cell": CLICK}, [CLICK])]
    + [({"cell": said}, []) for said in (None, 5, "Q", [], {}, {"chart": "Q", "line": 1})]
    + [({"cell": CLICK | wrong}, []) for wrong in ({"chart": []}, {"line": "1"}, {"place": 0.5}, {"place": None})]
    + [({}, [])],
)
def test_a_click_on_a_matrix_is_heard_where_it_says_a_chart_and_a_place(tell, said, heard):
    clicks = []
    tell("_cells", "cell", said, lambda key: live.watch_cells(key=key, find=lambda click: click, choose=clicks.append))
    assert clicks == heard
