"""Bet, then see: until the learner has answered one question on the main picture, what tells the answer is not sent.

The question stands at the picture, which shows what is known before; there it is revealed. All of it stands in the
address: bet=1 asks for the bets, guess is what was bet on this lesson, tally how many were right. The menu and a bare
link say nothing, and show the picture at once.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from pages._view import controls
from pages._view.kinds import Choice, Drawing
from pages._view.lesson import Bet, Lesson
from pages._view.lessons import ORDER, before_of, bet_of
from pages._view.literal import plain
from pages._view.main_picture import Values
from pages._view.picture import Figure, Picture
from pages._view.theme import Profile, number

_RIGHT, _CLOSE, _MISSED, _OPEN = "Right.", "Close.", "Not this time.", "Your bet stands."
_NEAR_ENOUGH = 3  # times as far off as what is right: close
_BET, _TRUTH = "◆", "●"  # the marks on the picture
_BEYOND = {"x": "→", "y": "↑"}  # where an axis goes on
_NOTHING = "?"  # where the marker stands before it is moved, which is no answer
_ONE_LINE = 40  # letters: the camera stands at the end of the line


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
    """Whether the open lesson has a bet and the learner wants it."""
    return _is_wanted(controls.current_lesson().bet, controls.linked_value("bet"))


def _is_wanted(bet, wish):
    return bet is not None and (wish == "1" or (wish == "draw" and isinstance(bet.answer, Drawing)))


def guess() -> Any:
    """What the learner has bet on the open lesson, or "" before they have."""
    return controls.linked_value("guess") if is_on() else ""


def is_open() -> bool:
    """Whether a bet waits to be placed: nothing that tells its answer may be on the page."""
    return is_on() and guess() == ""


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
    """What the moving picture must know: the bet to draw on it, if one is placed."""
    return {"guess": st.query_params["guess"]} if guess() != "" else {}


def read(lesson: Lesson, query: Mapping[str, str]) -> Any:
    """What an address says was bet on a lesson, or ""."""
    return lesson.linked["guess"].read(query["guess"])[0] if lesson.bet and "guess" in query else ""


def is_on_at(lesson: Lesson, query: Mapping[str, str]) -> bool:
    """Whether an address leads to a bet, placed or not."""
    return _is_wanted(lesson.bet, query.get("bet"))


def is_open_at(lesson: Lesson, query: Mapping[str, str]) -> bool:
    """Whether a bet waits to be placed where an address leads."""
    return is_on_at(lesson, query) and read(lesson, query) == ""


# --- the picture -----------------------------------------------------------------------------------------


def before(values: Values, profile: Profile) -> Picture:
    """What of the main picture is known before the bet is placed, with what was bet where the marker stands now."""
    lesson = controls.current_lesson()
    known, bet = before_of(lesson.stem)(values, profile), lesson.bet
    here = st.session_state.get(_draft(lesson))
    marks = [(_BET, f"your bet: {_written(bet, here)}", here)] if bet and bet.place else []
    return replace(known, key=f"{known.key}_before", figure=_drawn_on(_spec(known), bet, marks, profile))


def marked(shown: Picture, lesson: Lesson, values: Values, bet: Any, profile: Profile) -> Picture:
    """The picture that the bet is on with what was bet beside the truth; as it is if nothing was."""
    if lesson.bet is None or bet == "" or not _is_on_this(lesson.bet, shown, values):
        return shown
    found = bet_of(lesson.stem)(values)
    marks = [(_BET, f"your bet: {_written(lesson.bet, bet)}", bet)]
    if found.truth is not None:
        marks.append((_TRUTH, f"in fact: {_fact(lesson, found)}", found.truth))
    alt = f"{shown.alt or shown.sentence} {_both(lesson, bet, found)}"
    spec = _spec(shown)
    if isinstance(lesson.bet.answer, Drawing):
        spec["data"] += _curves(lesson.bet.place, found, bet, profile)
    figure = _drawn_on(spec, lesson.bet, marks, profile)
    if profile.name != "projector":  # where only the card says it
        figure.layout["annotations"] += _strip(figure.layout, marks, profile)
    return replace(shown, figure=figure, alt=alt)


def _curves(place, found, heights, profile):
    """What was drawn, point by point, and the true curve."""
    axes = {"type": "scatter", "xaxis": place.across, "yaxis": place.along}
    drawn, true = (
        {"color": _colour(sign, profile), "width": 1.5 * profile.line_width, "dash": "solid"} for sign in (_BET, _TRUTH)
    )
    size = [0, *[1.5 * profile.marker_size] * len(heights)]
    marker = {"symbol": "diamond", "size": size, "color": drawn["color"], "opacity": 1}
    x, y = found.curve
    points = {"x": [0, *found.places], "y": [0, *heights]}
    return [
        axes | {"mode": "lines", "x": x, "y": y, "line": true, "name": "in fact"},
        axes | points | {"mode": "lines+markers", "line": drawn, "marker": marker, "name": "your bet"},
    ]


def _is_on_this(bet, shown, values):
    """Whether the bet is on this picture, as these values show it."""
    return bet.on in ("", shown.key) and (bet.when is None or values[bet.when[0]] == bet.when[1])


def marked_below(shown: Picture, values: Callable[[], Values], profile: Callable[[], Profile]) -> Picture:
    """A picture below the main one; the one that the bet is on, with what was bet beside the truth."""
    lesson = controls.current_lesson()
    if lesson.bet is None or lesson.bet.on != shown.key:
        return shown
    return marked(shown, lesson, values(), guess(), profile())


def drawing(known: Picture, profile: Profile) -> dict[str, Any]:
    """What the browser needs to let the learner draw on a picture: nothing, if the answer is no curve."""
    lesson = controls.current_lesson()
    bet = _bet()
    if not isinstance(bet.answer, Drawing):
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


def _spec(shown):
    return deepcopy(vars(shown.figure))


def _drawn_on(spec, bet, marks, profile):
    """The figure with these marks: a line each for a number."""
    layout = spec["layout"]
    numbers = bet.place and not isinstance(bet.answer, Drawing)
    placed = [_placed(layout, bet, mark, profile) for mark in marks if numbers and mark[2] is not None]
    layout["shapes"] = [*layout.get("shapes", ()), *(line for line, _ in placed if line)]
    layout["annotations"] = [*layout.get("annotations", ()), *(word for _, word in placed)]
    return Figure(**spec)


def _colour(sign, profile):
    return profile.text if sign == _TRUTH else profile.third


def _placed(layout, bet, mark, profile):
    """A line across the panel at a number, with the mark at its end; of a number beyond the axis the way to it."""
    sign, _, value = mark
    along, across, colour = bet.place.along, bet.place.across, _colour(sign, profile)
    at, beyond = _on_axis(layout[along[0] + "axis" + along[1:]], value * bet.place.unit)
    upright, other = along[0] == "x", "y" if along[0] == "x" else "x"
    style = {"color": colour, "width": 1.5 * profile.line_width, "dash": "solid" if sign == _TRUTH else "dot"}
    refs = {f"{other}ref": f"{across} domain", f"{along[0]}ref": along}
    line = {"type": "line", "line": style, **refs, f"{other}0": 0, f"{other}1": 1}
    line |= {f"{along[0]}0": at, f"{along[0]}1": at}
    end = {"xanchor": "center", "yanchor": "top"} if upright else {"xanchor": "left", "yanchor": "middle"}
    text = sign
    if beyond:
        below = {"yshift": -1.3 * profile.tick_size} if sign == _TRUTH else {}  # what was bet may be beyond it too
        end = {"xanchor": "right", "yanchor": "top", **below}
        text = f"{sign} {_written(bet, value)} {_BEYOND[along[0]]}"
    font = {"size": profile.tick_size, "color": colour}
    word = {"text": text, "showarrow": False, "font": font, **refs, other: 1, along[0]: at, **end}
    return None if beyond else line, word


def _on_axis(axis, value):
    """Where a value stands on an axis, or its end, and whether it lies beyond."""
    low, high = sorted(axis["range"])
    return min(max(value, low), high), value > high


def _strip(layout, marks, profile):
    """What was bet and the truth in words above the figure: in one line where a phone has room for it."""
    if not marks:
        return []
    words = [f'<span style="color:{_colour(sign, profile)}">{sign}</span> {text}' for sign, text, _ in marks]
    lines = words if sum(2 + len(text) for _, text, _ in marks) > _ONE_LINE else ["\u2002\u2002".join(words)]
    room, margin = round(1.5 * profile.axis_size * len(lines)), layout["margin"]
    above = margin["t"]
    margin["t"] += room
    layout["height"] += room
    if pad := layout.get("title", {}).get("pad"):
        pad["b"] -= room
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    font = {"size": profile.axis_size, "color": profile.text}
    shift = {"xshift": -margin["l"], "yshift": above}
    return [{"text": "<br>".join(lines), "align": "left", "showarrow": False, "font": font, **shift, **place}]


# --- the words -------------------------------------------------------------------------------------------


def _written(bet, value):
    """An answer as a person reads it."""
    if value is None:
        return _NOTHING
    if isinstance(bet.answer, Choice):
        return bet.answer.called(value)
    if isinstance(bet.answer, Drawing):
        return "as drawn"
    return f"{number(value) if value % 1 else f'{value:,.0f}'}{bet.suffix}"


def _fact(lesson, found):
    return found.text or _written(lesson.bet, found.truth)


def _both(lesson, bet, found):
    """What was bet, and the truth once it is known; of a curve where the two are farthest apart."""
    if isinstance(lesson.bet.answer, Drawing):
        most = _farthest(bet, found.truth)
        label = lesson.bet.answer.label.format(f"{lesson.bet.answer.at[most]:,}")
        return f"{label}: {_BET} {bet[most]:,} drawn, {_TRUTH} {number(found.truth[most])} in fact."
    truth = "" if found.truth is None else f" {_TRUTH} In fact: {_fact(lesson, found)}."
    return f"{_BET} Your bet: {_written(lesson.bet, bet)}.{truth}"


def verdict(bet: Bet, placed: Any, truth: Any) -> str:
    """Whether what was bet is right, close, or neither; or that it is not known yet."""
    if truth is None:
        return _OPEN
    if isinstance(bet.answer, Choice):
        return _RIGHT if placed == truth else _MISSED
    off, near = _off(bet, placed, truth), bet.near
    return _RIGHT if off <= near else _CLOSE if off <= _NEAR_ENOUGH * near else _MISSED


def _off(bet, placed, truth):
    """How far what was bet is from the truth; of a curve, where it is farthest, in its last true height."""
    if isinstance(bet.answer, Drawing):
        off = abs(placed[_farthest(placed, truth)] - truth[_farthest(placed, truth)])
        return off / truth[-1] if truth[-1] else off
    return abs(placed - truth)


def _farthest(placed, truth):
    """Where a curve is farthest from the truth."""
    apart = [abs(height - true) for height, true in zip(placed, truth, strict=True)]
    return apart.index(max(apart))


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
    st.query_params.pop("guess", None)


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
        shown, answer = partial(_written, bet), bet.answer
        st.markdown(f"**{plain(question(bet, controls.values()))}**", width="stretch")
        label: Any = {"label_visibility": "collapsed" if _on_a_wall() else "visible"}
        if isinstance(answer, Choice):
            st.radio(answer.label, answer.options, format_func=shown, index=None, horizontal=True, key=key, **label)
        elif not isinstance(answer, Drawing):
            st.select_slider(answer.label, (None, *answer.stops), None, shown, key=key, **label)
        none = st.session_state.get(key) is None
        st.button("Place my bet", key="place_bet", type="primary", on_click=_place, args=(lesson,), disabled=none)


def _tell(lesson):
    """Right or not, both answers, why, and how many were right so far."""
    placed, found = guess(), bet_of(lesson.stem)(controls.values())
    told = verdict(lesson.bet, placed, found.truth)
    if st.session_state.get("bet_placed") == lesson.stem:
        _count(lesson, told)
    else:
        _counted().add(lesson.stem)
    right, _, of = controls.linked_value("tally").partition("-")
    why = f"{found.why} {right} of {of} {'bet' if of == '1' else 'bets'} right so far." if of else found.why
    with st.container(horizontal=True, vertical_alignment="center", key="bet_row"):
        said = f"{_both(lesson, placed, found)} {'' if _on_a_wall() and found.truth is not None else why}"
        st.markdown(f"**{told}** {plain(said)}", width="stretch")
        st.button("Bet again", key="bet_again", on_click=_take_back)


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
    if told != _OPEN and lesson.stem not in _counted():
        _counted().add(lesson.stem)
        right, _, of = (controls.linked_value("tally") or "0-0").partition("-")
        controls.carry("tally", f"{int(right) + (told == _RIGHT)}-{int(of) + 1}")


def _counted():
    """The lessons whose bets are in the tally."""
    return st.session_state.setdefault("bets_counted", set())


def _take_back():
    st.query_params.pop("guess", None)
    st.rerun()
