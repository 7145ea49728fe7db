"""scaling_rules: only √d_k keeps the variance of independent scores; every other rule answers a further problem."""

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
show.heading(LESSON)

with st.container(horizontal=True, vertical_alignment="bottom"):
    exponent = controls.draw("exponent", width=330)
    correlation = controls.draw("correlation", width=330)
seed = controls.value_of("seed")
powers = compute.result(measure_exponents, ExponentParams(exponent=exponent, correlation=correlation, seed=seed))
show.figures(
    figures.exponents(powers, profile),
    key="exponents",
    sentence=figures.exponent_sentence(powers),
    table=figures.exponent_table(powers),
    code=figures.exponent_code(powers.params),
    per_row=2,
)
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
    show.figures(
        figures.rule(result, name, profile),
        key="rules",
        sentence=figures.rule_sentence(result, name),
        table=figures.rule_table(result),
        code=figures.rule_code(result.params),
        per_row=2,
    )


live()
curves = compute.result(rule_curves, RulesParams(**options), **work.CURVES)
show.figures(
    figures.curves(curves, name, profile),
    key="rule_curves",
    sentence=figures.curve_sentence(curves, name),
    table=figures.curve_table(curves),
    code=figures.curve_code(curves),
    per_row=2,
)

st.header("The bug museum", anchor=False)
museum = compute.result(measure_museum, BugParams(seed=seed))
bug = work.exhibit(museum, controls.draw("bug", width=260))
show.exhibit(*figures.bug_lines(bug))
show.figure(
    figures.bug(bug, profile),
    key="bug_weights",
    sentence=figures.bug_sentence(bug),
    table=figures.bug_weights(bug),
    code=figures.bug_code(bug.params),
)
st.table(figures.bug_table(bug))
show.plain_lines([figures.museum_sentence(museum)])
st.header("The rules, card by card", anchor=False)
show.cards(figures.cards(compute.result(compare_rules, RulesParams())))
show.prose(LESSON)
show.sources(LESSON)
