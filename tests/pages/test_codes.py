"""The QR code on a printed page: for addresses of this server only."""

from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from starlette.applications import Starlette

from pages._view.routes import CODE
from pages._view.server import codes
from tests.pages.asgi import ask

HOST = "http://testserver"
APP = Starlette(routes=codes.routes())


def answer(link):
    return ask(APP, f"/{CODE}?at={quote(link, safe='')}", host="testserver")


def test_an_address_of_this_server_has_a_self_contained_code():
    status, headers, body = answer(f"{HOST}/score_variance?d_k=256")
    assert (status, headers["content-type"]) == (200, "image/svg+xml")
    assert ElementTree.fromstring(body).tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize(
    "link",
    [
        "",
        "text",
        "https://example.org/",
        "http://[",
        "ftp://testserver/",
        f"{HOST}.example.org/",
        f"{HOST}/?Q={'1' * 3000}",
    ],
)
def test_no_other_text_has_a_code(link):
    assert answer(link)[0] == 404
