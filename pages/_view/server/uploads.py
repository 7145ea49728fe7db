"""A limit on one visitor's uploads: Streamlit limits each file, but not their number.

Only one path takes files, and only classes take short forms; a body to any other path is refused, so that none is
unlimited.
"""

import re

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages._view._streamlit import UPLOADS, path_of
from pages._view.server.rooms import LARGEST_FORM, is_place_of_rooms

MOST_BYTES = 130 * 2**20  # two fields, each with a file of server.maxUploadSize and its form data
FILE_BYTES = 2**16  # added to each file's bytes, so that empty files are limited too
MOST_VISITORS = 10_000  # visitors whose files are counted; if there are more, the oldest are forgotten
TOO_LARGE = f"Your files may have {MOST_BYTES // 2**20} MB together: remove one or reload the page, then try again."
NOT_HERE = "Nothing can be sent to this address."
TOO_LONG = "That is too long for this form."


class BoundedUploads:
    """Middleware that answers 413 if a visitor's uploads have too many bytes, announced or received."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.held: dict[str, dict[object, int]] = {}  # visitor -> file -> bytes, including those being sent
        self.places = re.compile(re.escape(path_of(UPLOADS)) + "([^/]+)/([^/]+)")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = scope["type"] == "http" and self.places.fullmatch(scope["path"])
        if place and scope["method"] == "PUT":
            await self._take(place[1], place[2], scope, receive, send)
        elif place and scope["method"] == "DELETE":
            if await _accepts(self.app, scope, _bounded(receive, FILE_BYTES), send):  # the body names the visitor
                self.held.get(place[1], {}).pop(place[2], None)
        elif scope["type"] == "http" and is_place_of_rooms(scope["path"]):
            await self.app(scope, _bounded(receive, LARGEST_FORM, TOO_LONG), send)
        elif scope["type"] == "http":
            await self._take_nothing(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _take_nothing(self, scope, receive, send):
        headers = Headers(scope=scope)
        if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
            await self.app(scope, _bounded(receive, 0), send)
        else:
            await PlainTextResponse(NOT_HERE, 413)(scope, receive, send)

    async def _take(self, visitor, file, scope, receive, send):
        files, arriving = self._files_of(visitor), object()
        files[arriving] = FILE_BYTES
        named = Headers(scope=scope).get("content-length", "")
        try:
            if named.isdecimal() and sum(files.values()) + int(named) > MOST_BYTES:
                await PlainTextResponse(TOO_LARGE, 413)(scope, receive, send)
            elif await _accepts(self.app, scope, _counted(receive, files, arriving), send):
                files[file] = files[arriving]
        finally:
            del files[arriving]
            if not files:
                self.held.pop(visitor, None)

    def _files_of(self, visitor):
        if visitor not in self.held and len(self.held) >= MOST_VISITORS:
            del self.held[next(iter(self.held))]
        return self.held.setdefault(visitor, {})


def _bounded(receive, most, said=NOT_HERE):
    """Limit the body of a request to a path that takes no files. said: the message for a body that is too large."""
    left = most

    async def count():
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, said)
        return message

    return count


def _counted(receive, files, arriving):
    async def count():
        message = await receive()
        files[arriving] += len(message.get("body", b""))
        if sum(files.values()) > MOST_BYTES:
            raise HTTPException(413, TOO_LARGE)  # turned into a response by the application that reads the body
        return message

    return count


async def _accepts(app, scope, receive, send):
    """Let the application respond; return True if it responds with success."""
    statuses = []

    async def note(message):
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        await send(message)

    await app(scope, receive, note)
    return bool(statuses) and statuses[0] < 300
