"""The softmax_saturation page: typed lists, rows of weights, outputs of tokens, its bets."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from pages._view.address import Address
from pages._view.lessons import LESSONS, VIEWS
from pages._view.lessons.softmax_saturation import figures, outputs, work
from pages._view.literal import plain
from pages._view.stage import Stage
from pages._view.theme import LIGHT
from sattn_core.lessons.softmax_saturation import OutputsParams, RowsParams, measure_outputs, measure_rows
from tests.figures.drawing import plotted
from tests.pages.opening import charts, controls_of, line_of, open_page, pictures, prose, settle, traces, widget


def test_exponents_reuse_the_same_draws():
    values = {"n_keys": 4, "law": "normal", "seed": 77, "d_k": 8}
    one, other = (work.token_outputs(values | {"middle_exponent": each})[0] for each in (0.1, 0.9))
    assert one is other


@pytest.mark.parametrize(
    ("step", "key"),
    [
        ("lists", "list_weights"),
        ("nudge", "nudged_weights"),
        ("divisor", "softmax_weights"),
        ("too_flat", "token_outputs"),
    ],
)
@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_each_step_shows_only_its_picture(step, key, mode):
    assert list(charts(open_page("softmax_saturation", step=step, mode=mode))) == [key]


@pytest.mark.parametrize(
    ("query", "step"),
    [({}, "divisor"), ({"list_1": "1, 2"}, "lists"), ({"shift": "10"}, "lists"), ({"exponent": "0.5"}, "divisor"),
     ({"list_1": "1, 2", "exponent": "0.5"}, "divisor"), ({"multiplier": "4"}, "lists"), ({"d_k": "4"}, "divisor"),
     ({"middle_exponent": "0.3"}, "too_flat"), ({"step": "averages", "d_k": "128"}, "divisor"),
     *(({"step": each}, each) for each in ("lists", "nudge", "divisor", "too_flat")), ({"nudge": "1"}, "nudge")],
)  # fmt: skip
def test_old_and_new_links_open_their_step(query, step):
    app = open_page("softmax_saturation", **query)
    assert len(app.info) == 0
    assert settle(app).session_state["step"] == step
    assert app.query_params["step"] == step


def test_list_axis_does_not_depend_on_the_divisor():
    ends = []
    for said in ({}, {"multiplier": "0.1"}):
        here = Address(LESSONS["softmax_saturation"], {"step": "lists", "list_1": "-20, 30", **said})
        layout = plotted(work.STEPS["lists"].picture(here.values, LIGHT)).layout
        ends.append((layout.xaxis.range, layout.xaxis2.range))
        assert layout.xaxis.range[0] < -20
        assert layout.xaxis.range[1] > 30
    assert ends[0] == ends[1]


@pytest.mark.parametrize(("step", "key"), [("lists", "list_weights"), ("nudge", "nudged_weights")])
def test_every_unreadable_list_gets_its_own_error(step, key):
    app = open_page("softmax_saturation", step="lists")
    typed = {"list_1": "a, 1", "list_2": "1, 2", "list_3": "3", "list_4": "1 b"}
    for name, text in typed.items():
        widget(app, name).set_value(text)
    app.run()
    assert [each.value.split()[0] for each in app.error] == ["First", "Third", "Fourth"]
    assert app.error[0].value == plain('First list: "a" (item 1) is not a number.')
    assert {name: widget(app, name).value for name in typed} == typed
    app.session_state["step"] = step
    app.run()
    assert [each.value.split()[0] for each in app.error] == ["First", "Third", "Fourth"]
    assert pictures(app) == [key]
    assert traces(app, key) == {}
    app.session_state["step"] = "divisor"
    app.run()
    assert [*app.error] == []
    assert list(traces(app, "softmax_weights"))[:3] == [f"raw, dₖ = {d_k}" for d_k in ("4", "64", "1,024")]


def test_rows_keep_their_dimensions_and_the_address_keeps_d_k():
    app = open_page("softmax_saturation", step="divisor", d_k="128")
    assert list(traces(app, "softmax_weights"))[:3] == [f"raw, dₖ = {d_k}" for d_k in ("4", "64", "1,024")]
    assert app.query_params["d_k"] == "128"
    app = open_page("softmax_saturation", step="too_flat", d_k="128")
    assert "At dₖ = 128, " in charts(app)["token_outputs"].sentence


@pytest.mark.parametrize(
    ("text", "factor", "said"), [("1/9", 1 / 9, "9"), ("0.5", 0.5, "2"), ("64", 64, "1/64"), ("1/64", 1 / 64, "64")]
)
def test_factor_in_the_address_is_shown_as_a_divisor(text, factor, said):
    control = LESSONS["softmax_saturation"].controls["multiplier"]
    value, problem = control.read(text)
    assert (value, problem, control.shown(value)) == (pytest.approx(factor), None, said)
    assert control.read(control.write(value))[0] == pytest.approx(value)
    assert control.read("100") == (64, "must be between 1/64 and 64; 64 is used")


@pytest.mark.parametrize(
    ("factor", "between"), [("1", []), ("1/9", []), ("2/7", ["3.5"]), ("4", ["1/4"]), ("1/64", ["64"])]
)
def test_divisor_stops_are_sorted_and_include_the_linked_divisor(factor, between):
    dial = Stage(Address(LESSONS["softmax_saturation"], {"step": "lists", "multiplier": factor})).dial("multiplier")
    shown = [each.removeprefix("Divide by ") for each in dial["shown"]]
    assert sorted(shown, key=Fraction) == shown
    assert {*shown} - {*map(str, range(1, 11))} == {*between}
    assert dial["value"] == pytest.approx(float(Fraction(factor)))
    assert [text for _, text, _ in dial["ticks"]] == [shown[0], shown[-1]]


def test_overflow_is_reported_beside_the_lists():
    assert "Subtracting the largest score keeps exp from overflowing" in prose(
        open_page("softmax_saturation", step="lists")
    )


def test_read_lists_skips_empty_optional_lists():
    assert work.read_lists(["4, 5", "1, 10", "", "  "]) == (((4.0, 5.0), (1.0, 10.0)), [])
    assert work.read_lists(["4, 5", "1, 10", "", "0 1"]) == (((4.0, 5.0), (1.0, 10.0), (0.0, 1.0)), [])


# --- rows ----------------------------------------------------------------------------------------------


def rows(**chosen):
    """Return the rows at the defaults, except for the `chosen` settings."""
    values = {name: each.default for name, each in controls_of("softmax_saturation").items()}
    return work.rows(values | chosen)


def test_undivided_rows_get_sharper_as_d_k_grows():
    found = rows()
    assert found.max_weight[0] < 0.5 < 0.8 < found.max_weight[1] < 0.95 < found.max_weight[2]
    assert found.ratio > 10


def test_rows_of_four_keys_are_alike_when_divided_by_root_d_k():
    found = rows(n_keys=4, exponent=0.5)
    assert np.ptp(found.max_weight) < 0.05
    assert found.ratio < 1.1
    assert min(found.max_weight) > 0.4  # with 16 keys, the strongest takes 25 %
    assert found.alike


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"list_1": "4, five", "list_2": "3 3 3", "list_3": "1, 2", "multiplier": "1/8", "shift": "-30"}
ADVERSE |= {"n_keys": "2", "d_k": "9", "exponent": "0.7", "middle_exponent": "0.1", "law": "sparse", "seed": "9"}


def rows_at(app, shown):
    """Return the rows' largest weights at the page's exponent, and the ratio of the rows' spreads."""
    rows = shown.measure_rows.divided(app.session_state["exponent"])
    assert rows.dims == (4, 64, 1024)
    return rows.max_weight, rows.ratio


def test_try_too_much(tried):
    largest, ratio = rows_at(*tried("softmax_saturation", "too_much", **ADVERSE))
    assert max(largest) < 0.15
    assert 1 / 16 < largest[2] < largest[1] < largest[0]
    assert ratio > 10


def test_try_alike(tried):
    largest, ratio = rows_at(*tried("softmax_saturation", "alike", **ADVERSE))
    assert max(largest) - min(largest) < 0.05
    assert ratio < 1.5


def test_try_divided(tried):
    _, shown = tried("softmax_saturation", "divided", **ADVERSE)
    first, second = shown.compare_lists.attention_weights
    np.testing.assert_allclose(second, [1 / (1 + math.exp(1)), 1 / (1 + math.exp(-1))], rtol=1e-12)  # softmax of [4, 5]
    assert 0.5 < first[1] < 0.53


def outputs_at(app, shown):
    """Return the outputs of the page's tokens: raw, ÷ √d_k, ÷ d_k."""
    assert app.session_state["middle_exponent"] == 0.5
    return [shown.measure_outputs.divided(exponent) for exponent in (0.0, 0.5, 1.0)]


def test_try_small(tried):
    raw, scaled, flat = outputs_at(*tried("softmax_saturation", "small", **ADVERSE))
    assert 0.18 < flat.own_share < 0.23  # about a fifth
    assert flat.own_share < scaled.own_share < raw.own_share


def test_try_one_point(tried):
    raw, scaled, flat = outputs_at(*tried("softmax_saturation", "one_point", **ADVERSE))
    assert flat.own_share < 0.0015
    reach = np.ptp(flat.values[:, :2], axis=0)
    assert (np.ptp(flat.output[:12, :2], axis=0) < 0.03 * reach).all()  # within the size of a dot
    assert (np.ptp(scaled.output[:12, :2], axis=0) > 0.1 * reach).all()
    assert raw.own_share > 0.9


def test_try_far_behind(tried):
    app, shown = tried("softmax_saturation", "far_behind", **ADVERSE)
    assert shown.nudge_lists.before.scores[1].tolist() == [1.0, 10.0]
    moved = shown.nudge_lists.moved[1]
    assert moved == pytest.approx(1 / (1 + math.exp(3)) - 1 / (1 + math.exp(9)), rel=1e-12)
    assert moved < 0.05
    assert charts(app)["nudged_weights"].sentence.endswith("4.7 % in the second list.")


def test_try_shifted(tried):
    _, shown = tried("softmax_saturation", "shifted", **ADVERSE)
    first, second = shown.compare_lists.attention_weights
    assert shown.compare_lists.scores[0].tolist() == [7.0, 8.0]
    np.testing.assert_allclose(first[1], 1 / (1 + math.exp(-1)), rtol=1e-14)
    np.testing.assert_allclose(second[1], 1 / (1 + math.exp(-9)), rtol=1e-14)


# --- before the bet --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 3])
def test_open_bet_shows_only_the_first_row(seed):
    params = RowsParams(16, figures.DIMS, n_rows=40, seed=seed)
    rows = measure_rows(params).divided(0.0)
    known = figures.first_alone(rows, figures.weights(rows, params, LIGHT))
    seen = [each["name"] for each in known.figure.data if each["x"][0] is not None]
    assert seen == ["raw, dₖ = 4", *2 * ["outline: dₖ = 4"]]
    assert len(known.figure.data) == 5
    numbers = [float(each) for each in re.findall("([0-9.]+) %", known.sentence)]
    np.testing.assert_allclose(numbers, 100 * rows.max_weight[:1], rtol=0.06)
    texts = " ".join(each["text"] for each in known.figure.layout["annotations"])
    assert not [each for each in rows.max_weight[1:] if f"{100 * each:.0f} %" in texts]
    assert "dₖ = 64" in texts
    assert (known.table, known.sure, known.code) == ({}, (), "")


@pytest.mark.parametrize("d_k", [4, 64, 1024])
def test_open_bet_hides_the_own_share_of_a_token(d_k):
    here = {**Address(LESSONS["softmax_saturation"], {"step": "too_flat", "d_k": str(d_k)}).values}
    known, shown = VIEWS["softmax_saturation"].before(here, LIGHT), work.STEPS["too_flat"].picture(here, LIGHT)
    truth = VIEWS["softmax_saturation"].outcome(here)
    own = measure_outputs(OutputsParams(16, (d_k,))).divided(1.0).own_share
    assert (truth.truth, truth.text) == (pytest.approx(100 * own, rel=1e-12), outputs.share(shown_flat(here)))
    seen = {each["name"] for each in known.figure.data if each["x"][0] is not None}
    assert {each["name"] for each in shown.figure.data} - seen == {"÷ dₖ, panel 3", "÷ dₖ, panel 3: rays"}
    assert truth.text not in repr(vars(known))
    assert (known.table, known.sure, known.code, known.marks) == ({}, (), "", ())


def test_line_and_bet_begin_by_saying_what_a_token_outputs():
    step = LESSONS["softmax_saturation"].step("too_flat")
    for said in (step.line, step.bet.question):
        assert said.startswith("A token, say “cat”, outputs ")
        assert "values" in said.partition(". ")[0]
    assert "the mean of the tokens’ values by its weights" in step.line


def shown_flat(values):
    return work.token_outputs(values)[0].divided(1.0)


@pytest.mark.parametrize("d_k", ["1", "64", "1024"])
def test_bet_asks_about_d_k_64_whatever_the_address_says(d_k):
    here = Address(LESSONS["softmax_saturation"], {"step": "divisor", "bet": "1", "d_k": d_k, "exponent": "1"})
    assert here.question.startswith(
        "Not divided, at dₖ = 64: how much of the weight does the strongest of 16 keys take"
    )
    truth = VIEWS["softmax_saturation"].outcome(here.values)
    assert truth.text == "84 %"
    assert truth.truth == pytest.approx(100 * rows(exponent=0.0).max_weight[1])


def test_exponent_has_no_dial_while_the_bet_is_open():
    app = open_page("softmax_saturation", bet="1", exponent="0.5")
    assert app.session_state["exponent"] == 0
    assert "exponent_dial" not in [each.key for each in app.get("bidi_component")]


@pytest.mark.parametrize("placed", [{"guess": "50"}, {"guess": "50", "guessed_at": "d_k=64"}, {"class": "50~80"}])
def test_bet_is_marked_only_on_undivided_rows(placed):
    for exponent, is_marked in (("0", True), ("0.5", False)):
        app = open_page("softmax_saturation", bet="1", exponent=exponent, **placed)
        assert ("◆" in charts(app)["softmax_weights"].alt) == is_marked
        assert "In fact: 84 %" in line_of(app)
