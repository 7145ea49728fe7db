"""Rules of the house that no tool can hold: layout, page anatomy, body length, docstrings. See also `.importlinter`.

Nothing here imports Streamlit or Plotly: these tests also run where only the core is installed.
Every rule is a function of source text, and each is also shown a text that breaks it.
"""

import ast
import inspect
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

import sattn_core

ROOT = Path(__file__).resolve().parents[2]
STDLIB = frozenset(sys.stdlib_module_names)
VISIBLE_NAMES = {"app.py", "pages", "sattn_core", "tests", "requirements.txt", "README.md"}

# What a page may import besides the standard library and its own lesson, as module prefixes.
PAGE_MAY = ("streamlit", "pages._view")

PAGE_LINES = 80
CORE_LINES, VIEW_LINES = 20, 24  # of one function's body

CORE = sorted((ROOT / "sattn_core").rglob("*.py"))
PAGES = sorted((ROOT / "pages").glob("*.py"))
EVERY_VIEW = sorted((ROOT / "pages" / "_view").rglob("*.py"))
ROOMS = ROOT / "pages" / "_view" / "lessons"
LIVE = sorted(p for p in (ROOT / "pages").rglob("*") if p.suffix in {".js", ".css", ".html"})


def _name(path):
    return path.relative_to(ROOT).as_posix()


def _read(path):
    return path.read_text(encoding="utf-8")


def _cases(paths):
    return [pytest.param(path, id=_name(path)) for path in paths]


# --- the arrow ---------------------------------------------------------------------------------------


def imported_modules(source):
    """Full names of all imports, `from a import b` as "a.b"."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def forbidden_in_a_page(source, stem):
    """A page may take what it needs from the rooms of its own lesson, and from no other's."""
    own = (f"pages._view.lessons.{stem}", f"sattn_core.lessons.{stem}")
    names = imported_modules(source)
    rooms = {name for name in names if re.match(rf"(pages\._view|sattn_core)\.lessons\.(?!{stem}\b)\w", name)}
    return sorted({*forbidden_imports(source, (*PAGE_MAY, *own)), *rooms})


def computes(source):
    """Calls of what a page has from the core, except that it makes its Params: the rest is for `compute.result`."""
    tree = ast.parse(source)
    taken = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module.startswith("sattn_core")
        for alias in node.names
        if not alias.name.endswith("Params")
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return sorted(ast.unparse(node) for node in calls if ast.unparse(node.func) in taken)


def forbidden_imports(source, allowed):
    def fits(name):
        return name.split(".")[0] in STDLIB or any(f"{name}.".startswith(f"{prefix}.") for prefix in allowed)

    return sorted(name for name in imported_modules(source) if not fits(name))


def test_the_server_imports_the_view_and_streamlit_only():
    assert forbidden_imports(_read(ROOT / "app.py"), PAGE_MAY) == []


@pytest.mark.parametrize("path", _cases(PAGES))
def test_pages_import_only_the_view_streamlit_and_their_own_lesson(path):
    assert forbidden_in_a_page(_read(path), path.stem) == []
    assert computes(_read(path)) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from sattn_core.lessons.start import StartParams, measure_start", []),
        ("from pages._view.lessons.start import figures", []),
        ("from sattn_core import softmax", ["sattn_core.softmax"]),
        ("from pages._view.lessons.backprop import figures", ["pages._view.lessons.backprop.figures"]),
        ("from pages._view.lessons.startled import figures", ["pages._view.lessons.startled.figures"]),
        ("import math\nimport pandas as pd", ["pandas"]),
        ("import pages.backprop", ["pages.backprop"]),
        ("def f():\n    from pages import backprop", ["pages.backprop"]),
    ],
)
def test_a_page_that_takes_what_is_not_its_own_is_seen(source, found):
    assert forbidden_in_a_page(source, "start") == found


def test_a_page_that_computes_is_seen():
    head = "from sattn_core.lessons.start import StartParams, measure_start\n"
    assert computes(head + "compute.result(measure_start, StartParams())") == []
    assert computes(head + "measure_start(StartParams())") == ["measure_start(StartParams())"]


# --- the anatomy of a page ---------------------------------------------------------------------------


def page_faults(source):
    """What a page must not have: length, classes, functions that are no fragments, arithmetic."""
    tree = ast.parse(source)
    faults = [] if len(source.splitlines()) < PAGE_LINES else [f"{len(source.splitlines())} lines"]
    for node in ast.walk(tree):
        if fault := _node_fault(node):
            faults.append(f"line {node.lineno}: {fault}")
    return faults


def _node_fault(node):
    if isinstance(node, ast.ClassDef):
        return "defines a class"
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not _is_fragment(node):
        return "defines a function that is no fragment"
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and not isinstance(node.op, ast.BitOr):
        return f"does arithmetic: {ast.unparse(node)}"
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        return None if isinstance(node.operand, ast.Constant) else f"does arithmetic: {ast.unparse(node)}"
    return None


def _is_fragment(node):
    decorators = [ast.unparse(each) for each in node.decorator_list]
    return any(each.split("(")[0] in {"st.fragment", "fragment"} for each in decorators)


@pytest.mark.parametrize("path", _cases(PAGES))
def test_page_reads_like_a_slide(path):
    assert page_faults(_read(path)) == []


GOOD_PAGE = '"""Claim."""\n\nfrom pages._view import frame\n\nprofile = frame.profile()\n'


@pytest.mark.parametrize(
    ("source", "faults"),
    [
        (GOOD_PAGE, []),
        (GOOD_PAGE + "\n@st.fragment\ndef lesson():\n    show(-1, not x, 'ab'[0])\n", []),
        (GOOD_PAGE + "x = a / b\n", ["line 6: does arithmetic: a / b"]),
        (GOOD_PAGE + "x = -a\n", ["line 6: does arithmetic: -a"]),
        (GOOD_PAGE + "x = options | {'seed': 0}\n", []),
        (GOOD_PAGE + "x += 1\n", ["line 6: does arithmetic: x += 1"]),
        (GOOD_PAGE + "x = '%s' % y\n", ["line 6: does arithmetic: '%s' % y"]),
        (GOOD_PAGE + "class Params:\n    pass\n", ["line 6: defines a class"]),
        (GOOD_PAGE + "def f():\n    pass\n", ["line 6: defines a function that is no fragment"]),
        (GOOD_PAGE + "f = lambda x: 2 * x\n", ["line 6: does arithmetic: 2 * x"]),
        (GOOD_PAGE + "\n" * 75, ["80 lines"]),
    ],
)
def test_page_faults_are_seen(source, faults):
    assert page_faults(source) == faults


# --- one room a lesson -------------------------------------------------------------------------------

NAMED = {
    ast.unparse(node.targets[0]): [each.value for each in node.value.elts if isinstance(each, ast.Constant)]
    for node in ast.parse(_read(ROOMS / "__init__.py")).body
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
}
ORDER, APPENDIX = NAMED["ORDER"], NAMED["APPENDIX"]


def lessons_of_the_readme(text):
    """The stems and questions in the table of the lessons."""
    return re.findall(r"^\| `(\w+)` \| (.+) \|$", text, re.MULTILINE)


def declared(stem, name):
    """What a declaration gives a keyword of `Lesson`, where that is a plain text."""
    calls = [node for node in ast.walk(ast.parse(_read(ROOMS / stem / "declaration.py"))) if isinstance(node, ast.Call)]
    (call,) = [node for node in calls if ast.unparse(node.func) == "Lesson"]
    return next(ast.literal_eval(each.value) for each in call.keywords if each.arg == name)


def test_every_page_has_its_room_its_core_file_its_place_and_its_row():
    every = sorted([*ORDER, *APPENDIX])
    assert every == sorted(path.stem for path in PAGES)
    assert every == sorted(path.name for path in ROOMS.iterdir() if path.is_dir() and path.name[0] != "_")
    assert sorted(ORDER) == sorted(path.stem for path in (ROOT / "sattn_core/lessons").glob("[a-z]*.py"))
    rows = lessons_of_the_readme(_read(ROOT / "README.md"))
    assert [(stem, question.replace("d_k", "dₖ")) for stem, question in rows] == [
        (stem, declared(stem, "question").replace("d_k", "dₖ")) for stem in ORDER
    ]


@pytest.mark.parametrize("stem", ORDER)
def test_a_lesson_has_its_tests(stem):
    numbers = ROOT / "tests" / "unit" / f"test_lesson_{stem}.py"
    for folder, section in (("property", "properties"), ("oracle", "oracles")):  # a file, or a section of the first
        assert (ROOT / "tests" / folder / numbers.name).is_file() or f"# --- {section} ---" in _read(numbers)
    assert (ROOT / "tests" / "figures" / f"test_{stem}.py").is_file()
    assert (ROOT / "tests" / "pages" / f"test_{stem}.py").is_file()


def of_one_lesson(path):
    """Whether a file belongs to one lesson: its page, its room, its core file, its tests."""
    return any(part in (stem, f"{stem}.py") for stem in (*ORDER, *APPENDIX) for part in path.relative_to(ROOT).parts)


def names_a_lesson(text):
    """The stems that a text names as one: quoted, or as the module or the folder of a room."""
    stems = "|".join((*ORDER, *APPENDIX))
    return sorted(set(re.findall(rf"""["'`/](?:lessons[./])?({stems})["'`/]|lessons[./]({stems})\b""", text)))


def test_only_the_order_and_the_readme_name_a_lesson():
    shared = [path for path in (ROOT / "app.py", *EVERY_VIEW) if not of_one_lesson(path)]
    naming = [_name(path) for path in (*shared, ROOT / "README.md") if names_a_lesson(_read(path))]
    assert naming == ["pages/_view/lessons/__init__.py", "README.md"]


def test_a_lesson_that_is_named_is_seen():
    assert names_a_lesson('if stem == "start":') == [("start", "")]
    assert names_a_lesson("from pages._view.lessons.start import figures") == [("", "start")]
    assert names_a_lesson("restart the derivation of start_here") == []


# --- the core ----------------------------------------------------------------------------------------


def long_bodies(source, limit):
    """Functions with more lines of code than limit; docstrings, comments and blanks do not count."""
    code = _code_lines(source)
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            length = sum(body[0].lineno <= line <= node.end_lineno for line in code) if body else 0
            if length > limit:
                found.append(f"{node.name}: {length} lines")
    return found


NO_CODE = {"COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENDMARKER"}


def _code_lines(source):
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    code = [token for token in tokens if tokenize.tok_name[token.type] not in NO_CODE]
    return {line for token in code for line in range(token.start[0], token.end[0] + 1)}


@pytest.mark.parametrize("path", _cases(CORE))
def test_core_bodies_are_short(path):
    assert long_bodies(_read(path), CORE_LINES) == []


@pytest.mark.parametrize("path", _cases(EVERY_VIEW))
def test_view_bodies_are_short(path):
    assert long_bodies(_read(path), VIEW_LINES) == []


def test_body_length_counts_code_only():
    body = '    """Doc\n    string."""\n    # comment\n\n    a = [\n        1,\n    ]\n    return a\n'
    assert long_bodies(f"def f():\n{body}", limit=3) == ["f: 4 lines"]
    assert long_bodies(f"def f():\n{body}", limit=4) == []
    assert long_bodies("class A:\n    @property\n    def g(self):\n        return 1\n", 0) == ["g: 1 lines"]


def missing_hints(source):
    """Public functions and methods that lack a type hint, and hints that leave the type of an array open."""
    tree = ast.parse(source)
    classes = [each for each in tree.body if isinstance(each, ast.ClassDef) and _is_public(each.name)]
    functions = [each for owner in (tree, *classes) for each in owner.body if isinstance(each, ast.FunctionDef)]
    found = [fault for each in functions if _is_public(each.name) for fault in _hint_faults(each)]
    hints = [each.annotation for owner in classes for each in owner.body if isinstance(each, ast.AnnAssign)]
    return found + [f"{ast.unparse(hint)}: an array of what?" for hint in hints if _is_open(hint)]


def _is_public(name):
    """Whether anybody may use the name; the special methods that a class writes for itself count."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _hint_faults(function):
    every = function.args
    arguments = [*every.posonlyargs, *every.args, every.vararg, *every.kwonlyargs, every.kwarg]
    hints = {each.arg: each.annotation for each in arguments if each and each.arg not in ("self", "cls")}
    hints["return"] = function.returns
    bare = [f"{function.name}: no hint for {name}" for name, hint in hints.items() if hint is None]
    open_ones = [name for name, hint in hints.items() if hint is not None and _is_open(hint)]
    return bare + [f"{function.name}: {name} is an array of what?" for name in open_ones]


def _is_open(hint):
    return re.search(r"\bndarray\b", ast.unparse(hint)) is not None


SHARED_VIEW = [path for path in EVERY_VIEW if ROOMS not in path.parents or path.name in ("declaration.py", "work.py")]


@pytest.mark.parametrize("path", _cases(SHARED_VIEW))
def test_what_the_pages_share_has_type_hints(path):
    assert missing_hints(_read(path)) == []


@pytest.mark.parametrize("path", _cases(CORE))
def test_public_names_of_the_core_have_type_hints(path):
    assert missing_hints(_read(path)) == []


@pytest.mark.parametrize(
    ("source", "faults"),
    [
        ("def f(a: int, *b: str, c: float = 0.0, **d: str) -> None: ...", []),
        ("def f(a, *b, c=0, **d): ...", [f"f: no hint for {name}" for name in ("a", "b", "c", "d", "return")]),
        ("def f(a, /, b: int) -> int: ...", ["f: no hint for a"]),
        ("def _f(a): ...", []),
        ("class A:\n    def f(self, a): ...", ["f: no hint for a", "f: no hint for return"]),
        ("class A:\n    def __post_init__(self): ...", ["__post_init__: no hint for return"]),
        ("class A:\n    @classmethod\n    def f(cls) -> int: ...", []),
        ("class A:\n    def _f(self, a): ...", []),
        ("class _A:\n    def f(self, a): ...", []),
        ("def f(a: np.ndarray) -> NDArray[np.float64]: ...", ["f: a is an array of what?"]),
        ("class A:\n    a: np.ndarray | None", ["np.ndarray | None: an array of what?"]),
        ("class A:\n    a: NDArray[np.float64]", []),
    ],
)
def test_missing_hints_are_named(source, faults):
    assert missing_hints(source) == faults


@pytest.mark.parametrize("path", _cases(p for p in (ROOT / "sattn_core").glob("[!_]*.py")))
def test_core_module_has_its_unit_tests(path):
    assert (ROOT / "tests" / "unit" / f"test_{path.stem}.py").is_file()


def missing_sections(thing):
    """What the docstring of a public function lacks."""
    text = inspect.getdoc(thing) or ""
    if not text:
        return ["a docstring"]
    wanted = ["Parameters", "Returns", "Examples"]
    return [name for name in wanted if not re.search(rf"^{name}\n-{{{len(name)}}}$", text, re.MULTILINE)]


PUBLIC = getattr(sattn_core, "__all__", [])


def _public(kind):
    return [name for name in PUBLIC if kind(getattr(sattn_core, name, None))]


@pytest.mark.parametrize("name", _public(inspect.isfunction))
def test_public_function_is_documented(name):
    assert missing_sections(getattr(sattn_core, name)) == []


def full_docstrings(path):
    """What a core module documents in full although `sattn_core` does not export it."""
    return [
        node.name
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and node.name not in PUBLIC
        and re.search(r"^(Parameters|Attributes)\n-+$", ast.get_docstring(node) or "", re.MULTILINE)
    ]


@pytest.mark.parametrize("path", _cases((ROOT / "sattn_core").rglob("*.py")))
def test_only_what_is_exported_is_documented_in_full(path):
    assert full_docstrings(path) == []


def test_missing_sections_are_named():
    def bare(): ...

    def half():
        """Half.

        Parameters
        ----------
        Returns
        ---
        """

    assert missing_sections(bare) == ["a docstring"]
    assert missing_sections(half) == ["Returns", "Examples"]


def test_the_core_exports_the_agreed_names():
    agreed = """scale_factor raw_scores softmax log_softmax softmax_jacobian softmax_jacobian_norm
        entropy_nats effective_keys product_variance dot_product_moments correlated_pair_moments
        dot_product_pdf dot_product_cdf dot_product_ppf score_variance_moments score_variance_band
        expected_softmax critical_score_std
        attention attention_backward hadamard row_wise_dot frobenius
        COMPONENT_LAWS draw_queries_and_keys dimension_sweep
        layer_norm INIT_SCHEMES projection_variance train_key_value_memory SCALING_RULES measure_scores""".split()
    assert set(agreed) <= set(PUBLIC)
    assert [name for name in agreed if not hasattr(sattn_core, name)] == []


# --- the repository ----------------------------------------------------------------------------------


def _files():
    """Every file of the repository: what git knows, or all that is there where there is no git."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        names = [Path(name) for name in listed.stdout.splitlines()]
    else:
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file()]
    generated = {"__pycache__", ".venv", ".git"}
    return [name for name in names if not generated & set(name.parts) and (ROOT / name).is_file()]


def test_six_visible_names_at_the_top():
    assert {name.parts[0] for name in _files() if not name.parts[0].startswith(".")} == VISIBLE_NAMES


MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:root|home|Users|work|tmp)/\w")
OTHER_HOST = re.compile(r"(?:https?:)?//(?!www\.w3\.org/)[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)


def _text_files():
    texts = {".py", ".js", ".css", ".html", ".md", ".toml", ".txt", ".ini", ".yml", ""}
    return [ROOT / name for name in _files() if name.suffix in texts]


def test_no_text_names_a_path_of_one_machine():
    assert [_name(path) for path in _text_files() if MACHINE_PATH.search(_read(path))] == []


def test_no_script_or_font_comes_from_another_host():
    files = [*LIVE, *(ROOT / ".streamlit").glob("*.toml")]
    assert files
    assert [_name(path) for path in files if OTHER_HOST.search(_read(path))] == []


def test_machine_paths_and_hosts_are_seen():
    assert MACHINE_PATH.search("see " + "/" + "home/me")
    assert not MACHINE_PATH.search("https://example.org/home/me")
    assert OTHER_HOST.search("@import url(//fonts.example.com/a.css)")
    assert OTHER_HOST.search("src='https://cdn.example.com/a.js'")
    assert not OTHER_HOST.search("xmlns='http://www.w3.org/2000/svg' // a comment. Then more")


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_requirements_are_pinned_exactly(name):
    lines = [line for line in _read(ROOT / name).splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9_.-]+==\d+(\.\d+)+(\+cpu)?", line)] == []


def test_no_package_marks_the_test_folders():
    assert list((ROOT / "tests").rglob("__init__.py")) == []


CHECKS = (
    'bash -c "$test_command"',
    ".venv/bin/ruff check .",
    ".venv/bin/ruff format --check .",
    ".venv/bin/lint-imports --no-cache",
    ".venv/bin/mypy",
    ".venv/bin/hadolint .deploy/Dockerfile",
)


def checks_run(script):
    """Those of CHECKS that the script runs, in its order."""
    return tuple(line for line in script.splitlines() if line in CHECKS)


def test_the_whole_check_runs_the_linters_the_formatter_and_the_type_checker_after_the_tests():
    assert checks_run(_read(ROOT / ".ci" / "run")) == CHECKS


def test_a_check_that_is_left_out_or_out_of_order_is_seen():
    assert checks_run("\n".join(CHECKS)) == CHECKS
    assert checks_run("\n".join(CHECKS[:-1])) != CHECKS
    assert checks_run("\n".join([*CHECKS[:-1], f"# {CHECKS[-1]}"])) != CHECKS
    assert checks_run("\n".join(reversed(CHECKS))) != CHECKS
