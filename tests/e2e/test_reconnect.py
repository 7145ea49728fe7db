"""A page whose server is gone comes back on another one: nothing is shown that the new server does not have."""

import io

import numpy as np
import pytest
from dashboard import LESSONS, menu_names, watch_menu
from harness import free_port, open_page, running_server, wait_until_idle

pytestmark = pytest.mark.e2e

RECONNECT_MS = 60_000
AWAY = '[data-testid="stApp"]:not([data-test-connection-state="CONNECTED"])'
FILE_NAMES = "[data-testid=stFileChipName]"


def own_file(name):
    stream = io.BytesIO()
    np.savez(stream, **dict(zip("QK", np.random.default_rng(0).standard_normal((2, 40, 24)), strict=True)))
    return {"name": name, "mimeType": "application/octet-stream", "buffer": stream.getvalue()}


def choose(page, name):
    page.locator("[class*=st-key-q_file] input[type=file]").set_input_files(own_file(name))
    page.get_by_text("Your file, 1 head, 40 queries, 40 keys").first.wait_for()
    wait_until_idle(page)
    assert page.locator(FILE_NAMES).all_inner_texts() == [name]


def test_no_file_is_shown_that_another_server_does_not_have(new_page, problems):
    page, port = new_page(), free_port()
    with running_server(port=port) as server:
        watch_menu(page)
        open_page(page, server, "your_scores", sample="aligned")
        choose(page, "first.npz")
    page.locator(AWAY).wait_for(state="attached")
    with running_server(port=port):
        page.get_by_text("choose it again").wait_for(timeout=RECONNECT_MS)
        wait_until_idle(page)
        assert page.locator(FILE_NAMES).count() == 0
        assert page.get_by_text("Sample “aligned”").count() == 1
        choose(page, "second.npz")
        assert page.get_by_text("choose it again").count() == 0
        assert menu_names(page) == set(LESSONS.values())
        page.close()
    problems.clear()  # the browser reports the connections that were refused
