"""The parts every lesson is put together from: pictures with their sentences and data, suggestions, prose, folds."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from pages._view import compute
from pages._view._streamlit import DeltaGenerator
from pages._view.compute import rates, turns
from pages._view.lesson import Lesson
from pages._view.lessons import LESSONS, ORDER
from pages._view.literal import as_code, written
from pages._view.literal import plain as plain
from pages._view.page import bets, controls, frame, jobs, wall
from pages._view.page.components import draw_picture, draw_saving, follow_tries
from pages._view.picture import Figure, Picture, Table
from pages._view.stage import LEAST_UNDER_CARD, payload
from pages._view.theme import number

FOLDERS = Path(__file__).resolve().parents[1] / "lessons"
T = TypeVar("T")
INSTALL = "# Once, in a copy of this project: pip install ./sattn_core\n"
_FIGURE = "Download this figure (Plotly, JSON)"
_PLOTLY = "# The figure as it stands, from its file. Once: pip install plotly"
LONGEST_TABLE = 16  # rows; a longer one scrolls in a box of its own
TABLE_HEIGHT = 520  # pixels
MOST_ROWS = 200  # of a table on the page: thousands would make it slow, and nobody reads them there
_EVERY = 0.3  # seconds between two looks at what is being computed
_NAMES = {jobs.MAIN: "main", jobs.BESIDE: "beside"}  # in the keys of what stands in the place of a picture
_NEARLY = 0.95  # of the bar, for what takes longer than expected


def prose(lesson: Lesson, name: str = "prose") -> None:
    """Write a longer explanation, kept as Markdown in the lesson's folder."""
    st.markdown((FOLDERS / lesson.stem / f"{name}.md").read_text(encoding="utf-8"))


def folds(lesson: Lesson) -> None:
    """Draw the folds at a lesson's end: what it assumes, the myths about it, its sources, and what says more."""
    if lesson.assumed:
        with st.expander("What is assumed", key="assumed", icon=":material/checklist:"):
            st.markdown(lesson.assumed)
    if lesson.myths:
        with st.expander("Myth and fact", key="myths", icon=":material/balance:"):
            st.markdown(markdown_table([("You may hear", "In fact"), *lesson.myths]))
    if lesson.sources:
        with st.expander("Sources", key="sources", icon=":material/menu_book:"):
            st.markdown("\n".join(f"- {source}" for source in lesson.sources))
    for other in map(LESSONS.__getitem__, lesson.see):
        st.page_link(frame.file_of(other), label=f"See also: {other.question}", icon=other.icon)


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of Markdown as one table; the first row is its head."""
    head, *body = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["--"] * len(head), *body))


def picture(shown: Picture, *, per_row: int = 3, sentence_first: bool = False, resting: bool = True) -> None:
    """Draw a picture with its live sentence, which is also its description, and its data to take away.

    Figures that may be taller than the window let the sentence go first. One that goes on changing is not resting:
    its data come later.
    """
    if shown.claim:
        claim(shown.claim)
    lesson = controls.current_lesson()
    bet_is_here = lesson.bet is not None and lesson.bet.on == shown.key
    _draw(frame.stage().marked(shown) if bet_is_here else shown, per_row, above=sentence_first)
    if shown.key != lesson.pictures[0]:
        tries(lesson, shown.key)
    how_sure(shown)
    if resting:
        data(shown)


def small(shown: Picture) -> None:
    """Draw a picture and its sentence; its data come elsewhere."""
    _draw(shown, 1, above=False)


def claim(text: str) -> None:
    """Write the title of a second picture or table: what it shows."""
    st.header(plain(text), anchor=False)


def main(at_rest: Picture | None = None, **moved: Any) -> Picture | None:
    """Draw the main picture with its sentence; it follows the slider while it is dragged.

    at_rest: what is shown instead until the slider is moved. moved: values that go on by themselves, beyond those of
    their controls. Returns the picture, or None if it takes so long that the visitor is asked first, or if a bet on it
    waits: then what is known of it stands here.
    """
    stage = frame.stage(**moved)
    if stage.address.shows_bet or wall.has_card():
        stage = replace(stage, least=LEAST_UNDER_CARD)
    wall.tell()
    wall.draw_card()
    bets.draw_card()
    if stage.address.asks_bet:
        known, told = stage.payload_before(bets.draft())
        draw_picture(told, key=known.key, on_drawn=bets.keep_drawing)
        return None
    params = stage.params
    if params and not is_computed(params, lambda: stage.picture):
        return None
    shown = at_rest or stage.picture_at_rest
    draw_picture(stage.payload(stage.marked(shown)), key=shown.key)
    return shown


def behind(shown: Picture | None) -> None:
    """Draw the folds of the main picture: how sure it is, its data and its code."""
    if shown:
        how_sure(shown)
        data(shown)


def how_sure(shown: Picture) -> None:
    """Draw the fold with what a careful reader wants to know of a picture, written when it is opened."""
    if not (shown.sure or shown.checks):
        return
    box = st.expander("How sure?", key=f"{shown.key}_sure", on_change="rerun", icon=":material/straighten:")
    if box.open:
        with box:
            plain_lines(shown.sure)
            if shown.checks:
                st.table(shown.checks)


def _draw(shown, per_row, *, above):
    """Draw the figure and its sentence, which one figure brings with it."""
    alone = isinstance(shown.figure, Figure)
    if above:
        _live_sentence(shown)
    if alone:
        draw_picture(_payload(shown, shown.key, bare=above), key=shown.key)
    elif isinstance(shown.figure, str):
        with st.container(key=f"lines_{shown.key}"):
            st.markdown(shown.figure)
    else:
        _draw_side_by_side(shown, per_row)
    if not above and not alone:
        _live_sentence(shown)


def _payload(shown, name, *, bare):
    """Return the data for the script of a picture that follows no slider."""
    return payload(shown.drawn(), name) | {"bare": bare}


def _draw_side_by_side(shown, per_row):
    """Draw figures that belong together, each described by its title and their sentence."""
    for row in batched(shown.figure.items(), per_row):
        with st.container(key=f"row_of_{per_row}_{row[0][0]}"):
            columns = st.columns(len(row))
        for column, (name, fig) in zip(columns, row, strict=True):
            one = replace(shown, figure=fig, alt=f"{_title_of(fig)}. {shown.spoken()}")
            with column:
                draw_picture(_payload(one, name, bare=True), key=name)


def _title_of(figure):
    return as_code(figure.layout["title"]["text"]).replace("<br>", " ")


def pair(name: str) -> Sequence[DeltaGenerator]:
    """Return two columns: side by side where both fit, else one below the other."""
    if controls.address().bet_waits:  # what stands beside the picture is hidden
        return [st.container(), st.container()]
    with st.container(key=f"pair_{name}"):
        return st.columns(2)


def _live_sentence(shown):
    with st.container(key=f"sentence_{shown.key}"):
        st.markdown(plain(shown.sentence))


def formula(latex: str, sentence: str) -> None:
    """Write a formula with the numbers of the moment behind it."""
    st.markdown(f"${latex}$. {plain(sentence)}")


def formulas(pairs: Iterable[tuple[str, str]]) -> None:
    """Write formulas, each with the numbers of the moment behind it."""
    for latex, sentence in pairs:
        formula(latex, sentence)


def is_computed(
    params: Any, work: Callable[[], object], place: str = jobs.MAIN, limit: compute.Limit | None = None
) -> bool:
    """Return True if what costs this much can be drawn; if not, say how long it takes, or how far it is."""
    if compute.needs_button(params, limit) and jobs.asked_for(params):
        job = jobs.job_of_visitor(params, work, place)
        job.wait(_EVERY)  # what is kept is there at once
        if not job.done:
            _progress(place)
        return job.done
    jobs.end_job(place)
    if compute.needs_button(params, limit):
        _ask(params, _NAMES[place])
    return not compute.needs_button(params, limit)


def _ask(params, name):
    """Draw a button that computes these params, with how long it takes."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"ask_{name}"):
        label = f"Compute (about {_duration(rates.here(params.price))})"
        st.button(label, key=f"compute_{name}", on_click=jobs.ask_for, args=(params,), icon=":material/play_arrow:")
        st.markdown("These settings take longer than a moment.")


@st.fragment(run_every=_EVERY)
def _progress(place):
    """Draw how far the visitor's job is, with a button to end it; the picture, once it is done."""
    job, name = jobs.job_at(place), _NAMES[place]
    if job:
        job.wait(0)  # raises what went wrong
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
    """Return rows of at most size items (itertools.batched is of Python 3.12)."""
    items = tuple(items)
    return [items[first : first + size] for first in range(0, len(items), size)]


def lines(names_and_sentences: Iterable[tuple[str, str]]) -> None:
    """Write a calculation line by line: each a name in Markdown and the numbers of the moment."""
    st.markdown("\n\n".join(f"{name}: {plain(sentence)}" for name, sentence in names_and_sentences))


def plain_lines(sentences: Iterable[str]) -> None:
    """Write short paragraphs with nothing in them to read as markup."""
    st.markdown("\n\n".join(map(plain, sentences)))


def remarks(sentences: Iterable[str]) -> None:
    """Write what a visitor should know of the numbers that are shown."""
    for sentence in sentences:
        st.info(plain(sentence), icon=":material/info:")


def problems(sentences: Iterable[str]) -> None:
    """Write what cannot be read and what is allowed, one sentence each; the typed text stays where it is."""
    for sentence in sentences:
        st.error(plain(sentence), icon=":material/edit:")


def table(columns: Table, *, key: str) -> None:
    """Draw a short table that follows a slider, as Markdown: Streamlit's own table takes twice as long to draw."""
    rows = [[*columns], *([*map(plain, row)] for row in zip(*columns.values(), strict=True))]
    with st.container(key=f"table_{key}"):
        st.markdown(markdown_table(rows))


def data(shown: Picture) -> None:
    """Draw the fold with the picture's table, its CSV file and the Python that computes it, made when opened."""
    key = shown.key
    box = st.expander("Data, picture and code", key=f"{key}_data", on_change="rerun", icon=":material/table:")
    if box.open:
        with box:
            if shown.note:
                st.markdown(plain(shown.note))
            _begin_table(shown.table)
            for label, name, table in _files(shown):
                download(label, partial(as_csv, table), f"{name}.csv", "text/csv", key=f"{name}_csv")
            _saving(shown)
            for name, figure in _figures(shown).items():
                label = _FIGURE if name == shown.key else f"{_FIGURE}: {_title_of(figure)}"
                download(label, figure.to_json, f"{name}.json", "application/json", key=f"{name}_json")
            st.code(INSTALL + shown.code + drawing_code(_figures(shown)), language="python", wrap_lines=True)


def _begin_table(table):
    """Draw a table; of a very long one the first rows."""
    rows = len(next(iter(table.values())))
    first = {name: column[:MOST_ROWS] for name, column in table.items()}
    st.table(readable(first), height=TABLE_HEIGHT if rows > LONGEST_TABLE else "content")
    if rows > MOST_ROWS:
        st.caption(f"The first {MOST_ROWS} of {rows:,} rows. The file has them all.")


def drawing_code(names: Iterable[str]) -> str:
    """Return the Python that draws figures from the files that this page makes of them."""
    lines = [f'plotly.io.read_json("{name}.json").show()' for name in names]
    return "\n".join(["", _PLOTLY, "import plotly.io", "", *lines, ""]) if lines else ""


def _figures(shown):
    """Return the figures by the names of their files; those of a table or of the hero are none of Plotly's."""
    if isinstance(shown.figure, Figure):
        return {shown.key: shown.figure}
    return {} if isinstance(shown.figure, str) else dict(shown.figure or {})


def _saving(shown):
    """Draw the buttons that save the picture as it is seen; a table of Markdown is none."""
    if isinstance(shown.figure, str):
        return
    here = controls.address()
    slider = here.lesson.slider
    name = f"{shown.key}_{slider}_{here.values[slider]}" if slider else shown.key
    draw_saving(name, list(_figures(shown)), shown.sentence, key=f"{shown.key}_saving")


def _files(shown):
    files = [("Download this table (CSV)", shown.key, shown.table)]
    if shown.bins:
        files.append((f"Download {shown.bins_name} (CSV)", f"{shown.key}_bins", shown.bins))
    return files


def readable(table: Table) -> Table:
    """Return the table as it is shown: numbers with the digits of the sentences, the file has them all."""
    return {_heading(name): [_said(each, name) for each in column] for name, column in table.items()}


def _heading(name):
    return written(name).removeprefix("The ").replace("_", " ")


def _said(value, name):
    if value is None:
        return "none"
    if isinstance(value, float):
        return number(value, 2 if "error" in name else 3)
    return _in_words(written(value)) if isinstance(value, str) else value


def _in_words(text):
    """Return a name that only the code uses as words."""
    return text.replace("_", " ") if text.isidentifier() else text


def download(label: str, make: Callable[[], str | bytes], file_name: str, mime: str, *, key: str) -> None:
    """Draw a button for a file that is made when it is asked for."""
    # No run of the page at the click: a new run forgets the file that the browser is about to ask for.
    st.download_button(label, make, file_name, mime, key=key, on_click="ignore")


def tries(lesson: Lesson, picture: str = "") -> None:
    """Draw the buttons by a picture, the main one if none is named, each with its promise as its label.

    A click sets the controls that make it true, and the browser shows it, see `tries.js`.
    """
    here = [each for each in lesson.tries if each.picture == picture]
    if not here:
        return
    key = picture or lesson.pictures[0]
    with st.container(key=f"tries_{key}"):
        st.markdown("**Try this**")
        for each in here:
            args = (each.settings, key)
            st.button(plain(each.promise), key=f"try_{each.key}", on_click=controls.try_out, args=args)
        ahead = {each.key: controls.not_on(each.settings) for each in here}
        follow_tries(ahead, controls.tried(key), key=key)


def path(here: Lesson) -> None:
    """Draw the way on from a section's first lesson: a card for each of the others, and links to each section."""
    sections: dict[str, list[Lesson]] = {}
    for stem in ORDER:
        sections.setdefault(LESSONS[stem].section, []).append(LESSONS[stem])
    on_path = list(enumerate(sections.pop(here.section), start=1))
    with st.container(key="path"):
        st.header(here.section, anchor=False)
        for row in batched([(i, lesson) for i, lesson in on_path if lesson is not here], 3):
            for column, (i, lesson) in zip(st.columns(len(row)), row, strict=True):
                _draw_card(column, i, lesson)
        for name, others in sections.items():
            with st.container(horizontal=True, vertical_alignment="center", key=f"links_{others[0].stem}"):
                st.markdown(f"**{name}**")
                for lesson in others:
                    st.page_link(frame.file_of(lesson), label=lesson.question)


def _draw_card(column, i, lesson):
    with column.container(border=True, height="stretch"):
        label, said = f"**{i}. {lesson.question}**", bets.proposed()
        st.page_link(frame.file_of(lesson), label=label, icon=lesson.icon, query_params=said)
        st.markdown(lesson.card)


def cards(items: Iterable[tuple[str, str, Sequence[str]]], per_row: int = 3) -> None:
    """Draw bordered cards in rows; each is a title, a formula in LaTeX and lines of text."""
    for row in batched(items, per_row):
        for column, (title, latex, texts) in zip(st.columns(per_row), row, strict=False):
            with column.container(border=True, height="stretch"):
                st.markdown("\n\n".join((f"**{plain(title)}**", f"${latex}$", *map(plain, texts))))


def exhibit(title: str, cause: str, place: str, url: str, note: str) -> None:
    """Write a mistake in the public record: what went wrong, and a link to where it was seen."""
    st.markdown(f"**{plain(title)}.** {plain(cause)}\n\nSeen in [{plain(place)}]({url}). {plain(note)}")


def as_csv(table: Table) -> str:
    """Return columns as CSV text, numbers in full precision."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return out.getvalue()
