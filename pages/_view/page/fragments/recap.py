"""The five questions as cards: first a form, then the verdict, the truth, and links to the lessons."""

import streamlit as st

from pages._view.kinds import Answer, Choice
from pages._view.lesson import STEP
from pages._view.lessons import LESSONS
from pages._view.lessons.recap import answers, work
from pages._view.lessons.recap.declaration import LESSON, QUESTIONS
from pages._view.page import controls, frame, show
from pages._view.picture import Picture

_DOWN = ":material/arrow_forward:"


def shown() -> list[str]:
    """Return the names of the questions shown: all, but on a wall only the chosen one until the rest is requested."""
    names, here = list(QUESTIONS), int(controls.address().values["asked"])
    return names if frame.more() else names[here - 1 : here]


def draw(name: str) -> Picture | None:
    """Draw a card; return its picture, once the question is answered."""
    answer, values = controls.address().linked(name), controls.address().values
    with st.container(border=True, key=f"card_{name}"):
        place = list(QUESTIONS).index(name) + 1
        st.markdown(f"**{place}. {show.plain(QUESTIONS[name].asked.format(d_k=format(values['d_k'], ',')))}**")
        if answer == "":
            _ask(name, QUESTIONS[name].answer)
            return None
        verdict, text = work.verdict(name, answer, values)
        st.markdown(f"**{verdict}** {show.plain(text)}")
        picture = work.picture(name, answer, values, frame.profile())
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
    """Draw the empty field of an answer that is not given yet."""
    key = f"draft_{name}"
    if isinstance(of, Choice):
        texts = QUESTIONS[name].options
        return st.radio(of.label, of.options, index=None, format_func=texts.get, key=key)
    return st.number_input(of.label, of.low, of.high, None, step=None, format="%g", key=key, placeholder="a number")


def _ways_on(name):
    """Draw links to the steps that show the answer, and a button that asks the question again."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"ways_{name}"):
        for stem, step in QUESTIONS[name].shown_by:
            lesson = LESSONS[stem]
            query = {STEP: step or lesson.steps[0].name}
            st.page_link(frame.file_of(lesson), label=lesson.question, icon=_DOWN, query_params=query)
        st.button("Ask again", key=f"again_{name}", type="tertiary", on_click=_take_back, args=([name],))


def _take_back(names):
    for name in names:
        st.query_params.pop(name, None)


def _left():
    """Return the number of unanswered questions."""
    return sum(controls.address().linked(name) == "" for name in QUESTIONS)


def draw_breath() -> None:
    """Draw the card with the story in words, once every question is answered."""
    with st.container(border=True, key="card_breath"):
        if left := _left():
            st.markdown(f"**The story as one picture** comes when all is answered: {left} to go.")
            return
        st.markdown("**The story in one breath**")
        st.markdown(show.plain(answers.BREATH))
        st.button("Ask all again", key="again", type="tertiary", on_click=_take_back, args=(list(QUESTIONS),))


def draw_story() -> Picture | None:
    """Draw the story as one picture once every question is answered, or on a wall that has reached it; return it."""
    turned = not frame.more() and not shown()
    if not turned and (_left() or not frame.more()):
        return None
    picture = work.story(controls.address().values, frame.profile())
    with st.container(key="story"):
        asked, answer = picture.claim.split("? ")
        st.markdown(f"**{show.plain(asked)}?** {show.plain(answer)}")
        show.small(picture)
    return picture


def draw_folds(pictures: list[Picture | None]) -> None:
    """Draw the folds: "How sure?" for the pictures shown, their data and code, and the background."""
    shown = [each for each in pictures if each]
    if shown:
        with st.expander("How sure? Data, picture and code", key="behind"):
            for picture in shown:
                st.markdown(f"**{show.plain(picture.claim)}**")
                show.behind(show.given(picture))
    show.background(LESSON)
