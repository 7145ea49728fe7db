"""The frame around every lesson: navigation, question, slider, settings, and links to other lessons."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from pages._view import bet_html, styles, theme, way
from pages._view._streamlit import StreamlitAPIException, StreamlitPage, page_of_run
from pages._view.address import own, query_of
from pages._view.figures.base import inks
from pages._view.lesson import STEP, Lesson
from pages._view.lessons import LESSONS, ORDER
from pages._view.page import bets, components, controls, jobs, share, wall
from pages._view.page.words import worded
from pages._view.routes import title_of
from pages._view.shared import SHARED
from pages._view.stage import Stage

PAGES = Path(__file__).resolve().parents[2]
LIVE = "live"  # key of the fragment with all that depends on sliders; it reruns when one is released
_SLIDER, _TYPED, _TYPED_OWN, _LINE = "slider", "typed", "typed_own", "line"
_REST = {
    False: ("Show the rest of the lesson", ":material/expand_more:", "shown"),
    True: ("Show the stage alone", ":material/expand_less:", "hidden"),
}
_DRAWN = "page_drawn"  # session state: the page in the browser; None while one is being drawn


def open_frame() -> StreamlitPage:
    """Draw everything above the lesson; return the page to run."""
    st.session_state[_DRAWN] = None
    page = _navigation()
    lesson = LESSONS[page.url_path or ORDER[0]]
    st.set_page_config(page_title=title_of(lesson.question), page_icon="➗", layout="wide")
    if st.session_state.get("lesson") != lesson.stem:
        jobs.end_jobs()
    _open(lesson)
    _prepare_browser(lesson)
    share.draw_button(lesson)
    if is_wall():
        _draw_bar(lesson)
    else:
        _draw_menu()
    bets.hold()
    _draw_head(lesson)
    wall.draw_corner(lesson)
    if more() and not lesson.steps:
        worded(lesson.answer, lesson.terms)
    _draw_stage(lesson)
    controls.show_link_notes()
    return page


def _open(lesson):
    """Open the lesson at its address, after repairing a new link; follow the class if it is at another lesson."""
    controls.open_lesson(lesson)
    if "frame" not in st.session_state:
        st.session_state["frame"] = True
        if controls.repair_link():
            st.rerun()
    _leave_notes_behind(lesson)
    if elsewhere := wall.follow(lesson):
        stands = {name: text for name, text in query_of(elsewhere.query).items() if name == STEP}
        st.switch_page(file_of(LESSONS[elsewhere.stem]), query_params=controls.taken_along() | stands)


def _draw_head(lesson):
    """Draw the question; for a lesson with steps also the links to these, and the line of the open one."""
    if not lesson.steps:
        st.title(lesson.question, anchor=False)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="top"):
        st.title(lesson.question, anchor=False)
        st.html(way.html_of(bet_html.counted(stage())))
    _draw_line()


@st.fragment(key=_LINE)
def _draw_line():
    """Draw the line of the step, in a fragment because a bet's question may name the sliders' values."""
    here = stage()
    st.html(way.line_html(wall.line(here.line), asks=here.address.step.bet is not None))


def _prepare_browser(lesson):
    dark = st.context.theme.type == "dark"
    st.html(f"<style>{styles.rules(lesson, profile().name, more=more(), dark=dark)}</style>")
    here, wall_asked = stage(), controls.asks_for_wall()
    components.mend_browser(
        lesson.question,
        here.line.text,
        own(lesson),
        asks_for_wall=wall_asked,
        follows=wall_asked or here.address.room != "",
        heard={"step": _turn_to, "sets": _follow_link, "bet": bets.place},
    )


def _turn_to(step):
    """Open another step, and reset hidden settings that a try of the current one has changed."""
    here = controls.address()
    if step != here.step.name:
        for name, usual in way.ended(here).items():
            controls.place(name, usual)
    controls.place(STEP, step)


def _follow_link(text):
    """Apply the settings of one of the stage's links to the controls and to the address."""
    query, known = query_of(text), {**SHARED, **controls.current_lesson().controls}
    bets.set_by_link(query)
    wall.set_by_link(query)
    if settings := {name: known[name].read(each)[0] for name, each in query.items() if name in known}:
        controls.apply(settings)


def close_frame() -> None:
    """Draw the end of a lesson: its place in the section, and links to the lessons before and after it."""
    lesson = controls.current_lesson()
    st.session_state[_DRAWN] = page_of_run()
    components.prepare_paper(inks(profile()))
    wall.end_run()
    if is_wall() and not lesson.steps:
        _ask_for_rest()
    before, after = way.lessons_beside(controls.address())
    if lesson.steps and after:
        with st.container(key="lesson_on"):  # "Next" presses this link, once there is a session
            _way_to(after, after.lesson.question)
    if is_wall() or lesson.steps:
        return
    section = [each for each in LESSONS.values() if each.section == lesson.section]
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="way"):
        if before:
            _way_to(before, before.lesson.question, icon=":material/arrow_back:")
        st.markdown(f"{lesson.section}: {section.index(lesson) + 1} of {len(section)}")
        if after:
            _way_to(after, after.lesson.question, icon=":material/arrow_forward:", icon_position="right")


def _draw_bar(lesson):
    """Draw a wall's header: links to other lessons and to rooms, keyboard help, and the button that leaves the wall."""
    before, after = way.lessons_beside(controls.address())
    with st.container(horizontal=True, vertical_alignment="center", key="wall"):
        for each, label, key in ((before, "Previous lesson", "lesson_before"), (after, "Next lesson", "lesson_after")):
            with st.container(key=key, width="content"):
                if each:
                    _way_to(each, label)
        components.hear_keys(lesson.stem)
        wall.draw_end()
        wall.draw_door()
        st.button("Leave", key="leave_wall", on_click=controls.apply, args=({"mode": "screen"},))


def draw_turns(name: str, *, arrows: bool = True) -> None:
    """Draw buttons that step through the options of a choice. arrows: True if ← and → on the keyboard press them.

    On a wall, its own keyboard shortcuts press the buttons, and open the next lesson after the last option.
    """
    here, classroom = controls.address(), is_wall()
    waits = here.asks_bet and here.bet is not None and (here.bet.when or ("",))[0] == name
    for label, steps, key in (("Previous", -1, "Left"), ("Next", 1, "Right")):
        ended = controls.turned(name, steps) == here.values[name] or (waits and steps > 0)
        st.button(
            label,
            key=f"turn_{key.lower()}",
            shortcut=key if arrows and not classroom else None,
            on_click=controls.turn,
            args=(name, steps),
            disabled=classroom and ended,
        )


def _ask_for_rest():
    """Draw a wall's button that shows or hides the parts below the main picture."""
    controls.draw("rest")  # an invisible widget, so that Streamlit keeps the parameter in the address
    label, icon, wish = _REST[more()]
    with st.container(key="ask_rest"):
        st.button(label, icon=icon, key="more", on_click=controls.apply, args=({"rest": wish},), width="stretch")


def _way_to(stop, label, **options):
    """Draw a link to a step of another lesson; on the start page the link asks for bets."""
    proposed = way.proposed(controls.current_lesson(), st.query_params)
    said = ({STEP: stop.step} if stop.step else {}) | proposed
    st.page_link(file_of(stop.lesson), label=label, query_params=said or None, **options)


def draw_link(lesson: Lesson, label: str, **options: Any) -> None:
    """Draw a link to a lesson, at its first step."""
    st.page_link(file_of(lesson), label=label, query_params=way.first_step(lesson) or None, **options)


def stage(**moved: Any) -> Stage:
    """Return the stage of the open lesson as this visitor sees it. moved: values that a running film changes."""
    here = controls.address(**moved)
    is_told = st.session_state.get(bets.FILM) != here.lesson.stem
    return Stage(here, st.context.theme.type or "light", controls.visited(), is_told=is_told)


def profile() -> theme.Profile:
    """Return the figures' profile for this visitor, by display mode and theme."""
    return theme.profile(controls.display(), st.context.theme.type)


def is_wall() -> bool:
    """Return True if the page is shown on a wall."""
    return controls.display() == "projector"


def _navigation():
    sections: dict[str, list[StreamlitPage]] = {}
    for each in LESSONS.values():
        page = st.Page(file_of(each), title=each.question, url_path=each.stem, default=each.stem == ORDER[0])
        sections.setdefault(each.section, []).append(page)
    return st.navigation(sections, position="top" if is_wall() else "hidden")


def _draw_menu():
    """Draw the menu: the lessons by section, each as the question that it answers."""
    here = controls.current_lesson().section
    sections = dict.fromkeys(each.section for each in LESSONS.values())
    with st.sidebar:
        for section in sections:
            with _named(section, is_open=section == here, is_first=section == next(iter(sections))):
                for each in LESSONS.values():
                    if each.section == section:
                        draw_link(each, each.question)
        wall.draw_door()


def _named(section, *, is_open, is_first):
    """Return the container of a section in the menu: the first section is always open, the others are folds."""
    if not is_first:
        return st.expander(section, expanded=is_open, key=f"menu_{section.lower().replace(' ', '_')}")
    st.markdown(f"**{section}**")
    return st.container()


def file_of(lesson: Lesson) -> Path:
    """Return the script of a page."""
    return PAGES / f"{lesson.stem}.py"


def _leave_notes_behind(lesson):
    """Drop the remarks about a link once another page is opened."""
    if st.session_state.setdefault("first_page", lesson.stem) != lesson.stem:
        st.session_state.pop("link_notes", None)


def _draw_stage(lesson):
    """Draw the controls of the step in one row: sliders, other visible controls, the switch for bets, Settings."""
    step = controls.address().step
    with st.container(horizontal=True, vertical_alignment="center", key="stage"):
        if stage().has_slider and not bets.holds(step.slider) and step.slider not in step.pinned:
            draw_slider()
        for name in step.dials:
            if not _belongs(name):
                controls.put_away(name)
            elif not bets.holds(name):
                draw_dial(name)
        for name in step.in_sight:
            _draw_own(name)
        controls.draw("scaling")
        if switch := way.switch_html(controls.address()):
            st.html(switch)
        _draw_settings(lesson)


def _draw_own(name):
    if not bets.holds(name) and _belongs(name):
        controls.draw(name)


def _belongs(name):
    """Return True if a control needs no option to be selected, or if its option is selected."""
    when = controls.control(name).when
    return when is None or not controls.not_on(dict([when]))


@st.fragment(key=_SLIDER)
def draw_slider() -> None:
    """Draw the large slider; the main picture follows it while it is dragged."""
    payload = stage().slider
    if payload is None:
        return
    name = payload["name"]
    if name == controls.SLIDER:
        components.draw_slider(payload, key="dimension", on_release=put_slider)
        return
    with st.container(key="dimension"):  # another key, since a late message may come from another slider
        components.draw_slider(payload, key=f"{name}_dial", on_release=partial(_release, name, (_SLIDER, _TYPED_OWN)))


def draw_dial(name: str, stops: Sequence[float] | None = None, shown: Callable[[Any], str] | None = None) -> None:
    """Draw a dial, which the picture follows as it follows d_k. stops, shown: as in `Stage.dial`."""
    st.fragment(lambda: _dial(name, stops, shown), key=f"dial_{name}")()


def _dial(name, stops, shown):
    own_part = () if name in controls.address().step.placed else (f"dial_{name}",)
    release = partial(_release, name, own_part)
    components.draw_slider(stage().dial(name, stops, shown), key=f"{name}_dial", on_release=release)


def put_slider(d_k: float) -> None:
    """Move the large slider to another d_k from Python."""
    _release(controls.SLIDER, (_SLIDER, _TYPED), d_k)


def _release(name, own, value):
    """Set a control that was moved; redraw it and the parts that depend on it."""
    controls.place(name, value)
    line = (_LINE,) if controls.address().shows_bet else ()
    _redraw(*own, *line, LIVE)


def redraw_picture() -> None:
    """Redraw the main picture and its parts, after a computation has ended."""
    _redraw(LIVE)


def _redraw(*fragments):
    """Rerun these fragments, or the whole page if the visitor has navigated away."""
    if st.session_state.get(_DRAWN) == page_of_run():
        with suppress(StreamlitAPIException):  # the page may lack one of these fragments
            st.rerun(list(fragments))
    st.rerun()


def _draw_settings(lesson):
    """Draw the Settings, with all shared controls: Streamlit removes one that is not drawn from the address."""
    used = [*lesson.settings, *(name for name in styles.IN_SETTINGS if name in (*lesson.shared, "mode"))]
    changed = controls.changed(name for name in used if name != "mode")  # Display is not counted
    label = f"Settings, **{len(changed)}** changed" if changed else "Settings"
    # Not a popover: the browser has no contents of a closed one, and forgets its settings on a page change.
    with st.expander(label, key="settings", icon=":material/tune:"):
        first, *others = styles.IN_SETTINGS
        controls.draw(first)
        for name in lesson.settings:
            _draw_own(name)
        for name in others:
            controls.draw(name)
        _typed(controls.SLIDER, _TYPED)
        slider = controls.address().step.slider
        if slider not in ("", controls.SLIDER) and not bets.holds(slider):
            _typed(slider, _TYPED_OWN)
        defaults = {name: controls.control(name).default for name in changed}
        st.button("Reset", key="reset", on_click=controls.apply, args=(defaults,), disabled=not changed)


def _typed(name, key):
    st.fragment(lambda: controls.draw_typed(name), key=key)()


def more() -> bool:
    """Return True if the parts below the main picture are shown: not during a bet, and on a wall only on request."""
    here = controls.address()
    return not here.bet_waits and (not here.is_wall or (here.values["rest"] == "shown" and not here.lesson.steps))
