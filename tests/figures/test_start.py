"""The hero of the start page: its data are the measured values at every stop of its slider."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.start import figures
from pages._view.marks import contrast
from pages._view.shared import DIMENSIONS
from pages._view.theme import DARK, LIGHT, PROJECTOR
from sattn_core.example import KEY_WORDS
from sattn_core.laws.components import COMPONENT_LAWS
from sattn_core.laws.dot_product import dot_product_cdf
from sattn_core.lessons.start import LargestWeight, StartParams, mean_largest_weight, measure_start
from tests.figures.drawing import PROFILES

DIMS = (1, 8, 64, 1024)
PARAMS = StartParams(dims=DIMS, n_samples=2_000, n_keys=8, seed=3)
SIDES = ("raw", "scaled")
MEAN = LargestWeight(*np.array([[0.3, 0.6, 0.876, 0.963], [0.3, 0.24, 0.254, 0.247], [0.0] * 4, [0.0] * 4]))


@pytest.fixture(scope="module")
def result():
    return measure_start(PARAMS)


@pytest.fixture(scope="module")
def hero(result):
    return figures.hero(result, 64, MEAN)


@pytest.fixture(scope="module")
def payload(result):
    return figures.payload(result, MEAN, LIGHT)


def with_numbers(result, i, **values):
    """Return a copy of the result with new values at index i of some arrays."""
    for name, value in values.items():
        values[name] = getattr(result, name).copy()
        values[name][i] = value
    return type(result)(**(vars(result) | values))


SAID = dict(
    raw_std_measured=8.0561,
    raw_std_theory=8.0,
    raw_std_error=0.041,
    raw_max_weight=0.9713,
    raw_effective_keys=1.137,
    scaled_std_measured=1.0070,
    scaled_std_theory=1.0,
    scaled_std_error=0.00512,
    scaled_max_weight=0.2149,
    scaled_effective_keys=6.84,
)


def of_mean(raw, scaled, i=2):
    """Return MEAN with other values at stop i."""
    changed = replace(MEAN, raw=MEAN.raw.copy(), scaled=MEAN.scaled.copy())
    changed.raw[i], changed.scaled[i] = raw, scaled
    return changed


@pytest.mark.parametrize(
    ("d_k", "raw", "scaled", "said"),
    [
        (64, 0.844, 0.247, ", raw, one key takes 84 % of the weight on average. Divided by √dₖ, it takes 25 %."),
        (64, 0.44, 0.2381, ", raw, the largest weight is 44 % on average. Divided by √dₖ, it is 24 %."),
        (64, 0.312, 0.308, " dividing by √dₖ changes little: the largest weight is 31 % on average."),
        (1, 0.312, 0.312, " dividing by √dₖ changes nothing: the largest weight is 31 % on average."),
    ],
)
def test_sentence_gives_the_mean_largest_weight(result, d_k, raw, scaled, said):
    mean = of_mean(raw, scaled, DIMS.index(d_k))
    assert figures.sentence(result, d_k, mean) == figures.hero(result, d_k, mean).sentence == f"At dₖ = {d_k:,}{said}"


@pytest.mark.parametrize("n_keys", [2, 16, 512])
@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_sentence_is_short_and_true_and_the_raw_share_grows_with_d_k(n_keys, law):
    dims = DIMENSIONS[::6]
    result = measure_start(StartParams(dims, n_samples=50, n_keys=n_keys, law=law, seed=1))
    mean = mean_largest_weight(dims, n_keys, law)
    for i, d_k in enumerate(dims):
        said = figures.sentence(result, d_k, mean)
        assert len(said.split()) <= 25
        shares = [float(each) / 100 for each in re.findall(r"([\d.]+) %", said)]
        assert shares == pytest.approx([mean.raw[i], mean.scaled[i]][: len(shares)], abs=0.0051)
        assert "one key takes" not in said or mean.raw[i] > 0.5
        assert (len(shares) == 1) == ("changes" in said)
    assert (np.diff(mean.raw) > 0).all()


def test_with_four_keys_the_labels_are_the_words_of_the_example(payload):
    four = measure_start(StartParams((1024,), n_samples=50, n_keys=4, seed=1))
    assert figures.payload(four, MEAN, LIGHT)["weightAxis"]["names"] == KEY_WORDS
    assert payload["weightAxis"]["names"] == ()


def test_every_stop_has_its_sentence_and_spread(result, payload):
    assert [stop["d_k"] for stop in payload["stops"]] == list(DIMS)
    assert [stop["sentence"] for stop in payload["stops"]] == [figures.hero(result, d_k, MEAN).sentence for d_k in DIMS]
    assert payload["raw"]["unit"] == [1, 8**0.5, 8, 32]
    assert payload["scaled"]["unit"] == [1, 1, 1, 1]
    for side in SIDES:
        measured = getattr(result, f"{side}_std_measured")
        assert payload[side]["spread"] == [f"± {each:.1f}" for each in measured]
    for name in ("spread", "largest", "top", "unit", "weights"):
        assert payload["raw"][name][0] == payload["scaled"][name][0]


@pytest.mark.parametrize("side", SIDES)
def test_mean_mark_is_at_the_largest_bar(result, payload, side):
    assert payload[side]["mean"] == getattr(MEAN, side).tolist()
    assert payload[side]["top"] == getattr(result, f"{side}_weights").argmax(axis=1).tolist()
    for said, mean in zip(payload[side]["largest"], getattr(MEAN, side), strict=True):
        share = f"{100 * mean:.0f} %"
        assert said == [f"largest, on average: {share}", f"on average: {share}", share]


def test_each_row_and_column_has_one_heading(payload):
    assert [payload[side]["name"] for side in SIDES] == ["raw", "÷ √dₖ"]
    assert payload["headings"]["weights"] == ["Weights of one query’s 8 keys", "Weights"]


def test_bars_and_density_are_scaled_to_the_tallest_bar(result, payload):
    edges, every_count = result.sweep.scaled_edges, result.sweep.scaled_counts
    assert payload["bins"] == {"first": edges[0], "width": edges[1] - edges[0]}
    for counts, exact, heights, law in zip(
        every_count, result.scaled_law, payload["heights"], payload["law"], strict=True
    ):
        np.testing.assert_array_equal(heights, np.rint(1000 * counts / counts.max()))
        expected_counts = exact * (edges[1] - edges[0]) * counts.sum()
        np.testing.assert_allclose(law, 1000 * np.minimum(expected_counts / counts.max(), 1.05), rtol=0, atol=0.51)
        assert all(isinstance(height, int) for height in (*heights, *law))  # shorter in JSON than decimals


@pytest.mark.parametrize("law", COMPONENT_LAWS)
def test_shared_axis_cuts_off_no_histogram(law):
    low, high = (figures.payload(measure_start(PARAMS), MEAN, LIGHT)["scoreAxis"][end] for end in ("low", "high"))
    assert high == -low
    assert max(2 * dot_product_cdf(-high, d_k) for d_k in DIMENSIONS) < 5e-4
    far = StartParams(DIMENSIONS[-3:], n_samples=4_000, n_keys=2, law=law, seed=2)
    for counts, sigma in zip(measure_start(far).sweep.scaled_counts, np.sqrt(far.dims), strict=True):
        middles = sigma * (np.arange(len(counts)) + 0.5 - len(counts) / 2) * 12 / len(counts)
        assert counts[np.abs(middles) > high].sum() <= 8  # 0.2 % of 4,000 scores


@pytest.mark.parametrize("side", SIDES)
def test_weights_equal_those_of_the_result_and_sum_to_one(result, payload, side):
    weights = np.array(payload[side]["weights"])
    np.testing.assert_array_equal(weights, np.round(getattr(result, f"{side}_weights"), 4))
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=0, atol=8 * 0.5e-4)


def test_how_sure_fold_gives_measured_and_predicted_numbers(result):
    picture = figures.hero(with_numbers(result, 2, std_z=1.37, **SAID), 64, MEAN)
    rows = [list(row) for row in zip(*picture.checks.values(), strict=True)]
    assert rows[0] == ["raw, 2,000", "8.00", "8.06 ± 0.041", "1.4", "inside"]
    assert rows[1][1:3] == ["1.00", "1.01 ± 0.0051"]
    raw, scaled = picture.sure[1].split(". Divided")
    assert "largest is 97.1 %, its mean over all queries is 87.6 %, and 1.14 keys" in raw
    assert "largest is 21.5 %, its mean over all queries is 25.4 %, and 6.84 keys" in scaled
    other = measure_start(StartParams(dims=(4,), n_samples=500, n_keys=8, law="laplace"))
    said = figures.hero(other, 4, LargestWeight(*np.array([[0.61234], [0.2541], [0.00213], [0.00061]]))).sure[1]
    assert "its mean over all queries is 61.2 ± 0.2 %, and" in said
    for inside in (True, False):
        shown = replace(result, raw_std_inside=np.full(len(DIMS), inside))
        assert figures.hero(shown, 1, MEAN).checks["95 % band"][0] == ("inside" if inside else "outside")


@pytest.mark.parametrize("profile", PROFILES)
def test_style_has_sizes_of_the_profile_and_colours_for_light_and_dark(result, profile):
    payload = figures.payload(result, MEAN, profile)
    style = payload["style"]
    assert payload["mode"] == profile.name
    assert [style[name] for name in ("name", "said", "at", "tick", "line")] == (
        ["38px", "38px", "32px", "32px", "3.5px"] if profile is PROJECTOR else ["20px", "20px", "16px", "14px", "2.0px"]
    )
    for ground, theme in (("light", LIGHT), ("dark", DARK)):
        theme = PROJECTOR if profile is PROJECTOR else theme
        for name in ("raw", "scaled", "text", "grid", "ground"):
            assert style[f"{name}-{ground}"] == getattr(theme, name)
        for name in SIDES:
            assert contrast(style[f"{name}-ink-{ground}"], theme.ground) >= 4.5


def test_payload_is_json_without_nan_or_placeholders(result, payload):
    again = json.loads(json.dumps(payload, allow_nan=False))
    assert again["heights"] == payload["heights"]
    assert not any(word in json.dumps(again) for word in ("undefined", "infinite", "nan"))


def test_table_has_the_data_of_the_stop_named_in_its_note(result, hero):
    table = hero.table
    assert table["scores"] == ["raw", "scaled"]
    fields = {
        "standard deviation, measured": "std_measured",
        "predicted": "std_theory",
        "standard error": "std_error",
        "largest weight, this query": "max_weight",
        "effective keys, this query": "effective_keys",
    }
    assert table["largest weight, mean over queries"] == [0.876, 0.254]
    assert table["its standard error"] == [0, 0]
    assert set(table) == {"scores", "largest weight, mean over queries", "its standard error", *fields}
    for column, field in fields.items():
        assert table[column] == [getattr(result, f"{side}_{field}")[2] for side in SIDES]
    assert figures.hero(result, 1024, MEAN).note == "At dₖ = 1,024, where the slider last came to rest."


def test_long_table_has_every_bin_and_every_weight(result):
    table = figures.hero(result, 8, MEAN).bins
    what = np.array(table["what"])
    for side in ("raw", "scaled"):
        counts = np.array(table["value"])[what == f"{side} scores, count in bin"]
        assert counts.tolist() == result.sweep.scaled_counts[1].tolist()
        sigma = {"raw": 8**0.5, "scaled": 1}[side]
        ends = np.array(table["to"])[what == f"{side} scores, count in bin"]
        assert ends == pytest.approx(sigma * result.sweep.scaled_edges[1:])
        weights = np.array(table["value"])[what == f"{side} attention weight of key"]
        assert weights.tolist() == getattr(result, f"{side}_weights")[1].tolist()
