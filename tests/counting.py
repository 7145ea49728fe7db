"""Count the operations of a computation, without a clock.

Random generators return arrays that count their operations, and so does every array computed from them.
"""

import tracemalloc
from importlib import import_module
from math import prod

import numpy as np
import pytest

from sattn_core.cost import CALL, DRAWN, FUNCTION, MATRIX, MULTIPLIED, SORTED, STREAM, Price

_Generator = np.random.Generator
_MAKERS = ("empty", "zeros", "ones", "full", "eye", "arange", "linspace", "array", "stack", "concatenate")
_INNER = ("einsum", "dot", "vdot", "inner")  # sums of products outside of `matmul`
_PRIMITIVE = ("concatenate", "where", "copyto", "bincount", "searchsorted", "count_nonzero")
# Each value of these functions counts as one number; each value of any other function counts as a special function.
_PASSES = frozenset(
    "add subtract multiply divide floor_divide remainder negative absolute fabs square sqrt reciprocal sign maximum "
    "minimum clip floor ceil rint ldexp frexp greater greater_equal less less_equal equal not_equal isfinite isnan "
    "isinf signbit logical_and logical_or logical_not bitwise_and bitwise_or bitwise_xor invert bitwise_count".split()
)
# Work of these functions for one value, as a multiple of the work of exp.
_SPECIALS = {
    "power": 2, "hypot": 5, "ndtr": 10, "ndtri": 10, "log_ndtr": 20, "xlog1py": 10, "binom": 20, "stdtrit": 200,
    "kve": 300, "gammaincinv": 500, "gammainccinv": 500, "betaincinv": 500,
}  # fmt: skip
_numbers = [0.0]


def _note(numbers):
    _numbers[0] += numbers + CALL


class _Counted(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        plain = [_plain(each) for each in inputs]
        found = getattr(ufunc, method)(*plain, **{name: _plain(each) for name, each in options.items()})
        name, sizes = ufunc.__name__, map(np.size, (*plain, *_all_of(found)))
        if name == "matmul":
            n_matrices = prod(np.shape(found)[:-2]) if min(map(np.ndim, plain)) > 1 else 1
            _note(MULTIPLIED * np.size(found) * np.shape(plain[0])[-1] + MATRIX * n_matrices)
        else:
            _note(max(sizes) * (1 if name in _PASSES else FUNCTION * _SPECIALS.get(name, 1)))
        return _counted(found)

    def __array_function__(self, function, types, args, kwargs):
        if function.__name__ in _INNER:
            plain = [_plain(each) for each in args]
            each = 1 if function.__name__ == "einsum" else MULTIPLIED
            _note(each * _terms(function.__name__, *plain))
            return _counted(function(*plain, **kwargs))
        if function.__name__ in _PRIMITIVE:
            given = args[0] if function.__name__ == "concatenate" else args
            _note(max(sum(map(np.size, given)) if given is not args else 0, *map(np.size, given)))
        return _counted(super().__array_function__(function, types, args, kwargs))


def _sorting(name):
    def sort(self, *args, **kwargs):
        _note(SORTED * self.size)
        return getattr(super(_Counted, self), name)(*args, **kwargs)

    return sort


def _copying(name):
    def copy(self, *args, **kwargs):
        _note(self.size)
        return getattr(super(_Counted, self), name)(*args, **kwargs)

    return copy


for _name in ("sort", "argsort", "partition", "argpartition"):
    setattr(_Counted, _name, _sorting(_name))
for _name in ("astype", "copy"):
    setattr(_Counted, _name, _copying(_name))


def _terms(name, *args):
    """Return the number of terms that the function sums."""
    if name == "einsum":
        sizes = {}
        for names, each in zip(args[0].split("->")[0].split(","), args[1:], strict=True):
            axes = np.shape(each)
            names = names.replace("...", "ABCDEF"[: len(axes) - len(names.replace("...", ""))])
            sizes |= dict(zip(names, axes, strict=True))
        return prod(sizes.values())
    return np.size(args[0]) * np.size(args[1]) // max(1, np.shape(args[1])[0])


def _all_of(found):
    return found if isinstance(found, tuple) else (found,)


def _plain(value):
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.view(np.ndarray) if isinstance(value, _Counted) else value


def _counted(value):
    if isinstance(value, tuple):
        return tuple(map(_counted, value))
    return value.view(_Counted) if type(value) is np.ndarray else value


class _CountingGenerator(_Generator):
    def __init__(self, bits):
        super().__init__(bits)
        _numbers[0] += STREAM


def _drawing(name):
    def draw(self, *args, **kwargs):
        found = getattr(_Generator, name)(self, *map(_plain, args), **{n: _plain(each) for n, each in kwargs.items()})
        _note(DRAWN[name] * np.size(found))
        return _counted(found)

    return draw


for _name in (name for name in dir(_Generator) if name in DRAWN):
    setattr(_CountingGenerator, _name, _drawing(_name))


def _making(make):
    return lambda *args, **kwargs: _counted(make(*args, **kwargs))


def so_far():
    """Return the work counted since `count` was called."""
    return _numbers[0]


def count(compute):
    """Return the work of `compute` and its peak memory.

    The core's bands and distributions are simulated anew; its other tables are already cached by a first call.
    """
    compute()
    forget()
    _numbers[0] = 0.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np.random, "Generator", _CountingGenerator)
        patch.setattr(np.random, "default_rng", lambda seed: _CountingGenerator(np.random.PCG64(seed)))
        for name in _MAKERS:
            patch.setattr(np, name, _making(getattr(np, name)))
        for name in ("asarray", "ascontiguousarray"):
            patch.setattr(np, name, _making(np.asanyarray))
        tracemalloc.start()
        try:
            compute()
            return Price(so_far(), tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
            forget()


def forget():
    """Clear the core's caches of simulated bands and distributions."""
    for module, table in (
        ("bands.matrix_bands", "_simulated_band"),
        ("bands.matrix_variance", "_simulated_quantiles"),
        ("laws.quantiles", "_table"),
        ("draws.matrix_products", "reference_distribution"),
    ):
        getattr(import_module(f"sattn_core.{module}"), table).cache_clear()
