"""`seed=mine` in an address: it is replaced by a random seed for everyone who opens the address."""

from collections.abc import Mapping
from secrets import randbelow
from urllib.parse import unquote_plus

from pages._view.shared import LAST_SEED

SEED, MINE = "seed", "mine"


def is_asked(query: Mapping[str, str]) -> bool:
    """Return True if an address asks for a random seed."""
    return query.get(SEED) == MINE


def drawn() -> str:
    """Return a random seed as text, never the default one."""
    return str(1 + randbelow(LAST_SEED))


def settled(query: str) -> str | None:
    """Return the query with `seed=mine` replaced by a random seed; None if it does not ask for one."""
    parts = query.split("&")
    asking = [i for i, part in enumerate(parts) if tuple(map(unquote_plus, part.partition("="))) == (SEED, "=", MINE)]
    for i in asking:
        parts[i] = f"{SEED}={drawn()}"
    return "&".join(parts) if asking else None
