"""Settings of the whole test run."""

import os
from importlib.util import find_spec

from hypothesis import settings

# One thread for each matrix product, set before NumPy is imported: the other cores run other tests.
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# CI uses fixed examples: a failing build must fail again on the next run.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
settings.register_profile("local", deadline=None, max_examples=60)
# `pytest tests/attack -m "not matrix" --hypothesis-profile=attack --hypothesis-seed=1` tries many more examples.
settings.register_profile("attack", deadline=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")

# SATTN_CLOCK_SPEED=0.3 (or 3) multiplies the speed of the clock behind prices, in started servers and here. The rates
# are then measured here as a server measures them. No test's outcome may change.
if "SATTN_CLOCK_SPEED" in os.environ and find_spec("streamlit"):
    from pages._view.compute import rates

    rates.measure()

# The core's tests also run where only NumPy and SciPy are installed.
collect_ignore = []
if find_spec("streamlit") is None or find_spec("plotly") is None:
    collect_ignore += ["attack", "figures", "pages", "e2e"]
elif find_spec("playwright") is None:
    collect_ignore += ["attack", "e2e"]
