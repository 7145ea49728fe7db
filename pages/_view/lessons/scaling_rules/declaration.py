"""The declaration of the scaling_rules lesson."""

from pages._view.kinds import Choice, Number, decimal
from pages._view.lesson import Bet, Lesson, Step, Try
from pages._view.literal import written
from sattn_core.layers.rules import SCALING_RULES
from sattn_core.lessons.scaling_rules import BUGS

# Names of parts of the lesson in old addresses -> the steps that replaced these parts.
_PARTS = {"exponents": "exponents", "rules": "rules", "museum": "museum"}
_PARTS |= {"Exponents": "exponents", "Other rules": "rules", "Bug museum": "museum"}

_ANSWERS = "Short answers: masks, positions, shared keys, norms"

LESSON = Lesson(
    stem="scaling_rules",
    question="Why √, and what else do people divide by?",
    answer="Among powers of $d_k$, only $\\sqrt{d_k}$ keeps the *variance* of scores the same, and only $d_k$ the "
    "*mean* of aligned ones. The other rules solve other problems.",
    icon=":material/rule:",
    section="Go deeper",
    shared=("d_k", "n_keys", "seed"),
    controls={
        "exponent": Number(
            "Divide by dₖ to the power",
            0.25,
            0,
            1,
            tuple(j / 20 for j in range(21)),
            whole=False,
            shown=decimal,
            letter="α",
        ),
        "correlation": Number(
            "Correlation ρ",
            0.5,
            -1,
            1,
            tuple(j / 20 for j in range(-20, 21)),
            whole=False,
            shown=decimal,
        ),
        "rule": Choice(
            "Rule",
            "ssmax",
            ("ssmax", *(name for name in SCALING_RULES if name != "ssmax")),
            help="Its card, in the fold below, says more.",
            shown={name: written(rule.title) for name, rule in SCALING_RULES.items()},
        ),
        "pairs": Choice(
            "Queries and keys",
            "independent",
            ("independent", "aligned"),
            help="independent: as at the start of training. aligned: query i and key i have correlation 0.5.",
            bar=True,
        ),
        "bug": Choice(
            "Bug",
            "d_model",
            tuple(BUGS),
            shown={name: written(bug.title) for name, bug in BUGS.items()},
        ),
    },
    terms=("variance", "score"),
    formerly={"part": _PARTS},
    steps=(
        Step(
            "exponents",
            "Drag the power of dₖ: at which one is the variance the same at every dₖ?",
            "exponents",
            dials=("exponent", "correlation"),
            bet=Bet(
                "Which exponent keeps the variance flat as dₖ grows: 0, ½ or 1?",
                Choice("The exponent", "0.5", ("0", "0.5", "1"), shown={"0.5": "½"}),
            ),
            tries=(
                Try(
                    "half_keeps_the_variance",
                    "ρ = 0 and α = ½: the variance of the scores stays near 1 from dₖ = 1 to 1,024",
                    {"exponent": 0.5, "correlation": 0.0, "seed": 0},
                ),
            ),
        ),
        Step(
            "means",
            "Of these powers, only ÷ dₖ keeps the mean of correlated pairs the same.",
            "exponent_means",
            slider="exponent",
            dials=("correlation",),
            tries=(
                Try(
                    "one_keeps_the_mean",
                    "ρ = 1 and α = 1: the mean stays near 1 while α = ½ lets it grow to about 32",
                    {"exponent": 1.0, "correlation": 1.0, "seed": 0},
                ),
            ),
        ),
        Step(
            "rules",
            "Choose another rule: how many keys does it leave in use?",
            "rules",
            in_sight=("rule", "pairs"),
            tries=(
                Try(
                    "aligned_pairs",
                    "Aligned pairs at dₖ = 1,024: 1/√dₖ leaves 1 key of 64 in use, muP nearly all",
                    {"rule": "mup", "pairs": "aligned", "d_k": 1024, "n_keys": 64, "seed": 0},
                ),
            ),
        ),
        Step(
            "query",
            "Follow one query through the chosen rule, from raw scores to weights.",
            "rule_scores",
            in_sight=("rule", "pairs"),
        ),
        Step(
            "entropy",
            "Follow the entropy of the chosen rule: as dₖ grows, and as keys are added.",
            "rule_curves",
            slider="",
            in_sight=("rule", "pairs"),
        ),
        Step(
            "museum",
            "Choose a bug from public code, and compare its weights with the right ones.",
            "bug_weights",
            slider="",
            in_sight=("bug",),
            tries=(
                Try(
                    "fused_matrix",
                    "Xavier on a fused QKV matrix: the same keys stand out, yet the output is off by more than half",
                    {"bug": "fused_qkv", "seed": 0},
                ),
            ),
        ),
    ),
    brought={
        "exponents": _ANSWERS,
        "means": _ANSWERS,
        "museum": "Where the bug was seen",
        "": "The rules, card by card",
    },
    assumed="All rules get the same raw scores. Learned parameters stand at a starting or published value, so a flat "
    "row need not stay flat after training. muP has $\\alpha=1$ here, Swin v2 $\\tau=0.1$ without bias, and "
    "σReparam $\\gamma=1$ with random square matrices.\n\n"
    "Bugs start from layer-normalised input and square Xavier weights. Bars are ± 1 standard error.",
    myths=(
        (
            "Dividing by $d_k$ is wrong.",
            "It is right for aligned pairs.",
        ),
        (
            "One must divide.",
            "T5 has the factor in its initial weights.",
        ),
        (
            "The constant is sacred.",
            "Gemma 2 27B divides by $\\sqrt{144}$ with heads of 128.",
        ),
        (
            "A wrong constant shows at once.",
            "Training can make up for it. Correcting it then breaks the model.",
        ),
    ),
    sources=(
        "Each card names its source. The formulas of SSMax, QK-Clip and adaptive temperature were read in public "
        "descriptions and implementations of those papers.",
        "Yang et al. (2022), arXiv:2203.03466, for $1/d_k$.",
        "The bugs are public issues and pull requests, linked beside each.",
    ),
)
