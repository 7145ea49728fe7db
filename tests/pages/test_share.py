"""The link that a lesson shares, as text and as a QR code: its settings without the sharer's own values."""

from xml.etree import ElementTree

import pytest
import segno

from pages._view.address import own
from pages._view.codes import code_of
from pages._view.kinds import Answer
from pages._view.lessons import LESSONS
from tests.pages.opening import open_page

WITH_ANSWERS = [
    (stem, name) for stem, lesson in LESSONS.items() for name, each in lesson.linked.items() if isinstance(each, Answer)
]


def shared(stem, each=False, **query):
    """Return the share dialog's link and the alt texts of its images; `each` chooses a seed for each visitor."""
    app = open_page(stem, **query)
    app.session_state["share_each"] = each
    app.button(key="share").click()
    app.run()
    assert [each.message for each in app.exception] == []
    (link,) = [each.value for each in app.code if each.value.startswith(("http", "?")) or not each.value]
    return link, [each.proto.imgs[0].alt for each in app.get("image")]


def test_shared_link_omits_personal_values_of_the_sharer():
    own = {"mode": "projector", "rest": "shown", "bet": "draw", "guess": "1-2-3-4-5", "tally": "1-2"}
    link, codes = shared("score_variance", d_k="256", axis="own", seed="0", **own)
    assert link.partition("?")[2] == "d_k=256&step=draw&axis=own"
    assert codes == ["A QR code of the link"]


@pytest.mark.parametrize("stem", LESSONS)
def test_every_lesson_offers_a_link(stem):
    link, codes = shared(stem, d_k="16")
    opens = LESSONS[stem].opens
    assert link.partition("?")[2] == (f"d_k=16&step={opens}" if opens else "d_k=16")
    assert len(codes) == 1


@pytest.mark.parametrize(("stem", "name"), WITH_ANSWERS)
def test_shared_links_contain_no_answers(stem, name):
    assert name in own(LESSONS[stem])


def test_qr_code_is_black_on_white_with_a_quiet_zone():
    link = "https://lab.example/score_variance?d_k=256"
    drawn = ElementTree.fromstring(code_of(link))
    size = int(drawn.get("viewBox").split()[-1])
    assert size == segno.make_qr(link, error="l").symbol_size(border=4)[0]
    fills = {each.get("fill") or each.get("stroke") for each in drawn.iter() if each.tag.endswith("path")}
    assert fills == {"#fff", "#000"}


def test_link_too_long_for_a_qr_code_is_shared_as_text_only():
    link, codes = shared("attention_steps", Q="é" * 900)  # é takes six characters in an address
    assert (len(link) > 2953, codes) == (True, [])
    assert code_of("x" * 2953)


def test_shared_link_omits_matrices_too_long_for_an_address():
    app = open_page("attention_steps")
    app.text_area(key="Q").set_value(" ".join(["0.1234567"] * 300)).run()
    app.button(key="share").click()
    app.run()
    (link,) = [each.value for each in app.code if each.value.startswith(("http", "?")) or not each.value]
    assert "Q=" not in link
