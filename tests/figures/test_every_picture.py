"""Rules for every picture of every lesson, at the defaults, each option, and both ends of the controls."""

import re
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from pages._view.kinds import Choice, Number
from pages._view.lessons import LESSONS, ORDER
from pages._view.picture import Figure
from pages._view.shared import SHARED
from pages._view.theme import DARK, LIGHT, PROJECTOR
from tests.figures.drawing import PROFILES, plotted, run, whole
from tests.figures.pictures import pictures

# Settings that keep computations short in these tests.
SHORT = {"n_samples": 1_000, "n_draws": 50, "n_steps": 20, "n_seeds": 1, "n_pairs": 4}
# Columns that number rows, keys or heads: no code computes them.
PLACES = {"column", "head", "key", "layer", "number in the draw", "product", "query", "row"}
THEORY = re.compile(r"^predicted|(theory|predicted|exact mean|(exact|normal|ideal) distribution)$")
COLOURS = ((re.compile(r"raw(?!_)\b"), "raw"), (re.compile(r"scaled(?!_)\b|÷ √dₖ$|÷ √dₖ,"), "scaled"),
           (re.compile(r"÷ dₖ$|÷ dₖ,"), "third"))  # fmt: skip


def controls_of(stem):
    return {**SHARED, **LESSONS[stem].controls}


def at(stem, **chosen):
    """Return the values of a lesson's controls: chosen ones, else those of SHORT, else defaults."""
    return (
        {name: each.default for name, each in (controls_of(stem) | LESSONS[stem].phones).items()}
        | {"d_k": 64}
        | SHORT
        | chosen
    )


def settings_of(stem):
    """Yield names and settings: each option of each choice, with all numbers at default, low and high."""
    lesson = controls_of(stem)
    numbers = {name: each for name, each in lesson.items() if isinstance(each, Number) and name not in SHORT}
    ends = {end: {name: getattr(each, end) for name, each in numbers.items()} for end in ("low", "high")}
    options = {"": {}}
    for name, control in LESSONS[stem].controls.items():
        if isinstance(control, Choice):
            needed = dict([control.when]) if control.when else {}
            options |= {
                f"{name}={each} ": {**needed, name: each} for each in control.options if each != control.default
            }
    for name, option in options.items():
        yield from ((f"{name}{end}", at_end | option) for end, at_end in {"defaults": {}, **ends}.items())


EVERYTHING = [pytest.param((stem, chosen), id=f"{stem}-{name}") for stem in ORDER for name, chosen in settings_of(stem)]
OTHERS = {"d_k": 8, "n_keys": 4, "law": "laplace", "seed": 3}
PARTS = [(stem, {}) for stem in ORDER]


def figures_of(picture):
    """Return the figures of a picture as Plotly figures."""
    drawn = plotted(picture)
    if isinstance(drawn, dict):
        return list(drawn.values())
    return [] if drawn is None or isinstance(drawn, str) else [drawn]


def check_looks(figure, profile):
    """Check that a figure has the profile's sizes, and its colours for raw, scaled and predicted values."""
    layout = figure.layout
    assert (layout.paper_bgcolor, layout.font.color, layout.font.size) == (
        profile.ground,
        profile.text,
        profile.tick_size,
    )
    assert layout.plot_bgcolor in (profile.ground, profile.grid)
    for size in sizes_in(figure.to_plotly_json()):
        assert size >= (profile.tick_size if profile is PROJECTOR else 0.8 * profile.tick_size)
    for name in layout.to_plotly_json():
        if re.match("[xy]axis", name) and layout[name].title.text and layout[name].visible is not False:
            assert layout[name].title.font.size >= profile.tick_size
    for trace in figure.data:
        if trace.type in ("scatter", "bar"):
            check_colour(trace, profile)
            check_given(trace)


def check_colour(trace, profile):
    name = trace.name or ""
    line = trace.line if trace.type == "scatter" else None
    if THEORY.search(name) and trace.mode != "markers":
        assert (line.dash, line.color) == ("dash", profile.text), name
        return
    used = trace.marker.color if trace.marker.color is not None else line and (line.color or trace.fillcolor)
    for meaning, colour in COLOURS:
        if meaning.match(name):
            assert {*np.atleast_1d(used)} <= {getattr(profile, colour), profile.text}, (name, used)


def check_given(trace):
    """Check that a trace sets every property that Plotly would otherwise derive, which `quick.js` cannot do."""
    mode = trace.mode if trace.type == "scatter" else "markers"
    assert mode, trace.name
    assert "lines" not in mode or trace.line.color, trace.name
    assert "markers" not in mode or trace.marker.color is not None, trace.name
    assert trace.type == "bar" or trace.fill in (None, "none") or trace.fillcolor, trace.name
    assert trace.error_y.array is None or trace.error_y.color, trace.name


def sizes_in(part):
    """Yield the sizes of all fonts in a part of a figure."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name.endswith("font") and isinstance(value, dict) and "size" in value:
                yield value["size"]
            yield from sizes_in(value)
    elif isinstance(part, (list, tuple)):
        for each in part:
            yield from sizes_in(each)


@pytest.fixture(scope="module", params=EVERYTHING)
def everything(request):
    """Yield a lesson's stem, and its pictures with their figures, at each of the settings: drawn once for all tests."""
    stem, chosen = request.param
    return stem, [(each, figures_of(each)) for each in pictures(stem, at(stem, **chosen), LIGHT)]


def test_every_picture_is_declared_and_has_colours_by_meaning(everything):
    stem, shown = everything
    keys = [picture.key for picture, _ in shown]
    assert keys == [key for key in LESSONS[stem].pictures if key in keys]
    for _, figures in shown:
        for figure in figures:
            check_looks(figure, LIGHT)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("stem", "chosen"), PARTS)
def test_every_picture_has_the_colours_and_sizes_of_its_profile(stem, chosen, profile):
    for picture in pictures(stem, at(stem, **chosen), profile):
        for figure in figures_of(picture):
            check_looks(figure, profile)


def test_every_declared_picture_is_checked():
    shown = {each.key for stem, chosen in PARTS for each in pictures(stem, at(stem, **chosen), LIGHT)}
    assert shown == {key for lesson in LESSONS.values() for key in lesson.pictures}


def numbers_in(value, seen):
    """Yield every number in a value that code has computed."""
    if isinstance(value, (bool, str, type)) or id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, (int, float, np.number)):
        yield float(value)
    elif isinstance(value, np.ndarray):
        yield from value.ravel().tolist() if value.dtype.kind in "fiu" else ()
    elif is_dataclass(value) or isinstance(value, (dict, tuple, list)):
        parts = value.values() if isinstance(value, dict) else value
        for part in [getattr(value, each.name) for each in fields(value)] if is_dataclass(value) else parts:
            yield from numbers_in(part, seen)


# Columns that the code does not keep in a variable, such as intermediate results.
UNNAMED = {"race_equivalence": re.compile("SGD|Adam"), "three_lines": re.compile("scaled variance"),
           "broken_lines": re.compile("scaled variance"),
           "first_order": re.compile(""), "start": re.compile(".*mean over queries|its standard error")}  # fmt: skip


@pytest.mark.parametrize(
    "others", [pytest.param({}, id="defaults"), pytest.param(OTHERS, id="others", marks=pytest.mark.walk)]
)
@pytest.mark.parametrize(("stem", "chosen"), PARTS)
def test_code_of_a_picture_computes_every_number_of_its_table(stem, chosen, others):
    for picture in pictures(stem, at(stem, **chosen, **others), LIGHT):
        names, printed = run(picture.code)
        seen = set()
        found = [
            number for name, value in names.items() if name != "__builtins__" for number in numbers_in(value, seen)
        ]
        found += [float(each) for each in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", printed)]
        computed = {f"{each:.9g}" for each in found}
        for name, column in picture.table.items():
            if name not in PLACES and not (picture.key in UNNAMED and UNNAMED[picture.key].match(name)):
                numbers = {float(each) for each in column if isinstance(each, (int, float, np.number))}
                assert {f"{each:.9g}" for each in numbers if each == each} <= computed, (picture.key, name)


def places_of(trace, letter, axis):
    """Return a trace's coordinates along an axis in the axis's units, without NaNs; on a log axis without zeros."""
    given = np.ravel(np.array(trace[letter], dtype=float))
    if axis.type != "log":
        return given[~np.isnan(given)]
    return np.log10(given[given > 0])


# Pictures whose traces may leave their axes: the axes are fixed, or words count the values beyond.
CUT = {"stage_histograms", "gradient_curves", "race_curves", "sample_band", "score_histograms", "straight_histograms"}


def test_every_point_is_inside_its_axes(everything):
    for picture, figures in everything[1]:
        for figure in figures if picture.key not in CUT else ():
            for trace in (each for each in figure.data if each.type in ("scatter", "bar")):
                for letter in "xy":
                    axis = figure.layout[f"{letter}axis{(trace[f'{letter}axis'] or letter)[1:]}"]
                    if axis.range is None or not np.size(trace[letter]) or isinstance(trace[letter][0], str):
                        continue
                    low, high = sorted(axis.range)
                    if len(found := places_of(trace, letter, axis)):
                        assert low - 1e-9 <= found.min() <= found.max() <= high + 1e-9, (
                            picture.key,
                            trace.name,
                            letter,
                        )


def check_marks(picture):
    """Check that each marked word is in the sentence and has the colour of its first trace."""
    marks = {each.word: each for each in picture.marks}
    figure, rest = picture.figure, picture.sentence
    for one in picture.drawn()["marks"] if isinstance(figure, Figure) else ():
        assert rest.startswith(one["before"] + one["word"]), (picture.key, one["word"])
        rest = rest.removeprefix(one["before"] + one["word"])
        mark = marks[one["word"]]
        assert {figure.data[i]["name"] for i in one["curves"]} == {*mark.traces}
        for each in (figure.data[i] for i in one["curves"] if figure.data[i]["name"] == mark.traces[0]):
            shown = np.ravel(colours_of(each, figure.layout))
            shown = {*(shown[list(mark.points)] if mark.points and len(shown) > 1 else shown).tolist()}
            assert shown == {one["colour"]}, (picture.key, one["word"])
            assert max(mark.points, default=-1) < np.shape(each.get("x", each.get("z")))[0]
        assert len(one["curves"]) < len(figure.data) or mark.points, (picture.key, one["word"])  # other traces fade


def colours_of(trace, layout):
    if trace["type"] == "heatmap":
        return [layout["font"]["color"]]
    if trace["type"] == "bar" or "markers" in trace["mode"]:
        return [trace["marker"]["color"]]
    return [trace["line"].get("color") or trace["fillcolor"]]


def test_every_marked_word_has_the_colour_of_its_trace(everything):
    for picture, _ in everything[1]:
        check_marks(picture)


@pytest.mark.parametrize("profile", [DARK, PROJECTOR], ids=["dark", "projector"])
@pytest.mark.parametrize(
    ("stem", "chosen"),
    [
        pytest.param(stem, chosen, id=each.id, marks=pytest.mark.walk if chosen else ())
        for each in EVERYTHING
        for stem, chosen in each.values
    ],
)
def test_marked_words_have_the_colours_of_every_profile(stem, chosen, profile):
    for picture in pictures(stem, at(stem, **chosen), profile):
        check_marks(picture)


TURNED = ("score_histograms", "straight_histograms")  # pictures with horizontal bars


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("stem", "chosen"), PARTS)
def test_only_heatmaps_have_titles_on_vertical_axes(stem, chosen, profile):
    for picture in pictures(stem, at(stem, **chosen), profile):
        for figure in figures_of(picture):
            maps = {f"yaxis{(each.yaxis or 'y')[1:]}" for each in figure.data if each.type == "heatmap"}
            for name in figure.layout.to_plotly_json():
                if name.startswith("yaxis") and name not in maps and picture.key not in TURNED:
                    assert not figure.layout[name].title.text, (picture.key, name)


FRAMED = [stem for stem in ORDER if stem not in ("start", "attention_steps", "your_scores", "training_race")]


@pytest.mark.parametrize("stem", FRAMED)
def test_first_picture_of_a_lesson_has_the_same_axes_at_every_d_k(stem):
    frames = set()
    for d_k in (1, 2, 64, 300, 1024):
        layout = figures_of(pictures(stem, at(stem, d_k=d_k), LIGHT)[0])[0].layout
        axes = [name for name in layout.to_plotly_json() if re.match("[xy]axis", name)]
        frames.add((layout.height, layout.margin.t, *((name, layout[name].range) for name in axes)))
    assert len(frames) == 1


def test_faults_in_the_words_and_tables_of_a_picture_are_found():
    class Said:
        sentence, claim, sure, table, bins, checks = "One.", "", (), {"a": [1], "b": [2]}, None, None
        spoken = staticmethod(lambda: "One.")

    whole(Said)
    faults = {"sentence": ["word " * 25 + "end.", "1 2 3 4.", "No end", "d_k.", "At -1."], "claim": ["a " * 13],
              "table": [{"a": [1], "b": []}], "sure": [["n_keys_of"]], "spoken": [lambda: ""]}  # fmt: skip
    for name, values in faults.items():
        for value in values:
            with pytest.raises(AssertionError):
                whole(type("Wrong", (Said,), {name: staticmethod(value) if callable(value) else value}))
