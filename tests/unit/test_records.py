"""Every dataclass of the core: one that holds arrays is a record, every other is a value."""

import dataclasses
import importlib
import pkgutil
import typing
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import sattn_core
from sattn_core import attention, expected_attention_curve
from sattn_core._records import record
from sattn_core.lessons.attention_steps import measure_attention_steps, preset_params
from sattn_core.lessons.scaling_rules import RulesParams, compare_rules
from sattn_core.lessons.score_variance import MomentRow
from sattn_core.saturation import ExpectedSoftmax

MODULES = [
    importlib.import_module(each.name) for each in pkgutil.walk_packages(sattn_core.__path__, prefix="sattn_core.")
]
CLASSES = sorted(
    {each for module in MODULES for each in vars(module).values() if isinstance(each, type)
     and dataclasses.is_dataclass(each) and each.__module__.startswith("sattn_core")},
    key=lambda each: (each.__module__, each.__name__),
)  # fmt: skip
ROWS = ((1.0, 2.0), (3.0, 4.0))
NEEDED = dict.fromkeys(("Q", "K", "V", "A", "B"), ROWS) | {"dims": (1, 4), "law": "normal"}
PARAMS = [each for each in CLASSES if each.__name__.endswith("Params")]


def holds_arrays(annotation):
    """Whether a value of this type is or has an array, or a record that has one."""
    kind = typing.get_origin(annotation) or annotation  # ndarray of NDArray[np.float64]
    if kind is np.ndarray:
        return True
    if dataclasses.is_dataclass(kind):
        return any(holds_arrays(each) for each in typing.get_type_hints(kind).values())
    if kind is Callable:
        return False
    inside = annotation.__constraints__ if isinstance(annotation, typing.TypeVar) else typing.get_args(annotation)
    return any(holds_arrays(each) for each in inside)


@record
class Sample:
    numbers: np.ndarray
    inner: object = None
    several: tuple = ()
    name: str = "x"


@dataclasses.dataclass(frozen=True)
class Careless:
    curves: tuple[Sample, ...] | None


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
def test_what_holds_arrays_is_a_record_and_what_does_not_is_a_value(cls):
    if holds_arrays(cls):
        assert cls.__eq__ is object.__eq__, "two arrays have no single answer to ==: make it a @record"
        assert cls.__hash__ is object.__hash__
        assert cls.__repr__ is Sample.__repr__, "its print must be names with shapes: make it a @record"
    elif dataclasses.fields(cls) and cls.__dataclass_params__.eq:
        assert cls.__eq__ is not object.__eq__


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
def test_no_record_and_no_value_changes_but_what_is_still_being_made(cls):
    assert cls.__dataclass_params__.frozen or cls.__name__[0] == "_"


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (NDArray[np.float64], True),
        (np.ndarray | None, True),
        (tuple[float, ...], False),
        (Callable[[], NDArray[np.float64]], False),
        (Sample, True),
        (Careless, True),
        (ExpectedSoftmax[float], True),
        (MomentRow, False),
    ],
)
def test_arrays_are_found_in_an_annotation(annotation, expected):
    assert holds_arrays(annotation) is expected


def test_all_of_the_core_is_looked_at():
    names = {each.__name__ for each in CLASSES}
    assert {"AttentionSteps", "AttentionGradients", "ScoreReport", "DimensionSweep", "Price", "RulesResult"} <= names
    assert {"RulesParams", "KeyValueMemoryParams"} <= {each.__name__ for each in PARAMS}


@pytest.mark.parametrize("cls", PARAMS, ids=lambda cls: cls.__name__)
def test_params_are_values_that_can_be_keys(cls):
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
def test_two_records_compare_and_print(make):
    one, two = make(), make()
    assert one == one
    assert one != two
    assert len({one, two}) == 2
    assert len(repr(one)) < 700
    assert "\n" not in repr(one)


def test_a_record_prints_names_with_shapes():
    inner = Sample(np.zeros(3))
    assert repr(inner) == "Sample(numbers=<array of shape (3,)>, inner=None, several=(), name='x')"
    outer = Sample(np.zeros((2, 4)), inner, (inner, inner), "n" * 99)
    assert repr(outer) == "Sample(numbers=<array of shape (2, 4)>, inner=<Sample>, several=<tuple of 2>, name=<str>)"
    assert repr(Sample(np.zeros(0), 0.5, (1, 2.0))).endswith("inner=0.5, several=(1, 2.0), name='x')")


def test_a_record_does_not_change_unless_it_says_so():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Sample(np.zeros(3)).name = "y"

    @record(frozen=False)
    class Growing:
        numbers: np.ndarray

    growing = Growing(np.zeros(3))
    growing.numbers = np.ones(3)
    assert growing != Growing(np.ones(3))
