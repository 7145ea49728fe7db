"""What the core remembers: in one place, and never without bound."""

import ast
from pathlib import Path

import numpy as np
import pytest

from sattn_core import (
    chi_square,
    encoder_record,
    heavy_tails,
    matrix_bands,
    product_variances,
    saturation,
    score_variance,
    trained_transformers,
)
from sattn_core._memory import MOST_ENTRIES, remembered
from sattn_core.lessons import scaling_rules, start

CORE = Path(__file__).resolve().parents[2] / "sattn_core"
SOURCES = sorted(set(CORE.rglob("*.py")) - {CORE / "_memory.py"})
CACHES = {"cache", "lru_cache"}


# Every memory, with the arguments of its largest result.
MEMORIES = [
    (chi_square._table, (1,)),
    (encoder_record._file, ()),
    (heavy_tails.median_size, (1, 1.5)),
    (matrix_bands._simulated_band, ("normal", 0.0, 0.0, (2, 2, 2))),
    (product_variances.reference_distribution, (2, 2, 0, 1.6, 10.0, 200)),
    (saturation._legendre_rule, ()),
    (saturation._query_norms, (1,)),
    (saturation._table, (saturation.MAX_KEYS, saturation.MAX_SCORE_STD)),
    (score_variance._simulated_quantiles, ("entries", 2, 2, 2, 0.95)),
    (scaling_rules._check_value, ("vaswani",)),
    (start._bin_law, (1, True)),
    (trained_transformers.trained_transformers, ()),
]
MOST_MEGABYTES = 30  # of all memories when they are full


def caches_of(source):
    """The caches of functools that a source takes."""
    nodes = list(ast.walk(ast.parse(source)))
    imports = [each for each in nodes if isinstance(each, ast.ImportFrom) and each.module == "functools"]
    names = [alias.name for each in imports for alias in each.names]
    return sorted(CACHES & set(names)) + [
        ast.unparse(each) for each in nodes if isinstance(each, ast.Attribute) and each.attr in CACHES
    ]


def unbounded_uses(source):
    """Uses of `remembered` that do not say in plain figures how much they keep."""
    nodes = list(ast.walk(ast.parse(source)))
    calls = [each for each in nodes if isinstance(each, ast.Call) and ast.unparse(each.func).endswith("remembered")]
    bounded = {id(each.func) for each in calls if [type(arg) for arg in each.args] == [ast.Constant]}
    names = [each for each in nodes if isinstance(each, ast.Name) and each.id == "remembered"]
    return [each.lineno for each in names if id(each) not in bounded]


@pytest.mark.parametrize("path", SOURCES, ids=[str(path.relative_to(CORE)) for path in SOURCES])
def test_every_memory_of_the_core_is_the_bounded_one(path):
    source = path.read_text(encoding="utf-8")
    assert caches_of(source) == []
    assert unbounded_uses(source) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from functools import lru_cache, partial", ["lru_cache"]),
        ("import functools\n@functools.cache\ndef f(): ...", ["functools.cache"]),
        ("from functools import cached_property", []),
    ],
)
def test_another_cache_is_seen(source, found):
    assert caches_of(source) == found


@pytest.mark.parametrize(
    ("source", "lines"),
    [("@remembered(8)\ndef f(): ...", []), ("\n@remembered(most)\ndef f(): ...", [2]), ("g = remembered", [1])],
)
def test_a_use_without_a_bound_is_seen(source, lines):
    assert unbounded_uses(source) == lines


def test_only_the_last_results_are_kept():
    calls = []
    keep = remembered(2)(lambda n: calls.append(n) or n)
    assert [keep(n) for n in (1, 2, 1, 3, 1, 2)] == [1, 2, 1, 3, 1, 2]
    assert calls == [1, 2, 3, 2]
    keep.cache_clear()
    keep(1)
    assert calls == [1, 2, 3, 2, 1]


@pytest.mark.parametrize("most", [0, MOST_ENTRIES + 1])
def test_the_bound_is_bounded(most):
    with pytest.raises(ValueError, match="most must be between 1 and 4096"):
        remembered(most)


def bytes_of(value):
    if isinstance(value, np.ndarray):
        return value.nbytes
    kept = value if isinstance(value, dict) else getattr(value, "__dict__", {})
    parts = value if isinstance(value, tuple) else list(kept.values())
    return 100 + sum(map(bytes_of, parts))  # an object of Python takes some tens of bytes


def test_all_that_the_core_can_remember_takes_little_memory():
    assert len(MEMORIES) == sum(path.read_text(encoding="utf-8").count("\n@remembered(") for path in SOURCES)
    full = [memory.cache_parameters()["maxsize"] * bytes_of(memory(*said)) for memory, said in MEMORIES]
    assert sum(full) < MOST_MEGABYTES * 1e6, full
