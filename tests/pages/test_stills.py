"""The stored stills: every page has them, and one page can contain several."""

import re
import struct
from xml.etree import ElementTree

import pytest

from pages._view import stills
from pages._view.theme import DARK, LIGHT
from tests.pages.opening import OPENED, SCREENS

CARDS = [*SCREENS, ("corrections", "")]
LARGEST = {"svg": 60_000, "card": 60_000}  # bytes
FAMILIAR = {"svg", "defs", "clipPath", "linearGradient", "stop", "g", "path", "rect", "text", "tspan", "image"}
WINDOWS = {"wide": 1440, "narrow": 390}


def svg_faults(text):
    """Return the faults of an SVG for our pages: scripts, links to other hosts, unused or repeated ids."""
    root = ElementTree.fromstring(text)
    tags = {each.tag.partition("}")[2] for each in root.iter()}
    faults = [f"<{tag}>" for tag in sorted(tags - FAMILIAR)]
    faults += re.findall(r"\son\w+=", text)
    faults += [
        each for each in re.findall(r'(?:href|src)="([^"]{0,60})', text) if not each.startswith("data:image/png;")
    ]
    words = re.sub(r"data:image/png;base64,[\w+/=]+", "", text)
    faults += [each for each in re.findall(r"(?:https?:|file:)?//[\w.]+", words) if each != "http://www.w3.org"]
    ids = [each.get("id") for each in root.iter() if each.get("id")]
    used = re.findall(r"url\(#([^)]+)\)", text)
    return faults + sorted(set(ids) ^ set(used)) + sorted({each for each in ids if ids.count(each) > 1})


@pytest.mark.parametrize("size", stills.SIZES)
@pytest.mark.parametrize(("stem", "step"), CARDS)
def test_a_step_with_a_picture_has_its_stills(stem, step, size):
    text = stills.still(stem, size, step)
    assert (text != "") == ((stem, step) in OPENED), f".venv/bin/python tests/stills {stem}"
    if text:
        assert svg_faults(text) == []
        assert len(text.encode()) < LARGEST["svg"]
        width, height = map(float, ElementTree.fromstring(text).get("viewBox").split()[2:])
        assert WINDOWS[size] / 2 < width < WINDOWS[size]
        assert height > 200


@pytest.mark.parametrize(("stem", "step"), OPENED)
def test_ids_are_unique_and_text_has_a_light_and_a_dark_colour(stem, step):
    both = "".join(stills.still(stem, size, step) for size in stills.SIZES)
    ids = re.findall(r'id="([^"]+)"', both)
    assert len(ids) == len(set(ids))
    assert all(each.startswith((f"{stem}-{step}-wide-", f"{stem}-{step}-narrow-")) for each in ids)
    text = [f"rgb({', '.join(str(int(each[i : i + 2], 16)) for i in (1, 3, 5))})" for each in (LIGHT.text, DARK.text)]
    assert f"fill:light-dark({text[0]}, {text[1]})" in both


@pytest.mark.parametrize(("stem", "step"), CARDS)
def test_every_step_has_a_card(stem, step):
    file = stills.card(stem, step).read_bytes()
    assert file.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", file[16:24]) == stills.CARD
    assert len(file) < LARGEST["card"]


HEAD = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ('<rect clip-path="url(#a)"/><clipPath id="a"/>', []),
        ("<script>1</script>", ["<script>"]),
        ('<rect onclick="x()"/>', [" onclick="]),
        ('<image href="https://a.example/b.png"/>', ["https://a.example/b.png", "https://a.example"]),
        ('<image href="data:image/svg+xml;base64,"/>', ["data:image/svg+xml;base64,"]),
        ('<rect id="a"/>', ["a"]),
        ('<rect clip-path="url(#a)"/>', ["a"]),
        ('<clipPath id="a"/><clipPath id="a"/><rect clip-path="url(#a)"/>', ["a"]),
    ],
)
def test_the_faults_of_a_still_are_found(text, faults):
    assert svg_faults(HEAD.format(text)) == faults
