"""scaling_rules: only √d_k keeps the variance of independent scores; every other rule solves another problem."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.scaling_rules import figures, work
from pages._view.lessons.scaling_rules.declaration import LESSON
from sattn_core.lessons.scaling_rules import (
    BugParams,
    ExponentParams,
    RulesParams,
    compare_rules,
    measure_exponents,
    measure_museum,
    rule_curves,
)

profile = frame.profile()

with st.container(horizontal=True, vertical_alignment="bottom"):
    exponent = controls.draw("exponent", width=330)
    correlation = controls.draw("correlation", width=330)
seed = controls.value_of("seed")
powers = compute.result(measure_exponents, ExponentParams(exponent=exponent, correlation=correlation, seed=seed))
show.picture(figures.exponents(powers, profile), per_row=2)
show.tries(LESSON)

st.header("Every rule on the same scores", anchor=False)
with st.container(horizontal=True, vertical_alignment="bottom"):
    name = controls.draw("rule", width=260)
    pairs = controls.draw("pairs")
show.formula(*figures.formula(name))
options = {"n_keys": controls.value_of("n_keys"), "correlation": work.PAIRS[pairs], "seed": seed}


@st.fragment(key=frame.LIVE)
def live():
    result = compute.result(compare_rules, RulesParams(controls.value_of("d_k"), **options))
    show.picture(figures.rules(result, name, profile), per_row=2)


live()
curves = compute.result(rule_curves, RulesParams(**options), **work.CURVES)
show.picture(figures.curves(curves, name, profile), per_row=2)

st.header("The bug museum", anchor=False)
museum = compute.result(measure_museum, BugParams(seed=seed))
bug = work.exhibit(museum, controls.draw("bug", width=260))
show.exhibit(*figures.bug_lines(bug))
show.picture(figures.bug(bug, profile))
st.table(figures.bug_table(bug))
show.plain_lines([figures.museum_sentence(museum)])
st.header("The rules, card by card", anchor=False)
show.cards(figures.cards(compute.result(compare_rules, RulesParams())))
show.folds(LESSON)
