"""The dose-response table of the training race: one job computes it for all visitors of a server."""

from functools import partial

from pages._view.compute.turns import Job
from pages._view.page.fragments.training_race import race
from pages._view.page.jobs import begin, job_at
from sattn_core.lessons.training_race import HALF_DECADES, DoseTable, dose_frames, dose_price
from sattn_core.training.key_value_memory import OPTIMIZERS

SEEDS, STEPS = 3, 300
_REDRAWN = 0.5  # seconds between two updates of a growing table


def new_job(optimizer):
    """Return the job that computes the table of an optimizer."""
    whole = _whole(optimizer)
    return Job(optimizer, partial(dose_frames, **whole, pauses=True), dose_price(**whole))


def _whole(optimizer):
    return {"optimizers": (optimizer,), "n_steps": STEPS, "n_seeds": SEEDS}


JOBS = {optimizer: new_job(optimizer) for optimizer in OPTIMIZERS}


def open_table(optimizer):
    """Return the job, the table so far, and True if the visitor waits for more; wait a moment here if so."""
    job = JOBS[optimizer]
    mine = job_at() is job
    if mine:
        job.wait(_REDRAWN)
    waits = mine and job.runs  # read before the table, so that the last update is drawn
    return job, job.frame or DoseTable((), 0.0), waits


def want(optimizer):
    """Start the job for the table, or a new job if the table is finished."""
    if JOBS[optimizer].done:
        JOBS[optimizer] = new_job(optimizer)
    begin(JOBS[optimizer])


def label(optimizer):
    """Return the button's label, which says how long the table takes."""
    return f"Compute the table, {race.about(dose_price(**_whole(optimizer)))}"


def progress(table):
    """Return the finished share of the table as text."""
    return f"{table.progress:.0%} of the table"


def origin(job, table):
    """Return a sentence on when and how the table was computed."""
    if not table.progress:
        return "Not computed since this server was started."
    at = job.when.strftime("%d %B %Y, %H:%M UTC")
    rates = len(HALF_DECADES[job.wanted])
    how = f"{rates} learning rates for each scale, {STEPS} steps, {SEEDS} seeds, {job.wanted}"
    state = "Computed" if table.progress == 1 else f"{table.progress:.0%} computed"
    return f"{state} on this server, {at}, in {job.spent:.0f} seconds: {how}. Every visitor sees this table."
