"""The training race of one visitor: settings, presets, and the live race.

A short race, or one that this server has run before, is shown as soon as the page is opened, a setting is changed or a
try is clicked; a long one waits for its button. A move of d_k neither starts nor stops a race: the picture shows the
start of a race at the new d_k, and the last race is kept, its d_k in the address. A placed bet runs a short race.

A race is played step by step. A job trains it as fast as possible; the page draws one kept step after another, slowly
enough for the eye, and requests a run from Streamlit for the next one, so that clicks are handled in between. At rest,
a dial selects a kept step, and its ▶ plays them again; so the button Train appears only for an untrained race.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from pages._view import compute
from pages._view._streamlit import StreamlitAPIException
from pages._view.compute import rates, turns
from pages._view.lesson import TRAINED
from pages._view.lessons.training_race import figures, work
from pages._view.lessons.training_race.declaration import LAST, LESSON
from pages._view.page import bets, controls, frame, jobs, screen, show
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core.cost import Price
from sattn_core.lessons import training_race as core

_PRESET = "race_preset"
_RACE_D_K = "race_d_k"  # parameter of the address: the d_k of the race
_OWN = "own settings"
_TWIN = "twin"  # (_TWIN, d_k) is the visitor's request for the twin at d_k
_PLAIN = "race"  # the preset of the defaults, which has no description
_PLAYED = work.PLAYED
_KEPT = 60  # approximate number of kept steps of a race
_LOOK = 0.5  # seconds that the page waits for the next kept step
_SOON = 0.02
_ASKED = "race_was_asked"  # session state: True if a bet on the race waited in the last run
_UNTIL_FILM = 0.3  # seconds from a placed bet to its film

Own = tuple[str, Callable[[], None]]


@dataclass
class Run:
    """A visitor's training: the last checkpoint, and the sweep before it if one was requested.

    job: trains while the race is shown live. seen: the last frame taken from the job. at: index of the kept step shown
    while the race is played. due: time from which the next step may be shown. skips: True if only the end is wanted.
    applied: `controls.applied()` when the run began.
    """

    params: core.TrainingRaceParams
    best: bool
    result: core.TrainingRaceResult
    sweep: core.LearningRateSweep | None = None
    playing: bool = False
    sweeping: bool = False
    job: turns.Job | None = None
    seen: object = None
    at: int | None = None
    due: float = 0.0
    skips: bool = False
    applied: int = 0

    @property
    def last(self):
        """The index of the last kept step so far."""
        return len(self.result.steps) - 1

    @property
    def is_whole(self):
        """True if the race is finished, and the slider is at its d_k."""
        return self.here and self.result.progress == 1

    @property
    def here(self):
        """True if the race has begun, and the slider is at its d_k."""
        return self.result.step > 0 and self.params.d_k == controls.address().values["d_k"]


def draw(own: Own) -> None:
    """Draw the race, its buttons and the parts below it; own: title and function of its fold with other races."""
    here = controls.address()
    if here.bet_waits:  # no training, which could reveal the answer
        stop()
        st.session_state[_ASKED] = True
        st.session_state[bets.FILM] = LESSON.stem  # the film may begin as soon as the bet is placed
        _draw_start()
    elif st.session_state.pop(_ASKED, False) and here.guesses is not None and _costs_little():
        _draw_film(own)
    else:
        _draw_race(open_run(), own)


def _draw_start():
    """Draw the start of a race, which reveals nothing, with empty space in place of the buttons."""
    st.container(key="race_progress")
    return show.main(work.start(controls.address().values, frame.profile()), race_d_k=0)


def _draw_film(own):
    """Draw the start of a race, and start the race once the page is drawn."""
    parts = iter(("start", "begin"))

    @st.fragment(run_every=_UNTIL_FILM)  # since a run of the whole page cannot request a fragment's run
    def film():
        part = next(parts, "")
        if part == "start":
            _draw_under(_draw_start(), own, resting=False)
            return
        if part == "begin":
            start()
        run = st.session_state["race_run"]
        _draw_race(run, own)
        if not run.playing:
            st.rerun()

    film()


def _draw_race(run, own):
    advance(run)
    if st.session_state.get(bets.FILM) and not run.playing:
        st.session_state[bets.FILM] = None
        st.rerun()  # so that the line tells the bet's outcome
    draw_buttons(run)
    shown = show.main(main_picture(run, frame.profile()), race_d_k=raced_at(run))
    _draw_under(shown, own, resting=not run.playing)
    if run.playing:
        go_on(stop)


def _draw_under(shown, own, *, resting):
    if frame.more():
        screen.draw_under(LESSON, shown, own, resting=resting)


def _costs_little():
    return work.costs_little(_params(), controls.address().values["rates"] == "best")


def draw_others() -> None:
    """Draw the choice of a preset, its description, and the exact twin of a race."""
    name = st.session_state[_PRESET] = _preset_now()
    titles, hidden = (*core.PRESETS, _OWN), {"label_visibility": "collapsed", "width": 240}
    st.selectbox("Preset", titles, key=_PRESET, format_func=_title, on_change=_choose_preset, **hidden)
    if name not in (_OWN, _PLAIN):
        st.markdown(core.PRESETS[name].teaches)
    _draw_twin(work.equal_d_k(controls.address().values["d_k"]))


def _draw_twin(d_k):
    """Draw the comparison of a training without the scale and its equivalent with the scale, on request."""
    st.markdown("**Can a training without the scale have the same losses as one with it?**")
    if compute.kept(work.train_equal_pairs, d_k) is None and not jobs.asked_for((_TWIN, d_k)):
        st.button("Compare", key="compare_twin", on_click=jobs.ask_for, args=((_TWIN, d_k),))
        return
    pairs = compute.result(work.train_equal_pairs, d_k)
    show.table(figures.twin_table(pairs), key="twin")
    show.plain_lines([figures.twin_line(pairs)])


def draw_buttons(run: Run) -> None:
    """Draw the dial over the kept steps with its ▶, or Train if there is no finished race.

    While a race runs, draw its progress and Stop.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="race_progress"):
        if run.playing or not run.here:
            st.progress(progress(run), show.plain(progress_sentence(run)))
        else:
            _draw_dial(run)
        if run.playing:
            st.button("Stop", icon=":material/stop:", on_click=stop)
        if run.at is not None:
            st.button("Skip to the end", icon=":material/skip_next:", on_click=skip)
        if not (run.playing or run.is_whole):
            st.button("Train", icon=":material/play_arrow:", on_click=start)


def _draw_dial(run):
    """Draw the dial over the kept steps; a linked step between two kept ones becomes the earlier one."""
    *steps, end = run.result.steps.tolist()
    wanted = controls.address().values[TRAINED]
    kept = max(each for each in steps if each <= wanted) if wanted < end else LAST
    if kept != wanted:
        controls.place(TRAINED, kept)
    with st.container(horizontal=True, key="dials"):
        frame.draw_dial(TRAINED, (*steps, LAST), lambda step: f"{end if step == LAST else step:,}")


def main_picture(run: Run, profile: Profile) -> Picture:
    """Return the picture of the race, or of the start of another if the slider has moved on."""
    if run.sweeping if run.at is not None else not run.here:
        return work.start(controls.address().values, profile, trains=not run.playing)
    elsewhere = run.params.d_k != controls.address().values["d_k"]
    return figures.attention(_shown(run), profile, preset=_preset_of(run), elsewhere=elsewhere)


def raced_at(run: Run) -> int:
    """Return the d_k of the race; 0 before its first step."""
    return run.params.d_k if run.result.step else 0


def _shown(run):
    """Return the race at the step that is played, or at the dial's step."""
    step = controls.address().values[TRAINED] if run.at is None else int(run.result.steps[run.at])
    return core.race_at(run.result, step)


def _preset_of(run):
    """Return the preset of the race, even if the slider has moved on."""
    return _preset_now(d_k=run.params.d_k)


def open_run(*, at_once: bool = True) -> Run:
    """Return the visitor's run; make a new one if a setting other than d_k has changed or a try was clicked.

    at_once: True to run a cheap race immediately.
    """
    params, best = _params(), controls.address().values["rates"] == "best"
    run = st.session_state.get("race_run")
    settings = (replace(run.params, d_k=params.d_k), run.best, run.applied) if run else None
    if settings != (params, best, controls.applied()):
        found, raced = None, replace(params, d_k=params.d_k if run else _linked_d_k(params.d_k))
        if at_once:
            found = (compute.result if work.costs_little(raced, best) else compute.kept)(work.train, raced, best)
        jobs.end_job()
        run = st.session_state["race_run"] = Run(raced, best, *(found or (_first_moment(raced),)))
        run.applied = controls.applied()
    if _is_told() and not run.playing and run.params.d_k != params.d_k:
        run = _kept_run(run, params)
    _write_d_k(run if run.params.d_k != params.d_k and run.result.step else None)
    return run


def _is_told():
    """Return True if the line tells the bet's outcome at these settings."""
    here = controls.address()
    return here.guesses is not None and not here.has_moved_on


def _kept_run(run, params):
    """Return the server's finished race for these params, whose outcome the line tells; `run` if it has none."""
    if found := compute.kept(work.train, params, run.best):
        run = st.session_state["race_run"] = Run(params, run.best, *found, applied=run.applied)
    return run


def _linked_d_k(d_k):
    """Return the d_k of the linked race: the slider's, unless the address has another for the race."""
    return controls.address().linked(_RACE_D_K) or d_k


def _write_d_k(run):
    """Write the race's d_k into the address, so that a link shows this race even if the slider has moved on."""
    if run is None:
        st.query_params.pop(_RACE_D_K, None)
    elif st.query_params.get(_RACE_D_K) != str(run.params.d_k):
        st.query_params[_RACE_D_K] = str(run.params.d_k)


def _first_moment(params):
    """Return step 0 of a race, with as many seeds as the memory limit for unrequested computations allows."""
    fewer = (replace(params, n_seeds=n) for n in range(params.n_seeds, 0, -1))
    return next(
        core.race_frames(next(each for each in fewer if each.price.bytes <= compute.UNASKED.bytes), pauses=True)
    )


def start():
    """Train live from the first step, at the slider's d_k."""
    run = open_run(at_once=False)
    if run.params != _params():
        moved = Run(_params(), run.best, _first_moment(_params()), applied=run.applied)
        run = st.session_state["race_run"] = moved
    run.result, run.at, run.due, run.skips = core.race_at(run.result, 0), -1, 0.0, False
    run.playing, run.sweep, run.seen = True, None, None
    st.session_state[bets.FILM] = LESSON.stem
    work_of = partial(_moments, run.best, run.params, run.result)
    run.job = jobs.begin(turns.Job(run.params, work_of, work.race_price(run.params, run.best)))


def stop():
    """Stop the training, keep its steps, and stay at the step shown."""
    run = st.session_state.get("race_run")
    if run and run.playing:
        jobs.end_job()
        _rest(run)


def skip():
    """Skip to the last trained step, and from then on show each step as soon as it is trained."""
    st.session_state["race_run"].skips = True


def _rest(run):
    """Stop playing a race: set the dial to the step shown, and the slider to the race's d_k."""
    at = run.at
    run.playing, run.sweeping, run.at = False, False, None
    if at is None:
        return
    shown = int(run.result.steps[at]) if at >= 0 else LAST
    run.result, run.sweep = compute.kept(work.train, run.params, run.best) or (run.result, run.sweep)
    if run.result.step:
        controls.place(TRAINED, shown if shown < run.result.step else LAST)
        if not run.here:
            frame.put_slider(run.params.d_k)


def advance(run):
    """Advance a playing race to the next kept step, once that is due and trained."""
    if not run.playing:
        return
    played = run.at is not None
    while time.monotonic() < run.due and not run.skips:
        turns.look()
        time.sleep(_SOON)
    run.due = time.monotonic() + _PLAYED / _KEPT
    run.job.wait(0 if played and run.at < run.last else _LOOK, seen=run.seen)
    trains = run.job.runs  # read before the frame, so that the last one is seen
    if run.job.frame:
        run.seen = run.result, run.sweep, run.sweeping = run.job.frame
    if played and not run.sweeping:
        run.at = run.last if run.skips else min(run.at + 1, run.last)
    if not (trains or (played and run.at < run.last)):
        _rest(run)


def go_on(rest):
    """Rerun this fragment; in a run of the whole page, where Streamlit refuses, call `rest` and rerun the page."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:
        rest()
        st.rerun()


def _moments(best, params, before):
    """Yield the race so far and the sweep before it, if requested; None if there is nothing new to show."""
    sweep = (yield from _sweep_moments(params, before)) if best else None
    if sweep:
        compute.keep(sweep, work.sweep_rates, work.sweep_params(params))
    own = replace(params, learning_rates=sweep.best_rates) if best else params
    for result in _new(core.race_frames(own, pauses=True)):
        yield result and (result, sweep, False)
    compute.keep((result, sweep), work.train, params, best)


def _sweep_moments(params, result):
    """Yield the race before the sweep, the sweep so far, and True while the sweep goes on."""
    for sweep in core.sweep_frames(work.sweep_params(params), pauses=True):
        yield result, sweep, sweep.progress < 1
    return sweep


def _new(frames):
    """Yield frames, with None in place of a repeated one."""
    last = None
    for each in frames:
        yield each if each is not last else None
        last = each


def progress_sentence(run):
    """Return a sentence: the training's progress, its place in the queue, or the last race and the time for another."""
    if run.playing and run.job.runs and run.job.before:
        return turns.queue_text(run.job.before)
    if run.sweeping:
        return f"Learning rates: {run.sweep.progress:.0%}"
    if run.playing:
        step = run.result.steps[max(run.at or 0, 0)]
        return f"Training: step {step:,} of {run.params.n_steps:,}, dₖ = {run.params.d_k:,}"
    last = f"The last race was at dₖ = {run.params.d_k:,}. " if run.result.step else ""
    return f"{last}Train takes {work.time_of(_params(), run.best)}"


def progress(run):
    """Return the finished share of the sweep or of the race."""
    return run.sweep.progress if run.sweeping else _shown(run).progress


def about(price: Price) -> str:
    """Return the duration of a computation on this machine as text."""
    return work.about(rates.here(price))


def _params():
    return work.params(controls.address().values)


def _preset_settings(name):
    """Return the controls' values for a preset; controls that it does not set have their defaults."""
    preset = core.PRESETS[name]
    params = core.TrainingRaceParams(**preset.changes)
    return {
        "d_k": params.d_k,
        "optimizer": params.optimizer,
        "rates": "best" if preset.best_rates else "fixed",
        "learning_rate": params.learning_rate,
        "loss": params.loss,
        "data": "fresh" if params.fresh_data else "fixed",
        "values": "trained" if params.train_values else "fixed",
        "start": "scores" if params.init_exponents else "weights",
        "n_pairs": params.n_keys,
        "n_steps": params.n_steps,
    }


def _preset_now(**moved):
    """Return the preset that matches the controls and `moved`; d_k may differ if the preset does not set it."""
    for name, preset in reversed(core.PRESETS.items()):
        wanted, values = _preset_settings(name), controls.address().values
        free = () if "d_k" in preset.changes else ("d_k",)
        if all(moved.get(key, values[key]) == value for key, value in wanted.items() if key not in free):
            return name
    return _OWN


def _choose_preset():
    name = st.session_state[_PRESET]
    if name not in core.PRESETS:
        return
    own_d_k = any("d_k" in core.PRESETS[each].changes for each in (name, _preset_now()) if each in core.PRESETS)
    for key, value in _preset_settings(name).items():
        if key != "d_k" or own_d_k:  # else the visitor's d_k stays
            controls.place(key, value)
    _write_d_k(None)
    st.session_state.pop("race_run", None)  # a cheap race of the preset then runs at once
    st.rerun()


def _title(name):
    return core.PRESETS[name].title if name in core.PRESETS else "Your own settings"
