"""What a phone shows of its own part in the experiment of its class."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """sentences: plain text. numbers: for the file. matrices: by name, row by row, as a person reads them."""

    sentences: Sequence[str]
    numbers: Sequence[float] = ()
    matrices: Sequence[tuple[str, Sequence[Sequence[str]]]] = ()
