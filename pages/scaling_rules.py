"""scaling_rules: only √d_k keeps the variance of independent scores; every other rule answers a further problem."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.figures import scaling_rules as figures
from sattn_core.lessons.scaling_rules import BugParams, ExponentParams, RulesParams

profile = frame.profile()
show.heading(
    frame.lesson("scaling_rules"),
    "Only $\\sqrt{d_k}$ keeps the *variance* of scores the same at every $d_k$; only $d_k$ keeps the *mean* of aligned "
    "ones. The other rules answer further problems.",
)

with st.container(horizontal=True, vertical_alignment="bottom"):
    alpha = controls.draw("alpha", width=330)
    rho = controls.draw("rho", width=330)
seed = controls.value_of("seed")
powers = compute.exponents(ExponentParams(exponent=alpha, correlation=rho, seed=seed))
show.figures(
    figures.exponents(powers, profile),
    key="exponents",
    sentence=figures.exponent_sentence(powers),
    table=figures.exponent_table(powers),
    code=figures.exponent_code(powers.params),
    per_row=2,
)
show.tries("scaling_rules")

st.header("Every rule on the same scores", anchor=False)
with st.container(horizontal=True, vertical_alignment="bottom"):
    name = controls.draw("rule", width=260)
    pairs = controls.draw("pairs")
show.formula(*figures.formula(name))
options = {"n_keys": controls.value_of("n_keys"), "correlation": compute.PAIRS[pairs], "seed": seed}


@st.fragment(key=frame.LIVE)
def live():
    result = compute.rules(RulesParams(controls.value_of("d_k"), **options))
    show.figures(
        figures.rule(result, name, profile),
        key="rules",
        sentence=figures.rule_sentence(result, name),
        table=figures.rule_table(result),
        code=figures.rule_code(result.params),
        per_row=2,
    )


live()
curves = compute.rule_curves(**options)
show.figures(
    figures.curves(curves, name, profile),
    key="rule_curves",
    sentence=figures.curve_sentence(curves, name),
    table=figures.curve_table(curves),
    code=figures.curve_code(curves),
    per_row=2,
)

st.header("The bug museum", anchor=False)
bug = compute.bug(BugParams(controls.draw("bug", width=260), seed=seed))
show.exhibit(*figures.bug_lines(bug))
show.figure(
    figures.bug(bug, profile),
    key="bug_weights",
    sentence=figures.bug_sentence(bug),
    table=figures.bug_weights(bug),
    code=figures.bug_code(bug.params),
)
st.table(figures.bug_table(bug))
show.plain_lines([figures.museum_sentence(compute.museum(seed))])
st.header("The rules, card by card", anchor=False)
show.cards(figures.cards(compute.rule_cards()))
show.prose("scaling_rules")
