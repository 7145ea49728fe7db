"""The jobs that a visitor waits for: one for the main picture, and one for the parts below it."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages._view import _streamlit
from pages._view.compute import turns
from pages._view.compute.turns import Job

MAIN, BESIDE = "job", "job_beside"  # keys of the session state

turns.page = turns.Page(_streamlit.session_id, _streamlit.is_connected, _streamlit.end_run_if_asked, st.empty)


def asked_for(params: Any) -> bool:
    """Return True if the visitor has asked for a computation with these params."""
    return params in st.session_state.get("asked", ())


def ask_for(params: Any) -> None:
    """Note that the visitor wants these params computed, however long it takes."""
    st.session_state.setdefault("asked", set()).add(params)


def cancel(params: Any, place: str) -> None:
    """Note that the visitor no longer wants these params computed."""
    st.session_state["asked"].discard(params)
    end_job(place)


def begin(job: Job, place: str = MAIN) -> Job:
    """Make the visitor wait for this job, instead of any other at this place of the page."""
    if job_at(place) is not job:
        end_job(place)
        st.session_state[place] = job
    job.want()
    return job


def job_at(place: str = MAIN) -> Job | None:
    """Return the job that the visitor waits for at this place, or None."""
    job: Job | None = st.session_state.get(place)
    return job


def job_of_visitor(wanted: Any, work: Callable[[], object], place: str = MAIN) -> Job:
    """Return the visitor's only job at this place: the current one if it computes the same params, else a new one."""
    job = job_at(place)
    return begin(job if job and job.wanted == wanted else Job(wanted, work), place)


def end_job(place: str = MAIN) -> None:
    """Let the visitor no longer wait for the job at this place."""
    job = st.session_state.pop(place, None)
    if job:
        job.leave()


def end_jobs() -> None:
    """Let the visitor no longer wait for any job."""
    for place in (MAIN, BESIDE):
        end_job(place)
