"""Addresses that the scripts request while a slider moves: the server knows each picture by the same address."""

import pytest

from pages._view import entry
from pages._view.address import Address
from pages._view.lessons import LESSONS, VIEWS
from pages._view.stage import Stage

pytestmark = pytest.mark.e2e

# The steps whose picture follows a slider, with other parameters that a link may have.
PLACES = [
    (stem, {"step": step.name, "seed": "3", **more})
    for stem, lesson in LESSONS.items()
    for step in lesson.steps
    if step.followed and VIEWS[stem].is_drawn
    for more in ({}, {"mode": "projector", "law": "student_t"}, {"bet": "1"})
]
TEXTS = {"text": "a b+c&d=e~*.-_'()!é√", "list_1": "4, 5"}
ASK = """all => all.map(([told, values, ground]) =>
  script.entryAt({...told, address: script.entryAt(told, ground)}, values))"""


@pytest.mark.walk
def test_scripts_and_server_use_the_same_address_for_each_stop(load):
    asked, named = [], []
    for stem, query in [*PLACES, ("trained_heads", TEXTS), ("softmax_saturation", TEXTS | {"step": "lists"})]:
        told = Stage(Address(LESSONS[stem], query)).places()
        for name in told["values"]:
            for value in Stage(Address(LESSONS[stem], query)).stops(name):
                values = told["values"] | {name: value}
                asked.append([told, values, {"ground": "dark"}])
                named.append((stem, Address(LESSONS[stem], query, values)))
    found = load("entry.js", names=("entryAt",)).evaluate(ASK, asked)
    assert found == [f"moving/{stem}?{entry.name_of(here, 'dark')}" for stem, here in named]
    assert len(set(found)) > 1000


def test_requests_leave_out_default_values_and_sort_the_rest(load):
    page = load("entry.js", names=("entryAt",))
    told = {"address": "moving/X?v=1&seed=3&d_k=8", "usual": {"d_k": 64}}
    ask = "([told, values]) => script.entryAt(told, values)"
    assert page.evaluate(ASK, [[told, {"d_k": 64}, {}]]) == ["moving/X?seed=3&v=1"]
    assert page.evaluate(ask, [told, {"d_k": 0.015625, "a": "b c"}]) == "moving/X?a=b+c&d_k=0.015625&seed=3&v=1"
