"""What a computation costs, and how one that runs long can be ended."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """The estimated cost of a computation before it is run.

    Attributes
    ----------
    seconds : float
        CPU seconds on one core of the reference machine (two cores at about 3 GHz), right within a factor of 2.
    bytes : int
        Largest memory held at one time beyond what was held before, right within a factor of 2.
    """

    seconds: float
    bytes: int


def proceed() -> None:
    """The default `check` of a long computation: called between blocks, it lets the next one begin.

    A caller that wants to end the computation passes a function that raises instead.
    """
