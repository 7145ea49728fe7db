"""Long computations take turns: the queue, and the page while it waits."""

import threading
import time

import pytest

from pages._view import compute
from pages._view.compute import store, turns
from pages._view.compute.turns import Job, Line
from pages._view.page import jobs
from sattn_core.cost import Price
from tests.pages.opening import charts, open_page


def line_of(line, *visitors, long=True):
    return [line.before(each, long=long) for each in visitors]


@pytest.mark.parametrize(("slots", "before"), [(1, [0, 1, 2, 3]), (2, [0, 0, 1, 2]), (5, [0, 0, 0, 0])])
def test_computations_beyond_the_number_of_slots_queue(slots, before):
    line = Line(slots)
    assert line_of(line, *"abcd") == before
    assert line_of(line, *"dcba") == before[::-1]  # asking in another order does not change the queue


def test_visitor_who_leaves_makes_room_for_the_next():
    line = Line(1)
    line_of(line, *"abc")
    line.leave("a")
    line.leave("nobody")
    assert line_of(line, *"bc") == [0, 1]
    assert line_of(line, *"abc") == [2, 0, 1]  # whoever comes back is last


def test_a_short_computation_goes_first_and_long_ones_pause():
    line = Line(1)
    assert line_of(line, *"ab") == [0, 1]
    assert line.before("c", long=False) == 0
    assert line_of(line, *"ab") == [1, 2]
    line.leave("c")
    assert line_of(line, *"ab") == [0, 1]


def test_visitor_has_one_place_for_short_and_long_computations():
    line = Line(1)
    assert line_of(line, *"ab") == [0, 1]
    assert line.before("a", long=False) == 0
    assert line_of(line, *"ab") == [0, 1]


def test_visitor_silent_for_two_seconds_has_left(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(turns.time, "monotonic", lambda: now[0])
    line = Line(1)
    assert line_of(line, *"ab") == [0, 1]
    now[0] += 1.9
    assert line_of(line, "b") == [1]
    now[0] += 0.2
    assert line_of(line, "b") == [0]


@pytest.mark.parametrize(("before", "words"), [(1, "One before you"), (2, "Two before you"), (17, "17 before you")])
def test_the_queue_length_is_put_in_words(before, words):
    assert turns.queue_text(before) == words


def test_server_has_at_least_one_slot():
    assert turns.SLOTS >= 1


# --- in the run of a page ------------------------------------------------------------------------------


@pytest.fixture
def line(monkeypatch):
    """Return the queue of a server with one slot, where every computation takes turns."""
    compute.forget()
    monkeypatch.setattr(turns, "LINE", Line(1))
    monkeypatch.setattr(store, "AT_ONCE", 0.0)
    return turns.LINE


@pytest.fixture
def held(line):
    """Yield an event; until it is set, a short computation of another visitor occupies the slot."""
    release = threading.Event()

    def hold():
        while not release.wait(0.02):
            line.before("another", long=False)
        line.leave("another")

    line.before("another", long=False)
    other = threading.Thread(target=hold)
    other.start()
    yield release
    release.set()
    other.join()


def test_waiting_run_says_how_many_are_before_it(line, held, monkeypatch):
    words = []

    class Place:
        markdown = staticmethod(lambda text: (words.append(text), held.set()))
        empty = staticmethod(lambda: words.append(""))

    monkeypatch.setattr(turns, "page", turns.Page(visitor=lambda: "one", note=Place))
    monkeypatch.setattr(turns, "look", lambda: None)
    with turns.turn(long=False):
        assert line.before("two", long=False) == 1
    assert words[0] == "One before you"
    assert words[-1] == ""
    assert line.before("two", long=False) == 0


def test_page_leaves_the_queue_after_its_turn(line):
    app = open_page("score_variance", n_samples="1000", d_k="3")
    assert "score_histograms" in charts(app)
    assert line.before("another", long=True) == 0


def test_a_failed_computation_leaves_the_queue(line, monkeypatch):
    def fails():
        assert line.before("another", long=True) == 1
        raise ValueError("no")

    fails.price = lambda: Price(1e9)
    monkeypatch.setattr(turns, "page", turns.Page(visitor=lambda: "one"))
    with pytest.raises(ValueError, match="no"):
        compute.result(fails)
    assert line.before("another", long=True) == 0


def test_cached_or_short_computations_need_no_turn(line, held, monkeypatch):
    def dear():
        return 1

    def cheap():
        return 2

    dear.price, cheap.price = lambda: Price(1e9), lambda: Price()
    monkeypatch.setattr(turns, "page", turns.Page(visitor=lambda: "one"))
    compute.keep(1, dear)
    assert (compute.result(dear), compute.result(cheap)) == (1, 2)


# --- jobs ----------------------------------------------------------------------------------------------


def began(job):
    job.want()
    return job


def wait_for(job):
    job.wait(30)
    assert not job.runs
    return job


def has_ended(job):
    return not wait_for(job).done


def test_job_runs_in_its_turn(line, held):
    ran = []
    job = began(Job("this", lambda: ran.append(turns.look())))
    while not job.before:
        time.sleep(0.01)
    assert (job.before, ran) == (1, [])
    held.set()
    assert wait_for(job).done
    assert ran == [None]
    assert line.before("another", long=True) == 0


def endless():
    while True:
        time.sleep(0.01)
        turns.look()


def test_an_unwanted_job_ends_at_its_next_check(line, monkeypatch):
    job = began(Job("this", endless))
    job.leave()
    assert has_ended(job)
    here = [True]
    monkeypatch.setattr(turns, "page", turns.Page(is_connected=lambda visitor: here[0]))
    job = began(Job("this", endless))
    time.sleep(0.1)
    assert job.runs
    here[0] = False
    assert has_ended(job)
    assert line.before("another", long=True) == 0


def test_error_in_a_job_is_raised_for_the_page_that_waits(line):
    with pytest.raises(ZeroDivisionError):
        began(Job("this", lambda: 1 / 0)).wait(30)
    assert line.before("another", long=True) == 0


def test_visitor_has_at_most_one_job(line, monkeypatch):
    monkeypatch.setattr(jobs.st, "session_state", {})
    first = jobs.job_of_visitor("this", endless)
    assert jobs.job_of_visitor("this", endless) is first
    second = jobs.job_of_visitor("that", endless)
    assert has_ended(first)
    assert second.runs
    jobs.end_job()
    assert has_ended(second)
    assert jobs.st.session_state == {}
    jobs.st.session_state["job"] = second
    assert jobs.job_of_visitor("that", endless) is second  # the connection was lost and is back
    assert second.runs
    jobs.end_job()
    assert has_ended(second)


def test_job_gives_its_latest_frame_to_all_visitors_who_want_it(line, monkeypatch):
    go_on, who = threading.Event(), ["one"]

    def frames():
        yield None  # no frame yet
        yield "first"
        assert go_on.wait(30)
        yield "last"
        yield None

    monkeypatch.setattr(turns, "page", turns.Page(visitor=lambda: who[0]))
    monkeypatch.setattr(turns, "look", lambda: None)
    job = began(Job("this", frames))
    job.wait(30, seen=None)
    assert (job.frame, job.runs) == ("first", True)
    who[0] = "two"
    job.want()
    who[0] = "one"
    job.leave()
    go_on.set()
    assert wait_for(job).done  # visitor "two" still wants it
    assert job.frame == "last"


def test_resumed_job_continues_with_the_next_frame(line):
    seen = []
    job = Job("this", lambda: (seen.append(each) or each for each in range(20)))
    job.check = lambda: Job.check(job) or (job.leave() if job.frame == 7 else None)
    assert has_ended(began(job))
    assert wait_for(began(job)).done
    assert seen == [*range(20)]


@pytest.fixture
def waiting(held, monkeypatch):
    """Return a page on which a job waits for its turn."""
    monkeypatch.setattr(store, "AT_ONCE", 10.0)
    monkeypatch.setattr(store, "WITHOUT_BUTTON", compute.Limit(0.0, 0))
    app = open_page("score_variance", n_samples="1000", d_k="3")
    return app.button(key="compute_main").click().run()


def test_page_shows_the_progress_of_a_job_and_then_its_picture(waiting, held):
    app, job = waiting, waiting.session_state["job"]
    while not job.before:
        time.sleep(0.01)
    app.run()
    assert app.get("progress")[0].proto.text == "One before you"
    assert "score_histograms" not in charts(app)
    held.set()
    wait_for(job)
    app.run()
    assert "score_histograms" in charts(app)
    assert app.get("progress") == []
    assert not app.exception


def test_cancelled_computation_gets_its_button_again(waiting):
    app, job = waiting, waiting.session_state["job"]
    app.button(key="cancel_main").click().run()
    assert has_ended(job)
    assert app.button(key="compute_main").label == "Compute (about 1 s)"
    assert not app.exception


def another_setting(app):
    app.number_input(key="seed").set_value(5).run()


def another_page(app):
    app.switch_page("../start.py").run()


@pytest.mark.parametrize("leave", [another_setting, another_page])
def test_job_ends_when_its_visitor_changes_a_setting_or_the_page(waiting, leave):
    job = waiting.session_state["job"]
    leave(waiting)
    assert has_ended(job)
    assert not waiting.exception


def test_job_ends_when_the_browser_fetches_the_next_picture(waiting, monkeypatch):
    job = waiting.session_state["job"]
    monkeypatch.setattr(store, "WITHOUT_BUTTON", compute.WITHOUT_BUTTON)
    another_setting(waiting)
    assert has_ended(job)
    assert "score_histograms" in charts(waiting)
