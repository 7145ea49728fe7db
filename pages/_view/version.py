"""The version of the code that draws pictures, part of the names of cached pictures."""

from hashlib import sha256
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_PARTS = ("pages", "sattn_core", "requirements.txt")
_DRAWN = {".png", ".svg"}  # stills and cards: results of the code, not part of it
_UNUSED = "__pycache__"


def version_of(root: Path) -> str:
    """Return the version of the code in this folder: a hash of the names and contents of its files."""
    found = sha256()
    for file in sorted(each for part in _PARTS for each in _files(root / part)):
        body = file.read_bytes()
        found.update(f"{file.relative_to(root).as_posix()} {len(body)}\n".encode() + body)
    return found.hexdigest()[:12]


def _files(place):
    inside = place.rglob("*") if place.is_dir() else (place,)
    return [each for each in inside if each.is_file() and each.suffix not in _DRAWN and _UNUSED not in each.parts]


VERSION = version_of(_ROOT)
