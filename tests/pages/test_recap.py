"""The recap page: it asks first, keeps the answers in the address, and reveals no correct answer early."""

import json

import pytest

from pages._view.lessons import LESSONS
from pages._view.lessons.recap import answers, work
from pages._view.lessons.recap.declaration import LESSON, QUESTIONS, STORY
from pages._view.literal import as_code, plain
from pages._view.theme import LIGHT
from tests.pages.opening import ANSWERED, app_at, charts, check_page, prose, seen

ANSWERS = ANSWERED["recap"]
PICTURES = dict(zip(QUESTIONS, LESSON.pictures, strict=False))
VALUES = {"d_k": 64, "seed": 0}


def unanswered(**query):
    """Return the page of a visitor who has answered only these questions."""
    app = app_at("recap")
    for name in ANSWERS:
        del app.query_params[name]
    app.query_params.update(query)
    app.run()
    assert [each.message for each in app.exception] == []
    return app


def tells(app):
    """Return the names of the questions whose correct answer the browser receives, as a picture or a sentence."""
    sent = seen(app)
    found = {name for name, key in PICTURES.items() if key in charts(app) or key in sent}
    for name in QUESTIONS:
        sentence = work.picture(name, "", VALUES, LIGHT).sentence
        if any(words in sent for words in (sentence, as_code(sentence), plain(sentence))):
            found.add(name)
    return found


def linked(app, name):
    """Return a parameter of the address: a list in AppTest if a link set it, a string if the page did."""
    text = app.query_params[name]
    return text if isinstance(text, str) else text[-1]


def drafts(app):
    kinds = ("radio", "number_input")
    return {each.key.removeprefix("draft_"): each for kind in kinds for each in app.get(kind) if "draft" in each.key}


def submit(app, name):
    (button,) = [each for each in app.button if f"ask_{name}" in (each.form_id or "")]
    button.click().run()
    assert [each.message for each in app.exception] == []


def test_five_questions_are_asked_and_none_is_answered():
    app = unanswered()
    assert {*drafts(app)} == {*QUESTIONS}
    assert all(each.value is None for each in drafts(app).values())
    for i, question in enumerate(QUESTIONS.values(), start=1):
        assert f"**{i}. {question.asked.format(d_k=64)}**" in prose(app)
    assert tells(app) == set()
    everything = f"{seen(app)} {json.dumps([str(each.proto) for each in app.main], ensure_ascii=False)}"
    for words in (*answers._WHY.values(), answers.BREATH, answers.RIGHT, answers.CLOSE, answers.MISSED):
        assert words not in everything
    assert "5 to go" in prose(app)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_link_with_one_answer_shows_only_that_verdict(name):
    app = unanswered(**{name: ANSWERS[name]})
    assert tells(app) == {name}
    assert {*drafts(app)} == {*QUESTIONS} - {name}
    assert f"**{answers.RIGHT}**" in prose(app)
    assert list(charts(app)) == [PICTURES[name]]
    assert linked(app, name) == ANSWERS[name]


DRAFTS = [("score", "share", "share"), ("spread", 64, "64"), ("breaks", "stuck", "stuck"), ("power", 0.7, "0.7"),
          ("alike", "adam", "adam")]  # fmt: skip


@pytest.mark.parametrize(("name", "draft", "written"), DRAFTS)
def test_answer_is_judged_and_stays_in_the_address_until_removed(name, draft, written):
    app = unanswered()
    submit(app, name)  # an empty form is no answer
    assert tells(app) == set()
    drafts(app)[name].set_value(draft)
    submit(app, name)
    assert linked(app, name) == written
    assert tells(app) == {name}
    verdict, why = work.verdict(name, draft, VALUES)
    assert f"**{verdict}** {plain(why)}" in prose(app)
    app.button(key=f"again_{name}").click().run()
    assert name not in app.query_params
    assert tells(app) == set()
    assert drafts(app)[name].value is None


def test_story_appears_with_the_last_answer_and_disappears_at_a_reset():
    app = unanswered(**{name: ANSWERS[name] for name in list(QUESTIONS)[:-1]})
    assert plain(answers.BREATH) not in prose(app)
    assert STORY not in seen(app)
    assert "1 to go" in prose(app)
    drafts(app)["alike"].set_value("small")
    submit(app, "alike")
    assert plain(answers.BREATH) in prose(app)
    assert list(charts(app))[-1] == STORY
    app.button(key="again").click().run()
    assert tells(app) == set()
    assert STORY not in seen(app)
    assert {*drafts(app)} == {*QUESTIONS}


def test_wall_shows_the_story_only_on_the_last_page():
    for place in range(1, 7):
        app = unanswered(mode="projector", asked=str(place))
        assert (STORY in charts(app)) == (place == 6)
        assert [*drafts(app)] == list(QUESTIONS)[place - 1 : place]


def test_recap_has_two_folds_at_its_end():
    app = app_at("recap").run()
    keys = [each.key for each in app.expander if not each.key.endswith(("_sure", "_data"))]
    assert [key for key in keys if not key.startswith(("menu", "settings"))] == ["behind", "background"]


@pytest.mark.parametrize("text", ["", "abc", "nan", "<b>", "-1", "1e9"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_an_unreadable_answer_leaves_its_question_open(name, text):
    app = unanswered(**{name: text})
    assert tells(app) == set()
    assert name in drafts(app)


def test_second_question_uses_the_d_k_of_the_address():
    app = unanswered(d_k="100", spread="10")
    assert "At dₖ = 100, what is" in prose(app)
    assert f"**{answers.RIGHT}**" in prose(app)
    assert f"**{answers.MISSED}** 8?" in prose(unanswered(d_k="256", spread="8"))


@pytest.mark.parametrize("place", range(1, 6))
def test_projector_mode_asks_one_question_at_a_time(place):
    app = unanswered(mode="projector", asked=str(place))
    assert [*drafts(app)] == [list(QUESTIONS)[place - 1]]
    assert [each.label for each in app.button if each.label in ("Previous", "Next")] == ["Previous", "Next"]
    app = unanswered(mode="projector", asked=str(place), **ANSWERS)
    assert list(charts(app)) == [LESSON.pictures[place - 1]]


def test_every_question_links_to_lessons_of_the_path():
    app = app_at("recap").run()
    check_page(app, "recap")
    links = [each.label for each in app.main.get("page_link")]
    for question in QUESTIONS.values():
        for stem, step in question.shown_by:
            assert LESSONS[stem].section == LESSON.section
            assert LESSONS[stem].question in links
            assert LESSONS[stem].step(step).name == step
    leads = {each.proto.query_string for each in app.main.get("page_link")}
    assert {"step=too_flat", "step=every_size", "step=between"} <= leads


# --- another draw --------------------------------------------------------------------------------------


def test_another_seed_changes_all_pictures_but_no_verdict():
    before = charts(app_at("recap").run())
    app = app_at("recap", seed="1").run()
    after = charts(app)
    assert [key for key in before if before[key].spec != after[key].spec] == list(LESSON.pictures)
    assert prose(app).count(f"**{answers.RIGHT}**") == len(QUESTIONS)
