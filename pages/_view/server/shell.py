"""What the empty page says before Streamlit has drawn anything: to browsers without scripts or websockets too."""

from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from pages._view.server.whole import WholeAnswer

_WORDS = (Path(__file__).parent / "shell.html").read_bytes()


class Shell:
    """Puts a few words and their script at the end of Streamlit's HTML page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
        else:
            await self.app(scope, receive, WholeAnswer(send, _is_page, _with_words))


def _is_page(start):
    return start["status"] == 200 and Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")


async def _with_words(start, page):
    page = page.replace(b"</body>", _WORDS + b"</body>")
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["Content-Length"] = str(len(page))
    for name in ("ETag", "Last-Modified"):  # of the file without our words
        del headers[name]
    return start | {"headers": headers.raw}, page
