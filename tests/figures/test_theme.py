"""The theme: contrasts by the WCAG formula, sizes on screens and projectors, and how numbers are written."""

import math
import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages._view.theme import DARK, LIGHT, PROJECTOR, number, number_of_log10, percent, profile, typed
from tests.figures.drawing import PROFILES, contrast

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]


def test_contrast_formula_gives_the_known_values():
    assert contrast("#000000", "#ffffff") == pytest.approx(21, abs=1e-12)
    assert contrast("#ffffff", "#767676") == pytest.approx(4.54, abs=0.005)  # the lightest grey for text on white


@pytest.mark.parametrize("theme", PROFILES)
def test_contrast_of_text_is_at_least_4_5_and_that_of_marks_at_least_3(theme):
    assert contrast(theme.text, theme.ground) >= 4.5
    for mark in ("raw", "scaled", "third", "band"):
        assert contrast(getattr(theme, mark), theme.ground) >= 3, mark


@pytest.mark.parametrize("theme", PROFILES)
def test_colours_of_a_profile_differ(theme):
    colours = [theme.raw, theme.scaled, theme.third, theme.band, theme.text, theme.ground, theme.grid]
    assert len(set(colours)) == len(colours)
    for colour in colours:
        assert re.fullmatch("#[0-9a-f]{6}", colour)


@pytest.mark.parametrize(("name", "theme"), [("light", LIGHT), ("dark", DARK)])
def test_figures_have_the_background_and_text_colour_of_the_page(name, theme):
    page = SETTINGS[name]
    assert (page["backgroundColor"], page["textColor"]) == (theme.ground, theme.text)
    for ground in (page["backgroundColor"], page["secondaryBackgroundColor"]):
        assert contrast(page["textColor"], ground) >= 4.5
        assert contrast(page["linkColor"], ground) >= 4.5
    assert contrast(page["primaryColor"], page["backgroundColor"]) >= 3
    assert contrast(page["borderColor"], page["backgroundColor"]) >= 3


def test_raw_is_orange_and_scaled_is_blue():
    assert (LIGHT.raw, LIGHT.scaled) == ("#d55e00", "#0072b2")
    for theme in (LIGHT, DARK, PROJECTOR):
        red, _, blue = (int(theme.raw[i : i + 2], 16) for i in (1, 3, 5))
        assert red > 2 * blue
        red, _, blue = (int(theme.scaled[i : i + 2], 16) for i in (1, 3, 5))
        assert blue > 1.5 * red


def test_screen_and_projector_have_their_sizes():
    def sizes(theme):
        return theme.base_size, theme.title_size, theme.axis_size, theme.tick_size

    assert sizes(LIGHT) == sizes(DARK) == (16, 24, 18, 14)
    assert sizes(PROJECTOR) == (32, 44, 38, 32)
    assert min(sizes(PROJECTOR)) == 1920 / 60
    for screen in (LIGHT, DARK):
        assert PROJECTOR.line_width == 1.75 * screen.line_width
        assert PROJECTOR.marker_size == 1.75 * screen.marker_size
    assert (PROJECTOR.ground, PROJECTOR.text) == ("#ffffff", "#000000")
    assert SETTINGS["baseFontSize"] == LIGHT.base_size


@pytest.mark.parametrize(
    ("mode", "ground", "theme"),
    [
        ("screen", "light", LIGHT),
        ("screen", "dark", DARK),
        ("screen", None, LIGHT),
        ("projector", "light", PROJECTOR),
        ("projector", "dark", PROJECTOR),
        ("projector", None, PROJECTOR),
    ],
)
def test_profile_depends_on_the_mode_and_then_on_the_background(mode, ground, theme):
    assert profile(mode, ground) is theme


# --- numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0, 3, "0"),
        (-0.0, 3, "0"),
        (8.0, 3, "8.00"),
        (8.0561, 3, "8.06"),
        (64, 4, "64.00"),
        (0.3, 1, "0.3"),
        (1593.5604, 6, "1,593.56"),
        (1478, 6, "1,478.00"),
        (0.393224, 6, "0.393224"),
        (2.46759e-4, 6, "0.000246759"),
        (1024, 3, "1,024"),
        (999.96, 3, "1,000"),
        (9999999, 7, "9,999,999"),
        (1e7, 3, "1.00 × 10⁷"),
        (9_999_999.6, 7, "1.000000 × 10⁷"),
        (1.5e-4, 3, "0.000150"),
        (9.99e-5, 3, "9.99 × 10⁻⁵"),
        (8.49671e-18, 3, "8.50 × 10⁻¹⁸"),
        (1.2e300, 2, "1.2 × 10³⁰⁰"),
        (-8.0561, 3, "−8.06"),
        (-12345.6, 3, "−12,346"),
        (-1e-9, 3, "−1.00 × 10⁻⁹"),
        (5e-324, 3, "4.94 × 10⁻³²⁴"),
        (-1e-322, 6, "−9.88131 × 10⁻³²³"),
        (math.inf, 3, "infinite"),
        (-math.inf, 3, "−infinite"),
        (math.nan, 3, "undefined"),
    ],
)
def test_numbers_are_written_with_digits_separators_and_powers(value, digits, text):
    assert number(value, digits) == text


_PLAIN_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-", ",")


@settings(deadline=None, max_examples=60)
@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 8))
def test_written_numbers_keep_their_digits_and_have_no_hyphen(value, digits):
    text = number(value, digits)
    assert "-" not in text
    mantissa, _, power = text.translate(_PLAIN_DIGITS).partition(" × 10")
    back = Fraction(f"{mantissa}e{power or 0}")  # a Fraction: a number rounded up may exceed the largest float
    assert abs(back - Fraction(value)) <= Fraction(1, 2) * Fraction(10) ** (1 - digits) * abs(Fraction(value))


@pytest.mark.parametrize(
    ("log10", "digits", "text"),
    [
        (0.0, 3, "1.00"),
        (math.log10(1593.5567), 6, "1,593.56"),
        (math.log10(2.46759e-5), 6, "2.46759 × 10⁻⁵"),
        (-433.99345190758784646, 4, "1.015 × 10⁻⁴³⁴"),  # mpmath: log10(2*e**-1000); 2*e**-1000
        (434294.0, 3, "1.00 × 10⁴³⁴²⁹⁴"),
        (400.99999999, 3, "1.00 × 10⁴⁰¹"),
    ],
)
def test_numbers_given_by_their_logarithm_may_exceed_float64(log10, digits, text):
    assert number_of_log10(log10, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(4.0, "4"), (-2.5, "−2.5"), (0.1, "0.1"), (1e-6, "1e−06"), (1e6, "1000000"), (1 / 3, "0.3333333333")],
)
def test_function_typed_writes_numbers_as_people_type_them(value, text):
    assert typed(value) == text


@pytest.mark.parametrize(
    ("share", "places", "text"),
    [
        (0.26894142, 2, "26.89 %"),
        (0.73105858, 2, "73.11 %"),
        (0.9998766, 2, "99.99 %"),
        (0, 2, "0.00 %"),
        (1, 0, "100 %"),
        (0.5, 1, "50.0 %"),
    ],
)
def test_percent_has_the_given_number_of_decimals(share, places, text):
    assert percent(share, places) == text
