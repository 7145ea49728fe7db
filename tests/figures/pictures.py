"""Every picture of every lesson, made as its page makes it."""

from dataclasses import replace
from importlib import import_module

from pages._view import compute
from pages._view.lessons import VIEWS

result = compute.result
FEWER = {"wrong_choice": {"n_keys": 6}}  # the time of a step grows with the square of the keys


def _recap(values, profile, figures, work, core):
    for name in ("score", "spread", "breaks", "power", "alike"):
        yield work.picture(name, "", values, profile)
    yield work.story(values, profile)


def _start(values, profile, figures, work, core):
    yield figures.hero(work.here(values), values["d_k"], work.mean(values))


def _of_step(stem, step, values, profile):
    """Return the picture of a step at rest, under the key of the step."""
    main = VIEWS[stem].of(step)
    return replace((main.at_rest or main.picture)({**values, **step.pinned}, profile), key=step.picture)


def pictures(stem, values, profile):
    """Return the pictures of all steps; without steps the main one at rest and the others, in the order of the page.

    A race is finished in all of its pictures.
    """
    way, others = VIEWS[stem].main, globals().get(f"_{stem}")
    values = {**values, **{name: min(values[name], most) for name, most in FEWER.get(stem, {}).items()}}
    values |= {"race_d_k": values["d_k"]} if stem == "training_race" else {}
    steps = [step for step in VIEWS[stem].lesson.steps if VIEWS[stem].of(step)]  # the hero draws itself
    found = [_of_step(stem, step, values, profile) for step in steps]
    found += [(way.at_rest or way.picture)(values, profile)] if way else []
    if others:
        package = f"pages._view.lessons.{stem}"
        named = (f"{package}.figures", f"{package}.work", f"sattn_core.lessons.{stem}")
        found += others(values, profile, *map(import_module, named))
    return found
