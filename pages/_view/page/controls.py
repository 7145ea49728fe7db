"""Controls on the page. A control's name is the key of its widget and its URL parameter.

`shared` and each lesson declare the bounds and defaults; if two lessons have a control of the same name, the open
lesson's counts. A link is checked before any widget is drawn: a number outside its bounds moves to the nearest bound,
an unreadable value becomes the default, and one line tells the visitor.

Most controls are widgets that Streamlit binds to the address. Those of d_k and of a lesson's other sliders are our own
components, whose values are kept in the session and written into the address here. (A bound widget that a callback
sets falls back to the browser's last value, if the callback reruns only some of the fragments.)
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

import streamlit as st

from pages._view import lecture, own_seed
from pages._view._streamlit import step_of_history
from pages._view.address import Address, renewed
from pages._view.kinds import Choice, Control, Linked, Number, Text, Value
from pages._view.lesson import STEP, Lesson
from pages._view.lessons import LESSONS
from pages._view.literal import plain
from pages._view.shared import CARRIED, PATH, SHARED

Kind = TypeVar("Kind", Number, Choice, Text)

SLIDER = "d_k"
_DISPLAY = "mode"
_UNDRAWN = object()
LONGEST_LINK_MATRICES = 1000  # characters of all matrices together


def open_lesson(lesson: Lesson) -> None:
    """Make this the open lesson, and set its controls from the address.

    On a page change the address decides: a slider's last message may be lost.
    """
    # Note the lesson first, since `control` asks which one is open. Restore a history entry before the sliders write
    # their values into the address. `_start_anew` is last: it may end the run, and in the next run the page is no
    # longer new.
    if "lesson" not in st.session_state:
        _renew_address(lesson)
    before = st.session_state.get("lesson", lesson.stem)
    st.session_state["lesson"] = lesson.stem
    if before == lesson.stem:
        _follow_history(lesson)
    _open_slider(before != lesson.stem)
    _open_unbound(lesson, LESSONS[before])
    _carry_along(before != lesson.stem)
    if before != lesson.stem:
        for name in SHARED:
            if name != SLIDER:
                _follow_address(name)
        own = [name for name in lesson.controls if not (lesson.steps and name == STEP)]  # every link names its step
        _start_anew([name for name in own if name in LESSONS[before].controls])


def _renew_address(lesson):
    """Add the step to an old link that has none, before the step is read."""
    query = st.query_params.to_dict()
    new = renewed(lesson, query)
    for name in query.keys() - new.keys():
        st.query_params.pop(name)
    for name, text in new.items():
        if query.get(name) != text:
            st.query_params[name] = text


def current_lesson() -> Lesson:
    """Return the open lesson."""
    return LESSONS[st.session_state["lesson"]]


def _follow_history(lesson):
    """Restore the controls of a history entry after Back or Forward inside a lesson."""
    query = step_of_history()
    if query is not None:
        for name, value in Address(lesson, query).said.items():
            if name in st.session_state and _value(name) != value:
                place(name, value)


def _carry_along(new_page):
    """Carry parameters without a widget to another page; Back and Forward restore those of their history entry.

    The tally of the session never shrinks.
    """
    before = st.session_state.get("carried", {})
    if new_page and step_of_history() is None:
        st.query_params.update(before | carried())
    if _placed(before) > _placed(carried()):
        st.query_params["tally"] = before["tally"]
    st.session_state["carried"] = carried()


def _placed(query):
    """Return the number of bets in a query's tally."""
    tally = str(CARRIED["tally"].read(query.get("tally", ""))[0])
    return int(tally.split("-")[1]) if tally else 0


def carry(name: str, text: str) -> None:
    """Put a parameter without a widget into this address and those of later pages."""
    st.query_params[name] = st.session_state["carried"][name] = text


def drop(name: str) -> None:
    """Remove a parameter without a widget from this address and those of later pages."""
    st.session_state["carried"].pop(name, None)
    st.query_params.pop(name, None)


def carried() -> dict[str, str]:
    """Return the address's parameters without a widget that go along to other pages."""
    return {name: st.query_params[name] for name in CARRIED if name in st.query_params}


def taken_along() -> dict[str, str]:
    """Return the parameters that Python must add to a link: they have no widget, or one that is not drawn yet."""
    undrawn = [name for name in SHARED if name not in st.session_state and name in st.query_params]
    return carried() | {name: st.query_params[name] for name in undrawn}


def _open_slider(new_page):
    """Set d_k from the link, and keep it on other pages; Back and Forward restore the d_k of their history entry."""
    if SLIDER not in st.session_state:
        st.session_state[SLIDER] = _linked(SLIDER)  # `repair_link` checks the link later
    elif new_page:
        query = step_of_history()
        place(SLIDER, st.session_state[SLIDER] if query is None else query.get(SLIDER, control(SLIDER).default))
    else:
        _write_address(SLIDER)


def _open_unbound(lesson, before):
    """Restore unbound controls from the address or the history entry; drop those of the previous lesson."""
    for name in before.unbound:
        if name not in lesson.controls or (name == STEP and lesson is not before):
            st.session_state.pop(name, None)
        if name not in lesson.controls:
            st.query_params.pop(name, None)
    query = step_of_history() if lesson is not before else None
    opened = Address(lesson, renewed(lesson, st.query_params.to_dict()) if query is None else query).said
    for name in lesson.unbound:
        bound = name in before.controls and name not in before.unbound  # Streamlit's widget wrote the value
        if bound or (query is None and name not in st.session_state):
            st.session_state[name] = opened[name]
        elif query is not None:
            place(name, opened[name])
        else:
            _write_address(name)
    _leave_to_address(lesson)


def _leave_to_address(lesson):
    """Forget controls of other steps, since Streamlit would restore an older value of a widget that is not drawn."""
    if lesson.steps:
        here = lesson.step(st.session_state[STEP])
        for name in set(lesson.unbound) - {*lesson.own_sliders, *here.in_sight}:
            if "frame" in st.session_state:  # else `repair_link` has not checked its value yet
                _write_address(name)
            st.session_state.pop(name)


def _start_anew(names):
    """Reset the controls whose names the previous lesson used for other controls.

    After a link the address is the previous lesson's, but after Back and Forward it is this lesson's. Streamlit drops
    these controls from it, so they are written again, for a new run.
    """
    query = step_of_history() or {}
    for name in names:
        st.session_state.get("placed", {}).pop(name, None)
        if name in st.session_state:
            place(name, query.get(name, control(name).write(control(name).default)))
    lost = {name: query[name] for name in names if name in query}
    if lost:
        st.query_params.update(lost)
        st.rerun()


def control(name: str) -> Control:
    """Return the control of this name: a shared one, the open lesson's, or that of the first lesson that has one."""
    return next(table[name] for table in _tables() if name in table)


def _of_address(name: str) -> Control | Linked | None:
    """Return the control or parameter of this name; None if no lesson has it."""
    return next((table[name] for table in chain(_tables(), _carried()) if name in table), None)


def number(name: str) -> Number:
    """Return the control of this name, which must be a number."""
    return _of_kind(Number, name)


def _of_kind(kind: type[Kind], name: str) -> Kind:
    """Return the control of this name, which must be of this kind."""
    found = control(name)
    if not isinstance(found, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, but is a {type(found).__name__}")
    return found


def _tables():
    yield SHARED  # first: most names are here, and need no look-up in the session
    for lesson in _lessons():
        yield lesson.controls


def _carried():
    yield CARRIED
    for lesson in _lessons():
        yield lesson.linked


def _lessons():
    """Return all lessons, the open one first."""
    return _open() + tuple(LESSONS.values())


def _open():
    """Return the open lesson in a tuple, which is empty before one is open."""
    here = LESSONS.get(st.session_state.get("lesson", ""))
    return (here,) if here else ()


def repair_link() -> bool:
    """Correct the parameters of a fresh link; return True if any had to change.

    The session keeps sentences about the changes for `show_link_notes`.
    """
    settled = _settle_seed()
    notes, clean = [], {}
    for name in st.query_params:
        given = st.query_params.get_all(name)
        known = _of_address(name)
        if known is None:
            notes.append(f"“{_short(name)}” is not a setting of this dashboard and was ignored")
            continue
        value, problem = known.read(given[-1])
        if name == PATH and not problem and (problem := lecture.problem_of(str(value))):
            value = ""
        if problem:
            notes.append(f"{name} {problem} (the link says “{_short(given[-1])}”)")
        elif len(given) > 1:
            last = _short(known.write(value))
            notes.append(f"{name} is given {len(given)} times; the last, {last}, is used")
        if value != "" or isinstance(known, Text):
            clean[name] = known.write(value)
    _bring_along(clean)
    changed = settled or clean != st.query_params.to_dict() or bool(notes)
    if changed:
        st.session_state["link_notes"] = notes
        st.query_params.from_dict(clean)
    return changed


def _settle_seed():
    """Replace `seed=mine` by a random seed, as our server does when it serves a page."""
    asked = own_seed.is_asked(st.query_params)
    if asked:
        st.query_params[own_seed.SEED] = own_seed.drawn()
    return asked


def _bring_along(clean):
    """Select the option to which a control of the link belongs, if the link does not name an option."""
    own = current_lesson().controls
    meant: dict[str, str] = {}
    for name in own:
        other, option = own[name].when or ("", "")
        if name in clean and other in own and other not in clean:
            meant.setdefault(other, option)  # keep the first of several options
    meant = {name: option for name, option in meant.items() if option != own[name].default}
    clean.update({name: own[name].write(option) for name, option in meant.items()})
    for name in meant.keys() & {*current_lesson().unbound}:
        place(name, meant[name])


def show_link_notes() -> None:
    """Show the changes of `repair_link` in one line, as long as the first page is open."""
    notes = st.session_state.get("link_notes")
    if notes:
        st.info(plain(f"This link was adjusted: {'; '.join(notes)}.", names=True), icon=":material/link:")


def draw(name: str, **options: Any) -> Any:
    """Draw the widget of a control and return its value."""
    st.session_state.get("placed", {}).pop(name, None)
    drawn = control(name)
    if isinstance(drawn, Choice):
        return _believed(drawn, _draw_choice(name, drawn, **options))
    if isinstance(drawn, Text):
        return _believed(drawn, _draw_text(name, drawn, **options))
    return _draw_number(name, drawn, **options)


def address(**moved: Any) -> Address:
    """Return the open lesson's address with the values of its widgets. moved: values that a running film changes."""
    here = current_lesson()
    held = {name: _value(name) for name in (*SHARED, *here.controls)}
    return Address(here, st.query_params.to_dict(), held | moved)


def _value(name):
    """Return a control's value; before it is first drawn, the link's value or the default.

    A small window is never a wall, even if its address asks for one.
    """
    if name == _DISPLAY and st.session_state.get("small"):
        return control(name).default
    value = st.session_state.get(name, _UNDRAWN)  # one look: Streamlit works a value out again for `in`
    return _linked(name) if value is _UNDRAWN else _believed(control(name), value)


def _linked(name):
    """Return a control's value in the address, or its default."""
    one = control(name)  # not with `Address.linked`: the display is needed before a lesson is open
    return one.read(st.query_params[name])[0] if name in st.query_params else one.default


def _believed(control, value):
    """Return a widget's value, or the default for a value that only a forged message can set."""
    known = (
        value in control.options if isinstance(control, Choice) else isinstance(value, str) is isinstance(control, Text)
    )
    return value if known else control.default


def display() -> str:
    """Return the display of the page, also before a lesson is open: "screen" or "projector"."""
    return str(_value(_DISPLAY))


def asks_for_wall() -> bool:
    """Return True if the address asks for a wall, even if the window is too small for one."""
    return bool(st.session_state.get(_DISPLAY, _linked(_DISPLAY)) == "projector")


def not_on(settings: Mapping[str, Value]) -> list[str]:
    """Return the names of the controls whose values differ from these settings."""
    return [name for name, value in settings.items() if _value(name) != value]


def changed(names: Iterable[str]) -> list[str]:
    """Return the names of the controls whose values differ from their defaults."""
    return not_on({name: control(name).default for name in names})


def visited() -> dict[str, set[float]]:
    """Return the values that this visitor has visited, by slider of the open lesson."""
    return {name: _visited_and_here(name) for name in current_lesson().followed}


def _visited(name):
    """Return the values that this visitor has visited on one slider; lessons share only those of shared controls."""
    lesson = "" if name in SHARED else st.session_state.get("lesson", "")
    return st.session_state.setdefault("visited_stops", {}).setdefault((lesson, name), set())


def _visited_and_here(name):
    found = _visited(name)
    found.update((_linked(name), _value(name)))
    return found


def _stops_of(name):
    return tuple(number(name).ordered({*number(name).stops, *_visited_and_here(name)}))


def put_away(name: str) -> None:
    """Forget a control that does not belong to the selected options, and remove it from the address."""
    st.session_state.pop(name, None)
    st.query_params.pop(name, None)


def place(name: str, value: Value) -> None:
    """Set a control to a value, clamped to its bounds."""
    kept, _ = control(name).read(str(value))
    _visited(name).add(kept)
    st.session_state[name] = kept
    if name == SLIDER or any(name in here.unbound for here in _open()):
        _write_address(name)
    else:
        st.session_state.setdefault("placed", {})[name] = kept


def send_to(name: str, value: Value) -> None:
    """Set a control to a value, in the address too."""
    place(name, value)
    _write_address(name)


def _write_address(name):
    """Write a control's value into the address; remove a default, as Streamlit does for its widgets."""
    text, default = (control(name).write(value) for value in (st.session_state[name], control(name).default))
    if text == default and name != STEP:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != text:
        st.query_params[name] = text


def picture_key(key: str) -> str:
    """Return the key of a main picture's component; all steps of a lesson share it, so the picture never goes blank."""
    return "picture" if current_lesson().steps else key


def next_seed() -> None:
    """Move to the next seed; the first follows the last."""
    apply({"seed": (_value("seed") + 1) % (int(number("seed").high) + 1)})


def turn(name: str, steps: int) -> None:
    """Move a choice by a number of options, at most to its first or last."""
    st.session_state[name] = turned(name, steps)


def turned(name: str, steps: int) -> str:
    """Return the option this many options further, at most the first or last."""
    options = _of_kind(Choice, name).options
    return options[min(max(options.index(_value(name)) + steps, 0), len(options) - 1)]


def fill(texts: Mapping[str, Value]) -> None:
    """Write texts into their fields."""
    for name, text in texts.items():
        st.session_state[name] = text


def draw_matrices(names: Sequence[str], placeholders: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    """Draw fields for matrices side by side; return the texts, and True if the link carries them.

    The link carries the texts while their total length is small.
    """
    texts = {name: _value(name) for name in names}
    linked = sum(map(len, texts.values())) <= LONGEST_LINK_MATRICES
    if linked and not st.session_state.get("matrices_linked", True):
        # An unbound field is missing from the address, and binding it again does not write it there.
        st.query_params.update({name: text for name, text in texts.items() if text})
    st.session_state["matrices_linked"] = linked
    for column, name in zip(st.columns(len(names)), names, strict=True):
        with column:
            texts[name] = draw(name, bound=linked, placeholder=placeholders.get(name))
    return texts, linked


def apply(settings: Mapping[str, Value]) -> None:
    """Set several controls at once, including those that are not drawn yet, and run the page again."""
    put(settings)
    st.session_state["applied"] = applied() + 1
    st.rerun()


def put(settings: Mapping[str, Value]) -> None:
    """Set several controls before they are drawn in this run, or in the next."""
    for name, value in settings.items():
        if name not in st.session_state:
            st.query_params[name] = control(name).write(value)  # else the link's value would win
        place(name, value)


def applied() -> int:
    """Return the number of calls of `apply`, by which a page notices a click on a try."""
    return st.session_state.get("applied", 0)


def _follow_address(name):
    """Set a control to the address's value, or to the value that Python has placed since.

    Streamlit sometimes drops a control from the address on a page change: then the control keeps its value. The value
    is set even if the session has it already, since the browser may have lost it.
    """
    linked = _linked(name) if name in st.query_params or step_of_history() is not None else _value(name)
    wanted = st.session_state.get("placed", {}).get(name, linked)
    if not _value(name) == _linked(name) == wanted:
        place(name, wanted)
    elif name in st.session_state:
        st.session_state[name] = wanted


def draw_typed(name: str) -> None:
    """Draw a field in which any allowed number can be typed; it moves the slider, so it is not in the address.

    When something else moves the slider, the field gets a new key: the browser still holds the number of the old
    field, which would otherwise count as typed and move the slider back.
    """
    slider, field = number(name), f"{name}_typed"
    here = _value(name)
    version, shown = st.session_state.get(field, (0, here))
    version += shown != here
    st.session_state[field] = (version, here)
    key = f"{field}_{version}"
    kind = int if slider.whole else float  # Streamlit wants one type for bounds and value
    st.number_input(
        f"{slider.label}, typed",
        kind(slider.low),
        kind(slider.high),
        kind(here),
        key=key,
        on_change=_place_typed,
        args=(name, field, version),
    )


def _place_typed(name, field, version):
    if st.session_state[field][0] != version:
        return
    place(name, st.session_state[f"{field}_{version}"])
    st.session_state[field] = (version, _value(name))
    st.rerun()


def _bond(name):
    """Return the option that binds a widget to its URL parameter; None if the page writes the parameter."""
    return None if any(name in here.unbound for here in _open()) else "query-params"


def _draw_number(name, control, **options):
    if control.typed:
        return st.number_input(
            control.label,
            control.low,
            control.high,
            control.default,
            key=name,
            bind=_bond(name),
            help=control.help,
            **options,
        )
    return st.select_slider(
        control.label,
        _stops_of(name),
        value=control.default,
        format_func=control.shown,
        key=name,
        bind=_bond(name),
        help=control.help,
        **options,
    )


def _draw_choice(name, control, **options):
    widget: Any = st.segmented_control if control.bar else st.selectbox
    first = control.options.index(control.default)
    default = {"default": control.default, "required": True} if control.bar else {"index": first}
    return widget(
        control.label,
        control.options,
        format_func=control.called,
        key=name,
        bind=_bond(name),
        help=control.help,
        **default,
        **options,
    )


def _draw_text(name, control, bound=True, **options):
    if control.most and len(typed := st.session_state.get(name, "")) > control.most:
        st.session_state[name] = typed[: control.most]
    widget: Any = st.text_input if control.lines == 1 else st.text_area
    bind = _bond(name) if bound else None
    return widget(control.label, control.default, key=name, bind=bind, help=control.help, **options)


def _short(text):
    text = "".join(c for c in text if c.isprintable())
    return text if len(text) <= 24 else text[:24] + "…"
