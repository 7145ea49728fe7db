"""Compare redrawn stills and cards with the stored ones. The differences are returned as texts.

Import it as ``from compared import svg_differences`` (the test settings put this folder on the path).
"""

import io
import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
from grounds import NUMBER, PATH_NUMBER, pixels
from PIL import Image

NEAR = 1.5  # px: widths of letters differ between machines, and sums differ by rounding
NEAR_COLOUR = 1.0  # mean difference over an image, of 255
_COLOURS = re.compile(r"(?:light-dark\()?rgba?\([^)]*\)(?:, rgba?\([^)]*\)\))?")


def svg_differences(kept, drawn):
    """Return all differences in elements, texts and colours, and large differences in numbers and images."""
    some, others = (list(ElementTree.fromstring(text).iter()) for text in (kept, drawn))
    if [each.tag for each in some] != [each.tag for each in others]:
        return [f"{len(some)} elements are kept, {len(others)} drawn, or they have other names"]
    pairs = zip(some, others, strict=True)
    return [f"{one.tag}: {each}" for one, other in pairs for each in _element_differences(one, other)]


def _element_differences(one, other):
    if (one.text or "").strip() != (other.text or "").strip():
        yield f"{one.text!r} is kept, {other.text!r} drawn"
    if one.keys() != other.keys():
        yield f"{one.keys()} are kept, {other.keys()} drawn"
        return
    for key in one.keys():
        here, there = one.get(key), other.get(key)
        if here != there and not _same(key, here, there):
            yield f"{key} {here[:90]!r} is kept, {there[:90]!r} drawn"


def _same(key, here, there):
    if key == "href":
        return images_are_near(pixels(here), pixels(there))
    if key == "d":
        return _near(PATH_NUMBER, here, there) or (_runs_along(here, there) and _runs_along(there, here))
    return _COLOURS.findall(here) == _COLOURS.findall(there) and _near(NUMBER, here, there)


def _near(number, here, there):
    if number.split(here) != number.split(there):
        return False
    pairs = zip(number.findall(here), number.findall(there), strict=True)
    return all(abs(float(one) - float(other)) <= NEAR for one, other in pairs)


def _runs_along(here, there):
    """Return True if every corner of one path is near the other path: Plotly omits corners on straight parts."""
    corners, others = _corners(here), _corners(there)
    if corners is None or others is None:
        return False
    return all(min(_distance(corner, *each) for each in pairwise(others)) <= NEAR for corner in corners)


def _corners(path):
    """Return the corners of a path that is one open line; None for any other path."""
    if not re.fullmatch(r"M[-\d.,]+(?:L[-\d.,]+){2,}", path):
        return None
    return np.array([[float(number) for number in each.split(",")] for each in re.split("[ML]", path)[1:]])


def _distance(point, begin, end):
    way = end - begin
    share = np.clip((point - begin) @ way / max(way @ way, 1e-9), 0, 1)
    return np.hypot(*(begin + share * way - point))


def card_differences(kept, drawn):
    """Return a list with one text if two PNG files look different, else an empty list."""
    some, others = (Image.open(io.BytesIO(file)) for file in (kept, drawn))
    return [] if images_are_near(some, others) else ["the cards look different"]


def images_are_near(some, others):
    if some.size != others.size:
        return False
    one, other = (np.asarray(each.convert("RGBA"), dtype=float) for each in (some, others))
    return np.abs(one - other).mean() <= NEAR_COLOUR
