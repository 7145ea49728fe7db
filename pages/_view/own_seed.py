"""`seed=mine` in an address: whoever opens it gets a seed of their own, and the address then says that one."""

from collections.abc import Mapping
from secrets import randbelow
from urllib.parse import unquote_plus

from pages._view.shared import LAST_SEED

SEED, MINE = "seed", "mine"


def is_asked(query: Mapping[str, str]) -> bool:
    """Whether an address asks for a seed of the visitor's own."""
    return query.get(SEED) == MINE


def drawn() -> str:
    """One of the seeds at random, as an address says it; never the one that everybody starts with."""
    return str(1 + randbelow(LAST_SEED))


def settled(query: str) -> str | None:
    """The query of an address with a seed where it asks for one; None where it asks for none."""
    parts = query.split("&")
    asking = [i for i, part in enumerate(parts) if tuple(map(unquote_plus, part.partition("="))) == (SEED, "=", MINE)]
    for i in asking:
        parts[i] = f"{SEED}={drawn()}"
    return "&".join(parts) if asking else None
