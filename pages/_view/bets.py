"""Bet, then see: until the learner has answered one question on the main picture, what tells the answer is not sent.

The question stands at the picture, which shows what is known before; there it is revealed. All of it stands in the
address: bet=1 asks for the bets, guess is what was bet on this lesson, tally how many were right. The menu and a bare
link say nothing, and show the picture at once. On a wall the room bets, and reveal=1 shows the truth; class is what
many have bet.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from pages._view import controls
from pages._view.bet_marks import Placed, drawn_on, marked, said, spec_of
from pages._view.bet_words import BET, OPEN, RIGHT, of_class, verdict, written
from pages._view.kinds import Choice, Drawing
from pages._view.lesson import CLASS, REVEAL, Bet, Lesson
from pages._view.lessons import ORDER, before_of, bet_of
from pages._view.literal import plain
from pages._view.main_picture import Values
from pages._view.picture import Picture
from pages._view.shared import ROOM
from pages._view.theme import Profile

TURNED = "truth_turned"  # in the state of a session: whether a hand has just shown the truth, or hidden it


@dataclass(frozen=True)
class Outcome:
    """What a bet comes to at the settings of the moment.

    truth: in the units of the answer, or the option that is right ("" if none is); None while it is not known.
    why: one sentence, true at these settings, or what must be done to know. text: how the truth is said, where that is
    more than truth says. Of a curve, truth has its height at each place; places says where these are on the axis of the
    moment, and curve goes through all of it there, x and y.
    """

    truth: float | str | tuple[float, ...] | None
    why: str
    text: str = ""
    places: Sequence[float] = ()
    curve: tuple[Sequence[float], Sequence[float]] = ((), ())


# --- what the address says -------------------------------------------------------------------------------


def is_on() -> bool:
    """Whether the open lesson has a bet and the learner wants it, or it is a class's that is shown."""
    return is_on_at(controls.current_lesson(), st.query_params)


def _is_wanted(bet, wish):
    return bet is not None and (wish == "1" or (wish == "draw" and isinstance(bet.answer, Drawing)))


def placed() -> Placed:
    """What was bet on the open lesson; None while the bet is open, or if there is none."""
    return placed_at(controls.current_lesson(), st.query_params)


def is_open() -> bool:
    """Whether a bet waits to be placed, or to be revealed: nothing that tells its answer may be on the page."""
    return is_on() and placed() is None


def has_card() -> bool:
    """Whether the question, or what became of the bet, stands on the page."""
    return is_on() and (_part() is None or controls.stands(_part()))


def asks() -> bool:
    """Whether a bet waits to be placed on the picture that is shown."""
    return is_open() and has_card()


def hold() -> None:
    """While a bet is open, put the lesson where the picture is that it is on, unless it stands at an earlier step.

    Its other parts would tell the answer. A page that draws the choice itself calls this before it does.
    """
    if is_open() and _part() and controls.value_of(_part()[0]) not in (_part()[1], *_earlier()):
        controls.send_to(*_part())
        st.rerun()
    if is_open():
        _clear(controls.changed(_bet().usual))


def _clear(names):
    """Put settings on their defaults, for the question is about these."""
    for name in names:
        controls.send_to(name, controls.control(name).default)
    if names:
        st.rerun()


def holds(name: str) -> bool:
    """Whether a control must stay where it is, because a bet is open."""
    return is_open() and _part() is not None and name == _part()[0] and not _earlier()


def _part():
    """Of a lesson of several parts, the control and the option at which the picture is what the bet is on."""
    bet = _bet()
    return bet and bet.when


def _earlier():
    """The options before it, whose pictures tell nothing."""
    return _bet().earlier


def _bet() -> Any:
    return controls.current_lesson().bet


def proposed() -> dict[str, str] | None:
    """What a link along the path says: the start proposes to bet. All else goes along by itself, see `controls`."""
    first = controls.current_lesson().stem == ORDER[0]
    return {"bet": "1"} if first and "bet" not in st.query_params else None


def addressed() -> dict[str, str]:
    """What the moving picture must know: what to draw on it, if anything is shown."""
    said = {name: st.query_params[name] for name in ("bet", "guess", REVEAL, CLASS) if name in st.query_params}
    return said if placed() is not None else {}


def placed_at(lesson: Lesson, query: Mapping[str, str]) -> Placed:
    """What an address says was bet on a lesson: by a class, by one, or () where the truth alone is shown."""
    if not is_on_at(lesson, query):
        return None
    many, one, shown = (_said(lesson, query, name) for name in (CLASS, "guess", REVEAL))
    return tuple(many) or ((one,) if one != "" else () if shown == "1" else None)


def _said(lesson, query, name):
    return lesson.linked[name].read(query[name])[0] if lesson.bet and name in query else ""


def is_on_at(lesson: Lesson, query: Mapping[str, str]) -> bool:
    """Whether an address leads to a bet, placed or not. Where a room chooses a setting together, it does not bet."""
    if ROOM in query and lesson.together and lesson.together.chooses:
        return False
    return _is_wanted(lesson.bet, query.get("bet")) or _said(lesson, query, CLASS) != ""


def has_card_at(lesson: Lesson, query: Mapping[str, str]) -> bool:
    """Whether the question of a bet, or what became of it, stands where an address leads."""
    if lesson.bet is None or not is_on_at(lesson, query):
        return False
    return lesson.bet.when is None or controls.read(lesson, query)[lesson.bet.when[0]] == lesson.bet.when[1]


def is_open_at(lesson: Lesson, query: Mapping[str, str]) -> bool:
    """Whether a bet waits where an address leads."""
    return is_on_at(lesson, query) and placed_at(lesson, query) is None


# --- the picture -----------------------------------------------------------------------------------------


def before(values: Values, profile: Profile) -> Picture:
    """What of the main picture is known before the bet is placed, with what was bet where the marker stands now."""
    lesson = controls.current_lesson()
    known, bet = before_of(lesson.stem)(values, profile), lesson.bet
    here = None if _on_a_wall() else st.session_state.get(_draft(lesson))
    marks = [(BET, f"your bet: {written(bet, here)}", here)] if bet and bet.place else []
    return replace(known, key=f"{known.key}_before", figure=drawn_on(spec_of(known), bet, marks, profile))


def marked_below(shown: Picture, values: Callable[[], Values], profile: Callable[[], Profile]) -> Picture:
    """A picture below the main one; the one that the bet is on, with what was bet beside the truth."""
    lesson = controls.current_lesson()
    if lesson.bet is None or lesson.bet.on != shown.key:
        return shown
    return marked(shown, lesson, values(), placed(), profile())


def drawing(known: Picture, profile: Profile) -> dict[str, Any]:
    """What the browser needs to let the learner draw on a picture: nothing on a wall, or if the answer is no curve."""
    lesson = controls.current_lesson()
    bet = _bet()
    if not isinstance(bet.answer, Drawing) or _on_a_wall():
        return {}
    layout: Any = vars(known.figure)["layout"]
    span, reach = layout[f"{bet.place.along}axis"]["range"], layout[f"{bet.place.across}axis"]["range"]
    return {
        "panel": bet.place.across + bet.place.along,
        "at": bet.answer.at,
        "reach": reach,
        "span": span,
        "heights": st.session_state.get(_draft(lesson)),
        "labels": [bet.answer.label.format(f"{each:,}") for each in bet.answer.at],
        "style": {"colour": profile.third, "width": 1.5 * profile.line_width, "size": 2 * profile.marker_size},
    }


def keep_drawing(heights: object) -> None:
    """What the learner has drawn so far; a forged message may say anything."""
    lesson = controls.current_lesson()
    answer = lesson.bet and lesson.bet.answer
    if isinstance(answer, Drawing) and answer.takes(heights):
        st.session_state[_draft(lesson)] = heights


# --- the words -------------------------------------------------------------------------------------------


def question(bet: Bet, values: Values) -> str:
    """What is asked at these settings."""
    shown = {name: f"{each:,}" if isinstance(each, int) else str(each) for name, each in values.items()}
    return bet.question.format(**shown)


# --- the card --------------------------------------------------------------------------------------------


def draw_switch(lesson: Lesson) -> None:
    """Whether to bet before the picture is seen; where there is nothing to bet on it is not seen."""
    if lesson.bet is not None:
        st.session_state["bet_switch"] = is_on()
        label = "Draw it first" if isinstance(lesson.bet.answer, Drawing) else "Bet first"
        st.toggle(label, key="bet_switch", on_change=_switch)


def _switch():
    if st.session_state["bet_switch"] == is_on():
        return  # called though nobody touched it, when the page changes right after a move of the slider
    wish = "draw" if isinstance(_bet().answer, Drawing) else "1"
    controls.carry("bet", wish if st.session_state["bet_switch"] else "0")
    _forget()


def draw_card() -> None:
    """The question, or what became of the bet, right at the picture; at an earlier step, where it waits."""
    if is_open() and not has_card():
        name, option = _part()
        st.markdown(f"A bet waits at **{plain(controls.control(name).write(option))}**.")
    elif has_card():
        with st.container(border=True, key="bet_card"):
            (_ask if is_open() else _tell)(controls.current_lesson())


def _ask(lesson):
    bet, key = lesson.bet, _draft(lesson)
    with st.container(horizontal=True, vertical_alignment="center", key="bet_row"):
        shown, answer = partial(written, bet), bet.answer
        st.markdown(f"**{plain(question(bet, controls.values()))}**", width="stretch")
        if _on_a_wall():  # where the room bets, and who teaches reveals
            st.button("Reveal", key="reveal", on_click=show_truth)
            return
        if isinstance(answer, Choice):
            st.radio(answer.label, answer.options, format_func=shown, index=None, horizontal=True, key=key)
        elif not isinstance(answer, Drawing):
            st.select_slider(answer.label, (None, *answer.stops), None, shown, key=key)
        none = st.session_state.get(key) is None
        st.button("Place my bet", key="place_bet", type="primary", on_click=_place, args=(lesson,), disabled=none)


def show_truth() -> None:
    """Show on a wall what the bet comes to."""
    st.query_params[REVEAL] = "1"
    st.session_state[TURNED] = True
    st.rerun()


def _tell(lesson):
    """What was bet and the truth; of one's own bet whether it is right, why, and how many were right so far."""
    all_placed, found = placed(), bet_of(lesson.stem)(controls.values())
    with st.container(horizontal=True, vertical_alignment="center", key="bet_row"):
        if len(all_placed or ()) == 1 and CLASS not in st.query_params:
            _tell_own(lesson, (all_placed or ())[0], found)
        else:
            st.markdown(plain(_told(lesson, all_placed, found)), width="stretch")
        if _on_a_wall() or not all_placed:
            st.button("Hide", key="reveal", on_click=take_back)
        elif CLASS not in st.query_params:
            st.button("Bet again", key="bet_again", on_click=take_back)


def _told(lesson, all_placed, found):
    """The truth; of a class what it has bet before, and where there is room for it why."""
    text = of_class(lesson, all_placed, found) if all_placed else said(lesson, all_placed, found)
    return f"{text} {'' if _on_a_wall() and text else found.why}"


def _tell_own(lesson, own, found):
    told = verdict(lesson.bet, own, found.truth)
    if st.session_state.get("bet_placed") == lesson.stem:
        _count(lesson, told)
    else:
        _counted().add(lesson.stem)
    right, _, of = controls.linked_value("tally").partition("-")
    why = f"{found.why} {right} of {of} {'bet' if of == '1' else 'bets'} right so far." if of else found.why
    text = f"{said(lesson, (own,), found)} {'' if _on_a_wall() and found.truth is not None else why}"
    st.markdown(f"**{told}** {plain(text)}", width="stretch")


def _on_a_wall():
    """In a classroom, where there is room for what is seen only."""
    return controls.value_of("mode") == "projector"


def _draft(lesson):
    return f"guess_on_{lesson.stem}"


def _place(lesson):
    """Put what the marker says into the address; it is counted if it is the first bet on this lesson."""
    if isinstance(lesson.bet.answer, Drawing):  # what was drawn just before may come with the click
        said = st.session_state.get(f"{lesson.pictures[0]}_before") or {}
        keep_drawing(said.get("drawn"))
    st.query_params["guess"] = lesson.bet.answer.write(st.session_state[_draft(lesson)])
    st.session_state["bet_placed"] = lesson.stem
    st.rerun()


def _count(lesson, told):
    """The first bet of this visitor on a lesson, once it is known what it comes to."""
    if told != OPEN and lesson.stem not in _counted():
        _counted().add(lesson.stem)
        right, _, of = (controls.linked_value("tally") or "0-0").partition("-")
        controls.carry("tally", f"{int(right) + (told == RIGHT)}-{int(of) + 1}")


def _counted():
    """The lessons whose bets are in the tally."""
    return st.session_state.setdefault("bets_counted", set())


def take_back() -> None:
    """Open the bet again."""
    _forget()
    st.session_state[TURNED] = False
    st.rerun()


def _forget():
    for name in ("guess", REVEAL, CLASS):
        st.query_params.pop(name, None)
