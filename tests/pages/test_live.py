"""Messages from components in the browser: only well-formed ones count, since messages may be forged."""

import pytest

from pages._view.page import components, frame, wall
from tests.pages.opening import open_page, turn_to


@pytest.fixture
def tell(monkeypatch):
    """Return a function that draws a component to which the browser sends a message at once."""

    def told(component, event, said, draw):
        monkeypatch.setattr(components, component, lambda **drawn: drawn[f"on_{event}_change"]())
        monkeypatch.setattr(components.st, "session_state", {"drawn": said})
        draw(key="drawn")

    return told


@pytest.mark.parametrize(
    ("said", "heard"),
    [({"release": {"at": 65, "number": 0.25}}, [65]), ({"release": {"at": 0.5, "number": 0}}, [0.5])]
    + [({"release": wrong}, []) for wrong in (None, 65, "65", [65], {}, {"at": 65}, {"at": "65", "number": 0.25})]
    + [({"release": {"at": 65, "number": wrong}}, []) for wrong in (None, "0.25", [0.25], 1, float("nan"))]
    + [(said, []) for said in ({}, {"other": {"at": 65, "number": 0.25}})],
)
def test_slider_message_counts_only_with_valid_numbers(tell, said, heard):
    places = []
    tell("_slider", "release", said, lambda key: components.draw_slider({}, key=key, on_release=places.append))
    assert places == heard


CLICK = {"chart": "Q", "line": 1, "place": 0}


@pytest.mark.parametrize(
    ("said", "heard"),
    [({"cell": CLICK}, [CLICK])]
    + [({"cell": said}, []) for said in (None, 5, "Q", [], {}, {"chart": "Q", "line": 1})]
    + [({"cell": CLICK | wrong}, []) for wrong in ({"chart": []}, {"line": "1"}, {"place": 0.5}, {"place": None})]
    + [({}, [])],
)
def test_matrix_click_counts_only_if_all_its_fields_are_valid(tell, said, heard):
    clicks = []
    tell(
        "_cells",
        "cell",
        said,
        lambda key: components.watch_cells(key=key, find=lambda click: click, choose=clicks.append),
    )
    assert clicks == heard


def test_message_without_its_session_key_does_not_stop_a_page(monkeypatch):
    """Between two pages Streamlit delivers a message without its key; the browser sends it again."""
    state = {}
    monkeypatch.setattr(components.st, "session_state", state)
    heard = []
    for component in ("_slider", "_cells", "_picture", "_mend"):

        def say(**drawn):
            for name in ("release", "cell", "window", "step", "bet"):
                drawn.get(f"on_{name}_change", lambda: None)()

        monkeypatch.setattr(components, component, say)
    components.draw_slider({}, key="slider", on_release=heard.append)
    components.watch_cells(key="cells", find=heard.append, choose=heard.append)
    components.draw_picture({}, key="picture")
    hearing = {"step": heard.append, "bet": heard.append}
    components.mend_browser("", "", (), asks_for_wall=True, follows=True, heard=hearing)
    assert heard == []
    assert "small" not in state


@pytest.mark.parametrize(
    ("query", "follows"),
    [({}, False), ({"mode": "projector"}, True), ({"room": "ABCD"}, True)],
)
def test_browser_is_told_if_a_class_follows_the_page(query, follows, monkeypatch):
    told = []
    monkeypatch.setattr(components, "mend_browser", lambda *_, **named: told.append(named["follows"]))
    monkeypatch.setattr(wall, "follow", lambda _: None)
    monkeypatch.setattr(wall, "draw_corner", lambda _: None)
    assert not open_page("score_variance", **query).exception
    assert set(told) == {follows}


# --- partial reruns -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stands", "parts"), [("softmax", [[frame.LIVE], None]), ("start", [None]), (None, [None])])
def test_only_the_page_in_the_browser_gets_a_partial_rerun(stands, parts, monkeypatch):
    """A partial rerun would leave another page empty. In this test `rerun` returns, so a full rerun follows."""
    monkeypatch.setattr(frame.st, "session_state", {"page_drawn": stands})
    monkeypatch.setattr(frame, "page_of_run", lambda: "softmax")
    drawn = []
    monkeypatch.setattr(frame.st, "rerun", lambda part=None: drawn.append(part))
    frame.redraw_picture()
    assert drawn == parts


def test_page_counts_as_drawn_only_after_its_run(monkeypatch):
    stood = []
    title_of = frame.title_of

    def look(question):
        stood.append(frame.st.session_state["page_drawn"])
        return title_of(question)

    monkeypatch.setattr(frame, "title_of", look)
    app = open_page("softmax_saturation")
    first = app.session_state["page_drawn"]
    second = turn_to(app, "score_variance").run().session_state["page_drawn"]
    assert stood == [None] * len(stood) != []
    assert None not in {first, second}
    assert first != second
