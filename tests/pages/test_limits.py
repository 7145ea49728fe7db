"""Costs of the largest computations that a link can request: controls at their ends, alone and together."""

import sys
import time
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType, SimpleNamespace

import pytest
from sampling import sampled

from pages._view import compute
from pages._view.compute import prices, rates, store
from pages._view.figures import story as story_module
from pages._view.kinds import Choice, Number
from pages._view.lesson import STEP
from pages._view.lessons import LESSONS, ORDER, VIEWS
from pages._view.lessons.derivation import squares as squares_module
from pages._view.lessons.gradient_flow import work as gradient_flow_work
from pages._view.lessons.small_samples import by_hand as by_hand_module
from pages._view.lessons.small_samples import together as together_module
from pages._view.lessons.softmax_saturation import outputs as outputs_module
from pages._view.lessons.training_race import transformer as transformer_module
from pages._view.lessons.wrong_choice import curves as curves_module
from pages._view.page import controls, frame, show
from pages._view.page import grids as grids_module
from pages._view.page import screen as screen_module
from pages._view.page.fragments import your_scores as uploads_module
from pages._view.page.fragments.training_race import dose as dose_module
from pages._view.page.fragments.training_race import race as race_module
from pages._view.stage import Stage
from sattn_core.cost import Price
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance
from tests.counting import count
from tests.pages.opening import ANSWERED, app_at, charts, controls_of

PAGES = Path(compute.__file__).resolve().parents[2]
for each in walk_packages([str(PAGES / "_view")], "pages._view."):
    if each.name != "pages._view.main":  # a script, not a module
        import_module(each.name)  # a module first loaded while Streamlit is replaced would keep the replacement


def known_to(stem):
    """Return every control of a lesson, its parameters without a widget, and the number of phones of a class."""
    return controls_of(stem) | dict(LESSONS[stem].unseen) | LESSONS[stem].phones


class Values(dict):
    """Control values that record which of them a page reads."""

    def __init__(self, stem, changed):
        super().__init__({name: control.default for name, control in known_to(stem).items()} | changed)
        self.read = set()

    def __getitem__(self, name):
        self.read.add(name)
        return super().__getitem__(name)


class Anything:
    """A replacement for everything that a page draws with: every operation returns the object itself."""

    def same(self, *_, **__):
        return self

    __call__ = __getattr__ = __getitem__ = __setitem__ = __enter__ = same

    def __exit__(self, *_):
        return None

    def __iter__(self):
        return iter((self, self))


ANYTHING = Anything()


def stand_in_for_streamlit():
    streamlit = ModuleType("streamlit")
    streamlit.__getattr__ = ANYTHING.same
    streamlit.fragment = lambda *function, **_: function[0] if function else (lambda function: function)
    streamlit.columns = lambda spec, **_: [ANYTHING] * (spec if isinstance(spec, int) else len(spec))
    return streamlit


def run(stem, step="", **changed):
    """Run a page's script with these control values; return the computations it requests, and the values it reads.

    `step` is the open step, by default that of an address without a step. Nothing is drawn or computed: a computation
    is (function, args, kwargs).
    """
    lesson, linked, asked = LESSONS[stem], ANSWERED.get(stem, {}), []
    shown = lesson.step(step or lesson.opens)
    values = Values(stem, changed | shown.pinned)
    bet = {"bet": None, "bet_waits": False, "guesses": None}
    here = SimpleNamespace(lesson=lesson, step=shown, values=values, linked=lambda name: linked.get(name, ""), **bet)

    def ask(function, *args, **kwargs):
        asked.append((function, args, kwargs))
        return ANYTHING

    def draw_main(at_rest=None, **_):
        way = VIEWS[stem].of(shown)
        if way.params and compute.needs_button(way.params(values), way.limit):
            return None
        return at_rest or (way.at_rest or way.picture)(values, ANYTHING)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "result", ask)
        patch.setattr(compute, "kept", lambda *_: None)
        patch.setattr(controls, "address", lambda **_: here)
        patch.setattr(controls, "draw", lambda name, **_: values[name])
        patch.setattr(gradient_flow_work, "row_jacobian", lambda *_: (ANYTHING, ""))
        patch.setattr(grids_module, "draw_matrices", lambda names, _: ({name: values[name] for name in names}, True))
        patch.setattr(uploads_module, "draw_both", lambda: (None, None))
        patch.setattr(uploads_module, "_chosen", lambda: (None, None))
        patch.setattr(uploads_module, "remarks", lambda *_: [])
        own_figures = import_module(f"pages._view.lessons.{stem}.figures")
        parts = (
            race_module,
            dose_module,
            transformer_module,
            curves_module,
            outputs_module,
            squares_module,
            story_module,
            by_hand_module,
            together_module,
        )
        for module in (show, *parts, own_figures):
            for name in vars(module).copy():
                if callable(getattr(module, name)) and not name.startswith("__"):
                    patch.setattr(module, name, ANYTHING)
        patch.setattr(dose_module, "open_table", lambda _: (ANYTHING, ANYTHING, False))
        patch.setattr(show, "main", draw_main)
        patch.setattr(show, "is_computed", lambda params, _, __, limit: not compute.needs_button(params, limit))
        patch.setattr(frame, "stage", lambda **_: Stage(here))
        patch.setattr(frame, "profile", ANYTHING)
        patch.setattr(frame, "more", lambda: True)
        patch.setattr(screen_module, "is_filled", lambda *_: True)
        for name in ("draw_turns", "draw_link"):
            patch.setattr(frame, name, ANYTHING)
        patch.setattr(controls, "current_lesson", lambda: LESSONS[stem])
        patch.setattr(controls, "_open", lambda: (LESSONS[stem],))
        streamlit = stand_in_for_streamlit()
        own = [module for name, module in sys.modules.items() if name.startswith(f"pages._view.page.fragments.{stem}")]
        for module in (controls, screen_module, *(module for module in own if hasattr(module, "st"))):
            patch.setattr(module, "st", streamlit)
        patch.setitem(sys.modules, "streamlit", streamlit)
        exec(compile((PAGES / f"{stem}.py").read_text(encoding="utf-8"), stem, "exec"), {"__name__": stem})
    return asked, values.read


def ends(control):
    """Return the extreme values of a control in a link: both bounds of a number, every option of a choice."""
    if isinstance(control, Number):
        return (control.low, control.high)
    return control.options if isinstance(control, Choice) else (control.default,)


def settings_of(stem, names):
    """Yield settings: the defaults; one control at an end; all controls at the same end, except one."""
    by_name = {name: ends(known_to(stem)[name]) for name in names}
    yield {}
    yield from ({name: end} for name in names for end in by_name[name])
    for place in (0, -1):
        together = {name: found[place] for name, found in by_name.items()}
        for name in names:
            yield from (together | {name: end} for end in by_name[name])


@cache
def pages_asked_of(stem):
    """Return the computations that the page requests, as a list of (function, args, kwargs) for each setting."""
    steps = [each.name for each in LESSONS[stem].steps] or [""]
    known = {step: sorted(run(stem, step)[1] & known_to(stem).keys() - {STEP}) for step in steps}
    return [run(stem, step, **each)[0] for step, names in known.items() for each in settings_of(stem, names)]


def asked_of(stem):
    """Return all computations that the page requests at any setting, keyed by their repr."""
    return {repr(each): each for asked in pages_asked_of(stem) for each in asked}


WITHOUT_PRICE = 1.2 * compute.AT_ONCE  # seconds: the most that a computation without a price may take
COUNTED: dict[str, Price] = {}


def price_of(asked):
    """Return the price of a call, or its counted work if it has no price."""
    function, args, kwargs = asked
    return function.price(*args, **kwargs) if hasattr(function, "price") else counted(asked)


def counted(asked):
    """Return the counted work and memory of a call."""
    function, args, kwargs = asked
    key = repr(asked).replace("9999", "0")  # the seed does not change the work
    if key not in COUNTED:
        COUNTED[key] = count(partial(function, *args, **kwargs))
    return COUNTED[key]


def seconds_of(asked):
    return rates.decided(price_of(asked))


@pytest.mark.walk
@pytest.mark.parametrize("stem", ORDER)
def test_unasked_computations_of_a_page_take_at_most_1_s_and_100_mb(stem):
    for asked in pages_asked_of(stem):
        once = {repr(each): each for each in asked}.values()  # the same call is computed once
        assert sum(map(seconds_of, once)) <= compute.UNASKED.seconds, asked
        assert all(price_of(each).bytes <= compute.UNASKED.bytes for each in once), asked
        assert all(hasattr(each[0], "price") or seconds_of(each) <= WITHOUT_PRICE for each in once), asked


def largest_of(stem):
    """Return the calls without a price, and for each priced function the call that holds the most memory."""
    asked = [each for each in asked_of(stem).values() if seconds_of(each) <= compute.WITHOUT_BUTTON.seconds]
    priced = [each for each in asked if hasattr(each[0], "price")]
    most = {each[0]: each for each in sorted(priced, key=lambda each: price_of(each).bytes)}
    return [*(each for each in asked if each not in priced), *most.values()]


@pytest.mark.walk
@pytest.mark.parametrize("stem", sampled(ORDER))
def test_no_computation_exceeds_its_price_in_bytes_or_time(stem):
    for asked in largest_of(stem):
        function, args, kwargs = asked
        most, done = prices.price_of(function, *args, **kwargs), counted(asked)
        assert done.bytes <= most.bytes + 1_000_000, asked
        said = most is not prices.SMALL and not hasattr(function, "price")
        assert not said or done.numbers <= 1.2 * most.numbers, asked


@pytest.mark.walk
def test_all_computations_of_score_variance_stay_within_the_limit():
    beside = [
        sum(seconds_of(each) for each in asked if each[0] is not measure_score_variance)
        for asked in pages_asked_of("score_variance")
    ]
    assert max(beside) + compute.WITHOUT_BUTTON.seconds <= compute.UNASKED.seconds


def test_unasked_computations_are_limited_to_1_s_and_100_mb():
    assert compute.UNASKED == (1.0, 100_000_000)


def test_page_script_runs_with_the_given_values():
    asked, read = run("score_variance", d_k=3, law="uniform", n_samples=1_000)
    assert asked[0][0] is measure_score_variance
    assert asked[0][1][0] == ScoreVarianceParams(3, 1_000, "uniform", n_keys=16)
    assert {"d_k", "law", "seed", "n_samples", "sampling", "n_queries", "n_keys", "correlation"} <= read


def test_too_expensive_computation_is_not_requested():
    asked, _ = run("score_variance", d_k=1024, law="student_t", n_samples=1_000_000)
    assert asked == []


@pytest.fixture
def asking(monkeypatch):
    """Return the score_variance page of a server on which nothing is computed unasked."""
    monkeypatch.setattr(store, "WITHOUT_BUTTON", compute.Limit(0.0, 0))
    return app_at("score_variance", timeout=120, n_samples="1000", d_k="3").run()


def has_histograms(app):
    return "score_histograms" in charts(app)


def test_expensive_pictures_wait_for_a_button_at_each_setting(asking):
    app = asking
    assert app.button(key="compute_main").label == "Compute (about 1 s)"
    assert not has_histograms(app)
    app.button(key="compute_main").click().run()
    while not app.session_state["job"].done:
        time.sleep(0.02)
    assert has_histograms(app.run())
    assert not has_histograms(app.number_input(key="seed").set_value(5).run())
    assert app.button(key="compute_main").label == "Compute (about 1 s)"
    assert has_histograms(app.number_input(key="seed").set_value(0).run())
    assert not app.exception


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.2, "1 s"), (11.3, "12 s"), (90, "90 s"), (91, "2 minutes"), (280, "5 minutes")]
)
def test_button_states_the_duration_of_its_computation(seconds, said):
    assert show._duration(seconds) == said


# Run the most expensive unasked computations to check their prices.
@pytest.mark.walk
@pytest.mark.parametrize("stem", ["score_variance", "training_race"])
def test_most_expensive_unasked_computation_matches_its_price(stem):
    priced = [asked for asked in asked_of(stem).values() if hasattr(asked[0], "price")]
    dearest = max(priced, key=seconds_of)
    function, args, kwargs = dearest
    counted = count(partial(function, *args, **kwargs))
    assert seconds_of(dearest) > 0.2
    assert rates.decided(counted) == pytest.approx(seconds_of(dearest), rel=0.2)
    assert counted.bytes < compute.UNASKED.bytes


def test_answered_recap_requests_the_computations_of_its_pictures():
    asked, read = run("recap", d_k=1024)
    assert {function.__name__ for function, *_ in asked} == {
        "measure_sum", "measure_spread", "measure_correction", "compare_divisors", "tell_story"
    }  # fmt: skip
    assert {"d_k", "seed"} <= read
