"""The upload on your_scores: good files are measured, bad ones get a sentence, and no file is stored."""

import io
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from pages._view.lessons.your_scores import work
from pages._view.lessons.your_scores.declaration import LESSON
from pages._view.literal import written
from pages._view.page.fragments import your_scores as uploads
from pages._view.theme import LIGHT
from sattn_core.lessons import your_scores as core
from sattn_core.lessons.your_scores import YourScoresParams, sample_file
from tests.pages.opening import app_at, charts

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = work.sample_params("ideal", 16, 0)


@pytest.fixture(autouse=True)
def session(monkeypatch, request):
    """Return the state of a session without a page; tests that open the page use the session of their app."""
    state = {}
    if not {"tried", "opened"} & {*request.fixturenames}:
        monkeypatch.setattr(st, "session_state", state)
    return state


def chosen(name, data, file_id="1"):
    """Return a chosen file as Streamlit delivers it."""
    return SimpleNamespace(name=name, file_id=file_id, getvalue=lambda: data)


def array_file(array, name="q.npy", file_id="1", **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return chosen(name, stream.getvalue(), file_id)


def both(heads=8, file_id="1"):
    name, data = sample_file(YourScoresParams("layer_norm_mha" if heads > 1 else "ideal", n_rows=8, d_k=4))
    return chosen(name, data, file_id)


def test_sample_is_shown_without_a_file():
    result, own, problems = uploads.measure(SAMPLE, None, None, 99)
    assert (result.report.d_k, result.report.n_queries, own, problems) == (16, work.SAMPLE_ROWS, (), [])


def test_one_file_with_q_and_k_is_measured_at_the_chosen_head():
    result, own, problems = uploads.measure(SAMPLE, both(), None, 3)
    assert (result.report.n_heads, result.head, own, problems) == (8, 2, ("layer_norm_mha.npz",), [])
    assert uploads.measure(SAMPLE, both(heads=1, file_id="2"), None, 3)[0].head == 0


def test_two_files_are_measured_together():
    q, k = array_file(np.eye(4)), array_file(2 * np.eye(4), "k.npy", "2")
    result, own, _ = uploads.measure(SAMPLE, q, k, 1)
    assert own == ("q.npy", "k.npy")
    assert (result.report.n_keys, result.shown.key.variance) == (4, 0.75)  # variance of the entries of 2 I₄: 2² · ¼ · ¾


@pytest.mark.parametrize(
    ("q_file", "said"),
    [
        (chosen("q.npy", b"\x93NUMPY\x01\x00"), "q.npy is damaged"),
        (chosen("q.pt", b"1,2"), "q.pt must be a .npy, .npz, .csv or .safetensors file"),
        (array_file(np.eye(4)), "q.npy holds one array, which is Q: now choose a file for K."),
    ],
)
def test_a_bad_file_gets_one_sentence_and_the_sample_stays(q_file, said):
    result, own, (problem,) = uploads.measure(SAMPLE, q_file, None, 1)
    assert said in problem
    assert (own, result.report.d_k) == ((), 16)


@pytest.mark.parametrize(("array", "said"), [(np.full((4, 4), np.nan), "finite"), (np.eye(5), "same d_k")])
def test_bad_array_beside_a_good_one_is_explained(array, said):
    _, own, (problem,) = uploads.measure(SAMPLE, array_file(array), array_file(np.eye(4), "k.npy", "2"), 1)
    assert not own
    assert said in problem


def test_file_for_k_alone_asks_for_a_file_for_q():
    assert uploads.measure(SAMPLE, None, both(), 1)[2] == [
        "A file for K needs a file for Q beside it; choose that one too."
    ]


def test_file_is_read_once_per_head_and_only_its_report_is_kept(session):
    asked, file = [], both()
    data = file.getvalue()
    file.getvalue = lambda: asked.append(1) or data
    first = uploads.measure(SAMPLE, file, None, 1)[0]
    assert uploads.measure(SAMPLE, file, None, 1)[0] is first
    assert (len(asked), list(session)) == (1, ["your_report"])
    uploads.measure(SAMPLE, file, None, 2)
    assert len(asked) == 2
    uploads.measure(SAMPLE, None, None, 1)
    assert list(session) == []


@pytest.mark.parametrize("step", LESSON.steps, ids=lambda step: step.name)
def test_every_step_shows_the_chosen_file(step, session, monkeypatch):
    values = {"sample": "ideal", "d_k": 16, "seed": 0, "head": 2}
    monkeypatch.setattr(uploads.controls, "address", lambda: SimpleNamespace(values=values, step=step))
    monkeypatch.setattr(uploads.frame, "profile", lambda: LIGHT)
    assert uploads.picture() is None
    session.update({"q_file_key": "q_file_again", "q_file_again": both(), "k_file_key": "k_file", "k_file": None})
    shown = uploads.picture()
    assert (shown.key, shown.alt.startswith("Your file, 8 heads, 8 queries")) == (step.picture, True)
    session["q_file_again"] = "lost"
    assert uploads.picture() is None


class Browser:
    """Upload fields of a browser, as Streamlit reports them: None for a file that this server does not have."""

    def __init__(self, state, **files):
        self.state, self.files, self.drawn, self.ticked = state, files, None, {}

    def file_uploader(self, label, *, key, **callback):
        self.drawn, self.change = key, callback
        self.state[key] = self.files.get(key)
        return None if self.state[key] == "lost" else self.state[key]

    def choose(self, file):
        """Put a file, or None, into the field."""
        self.files[self.drawn] = file
        self.change["on_change"](*self.change["args"])

    def checkbox(self, label, *, key):
        self.ticked[key] = self.state.setdefault(key, self.ticked.get(key, False))
        return self.ticked[key]


class Again(Exception):
    """A stand-in for the exception by which Streamlit reruns a page."""


@pytest.fixture
def come(session, monkeypatch):
    """Return a function that draws an upload field in a new session and returns browser, file and remarks."""

    def draw(ticked=(), **files):
        session.clear()
        browser = Browser(session, **files)
        browser.ticked.update(ticked)
        monkeypatch.setattr(st, "empty", lambda: browser)
        monkeypatch.setattr(st, "checkbox", browser.checkbox)
        try:
            file = uploads.draw_field("q_file", "Q")
        except Again:
            browser.files.pop("q_file" if session["q_file_key"] == "q_file_again" else "q_file_again")
            file = uploads.draw_field("q_file", "Q")
        return browser, file, uploads.remarks("q_file")

    def rerun():
        raise Again

    monkeypatch.setattr(st, "rerun", rerun)
    return draw


def test_a_new_session_has_an_empty_field_and_no_note(come):
    browser, file, remarks = come()
    assert (browser.drawn, file, remarks) == ("q_file", None, [])
    browser.files["q_file"] = "own.npz"
    assert uploads.draw_field("q_file", "Q") == "own.npz"


@pytest.mark.parametrize(("held", "fresh"), [("q_file", "q_file_again"), ("q_file_again", "q_file")])
def test_field_whose_file_was_lost_is_replaced_by_an_empty_one(come, held, fresh):
    browser, file, remarks = come(**{held: "lost"})
    assert (browser.drawn, file, remarks) == (fresh, None, [uploads.LOST])
    assert come(browser.ticked)[1:] == (None, [uploads.LOST])  # the next server does not have the file either
    browser, *_ = come(**{held: "lost"})
    assert (uploads.draw_field("q_file", "Q"), uploads.remarks("q_file")) == (None, [uploads.LOST])
    browser.choose("own.npz")
    assert (uploads.draw_field("q_file", "Q"), browser.drawn, uploads.remarks("q_file")) == ("own.npz", fresh, [])
    assert come(browser.ticked)[1:] == (None, [])


@pytest.mark.parametrize("left", [True, False])
def test_file_lost_on_another_page_is_reported_and_a_removed_one_is_not(come, session, left):
    browser, *_ = come()
    uploads.draw_field("q_file", "Q")
    browser.choose("own.npz")
    assert uploads.draw_field("q_file", "Q") == "own.npz"
    if left:  # on another page, Streamlit drops the value of the field
        browser.files.clear()
        session.pop("q_file_missed")
    else:
        browser.choose(None)
    assert (uploads.draw_field("q_file", "Q"), uploads.remarks("q_file")) == (None, [uploads.LOST] * left)


def test_stated_upload_limits_are_those_of_the_server():
    config = (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert "maxUploadSize = 64\n" in config
    assert "at most 64 MB" in work.UPLOAD_NOTES[0]
    assert "two files have at most 64 MB together" in work.UPLOAD_NOTES[0]
    assert "not stored, not logged" in work.UPLOAD_NOTES[1]


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"head": "7", "d_k": "3", "seed": "9", "sample": "ideal"}


def test_try_layer_norm_mha(tried):
    _, shown = tried("your_scores", "layer_norm_mha", **ADVERSE)
    result = shown.measure_sample
    assert len(result.rows) == 8
    assert result.report.code == "too_strong"
    for row in result.rows:
        assert row.scaled_std == pytest.approx(0.5, abs=0.02)
        assert (row.q_variance, row.k_variance) == pytest.approx((0.5, 0.5), abs=0.05)


def test_try_anisotropic(tried):
    _, shown = tried("your_scores", "anisotropic", **ADVERSE)
    row = shown.measure_sample.rows[0]
    assert row.code == "too_weak"
    assert row.scaled_std == pytest.approx(2.0, abs=0.05)
    assert (row.q_variance, row.k_variance) == pytest.approx((1.0, 1.0), abs=0.05)


def test_try_aligned(tried):
    app, shown = tried("your_scores", "aligned", **ADVERSE)
    result = shown.measure_sample
    assert (result.report.d_k, app.session_state["d_k"]) == (256, 256)
    assert result.report.code == "aligned"
    assert result.rows[0].paired_lift > 6
    assert "close to 1, but query i scores" in result.report.verdict
    assert result.shown.paired_exponent.low > 0.8


def test_try_heavy_tailed(tried):
    _, shown = tried("your_scores", "heavy_tailed", **ADVERSE)
    head = shown.measure_sample.shown
    assert head.code == "right"
    assert head.scaled_std == pytest.approx(0.97, abs=0.005)
    assert not head.scaled_band[0] <= head.scaled_std <= head.scaled_band[1]
    assert head.tail_band[0] <= head.scaled_std <= head.tail_band[1]
    assert min(head.query.kurtosis, head.key.kurtosis) > 20
    assert "tails as heavy as here" in head.chance
    assert head.row_exponent.low <= 0.5 <= head.row_exponent.high


# --- real files ----------------------------------------------------------------------------------------


ROWS = np.random.default_rng(7).standard_normal((2, 12, 8)).round(4)
COUNTED = [
    ("\n".join([",".join(map(str, range(8))), *(",".join(map(repr, row)) for row in rows.tolist())])).encode()
    for rows in ROWS
]


def npz_of(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.fixture
def opened():
    """Return a function that opens the page and chooses files, each given as (name, bytes)."""

    def choose_files(*files, **query):
        app = app_at("your_scores", **query).run()
        for field, (name, data) in zip(app.get("file_uploader"), files, strict=False):
            field.set_value((name, data, "application/octet-stream"))
        return settled(app)

    return choose_files


def settled(app):
    app.run()
    app.run()
    assert [each.message for each in app.exception] == []
    return app


def alt_of(app):
    (main,) = [each for each in charts(app).values() if each.address]
    return main.alt


def choose(app, name, value):
    """Choose an option for reading the files."""
    kind = app.number_input if name == "heads" else app.selectbox
    kind(key=f"reading_{name}").set_value(value)
    return settled(app)


@pytest.mark.parametrize("step", LESSON.steps, ids=lambda step: step.name)
@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("q.pt", b"PK\3\4", "np.savez('q_and_k.npz', Q=q, K=k)"),
        ("q.npz", b"PK\3\4", "q.npz is cut off or damaged"),
        ("q.csv", COUNTED[0], "now choose a file for K"),
    ],
)
def test_error_of_a_refused_file_replaces_the_verdict(step, name, data, words, opened):
    app = opened((name, data), step=step.name)
    assert alt_of(app).startswith("Your file is not read. ")
    assert words in alt_of(app)
    assert words in app.error[0].value.replace("\\", "")
    assert "is right" not in " ".join([alt_of(app), *(each.sentence for each in charts(app).values())])
    assert [each.value for each in app.markdown if "What softmax does with them" in each.value] == []


def test_file_of_any_type_can_be_chosen(opened):
    assert {tuple(field.proto.type) for field in opened().get("file_uploader")} == {()}


def test_guess_about_a_file_is_stated_above_the_verdict_and_changeable(opened):
    app = opened(*zip(("q.csv", "k.csv"), COUNTED, strict=True))
    assert "12 queries, 12 keys, dₖ = 8; first line left out: it counts." in written(alt_of(app))
    assert any("first line left out: it counts" in each.value for each in app.markdown)
    choose(app, "first_line", "numbers")
    assert "13 queries, 13 keys, d_k = 8. " in alt_of(app)
    choose(app, "first_line", "guess")
    choose(app, "heads", 2)
    assert "2 heads, 12 queries, 12 keys, d_k = 4; first line left out: it counts; 2 heads side by side" in alt_of(app)


def test_the_axes_of_an_array_can_be_swapped(opened):
    rows = np.random.default_rng(1).standard_normal((40, 12, 4))
    app = opened(("q.npz", npz_of(Q=rows, K=rows)))
    assert "40 heads, 12 queries" in alt_of(app)
    assert "if it is 12 heads of 40 tokens, turn the axes below" in alt_of(app)
    assert "12 heads, 40 queries" in alt_of(choose(app, "axes", "tokens first"))
    assert not [each for each in app.selectbox if each.key == "reading_comma"]


def test_whole_numbers_that_look_like_bits_are_read_as_chosen(opened):
    bits = (ROWS.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    app = opened(("q.npz", npz_of(Q=bits[0], K=bits[1])))
    assert "they look like bits, or quantised values" in alt_of(app)
    assert "12 queries, 12 keys, d_k = 8; whole numbers taken for the bits of bfloat16" in alt_of(
        choose(app, "stored", "bfloat16")
    )


def test_displayed_code_reads_the_files_as_the_page_does():
    session_of = core.Reading(heads=2, first_line="names")
    result, problem = core.read_your_scores(("q.csv", COUNTED[0]), ("k.csv", COUNTED[1]), reading=session_of)
    assert problem is None
    shown = work.picture(
        "spread", {"sample": "ideal", "d_k": 16, "seed": 0, "head": 1}, result, ("q.csv", "k.csv"), LIGHT
    )
    assert "reading=Reading(first_line='names', heads=2)" in shown.code
    assert "from sattn_core.files.reading import Reading" in shown.code


def test_every_option_for_reading_files_has_a_label():
    assert {name: tuple(options) for name, (_, options) in work.SAID.items()} == dict(core.OPTIONS)
