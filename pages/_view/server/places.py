"""The parts of a URL that a log may hold: its kind, and a path that identifies nobody."""

from pages._view._streamlit import STATIC, STREAM, UPLOADS, path_of
from pages._view.routes import BET, CODE, JOIN, MOVING, TEACH
from pages._view.server.health import ALIVE, READY
from pages._view.server.links import lesson_at

KINDS = {MOVING: "moving", BET: "bet", CODE: "code", JOIN: "class", TEACH: "class", ALIVE: "health", READY: "health"}
KINDS |= {STATIC: "file", "assets": "file", "cards": "file", "media": "file", "robots.txt": "file"}
KINDS |= {"sitemap.xml": "file", "favicon.png": "file"}
_OF_A_VISITOR = (JOIN, TEACH, "media")  # what follows is private: codes of classes, files of visitors
_LAST_OF_CLASS = ("news", "state", "results.csv")


def kind_of(path: str) -> str:
    """Return the kind of a path: one of a few words."""
    place = path.removeprefix(path_of(""))
    if place == STREAM:
        return "session"
    if place.startswith(UPLOADS):
        return "upload"
    if lesson_at(path) is not None:
        return "page"
    return KINDS.get(place.split("/")[0], "other")


def shown(path: str, status: int) -> str:
    """Return a path for the log: without codes of classes, names of files and anything that a visitor has typed."""
    kind, place = kind_of(path), path.removeprefix(path_of(""))
    first, *rest = place.split("/")
    if kind == "upload":
        return path_of(f"{UPLOADS}*")
    if kind == "other" or first in _OF_A_VISITOR or status == 404:
        known = first if kind not in ("other", "page") else ""
        last = rest[-1] if rest and rest[-1] in _LAST_OF_CLASS and kind == "class" else ""
        return path_of("/".join(filter(None, (known, "*" if rest or kind == "other" else "", last))))
    return path
