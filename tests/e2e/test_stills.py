"""What is kept of how each lesson opens is what it shows: drawn anew in the windows of its stills, it is the same."""

import pytest
from compared import card_differences, places_differences, svg_differences
from drawn import draw
from room import STILLS
from sampling import sampled

from pages._view import stills
from pages._view.lessons import PAGES

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

ANEW = "to keep what is drawn now: .venv/bin/python tests/stills {}"


@pytest.mark.parametrize("stem", sampled(PAGES, 9, 2))
def test_what_is_kept_is_what_is_shown(new_page, server, stem):
    drawn = draw(new_page(), server, stem, STILLS)
    kept = {size: stills.still(stem, size) for size in stills.SIZES if stills.still(stem, size)}
    places = {mode: {width: stills.places(stem)[mode][width] for width in seen} for mode, seen in drawn.places.items()}
    wrong = places_differences(places, drawn.places, "places")
    if kept.keys() != drawn.svgs.keys():
        wrong.append(f"{sorted(kept)} are kept, {sorted(drawn.svgs)} drawn")
    for size in kept.keys() & drawn.svgs.keys():
        wrong += [f"{size}: {each}" for each in svg_differences(kept[size], drawn.svgs[size])]
    wrong += card_differences(stills.card(stem).read_bytes(), drawn.card)
    assert not wrong, "\n".join([ANEW.format(stem), *wrong])
