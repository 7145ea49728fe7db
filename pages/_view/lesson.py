"""The declaration of a lesson: all that the frame, the controls and the tests need to know about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from pages._view.kinds import Answer, Answers, Choice, Control, Drawing, Linked, Number, Settings, between

# In an address: what one has bet, and at which settings; whether the truth is shown; what a class has bet; how many
# phones took part, and which setting they have voted for; bets or votes from before the class was asked again.
GUESS, GUESSED_AT, REVEAL, CLASS, PHONES, VOTES = "guess", "guessed_at", "reveal", "class", "phones", "votes"
FIRST = "first"
ANSWERS = (GUESS, GUESSED_AT, REVEAL, CLASS, FIRST)
MOST_PHONES, NO_CLASS = 100, -1  # NO_CLASS: in place of how many phones took part; 0 is a class that has not begun
STEP = "step"  # in an address: the name of a lesson's step
TRAINED = "trained_steps"  # in an address: the training step that is shown


@dataclass(frozen=True)
class Try:
    """A suggestion: a click gives the controls these settings, and then the promise is true.

    key names its test in tests/pages/test_X.py.
    """

    key: str
    promise: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Place:
    """The place on the main picture of a number that was bet.

    along: the axis it is read off, a linear one, "y" or "x2"; across: the other axis of that panel; unit: of the axis,
    in one of the answer; keeps: the axes of the panel, x and y, that stays on a wall beside the bets of a class, if it
    is another one.
    """

    along: str
    across: str
    unit: float = 1.0
    keeps: tuple[str, str] | None = None


@dataclass(frozen=True)
class Bet:
    """One question on what the main picture will show.

    The lesson's bet.py has outcome(values), and before(values, profile), the picture that is shown until it is placed:
    enough to answer from, and nothing that gives the answer away.

    Attributes
    ----------
    question : may name values of controls in braces: {d_k}.
    answer : a number to place, a choice of three, or a curve to draw on the picture. Its default is no answer.
    near : an answer with an error up to this is right; up to three times as much, close. For a curve, a share of
        its last true height.
    suffix : behind a number, such as " %".
    place : the place of a number or a curve on the picture. Its stops are those of that axis.
    when : a control and the option at which the picture is that of the bet; while it is open, the control is shown.
    usual : settings that have their defaults while it is open.
    earlier : other options of that control whose pictures give nothing away and may be opened meanwhile; for steps
        those before it, if none are given.
    """

    question: str
    answer: Number | Choice | Drawing
    near: float = 0.0
    suffix: str = ""
    place: Place | None = None
    when: tuple[str, str | float] | None = None
    earlier: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()


@dataclass(frozen=True)
class Together:
    """The task of a class on a lesson: each phone does its own part of one picture.

    The lesson's part.py says what a phone sees of its part, part(number, values). The main picture shows those of all
    phones where values["phones"] is not NO_CLASS.

    Attributes
    ----------
    asks : one sentence, on the phones and on the wall.
    button : what the button of a phone says.
    chooses : a control on whose value the class votes, among these options; then it does not bet. "": each phone draws.
    options : values of that control.
    meanwhile : settings while it is chosen, so that the picture does not tell; after that they stand on their defaults.
    pinned : settings of what each phone draws, at the step of the bet. The step has no slider then: what was drawn
        stays as it was drawn, and a slider that moves nothing would say that it is something else.
    """

    asks: str
    button: str
    chooses: str = ""
    options: tuple[float, ...] = ()
    meanwhile: Mapping[str, Any] = field(default_factory=dict)
    pinned: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One screen of a lesson: a line, one picture that follows its sliders, and one sentence.

    Attributes
    ----------
    name : its name in an address, as step=name.
    line : the thing to do here, or the claim, in one line.
    picture : the key of its picture.
    slider : the number on its large slider: d_k or one of the lesson's own; "" for none.
    dials : other numbers that its picture follows too, at most two.
    placed : dials that the page draws where they belong.
    in_sight : the lesson's controls beside the sliders, at most two; at most four where there is no slider.
    pinned : settings that hold here for any address; they have no slider.
    bet : the bet before this picture is shown, if there is one.
    tries : the tries of this picture, at most two.
    """

    name: str
    line: str
    picture: str
    slider: str = "d_k"
    dials: tuple[str, ...] = ()
    placed: tuple[str, ...] = ()
    in_sight: tuple[str, ...] = ()
    pinned: Mapping[str, Any] = field(default_factory=dict)
    bet: Bet | None = None
    tries: tuple[Try, ...] = ()

    @property
    def followed(self) -> tuple[str, ...]:
        """The controls that its picture follows while their sliders move."""
        return (*((self.slider,) if self.slider else ()), *self.dials, *self.placed)


@dataclass(frozen=True)
class Lesson:
    """One lesson, declared once.

    A lesson with steps takes its pictures, its tries and its bet from them, and has a control for the step. A lesson
    without steps is one screen with all its pictures, one below the other.

    Attributes
    ----------
    stem : the file name of its page without .py, which is its address.
    question, answer : the first two things on the page.
    icon, section : its place in the menu.
    shared : the shared controls that it uses, see `shared.SHARED`.
    controls : its own controls by name. The name is the key of the widget and the parameter of the address.
    tries : its tries.
    pictures : the keys of its pictures, in the order of the page.
    assumed : Markdown, its assumptions and its computations.
    myths : Markdown, common mistakes, and the facts.
    sources : Markdown, one source each.
    terms : words of the answer that `glossary.TERMS` explains.
    settings : its controls in the Settings drawer.
    unseen : parameters without a widget, besides the answers to bets.
    bets : the bets of its steps, in their order.
    each : the offer to a class where the lesson is shared, a draw for each visitor; "" for none.
    together : the class's part in it, on phones, if there is one.
    see : the lessons that say more about its subject; links to them are at its end.
    steps : its screens, in their order.
    brought : by step the title of its fold for people's own data or questions; under "" that of all other steps.
    opens : the step of an address that names none; "" for the first.
    formerly : parameters of older addresses in place of the step: by name and by value, the step that it is now.
    moved : parameters that were once its own, and by name the lesson that has them now: their links lead there.
    """

    stem: str
    question: str
    answer: str
    icon: str
    section: str
    shared: tuple[str, ...]
    controls: Mapping[str, Control]
    sources: tuple[str, ...]
    tries: tuple[Try, ...] = ()
    pictures: tuple[str, ...] = ()
    assumed: str = ""
    myths: tuple[tuple[str, str], ...] = ()
    terms: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    unseen: Mapping[str, Answer | Control] = field(default_factory=dict)
    bets: tuple[Bet, ...] = ()
    each: str = ""
    together: Together | None = None
    see: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    brought: Mapping[str, str] = field(default_factory=dict)
    opens: str = ""
    formerly: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    moved: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, each in (_of_steps(self) if self.steps else {}).items():
            object.__setattr__(self, name, each)
        for name in ("controls", "unseen"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def step(self, name: str) -> Step:
        """Return the step of this name; in a lesson without steps its one screen, for any name."""
        return next((each for each in self.steps if each.name == name), self._whole)

    def fold(self, step: str) -> str:
        """Return the title of the fold at a step for what people bring to it; "" where there is none."""
        return self.brought.get(step, self.brought.get("", ""))

    @cached_property
    def _whole(self) -> Step:
        key = self.pictures[0] if self.pictures else ""
        return Step("", self.answer, key, slider="")

    @property
    def followed(self) -> tuple[str, ...]:
        """The controls that its pictures follow while their sliders move."""
        return tuple(dict.fromkeys(name for each in self.steps or (self._whole,) for name in each.followed))

    @property
    def own_sliders(self) -> tuple[str, ...]:
        """Its own controls that are no Streamlit widgets: its sliders and its step."""
        own = tuple(name for name in self.followed if name in self.controls)
        return (*own, STEP) if self.steps else own

    @property
    def unbound(self) -> tuple[str, ...]:
        """Its own controls that the page writes into the address: its sliders, and those beside the sliders of a step.

        Streamlit unbinds a widget from the address when another step draws it in another place.
        """
        in_sight = (name for each in self.steps for name in each.in_sight if name in self.controls)
        return tuple(dict.fromkeys((*self.own_sliders, *in_sight)))

    @property
    def bet(self) -> Bet | None:
        """The first of its bets, which is the one that a class is asked; None if it has none."""
        return self.bets[0] if self.bets else None

    @cached_property
    def linked(self) -> dict[str, Control | Linked]:
        """The parameters without a widget, by name: the answers to bets, the reveal of the truth, and `unseen`."""
        own: dict[str, Control | Linked] = {**self.unseen, **self.of_class}
        if self.bet or self.together:
            own[REVEAL] = Choice("The truth", "0", ("0", "1"))
        if self.bet:
            own |= {GUESS: Answer(between(self.bet.answer)), GUESSED_AT: Settings("Settings of the bet")}
        return own

    @cached_property
    def of_class(self) -> dict[str, Control | Linked]:
        """The parameters of the address of a class's result, and of a link to it."""
        bets: dict[str, Control | Linked] = {}
        if self.bet:
            answers = Answers(between(self.bet.answer), MOST_PHONES)
            bets = {CLASS: answers, FIRST: answers}
        return bets | self.phones

    @cached_property
    def phones(self) -> dict[str, Control | Linked]:
        """The controls that count the phones behind its main picture, and the votes for each option."""
        if not self.together:
            return {}
        many: dict[str, Control | Linked] = {PHONES: Number("Phones of a class", NO_CLASS, NO_CLASS, MOST_PHONES, ())}
        options = tuple(f"{each:g}" for each in self.together.options)
        votes = Answers(Choice("Votes", "", options), MOST_PHONES)
        return many | ({VOTES: votes, FIRST: votes} if options else {})


def _of_steps(lesson):
    """Return what a lesson takes from its steps: their pictures, tries and bet, and the control that names one."""
    names = tuple(each.name for each in lesson.steps)
    opens = lesson.opens or names[0]
    tries = [replace(one, settings={**one.settings, STEP: each.name}) for each in lesson.steps for one in each.tries]
    bets = tuple(
        replace(each.bet, when=(STEP, each.name), earlier=each.bet.earlier or names[:i])
        for i, each in enumerate(lesson.steps)
        if each.bet
    )
    return {
        "controls": {STEP: Choice("Step", opens, names), **lesson.controls},
        "pictures": tuple(each.picture for each in lesson.steps),
        "tries": (*lesson.tries, *tries),
        "bets": bets,
        "opens": opens,
    }
