"""What the empty page says before Streamlit has drawn anything: to browsers without scripts or websockets too."""

from pathlib import Path

from starlette.datastructures import MutableHeaders

_WORDS = (Path(__file__).parent / "shell.html").read_bytes()


class Shell:
    """Puts a few words and their script at the end of Streamlit's HTML page."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
        else:
            await self.app(scope, receive, _Insertion(send))


class _Insertion:
    def __init__(self, send):
        self.send, self.start, self.parts = send, None, []

    async def __call__(self, message):
        headers = MutableHeaders(scope=message) if message["type"] == "http.response.start" else None
        if headers is not None and message["status"] == 200 and headers.get("content-type", "").startswith("text/html"):
            self.start = message
        elif self.start is None:
            await self.send(message)
        else:
            self.parts.append(message.get("body", b""))
            if not message.get("more_body"):
                await self._finish(b"".join(self.parts))

    async def _finish(self, page):
        page = page.replace(b"</body>", _WORDS + b"</body>")
        headers = MutableHeaders(scope=self.start)
        headers["Content-Length"] = str(len(page))
        for name in ("ETag", "Last-Modified"):  # of the file without our words
            if name in headers:
                del headers[name]
        await self.send(self.start)
        await self.send({"type": "http.response.body", "body": page})
