"""The trained_heads page: its pictures follow exponent, text, head and word."""

import sys
from types import SimpleNamespace
from urllib.parse import parse_qsl

import numpy as np
import pytest

from pages._view import compute
from pages._view.lessons import LESSONS
from pages._view.lessons.trained_heads import bet, figures, own, work
from pages._view.page.show import MOST_ROWS, plain
from pages._view.theme import LIGHT
from sattn_core.lessons.trained_heads import HeadParams, TrainedHeadsParams, measure_head, measure_trained_heads
from sattn_core.lessons.your_scores import read_your_scores
from sattn_core.training.encoder import encode
from tests.pages.opening import charts, check_page, drawn_controls, open_page, settle, step_of, traces, widget


def test_the_record_is_read_once_for_all_exponents(monkeypatch):
    compute.forget()
    asked = []
    monkeypatch.setattr("sattn_core.lessons.trained_heads.recorded", lambda name: asked.append(name) or _kept(name))
    from pages._view.lessons.trained_heads import work

    values = {"text": "cat", "layer": 1, "head_of_layer": 1, "word": 1}
    first, second = (work.heads(values | {"exponent": each}) for each in (0.0, 0.5))
    assert first is second
    assert asked == ["cat"]
    compute.forget()


def test_word_beyond_the_text_becomes_its_last_word():
    shown = charts(open_page("trained_heads", step="one_head", text="“On the mat the cat slept; …”", word="70"))
    assert "“[SEP]” looks most at" in shown["trained_attention"].sentence


def test_address_opens_its_head_at_its_exponent():
    said = {"exponent": "0.3", "layer": "5", "head_of_layer": "2", "text": "a list"}
    found = measure_trained_heads(TrainedHeadsParams("list"))
    app = open_page("trained_heads", **said)
    assert np.allclose(traces(app, "trained_spread")["heads, σ"]["y"], found.scaled(0.3).score_std.ravel())
    app = open_page("trained_heads", step="one_head", **said)
    assert np.allclose(traces(app, "trained_attention")["weights"]["z"], found.weights(5, 2, 0.3))


@pytest.mark.parametrize(
    ("step", "key"),
    [
        ("undivided", "trained_undivided"),
        ("heads", "trained_spread"),
        ("one_head", "trained_attention"),
        ("whole", "trained_downstream"),
    ],
)
def test_each_step_shows_only_its_picture(step, key):
    app = open_page("trained_heads", step=step)
    check_page(app, "trained_heads")
    assert list(charts(app)) == [key]
    assert [each.label for each in app.expander if each.key == "own"] == ["This head: its numbers and its file"] * (
        step == "one_head"
    )


def test_first_step_ignores_the_exponent():
    app = open_page("trained_heads", step="undivided", exponent="0.3")
    found = measure_trained_heads(TrainedHeadsParams()).scaled(0.0)
    assert np.allclose(traces(app, "trained_undivided")["heads, σ"]["y"], found.score_std.ravel())
    widget(app, "step").set_value("heads")
    settle(app)
    assert app.session_state["exponent"] == 0.3


def _kept(name):
    from sattn_core.training.encoder_record import recorded

    return recorded(name)


def test_chosen_head_links_to_its_report():
    app = open_page("trained_heads", step="one_head", layer="3", head_of_layer="5")
    (link,) = [each for each in app.main.get("page_link") if each.label == "Its report, on the paragraph"]
    said = dict(parse_qsl(link.proto.query_string))
    report = open_page("your_scores", **said)
    assert report.session_state["head"] == 5
    found = measure_head(HeadParams("paragraph", 3, 5)).report
    assert f"{found.scaled_std:.4g}" in charts(report)["your_histogram"].spec
    assert "dₖ = 32" in charts(report)["your_histogram"].alt.replace("d_k", "dₖ")


def test_downloaded_file_of_a_head_can_be_uploaded():
    values = {"text": "cat", "layer": 6, "head_of_layer": 12}
    result, problem = read_your_scores(("mine.npz", work.head_file(values)))
    assert problem is None
    assert result.report.d_k == 32
    assert result.shown.scaled_std == pytest.approx(measure_head(HeadParams("cat", 6, 12)).report.scaled_std, rel=1e-6)


# --- a sentence of one's own ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small_model():
    """Return an encoder of the right shape with random weights, and a tokenizer that splits text into letters."""
    rng = np.random.default_rng(0)
    shapes = {f"embeddings.{name}_embeddings.weight": (n, 384) for name, n in SIZES.items()} | pair(
        "embeddings.LayerNorm"
    )
    for i in range(6):
        at = f"encoder.layer.{i}"
        for name in ("query", "key", "value"):
            shapes |= pair(f"{at}.attention.self.{name}", 384)
        shapes |= pair(f"{at}.attention.output.dense", 384) | pair(f"{at}.attention.output.LayerNorm")
        shapes |= pair(f"{at}.output.dense", 8) | pair(f"{at}.output.LayerNorm")
        shapes |= {f"{at}.intermediate.dense.weight": (8, 384), f"{at}.intermediate.dense.bias": (8,)}
    weights = {name: rng.normal("LayerNorm.weight" in name, 0.1, shape) for name, shape in shapes.items()}
    return own.Model(weights, SimpleNamespace(encode=letters))


SIZES = {"word": 128, "position": 64, "token_type": 2}


def pair(name, *width):
    return {f"{name}.weight": (384, *width), f"{name}.bias": (384,)}


def letters(text):
    kept = f"^{text}$"[:64]
    ids = [ord(each) % 128 for each in kept]
    return SimpleNamespace(ids=ids, tokens=list(kept), overflowing=[1] * (len(text) > 62))


def own_page(found, monkeypatch, sentence, **said):
    compute.forget()
    monkeypatch.setattr(own, "opened", lambda: found)
    app = open_page("trained_heads", text="your own sentence", sentence=sentence, exponent="0.3", **said)
    compute.forget()
    return app


def test_own_sentence_is_read_at_the_exponent_of_the_slider(small_model, monkeypatch):
    app = own_page(small_model, monkeypatch, "a key")
    assert [each.message for each in app.exception] == []
    assert len(app.info) == 0
    assert charts(app)["trained_spread"].sentence.endswith("of 7 words.")
    right, here = (
        encode(small_model.weights, letters("a key").ids, n_heads=12, exponent=each, dtype=np.float32).embeddings
        for each in (0.5, 0.3)
    )
    app = own_page(small_model, monkeypatch, "a key", step="whole")
    last = traces(app, "trained_downstream")["after layer 6"]
    assert list(last["x"]) == [0.0, 0.25, 0.3, 0.5, 0.75, 1.0]
    assert last["y"][2] == pytest.approx(float(right[-1] @ here[-1]), abs=1e-5)
    assert last["y"][3] == pytest.approx(1, abs=1e-6)
    assert max(np.delete(last["y"], 3)) < 0.999


def test_long_text_is_cut_with_a_note(small_model, monkeypatch):
    app = own_page(small_model, monkeypatch, "x" * 100)
    assert [each.value for each in app.info] == ["Only the first 64 tokens of your text are read."]
    assert charts(app)["trained_spread"].sentence.endswith("of 64 words.")


def test_empty_texts_and_unknown_words_are_noted(small_model, monkeypatch):
    app = own_page(small_model, monkeypatch, "")
    assert [each.value.split(":")[0] for each in app.info] == ["There is nothing in your text that the model reads"]
    unknown = SimpleNamespace(ids=[1, 2, 3], tokens=["^", "[UNK]", "$"], overflowing=[])
    other = small_model._replace(tokenizer=SimpleNamespace(encode=lambda _: unknown))
    monkeypatch.setattr(own, "opened", lambda: other)
    assert own.remarks("😀") == ["The model has no token for a part of your text, and reads [UNK] there."]


def test_sentence_too_long_for_an_address_is_cut(small_model, monkeypatch):
    monkeypatch.setattr(own, "opened", lambda: small_model)
    app = open_page("trained_heads", text="your own sentence", sentence="a key")
    (field,) = [each for each in app.text_input if each.label == "Your sentence"]
    field.set_value("x" * 10_000).run()
    assert app.session_state["sentence"] == "x" * 1_000
    assert LESSONS["trained_heads"].controls["sentence"].read("x" * 1_000) == ("x" * 1_000, None)
    assert charts(app)["trained_spread"].sentence.endswith("of 64 words.")


@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_page_without_the_model_says_how_to_get_it(mode, monkeypatch):
    app = own_page(own.GET, monkeypatch, "a key", mode=mode)
    assert [each.value for each in app.info] == [plain(f"{own.GET} “a key” is not read.")]
    assert [*app.exception, *app.error] == []
    assert charts(app)["trained_spread"].sentence.endswith("of 76 words.")
    assert not work.MAIN.ready({"text": "own"})


def test_a_model_with_other_weights_is_not_read(tmp_path, monkeypatch):
    """A later package of this name may have other weights."""
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"other")
    place = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    tokenizer = SimpleNamespace(no_padding=lambda: None, enable_truncation=lambda most: None)
    stand_in = SimpleNamespace(Tokenizer=SimpleNamespace(from_file=lambda path: tokenizer))
    monkeypatch.setitem(sys.modules, "tokenizers", stand_in)
    monkeypatch.setattr(own, "find_spec", lambda name: place)
    own.opened.cache_clear()
    try:
        assert "must have the sha256" in own.opened()
    finally:
        own.opened.cache_clear()


# --- tries ---------------------------------------------------------------------------------------------

ADVERSE = {"exponent": "0.9", "text": "a list", "layer": "2", "head_of_layer": "5", "word": "3"}


def scaled(app, shown):
    return shown.measure_trained_heads.scaled(app.session_state["exponent"])


def test_undivided_heads_spread_widely_and_look_at_few_words():
    found = measure_trained_heads(TrainedHeadsParams()).scaled(0.0)
    assert charts(open_page("trained_heads", step="undivided"))["trained_undivided"].sentence.startswith("Not divided")
    assert found.n_tokens == 76
    assert found.score_std.min() > 1
    assert found.median_keys < 2


def test_trained_heads_spread_widely_and_look_at_few_or_many_words():
    found = measure_trained_heads(TrainedHeadsParams()).scaled(0.5)
    assert (found.score_std > 1).mean() > 0.6
    assert found.effective_keys.min() < 2 < 60 < found.effective_keys.max()


def test_try_too_much(tried):
    found = scaled(*tried("trained_heads", "too_much", **ADVERSE))
    assert (found.score_std >= 1).sum() == 1
    assert found.median_keys > 0.9 * found.n_tokens


def test_try_shuffled(tried):
    found = scaled(*tried("trained_heads", "shuffled", **ADVERSE))
    other = measure_trained_heads(TrainedHeadsParams()).scaled(0.5)
    assert np.corrcoef(np.log(found.score_std).ravel(), np.log(other.score_std).ravel())[0, 1] > 0.95


def weights(app, shown):
    state = app.session_state
    return shown.measure_trained_heads.weights(state["layer"], state["head_of_layer"], state["exponent"])


def test_try_neighbour(tried):
    found = weights(*tried("trained_heads", "neighbour", **ADVERSE))
    assert np.diag(found, -1).min() > 0.99


def test_try_pronoun(tried):
    app, shown = tried("trained_heads", "pronoun", **ADVERSE)
    tokens = shown.measure_trained_heads.tokens
    row = weights(app, shown)[app.session_state["word"] - 1]
    assert tokens[app.session_state["word"] - 1] == "it"
    assert tokens[int(row.argmax())] == "cat"


def test_head_without_a_target_looks_at_the_start_of_the_text():
    said = {"step": "one_head", "layer": "4", "head_of_layer": "2", "word": "4"}
    shown = charts(open_page("trained_heads", **said))["trained_attention"]
    assert shown.sentence == "As trained, “boat” looks most at “[CLS]”, with 93 % of its weight."


# --- before the bet --------------------------------------------------------------------------------------


def test_truth_is_the_median_number_of_keys_without_the_scale():
    controls = LESSONS["trained_heads"].controls
    values = {name: each.default for name, each in controls.items()}
    found = measure_trained_heads(TrainedHeadsParams()).scaled(0.0)
    assert bet.outcome(values).truth == np.median(found.effective_keys)
    assert f"spread by {found.median_std:.2g}," in bet.outcome(values).why


def test_exponent_has_no_slider_while_the_bet_is_open():
    app = open_page("trained_heads", bet="1", step="heads")
    assert step_of(app).name == "undivided"
    assert "exponent" not in drawn_controls(app)
    app = open_page("trained_heads", bet="1", guess="3", step="heads")
    assert step_of(app).name == "heads"
    assert "exponent" in drawn_controls(app)


def test_open_bet_shows_only_the_spreads():
    heads = measure_trained_heads(TrainedHeadsParams("cat"))
    found = heads.scaled(0.0)
    known = figures.spread_alone(found, figures.spread(heads, 0.0, LIGHT))
    seen = [each["name"] for each in known.figure.data if each["x"][0] is not None]
    assert seen == ["ideal q and k", "heads, σ", "median, σ"]
    assert known.sentence.startswith("In a typical head, the solid line, the scores of a row spread by ")
    assert f" {found.median_std:.2g}; the dashed line is at 1." in known.sentence
    assert (known.table, known.sure, known.code) == ({}, (), "")


def test_a_page_shows_the_first_rows_of_a_long_table_and_says_so():
    app = open_page("trained_heads", step="one_head")
    app.session_state["trained_attention_data"] = True
    app.run()
    pairs = app.table[-1].value
    assert list(pairs.columns) == ["from", "to", "weight"]
    assert len(pairs) == MOST_ROWS
    assert [each.value for each in app.caption if "rows" in each.value] == [
        f"The first {MOST_ROWS} of 5,776 rows. The file has them all."
    ]
