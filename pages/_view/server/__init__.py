"""The server around the pages: what it adds to Streamlit's server, assembled for `st.App`.

`MAIN` is the script that Streamlit runs. There must be no folder called pages beside it: Streamlit would take its files
for pages of its own until the first visitor has run `st.navigation`.
"""

from pathlib import Path

from starlette.middleware import Middleware
from starlette.routing import Route

from pages._view.server import assets, bets, codes, ending, health, links, log, metrics, moving, rooms
from pages._view.server.compress import KeptCompression
from pages._view.server.headers import SecurityHeaders
from pages._view.server.kept import HeadsAsGets
from pages._view.server.origin import check_origin
from pages._view.server.prompt import PromptMessages
from pages._view.server.replicas import check_secret
from pages._view.server.seen import Watched
from pages._view.server.shell import Shell
from pages._view.server.slow import SlowBodies
from pages._view.server.uploads import BoundedUploads
from pages._view.server.warm import lifespan

__all__ = ["MAIN", "check_settings", "lifespan", "middleware", "routes"]

MAIN = Path(__file__).resolve().parents[1] / "main.py"


def check_settings() -> None:
    """Exit with a message if an environment variable has an invalid value."""
    check_secret()
    check_origin()
    for read in (log.is_asked_for, metrics.port, ending.grace):
        read()


def routes() -> list[Route]:
    """Return the lab's own routes, below the server's base path."""
    ours = (health, assets, moving, bets, codes, rooms, links)
    return [route for each in ours for route in each.routes()]


def middleware() -> list[Middleware]:
    """Return the middleware for every response, the outermost first."""
    told = [log.Log().begin().request] if log.is_asked_for() else []
    told += [metrics.METRICS.request] if metrics.port() else []
    watched = [Middleware(Watched, told=tuple(told))] if told else []
    heads = (PromptMessages, HeadsAsGets, SecurityHeaders)
    bodies = (KeptCompression, Shell, SlowBodies, BoundedUploads)
    return watched + [Middleware(each) for each in (*heads, *bodies)]
