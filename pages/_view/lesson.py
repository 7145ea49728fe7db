"""The declaration of a lesson: everything that the frame, the controls and the tests need to know about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from pages._view.kinds import Answer, Answers, Choice, Control, Drawing, Linked, Number, Settings, between

# Parameters of an address: a learner's answer and the settings at that time; the reveal of the truth; a class's
# answers; the number of phones that took part, and their votes for a setting; answers or votes before a second vote.
GUESS, GUESSED_AT, REVEAL, CLASS, PHONES, VOTES = "guess", "guessed_at", "reveal", "class", "phones", "votes"
FIRST = "first"
ANSWERS = (GUESS, GUESSED_AT, REVEAL, CLASS, FIRST)
MOST_PHONES, NO_CLASS = 100, -1  # NO_CLASS: value of PHONES without a class; 0 is a class that has not begun
STEP = "step"  # in an address: the name of a lesson's step
TRAINED = "trained_steps"  # in an address: the training step that is shown


@dataclass(frozen=True)
class Try:
    """A button that sets the controls so that its promise comes true.

    key names its test in tests/pages/test_X.py.
    """

    key: str
    promise: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Place:
    """The axes of the main picture on which bets are drawn.

    along: the linear axis of the numbers, such as "y" or "x2"; across: the other axis of that panel; unit: axis units
    per unit of the answer; keeps: the x and y axes of the panel that stays on a wall beside a class's bets, if it is
    another panel.
    """

    along: str
    across: str
    unit: float = 1.0
    keeps: tuple[str, str] | None = None


@dataclass(frozen=True)
class Bet:
    """A question about what the main picture will show.

    The lesson's bet.py defines outcome(values) and before(values, profile). The latter draws the picture that is shown
    until the bet is placed: enough to choose an answer, but nothing that shows the truth.

    Attributes
    ----------
    question : the text; may contain values of controls in braces: {d_k}.
    answer : a number, a choice of three, or a curve to draw on the picture. Its default does not count as an answer.
    near : largest error of a right answer; up to three times this error is close. For a curve, a share of
        its last true height.
    suffix : the unit behind a number, such as " %".
    place : the axes of a number or a curve on the picture.
    when : a control and the option at which the bet's picture is drawn; the control is visible while the bet is open.
    usual : controls that keep their defaults while the bet is open.
    earlier : other options of that control that may be opened before the bet is placed, because their pictures do not
        show the truth; for a step's bet by default all earlier steps.
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

    The lesson's part.py defines part(number, values): what a phone sees of its part. The main picture shows the parts
    of all phones unless values["phones"] is NO_CLASS.

    Attributes
    ----------
    asks : the task in one sentence, on the phones and on the wall.
    button : the label of a phone's button.
    chooses : a control on whose value the class votes instead of betting; "" if each phone draws.
    options : the values to vote for.
    meanwhile : settings during the vote, so that the picture does not give the answer away; defaults after it.
    pinned : settings of each phone's draws, at the step of the bet. That step has no slider: moving one would change
        nothing, for the draws keep their settings.
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
    name : the name in an address, as step=name.
    line : the thing to do here, or the claim, in one line.
    picture : the key of the picture.
    slider : the number on the large slider: d_k or one of the lesson's own; "" for none.
    dials : other numbers on sliders that the picture follows, at most two.
    placed : dials that the page draws elsewhere than beside the large slider.
    in_sight : the lesson's controls beside the sliders, at most two; at most four without a slider.
    pinned : settings fixed on this step, whatever the address says; they have no slider.
    bet : the bet that may be placed before the picture is shown, if any.
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
        """The controls that the picture follows while their sliders move."""
        return (*((self.slider,) if self.slider else ()), *self.dials, *self.placed)


@dataclass(frozen=True)
class Lesson:
    """One lesson, declared once.

    A lesson with steps takes its pictures, its tries and its bet from them, and has a control for the step. A lesson
    without steps is one screen with all its pictures, one below the other.

    Attributes
    ----------
    stem : the file name of its page without .py, also its path in the address.
    question, answer : the first two things on the page.
    icon, section : its place in the menu.
    shared : names of the shared controls that it uses, see `shared.SHARED`.
    controls : its own controls by name, which is both key of the widget and parameter of the address.
    tries : its tries.
    pictures : the keys of its pictures, in the order of the page.
    assumed : its assumptions and computations, in Markdown.
    myths : common mistakes, each with the fact, in Markdown.
    sources : its sources, in Markdown.
    terms : words of the answer that `glossary.TERMS` explains.
    settings : names of its controls in the Settings drawer.
    unseen : parameters without a widget, besides the answers to bets.
    bets : the bets of its steps, in their order.
    each : the label of an option of Share, by which each visitor gets another draw; "" for none.
    together : the task of a class on phones, if any.
    see : stems of related lessons, linked at its end.
    steps : its screens, in their order.
    brought : by step, the title of the fold for people's own data or questions; under "", the title on all other steps.
    opens : the step of an address without one; "" for the first.
    formerly : parameters that named a step in older addresses: by name and value, the step of today.
    moved : parameters that it once had: by name, the lesson that has them now; links with them are redirected there.
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
        """Return the step with this name; in a lesson without steps, its only screen, for any name."""
        return next((each for each in self.steps if each.name == name), self._whole)

    def fold(self, step: str) -> str:
        """Return the title of a step's fold for people's own data or questions; "" for none."""
        return self.brought.get(step, self.brought.get("", ""))

    @cached_property
    def _whole(self) -> Step:
        key = self.pictures[0] if self.pictures else ""
        return Step("", self.answer, key, slider="")

    @property
    def followed(self) -> tuple[str, ...]:
        """The controls that the pictures follow while their sliders move."""
        return tuple(dict.fromkeys(name for each in self.steps or (self._whole,) for name in each.followed))

    @property
    def own_sliders(self) -> tuple[str, ...]:
        """The lesson's own controls that are no Streamlit widgets: its sliders and its step."""
        own = tuple(name for name in self.followed if name in self.controls)
        return (*own, STEP) if self.steps else own

    @property
    def unbound(self) -> tuple[str, ...]:
        """The lesson's own controls that the page itself writes into the address: sliders, and controls beside them.

        Streamlit unbinds a widget from the address when another step draws it in another place.
        """
        in_sight = (name for each in self.steps for name in each.in_sight if name in self.controls)
        return tuple(dict.fromkeys((*self.own_sliders, *in_sight)))

    @property
    def bet(self) -> Bet | None:
        """The lesson's first bet, the only one that a class is asked; None if it has none."""
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
        """The parameters for the result of a class, in its address and in a link to it."""
        bets: dict[str, Control | Linked] = {}
        if self.bet:
            answers = Answers(between(self.bet.answer), MOST_PHONES)
            bets = {CLASS: answers, FIRST: answers}
        return bets | self.phones

    @cached_property
    def phones(self) -> dict[str, Control | Linked]:
        """The parameters for the number of phones behind the main picture, and for the votes on each option."""
        if not self.together:
            return {}
        many: dict[str, Control | Linked] = {PHONES: Number("Phones of a class", NO_CLASS, NO_CLASS, MOST_PHONES, ())}
        options = tuple(f"{each:g}" for each in self.together.options)
        votes = Answers(Choice("Votes", "", options), MOST_PHONES)
        return many | ({VOTES: votes, FIRST: votes} if options else {})


def _of_steps(lesson):
    """Return a lesson's attributes that come from its steps: pictures, tries, bets, and the control of the step."""
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
