"""The lab on a host that cannot run `app.py`: the three lines of `.deploy/README.md` run it with plain Streamlit."""

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
    """Yield a server of the lab in a new folder, run by the lines of `.deploy/README.md`."""
    folder = tmp_path_factory.mktemp("plain") / "lab"
    for name in ("pages", "sattn_core", ".streamlit"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ".streamlit" / "app.py").write_text(LINES, encoding="utf-8")
    with running_server(".streamlit/app.py", cwd=folder) as server:
        yield server


# One lesson for each kind of picture; the tests without a browser draw every lesson without our server.
def test_plain_streamlit_shows_the_lessons(new_page, plain, problems):
    page = new_page(alone=True)
    watch_menu(page)
    open_page(page, plain, "score_variance", d_k=100)  # the first visit: menu and Settings must be there
    on_path = {each.question for each in DECLARED.values() if each.section == DECLARED[ORDER[0]].section}
    assert menu_names(page) >= on_path
    links = page.get_by_test_id("stSidebar").get_by_role("link", include_hidden=True).all_text_contents()
    assert {each.strip() for each in links} >= set(LESSONS.values())  # some are in closed folds
    for stem in ("", "attention_steps", "training_race"):
        go_to(page, LESSONS[stem])
        assert page.locator("[data-hero] svg path.fill, [data-picture] .main-svg").count() > 0
    assert query_parameters(page)["d_k"] == "100"
    page.locator(SLIDER).press("ArrowRight")
    page.wait_for_function("() => new URLSearchParams(location.search).get('d_k') !== '100'")  # d_k, not race_d_k
    wait_until_idle(page)
    assert str(shown(page)) == query_parameters(page)["d_k"] != "100"
    problems.clear()  # Plotly's bundle is missing at its first URL
