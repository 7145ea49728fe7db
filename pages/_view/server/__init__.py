"""The server around the pages: what it adds to Streamlit's own, assembled for `st.App`.

`MAIN` is the script that Streamlit runs. No folder named pages stands beside it, or Streamlit would
take its files for pages of its own until the first visitor has run `st.navigation`.
"""

import os
from pathlib import Path

from starlette.middleware import Middleware
from starlette.routing import Route

from pages._view.rooms import routes as rooms
from pages._view.server import bundle, codes, links, moving
from pages._view.server.compress import KeptCompression
from pages._view.server.headers import SecurityHeaders
from pages._view.server.prompt import PromptMessages
from pages._view.server.replicas import check_secret
from pages._view.server.shell import Shell
from pages._view.server.uploads import BoundedUploads
from pages._view.server.warm import lifespan

__all__ = ["MAIN", "check_secret", "lifespan", "middleware", "routes"]

# One core a product of matrices, before NumPy is loaded: further threads take the cores of other visitors to wait on.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

MAIN = Path(__file__).resolve().parent.parent / "main.py"


def routes() -> list[Route]:
    """Addresses of our own, below the server's base path."""
    return [*bundle.routes(), *moving.routes(), *codes.routes(), *rooms.routes(), *links.routes()]


def middleware() -> list[Middleware]:
    """What every answer passes on its way out, the outermost first."""
    outermost_first = (PromptMessages, SecurityHeaders, KeptCompression, Shell, BoundedUploads)
    return [Middleware(each) for each in outermost_first]
