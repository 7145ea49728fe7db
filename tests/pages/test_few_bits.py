"""The few_bits page: its numbers in every format, and the promises of its tries."""

from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.few_bits.bet import outcome
from pages._view.lessons.few_bits.figures import SHOWN_ROWS
from sattn_core import BINARY_FORMATS
from sattn_core.lessons.few_bits import FORMATS, FewBitsParams, measure_few_bits
from tests.pages.opening import charts, open_page, sure_of, widget


@pytest.mark.parametrize(
    ("step", "key"), [("scores", "rounded_scores"), ("formats", "few_bits_curves"), ("sum", "large_sum")]
)
@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_each_step_shows_only_its_picture(step, key, mode):
    assert list(charts(open_page("few_bits", step=step, mode=mode))) == [key]


def test_each_format_gives_different_scores():
    app = open_page("few_bits")
    said = {}
    for name in FORMATS:
        widget(app, "format").set_value(name).run()
        said[name] = charts(app)["rounded_scores"].sentence
        assert "Predicted: " in sure_of(app, "rounded_scores")
    assert len({*said.values()}) == 3


def test_curves_and_sum_are_the_same_for_all_formats(asked):
    app = open_page("few_bits", step="formats")
    for name in FORMATS:
        widget(app, "format").set_value(name).run()
    (curves,) = {found for name, _, found in asked if name == "few_bits_curves"}  # computed once, for all formats
    assert curves.change.shape[0] == len(FORMATS)
    sums = {charts(open_page("few_bits", step="sum", format=name))["large_sum"].spec for name in FORMATS}
    assert len(sums) == 1


def test_address_sets_every_control_of_the_lesson():
    said = {"format": "float8 E4M3", "sums": "the format", "order": "q first", "size": "2", "d_k": "300"}
    app = open_page("few_bits", **said)
    assert [app.session_state[name] for name in said] == ["float8_e4m3fn", "same", "before", 2, 300]
    assert "No formula says here" in sure_of(app, "rounded_scores")
    app = open_page("few_bits", step="formats", **said)
    assert sure_of(app, "few_bits_curves").startswith("Added up in few bits, even scaled scores get worse.")


@pytest.mark.parametrize(
    ("d_k", "size", "truth", "why"),
    [
        (64, 1.0, "√dₖ times as far", "lie further apart the larger"),
        (1, 1.0, "as far", "the same numbers"),
        (2, 1.0, "as far", "the second rounding"),
        (64, 64.0, "", "overflows in every row"),
    ],
)
def test_bet_has_the_right_truth_and_reason(d_k, size, truth, why):
    values = {"d_k": d_k, "format": "float8_e4m3fn", "sums": "float32", "order": "after", "size": size, "seed": 0}
    found = outcome(values)
    assert found.truth == truth
    assert why in found.why


def test_three_more_bits_compensate_for_the_missing_scale_at_d_k_64():
    found = measure_few_bits(FewBitsParams(64, "float16"))
    other = measure_few_bits(FewBitsParams(64, "bfloat16"))
    assert root_mean_squares(found)[0] == pytest.approx(root_mean_squares(other)[1], rel=0.1)
    assert BINARY_FORMATS["float16"].precision - BINARY_FORMATS["bfloat16"].precision == 3


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"format": "float8 E4M3", "sums": "the format", "order": "q first", "size": "8", "d_k": "3", "seed": "77"}


def root_mean_squares(found):
    return np.sqrt([found.raw.mean_square[0], found.scaled.mean_square[0]])


def test_try_half_apart(tried):
    _, shown = tried("few_bits", "half_apart", **ADVERSE)
    raw = shown.measure_few_bits.raw
    beyond = (np.abs(raw.exact) > 64) & (np.abs(raw.exact) < 128)
    assert beyond[:SHOWN_ROWS].any()
    assert (raw.found[beyond] % 0.5 == 0).all()
    assert shown.measure_few_bits.params.to.spacing(64.0) == 0.5


def test_try_sums_in_16_bits(tried):
    _, shown = tried("few_bits", "sums_in_16_bits", **ADVERSE)
    found = shown.measure_few_bits
    assert (found.params.sums, found.params.format, found.params.d_k) == ("same", "bfloat16", 1024)
    other = measure_few_bits(replace(found.params, sums="float32"))
    assert root_mean_squares(found)[1] / root_mean_squares(other)[1] == pytest.approx(20, rel=0.1)


def lost_at_512(app, shown):
    """Return the shares of float16 rows that overflow at d_k = 512, raw and scaled, and the page's sentence."""
    found = shown.few_bits_curves
    assert (app.session_state["format"], app.session_state["d_k"]) == ("float16", 512)
    raw, scaled = found.lost[FORMATS.index("float16"), :, found.dims.index(512)]
    return raw, scaled, charts(app)["few_bits_curves"].sentence


def test_try_too_late(tried):
    raw, scaled, said = lost_at_512(*tried("few_bits", "too_late", **ADVERSE))
    assert 0.25 < raw == scaled
    assert "97 % of the rows" in said
    assert said.endswith("and 97 % with it.")


def test_try_in_time(tried):
    raw, scaled, said = lost_at_512(*tried("few_bits", "in_time", **ADVERSE))
    assert raw > 0.25
    assert scaled == 0
    assert said.endswith("and 0 % with it.")


def test_try_forty(tried):
    _, shown = tried("few_bits", "forty", **ADVERSE)
    found = shown.large_sum
    assert np.flatnonzero(~np.isfinite(found.raw))[0] + 1 == 41
    assert np.isfinite(found.divided).all()
    assert found.before == found.exact
