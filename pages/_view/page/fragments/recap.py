"""The five questions as cards: first a form, then what was said, what is so, and the way to its lesson."""

from functools import partial

import streamlit as st

from pages._view.kinds import Answer, Choice
from pages._view.lessons import LESSONS
from pages._view.lessons.recap import answers, work
from pages._view.lessons.recap.declaration import QUESTIONS
from pages._view.page import controls, frame, show
from pages._view.picture import Picture

_DOWN = ":material/arrow_forward:"


def shown() -> list[str]:
    """Return the questions on the screen: all, or in a classroom the chosen one, until the rest is asked for."""
    names = list(QUESTIONS)
    return names if frame.more() else [names[int(controls.address().values["asked"]) - 1]]


def draw(name: str) -> Picture | None:
    """Draw a card; return its picture, once the question is answered."""
    said, values = controls.address().linked(name), controls.address().values
    with st.container(border=True, key=f"card_{name}"):
        place = list(QUESTIONS).index(name) + 1
        st.markdown(f"**{place}. {show.plain(QUESTIONS[name].asked.format(d_k=format(values['d_k'], ',')))}**")
        if said == "":
            _ask(name, QUESTIONS[name].answer)
            return None
        verdict, text = work.verdict(name, said, values)
        st.markdown(f"**{verdict}** {show.plain(text)}")
        picture = work.picture(name, said, values, frame.profile())
        show.small(picture)
        _ways_on(name)
        return picture


def _ask(name, answer: Answer):
    with st.form(f"ask_{name}", border=False):
        draft = _draw_draft(name, answer.of)
        if st.form_submit_button("Answer") and draft is not None:
            st.query_params[name] = answer.write(draft)
            st.rerun()


def _draw_draft(name, of):
    """Draw the field of an answer that is not given yet; nothing is filled in."""
    key = f"draft_{name}"
    if isinstance(of, Choice):
        texts = QUESTIONS[name].options
        return st.radio(of.label, of.options, index=None, format_func=texts.get, key=key)
    if of.stops:
        shown = partial(_written, of)
        return st.select_slider(of.label, (None, *of.stops), None, shown, key=key)
    return st.number_input(of.label, of.low, of.high, None, step=None, format="%g", key=key, placeholder="a number")


def _written(of, value):
    return "–" if value is None else of.shown(value)


def _ways_on(name):
    """Draw the links to the lesson that shows it, and back to the question."""
    lesson = LESSONS[QUESTIONS[name].lesson]
    with st.container(horizontal=True, vertical_alignment="center", key=f"ways_{name}"):
        frame.draw_link(lesson, lesson.question, icon=_DOWN)
        st.button("Ask again", key=f"again_{name}", type="tertiary", on_click=_take_back, args=([name],))


def _take_back(names):
    for name in names:
        st.query_params.pop(name, None)


def draw_breath() -> None:
    """Draw the story in one breath, once every question is answered."""
    left = sum(controls.address().linked(name) == "" for name in QUESTIONS)
    with st.container(border=True, key="card_breath"):
        if left:
            st.markdown(f"**The story in one breath** stands here when all is answered: {left} to go.")
            return
        st.markdown("**The story in one breath**")
        st.markdown(show.plain(answers.BREATH))
        st.button("Ask all again", key="again", type="tertiary", on_click=_take_back, args=(list(QUESTIONS),))
