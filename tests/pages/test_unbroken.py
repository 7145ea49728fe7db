"""Text whose lines never break between a number and its sign, or between a symbol and its number."""

import re

import pytest

from pages._view import bet_html, unbroken, way
from pages._view.address import Address
from pages._view.lessons import LESSONS
from pages._view.stage import Line, Stage
from tests.pages.opening import read


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("At dₖ = 1,024, raw takes 52 % of it.", ["dₖ = 1,024", "52 %"]),
        ("÷ √dₖ, ÷ dₖ and ÷ 64: 0.5 %", ["÷ √dₖ", "÷ dₖ", "÷ 64", "0.5 %"]),
        ("1.2 ± 0.7, so 0 fits; ± 8.1; 3 ± 1 %", ["1.2 ± 0.7", "± 8.1", "3 ± 1 %"]),
        ("After 300 steps, √dₖ = 8 and σ = 2.", ["√dₖ = 8", "σ = 2"]),
        ("a < b & c", []),
    ],
)
def test_number_and_sign_stay_on_one_line(text, whole):
    html = unbroken.html_of(text)
    assert re.findall('<span class="whole">(.*?)</span>', html) == whole
    assert read(html) == text


def test_line_tries_and_bet_options_keep_numbers_whole():
    race = LESSONS["training_race"]
    assert "<b>One key takes" in (line := way.line_html(Line("One key takes 52 %.", "", "at dₖ = 64"), asks=False))
    assert re.findall('"whole">(.*?)<', line) == ["52 %", "dₖ = 64"]
    assert '<span><span class="whole">dₖ = 8</span>: with' in way.tries_html(Address(race, {"step": "race"}))
    asked = bet_html.html_of(Stage(Address(race, {"step": "race", "bet": "1"})))
    assert '<span><span>only <span class="whole">÷ √dₖ</span></span></span>' in asked
