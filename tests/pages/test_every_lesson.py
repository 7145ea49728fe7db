"""Rules for every page: frame, controls at their bounds, links, projector mode, data and code."""

import json

import pytest
from plotly import graph_objects
from sampling import sampled
from streamlit.runtime.pages_manager import PagesManager

from pages._view.bundle import TRACES
from pages._view.kinds import Choice, Text
from pages._view.lesson import STEP
from pages._view.lessons import LESSONS, ORDER, PAGES
from pages._view.page.show import MOST_ROWS
from pages._view.shared import SHARED
from pages._view.theme import PROJECTOR
from tests.pages import opening

LINKED = {"d_k": "300", "n_keys": "48", "law": "uniform", "seed": "3"}
TITLES = ["What is assumed", "Myth and fact", "Sources"]
LONGEST = 2_000  # characters of a text in a link
SHORT = {"training_race": {"n_steps": "10", "n_seeds": "1"}}  # short enough to be drawn at once


def moved_on(stem, unused=SHARED):
    """Return the controls that change a page, and on the first lesson also the shared controls that it does not use.

    `rest` is drawn in projector mode only, so moving it changes the mode as well.
    """
    unused = unused if stem == ORDER[1] else ()
    d_k = ("d_k",) if opening.uses_d_k(stem) else ()
    rest = () if LESSONS[stem].steps else ("rest",)
    unused = [name for name in unused if name != "rest" or rest]
    own = [name for name in LESSONS[stem].controls if name != STEP or len(LESSONS[stem].steps) != 1]
    return dict.fromkeys([*d_k, *LESSONS[stem].shared, *rest, *own, *unused])


def step_with(stem, name):
    """Return the link parameters of a step with this control, preferably the opening step."""
    lesson = LESSONS[stem]
    usual, own = lesson.step(lesson.opens), [each for each in lesson.steps if name in (*each.followed, *each.in_sight)]
    return opening.at_step((usual if usual in own or not own else own[0]).name)


USED_WHILE = {  # controls that matter only while another control has this value
    ("one_query", "seed"): ("step", "wander"),
    ("score_variance", "n_keys"): ("sampling", "matrix"),
    ("score_variance", "n_queries"): ("sampling", "matrix"),
    ("softmax_saturation", "list_3"): ("step", "lists"),
    ("softmax_saturation", "list_4"): ("step", "lists"),
    ("scaling_rules", "n_keys"): ("step", "rules"),
    ("your_scores", "head"): ("sample", "layer_norm_mha"),
}
EVERY_CONTROL = [(stem, name) for stem in ORDER for name in moved_on(stem)]


def ends(control):
    """Return both bounds of a number, every option of a choice, or the shortest and the longest text."""
    if isinstance(control, Choice):
        return control.options
    return ("", "9" * (control.most or LONGEST)) if isinstance(control, Text) else (control.low, control.high)


def follows_d_k(app, stem, d_k):
    """Return True if the slider and a picture show this d_k, or if the page does not depend on it."""
    if not opening.uses_d_k(stem) or "d_k" in opening.step_of(app).pinned:
        return True
    if opening.step_of(app).slider == "d_k" and opening.large_slider(app).value != d_k:
        return False
    d_k = opening.step_of(app).pinned.get("d_k", d_k)
    said = f"d_k = {min(d_k, 256)}" if stem == "your_scores" else f"d_k = {d_k}"  # largest sample: d_k = 256
    return stem == "start" or any(said in chart.alt for chart in opening.charts(app).values())


def drawn_at(lesson, step):
    """Return the names of the controls that a step draws: all but those that only other steps use."""
    known, here = opening.controls_of(lesson.stem), lesson.step(step)
    kept = {name for name, one in known.items() if one.when is None or known[one.when[0]].default == one.when[1]}
    if not lesson.steps:
        return kept
    others = {name for each in lesson.steps for name in (*each.followed, *each.in_sight)} - {*SHARED, *lesson.settings}
    mine = {*here.followed, *here.in_sight}
    return {name for name in kept - {STEP, "rest"} if name in mine or name not in others}


@pytest.mark.parametrize(("stem", "step"), opening.SCREENS)
def test_every_step_opens_complete_with_each_control_once(stem, step):
    app = opening.open_page(stem, **opening.at_step(step))
    opening.check_page(app, stem)
    assert opening.drawn_controls(app) == drawn_at(LESSONS[stem], step)
    assert [each.label for each in app.sidebar.get("page_link")] == [each.question for each in LESSONS.values()]
    assert [*app.error, *app.warning, *app.info] == []
    (settings,) = [each for each in app.expander if each.key == "settings"]
    assert next(iter(settings.children.values())).key == "mode"
    said = [opening.without_definitions(each.value) for each in app.markdown]
    assert (LESSONS[stem].answer in said) is not (opening.line_of(app) == opening.step_of(app).line)
    assert ('data-sets="bet=' in opening.plain_html(app)) == (opening.step_of(app).bet is not None)
    pictures = [opening.step_of(app).picture] if step else LESSONS[stem].pictures
    assert opening.pictures(app) == [*pictures]
    filled = [each.key for each in app.expander if each.key.endswith("_sure") and (each.markdown or each.table)]
    assert {*filled} == {f"{key}_sure" for key in opening.pictures(app)}
    check_folds(app, LESSONS[stem])
    check_way_on(app, stem)
    assert opening.tries_of(app) == {each.key: each.promise for each in opening.step_of(app).tries}


@pytest.mark.parametrize(
    ("stem", "step"), [("attention_steps", "softmax"), ("scaling_rules", "means"), ("backprop", "")]
)
def test_fold_of_own_inputs_is_filled_when_it_is_first_opened(stem, step):
    app = opening.app_at(stem, **opening.at_step(step))
    seen = []
    for is_open in (False, True, False):  # it stays filled once it is closed: a field or a file in it must not be lost
        app.session_state[opening.OWN] = is_open
        app.run()
        (fold,) = [each for each in app.expander if each.key == opening.OWN]
        seen.append((len(fold.children) > 0, app.session_state[opening.OWN]))
    assert seen == [(False, False), (True, True), (True, False)]


@pytest.mark.parametrize("stem", [stem for stem in PAGES if stem not in ORDER])
def test_appendix_page_shows_its_answer_and_no_picture(stem):
    app = opening.open_page(stem)
    assert [*app.exception, *app.error, *app.warning, *app.info] == []
    assert [each.value for each in app.title] == [LESSONS[stem].question]
    assert LESSONS[stem].answer in [opening.without_definitions(each.value) for each in app.markdown]
    assert LESSONS[stem].section == "Appendix"
    check_way_on(app, stem)
    assert opening.drawn_controls(app) == set(SHARED) - {"rest"}
    assert [*opening.charts(app), *opening.folds(app)] == []


def check_folds(app, lesson):
    """Check that a lesson ends with folded assumptions, myths and sources."""
    found = opening.folds(app)
    if lesson.steps or lesson.stem == "recap":
        (((is_open, texts),)) = found.values()
        assert not is_open
        assumed, table, sources = (each.partition("\n\n")[2] for each in texts)
        found = {label: (False, [each]) for label, each in zip(TITLES, (assumed, table, sources), strict=True)}
    assert list(found) == TITLES
    assert not any(is_open for is_open, _ in found.values())
    (assumed,), (table,), (sources,) = (texts for _, texts in found.values())
    assert assumed == lesson.assumed
    assert sources.count("\n- ") + 1 == len(lesson.sources) > 0
    head, _, *rows = table.split("\n")
    assert head == "| You may hear | In fact |"
    assert rows == [f"| {heard} | {fact} |" for heard, fact in lesson.myths] != []


def check_way_on(app, stem):
    """Check the links to previous, next and related lessons, and the lesson's number in its section.

    Only the cards of the start page ask for bets.
    """
    here, questions = PAGES.index(stem), [each.question for each in LESSONS.values()]
    before, after = questions[max(here - 1, 0) : here], questions[here + 1 : here + 2]
    beside = before + after
    labels = [each.label for each in app.main.get("page_link")]
    if LESSONS[stem].steps:
        assert labels.count(*after) == 1 if after else not labels
    else:
        assert labels[-len(beside) :] == beside
    more = [f"See also: {LESSONS[each].question}" for each in LESSONS[stem].see]
    assert [each.label for each in app.main.get("page_link") if each.label.startswith("See also")] == more
    section = [each for each in PAGES if LESSONS[each].section == LESSONS[stem].section]
    place = f"{LESSONS[stem].section}: {section.index(stem) + 1} of {len(section)}"
    assert LESSONS[stem].steps or [each.value for each in app.main.markdown][-1] == place
    links = [*app.sidebar.get("page_link"), *(app.main.get("page_link") if stem != ORDER[0] else ())]
    assert not any("bet=" in each.proto.query_string for each in links)


@pytest.mark.parametrize("stem", ORDER[1:])
def test_deep_link_opens_its_page_as_the_first_request_of_a_server(stem, monkeypatch):
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)  # as in a new process
    check_linked(opening.open_page(stem, **LINKED), stem)


def test_link_to_the_start_page_keeps_its_settings():
    check_linked(opening.open_page(ORDER[0], **LINKED), ORDER[0])


def check_linked(app, stem):
    """Check that every shared control has the link's value; a value between two stops is added to the slider."""
    opening.check_page(app, stem)
    assert len(app.info) == 0
    assert [str(opening.widget(app, name).value) for name in LINKED] == [*LINKED.values()]
    assert opening.step_of(app).slider != "d_k" or (
        300 in opening.large_slider(app).stops and opening.large_slider(app).value == 300
    )
    assert follows_d_k(app, stem, 300)


@pytest.mark.parametrize(("stem", "step"), opening.SCREENS)
def test_every_picture_is_styled_in_projector_mode(stem, step):
    app = opening.open_page(stem, mode="projector", **opening.at_step(step))
    opening.check_page(app, stem)
    assert len(app.sidebar.get("page_link")) == 0  # the menu is at the top
    for chart in opening.charts(app).values():
        layout = json.loads(chart.spec)["layout"]
        assert layout["font"]["size"] == PROJECTOR.tick_size
        assert layout["paper_bgcolor"] == PROJECTOR.ground


@pytest.mark.parametrize(("ground", "colour"), [("light", "#ffffff"), ("dark", "#12161c")])
@pytest.mark.parametrize("stem", ["score_variance"])
def test_pictures_have_the_background_of_the_chosen_theme(stem, ground, colour):
    app = opening.app_at(stem)
    app.context["theme"] = ground
    app.run()
    assert {json.loads(chart.spec)["layout"]["paper_bgcolor"] for chart in opening.charts(app).values()} <= {colour}


@pytest.mark.walk
@pytest.mark.parametrize(("stem", "name"), sampled(EVERY_CONTROL, 5))
def test_control_works_at_all_its_extreme_values(app, stem, name):
    control = opening.controls_of(stem)[name]
    for one, step in step_with(stem, name).items():
        opening.widget(app, one).set_value(step)
        opening.settle(app)
    if name == "n_samples":
        opening.widget(app, "d_k").set_value(1)  # a million pairs of 64 components take seconds
    if control.when or (stem, name) in USED_WHILE:
        other, value = control.when or USED_WHILE[stem, name]
        opening.widget(app, other).set_value(value)
        opening.settle(app)
    shown = set()
    for value in ends(control):
        opening.widget(app, name).set_value(value)
        opening.settle(app)
        assert app.session_state[name] == value
        if not isinstance(control, Text):
            opening.check_page(app, stem)
        shown.add(opening.seen(app))
    if name in moved_on(stem, unused=()) and (stem, name) != ("training_race", "exponent"):  # 0 and 1 are always drawn
        assert len(shown) > 1, "nothing that is seen depends on it"


@pytest.mark.parametrize("stem", [stem for stem in ORDER if opening.uses_d_k(stem)])
def test_typed_d_k_moves_the_slider_and_changes_the_picture(app, stem):
    assert opening.widget(app, "d_k").value == 64
    opening.widget(app, "d_k").set_value(300).run()
    assert [each.message for each in app.exception] == []
    assert follows_d_k(app, stem, 300)
    opening.settle(app)
    opening.check_page(app, stem)
    assert opening.widget(app, "d_k").value == app.session_state["d_k"] == 300
    assert follows_d_k(app, stem, 300)


@pytest.mark.parametrize("stem", ORDER)
def test_an_address_with_every_control_reproduces_every_sentence(stem):
    mine = opening.open_page(stem, seed="7", law="laplace")
    opening.widget(mine, "d_k").set_value(111)
    for name, control in LESSONS[stem].controls.items():
        if isinstance(control, Choice) and control.bar and name in opening.drawn_controls(mine):
            opening.widget(mine, name).set_value(control.options[-1])
    opening.settle(mine)
    state, known = mine.session_state, opening.controls_of(stem)
    address = {name: control.write(state[name]) for name, control in known.items() if name in state}
    theirs = opening.open_page(stem, **address)
    opening.check_page(theirs, stem)
    assert len(theirs.info) == len(mine.info)
    said = [[(key, chart.alt) for key, chart in opening.charts(each).items()] for each in (mine, theirs)]
    assert said[0] == said[1]


@pytest.mark.parametrize("stem", ORDER)
def test_a_bad_link_leaves_every_page_working(stem):
    app = opening.open_page(stem, d_k="9999", n_keys="nan", law="<script>", n_samples="-1", multiplier="inf", foo="1")
    opening.check_page(app, stem)
    assert len(app.info) == 1
    assert app.session_state["d_k"] == 1024


@pytest.mark.parametrize(("stem", "step"), opening.SCREENS)
def test_data_fold_has_a_table_files_and_working_code(stem, step, capsys, tmp_path, monkeypatch):
    app = opening.open_page(stem, d_k="8", n_samples="1000", **opening.at_step(step), **SHORT.get(stem, {}))
    keys = opening.pictures(app)
    tables_before = len(app.table)
    for key in keys:
        app.session_state[f"{key}_data"] = True
    app.run()
    opening.check_page(app, stem)
    assert len(app.table) == tables_before + len(keys)
    assert all(len(each.value) <= MOST_ROWS for each in app.table)
    shown = {str(kind) for each in app.table for kind in each.value.dtypes}
    assert not [kind for kind in shown if kind.startswith("float")]  # numbers are text, rounded as in sentences
    files = [each.key for each in app.get("download_button") if each.key.endswith("_csv")]
    assert [name for name in files if not name.endswith("_bins_csv")] == [f"{key}_csv" for key in keys]
    assert len(app.code) == len(keys)
    assert all("pip install ./sattn_core" in each.value for each in app.code)
    specs = {key: json.loads(each.spec) for key, each in opening.charts(app).items()}
    kept = [each.key.removesuffix("_json") for each in app.get("download_button") if each.key.endswith("_json")]
    assert set(kept) <= specs.keys()
    for name in kept:
        (tmp_path / f"{name}.json").write_text(json.dumps(specs[name]), encoding="utf-8")
    assert {each["type"] for spec in specs.values() for each in spec["data"]} <= {"scatter", *TRACES}
    drawn = []
    monkeypatch.setattr(graph_objects.Figure, "show", lambda figure: drawn.append(figure))
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    exec("\n".join(each.value for each in app.code), {})
    for name, figure in zip(kept, drawn, strict=True):
        assert [each.name for each in figure.data] == [each["name"] for each in specs[name]["data"]]
        assert figure.layout.height == specs[name]["layout"]["height"]
    assert all("pip install plotly" in each.value for each in app.code if "plotly" in each.value)
    assert bool(drawn) == bool(kept) == any(key in specs for key in keys)
    printed = capsys.readouterr()
    assert printed.out.strip()
    assert printed.err == ""


@pytest.mark.parametrize(
    ("sentence", "faults"),
    [
        ("At dₖ = 64 one key takes 94 % of the weight; divided by √64, about nine keys share it.", []),
        ("At dₖ = 64 one key takes 94 % of the weight; divided by √64, about 9 of 16 keys share it.", []),
        ("At dₖ = 64 one key takes 94 % of the weight; divided by 8.0, about 9 of 16 keys share it.", ["numbers"]),
        ("Of a 2 × 2 product 1.2 × 10⁻⁵ is left.", []),
        (" ".join(["word"] * 25), []),
        (" ".join(["word"] * 26), ["26"]),
    ],
)
def test_sentences_with_too_many_words_or_numbers_are_found(sentence, faults):
    assert [fault.split()[0] for fault in opening.too_much(sentence)] == faults
