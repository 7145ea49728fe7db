"""The one_query page: six steps, each a click and a place in the address, and a picture that follows d_k."""

import pytest

from sattn_core.lessons.one_query import STEPS
from tests.pages.opening import charts, open_page, press, widget


def alt(app):
    return charts(app)["one_query"].alt


def test_next_and_previous_walk_the_steps_and_stop_at_their_ends():
    app = open_page("one_query")
    told = [alt(app)]
    for step in (*STEPS[1:], STEPS[-1]):
        press(app, "Next")
        assert app.session_state["step"] == step
        told.append(alt(app))
    assert len(set(told)) == len(STEPS)
    for step in (*STEPS[-2::-1], STEPS[0]):
        press(app, "Previous")
        assert app.session_state["step"] == step


@pytest.mark.parametrize("step", STEPS)
def test_a_link_opens_a_step(step):
    app = open_page("one_query", step=step)
    assert app.session_state["step"] == step
    assert widget(app, "step").value == step


@pytest.mark.parametrize("step", ["ask", "wander", "softmax", "divide"])
def test_the_picture_follows_the_dimension(step):
    app = open_page("one_query", step=step)
    before = charts(app)["one_query"]
    widget(app, "d_k").set_value(256).run()
    after = charts(app)["one_query"]
    assert after.spec != before.spec
    assert after.alt != before.alt
