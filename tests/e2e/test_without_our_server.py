"""A host that cannot run `app.py` runs the three lines of `.deploy/README.md`: the lab works, with less comfort."""

import re
import shutil

import pytest
from dashboard import LESSONS, SLIDER, go_to, menu_names, watch_menu
from hand import shown
from harness import ROOT, open_page, query_parameters, running_server, wait_until_idle

from pages._view.lessons import LESSONS as DECLARED
from pages._view.lessons import ORDER

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

_TOLD = (ROOT / ".deploy/README.md").read_text(encoding="utf-8")
LINES = re.search(r"```python\n(import runpy.*?)```", _TOLD, re.DOTALL)[1]


@pytest.fixture(scope="module")
def plain(browser, tmp_path_factory):
    """Yield the lab in a folder of its own, run by those lines."""
    folder = tmp_path_factory.mktemp("plain") / "lab"
    for name in ("pages", "sattn_core", ".streamlit"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ".streamlit" / "app.py").write_text(LINES, encoding="utf-8")
    with running_server(".streamlit/app.py", cwd=folder) as server:
        yield server


# Tests without a browser show that every lesson draws its pictures without our server; here each kind of picture is.
def test_streamlit_alone_shows_the_lessons_by_three_lines(new_page, plain, problems):
    page = new_page(alone=True)
    watch_menu(page)
    open_page(page, plain, "score_variance", d_k=100)  # as the first visit: no lesson is opened without its frame
    on_path = {each.question for each in DECLARED.values() if each.section == DECLARED[ORDER[0]].section}
    assert menu_names(page) >= on_path
    links = page.get_by_test_id("stSidebar").get_by_role("link", include_hidden=True).all_text_contents()
    assert {each.strip() for each in links} >= set(LESSONS.values())  # the others are folded
    for stem in ("", "attention_steps", "training_race"):
        go_to(page, LESSONS[stem])
        assert page.locator("[data-hero] svg path.fill, [data-picture] .main-svg").count() > 0
    assert query_parameters(page)["d_k"] == "100"
    page.locator(SLIDER).press("ArrowRight")
    page.wait_for_function("() => new URLSearchParams(location.search).get('d_k') !== '100'")  # race_d_k stays
    wait_until_idle(page)
    assert str(shown(page)) == query_parameters(page)["d_k"] != "100"
    problems.clear()  # no bundle at its first address
