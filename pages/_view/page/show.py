"""The parts of every lesson: pictures with sentences and data, tries, prose, folds."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from pages._view import compute, way
from pages._view.compute import rates, turns
from pages._view.lesson import Lesson
from pages._view.lessons import LESSONS
from pages._view.literal import plain as plain
from pages._view.literal import verbatim, written
from pages._view.page import bets, components, controls, frame, jobs, wall
from pages._view.page.components import draw_picture, draw_saving
from pages._view.picture import Picture, Table
from pages._view.stage import payload
from pages._view.theme import number

FOLDERS = Path(__file__).resolve().parents[1] / "lessons"
T = TypeVar("T")
INSTALL = "# Once, in a copy of this project: pip install ./sattn_core\n"
_FIGURE = "Download this figure (Plotly, JSON)"
_PLOTLY = "# The figure as it stands, from its file. Once: pip install plotly"
LONGEST_TABLE = 16  # rows; a longer table scrolls in a box
TABLE_HEIGHT = 520  # pixels
MOST_ROWS = 200  # rows of a table on the page: thousands would make it slow, and nobody reads them there
_EVERY = 0.3  # seconds between two updates of a computation's progress
_NAMES = {jobs.MAIN: "main", jobs.BESIDE: "beside"}  # used in the keys of elements that replace a picture
# Columns with a visitor's text; other texts of a table may hold formulas.
_TYPED: dict[str, Callable[[str], str]] = {"file": verbatim, "problem": plain, "from": verbatim, "to": verbatim}
_NEARLY = 0.95  # share at which the progress bar stops if a computation takes longer than expected


def prose(lesson: Lesson, name: str = "prose") -> None:
    """Write a longer explanation from a Markdown file in the lesson's folder."""
    st.markdown((FOLDERS / lesson.stem / f"{name}.md").read_text(encoding="utf-8"))


def folds(lesson: Lesson) -> None:
    """Draw the folds at the end of a lesson without steps: assumptions, myths, sources and further reading."""
    if lesson.assumed:
        with st.expander("What is assumed", key="assumed", icon=":material/checklist:"):
            st.markdown(lesson.assumed)
    if lesson.myths:
        with st.expander("Myth and fact", key="myths", icon=":material/balance:"):
            st.markdown(markdown_table([("You may hear", "In fact"), *lesson.myths]))
    if lesson.sources:
        with st.expander("Sources", key="sources", icon=":material/menu_book:"):
            st.markdown("\n".join(f"- {source}" for source in lesson.sources))
    _see(lesson)


def background(lesson: Lesson) -> None:
    """Draw the fold of a lesson with steps: assumptions, myths, sources and further reading."""
    with st.expander("Background", key="background"):
        st.markdown(f"**What is assumed**\n\n{lesson.assumed}")
        st.markdown(f"**Myth and fact**\n\n{markdown_table([('You may hear', 'In fact'), *lesson.myths])}")
        sources = "\n".join(f"- {source}" for source in lesson.sources)
        st.markdown(f"**Sources**\n\n{sources}")
        _see(lesson)


def _see(lesson):
    for other in map(LESSONS.__getitem__, lesson.see):
        frame.draw_link(other, f"See also: {other.question}", icon=other.icon)


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of Markdown as a table; the first row is its header."""
    head, *body = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["--"] * len(head), *body))


def small(shown: Picture) -> None:
    """Draw a picture without sliders, with its sentence but without its data."""
    draw_picture(payload(shown.drawn(), shown.key), key=shown.key)


def claim(text: str) -> None:
    """Write the title of a second picture or table: a statement of what it shows."""
    st.header(plain(text), anchor=False)


@dataclass(frozen=True)
class Shown:
    """A picture on the page: its key, and a function that returns it with its data, which only open folds call."""

    key: str
    picture: Callable[[], Picture]
    is_sure: bool = True  # False if it has nothing under "How sure?"


def given(picture: Picture) -> Shown:
    """Return a picture that is computed already."""
    return Shown(picture.key, lambda: picture, bool(picture.sure or picture.checks))


def main(at_rest: Picture | None = None, **moved: Any) -> Shown | None:
    """Draw the main picture with its sentence, which follow the slider; return the picture.

    Its script fetches it, as during a drag, unless only this session can draw it. at_rest: a picture to show instead
    until the slider is moved. moved: values that a running film changes. Return None if the visitor is asked first
    because the picture takes long, or if a bet on it waits, so that only its known part is drawn.
    """
    stage = frame.stage(**moved)
    wall.tell()
    if stage.address.asks_bet:
        draw_picture(stage.payload(stage.known), key=controls.picture_key(stage.known.key))
        bets.draw(stage)
        return None
    params = None if at_rest else stage.params
    if params and not is_computed(params, lambda: stage.picture, limit=stage.limit):
        if waiting := stage.picture_waiting:
            draw_picture(stage.payload(waiting), key=controls.picture_key(waiting.key))
        return None
    if at_rest is None and stage.is_fetched and not components.draws_all():
        shown, told = Shown(stage.address.step.picture, lambda: stage.picture_at_rest), stage.fetched
    else:
        picture = at_rest or stage.picture_at_rest
        shown, told = given(picture), stage.payload(stage.marked(picture))
    draw_picture(told, key=controls.picture_key(shown.key))
    wall.draw_reveal()
    bets.draw(stage)
    return shown


def behind(shown: Shown | None) -> None:
    """Draw the folds of the main picture: "How sure?", and its data and code."""
    if shown:
        how_sure(shown)
        data(shown)


def how_sure(shown: Shown) -> None:
    """Draw the fold with predictions and standard errors; it is filled when opened."""
    if not shown.is_sure:
        return
    box = st.expander("How sure?", key=f"{shown.key}_sure", on_change="rerun", icon=":material/straighten:")
    if box.open:
        with box:
            picture = shown.picture()
            plain_lines(picture.sure)
            if picture.checks:
                st.table(picture.checks)


def formula(latex: str, sentence: str) -> None:
    """Write a formula and a sentence with its current numbers."""
    st.markdown(f"${latex}$. {plain(sentence)}")


def formulas(pairs: Iterable[tuple[str, str]]) -> None:
    """Write formulas, each with a sentence of its current numbers."""
    for latex, sentence in pairs:
        formula(latex, sentence)


def is_computed(
    params: Any, work: Callable[[], object], place: str = jobs.MAIN, limit: compute.Limit | None = None
) -> bool:
    """Return True if these params can be drawn now; else draw a button with the expected time, or the progress."""
    if compute.needs_button(params, limit) and jobs.asked_for(params):
        job = jobs.job_of_visitor(params, work, place)
        job.wait(_EVERY)  # a kept result is ready at once
        if not job.done:
            _progress(place)
        return job.done
    jobs.end_job(place)
    if compute.needs_button(params, limit):
        _ask(params, _NAMES[place])
    return not compute.needs_button(params, limit)


def _ask(params, name):
    """Draw a button that starts the computation and says how long it takes."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"ask_{name}"):
        label = f"Compute (about {_duration(rates.here(params.price))})"
        st.button(label, key=f"compute_{name}", on_click=jobs.ask_for, args=(params,), icon=":material/play_arrow:")
        st.markdown("These settings take longer than a moment.")


@st.fragment(run_every=_EVERY)
def _progress(place):
    """Draw the progress of the visitor's job with a button to cancel it; redraw the picture once it is done."""
    job, name = jobs.job_at(place), _NAMES[place]
    if job:
        job.wait(0)  # raises the job's exception
    if job is None or not job.runs:
        frame.redraw_picture()
        return
    seconds = rates.here(job.wanted.price)
    with st.container(horizontal=True, vertical_alignment="center", key=f"progress_{name}"):
        left = f"About {_duration(max(1, seconds - job.spent))} left"
        st.progress(min(_NEARLY, job.spent / seconds), turns.queue_text(job.before) if job.before else left)
        given = (job.wanted, place)
        st.button("Cancel", key=f"cancel_{name}", icon=":material/close:", on_click=jobs.cancel, args=given)


def _duration(seconds):
    return f"{ceil(seconds)} s" if seconds <= 90 else f"{round(seconds / 60)} minutes"


def batched(items: Iterable[T], size: int) -> list[tuple[T, ...]]:
    """Return batches of at most size items (itertools.batched needs Python 3.12)."""
    items = tuple(items)
    return [items[first : first + size] for first in range(0, len(items), size)]


def lines(names_and_sentences: Iterable[tuple[str, str]]) -> None:
    """Write a calculation line by line, each a name in Markdown and a sentence with its current numbers."""
    st.markdown("\n\n".join(f"{name}: {plain(sentence)}" for name, sentence in names_and_sentences))


def plain_lines(sentences: Iterable[str]) -> None:
    """Write sentences as short paragraphs without markup."""
    st.markdown("\n\n".join(map(plain, sentences)))


def remarks(sentences: Iterable[str]) -> None:
    """Write remarks on the numbers shown."""
    for sentence in sentences:
        st.info(plain(sentence), icon=":material/info:")


def problems(sentences: Iterable[str]) -> None:
    """Write the messages on input that cannot be read; the typed text stays."""
    for sentence in sentences:
        st.error(plain(sentence), icon=":material/edit:")


def table(columns: Table, *, key: str) -> None:
    """Draw a short table that follows a slider, as Markdown: Streamlit's own table takes twice as long."""
    rows = [[*columns], *([*map(plain, row)] for row in zip(*columns.values(), strict=True))]
    with st.container(key=f"table_{key}"):
        st.markdown(markdown_table(rows))


def data(shown: Shown) -> None:
    """Draw the fold with the picture's table, CSV file and Python code, which are made when it is opened."""
    key = f"{shown.key}_data"
    box = st.expander("Data, picture and code", key=key, on_change="rerun", icon=":material/table:")
    if box.open:
        with box:
            _draw_data(shown.picture())


def _draw_data(shown):
    if shown.note:
        st.markdown(plain(shown.note))
    _begin_table(shown.table)
    for label, name, table in _files(shown):
        download(label, partial(as_csv, table), f"{name}.csv", "text/csv", key=f"{name}_csv")
    _saving(shown)
    for name, figure in _figures(shown).items():
        download(_FIGURE, figure.to_json, f"{name}.json", "application/json", key=f"{name}_json")
    st.code(INSTALL + shown.code + drawing_code(_figures(shown)), language="python", wrap_lines=True)


def _begin_table(table):
    """Draw a table, or the first rows of a very long one."""
    rows = len(next(iter(table.values())))
    first = {name: column[:MOST_ROWS] for name, column in table.items()}
    st.table(readable(first), height=TABLE_HEIGHT if rows > LONGEST_TABLE else "content")
    if rows > MOST_ROWS:
        st.caption(f"The first {MOST_ROWS} of {rows:,} rows. The file has them all.")


def drawing_code(names: Iterable[str]) -> str:
    """Return the Python code that draws figures from the files of this page."""
    lines = [f'plotly.io.read_json("{name}.json").show()' for name in names]
    return "\n".join(["", _PLOTLY, "import plotly.io", "", *lines, ""]) if lines else ""


def _figures(shown):
    """Return {file name: figure}; {} for the hero, which Plotly does not draw."""
    return {shown.key: shown.figure} if shown.figure else {}


def _saving(shown):
    """Draw the buttons that save the picture as it is shown."""
    here = controls.address()
    slider = here.step.slider
    name = f"{shown.key}_{slider}_{here.values[slider]}" if slider else shown.key
    draw_saving(name, list(_figures(shown)), shown.sentence, key=f"{shown.key}_saving")


def _files(shown):
    files = [("Download this table (CSV)", shown.key, shown.table)]
    if shown.bins:
        files.append((f"Download {shown.bins_name} (CSV)", f"{shown.key}_bins", shown.bins))
    return files


def readable(table: Table) -> Table:
    """Return the table as shown on the page: numbers rounded as in sentences; the file has all digits."""
    return {_heading(name): [_said(each, name) for each in column] for name, column in table.items()}


def _heading(name):
    return written(name).removeprefix("The ").replace("_", " ")


def _said(value, name):
    if value is None:
        return "none"
    if isinstance(value, float):
        return number(value, 2 if "error" in name else 3)
    if isinstance(value, str) and name in _TYPED:
        return _TYPED[name](value)
    return _in_words(written(value)) if isinstance(value, str) else value


def _in_words(text):
    """Return a name from the code as words."""
    return text.replace("_", " ") if text.isidentifier() else text


def download(label: str, make: Callable[[], str | bytes], file_name: str, mime: str, *, key: str) -> None:
    """Draw a button for a file that is made when it is clicked."""
    # The click must not rerun the page: a rerun forgets the file that the browser is about to request.
    st.download_button(label, make, file_name, mime, key=key, on_click="ignore")


def tries() -> None:
    """Draw the tries of the picture."""
    if text := way.tries_html(controls.address()):
        st.html(text)


def cards(items: Iterable[tuple[str, str, Sequence[str]]], per_row: int = 3) -> None:
    """Draw bordered cards in rows; each has a title, a formula in LaTeX and lines of text, the last with its source."""
    for row in batched(items, per_row):
        for column, (title, latex, texts) in zip(st.columns(per_row), row, strict=False):
            with column.container(border=True, height="stretch"):
                *said, source = texts
                lines = f"**{plain(title)}**", f"${latex}$", *map(plain, said), plain(source, names=True)
                st.markdown("\n\n".join(lines))


def exhibit(title: str, cause: str, place: str, url: str, note: str) -> None:
    """Write about a mistake in published code: its cause, and a link to its report."""
    st.markdown(f"**{plain(title)}.** {plain(cause)}\n\nSeen in [{plain(place)}]({url}). {plain(note)}")


def as_csv(table: Table) -> str:
    """Return columns as CSV text, numbers in full precision."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return out.getvalue()
