"""Make every picture of every lesson as its page does."""

from dataclasses import replace
from importlib import import_module

from pages._view import compute
from pages._view.lessons import VIEWS

result = compute.result
FEWER = {"wrong_choice": {"n_keys": 6}}  # time grows with the square of n_keys


def _recap(values, profile, figures, work, core):
    for name in ("score", "spread", "breaks", "power", "alike"):
        yield work.picture(name, "", values, profile)
    yield work.story(values, profile)


def _start(values, profile, figures, work, core):
    yield figures.hero(work.here(values), values["d_k"], work.mean(values))


def _of_step(stem, step, values, profile):
    """Return the picture of a step at rest, with the step's key."""
    main = VIEWS[stem].of(step)
    return replace((main.at_rest or main.picture)({**values, **step.pinned}, profile), key=step.picture)


def pictures(stem, values, profile):
    """Return the picture of each step, or the main picture of a lesson without steps; then the other pictures.

    All pictures are at rest; those of a race show its end.
    """
    way, others = VIEWS[stem].main, globals().get(f"_{stem}")
    values = {**values, **{name: min(values[name], most) for name, most in FEWER.get(stem, {}).items()}}
    values |= {"race_d_k": values["d_k"]} if stem == "training_race" else {}
    steps = [step for step in VIEWS[stem].lesson.steps if VIEWS[stem].of(step)]  # except the hero's step
    found = [_of_step(stem, step, values, profile) for step in steps]
    found += [(way.at_rest or way.picture)(values, profile)] if way else []
    if others:
        package = f"pages._view.lessons.{stem}"
        named = (f"{package}.figures", f"{package}.work", f"sattn_core.lessons.{stem}")
        found += others(values, profile, *map(import_module, named))
    return found
