"""Links without a browser: bad and old ones, and the settings that a page change keeps."""

from urllib.parse import parse_qsl, urlencode

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from pages._view.address import renewed
from pages._view.lessons import LESSONS
from pages._view.literal import plain
from pages._view.server.shell import Shell
from tests.pages.asgi import ask
from tests.pages.opening import charts, check_page, controls_of, open_page, step_of, turn_to, widget

ROW = ("d_k", "n_keys", "law", "seed")

BAD_LINKS = [
    ({"d_k": "abc"}, {"d_k": 64}, "d_k is not a number; 64 is used (the link says “abc”)"),
    ({"d_k": "9999"}, {"d_k": 1024}, "d_k must be between 1 and 1024; 1024 is used (the link says “9999”)"),
    ({"d_k": "7.5"}, {"d_k": 8}, "d_k must be a whole number; 8 is used (the link says “7.5”)"),
    ({"d_k": ["8", "16"]}, {"d_k": 16}, "d_k is given 2 times; the last, 16, is used"),
    ({"d_k": ["8", "x"]}, {"d_k": 64}, "d_k is not a number; 64 is used (the link says “x”)"),
    (
        {"d_k": "7" * 10_000},
        {"d_k": 1024},
        f"d_k must be between 1 and 1024; 1024 is used (the link says “{'7' * 24}…”)",
    ),
    (
        {"d_k": "<script>alert(1)</script>"},
        {"d_k": 64},
        "d_k is not a number; 64 is used (the link says “<script>alert(1)</script…”)",
    ),
    (
        {"law": "foo"},
        {"law": "normal"},
        "law must be one of normal, uniform, rademacher, laplace, student_t, sparse; normal is used "
        "(the link says “foo”)",
    ),
    (
        {"list_1": "4," * 5_000},
        {"list_1": "4, 5"},
        f"list_1 is longer than 2,000 characters; the default is used (the link says “{'4,' * 12}…”)",
    ),
    ({"foo": "1"}, {}, "“foo” is not a setting of this dashboard and was ignored"),
    (
        {"<script>alert(1)</script>": "1"},
        {},
        "“<script>alert(1)</script…” is not a setting of this dashboard and was ignored",
    ),
    (
        {"d_k": "9999", "seed": "x", "foo": "1"},
        {"d_k": 1024, "seed": 0},
        "d_k must be between 1 and 1024; 1024 is used (the link says “9999”); "
        "seed is not a number; 0 is used (the link says “x”); "
        "“foo” is not a setting of this dashboard and was ignored",
    ),
]


@pytest.mark.parametrize(("query", "state", "note"), BAD_LINKS)
def test_invalid_link_opens_a_working_page_with_a_one_line_note(query, state, note):
    app = open_page("softmax_saturation", **query)
    check_page(app, "softmax_saturation")
    assert [each.value for each in app.info] == [plain(f"This link was adjusted: {note}.", names=True)]
    assert "\n" not in app.info[0].value
    for name, value in state.items():
        assert app.session_state[name] == value
        assert widget(app, name).value == value
    controls = controls_of("softmax_saturation")
    kept = {name: str(value) for name, value in state.items() if value != controls[name].default}
    assert app.query_params == {"step": "lists" if "list_1" in query else "divisor", **kept}


def test_shared_controls_keep_their_values_on_the_next_page():
    app = open_page("score_variance", d_k="300", n_keys="32", law="laplace", seed="7")
    for stem in ("softmax_saturation", "score_variance"):
        turn_to(app, stem).run()
        check_page(app, stem)
        assert [widget(app, name).value for name in ROW] == [300, 32, "laplace", 7]
        assert "d_k" in step_of(app).pinned or any("d_k = 300" in chart.alt for chart in charts(app).values())


def test_each_page_sends_its_shared_settings_to_the_browser():
    """Else a browser that dropped the settings during the page change would show the defaults."""
    said = {"n_keys": 32, "law": "uniform", "seed": 3}
    app = open_page("score_variance", **{name: str(value) for name, value in said.items()})
    for stem in ("start", "score_variance"):
        turn_to(app, stem).run()
        told = {name: widget(app, name) for name in said}
        assert {name: each.value for name, each in told.items() if each.proto.set_value} == said


def test_note_on_a_link_disappears_on_the_next_page():
    app = open_page("score_variance", d_k="abc")
    assert len(app.run().info) == 1
    assert len(turn_to(app, "softmax_saturation").run().info) == 0


@pytest.mark.parametrize("lesson", [each for each in LESSONS.values() if each.formerly], ids=lambda each: each.stem)
def test_link_with_a_removed_control_opens_the_step_it_meant(lesson):
    for name, steps in lesson.formerly.items():
        for said, step in steps.items():
            assert renewed(lesson, {name: said, "d_k": "8"}) == {"step": step, "d_k": "8"}
        assert renewed(lesson, {name: said, "step": lesson.opens}) == {"step": lesson.opens}
        assert renewed(lesson, {name: "nothing that it said"}) == {}


def test_old_address_opens_the_step_it_meant_without_a_note():
    app = open_page("scaling_rules", part="Other rules", d_k="8")
    check_page(app, "scaling_rules")
    assert (app.query_params, len(app.info)) == ({"step": "rules", "d_k": "8"}, 0)


def test_old_address_opens_its_lesson_with_a_note_on_unknown_settings():
    app = open_page("derivation", broken="alignment", rho="0.2", d_k="8")
    check_page(app, "derivation")
    assert app.query_params == {"d_k": "8", "step": "lines"}
    (note,) = [each.value for each in app.info]
    assert note == plain(
        "This link was adjusted: broken must be one of all hold, means not 0, variances not 1, q and k aligned, "
        "components correlated, heavy tails; all hold is used (the link says “alignment”); "
        "“rho” is not a setting of this dashboard and was ignored.",
        names=True,
    )


def sent_on(address):
    """Return the address that the server redirects to, or None."""
    page = Route("/{stem:path}", lambda _: HTMLResponse("<head><title>Streamlit</title></head><body></body>"))
    status, headers, _ = ask(Shell(Starlette(routes=[page])), address, host="lab.example")
    return headers["location"] if status == 307 else None


def test_link_to_a_moved_control_redirects_to_its_new_lesson():
    typed = {"q_2d": "1, 2\n3, 4", "k_2d": "+1; √&"}
    old = typed | {"step": "divide", "sampling": "matrix", "guess": "3", "bet": "1", "d_k": "8", "seed": "3"}
    path, _, query = sent_on(f"/score_variance?{urlencode(old)}").partition("?")
    assert (path, dict(parse_qsl(query))) == ("/small_samples", typed | {"d_k": "8", "seed": "3"})
    assert renewed(LESSONS["small_samples"], dict(parse_qsl(query)))["step"] == "by_hand"
    assert sent_on(f"/small_samples?{query}") is None
    assert sent_on("/score_variance?step=divide&d_k=8") is None
    assert sent_on("/score_variance?q_3d=&embed=1") == "/small_samples?q_3d=&embed=1"


@pytest.mark.parametrize("lesson", [each for each in LESSONS.values() if each.moved], ids=lambda each: each.stem)
def test_moved_control_belongs_only_to_its_new_lesson(lesson):
    for name, elsewhere in lesson.moved.items():
        assert name in LESSONS[elsewhere].controls
        assert name not in controls_of(lesson.stem)


def test_old_link_with_vectors_on_three_lines_opens_their_step():
    app = open_page("small_samples", q_2d="1, 2\n1, 4\n8, 10", d_k="8")
    check_page(app, "small_samples")
    assert (step_of(app).name, len(app.info), len(app.error)) == ("by_hand", 0, 0)
    assert widget(app, "q_2d").value == "1, 2;1, 4;8, 10"
    assert "8, 29 and 100" in charts(app)["hand_made"].alt


@pytest.mark.parametrize(
    ("first", "second", "name", "value", "default"),
    [
        ("score_variance", "derivation", "mean_q", "-0.75", 1),
        ("derivation", "score_variance", "mean_q", "3.5", 0),
        ("backprop", "scaling_rules", "exponent", "1", 0.25),
        ("scaling_rules", "training_race", "exponent", "0.75", 0.5),
        ("training_race", "backprop", "exponent", "0.3", 0.5),
    ],
)
def test_control_of_equal_name_in_another_lesson_starts_at_its_default(first, second, name, value, default):
    broken = {"broken": "means not 0"}
    app = open_page(first, **{name: value}, **(broken if first == "derivation" else {}))
    check_page(app, first)
    app.query_params.pop(name)  # as the browser does when it leaves a page
    if second == "derivation":
        app.query_params.update(broken)
    app = turn_to(app, second).run()
    check_page(app, second)
    assert widget(app, name).value == default


@pytest.mark.parametrize("stem", [stem for stem in LESSONS if LESSONS[stem].steps])
def test_shared_settings_in_a_link_choose_no_step(stem):
    for d_k in {str(step.pinned["d_k"]) for step in LESSONS[stem].steps if "d_k" in step.pinned} | {"64"}:
        assert renewed(LESSONS[stem], {"d_k": d_k, "seed": "3"}) == {"d_k": d_k, "seed": "3"}
