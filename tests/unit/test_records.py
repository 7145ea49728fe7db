"""Equality of the core's dataclasses: with arrays they equal only themselves; params compare by value."""

import dataclasses
import importlib
import pkgutil
import typing
from collections.abc import Callable

import numpy as np
import pytest

import sattn_core
from sattn_core import attention, expected_attention_curve
from sattn_core.lessons.attention_steps import measure_attention_steps, preset_params
from sattn_core.lessons.scaling_rules import RulesParams, compare_rules

MODULES = [
    importlib.import_module(each.name) for each in pkgutil.walk_packages(sattn_core.__path__, prefix="sattn_core.")
]
CLASSES = sorted(
    {each for module in MODULES for each in vars(module).values() if isinstance(each, type)
     and dataclasses.is_dataclass(each) and each.__module__.startswith("sattn_core")},
    key=lambda each: (each.__module__, each.__name__),
)  # fmt: skip
ROWS = ((1.0, 2.0), (3.0, 4.0))
NEEDED = dict.fromkeys(("Q", "K", "V", "A", "B"), ROWS) | {"dims": (4,), "law": "normal"}
PARAMS = [each for each in CLASSES if each.__name__.endswith("Params")]


def holds_arrays(cls):
    """Return True if a field of the dataclass is or contains an array, for which == has no single answer."""
    hints = typing.get_type_hints(cls).values()
    return any("ndarray" in repr(each) and typing.get_origin(each) is not Callable for each in hints)


def test_dataclass_with_arrays_is_equal_only_to_itself():
    with_eq = [each for each in CLASSES if holds_arrays(each) and each.__eq__ is not object.__eq__]
    assert with_eq == [], "make these @dataclass(frozen=True, eq=False)"


def test_public_dataclasses_are_frozen():
    growing = [each for each in CLASSES if not each.__dataclass_params__.frozen]
    assert [each for each in growing if each.__name__[0] != "_"] == []


def test_every_dataclass_of_the_core_is_found():
    names = {each.__name__ for each in CLASSES if holds_arrays(each)}
    assert {"AttentionSteps", "AttentionGradients", "ScoreReport", "DimensionSweep"} <= names
    assert {"ComponentLaw", "Price", "RulesParams"} <= {each.__name__ for each in CLASSES} - names
    assert {"RulesParams", "KeyValueMemoryParams"} <= {each.__name__ for each in PARAMS}


@pytest.mark.parametrize("cls", PARAMS, ids=lambda cls: cls.__name__)
def test_equal_params_are_the_same_dictionary_key(cls):
    needed = [each for each in dataclasses.fields(cls) if each.default is dataclasses.MISSING]
    one, two = (cls(**{each.name: NEEDED.get(each.name, 4) for each in needed}) for _ in range(2))
    assert one == two
    assert {one: "kept"}[two] == "kept"


@pytest.mark.parametrize(
    "make",
    [
        lambda: attention(np.eye(2), np.eye(2), np.eye(2)),
        lambda: measure_attention_steps(preset_params("causal", d_k=64)),
        lambda: compare_rules(RulesParams(n_keys=512)),
        lambda: expected_attention_curve(8, np.arange(1, 300), 1.0),
    ],
    ids=["AttentionSteps", "AttentionStepsResult", "RulesResult", "ExpectedSoftmax"],
)
def test_two_results_are_different_dictionary_keys(make):
    one, two = make(), make()
    assert one == one
    assert one != two
    assert len({one, two}) == 2
