"""A new lesson begins with one command, in the places that the README names and in no other."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("streamlit", reason="the lesson is opened as a page")

PLACES = {
    "pages/how_sure.py",
    "pages/_view/lessons/how_sure/__init__.py",
    "pages/_view/lessons/how_sure/bet.py",
    "pages/_view/lessons/how_sure/declaration.py",
    "pages/_view/lessons/how_sure/figures.py",
    "pages/_view/lessons/how_sure/work.py",
    "sattn_core/lessons/how_sure.py",
    "tests/unit/test_lesson_how_sure.py",
    "tests/figures/test_how_sure.py",
    "tests/pages/test_how_sure.py",
}
SHARED = {"pages/_view/lessons/__init__.py", "README.md"}


def contents(root):
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the product, and what it held before a lesson was added."""
    root = tmp_path_factory.mktemp("copy") / "lab"
    skipped = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "e2e", "benchmarks")
    shutil.copytree(ROOT, root, ignore=skipped)
    before = contents(root)
    command = [sys.executable, ".template", "how_sure", "How sure can we be?"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return root, before, done.stdout.split()


def test_it_touches_the_named_places_only(copy):
    root, before, printed = copy
    after = contents(root)
    assert set(after) - set(before) == PLACES
    assert {name for name, content in before.items() if after[name] != content} == SHARED
    assert set(printed) == PLACES | SHARED
    readme = after["README.md"].decode()
    assert [name for name in PLACES if name.replace("how_sure", "X") not in readme] == []


def test_the_order_and_the_readme_get_one_line_each(copy):
    root, before, _ = copy
    for name in SHARED:
        old, new = before[name].decode().splitlines(), (root / name).read_text(encoding="utf-8").splitlines()
        assert len(new) == len(old) + 1
        assert [line for line in new if "how_sure" in line] == [line for line in new if line not in old]


def test_the_new_lesson_passes_its_own_tests_and_those_of_every_lesson(copy):
    root, *_ = copy
    tests = ["tests/unit/test_lesson_how_sure.py", "tests/figures/test_how_sure.py", "tests/unit/test_house.py"]
    tests += [f"tests/pages/test_{name}.py" for name in ("how_sure", "every_lesson", "tries", "bets")]
    chosen = "how_sure or test_every_page_has_its_room or test_only_the_order_and_the_readme"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, *tests]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=600, check=False, env=environment)
    assert done.returncode == 0, done.stdout[-4_000:]


def test_a_name_that_is_taken_or_none_is_refused(copy):
    root, *_ = copy
    for name, said in (("how_sure", "is there already"), ("How sure", "must be lower-case words")):
        command = [sys.executable, ".template", name, "What?"]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode != 0
        assert said in done.stderr
