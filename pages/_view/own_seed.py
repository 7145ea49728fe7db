"""`seed=mine` in an address: everyone who opens it gets a seed of their own, which then replaces it in the address."""

from collections.abc import Mapping
from secrets import randbelow
from urllib.parse import unquote_plus

from pages._view.shared import LAST_SEED

SEED, MINE = "seed", "mine"


def is_asked(query: Mapping[str, str]) -> bool:
    """Return True if an address asks for a seed of the visitor's own."""
    return query.get(SEED) == MINE


def drawn() -> str:
    """Return a random seed as text for an address; never the default seed."""
    return str(1 + randbelow(LAST_SEED))


def settled(query: str) -> str | None:
    """Return the query with a seed in it, if it asks for one of the visitor's own; None if it does not."""
    parts = query.split("&")
    asking = [i for i, part in enumerate(parts) if tuple(map(unquote_plus, part.partition("="))) == (SEED, "=", MINE)]
    for i in asking:
        parts[i] = f"{SEED}={drawn()}"
    return "&".join(parts) if asking else None
