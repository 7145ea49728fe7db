"""The training race of one visitor: its settings, its presets, and the race as it is run live.

A race that takes a moment, or that this server has run before, is there when the page is opened, when a setting is
changed and when a suggestion is clicked; a long one waits for its button. A move of d_k starts and stops none: it
shows what the race would start from, and the last race stays; the address says of which d_k that is. While a job
trains, the page draws its latest frame and asks Streamlit for its next run, in which a click counts.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

import streamlit as st

from pages._view import compute, controls, rates, show, turns
from pages._view._streamlit import StreamlitAPIException
from pages._view.lessons.training_race import figures, work
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core.lessons.training_race import (
    PRESETS,
    LearningRateSweep,
    TrainingRaceParams,
    TrainingRaceResult,
    measure_race_start,
    race_frames,
    sweep_frames,
)

_PRESET = "race_preset"
_RACE_D_K = "race_d_k"  # in the address
_OWN = "own settings"
_PLAIN = "race"  # the preset of the defaults, which needs no words
_AT_ONCE = compute.UNASKED.seconds  # of all that the page computes before anybody has asked
_BETWEEN = 0.12  # seconds between two pictures, so that a browser keeps up and an eye can follow
_PICTURES = 16


@dataclass
class Run:
    """What a visitor has trained: the last checkpoint, and the sweep before it where one was asked for.

    job trains while it is shown live, shown is what of its frames was seen last. rests_at is where the slider stood
    when the race was last shown live, applied how many suggestions had been clicked.
    """

    params: TrainingRaceParams
    best: bool
    result: TrainingRaceResult
    sweep: LearningRateSweep | None = None
    playing: bool = False
    sweeping: bool = False
    job: turns.Job | None = None
    shown: object = None
    rests_at: int | None = None
    applied: int = 0
    drawn: tuple[TrainingRaceResult, Profile, tuple[Picture, ...]] | None = None

    @property
    def complete(self):
        return self.result.progress == 1


def draw_buttons(run: Run) -> None:
    """The preset that the settings are and what is different in it; Train, Stop, and how far the training is."""
    name = st.session_state[_PRESET] = _preset_now()
    with st.container(horizontal=True, vertical_alignment="center", key="race_progress"):
        hidden = {"label_visibility": "collapsed", "width": 240}
        st.selectbox("Preset", (*PRESETS, _OWN), key=_PRESET, format_func=_title, on_change=_choose_preset, **hidden)
        st.button("Train", icon=":material/play_arrow:", on_click=start)
        if run.playing:
            st.button("Stop", icon=":material/stop:", on_click=stop)
        st.progress(progress(run), show.plain(progress_sentence(run)))
    if name not in (_OWN, _PLAIN):
        with st.container(key="race_teaches"):
            st.markdown(PRESETS[name].teaches)


def main_picture(run: Run, profile: Profile) -> Picture:
    """The three matrices: of the race, or where the slider has moved on, of what a race would start from there."""
    d_k = controls.value_of("d_k")
    if not _shows_race(run, d_k):
        return figures.attention(compute.result(measure_race_start, _params()), profile)
    elsewhere = run.result.params.d_k != d_k
    return figures.attention(run.result, profile, preset=_preset_of(run), elsewhere=elsewhere)


def _shows_race(run, d_k):
    """Whether the main picture is that of the race: it runs, it is of this d_k, or the slider has not moved since."""
    if run.playing and not run.sweeping:
        run.rests_at = d_k
    if d_k not in (run.rests_at, run.params.d_k):
        run.rests_at = None
    return run.result.step > 0 and d_k in (run.rests_at, run.params.d_k)


def _preset_of(run):
    """The preset that the race is of, where the slider has left it too."""
    return _preset_now(d_k=run.params.d_k)


def curves(run: Run, profile: Profile) -> tuple[Picture, ...]:
    """The curves of a race, side by side; none before its first step. They are drawn once: d_k does not move them."""
    if not run.result.step:
        return ()
    if run.drawn is None or run.drawn[:2] != (run.result, profile):
        run.drawn = run.result, profile, (figures.learning(run.result, profile), figures.state(run.result, profile))
    return run.drawn[2]


def draw_map(run, profile):
    """The map of the learning rates, and the button that has it computed."""
    label = map_label()
    st.button(label, key="map_rates", icon=":material/grid_on:", on_click=start_map, disabled=run.playing)
    if run.sweep:
        draw((figures.rates(run.sweep, profile),), resting=not run.playing)


def open_run(*, at_once: bool = True) -> Run:
    """The visitor's run, a new one if a setting other than d_k has changed or a suggestion was clicked.

    at_once: whether a race that costs little is there at once.
    """
    params, best = _params(), controls.value_of("rates") == "best"
    run = st.session_state.get("race_run")
    settings = (replace(run.params, d_k=params.d_k), run.best, run.applied) if run else None
    if settings != (params, best, controls.applied()):
        found, raced = None, replace(params, d_k=params.d_k if run else _linked_d_k(params.d_k))
        if at_once:
            found = (compute.result if _costs_little(raced, best) else compute.kept)(work.train, raced, best)
        turns.end_job()
        run = st.session_state["race_run"] = Run(raced, best, *(found or (_first_moment(raced),)))
        run.applied = controls.applied()
    _write_d_k(run if run.params.d_k != params.d_k and run.result.step else None)
    return run


def _linked_d_k(d_k):
    """Of which d_k the link says that the race is which it shows: of the slider's, unless that had moved on."""
    return controls.linked_value(_RACE_D_K) if _RACE_D_K in st.query_params else d_k


def _write_d_k(run):
    """Let the address say of which d_k the race is, where the slider has moved on: else a link would show another."""
    if run is None:
        st.query_params.pop(_RACE_D_K, None)
    elif st.query_params.get(_RACE_D_K) != str(run.params.d_k):
        st.query_params[_RACE_D_K] = str(run.params.d_k)


def _costs_little(params, best):
    """Whether a race, and the equal trainings below it, are computed unasked."""
    price = work.race_price(params, best) + work.equal_pairs_price(params.d_k)
    return rates.decided(price) <= _AT_ONCE and params.price.bytes <= compute.UNASKED.bytes


def _first_moment(params):
    """Step 0, of as many of the seeds as are held in memory unasked."""
    fewer = (replace(params, n_seeds=n) for n in range(params.n_seeds, 0, -1))
    return next(race_frames(next(each for each in fewer if each.price.bytes <= compute.UNASKED.bytes), pauses=True))


def start():
    """Train from the start, live, at the d_k of the slider."""
    run = open_run(at_once=False)
    if run.params != _params():
        moved = Run(_params(), run.best, _first_moment(_params()), applied=run.applied)
        run = st.session_state["race_run"] = moved
    _play(run, partial(_moments, run.best))


def start_map():
    """Train every learning rate, live; the race stays as it is."""
    run = open_run(at_once=False)
    _play(run, _sweep_moments)


def _play(run, moments):
    run.playing, run.sweep, run.shown = True, None, None
    run.job = turns.begin(turns.Job(run.params, partial(moments, run.params, run.result)))


def map_label():
    """The button of the map says how long it takes."""
    return f"Map the rates, {about(work.map_price(_params()))}"


def stop():
    """Keep what is there."""
    run = st.session_state.get("race_run")
    if run:
        run.playing = run.sweeping = False
        turns.end_job()


def advance(run):
    """Wait a little for the next moment of a race that is shown live."""
    if not run.playing:
        return
    run.job.wait(4 * _BETWEEN, seen=run.shown)
    run.playing = run.job.runs  # before the frame, so that the last one is seen
    if run.job.frame:
        run.shown = run.result, run.sweep, run.sweeping = run.job.frame


def go_on(rest):
    """Ask for the next run of this fragment, or rest: Streamlit refuses it where the whole page is drawn."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:
        rest()
        st.rerun()


def _moments(best, params, before):
    """The race so far and the sweep before it, where one is asked for: what is to be seen at a step, or None."""
    sweep = (yield from _sweep_moments(params, before)) if best else None
    own = replace(params, learning_rates=sweep.best_rates) if best else params
    for result in _paced(race_frames(own, pauses=True)):
        yield result and (result, sweep, False)
    compute.keep((result, sweep), work.train, params, best)


def _sweep_moments(params, result):
    """The sweep so far, beside the race before it, and whether it goes on."""
    for sweep in _paced(sweep_frames(work.sweep_params(params), pauses=True)):
        yield sweep and (result, sweep, sweep.progress < 1)
    return sweep


def draw(pictures: Sequence[Picture], *, resting: bool) -> None:
    """Pictures side by side; those of a race that goes on have no data to take away until it rests."""
    for column, picture in zip(st.columns(max(1, len(pictures))), pictures, strict=False):
        with column:
            show.picture(picture, resting=resting)
            if not resting:
                st.empty()  # else the data of the picture at rest would stay there


def progress_sentence(run):
    """How far the training is, what it waits for, or which d_k the finished race is of."""
    if run.playing and run.job.before:
        return turns.queue_text(run.job.before)
    if run.sweeping:
        return f"Learning rates: {run.sweep.progress:.0%}"
    place = f"step {run.result.step:,} of {run.params.n_steps:,}, dₖ = {run.params.d_k:,}"
    if run.playing:
        return f"Training: {place}"
    if run.complete and run.params.d_k == controls.value_of("d_k"):
        return f"The race at dₖ = {run.params.d_k:,} is finished"
    if run.result.step and run.params.d_k == controls.value_of("d_k"):
        return f"Stopped at {place}"
    last = f"The last race was at dₖ = {run.params.d_k:,}. " if run.result.step else ""
    return f"{last}Train takes {about(work.race_price(_params(), run.best))}"


def progress(run):
    """The share of what is being done."""
    return run.sweep.progress if run.sweeping else run.result.progress


def about(price):
    """How long that takes on this machine, as a person says it."""
    whole = ceil(rates.here(price))
    return f"about {whole:,} second{'s' if whole > 1 else ''}"


def _paced(frames):
    """The frames that are shown, None for others: every few, the last and the slow, as fast as can be drawn."""
    drawn, every, seen, last = 0.0, max(1, round(60 / _PICTURES)), 0, None
    for frame in frames:
        is_new, last = frame.accuracy is not last, frame.accuracy
        seen += is_new
        waited = time.monotonic() - drawn
        is_shown = frame.progress == 1 or (is_new and seen % every == 1) or waited > 4 * _BETWEEN
        if is_shown:
            time.sleep(max(0.0, _BETWEEN - waited))
            drawn = time.monotonic()
        yield frame if is_shown else None


def _params():
    return work.params(controls.values())


def _preset_settings(name):
    """The controls of a preset: those it changes and the defaults of the others."""
    preset = PRESETS[name]
    params = TrainingRaceParams(**preset.changes)
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
    """The preset that the controls agree with, but for those moved; d_k is free unless the preset sets it."""
    for name, preset in reversed(PRESETS.items()):
        wanted = _preset_settings(name)
        free = () if "d_k" in preset.changes else ("d_k",)
        if all(moved.get(key, controls.value_of(key)) == value for key, value in wanted.items() if key not in free):
            return name
    return _OWN


def _choose_preset():
    name = st.session_state[_PRESET]
    if name not in PRESETS:
        return
    own_d_k = any("d_k" in PRESETS[each].changes for each in (name, _preset_now()) if each in PRESETS)
    for key, value in _preset_settings(name).items():
        if key != "d_k" or own_d_k:  # else the visitor's d_k stays
            controls.place(key, value)
    _write_d_k(None)
    st.session_state.pop("race_run", None)  # that of the preset is there at once, if it costs little
    st.rerun()


def _title(name):
    return PRESETS[name].title if name in PRESETS else "Your own settings"
