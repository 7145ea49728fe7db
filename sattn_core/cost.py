"""What a computation costs, and how one that runs long can be ended."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """The estimated cost of a computation before it is run.

    Attributes
    ----------
    seconds : float
        CPU seconds on one core of the reference machine (about 3 GHz), correct to a factor of 2.
    bytes : int
        Largest extra memory held at one time, correct to a factor of 2.
    """

    seconds: float
    bytes: int


def proceed() -> None:
    """Do nothing: the default `check`, which a long computation calls between blocks.

    A caller that wants to end the computation passes a function that raises instead.
    """
