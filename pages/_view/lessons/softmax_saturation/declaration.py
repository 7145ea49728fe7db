"""The declaration of the softmax_saturation lesson."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pages._view.kinds import Number, Read, Text, decimal, fraction
from pages._view.lesson import Bet, Lesson, Place, Step, Try


@dataclass(frozen=True)
class _Factor(Number):
    """A factor that the page shows as a divisor, and the address as a factor."""

    def read(self, text: str) -> Read:
        """Return the factor given by the address, and a remark if it had to be changed."""
        return Number.read(replace(self, shown=fraction), text)

    def write(self, value: Any) -> str:
        exact = Fraction(value).limit_denominator(64)
        return str(exact) if float(exact) == value else repr(value)

    def ordered(self, stops: Iterable[float]) -> list[float]:
        """Return factors from the largest to the smallest, so that divisors rise to the right."""
        return sorted(stops, reverse=True)


def _divisor(factor):
    """Return the divisor equal to a factor, as text."""
    return fraction(1 / factor)


MOST_ADDED = 6  # largest number that is added to a list's smallest score
_EXPONENTS = tuple(i / 50 for i in range(51))
_LISTS = {"list_1": "4, 5", "list_2": "1, 10", "list_3": "", "list_4": ""}
_DRAW = {"n_keys": 16, "law": "normal", "seed": 0}

LESSON = Lesson(
    stem="softmax_saturation",
    question="What does softmax do with scores?",
    answer="It sees only their *differences*. Divided by √dₖ, its weights are alike at every dₖ; divided by dₖ, "
    "tokens’ outputs become the same as dₖ grows.",
    icon=":material/bar_chart:",
    section="The path",
    terms=("weight",),
    shared=("d_k", "n_keys", "law", "seed"),
    controls={
        # Starts undivided: the rows differ, and the learner looks for the divisor that makes them alike.
        "exponent": Number("Exponent α", 0, 0, 1, _EXPONENTS, whole=False, shown=decimal, letter="exponent", play=120),
        "middle_exponent": Number("Middle exponent", 0.5, 0, 1, _EXPONENTS, whole=False, shown=decimal),
        "list_1": Text("First list", "4, 5"),
        "list_2": Text("Second list", "1, 10"),
        "list_3": Text("Third list (optional)", ""),
        "list_4": Text("Fourth list (optional)", ""),
        "multiplier": _Factor(
            "Divide by", 1, 1 / 64, 64, tuple(1 / j for j in range(10, 0, -1)), whole=False, shown=_divisor
        ),
        "shift": Number("Added", 0, -100, 100, tuple(range(-4, 5)), whole=False, shown=decimal, letter="added"),
        "nudge": Number(
            "Added to each smallest score",
            0.5,
            0,
            MOST_ADDED,
            tuple(j / 4 for j in range(4 * MOST_ADDED + 1)),
            whole=False,
            shown=decimal,
            letter="added",
        ),
    },
    settings=("list_3", "list_4"),
    steps=(
        Step(
            "lists",
            "A weight is eˢ over the sum of all eˢ: only differences count. Add to both lists, or divide both.",
            "list_weights",
            slider="shift",
            dials=("multiplier",),
            in_sight=("list_1", "list_2"),
            tries=(
                Try("shifted", "Add 3 to both: no weight changes", _LISTS | {"multiplier": 1.0, "shift": 3.0}),
                Try(
                    "divided",
                    "Divide both by 9: [1, 10] gets the weights that [4, 5] had",
                    _LISTS | {"multiplier": 1 / 9, "shift": 0.0},
                ),
            ),
        ),
        Step(
            "nudge",
            "Training follows slopes: as a score rises, its weight p rises p (1 − p) times as fast. Add to each "
            "smaller score.",
            "nudged_weights",
            slider="nudge",
            tries=(
                Try(
                    "far_behind",
                    "Add 6: in [1, 10] not even 5 % of the weight moves",
                    _LISTS | {"nudge": 6.0},
                ),
            ),
        ),
        Step(
            "divisor",
            "Divide by dₖ to an exponent. Find the one at which dₖ = 4, 64 and 1,024 give the same weights.",
            "softmax_weights",
            slider="exponent",
            pinned={"d_k": 64},
            bet=Bet(
                "Not divided, at dₖ = 64: how much of the weight does the strongest of {n_keys} keys take on average?",
                Number("Its weight", 50, 0, 100, tuple(range(0, 101, 5))),
                near=5,
                suffix=" %",
                place=Place("y", "x2", unit=0.01),
                usual=("exponent",),
            ),
            tries=(
                Try("too_much", "Exponent 1: now dₖ = 1,024 is the flattest", _DRAW | {"exponent": 1.0}),
                Try("alike", "Exponent ½: all three are alike", _DRAW | {"exponent": 0.5}),
            ),
        ),
        Step(
            "too_flat",
            "A token, say “cat”, outputs the mean of the tokens’ values by its weights: even weights, one output "
            "for all. Drag dₖ.",
            "token_outputs",
            dials=("middle_exponent",),
            bet=Bet(
                "A token, say “cat”, outputs a mix of the tokens’ values. Divided by dₖ = {d_k}: how much of an output "
                "differs from token to token?",
                Number("Its token’s own", 50, 0, 100, tuple(range(0, 101, 5))),
                near=5,
                suffix=" %",
                usual=("middle_exponent",),
            ),
            tries=(
                Try(
                    "small",
                    "dₖ = 4: dividing by dₖ still leaves a fifth to each token",
                    _DRAW | {"d_k": 4, "middle_exponent": 0.5},
                ),
                Try("one_point", "dₖ = 1,024: one point", _DRAW | {"d_k": 1024, "middle_exponent": 0.5}),
            ),
        ),
    ),
    opens="divisor",
    formerly={"step": {"averages": "divisor"}},  # a former step showed averages against d_k
    assumed="A *token* is a word or a part of one, such as “cat”. Its *value* is the numbers that it passes on; its "
    "*output* is the mean of all values, weighted by its weights.\n\n"
    "Queries and keys have independent components of mean 0 and variance 1, values 64 normal numbers each.\n\n"
    "A token's own share is $1 - |\\bar o|^2 / \\overline{|o|^2}$, with means over 64 tokens. With very many keys and "
    "dimensions it tends to $1 - e^{-\\sigma^2}$, $\\sigma$ the spread of divided scores.",
    myths=(
        (
            "A large variance of the score matrix is the trouble.",
            "Only differences within a row matter.",
        ),
        (
            "The scale prevents overflow.",
            "Subtracting the largest score keeps exp from overflowing, with any scale. A scale on $q$ or $k$ helps "
            "only products too large for float16.",
        ),
        (
            "More keys make it worse.",
            "At the same spread, more keys make softmax flatter.",
        ),
    ),
    sources=(
        "Vaswani et al. (2017), section 3.2.1.",
        "Dong, Cordonnier and Loukas, arXiv:2103.03404 (2021), and Noci et al., arXiv:2206.03126 (2022), for outputs "
        "that become the same.",
        "Giorlandino and Goldt, arXiv:2505.24333 (2025), and Derrida, *Phys. Rev. B* 24, 2613 (1981), for the limit of "
        "many keys.",
        "Blanchard, Higham and Higham, *IMA J. Numer. Anal.* 41(4), 2021, for overflow.",
    ),
    see=("few_bits",),
)
