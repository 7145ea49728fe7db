"""Every shared widget: its name is its key, its URL parameter and the field's term.

Bounds and defaults live in this table only. A link is checked against it before
any widget is drawn: a number outside its bounds goes to the nearest bound, anything
unreadable to the default, and the visitor is told in one line.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import streamlit as st

from pages._view.literal import plain
from sattn_core import COMPONENT_LAWS
from sattn_core.initialisation import INIT_SCHEMES
from sattn_core.lessons.scaling_rules import BUGS
from sattn_core.lessons.small_samples import DEFAULT_SIZES, MOST_DRAWS
from sattn_core.lessons.your_scores import SAMPLES
from sattn_core.scaling_rules import SCALING_RULES
from sattn_core.typed import parse_number

LONGEST_LINK_VALUE = 2000
LONGEST_LINK_MATRICES = 1000  # characters of all matrices together


@dataclass(frozen=True)
class Number:
    """A number on a slider of stops; a linked or typed value between two stops joins them."""

    label: str
    default: float
    low: float
    high: float
    stops: tuple
    whole: bool = True
    help: str | None = None
    shown: Callable = str
    typed: bool = False

    def read(self, text):
        """The value that text stands for, and what had to be changed, or None."""
        try:
            value = parse_number(text)
        except ValueError:
            return self.default, f"is not a number; {self.shown(self.default)} is used"
        nearest = min(max(value, self.low), self.high)
        if nearest != value:
            kept = self._plain(nearest)
            low, high, used = self.shown(self.low), self.shown(self.high), self.shown(kept)
            return kept, f"must be between {low} and {high}; {used} is used"
        if self.whole and not value.is_integer():
            kept = round(value)
            return kept, f"must be a whole number; {kept} is used"
        return self._plain(value), None

    def write(self, value):
        return self.shown(value)

    def _plain(self, value):
        return int(value) if self.whole else float(value)


@dataclass(frozen=True)
class Choice:
    """One of a few named options."""

    label: str
    default: str
    options: tuple
    help: str | None = None
    bar: bool = False

    def read(self, text):
        if text in self.options:
            return text, None
        return self.default, f"must be one of {', '.join(self.options)}; {self.default} is used"

    def write(self, value):
        return value


@dataclass(frozen=True)
class Text:
    """A typed text; whether it can be read is the lesson's affair."""

    label: str
    default: str
    help: str | None = None
    lines: int = 1

    def read(self, text):
        if len(text) > LONGEST_LINK_VALUE:
            return self.default, f"is longer than {LONGEST_LINK_VALUE:,} characters; the default is used"
        return text, None

    def write(self, value):
        return value


def _plain_fraction(value):
    """1/64 … 1/2, 1, 2 … 64, and decimals for what lies between."""
    exact = Fraction(value).limit_denominator(64)
    if exact.numerator == 1 and exact == Fraction(value):
        return str(exact)
    return f"{float(value):g}"


def _decimal(value):
    return f"{float(value):g}"


_DIMENSIONS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 36, 40, 48, 56, 64, 72, 80, 88, 96,
               100, 111, 120, 128, 144, 160, 176, 192, 224, 256, 288, 320, 352, 384, 448, 512, 576, 640, 704, 768,
               896, 1024)  # fmt: skip
_POWERS = tuple(2**j for j in range(1, 10))
_RATES = (*(float(f"{m}e{e}") for e in range(-5, 2) for m in (1, 3)), 100.0)
_STEPS = (10, 20, 50, 100, 200, 300, 400, 500, 1_000, 2_000, 3_000)
_SAMPLES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
_VARIANCES = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 8.0, 16.0)
_FREEDOMS = (1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.5, 3.0, 4.0, 4.5, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0)
CONTROLS = {
    "d_k": Number("Dimension d_k", 64, 1, 1024, _DIMENSIONS, help="Length of each query and key vector."),
    "n_keys": Number("Keys n_keys", 16, 2, 512, _POWERS, help="How many keys one query attends to."),
    "law": Choice(
        "Component law",
        "normal",
        tuple(COMPONENT_LAWS),
        help="Law of each component of q and k. Every one has mean 0 and variance 1; student_t has 5 degrees "
        "of freedom, rademacher is ±1, sparse is zero nine times in ten.",
    ),
    "seed": Number(
        "Seed", 0, 0, 9999, (0,), help="A whole number, 0 to 9,999: another seed is another random draw.", typed=True
    ),
    "mode": Choice("Display", "screen", ("screen", "projector"), bar=True),
    "n_samples": Number(
        "Pairs n_samples", 50_000, 1_000, 1_000_000, _SAMPLES, help="Independent pairs (q, k) drawn, for pairs."
    ),
    "mean_q": Number("Mean of q", 0, -2, 2, tuple(j / 4 for j in range(-8, 9)), whole=False, shown=_decimal),
    "mean_k": Number("Mean of k", 0, -2, 2, tuple(j / 4 for j in range(-8, 9)), whole=False, shown=_decimal),
    "correlation": Number(
        "Correlation of q with k", 0, -1, 1, tuple(j / 10 for j in range(-10, 11)), whole=False, shown=_decimal
    ),
    "sampling": Choice(
        "Scores from",
        "pairs",
        ("pairs", "matrix"),
        help="pairs: every score has its own q and k. matrix: all entries of one Q Kᵀ, which share rows.",
        bar=True,
    ),
    "n_queries": Number("Rows n_queries", 64, 2, 512, _POWERS, help="Queries of the one Q Kᵀ, for matrix."),
    "axis": Choice("Score axis", "shared", ("shared", "own"), bar=True),
    "multiplier": Number(
        "Multiplier", 1, Fraction(1, 64), 64, tuple(2.0**j for j in range(-6, 7)), whole=False, shown=_plain_fraction
    ),
    "shift": Number("Shift", 0, -100, 100, tuple(range(-100, 101, 10)), whole=False, shown=_decimal),
    "step": Choice("Step", "matmul", ("matmul", "scale", "mask", "softmax", "output"), bar=True),
    "preset": Choice(
        "Matrices",
        "notes",
        ("notes", "random", "causal", "padding", "fully_masked", "same_input"),
        help="notes: the three vectors of the example by hand. random, causal, padding and fully_masked: random "
        "Q, K, V at the chosen d_k, with that mask. same_input: Q = K = V = X, no way to show the rule.",
    ),
    "without_scale": Choice("Without the scale", "hide", ("hide", "show"), bar=True),
    "query": Number("Query, row", 1, 1, 16, (1,), help="The row whose numbers are written out.", typed=True),
    "key": Number("Key, column", 1, 1, 16, (1,), help="The key whose score is written out.", typed=True),
    "column": Number("Output column", 1, 1, 64, (1,), help="The column of V and of the output.", typed=True),
    "Q": Text("Q, one query a line", "", lines=4),
    "K": Text("K, one key a line", "", lines=4),
    "V": Text("V, one value a line", "", lines=4),
    "mask": Text("Mask: 1 may attend, 0 not", "", lines=4),
    "A": Text("A, one row a line", "1, 2\n3, 4", lines=3),
    "B": Text("B, one row a line", "5, 6\n7, 8", lines=3),
    "gradient": Choice(
        "Gradient of",
        "V",
        ("V", "P", "S", "Q", "K", "scale", "W_Q", "W_K", "W_V", "X"),
        help="The arrays in the order in which their gradients come back; scale is the c of c Q Kᵀ.",
    ),
    "exponent": Number(
        "Exponent of the scale",
        0.5,
        0,
        1,
        (0, 0.5, 1),
        whole=False,
        shown=_decimal,
        help="Scale = 1/d_k^exponent: 0 leaves it out, 0.5 is 1/√d_k, 1 is 1/d_k.",
    ),
    "masking": Choice(
        "Mask",
        "none",
        ("none", "causal", "fully_masked"),
        help="causal: a token sees itself and those before it. fully_masked: only those before it, so the first none.",
    ),
    "weight": Choice("Weight to move", "W_Q", ("W_Q", "W_K", "W_V", "X"), bar=True),
    "list_1": Text("First list", "4, 5"),
    "list_2": Text("Second list", "1, 10"),
    "list_3": Text("Third list (optional)", ""),
    "list_4": Text("Fourth list (optional)", ""),
    "place": Choice(
        "Gradient at",
        "raw_scores",
        ("scores", "raw_scores", "q"),
        help="scores: what softmax passes on, the trace of its Jacobian. raw_scores: the same times the scale. "
        "q: the length of ∂L/∂q for a random gradient of the weights.",
        bar=True,
    ),
    "jacobian": Choice("Jacobian of", "row", ("row", "4, 5", "1, 10"), help="row: one of the drawn rows.", bar=True),
    "row": Number("Row", 1, 1, 20, tuple(range(1, 21)), help="The first 20 of the drawn rows."),
    "alpha": Number(
        "Exponent α, scale d_k^−α",
        0.25,
        0,
        1,
        tuple(j / 20 for j in range(21)),
        whole=False,
        shown=_decimal,
        help="0 leaves the scale out, 0.5 divides by √d_k, 1 by d_k.",
    ),
    "rule": Choice(
        "Rule",
        "ssmax",
        ("ssmax", *(name for name in SCALING_RULES if name != "ssmax")),
        help="Its card further down says more.",
    ),
    "pairs": Choice(
        "Queries and keys",
        "independent",
        ("independent", "aligned"),
        help="independent: as at the start of training. aligned: query i and key i have correlation 0.5.",
        bar=True,
    ),
    "bug": Choice("Bug", "d_model", tuple(BUGS)),
    "sample": Choice("Sample", "ideal", tuple(SAMPLES), help="Shown while no file of your own is loaded."),
    "head": Number("Head to draw", 1, 1, 64, (1,), help="The last one, if there are fewer.", typed=True),
    "optimizer": Choice(
        "Optimizer", "sgd", ("sgd", "adam"), help="sgd: plain gradient descent over the whole set.", bar=True
    ),
    "rates": Choice(
        "Learning rates",
        "fixed",
        ("fixed", "best"),
        help="fixed: the same for every scale. best: a sweep finds the best one for each scale first.",
        bar=True,
    ),
    "learning_rate": Number(
        "Learning rate", 1, 1e-5, 100, _RATES, whole=False, shown=_decimal, help="Of every scale, when fixed."
    ),
    "loss": Choice(
        "Loss on",
        "output",
        ("output", "weights"),
        help="output: ½ |output − value|², behind the softmax. weights: −ln of the weight on the right key.",
        bar=True,
    ),
    "data": Choice(
        "Data",
        "fixed",
        ("fixed", "fresh"),
        help="fixed: one set of keys and queries. fresh: new keys at every step, each query a copy of its key.",
        bar=True,
    ),
    "values": Choice("Values V", "fixed", ("fixed", "trained"), bar=True),
    "start": Choice(
        "Same at the start",
        "weights",
        ("weights", "scores"),
        help="weights: every scale starts from the same W_Q and W_K. scores: these are made larger or smaller until "
        "every scale starts from the same scores as 1/√d_k.",
        bar=True,
    ),
    "n_pairs": Number("Pairs to remember", 32, 2, 64, (2, 4, 8, 16, 32, 64), help="Keys, and as many queries."),
    "n_steps": Number("Steps n_steps", 300, 10, 3_000, _STEPS),
    "n_seeds": Number("Seeds side by side", 5, 1, 8, tuple(range(1, 9)), help="Each is another start and data set."),
    "own_exponent": Number(
        "One more exponent",
        0.5,
        0,
        1,
        tuple(j / 20 for j in range(21)),
        whole=False,
        shown=_decimal,
        help="A fourth run with the scale d_k^−exponent, if it is none of 0, 0.5 and 1.",
    ),
    "broken": Choice(
        "Break one assumption",
        "nothing",
        ("nothing", "means", "variances", "alignment", "coordinates", "tails"),
        help="means: not 0. variances: not 1. alignment: q_i correlated with k_i. coordinates: correlated with each "
        "other. tails: Student t components.",
        bar=True,
    ),
    "mu_q": Number("Mean of q_i", 1, -4, 4, tuple(j / 4 for j in range(-16, 17)), whole=False, shown=_decimal),
    "mu_k": Number("Mean of k_i", 1, -4, 4, tuple(j / 4 for j in range(-16, 17)), whole=False, shown=_decimal),
    "var_q": Number("Variance of q_i", 2, 0.25, 16, _VARIANCES, whole=False, shown=_decimal),
    "var_k": Number("Variance of k_i", 2, 0.25, 16, _VARIANCES, whole=False, shown=_decimal),
    "rho": Number("ρ of q_i with k_i", 0.5, -1, 1, tuple(j / 20 for j in range(-20, 21)), whole=False, shown=_decimal),
    "r": Number("r between coordinates", 0.3, 0, 1, tuple(j / 20 for j in range(21)), whole=False, shown=_decimal),
    "nu": Number("Degrees of freedom ν", 1.5, 1.5, 30, _FREEDOMS, whole=False, shown=_decimal),
    "scheme": Choice("Weights drawn by", "torch_multihead_attention", INIT_SCHEMES, help="For W_Q and for W_K."),
    "n_heads": Number("Heads", 8, 1, 64, (1, 2, 4, 8, 12, 16, 32, 64), help="d_model = heads × d_k, 2 to 2,048."),
    "normalise": Choice("LayerNorm", "on", ("on", "off"), bar=True),
    "x_mean": Number("Mean of x", 0, -10, 10, tuple(range(-10, 11)), whole=False, shown=_decimal),
    "x_std": Number(
        "σ of x", 1, 0.1, 100, (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 7.0, 10.0, 30.0, 100.0), whole=False, shown=_decimal
    ),
    "bias": Choice(
        "Default bias",
        "off",
        ("off", "on"),
        help="Only torch_linear has one that is not 0 at the start. It counts as one more component of x, so it hardly "
        "moves anything unless d_model is small.",
        bar=True,
    ),
    "size": Number("Size of the score matrix", 2, 2, 64, DEFAULT_SIZES, help="The product is size × size."),
    "inner": Choice(
        "Inner dimension",
        "size",
        ("size", "d_k"),
        help="size: two square matrices, as in the question. d_k: size × d_k times d_k × size.",
        bar=True,
    ),
    "ddof": Choice("ddof", "0", ("0", "1"), help="0: NumPy's variance divides by N. 1: by N − 1.", bar=True),
    "n_draws": Number("Draws n_draws", 200, 1, MOST_DRAWS, (200,), typed=True),
    "q_2d": Text("q, one vector a line", "1, 2\n1, 4\n8, 9", lines=3),
    "k_2d": Text("k, one vector a line", "2, 3\n5, 6\n10, 2", lines=3),
    "q_3d": Text("q, one vector a line", "1, 2, 3\n3, 4, 5\n10, 9, 11", lines=3),
    "k_3d": Text("k, one vector a line", "3, 2, 1\n6, 7, 8\n8, 7, 6", lines=3),
}

# How strongly an assumption of the derivation is broken: control and field of the lesson's parameters.
BROKEN = {
    "nothing": {},
    "means": {"mu_q": "mean_q", "mu_k": "mean_k"},
    "variances": {"var_q": "variance_q", "var_k": "variance_k"},
    "alignment": {"rho": "correlation"},
    "coordinates": {"r": "coordinate_correlation"},
    "tails": {"nu": "nu"},
}


def repair_link():
    """Bring the parameters of a fresh link inside their bounds; True if any had to change.

    The sentences that say what changed wait in the session for `link_notes`.
    """
    notes, clean = [], {}
    for name in st.query_params:
        given = st.query_params.get_all(name)
        control = CONTROLS.get(name)
        if control is None:
            notes.append(f"“{_short(name)}” is not a setting of this dashboard and was ignored")
            continue
        value, problem = control.read(given[-1])
        if problem:
            notes.append(f"{name} {problem} (the link says “{_short(given[-1])}”)")
        elif len(given) > 1:
            notes.append(f"{name} is given {len(given)} times; the last, {_short(control.write(value))}, is used")
        clean[name] = control.write(value)
    changed = clean != st.query_params.to_dict() or bool(notes)
    if changed:
        st.session_state["link_notes"] = notes
        st.query_params.from_dict(clean)
    return changed


def show_link_notes():
    """One line for what `repair_link` had to change, while the first page stays open."""
    notes = st.session_state.get("link_notes")
    if notes:
        st.info(plain(f"This link was adjusted: {'; '.join(notes)}."), icon=":material/link:")


def draw(name, **options):
    """Draw the widget of a control and return its value."""
    st.session_state.get("placed", {}).pop(name, None)
    control = CONTROLS[name]
    if isinstance(control, Choice):
        return _draw_choice(name, control, **options)
    if isinstance(control, Text):
        return _draw_text(name, control, **options)
    return _draw_number(name, control, **options)


def show(name, value, **options):
    """A control's field with a number that moves by itself; nothing can be typed into it.

    The bound field is away meanwhile, so that the browser has no older number of it to send with its runs.
    """
    st.number_input(CONTROLS[name].label, value=value, disabled=True, **options)


def draw_components(*, correlated):
    """Means of q and k and their correlation; a correlation pairs q with k, so a matrix has none."""
    means = {name: draw(name) for name in ("mean_q", "mean_k")}
    correlation = draw("correlation")
    if not correlated:
        st.markdown("The correlation pairs each q with its own k: it counts for pairs, not for a matrix.")
    return means | {"correlation": correlation if correlated else 0.0}


def draw_broken(**options):
    """The one assumption that is broken and how strongly, as fields of the derivation's parameters."""
    strengths = BROKEN[draw("broken")]
    return {field: draw(name, **options) for name, field in strengths.items()}


def value_of(name):
    """The current value of a control, also before it is first drawn: then the link's, or its default."""
    if name in st.session_state:
        return st.session_state[name]
    return linked_value(name)


def linked_value(name):
    """The value that the address gives a control, or its default."""
    control = CONTROLS[name]
    return control.read(st.query_params[name])[0] if name in st.query_params else control.default


def stops_of(name):
    """The stops of a slider: its own, and every value that a link or a typed number put between them."""
    visited = st.session_state.setdefault("visited_stops", {}).setdefault(name, set())
    visited.update({linked_value(name), value_of(name)})
    return tuple(sorted({*CONTROLS[name].stops, *visited}))


def place(name, value):
    """Put a control on a value, clamped to its bounds: what a component or a typed number asks for."""
    control = CONTROLS[name]
    kept, _ = control.read(str(value))
    st.session_state.setdefault("visited_stops", {}).setdefault(name, set()).add(kept)
    st.session_state.setdefault("placed", {})[name] = kept
    st.session_state[name] = kept


def next_seed():
    """Another random draw; after the last seed comes the first."""
    place("seed", (value_of("seed") + 1) % (CONTROLS["seed"].high + 1))


def turn(name, steps):
    """Move a choice by some of its options, no further than its ends."""
    options = CONTROLS[name].options
    place_now = options.index(value_of(name))
    st.session_state[name] = options[min(max(place_now + steps, 0), len(options) - 1)]


def fill(texts):
    """Write texts into their fields."""
    for name, text in texts.items():
        st.session_state[name] = text


def draw_matrices(names, placeholders):
    """Fields for matrices side by side; the link carries them while they are small together.

    Returns the texts, and whether the link carries them.
    """
    texts = {name: value_of(name) for name in names}
    linked = sum(map(len, texts.values())) <= LONGEST_LINK_MATRICES
    if linked and not st.session_state.get("matrices_linked", True):
        # A field that was not bound has left the address; binding it again does not write it there.
        st.query_params.update({name: text for name, text in texts.items() if text})
    st.session_state["matrices_linked"] = linked
    for column, name in zip(st.columns(len(names)), names, strict=True):
        with column:
            texts[name] = draw(name, bound=linked, placeholder=placeholders.get(name))
    return texts, linked


def apply(settings):
    """Put several controls of the page on their values at once, those too that are not drawn yet."""
    for name, value in settings.items():
        if name not in st.session_state:
            st.query_params[name] = CONTROLS[name].write(value)  # what the link says would outdo what is placed
        place(name, value)
    st.rerun()


def follow_address(name):
    """Put a control where the address says, or where Python has placed it and the address does not say so yet."""
    wanted = st.session_state.get("placed", {}).get(name, linked_value(name))
    if value_of(name) != wanted:
        place(name, wanted)


def draw_typed(name):
    """A field beside a slider: any allowed value, typed. It moves the slider, so it needs no place in the address.

    When something else moves the slider the field is a new one: the number that the browser
    still holds for the old one would otherwise count as typed and move the slider back.
    """
    control, field = CONTROLS[name], f"{name}_typed"
    here = value_of(name)
    version, shown = st.session_state.get(field, (0, here))
    version += shown != here
    st.session_state[field] = (version, here)
    key = f"{field}_{version}"
    st.number_input(
        f"{control.label}, typed",
        control.low,
        control.high,
        here,
        key=key,
        on_change=_place_typed,
        args=(name, field, version),
    )


def _place_typed(name, field, version):
    if st.session_state[field][0] != version:
        return
    place(name, st.session_state[f"{field}_{version}"])
    st.session_state[field] = (version, value_of(name))
    st.rerun()


def _draw_number(name, control, **options):
    if control.typed:
        return st.number_input(
            control.label,
            control.low,
            control.high,
            control.default,
            key=name,
            bind="query-params",
            help=control.help,
            **options,
        )
    return st.select_slider(
        control.label,
        stops_of(name),
        value=control.default,
        format_func=control.shown,
        key=name,
        bind="query-params",
        help=control.help,
        **options,
    )


def _draw_choice(name, control, **options):
    widget = st.segmented_control if control.bar else st.selectbox
    first = control.options.index(control.default)
    default = {"default": control.default, "required": True} if control.bar else {"index": first}
    return widget(
        control.label,
        control.options,
        key=name,
        bind="query-params",
        help=control.help,
        **default,
        **options,
    )


def _draw_text(name, control, bound=True, **options):
    widget = st.text_input if control.lines == 1 else st.text_area
    bind = "query-params" if bound else None
    return widget(control.label, control.default, key=name, bind=bind, help=control.help, **options)


def _short(text):
    text = "".join(c for c in text if c.isprintable())
    return text if len(text) <= 24 else text[:24] + "…"
