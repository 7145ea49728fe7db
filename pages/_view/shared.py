"""The controls that lessons share: each has the same meaning, default and place on every page."""

from pages._view.kinds import Choice, Code, Control, Listed, Number, Tally
from sattn_core import COMPONENT_LAWS

DIMENSIONS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 36, 40, 48, 56, 64, 72, 80, 88, 96,
               100, 111, 120, 128, 144, 160, 176, 192, 224, 256, 288, 320, 352, 384, 448, 512, 576, 640, 704, 768,
               896, 1024)  # fmt: skip
LAST_SEED = 9999
_POWERS = tuple(2**j for j in range(1, 10))

LAWS = {
    "normal": "normal",
    "uniform": "uniform",
    "rademacher": "± 1 (Rademacher)",
    "laplace": "Laplace",
    "student_t": "Student t, 5 degrees of freedom",
    "sparse": "sparse (zero nine times in ten)",
}
SHARED: dict[str, Control] = {
    "d_k": Number(
        "Dimension dₖ",
        64,
        1,
        1024,
        DIMENSIONS,
        help="Length of each query and key vector.",
        play=550,
        letter="dₖ",
        ticks=(1, 4, 16, 64, 256, 1024),
    ),
    "n_keys": Number("Keys", 16, 2, 512, _POWERS, help="How many keys one query attends to."),
    "law": Choice(
        "Distribution",
        "normal",
        tuple(COMPONENT_LAWS),
        help="Distribution of each component of q and k. Every one has mean 0 and variance 1.",
        shown=LAWS,
    ),
    "seed": Number(
        "Seed",
        0,
        0,
        LAST_SEED,
        (0,),
        help="A whole number, 0 to 9,999: another seed is another random draw. A link with `seed=mine` draws one for "
        "each who opens it.",
        typed=True,
    ),
    "scaling": Choice("÷ √dₖ", "on", ("off", "on"), bar=True),
    "rest": Choice("The rest of the lesson", "hidden", ("hidden", "shown"), bar=True, when=("mode", "projector")),
    "mode": Choice("Display", "screen", ("screen", "projector"), bar=True),
}
ROOM = "room"  # in the address of a wall: the code of the class that follows it
# Parameters of an address that have no widget, and that links carry along; a lesson adds the answer to its bet.
PATH, SCREEN = "path", "screen"  # PATH: the steps of a lecture; SCREEN: the panel that covers a wall
JOINING, HOME = "join", "home"  # panels of a wall: how to join, and links to take home
CARRIED: dict[str, Choice | Tally | Code | Listed] = {
    "bet": Choice("Bet first", "0", ("0", "1", "draw")),  # draw: only bets with a curve to draw
    "tally": Tally("Bets that were right, of those placed", most=99),
    ROOM: Code("The room of this wall"),
    PATH: Listed("The steps of a lecture"),
    SCREEN: Choice("Screen of a wall", "none", ("none", JOINING, HOME)),
}
