"""The Python code below a picture: its imports, its call and its output."""

import numpy as np

from pages._view.figures.code import Name, code
from sattn_core import dimension_sweep, softmax
from sattn_core.lessons.softmax_saturation import RowsParams, measure_rows
from tests.figures.drawing import run


def test_exported_functions_are_imported_from_the_package():
    written = code(softmax, np.array([0.0, 0.0]), axis=-1, show="result.sum()")
    assert written == "from sattn_core import softmax\n\nresult = softmax([0.0, 0.0], axis=-1)\nprint(result.sum())\n"
    assert run(written)[1] == "1.0\n"


def test_parameters_are_imported_and_written_without_defaults():
    written = code(measure_rows, RowsParams(4, (1, 8), law="normal", seed=3), show="result.scores")
    assert written.startswith("from sattn_core.lessons.softmax_saturation import RowsParams, measure_rows\n\n")
    assert "\nresult = measure_rows(RowsParams(n_keys=4, dims=(1, 8), seed=3))\n" in written
    assert "law='laplace'" in code(measure_rows, RowsParams(4, (1,), law="laplace"), show="result")


def test_code_prints_a_line_per_expression_and_names_have_no_quotes():
    written = code(dimension_sweep, (4,), n_samples=np.int64(10), n_keys=2, seed=0, name="sweep", show="*sweep.dims")
    written += code(softmax, Name("sweep.row_scores"), show=("result.shape", "p.size for p in result"))
    assert "n_samples=10," in written
    assert "= softmax(sweep.row_scores)\n" in written
    assert run(written)[1] == "4\n(1, 2)\n2\n"
