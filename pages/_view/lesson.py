"""What a lesson declares: all that the frame, the controls and the tests need to know of it, said once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from pages._view.kinds import Answer, Answers, Choice, Control, Drawing, Linked, Number

# In an address: what one has bet; whether the truth is shown; what a class has bet; how many phones took part.
GUESS, REVEAL, CLASS, PHONES = "guess", "reveal", "class", "phones"
MOST_PHONES = 100


@dataclass(frozen=True)
class Try:
    """A suggestion: a click puts the controls on these settings, and then the promise is true.

    key names its test in tests/pages/test_X.py. picture: the key of the one that it changes and stands by; "" for the
    main one.
    """

    key: str
    promise: str
    settings: Mapping[str, Any]
    picture: str = ""


@dataclass(frozen=True)
class Place:
    """Where a number that was bet stands on the main picture.

    along: the axis it is read off, a linear one, "y" or "x2"; across: the other axis of that panel; unit: of the axis,
    in one of the answer.
    """

    along: str
    across: str
    unit: float = 1.0


@dataclass(frozen=True)
class Bet:
    """One question on what the main picture will show.

    The lesson's bet.py says what it comes to, outcome(values), and what of the picture is known before it is placed,
    before(values, profile): enough to answer from, and nothing that tells.

    Attributes
    ----------
    question : may name values of controls in braces: {d_k}.
    answer : a number to place, a choice of three, or a curve to draw on the picture. Its default is no answer.
    near : a number that is off by no more is right; by no more than three times as much, close. Of a curve the share of
        its last true height.
    suffix : behind a number, such as " %".
    place : where a number or a curve stands on the picture. Its stops are those of that axis.
    on : the key of the picture that it is on, if that is not the main one. place is then a place on that one.
    when : a control and the option at which the picture is what the bet is on; while it is open, the control is there.
    usual : settings that stand on their defaults while it is open.
    earlier : other options of that control whose pictures tell nothing, and may be looked at meanwhile.
    """

    question: str
    answer: Number | Choice | Drawing
    near: float = 0.0
    suffix: str = ""
    place: Place | None = None
    on: str = ""
    when: tuple[str, str | float] | None = None
    earlier: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()


@dataclass(frozen=True)
class Together:
    """What the phones of a class do on a lesson, each its own part of one picture.

    The lesson's part.py says what a phone sees of its part, part(number, values). The main picture shows those of all
    phones where values["phones"] is not 0.

    Attributes
    ----------
    asks : one sentence, on the phones and on the wall.
    button : what the button of a phone says.
    chooses : a control on whose value the class votes, among these options; then it does not bet. "": each phone draws.
    options : values of that control.
    meanwhile : settings while it is chosen, so that the picture does not tell; after that they stand on their defaults.
    """

    asks: str
    button: str
    chooses: str = ""
    options: tuple[float, ...] = ()
    meanwhile: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Lesson:
    """One lesson, declared once.

    Attributes
    ----------
    stem : the file name of its page without .py, which is its address.
    question, answer : the first two things on the page.
    icon, section : its place in the menu.
    card : what its card on the path says under the question, in a few words that do not answer it.
    shared : the shared controls that it uses, see `shared.SHARED`.
    controls : its own controls by name. The name is the key of the widget and the parameter of the address.
    tries : what it asks the learner to try.
    pictures : the keys of its pictures, in the order of the page.
    assumed : Markdown, what it takes for granted and how it computes.
    myths : Markdown, what one may hear, and what is so in fact.
    sources : Markdown, one source each.
    terms : words of the answer that `glossary.TERMS` explains.
    in_sight : those of its controls that stand under the slider, at most two. The page draws the others that belong to
        a picture.
    settings : those of its controls that stand in the Settings drawer.
    unseen : what has no widget and stands in its address alone, beside what was bet.
    bet : what the learner may bet on before the picture is seen, if anything.
    slider : the number on the large slider above its main picture, which follows it while it is dragged: d_k or one of
        its own; "" for none.
    dials : those of its numbers that the main picture follows too, each on a slider under the large one.
    placed_dials : those of them that the page draws where they belong.
    each : what is offered to a class where the lesson is shared, a draw for each of them; "" for nothing.
    still : a control and the option at which the main picture does not follow the slider, so that there is none.
    together : what a class does on it, each on a phone of its own, if anything.
    see : the lessons that say more of what it touches upon; a link to each stands at its end.
    """

    stem: str
    question: str
    answer: str
    icon: str
    section: str
    shared: tuple[str, ...]
    controls: Mapping[str, Control]
    tries: tuple[Try, ...]
    pictures: tuple[str, ...]
    sources: tuple[str, ...]
    card: str = ""
    assumed: str = ""
    myths: tuple[tuple[str, str], ...] = ()
    terms: tuple[str, ...] = ()
    in_sight: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    slider: str = "d_k"
    dials: tuple[str, ...] = ()
    placed_dials: tuple[str, ...] = ()
    unseen: Mapping[str, Answer | Control] = field(default_factory=dict)
    bet: Bet | None = None
    each: str = ""
    still: tuple[str, str] | None = None
    together: Together | None = None
    see: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("controls", "unseen"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @property
    def followed(self) -> tuple[str, ...]:
        """The controls that its main picture follows while a hand moves them."""
        return (*((self.slider,) if self.slider else ()), *self.dials)

    @property
    def own_sliders(self) -> tuple[str, ...]:
        """Those of them that no other lesson shares."""
        return tuple(name for name in self.followed if name in self.controls)

    @cached_property
    def linked(self) -> dict[str, Control | Linked]:
        """What stands in its address alone, by name: what was bet, whether the truth is shown, and what is unseen."""
        own: dict[str, Control | Linked] = {**self.unseen, **self.of_class}
        if self.bet or self.together:
            own[REVEAL] = Choice("The truth", "0", ("0", "1"))
        return {GUESS: Answer(self.bet.answer), **own} if self.bet else own

    @cached_property
    def of_class(self) -> dict[str, Control | Linked]:
        """What stands in the address of a class's result, and in a link to it."""
        bets: dict[str, Control | Linked] = {CLASS: Answers(self.bet.answer, MOST_PHONES)} if self.bet else {}
        return bets | self.phones

    @cached_property
    def phones(self) -> dict[str, Control]:
        """How many phones had a part in what its main picture shows."""
        return {PHONES: Number("Phones of a class", 0, 0, MOST_PHONES, ())} if self.together else {}
