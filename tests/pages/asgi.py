"""Requests to an ASGI application as a browser sends them, without a server."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run(coroutine):
    """Run a coroutine in a new thread: the browser tests keep an event loop running in the current one."""
    with ThreadPoolExecutor(1) as own:
        return own.submit(asyncio.run, coroutine).result()


def ask(app, path, method="GET", body=(), **sent):
    """Return status, headers and body of an ASGI application's response; `body` lists the pieces of the request's body.

    The values of a repeated header are joined by line breaks.
    """
    answers = []
    pieces = [{"type": "http.request", "body": piece, "more_body": True} for piece in body]
    asked = iter([*pieces, {"type": "http.request"}])
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in sent.items()]
    path, _, query = path.partition("?")
    scope = {"type": "http", "method": method, "path": path, "root_path": "", "headers": raw}
    scope["query_string"] = query.encode()

    async def receive():
        for message in asked:
            return message
        await asyncio.Event().wait()  # the browser stays connected

    async def send(message):
        answers.append(message)

    run(app(scope, receive, send))
    start, *bodies = answers
    got = {}
    for name, value in start["headers"]:
        known = name.decode().lower()
        got[known] = f"{got[known]}\n{value.decode()}" if known in got else value.decode()
    return start["status"], got, b"".join(each.get("body", b"") for each in bodies)
