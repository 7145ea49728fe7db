"""What the your_scores page asks of the core. A visitor's own files stay in that visitor's session."""

from sattn_core.lessons import your_scores as core
from sattn_core.lessons.your_scores import sample_file as make_sample_file

SAMPLE_ROWS = 128  # queries and keys of a sample: few enough to be measured at every move
UPLOAD_NOTES = (core.LIMITS, core.PRIVACY)
HOOK = f"```python\n{core.HOOK_SNIPPET}```"  # as Markdown


def sample_params(sample: str, d_k: int, seed: int) -> core.YourScoresParams:
    """The sample at the slider's d_k, as far as samples go; what was trained has a d_k of its own."""
    if sample in core.TRAINED:
        Q, _ = core.trained_layer(sample)
        return core.YourScoresParams(sample, *Q.shape[1:])
    return core.YourScoresParams(sample, SAMPLE_ROWS, min(max(d_k, 2), 256), seed)


def measure_sample(params: core.YourScoresParams, head: int) -> core.YourScoresResult:
    """The report on a sample; the last head, if there are fewer."""
    Q, K = core.sample_scores(params)
    return core.measure_your_scores(Q, K, head=min(head, len(Q)) - 1 if Q.ndim == 3 else 0)


def sample_file(params: core.YourScoresParams) -> bytes:
    """The sample as the bytes of a .npz file."""
    return make_sample_file(params)[1]
