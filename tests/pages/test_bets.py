"""Bets: the truth is hidden while a bet is open, then revealed as the core computes it at the current settings."""

import json
import math
import re
from html import unescape
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
from starlette.applications import Starlette

from pages._view import bet_marks, bet_words, compute, way
from pages._view.address import Address
from pages._view.classroom.moment import BET, Moment
from pages._view.classroom.room import Asked, Room
from pages._view.compute import rates
from pages._view.kinds import Answer, Choice, Drawing, Number, Tally
from pages._view.lesson import GUESSED_AT, STEP, Bet
from pages._view.lessons import LESSONS, ORDER, VIEWS
from pages._view.lessons.attention_steps import work as attention_steps
from pages._view.lessons.training_race import work
from pages._view.server import moving
from pages._view.shared import CARRIED, LAWS
from pages._view.theme import LIGHT, number
from sattn_core import softmax
from sattn_core.draws.signs import chance_on_top
from sattn_core.lessons.attention_steps import preset_params
from sattn_core.lessons.backprop import BackpropParams, gradient_sweep
from sattn_core.lessons.derivation import DerivationParams, exact_scores
from sattn_core.lessons.gradient_flow import freezing_rows
from sattn_core.lessons.softmax_saturation import RowsParams, measure_rows
from sattn_core.lessons.training_race import TrainingRaceParams, measure_training_race
from tests.counting import count
from tests.pages import opening
from tests.pages.asgi import ask

WITH_BETS = [stem for stem, lesson in LESSONS.items() if lesson.bet]
OF_EACH_KIND = (
    "softmax_saturation",
    "derivation",
    "training_race",
)  # one bet on a number, one on a choice, one whose truth needs training
SETTINGS = ({}, {"d_k": "1"}, {"d_k": "1024", "n_keys": "512"}, {"d_k": "7", "n_keys": "2", "seed": "5"})


def options(stem):
    """Return the smallest and the largest valid answer to a bet, or all choices, or two curves."""
    answer = LESSONS[stem].bet.answer
    if isinstance(answer, Drawing):
        return (11, 16, 23, 28, 32), (0, 100, 0, 100, 0)
    return answer.options if isinstance(answer, Choice) else (answer.low, answer.high)


def values_of(stem, **said):
    """Return the control values at the bet's step."""
    return Address(LESSONS[stem], said | at(stem)).values


def place(app, stem, guess):
    return opening.place_bet(app, LESSONS[stem].bet.answer.write(guess))


def texts(app):
    kinds = ("markdown", "header", "caption", "info")
    said = [opening.without_definitions(each.value) for kind in kinds for each in app.get(kind)]
    return [*said, opening.line_of(app), unescape(re.sub("<.*?>", "", opening.plain_html(app)))]


def everything_sent(app):
    """Return all text that the browser receives for the lesson."""
    return "\n".join([*texts(app), *(json.dumps(vars(each)) for each in opening.charts(app).values())])


def main_chart(app):
    return next(iter(opening.charts(app).values()))


def bet_chart(app):
    """Return the bet's picture: the one that follows the slider."""
    return next(each for each in opening.charts(app).values() if each.address)


# --- open ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", SETTINGS)
@pytest.mark.parametrize("stem", WITH_BETS)
def test_page_with_an_open_bet_sends_nothing_that_reveals_the_answer(stem, said):
    shown, app = opening.open_page(stem, **at(stem), **said), opening.open_page(stem, bet="1", **at(stem), **said)
    assert [*app.exception, *app.error, *app.info] == []
    (known,) = opening.charts(app).values()
    assert [each for each in drawn(known) if each.get("x") != [None]]
    assert (known.main, known.bare) == (True, True)
    assert known.sentence
    assert not opening.too_much(known.sentence)
    folded = [each for each in app.expander if not each.key.startswith("menu_")]
    assert [*opening.pictures(app), *opening.folds(app), *folded[1:]] == []
    sent = everything_sent(app)
    assert LESSONS[stem].answer not in sent
    first = [*opening.charts(shown).values()][:1]  # empty if the main picture waits for its button
    assert not [each for chart in first for each in telling(stem, chart) if each in data_sent(app)]
    assert opening.tries_of(app) == {}
    asked = asked_in(app)
    assert ("1,024" in asked) == ("{d_k}" in LESSONS[stem].bet.question and said.get("d_k") == "1024")
    assert "{" not in asked
    assert '<button class="on" disabled>Place my bet</button>' in opening.plain_html(app)
    _, _, body = ask(Starlette(routes=moving.routes()), f"/{known.address}&{urlencode(known.values)}")
    assert json.loads(body)["figure"] == known.spec


# Traces of the main picture that reveal the answer; in lessons not listed, the last trace.
TELLING = {
    "one_query": ["“cat” on top"],
    "score_variance": ["walks to come", "mean ± 1 σ", "scaled, 10,000 scores"],
    "derivation": ["predicted, raw"],
    "softmax_saturation": ["raw, dₖ = 64"],
    "gradient_flow": ["raw rows"],
    "attention_steps": ["weights"],
    "few_bits": ["raw"],
    "backprop": ["without the scale"],
    "small_samples": ["expected", "mean 1.50"],
    "unit_variance": ["expected", "others"],
    "scaling_rules": ["½, ÷ √dₖ", "1, ÷ dₖ"],
    "wrong_choice": ["raw"],
    "training_race": [],  # nothing is trained while a bet is open
}


def telling(stem, chart):
    """Return the data of the traces in TELLING as JSON, without data that other traces share (as at d_k = 1)."""
    names = [each.format(**chart.values or {}) for each in TELLING.get(stem, [drawn(chart)[-1]["name"]])]
    told = [each for each in drawn(chart) if each["name"] in names]
    assert {each["name"] for each in told} == {*names}
    said = ("x" if each.get("orientation") == "h" else "z" if "z" in each else "y" for each in told)
    others = json.dumps([each for each in drawn(chart) if each["name"] not in names])
    texts = [json.dumps(each[name]) for each, name in zip(told, said, strict=True)]
    return [text for text in texts if text not in others]


def asked_in(app):
    """Return the question of the bet, from the line of its step."""
    found = opening.line_of(app)
    assert found.startswith("Your bet: ")
    assert found.endswith("?")
    return found


def data_sent(app):
    """Return the data of all traces as JSON."""
    return json.dumps([drawn(each) for each in opening.charts(app).values()])


def drawn(chart):
    return json.loads(chart.spec)["data"]


def at(stem):
    """Return the link parameters that open the bet's picture."""
    name, option = LESSONS[stem].bet.when or ("", "")
    controls = LESSONS[stem].controls
    kept = name and (name == STEP or option != controls[name].default)
    return {name: controls[name].write(option)} if kept else {}


@pytest.mark.parametrize("stem", [stem for stem in WITH_BETS if LESSONS[stem].bet.earlier])
def test_open_bet_shows_earlier_steps_and_redirects_later_ones(stem):
    name, option = LESSONS[stem].bet.when
    control = LESSONS[stem].controls[name]
    tells = telling(stem, main_chart(opening.open_page(stem, **at(stem))))
    before = [*control.options[: control.options.index(option)]]
    assert [*LESSONS[stem].bet.earlier] == before
    asked = [each.when[1] for each in LESSONS[stem].bets]
    for place in control.options:
        app = opening.open_page(stem, bet="1", **{name: control.write(place)})
        assert [*app.exception, *app.error, *opening.pictures(app)] == []
        assert app.session_state[name] == (place if place in [*before, *asked] else option)
        assert opening.asks_bet(app) == (place not in LESSONS[stem].bet.earlier)
        steps = next(each.proto.body for each in app.get("html") if "data-way" in each.proto.body)
        later = control.options[max(map(control.options.index, (option, place))) + 1 :]
        assert not [step for step in later if f'data-step="{step}"' in steps]
        assert steps.count("aria-disabled") >= len(later)
        assert not [each for each in tells if each in data_sent(app)]
    if control.options[-1] not in asked:
        opening.widget(app, name).set_value(control.options[-1]).run()
        assert app.session_state[name] == option


@pytest.mark.parametrize("stem", [each for each in WITH_BETS if LESSONS[each].steps and LESSONS[each].steps[-1].bet])
def test_link_to_the_next_lesson_waits_for_the_bet_of_the_last_step(stem):
    last = LESSONS[stem].steps[-1]
    placed = {"bet": "1", "guess": "50", "guessed_at": f"{STEP}={last.name}"}
    for said, is_open in (({}, True), ({"bet": "1"}, False), (placed, True)):
        assert ("data-lesson" in way.html_of(Address(LESSONS[stem], {STEP: last.name, **said}))) == is_open


# --- two bets of one lesson ----------------------------------------------------------------------------

TWO = "softmax_saturation"
FIRST, SECOND = (each.when[1] for each in LESSONS[TWO].bets)
OF_SECOND = {"guess": "25", "guessed_at": f"step={SECOND}&d_k=64"}


@pytest.mark.parametrize(
    ("step", "said", "asked", "waits"),
    [
        (FIRST, {}, FIRST, True),
        (SECOND, {}, SECOND, True),
        (SECOND, {"guess": "55"}, SECOND, True),  # an answer to the first bet does not answer the second
        (FIRST, {"guess": "55"}, FIRST, False),
        (SECOND, OF_SECOND, SECOND, False),
        (FIRST, OF_SECOND, SECOND, False),  # the first bet is not asked again
        ("lists", {}, FIRST, True),
        ("lists", OF_SECOND, SECOND, False),
        (SECOND, {"class": "50~80"}, FIRST, False),
    ],
)
def test_each_step_asks_its_own_bet(step, said, asked, waits):
    here = Address(LESSONS[TWO], {"step": step, "bet": "1", **said})
    assert (here.bet.when[1], here.bet_waits) == (asked, waits)
    assert here.shows_bet == (asked == step)


def test_a_class_is_asked_only_the_first_bet():
    moments = [Moment(Room("BCDF", 0, TWO, f"step={step}&bet=1", 0.0, 1, 0, 0), Asked()) for step in (FIRST, SECOND)]
    assert [each.kind for each in moments] == [BET, ""]


def test_second_bet_is_placed_judged_and_opened_again():
    app = place(opening.open_page(TWO, bet="1", step=SECOND), TWO, 25)
    assert parse_qs(app.query_params["guessed_at"]) == {"step": [SECOND], "d_k": ["64"]}
    truth = VIEWS[TWO].outcome(Address(LESSONS[TWO], {"step": SECOND}).values)
    assert opening.line_of(app).startswith("Not this time.")
    assert f"In fact: {truth.text}." in opening.line_of(app)
    opening.follow(app, "Bet again")
    assert opening.asks_bet(app)
    assert app.session_state[STEP] == SECOND


def opened_at(stem):
    """Return the step parameter that the address gets when a lesson opens without one."""
    return {STEP: LESSONS[stem].opens} if LESSONS[stem].steps else {}


@pytest.mark.parametrize("stem", [stem for stem in ORDER if stem not in WITH_BETS])
def test_lesson_without_a_bet_works_with_a_bet_parameter(stem):
    app = opening.open_page(stem, bet="1")
    opening.check_page(app, stem)
    assert LESSONS[stem].steps or LESSONS[stem].answer in texts(app)
    said = {"bet": "1", **opening.ANSWERED.get(stem, {}), **opened_at(stem)}
    assert opened_at(stem) | app.query_params == said


@pytest.mark.parametrize("stem", OF_EACH_KIND)
def test_bet_first_link_opens_and_closes_the_bet(stem):
    app = opening.open_page(stem)
    opening.follow(app, "Bet first")
    assert app.query_params["bet"] == "1"
    assert opening.asks_bet(app)
    opening.follow(app, "Bet first")
    assert app.query_params == {"bet": "0"} | opened_at(stem)
    opening.check_page(app, stem)


WITH_MARKERS = [stem for stem in WITH_BETS if isinstance(LESSONS[stem].bet.answer, Number)]


def check_mark(layout, bet, value):
    """Check that a number bet is marked by a line, or by an arrow if it is beyond the axis."""
    along = bet.place.along
    (mark,) = [each for each in layout["annotations"] if each["text"][0] == "◆"]
    low, high = sorted(layout[f"{along[0]}axis{along[1:]}"]["range"])
    lines = [each[f"{along[0]}0"] for each in layout["shapes"] if each["line"].get("color") == mark["font"]["color"]]
    if low <= value * bet.place.unit <= high:
        assert (lines, mark["text"]) == ([value * bet.place.unit], "◆")
    else:
        assert (lines, mark["text"], mark["y"]) == ([], f"◆ {value} ↑", high)


# --- placed --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stem", "guess"), [(stem, guess) for stem in WITH_BETS for guess in options(stem)])
def test_placed_bet_and_truth_are_on_the_picture(stem, guess):
    bet, app = LESSONS[stem].bet, place(opening.open_page(stem, bet="1", **at(stem)), stem, guess)
    opening.check_page(app, stem)
    found = VIEWS[stem].outcome(values_of(stem))
    won = bet_words.verdict(bet, guess, found.truth)
    tally = f"{int(won == 'Right.')}-1-{letter_of(stem)}"
    said = {"bet": "1", "guess": bet.answer.write(guess), "tally": tally}
    placed = placed_at(stem)
    assert app.query_params == said | at(stem) | ({GUESSED_AT: placed} if placed else {})
    told = opening.line_of(app)
    assert told.startswith(won)
    assert found.why in told
    chart = bet_chart(app)
    assert "◆" in chart.alt
    if stem in WITH_MARKERS:
        layout = json.loads(chart.spec)["layout"]
        check_mark(layout, bet, guess)
        assert math.isclose(layout["shapes"][-1][f"{bet.place.along[0]}0"], found.truth * bet.place.unit)


def letter_of(stem):
    """Return the letter of a lesson in a tally."""
    return chr(ord("a") + ORDER.index(stem))


def placed_at(stem):
    """Return the `guessed_at` parameter (the large slider's value) of a bet placed at the defaults."""
    name = LESSONS[stem].step(at(stem).get(STEP, "")).slider
    control = opening.controls_of(stem).get(name)
    return f"{name}={control.write(control.default)}" if control else ""


@pytest.mark.parametrize("stem", WITH_BETS)
def test_bet_keeps_the_settings_it_was_placed_at(stem):
    guess = options(stem)[0]
    app = place(opening.open_page(stem, bet="1", d_k="100", **at(stem)), stem, guess)
    before = opening.line_of(app)
    assert "◆" in bet_chart(app).alt
    opening.widget(app, "d_k").set_value(4)
    opening.settle(app)
    if opening.uses_d_k(stem):
        assert opening.line_of(app).endswith(before)
        assert "◆" not in bet_chart(app).alt
    opening.widget(app, "d_k").set_value(100)
    opening.settle(app)
    assert opening.line_of(app) == before
    assert "◆" in bet_chart(app).alt


def test_verdict_names_the_d_k_of_the_bet_after_the_slider_has_moved():
    app = opening.open_page("derivation", bet="1", guess="4", guessed_at="d_k=96", d_k="128")
    assert opening.line_of(app).startswith("dₖ = 96: Right. ")


def test_verdict_also_names_another_slider_that_has_moved():
    asked = {"bet": "1", "guess": "50", "guessed_at": "d_k=64", "step": "rows"}
    for moved, said in (({}, "Not this time."), ({"learning_rate": "31.6"}, "dₖ = 64, rate 10: Not this time.")):
        assert opening.line_of(opening.open_page("wrong_choice", **asked | moved)).startswith(said)


def test_bet_with_unreadable_guessed_at_is_judged_with_a_note():
    app = opening.open_page("derivation", bet="1", guess="4", guessed_at="<script>")
    opening.check_page(app, "derivation")
    assert "`guessed_at` is no list of settings" in app.info[0].value
    assert opening.line_of(app).startswith("Right. ")


@pytest.mark.parametrize("stem", WITH_BETS)
def test_shared_link_and_dragged_picture_show_the_placed_bet(stem):
    mine = place(opening.open_page(stem, bet="1", d_k="100", **at(stem)), stem, options(stem)[-1])
    theirs = opening.open_page(stem, **{name: str(each) for name, each in mine.query_params.items()})
    assert everything_sent(theirs) == everything_sent(mine)
    chart = next(each for each in opening.charts(theirs).values() if each.address)
    _, _, body = ask(Starlette(routes=moving.routes()), f"/{chart.address}&{urlencode(chart.values)}")
    moved = json.loads(body)["alt"]
    assert moved == chart.alt
    assert "◆" in bet_chart(theirs).alt


@pytest.mark.parametrize("stem", OF_EACH_KIND)
def test_repeated_bet_counts_once_in_the_tally(stem):
    app = place(opening.open_page(stem, bet="1", tally="2-3"), stem, options(stem)[0])
    first = app.query_params["tally"]
    assert first in (f"2-4-{letter_of(stem)}", f"3-4-{letter_of(stem)}")
    opening.follow(app, "Bet again")
    assert "guess" not in app.query_params
    assert opening.asks_bet(app)
    app = place(app, stem, options(stem)[-1])
    assert app.query_params["tally"] == first


def test_second_bet_of_a_lesson_counts_too():
    app = place(opening.open_page(TWO, bet="1", step=SECOND, tally=f"1-1-{letter_of(TWO)}"), TWO, 25)
    assert app.query_params["tally"] == f"1-2-{letter_of(TWO).upper()}{letter_of(TWO)}"


def test_tally_is_carried_to_the_next_lesson_without_the_guess():
    app = place(opening.open_page("softmax_saturation", bet="1"), "softmax_saturation", 85)
    app.query_params.pop("guess")  # as the browser does when it follows the link
    app = place(opening.turn_to(app, "derivation").run(), "derivation", "16")
    assert app.query_params["tally"] == f"1-2-{letter_of('derivation')}{letter_of('softmax_saturation')}"


def test_bet_mode_and_tally_stay_when_menu_links_lack_them():
    app = opening.open_page("softmax_saturation", mode="projector", bet="1", tally="1-2-e", guess="90")
    for name in ("bet", "tally", "guess"):  # as the browser does at a click in the projector's menu
        app.query_params.pop(name)
    app = opening.turn_to(app, "derivation").run()
    here = {"mode": "projector", "bet": "1", "tally": "1-2-e"}
    assert app.query_params == here


# --- a class bets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("stem", WITH_BETS)
def test_a_wall_reveals_the_truth_without_a_bet_and_hides_it_again(stem):
    tells = telling(stem, bet_chart(opening.open_page(stem, **at(stem))))
    app = opening.open_page(stem, bet="1", mode="projector", tally="1-2", **at(stem))
    for _ in range(2):
        assert not opening.asks_bet(app)
        assert not [each for each in tells if each in data_sent(app)]
        assert "In fact: " not in everything_sent(app)
        assert "your bet:" not in everything_sent(app)
        opening.turn_truth(app, "Reveal")
        assert app.query_params["reveal"] == "1"
        found = VIEWS[stem].outcome(values_of(stem))
        told = opening.line_of(app)
        assert found.text or bet_words.written(LESSONS[stem].bet, found.truth) in told
        assert "so far" not in everything_sent(app)
        assert app.query_params["tally"] == "1-2"
        opening.turn_truth(app, "Hide")
        assert "reveal" not in app.query_params


@pytest.mark.parametrize("stem", WITH_BETS)
def test_picture_and_link_contain_the_bets_of_a_class(stem):
    bet, (low, *_, high) = LESSONS[stem].bet, options(stem)
    said = "~".join(map(bet.answer.write, (low, high, high)))
    app = opening.open_page(stem, **{"class": said}, mode="projector", rest="shown", **at(stem))
    opening.check_page(app, stem)
    assert app.query_params["class"] == said
    card = opening.line_of(app)
    assert "◆ 3 bets" in card
    chart = bet_chart(app)
    assert "◆ 3 bets" in chart.alt
    if isinstance(bet.answer, Choice):
        assert f"{bet.answer.called(high)}: 2" in card
    elif isinstance(bet.answer, Drawing):
        drawn_by_class = [each["y"] for each in drawn(chart) if each["name"] == "a bet"]
        assert drawn_by_class == [[0, *low], [0, *high], [0, *high]]
    else:
        (bars,) = [each for each in drawn(chart) if each["name"] == "bets"]
        assert dict(zip(bars["x"], bars["y"], strict=True)) == pytest.approx({low: 1, high: 2})
    main = next(each for each in opening.charts(app).values() if each.address)
    _, _, body = ask(Starlette(routes=moving.routes()), f"/{main.address}&{urlencode(main.values)}")
    assert json.loads(body)["alt"] == main.alt
    link = Address(LESSONS[stem], app.query_params).shared()
    assert parse_qs(link[1:])["class"] == [said]


@pytest.mark.parametrize("stem", ["gradient_flow", "small_samples", "one_query"])
def test_lines_of_class_bets_start_at_the_edge_of_the_picture(stem):
    bet, (low, *_, high) = LESSONS[stem].bet, options(stem)
    app = opening.open_page(stem, **{"class": "~".join(map(bet.answer.write, (low, high, high)))}, **at(stem))
    layout = json.loads(bet_chart(app).spec)["layout"]
    other = bet.place.across[0]
    ends = [each[f"{other}1"] for each in layout["shapes"] if each.get(f"{other}0") == 1]
    long = [each for each in layout["shapes"] if each.get(f"{other}0") == 1 and each[f"{other}1"] == min(ends)]
    assert min(ends) in (1 - bet_marks._REACH, 1 - bet_marks._ABOVE)
    high_axis = max(layout[f"{bet.place.along[0]}axis{bet.place.along[1:]}"]["range"])
    reached = min(high * bet.place.unit, high_axis)
    assert [each[f"{bet.place.along[0]}0"] for each in long] == [reached]
    beyond = [each["text"] for each in layout["annotations"] if each["text"].startswith("◆ 2")]
    assert bool(beyond) == (high * bet.place.unit > high_axis)


def test_labels_do_not_cover_the_bets_of_a_class():
    """Let most of a class bet on the marked values, 1.6 and 2."""
    app = opening.open_page("small_samples", **{"class": "2~2~1.6~3"})
    layout = json.loads(bet_chart(app).spec)["layout"]
    names = [each for each in layout["annotations"] if (each.get("xref"), each.get("yref")) == ("x", "y")]
    ends = [each["y1"] for each in layout["shapes"] if each.get("y0") == 1]
    assert {"1.6 found", "2 expected"} <= {each["text"] for each in names}
    assert max(each["y"] for each in names) / layout["yaxis"]["range"][1] < min(ends)


@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_small_samples_labels_both_histograms_while_its_bet_is_open(mode):
    app = opening.open_page("small_samples", bet="1", d_k="256", mode=mode)
    layout = json.loads(main_chart(app).spec)["layout"]
    assert {"The question", "dₖ = 256"} <= {each["text"] for each in layout["annotations"]}


def test_correct_bets_of_a_class_are_counted():
    app = opening.open_page("derivation", **{"class": "2~2~4"}, mode="projector")
    assert LESSONS["derivation"].bet.answer.options
    card = opening.line_of(app)
    truth = VIEWS["derivation"].outcome(values_of("derivation")).truth
    right = ("2", "2", "4").count(truth)
    assert card.startswith(f"◆ 3 bets, {right} right.")


@pytest.mark.parametrize("said", ["", "a lot", "~", "10~x", "~".join(["10"] * 101), "101"])
def test_unreadable_class_bets_are_dropped_with_a_note(said):
    app = opening.open_page("gradient_flow", **{"class": said})
    assert "class" not in app.query_params
    assert "is no list of at most 100 answers" in app.info[0].value


def test_shared_link_does_not_reveal_the_truth():
    lesson = LESSONS["gradient_flow"]
    said = {"bet": "1", "reveal": "1", "d_k": "100", "mode": "projector"}
    assert Address(lesson, said).shared() == "?d_k=100&step=freeze"


# --- the truth -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", SETTINGS)
def test_truths_agree_with_the_core(said):
    values = values_of("softmax_saturation", **said)
    rows = measure_rows(RowsParams(values["n_keys"], (64,), values["law"], seed=values["seed"]))
    truth = VIEWS["softmax_saturation"].outcome(values | {"exponent": 1.0}).truth
    assert math.isclose(truth, 100 * softmax(rows.scores[0]).max(axis=-1).mean(), rel_tol=1e-12)
    values = values_of("gradient_flow", **said)
    rows = freezing_rows((values["d_k"],), n_keys=values["n_keys"], seed=values["seed"])
    assert VIEWS["gradient_flow"].outcome(values).truth == rows.frozen[0, 0]


@pytest.mark.parametrize("d_k", [1, 7, 64, 1024])
def test_variance_ratio_at_four_times_d_k_agrees_with_the_core(d_k):
    found = VIEWS["derivation"].outcome(values_of("derivation", d_k=str(d_k)))
    assert (found.truth, found.text) == ("4", "4 times as large")
    few, many = (exact_scores(DerivationParams(dim), dim).variance for dim in (d_k, 4 * d_k))
    assert math.isclose(many / few, 4)
    assert found.why.endswith("the spread, is 2 times as large.")


def test_derivation_bet_asks_about_the_quantity_in_its_picture():
    before = VIEWS["derivation"].before(values_of("derivation"), LIGHT)
    assert [each["text"] for each in before.figure.layout["annotations"]] == ["<b>Variance</b>"]
    asked = Address(LESSONS["derivation"], {"bet": "1", "step": "lines"}).question
    assert ("variance" in asked, "spread" in asked) == (True, False)


@pytest.mark.parametrize(
    "said", [{}, {"correlation": "0"}, {"correlation": "-1", "exponent": "1"}, {"exponent": "0.5"}]
)
def test_true_exponent_makes_sampled_variances_equal(said):
    values = values_of("scaling_rules", **said)
    flat = float(VIEWS["scaling_rules"].outcome(values).truth)
    rng = np.random.default_rng(1)
    spreads = [_sampled_variance(rng, d_k, values["correlation"]) for d_k in (16, 256)]
    for exponent in (0.0, 0.5, 1.0):
        small, large = (each / d_k ** (2 * exponent) for each, d_k in zip(spreads, (16, 256), strict=True))
        # With 4,000 pairs, equal variances agree within about 5 %; with a wrong exponent, they differ at least 16-fold.
        assert (0.8 < large / small < 1.25) == (exponent == flat)


def _sampled_variance(rng, d_k, correlation):
    q, noise = rng.standard_normal((2, 4_000, d_k))
    k = correlation * q + math.sqrt(1 - correlation**2) * noise
    return (q * k).sum(axis=1).var()


def test_open_bet_opens_its_own_step_instead_of_the_linked_one():
    app = opening.open_page("scaling_rules", bet="1", step="museum")
    assert [*app.exception, *app.error, *app.info] == []
    assert app.query_params == {"bet": "1", "step": "exponents"}
    app = place(app, "scaling_rules", "0.5")
    assert "In fact: " in everything_sent(app)
    opening.widget(app, "step").set_value("museum")
    app = opening.settle(app)
    assert "In fact: " not in everything_sent(app)
    assert "Bet again" not in opening.plain_html(app)
    opening.check_page(app, "scaling_rules")


@pytest.mark.parametrize(
    ("said", "truth"),
    [
        ({}, None),
        ({"d_k": "1"}, "stays"),
        ({"exponent": "0"}, "stays"),
        ({"d_k": "1024"}, None),
        ({"d_k": "4", "seed": "3"}, None),
        ({"d_k": "8", "masking": "causal"}, None),
    ],
)
def test_truth_about_the_raw_gradient_agrees_with_the_core(said, truth):
    values = values_of("backprop", **said)
    found = VIEWS["backprop"].outcome(values)
    params = BackpropParams(exponent=values["exponent"], mask=values["masking"], seed=values["seed"])
    sweep = gradient_sweep(params, (values["d_k"],))
    ratio = sweep.without_scale[0] / sweep.raw_score_norms[0]
    assert found.truth == ("grows" if ratio > 1.1 else "shrinks" if ratio < 0.9 else "stays")
    assert truth in (None, found.truth)


def test_reason_states_the_raw_score_lead_of_the_top_key():
    values = values_of("attention_steps")
    params, _ = attention_steps.attention_matrices(values)
    query = attention_steps.cell_of(params, values)[0]
    scores = np.sort(np.asarray(params.K) @ np.asarray(params.Q[query]))
    assert f"by {number(scores[-1] - scores[-2], 2)}," in VIEWS["attention_steps"].outcome(values).why


def test_reason_for_a_gradient_change_fits_its_direction():
    reasons = {}
    for said in ({"d_k": str(d_k), "seed": str(seed)} for d_k in (1, 2, 4, 16, 64, 1024) for seed in range(4)):
        found = VIEWS["backprop"].outcome(values_of("backprop", **said))
        reasons.setdefault(found.why, set()).add(found.truth)
    for why, truths in reasons.items():
        if "first counts" in why or "no less" in why:
            assert truths == {"grows"}
        if "second counts" in why:
            assert truths == {"shrinks"}
    assert len(reasons) >= 3


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"d_k": "1", "query": "3"},
        {"d_k": "1024", "query": "99"},
        {"preset": "causal"},
        {"preset": "fully masked"},
        {"preset": "notes", "query": "2"},
    ],
)
def test_truth_about_the_top_weight_agrees_with_the_softmax(said):
    values = values_of("attention_steps", **said)
    params = preset_params(values["preset"], d_k=values["d_k"], seed=values["seed"])
    row = min(values["query"], len(params.Q)) - 1
    allowed = np.ones(len(params.K), bool) if params.mask is None else np.array(params.mask[row], bool)
    scores = (np.array(params.K) @ np.array(params.Q)[row])[allowed]
    share = max(np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()) if allowed.any() else 0.0
    found = VIEWS["attention_steps"].outcome(values)
    assert found.truth == ("less" if share < 0.5 else "most" if share <= 0.95 else "all")
    assert ("mask" in found.why) == (allowed.sum() < 2)


def test_open_bet_hides_the_remark_on_a_masked_row():
    app = opening.open_page("attention_steps", bet="1", step="softmax", preset="fully masked", query="9")
    assert "softmax has nothing" not in everything_sent(app)
    assert "There is no query 9" in everything_sent(app)
    app = place(app, "attention_steps", "less")
    assert "softmax has nothing" in everything_sent(app)


@pytest.mark.parametrize(("d_k", "truth", "said"), [(8, "all", "all three"), (64, "root", ""), (1, "other", "none")])
def test_winners_of_a_race_agree_with_the_core(d_k, truth, said):
    compute.forget()
    values = values_of("training_race", d_k=str(d_k))
    assert VIEWS["training_race"].outcome(values).truth is None
    result = measure_training_race(TrainingRaceParams(d_k))
    compute.keep((result, None), work.train, work.params(values), False)
    found = VIEWS["training_race"].outcome(values)
    assert (found.truth, found.text) == (truth, said)
    done = [share >= 0.95 for share in result.accuracy.mean[:, -1]]
    assert done == {"all": [True] * 3, "root": [False, True, False], "other": [False] * 3}[truth]


def test_a_bet_waits_until_its_race_is_trained():
    compute.forget()
    long = {"d_k": "8", "n_steps": "3000", "n_pairs": "64", "n_seeds": "8"}
    app = place(opening.open_page("training_race", bet="1", tally="1-1", **long), "training_race", "all")
    assert [*app.exception, *app.error] == []
    assert app.query_params["tally"] == "1-1"
    assert opening.line_of(app).startswith("Your bet stands. ◆ Your bet: all three. Train to see")
    assert "In fact: " not in everything_sent(app)
    finished = measure_training_race(TrainingRaceParams(8))
    compute.keep((finished, None), work.train, work.params(values_of("training_race", **long)), False)
    app = opening.settle(app)
    assert app.query_params["tally"] == f"2-2-{letter_of('training_race')}"
    assert "In fact: all three" in everything_sent(app)


def test_an_open_bet_trains_nothing():
    compute.forget()
    app = opening.open_page("training_race", bet="1")
    assert "race_run" not in app.session_state
    assert VIEWS["training_race"].outcome(values_of("training_race")).truth is None
    assert "Train" not in [each.label for each in app.button]


@pytest.mark.parametrize(("d_k", "lead"), [(4, ""), (64, "a lead of 1."), (1024, "a lead of 1.")])
def test_probability_of_the_top_key_agrees_with_its_exact_value(d_k, lead):
    found = VIEWS["one_query"].outcome(values_of("one_query", d_k=str(d_k), step="wander"))
    chance = chance_on_top((1, 2, -2, 0), d_k - 4)[1]
    assert abs(found.truth / 100 - chance) <= 4 * math.sqrt(chance * (1 - chance) / 1000)
    assert found.why.endswith(lead)
    assert ("nothing is random" in found.why) == (d_k == 4)


@pytest.mark.parametrize(
    ("said", "std"),
    [
        ({}, 1),
        ({"d_k": "1"}, 1),
        ({"mean_q": "2", "mean_k": "-1"}, math.sqrt(1 + 4 + 1)),
        ({"correlation": "1"}, math.sqrt(2)),
        ({"correlation": "1", "sampling": "matrix"}, 1),
        ({"correlation": "-1", "law": "± 1 (Rademacher)"}, 0),
        ({"correlation": "1", "mean_q": "2", "mean_k": "2", "d_k": "1024"}, math.sqrt(2 + 16)),
    ],
)
def test_spread_of_sums_agrees_with_its_closed_form(said, std):
    found = VIEWS["score_variance"].outcome(values_of("score_variance", **said))
    at = LESSONS["score_variance"].bet.answer.at
    np.testing.assert_allclose(found.truth, [std * math.sqrt(each) for each in at], rtol=1e-12)
    np.testing.assert_allclose(found.curve[1], std * np.sqrt(found.curve[0]), rtol=1e-12)
    assert ("equal" in found.why) == (std == 0)


@pytest.mark.parametrize("law", LAWS.values())
def test_axis_for_a_drawn_bet_ignores_means_and_correlation(law):
    said = {"law": law, "correlation": "1", "mean_q": "-2", "mean_k": "2", "d_k": "1024", "seed": "3"}
    app = opening.open_page("score_variance", bet="1", **said)
    assert {*app.query_params} == {"bet", "law", "d_k", "seed", STEP} - ({"law"} if law == "normal" else set())
    truth = VIEWS["score_variance"].outcome(values_of("score_variance", law=law, seed="3")).truth
    assert drawing_of(app)["span"][1] == pytest.approx(3.5 * max(truth))


def drawing_of(app):
    return main_chart(app).drawing


# --- a curve -------------------------------------------------------------------------------------------


def test_drawing_of_a_bet_uses_the_axes_of_the_picture():
    for d_k, seen in ((1, 1), (40, 40), (64, 64), (1024, 64)):
        app = opening.open_page("score_variance", bet="1", d_k=str(d_k), axis="own", products_axis="square-root axis")
        walks = opening.traces(app, "score_histograms_before")["walks"]
        assert np.nanmax(walks["x"]) == seen
        chart, drawing = main_chart(app), drawing_of(app)
        layout = json.loads(chart.spec)["layout"]
        assert (drawing["span"], drawing["reach"]) == (layout["yaxis"]["range"], layout["xaxis"]["range"])
        assert drawing["reach"][0] <= min(drawing["at"]) < max(drawing["at"]) <= drawing["reach"][1]
        assert len(drawing["labels"]) == len(drawing["at"])
        assert f"After {seen if seen > 1 else 'one'} product" in chart.sentence
        assert "Draw how they go on" in chart.sentence


def test_wall_does_not_ask_for_a_drawing():
    chart = main_chart(opening.open_page("score_variance", bet="1", mode="projector"))
    assert chart.sentence == "After 64 products these sums spread by 8.0."
    assert not chart.drawing


def test_picture_shows_the_drawn_and_the_true_curve():
    app = opening.open_page("score_variance", bet="1", guess="1-2-3-4-5")
    found = opening.traces(app, "score_histograms")
    np.testing.assert_allclose(found["your bet"]["x"], [0, 128, 256, 512, 768, 1024])
    assert found["your bet"]["y"] == [0, 1, 2, 3, 4, 5]
    bounds = found["mean ± 1 σ"]
    far = np.nanmax(bounds["x"])
    assert (found["in fact"]["x"][-1], found["in fact"]["y"][-1]) == (far, np.nanmax(bounds["y"]))
    said = np.interp(bounds["x"][:20], found["in fact"]["x"], found["in fact"]["y"])
    np.testing.assert_allclose(said, np.abs(bounds["y"][:20]), atol=0.8)  # straight lines approximate √x


def test_verdict_on_a_curve_names_its_largest_error():
    app = opening.open_page("score_variance", bet="1", guess="11-16-60-28-32")
    card = opening.line_of(app)
    assert card.startswith("Not this time. ")
    assert "Spread after 512 products: ◆ 60 drawn, ● 22.6 in fact. Four times the products go only twice" in card


@pytest.mark.parametrize(
    ("curve", "said"),
    [
        ((11, 16, 23, 28, 32), "Right."),
        ((11, 16, 23, 28, 36), "Right."),
        ((15, 16, 23, 28, 37), "Close."),
        ((4, 8, 16, 24, 32), "Close."),
        ((16, 32, 64, 96, 112), "Not this time."),
    ],
)
def test_tolerance_of_a_drawn_curve_scales_with_the_true_curve(curve, said):
    truth = VIEWS["score_variance"].outcome(values_of("score_variance")).truth
    assert bet_words.verdict(LESSONS["score_variance"].bet, curve, truth) == said
    twice = [[2 * each for each in some] for some in (curve, truth)]
    assert bet_words.verdict(LESSONS["score_variance"].bet, *twice) == said
    assert bet_words.verdict(LESSONS["score_variance"].bet, (0,) * 5, (0.0,) * 5) == "Right."


@pytest.mark.parametrize(
    "heights", [None, "1-2-3-4-5", [1, 2, 3, 4], [1, 2, 3, 4, -0.5], [1, 2, 3, 4, math.nan], [True] * 5]
)
def test_forged_curve_is_refused(heights):
    answer = LESSONS["score_variance"].bet.answer
    assert not answer.takes(heights)
    assert answer.takes([0, 1, 2, 3.5, 100_000])


def test_link_draw_it_first_opens_no_bet_in_other_lessons():
    app = opening.open_page("score_variance")
    opening.follow(app, "Draw it first")
    assert app.query_params == {"bet": "draw", STEP: "draw"}
    assert opening.asks_bet(app)
    assert drawing_of(app)
    app = opening.turn_to(app, "derivation").run()
    opening.check_page(app, "derivation")
    assert not opening.asks_bet(app)


@pytest.mark.parametrize(("ddof", "mean"), [(0, 1.5), (1, 2.0)])
def test_expected_variance_of_four_entries_agrees_with_many_products(ddof, mean):
    found = VIEWS["small_samples"].outcome(values_of("small_samples", ddof=str(ddof), d_k="1024", size="64"))
    assert (found.truth, found.text) == (mean, number(mean, 2))
    left, right = np.random.default_rng(1).standard_normal((2, 100_000, 2, 2))
    variances = (left @ right).reshape(-1, 4).var(axis=1, ddof=ddof)
    assert abs(variances.mean() - mean) < 5 * variances.std() / math.sqrt(len(variances))


@pytest.mark.parametrize(
    ("said", "truth", "scores"),
    [
        ({}, "xavier_square", (0.25, 1, 4)),
        ({"d_k": "1024", "n_heads": "64"}, "xavier_square", (0.25, 1, 4)),
        ({"x_std": "100", "x_mean": "3", "d_k": "1"}, "xavier_square", (0.25, 1, 4)),
        ({"normalise": "off", "x_mean": "1"}, "torch_multihead_attention", (1, 4, 16)),
        ({"normalise": "off", "x_std": "0.7071067811865476"}, "he_normal", (1 / 16, 0.25, 1)),
        ({"normalise": "off", "x_std": "10"}, "", (2500, 10_000, 40_000)),
    ],
)
def test_weights_that_give_variance_1_agree_with_the_closed_form(said, truth, scores):
    found = VIEWS["unit_variance"].outcome(values_of("unit_variance", **said))
    assert (found.truth, found.text) == (truth, "" if truth else "none of the three")
    torch, xavier, he = (number(each) for each in scores)
    each = f"{torch} for PyTorch MultiheadAttention, {xavier} for square Xavier and {he} for He normal"
    assert found.why == f"The variance of scaled scores is Var(qᵢ) times Var(kᵢ): {each}."


def test_a_changed_setting_keeps_the_bet_and_changes_the_truth():
    app = opening.open_page("softmax_saturation", bet="1", guess="90")
    assert "In fact: 84 %" in everything_sent(app)
    app.number_input(key="seed").set_value(1).run()
    assert "In fact: 84 %" not in everything_sent(app)
    assert app.query_params["guess"] == "90"


# --- answers in an address -------------------------------------------------------------------------------


BAD_GUESSES = [("softmax_saturation", guess) for guess in ("1001", "-1", "", "<b>", "7" * 5_000)]


@pytest.mark.parametrize(("stem", "guess"), [*((stem, "abc") for stem in WITH_BETS), *BAD_GUESSES])
def test_invalid_guess_in_a_link_is_noted_and_the_bet_stays_open(stem, guess):
    app = opening.open_page(stem, bet="1", guess=guess, tally="9-2", **at(stem))
    assert [*app.exception, *app.error] == []
    assert len(app.info) == 1
    assert app.query_params == {"bet": "1", **at(stem)}
    assert opening.asks_bet(app)


def test_only_valid_answers_and_tallies_are_read_from_an_address():
    answer, tally = Answer(Number("", 50, 0, 100, (0, 50, 100))), CARRIED["tally"]
    assert isinstance(tally, Tally)
    assert [answer.read(text)[0] for text in ("0", "100", "100.1", "no")] == [0, 100, "", ""]
    assert answer.write(0) == "0"
    read = [tally.read(text)[0] for text in ("3-5", "0-1-c", "0-0", "5-3", "1-100", "1-2-é", "x")]
    assert read == ["3-5", "0-1-c", "", "", "", "", ""]


@pytest.mark.parametrize(
    ("placed", "truth", "said"), [(50, 54, "Right."), (50, 62, "Close."), (50, 66, "Not this time.")]
)
def test_verdict_depends_on_the_distance_from_the_truth(placed, truth, said):
    assert bet_words.verdict(Bet("", Number("", 0, 0, 100, (0, 100)), near=5), placed, truth) == said


@pytest.mark.parametrize("stem", WITH_BETS)
def test_computations_for_a_bet_are_cheap(monkeypatch, stem):
    monkeypatch.setattr(compute, "result", lambda function, *args, **kwargs: function(*args, **kwargs))
    values = values_of(stem)
    counted = count(lambda: VIEWS[stem].outcome(values))
    assert rates.decided(counted) <= compute.AT_ONCE


# --- visible before a bet ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stem", "said"),
    [
        ("long_context", "Weight of the key"),
        ("scaling_rules", "Variance of the scores"),
        ("unit_variance", "Spread σ"),
    ],
)
def test_title_of_the_vertical_axis_is_shown_while_the_bet_is_open(stem, said):
    before = VIEWS[stem].before(values_of(stem), LIGHT)
    assert before.figure.layout["title"]["text"] == f"<b>{said}</b>"
