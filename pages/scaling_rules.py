"""scaling_rules: of the powers only √d_k keeps the variance of scores; every other rule solves another problem."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.scaling_rules import figures, work
from pages._view.lessons.scaling_rules.declaration import LESSON
from pages._view.page import controls, frame, show
from sattn_core.lessons.scaling_rules import RulesParams, compare_rules, rule_curves, short_answers

profile = frame.profile()
part = controls.address().values["part"]

with st.container(horizontal=True, vertical_alignment="bottom", key="side_by_side"):
    for control, width in work.controls_of(part):
        controls.draw(control, width=width)


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main()
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)
    values, name = controls.address().values, controls.address().values["rule"]
    if part == "museum":
        show.exhibit(*figures.bug_lines(values["bug"]))
    if part == "exponents":
        show.picture(figures.means(work.powers(values), profile))
    elif part == "rules":
        show.formula(*figures.formula(name))
        params = work.rules_params(values, values["d_k"])
        show.picture(figures.one_rule(compute.result(compare_rules, params), name, profile))


@st.fragment
def every_rule():
    curves = compute.result(rule_curves, work.rules_params(controls.address().values), **work.CURVES)
    show.picture(figures.curves(curves, controls.address().values["rule"], profile), per_row=2)
    box = st.expander("The rules, card by card", key="cards", on_change="rerun", icon=":material/style:")
    if box.open:
        with box:
            show.cards(figures.cards(compute.result(compare_rules, RulesParams())))


live()
if frame.more():
    if part == "rules":
        every_rule()
    with st.expander("Short answers: masks, positions, shared keys, norms", key="answers", icon=":material/quiz:"):
        show.plain_lines(figures.ANSWERED_ON)
        show.lines(figures.answers(compute.result(short_answers, controls.address().values["seed"])))
    show.folds(LESSON)
