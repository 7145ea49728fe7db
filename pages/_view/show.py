"""The parts every lesson is put together from: heading, figure with its sentence and data, prose."""

import csv
import io
from math import ceil
from pathlib import Path

import streamlit as st

from pages._view import compute, controls, frame
from pages._view.lesson import Lesson
from pages._view.lessons import LESSONS
from pages._view.literal import plain as plain
from pages._view.live import draw_picture
from pages._view.theme import number

ROOMS = Path(__file__).parent / "lessons"
LONGEST_TABLE = 16  # rows; a longer one scrolls in a box of its own
TABLE_HEIGHT = 520  # pixels


def heading(lesson: Lesson) -> None:
    """The lesson's question and its answer in one sentence."""
    st.title(lesson.question, anchor=False)
    st.markdown(lesson.answer)


def prose(lesson: Lesson, name: str = "prose") -> None:
    """A longer explanation, kept as Markdown in the lesson's room."""
    st.markdown((ROOMS / lesson.stem / f"{name}.md").read_text(encoding="utf-8"))


def sources(lesson: Lesson) -> None:
    """What the lesson draws on."""
    st.markdown(f"**Sources.** {' '.join(lesson.sources)}")


def figure(fig, *, key, sentence, table, code):
    """A figure with its live sentence, which is also its description, and its data to take away."""
    passing_figure(fig, key=key, sentence=sentence)
    data(key, table, code)


def passing_figure(fig, *, key, sentence):
    """One moment of a figure that goes on changing: its data come when it rests."""
    draw_picture(fig, key=key, alt=sentence, config=_chart_config(key))
    _live_sentence(key, sentence)


def checked_lines(rows, *, key, sentence, table, code):
    """A Markdown table of formulas under its live sentence; a row with bold words is framed."""
    _live_sentence(key, sentence)
    with st.container(key=f"lines_{key}"):
        st.markdown(rows)
    data(key, table, code, picture="")


def figures(parts, *, key, sentence, table, code, per_row=3, sentence_first=False):
    """Figures that belong together, side by side, with one sentence and one table.

    Figures that may be taller than the window let the sentence go first.
    """
    if sentence_first:
        _live_sentence(key, sentence)
    for row in batched(parts.items(), per_row):
        with st.container(key=f"row_of_{per_row}_{row[0][0]}"):
            columns = st.columns(len(row))
        for column, (name, fig) in zip(columns, row, strict=True):
            alt = f"{fig.layout.title.text.replace('<br>', ' ')}. {sentence}"
            with column:
                draw_picture(fig, key=name, alt=alt, config=_chart_config(name))
    if not sentence_first:
        _live_sentence(key, sentence)
    data(key, table, code)


def pair(name):
    """Two columns side by side where both have room, else one below the other."""
    with st.container(key=f"pair_{name}"):
        return st.columns(2)


def _live_sentence(key, sentence):
    with st.container(key=f"sentence_{key}"):
        st.markdown(plain(sentence))


def formula(latex, sentence):
    """A formula with the numbers of the moment behind it."""
    st.markdown(f"${latex}$. {plain(sentence)}")


def formulas(pairs):
    """Formulas, each with the numbers of the moment behind it."""
    for latex, sentence in pairs:
        formula(latex, sentence)


def ask(params, key):
    """In a picture's place: a button that computes these params, with how long it takes."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"ask_{key}"):
        label = f"Compute (about {_duration(params.price.seconds)})"
        st.button(label, key=f"compute_{key}", on_click=compute.ask_for, args=(params,), icon=":material/play_arrow:")
        st.markdown("These settings take longer than a moment.")


def _duration(seconds):
    return f"{ceil(seconds)} s" if seconds <= 90 else f"{round(seconds / 60)} minutes"


def batched(items, size):
    """Rows of at most size items (itertools.batched is of Python 3.12)."""
    items = tuple(items)
    return [items[first : first + size] for first in range(0, len(items), size)]


def lines(names_and_sentences):
    """A calculation line by line: each a name in Markdown and the numbers of the moment."""
    st.markdown("\n\n".join(f"{name}: {plain(sentence)}" for name, sentence in names_and_sentences))


def plain_lines(sentences):
    """Short paragraphs with nothing in them to read as markup."""
    st.markdown("\n\n".join(map(plain, sentences)))


def remarks(sentences):
    """What a visitor should know of the numbers that are shown."""
    for sentence in sentences:
        st.info(plain(sentence), icon=":material/info:")


def problems(sentences):
    """What cannot be read and what is allowed, one sentence each; the typed text stays where it is."""
    for sentence in sentences:
        st.error(plain(sentence), icon=":material/edit:")


def table(columns, *, key):
    """A short table that follows a slider, as Markdown: Streamlit's own table takes twice as long to draw."""
    rows = [columns, ["--"] * len(columns), *(map(plain, row) for row in zip(*columns.values(), strict=True))]
    with st.container(key=f"table_{key}"):
        st.markdown("\n".join(f"| {' | '.join(row)} |" for row in rows))


def data(
    key,
    table,
    code,
    picture="The picture: use the camera button at the top right of the figure (SVG).",
    parts=None,
    note="",
):
    """The table behind a figure, its CSV file and the Python that reproduces it, made when opened."""
    box = st.expander("Data, picture and code", key=f"{key}_data", on_change="rerun", icon=":material/table:")
    if box.open:
        with box:
            if note:
                st.markdown(plain(note))
            long = len(next(iter(table.values()))) > LONGEST_TABLE
            st.table(readable(table), height=TABLE_HEIGHT if long else "content")
            download("Download this table (CSV)", lambda: as_csv(table), f"{key}.csv", "text/csv", key=f"{key}_csv")
            if parts:
                name = f"{key}_bins"
                download("Download bins and weights (CSV)", lambda: as_csv(parts), f"{name}.csv", "text/csv", key=name)
            st.markdown(picture)
            st.code(code, language="python", wrap_lines=True)


def readable(table):
    """The table as it is shown: numbers with the digits of the sentences, the file has them all."""
    return {name: [_said(each, name) for each in column] for name, column in table.items()}


def _said(value, name):
    if value is None:
        return "none"
    return number(value, 2 if "error" in name else 3) if isinstance(value, float) else value


def download(label, make, file_name, mime, *, key):
    """A button for a file that is made when it is asked for."""
    # No run of the page at the click: a new run forgets the file that the browser is about to ask for.
    st.download_button(label, make, file_name, mime, key=key, on_click="ignore")


def tries(lesson: Lesson) -> None:
    """Buttons, each with its promise as its label; a click sets the controls that make it true."""
    st.markdown("**Try this**")
    for each in lesson.tries:
        st.button(plain(each.promise), key=f"try_{each.key}", on_click=controls.apply, args=(each.settings,))


def steps(*cards):
    """Short steps side by side; each is (title, text, stem of the lesson it leads to)."""
    for column, (title, text, stem) in zip(st.columns(len(cards)), cards, strict=True):
        lesson = LESSONS[stem]
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{title}**\n\n{text}")
            st.page_link(frame.file_of(lesson), label=lesson.question, icon=lesson.icon)


def cards(items, per_row=3):
    """Bordered cards in rows; each is a title, a formula in LaTeX and lines of text."""
    for row in batched(items, per_row):
        for column, (title, latex, texts) in zip(st.columns(per_row), row, strict=False):
            with column.container(border=True, height="stretch"):
                st.markdown("\n\n".join((f"**{plain(title)}**", f"${latex}$", *map(plain, texts))))


def exhibit(title, cause, place, url, note):
    """A mistake in the public record: what went wrong, and a link to where it was seen."""
    st.markdown(f"**{plain(title)}.** {plain(cause)}\n\nSeen in [{plain(place)}]({url}). {plain(note)}")


def as_csv(table):
    """Columns as CSV text, numbers in full precision."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return out.getvalue()


def _chart_config(name):
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["zoom2d", "pan2d", "select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
        "toImageButtonOptions": {"format": "svg", "filename": name},
    }
