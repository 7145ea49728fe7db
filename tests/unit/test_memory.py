"""The caches of the core are bounded; ruff refuses other caches, see sattn_core/pyproject.toml."""

import re
from pathlib import Path

import numpy as np
import pytest

from sattn_core._memory import MOST_ENTRIES, remembered
from sattn_core.bands import matrix_bands, matrix_variance
from sattn_core.draws import matrix_products
from sattn_core.laws import heavy_tails, quantiles, saturation
from sattn_core.lessons import scaling_rules, start
from sattn_core.training import adam_rows, encoder_record, trained_transformers

CORE = Path(__file__).resolve().parents[2] / "sattn_core"
SOURCES = sorted(set(CORE.rglob("*.py")) - {CORE / "_memory.py"})


# Every cached function, with the arguments of its largest result.
MEMORIES = [
    (adam_rows.adam_rows, ()),
    (quantiles._table, (1,)),
    (encoder_record._file, ()),
    (heavy_tails.median_size, (1, 1.5)),
    (matrix_bands._simulated_band, ("normal", 0.0, 0.0, (2, 2, 2))),
    (matrix_products.reference_distribution, (2, 2, 0, 1.6, 10.0, 200)),
    (saturation._legendre_rule, ()),
    (saturation._query_norms, (1,)),
    (saturation._table, (saturation.MAX_KEYS, saturation.MAX_SCORE_STD)),
    (matrix_variance._simulated_quantiles, ("entries", 2, 2, 2, 0.95)),
    (scaling_rules._check_value, ("vaswani",)),
    (start._bin_law, (1, True)),
    (start._exact_mean, (64, 16)),
    (start._simulated_mean, (tuple(range(1, 65)), 2, "uniform")),
    (trained_transformers.trained_transformers, ()),
]
MOST_MEGABYTES = 30  # memory of all caches together when full


def test_cache_evicts_the_least_recently_used_result():
    calls = []
    keep = remembered(2)(lambda n: calls.append(n) or n)
    assert [keep(n) for n in (1, 2, 1, 3, 1, 2)] == [1, 2, 1, 3, 1, 2]
    assert calls == [1, 2, 3, 2]
    keep.cache_clear()
    keep(1)
    assert calls == [1, 2, 3, 2, 1]


@pytest.mark.parametrize("most", [0, MOST_ENTRIES + 1])
def test_cache_size_is_bounded(most):
    with pytest.raises(ValueError, match="most must be between 1 and 4096"):
        remembered(most)


def bytes_of(value):
    if isinstance(value, np.ndarray):
        return value.nbytes
    kept = value if isinstance(value, dict) else getattr(value, "__dict__", {})
    parts = value if isinstance(value, tuple) else list(kept.values())
    return 100 + sum(map(bytes_of, parts))  # a Python object takes some tens of bytes


def test_all_caches_together_take_little_memory():
    texts = [path.read_text(encoding="utf-8") for path in SOURCES]
    uses = [line for text in texts for line in re.findall(r"^(?!from ).*\bremembered\b.*", text, re.MULTILINE)]
    assert len(MEMORIES) == len(uses)
    full = [cached.cache_parameters()["maxsize"] * bytes_of(cached(*arguments)) for cached, arguments in MEMORIES]
    assert sum(full) < MOST_MEGABYTES * 1e6, full
