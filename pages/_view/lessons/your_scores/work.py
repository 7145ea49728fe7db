"""Calls to the core for the your_scores page. A visitor's own files stay in that visitor's session."""

from collections.abc import Sequence
from functools import partial

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.your_scores import figures
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core.cost import DRAWN, MULTIPLIED, Price, priced
from sattn_core.lessons import your_scores as core
from sattn_core.lessons.your_scores import sample_file as make_sample_file

SAMPLE_ROWS = 128  # queries and keys of a sample: few enough to measure at every move of the slider
_EACH_HEAD, _BESIDE = 4e6, 4_000_000  # price of a report: numbers per head; bytes at any size
UPLOAD_NOTES = (core.LIMITS, core.PRIVACY)
# Options for reading a file, if the guess is wrong: the field's label, and the wording of each option.
SAID = {
    "axes": ("Three axes", {"guess": "as they look", "heads first": "heads, n, dₖ", "tokens first": "n, heads, dₖ"}),
    "stored": (
        "Whole numbers",
        {
            "guess": "ask",
            "numbers": "as they are",
            "bfloat16": "bits of bfloat16",
            "float16": "bits of float16",
            "float8_e4m3fn": "bits of float8 E4M3",
            "float8_e5m2": "bits of float8 E5M2",
        },
    ),
    "first_line": ("First line", {"guess": "as it looks", "numbers": "numbers", "names": "names"}),
    "first_column": ("First column", {"guess": "as it looks", "numbers": "numbers", "names": "names"}),
    "comma": ("Commas", {"guess": "as they look", "decimal": "decimal", "separator": "between numbers"}),
}
OF_TEXT = ("first_line", "first_column", "comma")  # options that also apply to a text file
HOOK = f"```python\n{core.HOOK_SNIPPET}```"  # as Markdown


def sample_params(sample: str, d_k: int, seed: int) -> core.YourScoresParams:
    """Return a sample's params at the slider's d_k, clipped to 2–256; a trained sample has a d_k of its own."""
    if sample in core.TRAINED:
        Q, _ = core.trained_layer(sample)
        return core.YourScoresParams(sample, *Q.shape[1:])
    return core.YourScoresParams(sample, SAMPLE_ROWS, min(max(d_k, 2), 256), seed)


def sample_price(params: core.YourScoresParams, _head: int) -> Price:
    """Return the price of a sample's report; the LayerNorm sample adds the drawing and use of W_Q and W_K."""
    d_model = params.n_heads * params.d_k
    weights = 2 * d_model**2 if params.sample == "layer_norm_mha" else 0
    numbers = weights * (DRAWN["standard_normal"] + MULTIPLIED * params.n_rows) + _EACH_HEAD * params.n_heads
    return Price(numbers, 8 * weights + 32 * params.n_rows * d_model + _BESIDE)


@priced(sample_price)
def measure_sample(params: core.YourScoresParams, head: int) -> core.YourScoresResult:
    """Return the report on a sample's head, or on the last head if it has fewer."""
    Q, K = core.sample_scores(params)
    return core.measure_your_scores(Q, K, head=min(head, len(Q)) - 1 if Q.ndim == 3 else 0)


def sample_file(params: core.YourScoresParams) -> bytes:
    """Return the sample as the bytes of a .npz file."""
    return make_sample_file(params)[1]


def params_of(values: Values) -> core.YourScoresParams:
    """Return the params of the sample that the controls ask for."""
    return sample_params(values["sample"], values["d_k"], values["seed"])


def picture(step: str, values: Values, result: core.YourScoresResult, own: Sequence[str], profile: Profile) -> Picture:
    """Return the picture of a step. own: the names of the visitor's files; () for a sample."""
    params = params_of(values)
    source = figures.source(result, params, values["d_k"], own)
    return _DRAWN[step](result, params, source, own, profile)


def refused(step: str, problem: str, own: Sequence[str], profile: Profile) -> Picture:
    """Return the picture of a step while the visitor's files are refused."""
    return figures.refused(f"your_{'growth' if step == 'growth' else 'histogram'}", problem, own, profile)


def _of_sample(step, values, profile):
    result = compute.result(measure_sample, params_of(values), values["head"])
    return picture(step, values, result, (), profile)


_DRAWN = {"spread": figures.histogram, "growth": figures.growth}
STEPS = {step: Main(partial(_of_sample, step)) for step in _DRAWN}
