"""Every sentence that claims all or nothing, at both ends of each control, is covered by a test or a reason."""

import re
from pathlib import Path

import pytest

from pages._view.kinds import Choice, Number
from pages._view.lesson import STEP
from pages._view.lessons import ORDER, VIEWS
from pages._view.page import show
from pages._view.theme import LIGHT
from tests.figures.held import HELD, NAMES, SWEEPING
from tests.figures.pictures import pictures
from tests.figures.test_every_picture import SHORT, at, controls_of
from tests.figures.words import plain

TESTS = Path(__file__).parents[1]
STEMS = [stem for stem in ORDER if stem in HELD]
TRAINED = ("training_race",)  # each setting would need a training
FIXED = {STEP, "seed", *SHORT} - {"n_draws"}


def sweeping(text):
    """Return the sentences of a text that claim all or nothing, with # for a number."""
    found = re.sub(r"−?\d([\d.,]*\d)?( × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?", "#", NAMES.sub("", plain(text)))
    return [each for each in re.split(r"(?<=[.!?;:|])\s+", found) if SWEEPING.search(each)]


def written(stem):
    """Yield the fixed texts of a lesson, except those of its tries."""
    lesson = VIEWS[stem].lesson
    yield from (lesson.answer, *sum(lesson.myths, ()), *lesson.sources)
    yield from (each.line for each in lesson.steps)
    yield from (each.bet.question for each in lesson.steps if each.bet)
    yield from (lesson.together.asks,) if lesson.together else ()
    if stem == "corrections":
        yield from (path.read_text("utf-8") for path in sorted((show.FOLDERS / stem).glob("*.md")))


def ends(stem):
    """Yield settings: each number at its low and high end; each option with all numbers at default, low and high."""
    controls = {name: each for name, each in controls_of(stem).items() if name not in FIXED}
    numbers = {name: each for name, each in controls.items() if isinstance(each, Number)}
    if stem in TRAINED:
        yield {}
        return
    yield from ({name: getattr(each, end)} for name, each in numbers.items() for end in ("low", "high"))
    options = [{}]
    for name, each in controls.items():
        if isinstance(each, Choice):
            needed = dict([each.when]) if each.when else {}
            options += [{**needed, name: option} for option in each.options if option != each.default]
    for option in options:
        yield from (
            option,
            *({name: getattr(each, end) for name, each in numbers.items()} | option for end in ("low", "high")),
        )


def shown(stem, values):
    """Yield the sentence and the claim of each picture."""
    if VIEWS[stem].sentence:
        yield VIEWS[stem].sentence(values)
    for each in pictures(stem, values, LIGHT):
        yield from (each.sentence, each.claim or "")


@pytest.mark.walk
@pytest.mark.parametrize("stem", STEMS)
def test_every_claim_of_all_or_nothing_is_covered(stem):
    texts = [*written(stem), *(text for chosen in ends(stem) for text in shown(stem, at(stem, **chosen)))]
    claims = dict.fromkeys(each for text in texts for each in sweeping(text))
    assert [each for each in claims if not any(part in each for part in HELD[stem])] == []
    assert [part for part in HELD[stem] if not any(part in each for each in claims)] == []


@pytest.mark.parametrize("stem", STEMS)
def test_every_claim_is_covered_by_an_existing_test_or_a_reason(stem):
    tests = {
        name
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.M)
    }
    for holder in HELD[stem].values():
        assert holder in tests if holder.startswith("test_") else len(holder.split()) >= 3, holder


def test_every_lesson_is_searched_for_claims():
    assert STEMS == [*ORDER]


def test_claims_of_all_or_nothing_are_found_and_names_are_not():
    assert sweeping("No scale: 5 keys. It never fails; some do.") == ["It never fails;"]
    assert sweeping("(2017), Attention Is All You Need.") == []
