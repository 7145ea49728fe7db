"""The fold of your_scores: fields for a visitor's own files, and the report on them or on the sample.

A field never shows a file that this server does not have. It accepts files of any kind: an unreadable file is refused
with advice on how to save it, where the browser would only grey it out.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages._view import compute
from pages._view.compute import turns
from pages._view.lessons.your_scores import figures, work
from pages._view.lessons.your_scores.declaration import LESSON
from pages._view.page import controls, frame, show
from pages._view.picture import Picture
from sattn_core.lessons import your_scores as core

LOST = "Your file is gone: it is forgotten when you leave or are reconnected to another server. Choose it again."
_FIELDS = {"q_file": "Q, or one file with Q and K", "k_file": "K, if Q is a file of its own"}


def picture() -> Picture | None:
    """Return the picture of the step with the visitor's own files, or the reason for a refusal; None without files."""
    here, chosen = controls.address(), _chosen()
    result, own, problems = measure(work.params_of(here.values), *chosen, here.values["head"])
    if problems:
        names = [each.name for each in chosen if each is not None]
        return work.refused(here.step.name, problems[0], names, frame.profile())
    return work.picture(here.step.name, here.values, result, own, frame.profile()) if own else None


def _chosen():
    """Return the last chosen files for Q and for K; None for a missing one."""
    held = (st.session_state.get(st.session_state.get(f"{name}_key")) for name in _FIELDS)
    return [file if hasattr(file, "getvalue") else None for file in held]  # else this server does not have the file


def draw() -> None:
    """Draw the fields, remarks on the files, and all measurements."""
    values = controls.address().values
    params = work.params_of(values)
    files = draw_both()
    show.remarks(remarks(*_FIELDS))
    result, own, problems = measure(params, *files, values["head"])
    show.problems(problems)
    if own:
        show.plain_lines([f"Read as: {'; '.join(figures.taken(result))}."])
    _draw_reading(files)
    with st.container(key="aside_files"):
        show.plain_lines(work.UPLOAD_NOTES)
    if not problems:
        _draw_tables(result)
    with st.container(key="aside_hook"):
        st.markdown("**Take q and k out of a model**")
        show.prose(LESSON, "hook")
        st.markdown(work.HOOK)
    make, name = partial(work.sample_file, params), f"{params.sample}.npz"
    show.download("Download this sample (.npz)", make, name, "application/octet-stream", key="sample_npz")


def _draw_tables(result):
    """Draw two tables: softmax of the scores under each scale, and the heads one by one."""
    st.markdown("**What softmax does with them**")
    show.table(figures.saturation_table(result), key="saturation")
    if figures.has_heads(result):
        st.markdown("**Head by head**")
        show.table(figures.head_table(result), key="heads")


def _draw_reading(files):
    """Draw options that correct how the files are read; text files have more options."""
    names = [each.name for each in files if each is not None]
    if not names:
        return
    is_text = any(core.is_text(name) for name in names)
    asked = [name for name in work.SAID if is_text or name not in work.OF_TEXT]
    with st.container(horizontal=True, key="reading"):
        st.number_input("Heads side by side", 0, core.MAX_HEADS, key="reading_heads")
        for name in asked:
            label, options = work.SAID[name]
            st.selectbox(label, list(options), format_func=options.get, key=f"reading_{name}")


def reading() -> core.Reading:
    """Return the visitor's options for the files, as last set."""
    options = {name: st.session_state.get(f"reading_{name}") for name in ("heads", *work.SAID)}
    return core.Reading(**{name: value for name, value in options.items() if value is not None})


def draw_both() -> list[Any]:
    """Draw the fields for Q and for K side by side; return their files, None for an empty field."""
    files = []
    for column, (name, label) in zip(st.columns(2), _FIELDS.items(), strict=True):
        with column:
            files.append(draw_field(name, label))
    return files


def draw_field(name: str, label: str) -> Any:
    """Draw a field for one file; return the file, or None.

    A browser that is reconnected to another process still shows the file that the first process had. Only a field with
    another key is empty in the browser too. So each field has two possible keys, and a new session tries both: the
    browser may hold a lost file under one of them.
    """
    place, key = st.empty(), st.session_state.get(f"{name}_key")
    if key is None:
        lost = [each for each in (f"{name}_again", name) if _is_lost(place, label, each)]
        st.session_state[f"{name}_key"] = f"{name}_again" if name in lost else name
        st.session_state[f"{name}_had"] = bool(lost)
        if lost:
            st.rerun()
        file, missed = None, _box(name)
    else:
        file = place.file_uploader(label, key=key, on_change=_forget, args=(name,))
        missed = _box(name, ticked=file is None and st.session_state[f"{name}_had"])
    st.session_state[f"{name}_lost"] = missed
    st.session_state[f"{name}_had"] = missed or file is not None
    return file


def remarks(*names: str) -> list[str]:
    """Return a remark for a visitor whose files were lost when another server took over."""
    return [LOST] if any(st.session_state[f"{name}_lost"] for name in names) else []


def _is_lost(place, label, key):
    """Return True if the browser names a file that the server lacks: the field has a state, but no file."""
    return place.file_uploader(label, key=key) is None and st.session_state[key] is not None


def _forget(name):
    """Note that the visitor has removed or replaced the file, so that none is missing."""
    st.session_state[f"{name}_had"] = False


def _box(name, ticked=None):
    """Return the state of an invisible checkbox for a missed file, which the browser sends to the next server."""
    key = f"{name}_missed"
    if ticked is not None:
        st.session_state[key] = ticked
    return st.checkbox("A file is missed", key=key)


def measure(
    params: core.YourScoresParams, q_file: Any, k_file: Any, head: int
) -> tuple[core.YourScoresResult, Sequence[str], list[str]]:
    """Return the report on the visitor's files, or on the sample if there are none; also file names and problems."""
    report, problem = _uploaded(q_file, k_file, head)
    names = tuple(each.name for each in (q_file, k_file) if each is not None) if report else ()
    result = report or compute.result(work.measure_sample, params, head)
    return result, names, [problem] if problem else []


def _uploaded(q_file, k_file, head):
    """Return the report on files, kept in the visitor's session until others are chosen, never in a shared store."""
    if q_file is None:
        st.session_state.pop("your_report", None)
        return None, "A file for K needs a file for Q beside it; choose that one too." if k_file else None
    files = [each for each in (q_file, k_file) if each is not None]
    options = reading()
    key = (*(each.file_id for each in files), head, options)
    if st.session_state.get("your_report", (None,))[0] != key:
        contents = [(each.name, each.getvalue()) for each in files]
        with turns.turn(long=True), st.spinner("Measuring your scores: many heads of many rows take some seconds"):
            report = core.read_your_scores(*contents, head=head - 1, reading=options, check=turns.look)
        st.session_state["your_report"] = key, report
    return st.session_state["your_report"][1]
