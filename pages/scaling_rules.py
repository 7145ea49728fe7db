"""scaling_rules: among powers of d_k, only √d_k keeps the variance at 1; other rules solve other problems."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.scaling_rules import figures
from pages._view.lessons.scaling_rules.declaration import LESSON
from pages._view.page import controls, frame, screen, show
from sattn_core.lessons.scaling_rules import RulesParams, compare_rules, short_answers


@st.fragment
def answers():
    show.plain_lines(figures.ANSWERED_ON)
    show.lines(figures.answers(compute.result(short_answers, controls.address().values["seed"])))


@st.fragment
def cards():
    show.formula(*figures.formula(controls.address().values["rule"]))
    show.cards(figures.cards(compute.result(compare_rules, RulesParams())))


@st.fragment
def exhibit():
    show.exhibit(*figures.bug_lines(controls.address().values["bug"]))


OWN = {"exponents": answers, "means": answers, "museum": exhibit}


@st.fragment(key=frame.LIVE)
def live():
    step = controls.address().step.name
    screen.draw(LESSON, (LESSON.fold(step), OWN.get(step, cards)))


live()
