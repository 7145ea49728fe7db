"""The training race of one visitor: its settings, its presets, and the race as it is run live.

A race that takes a moment, or that this server has run before, is there at once; a long one waits for its
button. While one is shown live the page trains on for a few checkpoints, draws them and asks Streamlit for
its next run, in which a click counts.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages._view import compute, controls, show
from pages._view.dose import SEEDS, STEPS
from pages._view.figures import passing
from pages._view.figures import training_race as figures
from sattn_core.lessons.training_race import PRESETS, LearningRateSweep, TrainingRaceParams, TrainingRaceResult

SETTINGS = (
    "optimizer",
    "rates",
    "learning_rate",
    "loss",
    "data",
    "values",
    "start",
    "n_pairs",
    "n_steps",
    "n_seeds",
    "own_exponent",
)
_PRESET = "race_preset"
_OWN = "own settings"
_PER_ROW = 4
_EXPONENTS = (0.0, 0.5, 1.0)
_AT_ONCE = 1.3  # seconds: the default race up to d_k = 256
_BETWEEN = 0.12  # seconds between two pictures, so that a browser keeps up and an eye can follow
_PICTURES = 16


@dataclass
class Run:
    """What a visitor has trained: the last checkpoint, and the sweep before it where one was asked for."""

    params: TrainingRaceParams
    best: bool
    result: TrainingRaceResult
    sweep: LearningRateSweep | None = None
    playing: bool = False
    sweeping: bool = False
    moments: Iterator | None = None

    @property
    def complete(self):
        return self.result.progress == 1


def draw_settings():
    """The preset that the settings are, the settings themselves, and what the preset teaches."""
    name = st.session_state[_PRESET] = _preset_now()
    with st.container(horizontal=True, vertical_alignment="center", key="race_preset_row"):
        hidden = {"label_visibility": "collapsed", "width": 240}
        st.selectbox("Preset", (*PRESETS, _OWN), key=_PRESET, format_func=_title, on_change=_choose_preset, **hidden)
        with st.expander("Settings of the race", key="race_settings", icon=":material/tune:", width=240):
            for row in show.batched(SETTINGS, _PER_ROW):
                for column, setting in zip(st.columns(_PER_ROW), row, strict=False):
                    with column:
                        controls.draw(setting)
        with st.container(key="race_teaches"):
            st.markdown(PRESETS[name].teaches if name in PRESETS else "Your own settings: what do you expect?")


def draw_progress(run):
    """How far the race is, and what it shows once it is finished."""
    if st.session_state[_PRESET] != _preset_now():
        st.rerun()  # a move of d_k can end a preset: then all of the page is drawn
    said = figures.outcome(run.result, _preset_now()) if run.complete else progress_sentence(run)
    st.progress(progress(run), show.plain(said))


def open_run():
    """The visitor's run of the current settings; a new one if they have changed."""
    params, best = _params(), controls.value_of("rates") == "best"
    run = st.session_state.get("race_run")
    if run is None or (run.params, run.best) != (params, best):
        found = compute.kept_race(params, best)
        if not found and compute.race_seconds(params, best) <= _AT_ONCE:
            found = compute.training_race(params, best)
        run = st.session_state["race_run"] = Run(params, best, *(found or (next(compute.training_frames(params)),)))
    return run


def start():
    """Train from the start, live."""
    run = open_run()
    run.playing, run.sweep, run.moments = True, None, _moments(run)


def stop():
    """Keep what is there."""
    run = st.session_state.get("race_run")
    if run:
        run.playing = run.sweeping = False


def advance(run):
    """Train on to the next moment that is shown, while the race is shown live."""
    if run.playing and next(run.moments, None) is None:
        run.playing = False


def go_on(rest):
    """Ask for the next run of this fragment. Where Streamlit draws the whole page it cannot be had: rest there."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:
        rest()
        st.rerun()


def _moments(run):
    """The run after every few checkpoints of the sweep, where one was asked for, and of the race."""
    params = run.params
    if run.best:
        run.sweeping = True
        for run.sweep in _paced(compute.sweep_frames(compute.sweep_params(params))):
            yield run
        params = replace(params, learning_rates=run.sweep.best_rates)
        run.sweeping = False
    for run.result in _paced(compute.training_frames(params)):
        if not run.complete:
            yield run
    compute.keep_race(run.params, run.best, run.result, run.sweep)


def draw(beside, below):
    """The pictures with their sentences and data."""
    for column, picture in zip(st.columns(len(beside)), beside, strict=True):
        with column:
            show.figure(**picture)
    for picture in below:
        show.figure(**picture)


def draw_passing(beside, below):
    """The pictures of one moment of a race that goes on: their data come when it rests."""
    for column, picture in zip(st.columns(len(beside)), beside, strict=True):
        with column:
            _draw_passing(picture)
    for picture in below:
        _draw_passing(picture)


def _draw_passing(picture):
    """A run that asks for the next one leaves what it has not drawn: the words and data of the picture at rest."""
    st.html(passing.html(picture["fig"], picture["sentence"]))
    st.empty()
    st.empty()


def progress_sentence(run):
    """How far the training is, and what it waits for."""
    if run.sweeping:
        return f"Learning rates: {run.sweep.progress:.0%}"
    if run.playing:
        return f"Step {run.result.step:,} of {run.params.n_steps:,}. What the race shows is said at its last step."
    if run.result.step:
        return f"Stopped at step {run.result.step:,} of {run.params.n_steps:,}"
    seconds = ceil(compute.race_seconds(run.params, run.best))
    return f"Press Train: this race takes about {seconds:,} seconds, so it waits for you"


def progress(run):
    """The share of what is being done."""
    return run.sweep.progress if run.sweeping else run.result.progress


def advance_dose(record):
    """Compute a few pieces of the shared table while this visitor waits for it."""
    began = time.monotonic()
    while dose_wanted() and not record.done and time.monotonic() < began + 4 * _BETWEEN:
        record.advance()
    if record.done:
        leave_dose()


def dose_wanted():
    """Whether the visitor waits for the table."""
    return st.session_state.get("dose_wanted", False)


def want_dose(record):
    """Compute the table; a finished one again."""
    if record.done:
        record.restart()
    st.session_state["dose_wanted"] = True


def leave_dose():
    """Stop waiting for the table; what is there stays."""
    st.session_state["dose_wanted"] = False


def dose_progress(record):
    """How much of the table is done."""
    return f"{record.table.progress:.0%} of the table"


def dose_origin(record):
    """When and how the table was computed."""
    if record.when is None:
        return "Not computed since this server was started."
    at = record.when.strftime("%d %B %Y, %H:%M UTC")
    how = f"6 learning rates for each scale, {STEPS} steps, {SEEDS} seeds, {record.optimizer}"
    state = "Computed" if record.done else f"{record.table.progress:.0%} computed"
    return f"{state} on this server, {at}, in {record.seconds:.0f} seconds: {how}. All its visitors see this table."


def _paced(frames):
    """Every few frames and the last, no faster than can be drawn; slow ones all."""
    drawn, every = 0.0, 0
    for i, frame in enumerate(frames):
        every = every or max(1, round(60 / _PICTURES))
        waited = time.monotonic() - drawn
        if frame.progress < 1 and i % every and waited < 4 * _BETWEEN:
            continue
        time.sleep(max(0.0, _BETWEEN - waited))
        drawn = time.monotonic()
        yield frame


def _params():
    settings = {name: controls.value_of(name) for name in SETTINGS}
    return _params_of(controls.value_of("d_k"), controls.value_of("seed"), **settings)


def _params_of(d_k, seed, *, rates, data, values, start, n_pairs, own_exponent, learning_rate, **fields):
    exponents = (*_EXPONENTS, *((own_exponent,) if own_exponent not in _EXPONENTS else ()))
    # Scores at the start have size d_k ** (1/2 − exponent − 2 · init_exponent): here that of 1/√d_k, which is 1.
    init = tuple((0.5 - exponent) / 2 for exponent in exponents) if start == "scores" else None
    return TrainingRaceParams(
        d_k=d_k,
        seed=seed,
        exponents=exponents,
        init_exponents=init,
        n_keys=n_pairs,
        fresh_data=data == "fresh",
        train_values=values == "trained",
        learning_rate=float(learning_rate),
        **fields,
    )


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


def _preset_now():
    """The preset that the controls agree with; d_k is free unless the preset sets it."""
    for name, preset in reversed(PRESETS.items()):
        wanted = _preset_settings(name)
        free = () if "d_k" in preset.changes else ("d_k",)
        if all(controls.value_of(key) == value for key, value in wanted.items() if key not in free):
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


def _title(name):
    return PRESETS[name].title if name in PRESETS else "Your own settings"
