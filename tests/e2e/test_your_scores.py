"""Uploads of a visitor's own file in a browser."""

import io

import numpy as np
import pytest
from dashboard import CHARTS, close_own, open_own, sentences, turn_to
from harness import open_page, wait_until_idle

pytestmark = [pytest.mark.e2e, pytest.mark.walk]


def test_an_uploaded_file_is_measured_and_a_damaged_one_is_named(page, server):
    open_page(page, server, "your_scores")
    open_own(page)
    chooser = page.locator(".st-key-q_file input[type=file]")
    stream = io.BytesIO()
    Q, K = np.random.default_rng(0).standard_normal((2, 40, 24))
    np.savez(stream, Q=Q, K=K)
    chooser.set_input_files({"name": "mine.npz", "mimeType": "application/octet-stream", "buffer": stream.getvalue()})
    page.locator(f"{CHARTS}[aria-label^='Your file, 1 head, 40 queries, 40 keys']").wait_for()
    wait_until_idle(page)
    close_own(page)  # the file stays
    for step in ("growth", "spread"):
        turn_to(page, step)
        (alt,) = [chart.get_attribute("aria-label") for chart in page.locator(CHARTS).all()]
        assert alt.startswith("Your file, 1 head, 40 queries, 40 keys, d_k = 24. ")
        (said,) = [each.replace("dₖ", "d_k") for each in sentences(page)]
        assert alt.endswith(said)
    chooser.set_input_files({"name": "bad.npz", "mimeType": "application/octet-stream", "buffer": b"PK\x03\x04"})
    page.get_by_text("bad.npz is cut off or damaged").first.wait_for()
    page.locator(f"{CHARTS}[aria-label^='Your file is not read. bad.npz']").wait_for()
