"""The QR code of a printed page, made only for addresses of this server."""

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


def test_own_address_gets_a_self_contained_qr_code():
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
def test_other_addresses_and_texts_get_no_qr_code(link):
    assert answer(link)[0] == 404
