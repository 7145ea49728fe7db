"""The main picture while a slider moves: the server sends the picture that the page shows at rest."""

import gzip
import json
from urllib.parse import parse_qsl, urlsplit

import pytest
from starlette.applications import Starlette

from pages._view import compute, entry
from pages._view.address import Address
from pages._view.compute import store
from pages._view.kinds import Choice
from pages._view.lessons import LESSONS, VIEWS
from pages._view.server import moving
from pages._view.version import VERSION
from tests.pages.asgi import ask
from tests.pages.opening import FOLLOWING, at_step, charts, controls_of, open_page

UNTRAINED = {"race": {"n_steps": "3000"}}  # a race so slow that it needs a button
SHORT = {"rates": {"n_steps": "10", "n_pairs": "4", "n_seeds": "1"}}  # maps so quick that they need no button


def answer(address, **headers):
    """Return status, headers and body of the server's answer."""
    return ask(Starlette(routes=moving.routes()), f"/{address}", **headers)


def picture_at(address):
    status, _, body = answer(address)
    assert status == 200
    return json.loads(body)


def main_picture(app):
    """Return the picture that follows the slider."""
    (found,) = [each for each in charts(app).values() if each.address]
    return found


def two_places(stem, name):
    """Return two stops of a lesson's slider, written as in an address."""
    stops = controls_of(stem)[name].stops
    return ("16", "100") if name == "d_k" else tuple(f"{stops[i]:g}" for i in (1, -2))


@pytest.mark.parametrize(("stem", "step"), FOLLOWING)
def test_picture_during_a_drag_equals_that_of_the_page_at_rest(stem, step):
    others = {"seed": "3"} | UNTRAINED.get(step, {}) | SHORT.get(step, {}) | at_step(step)
    slider = LESSONS[stem].step(step).followed[0]
    near, far = two_places(stem, slider)
    elsewhere = main_picture(open_page(stem, **{slider: near}, **others))
    asked = picture_at(f"{elsewhere.address}&{slider}={far}")
    there = main_picture(open_page(stem, **{slider: far}, **others))
    layouts = [json.loads(figure)["layout"] for figure in (asked["figure"], there.spec)]
    assert layouts[0] == layouts[1]
    main = VIEWS[stem].of(LESSONS[stem].step(step))
    assert asked["figure"] == there.spec or main.at_rest  # the page at rest may draw more
    assert (asked["sentence"], asked["height"]) == (there.sentence, there.height)
    assert elsewhere.spec != there.spec


@pytest.mark.parametrize(("stem", "step"), FOLLOWING)
def test_picture_url_contains_every_control_except_the_sliders(stem, step):
    bars = {name: one for name, one in LESSONS[stem].controls.items() if isinstance(one, Choice) and one.bar}
    chosen = {name: one.write(one.options[1]) for name, one in bars.items() if one.options[1] != one.default}
    slider = LESSONS[stem].step(step).followed[0]
    place, chosen = two_places(stem, slider)[1], chosen | at_step(step) | SHORT.get(step, {})
    shown = main_picture(open_page(stem, seed="7", mode="projector", **{slider: place}, **chosen))
    said = dict(parse_qsl(urlsplit(shown.address).query))
    read, meant = Address(LESSONS[stem], said), Address(LESSONS[stem], chosen | {"seed": "7", "mode": "projector"})
    assert urlsplit(shown.address).path == f"moving/{stem}"
    assert (shown.values[slider], said["mode"]) == (float(place), "projector")
    assert shown.values.keys() == {*LESSONS[stem].step(step).followed}
    for name in {*entry.depends_on(meant)} - shown.values.keys():
        assert read.said[name] == meant.said[name]
    assert not said.keys() & shown.values.keys()


def test_values_out_of_bounds_are_clipped():
    far = picture_at("moving/score_variance?d_k=99999&seed=-5&law=none&n_samples=1&foo=1")
    near = picture_at("moving/score_variance?d_k=1024&seed=0&n_samples=1000")
    assert far == near


@pytest.mark.parametrize("stem", ["recap", "nothing", "__init__", "corrections"])
def test_lesson_without_a_moving_picture_gets_a_404(stem):
    assert answer(f"moving/{stem}?d_k=64")[0] == 404


def test_a_computation_that_needs_a_button_is_not_run(monkeypatch):
    assert VIEWS["score_variance"].steps["draw"].params
    monkeypatch.setattr(store, "AT_ONCE", 0.0)
    monkeypatch.setattr(compute, "result", None)
    assert answer("moving/score_variance?d_k=64")[0] == 204


# --- caching --------------------------------------------------------------------------------------------

KEPT = "public, max-age=86400, s-maxage=86400, stale-while-revalidate=604800"
NAME = f"d_k=65&ground=dark&seed=3&v={VERSION}"


def test_response_is_compressed_if_the_browser_accepts_it():
    _, packed_headers, packed = answer("moving/score_variance?d_k=64", accept_encoding="gzip")
    _, plain_headers, plain = answer("moving/score_variance?d_k=64")
    assert packed_headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain_headers
    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 2


def test_picture_of_the_running_version_is_cached_under_its_own_name():
    status, headers, body = answer(f"moving/score_variance?{NAME}", cookie="a=b", accept_language="de", host="evil")
    assert (status, headers["cache-control"], headers["vary"]) == (200, KEPT, "Accept-Encoding")
    assert answer(f"moving/score_variance?{NAME}")[1:] == (headers, body)
    assert "set-cookie" not in headers


@pytest.mark.parametrize(
    "name",
    [
        NAME.replace(VERSION, "0123456789ab"),
        NAME.replace(f"&v={VERSION}", ""),
        f"v={VERSION}&d_k=65&ground=dark&seed=3",
        f"{NAME}&x=1",
        NAME.replace("seed=3", "seed=03"),
        NAME.replace("seed", "%73eed"),
        NAME.replace("seed=3", "n_keys=16&seed=3"),
        NAME.replace("ground=dark", "ground=dark&rest=shown"),
        NAME.replace("seed=3", "seed=4&seed=3"),
    ],
)
def test_picture_under_another_name_is_never_cached(name):
    """Include names of another version: a deploy must never mix pictures of two versions."""
    status, headers, body = answer(f"moving/score_variance?{name}")
    assert (status, headers["cache-control"]) == (200, "private, no-store")
    assert "etag" not in headers
    ground = "" if "ground" not in name else "ground=dark&"
    assert body == answer(f"moving/score_variance?d_k=65&{ground}seed=3&v={VERSION}")[2]


@pytest.mark.parametrize(
    "said",
    [{"bet": "1", "guess": "4"}, {"bet": "1", "reveal": "1"}, {"class": "4~8"}, {"room": "ABCD"}, {"phones": "3"}],
)
def test_picture_with_bets_of_a_visitor_or_a_class_is_never_cached(said):
    lesson = LESSONS["score_variance"]
    named = entry.name_of(Address(lesson, said), "dark")
    for asked in (named, entry.as_asked(dict(parse_qsl(named)) | said)):
        status, headers, _ = answer(f"moving/score_variance?{asked}")
        is_said = not entry.THEIRS.isdisjoint(dict(parse_qsl(asked)))
        assert (status, headers["cache-control"]) == (200, "private, no-store" if is_said else KEPT)
    assert is_said


def test_picture_with_an_open_bet_is_publicly_cached():
    named = entry.name_of(Address(LESSONS["score_variance"], {"bet": "1"}), "dark")
    assert named.startswith("bet=1&")
    assert answer(f"moving/score_variance?{named}")[1]["cache-control"] == KEPT


def test_a_missing_picture_is_never_cached(monkeypatch):
    for address in (f"nothing?{NAME}", f"recap?{NAME}", "score_variance?seed=mine"):
        assert (answer(f"moving/{address}")[0], answer(f"moving/{address}")[1]["cache-control"]) == (
            404,
            "private, no-store",
        )
    monkeypatch.setattr(store, "AT_ONCE", 0.0)
    status, headers, _ = answer(f"moving/score_variance?{NAME}")
    assert (status, headers["cache-control"]) == (204, "private, no-store")


def test_a_browser_that_has_the_picture_gets_a_304():
    address = f"moving/score_variance?{NAME}"
    marks = {}
    for taken in ("", "gzip", "gzip, br"):
        _, headers, _ = answer(address, accept_encoding=taken)
        marks[taken] = headers["etag"]
        for said in (headers["etag"], f'"x", W/{headers["etag"]}', "*"):
            status, told, body = answer(address, accept_encoding=taken, if_none_match=said)
            assert (status, body, told["etag"]) == (304, b"", headers["etag"])
            assert (told["cache-control"], told["vary"]) == (KEPT, "Accept-Encoding")
    assert len(set(marks.values())) == 3
    assert [each.startswith('"') for each in marks.values()] == [True] * 3
    assert answer(address, accept_encoding="gzip", if_none_match=marks["gzip, br"])[0] == 200
