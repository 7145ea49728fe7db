"""The stored stills and cards equal a new drawing of their steps."""

import pytest
from compared import card_differences, svg_differences
from drawn import SCREENS, draw
from sampling import sampled

from pages._view import stills

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

ANEW = "to keep what is drawn now: .venv/bin/python tests/stills {}"


@pytest.mark.parametrize(("stem", "step"), sampled(SCREENS, 9, 2))
def test_a_stored_still_equals_its_step(new_page, server, stem, step):
    drawn = draw(new_page(), server, stem, step)
    kept = {size: stills.still(stem, size, step) for size in stills.SIZES}
    kept = {size: text for size, text in kept.items() if text}
    wrong = [] if kept.keys() == drawn.svgs.keys() else [f"{sorted(kept)} are kept, {sorted(drawn.svgs)} drawn"]
    for size in kept.keys() & drawn.svgs.keys():
        wrong += [f"{size}: {each}" for each in svg_differences(kept[size], drawn.svgs[size])]
    wrong += card_differences(stills.card(stem, step).read_bytes(), drawn.card)
    assert not wrong, "\n".join([ANEW.format(stem), *wrong])
