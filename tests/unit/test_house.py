"""Rules of the repository that no tool checks. Imports are checked by `.importlinter`, type hints by ruff and mypy.

Nothing here imports Streamlit or Plotly: these tests also run where only the core is installed.
"""

import ast
import inspect
import re
import subprocess
from pathlib import Path

import pytest

import sattn_core

ROOT = Path(__file__).resolve().parents[2]
VISIBLE_NAMES = {"app.py", "pages", "sattn_core", "tests", "requirements.txt", "README.md"}

CORE = sorted((ROOT / "sattn_core").rglob("*.py"))
PAGES = sorted((ROOT / "pages").glob("*.py"))
EVERY_VIEW = sorted((ROOT / "pages" / "_view").rglob("*.py"))
FOLDERS = ROOT / "pages" / "_view" / "lessons"
LIVE = sorted(p for p in (ROOT / "pages").rglob("*") if p.suffix in {".js", ".css", ".html"})


def _name(path):
    return path.relative_to(ROOT).as_posix()


def _read(path):
    return path.read_text(encoding="utf-8")


def _cases(paths):
    return [pytest.param(path, id=_name(path)) for path in paths]


# --- the pages ---------------------------------------------------------------------------------------


NOT_IN_A_PAGE = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.BinOp, ast.UnaryOp, ast.AugAssign)


def page_faults(source, stem):
    """Return the faults of a page: 80 lines or more, other lessons, arithmetic, calls of the core, plain functions."""
    tree = ast.parse(source)
    of_core = [node for node in tree.body if isinstance(node, ast.ImportFrom) and "sattn_core" in node.module]
    taken = {alias.name for node in of_core for alias in node.names if not alias.name.endswith("Params")}
    faults = [] if len(source.splitlines()) < 80 else ["long"]
    faults += [name or "folders" for name in re.findall(r"\blessons(?:\.(\w+)| import)", source) if name != stem]
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(decorator_list=[each]) if ast.unparse(each).startswith("st.fragment"):
                pass
            case ast.BinOp(op=ast.BitOr()) | ast.AugAssign(op=ast.BitOr()):
                pass
            case ast.UnaryOp(op=ast.Not()) | ast.UnaryOp(operand=ast.Constant()):
                pass
            case _ if isinstance(node, NOT_IN_A_PAGE):
                faults.append(ast.unparse(node))
            case ast.Call(func=ast.Name(id=name)) if name in taken:
                faults.append(ast.unparse(node))
    return faults


@pytest.mark.parametrize("path", _cases(PAGES))
def test_pages_are_short_and_compute_nothing(path):
    assert page_faults(_read(path), path.stem) == []


def test_page_faults_are_found():
    kept = [
        "@st.fragment(key='a')\ndef f():\n    show(-1, not x, a | b)\n    a |= b",
        "compute.result(measure, Params())",
    ]
    faults = ["x = a / b", "x += 1", "x = -a", "x = '%s' % y", "class A:\n    pass", "def f():\n    pass", "measure()"]
    folders = ["from pages._view.lessons.backprop import work", "from sattn_core.lessons import backprop"]
    core = "from sattn_core.lessons.start import Params, measure"
    found = page_faults("\n".join([core, *kept, *faults, *folders, "\n" * 80]), "start")
    assert {*found} == {"long", "backprop", "folders", "a / b", "x += 1", "-a", "'%s' % y", *faults[4:]}


def test_app_imports_only_os_streamlit_and_the_view():
    imported = re.findall(r"^\s*(?:from|import) (\S+)", _read(ROOT / "app.py"), re.MULTILINE)
    assert set(imported) == {"os", "pages._view", "streamlit"}


# --- one folder for each lesson ----------------------------------------------------------------------

NAMED = {
    ast.unparse(node.targets[0]): [each.id for each in node.value.elts if isinstance(each, ast.Name)]
    for node in ast.parse(_read(FOLDERS / "__init__.py")).body
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
}
ORDER, APPENDIX = NAMED["_PATH"], NAMED["_APPENDIX"]


def lessons_of_the_readme(text):
    """Return the stems and questions in the README's table of lessons."""
    return re.findall(r"^\| `(\w+)` \| (.+) \|$", text, re.MULTILINE)


def declared(stem, name):
    """Return the literal that a lesson's declaration passes to `Lesson` for this keyword."""
    tree = ast.parse(_read(FOLDERS / stem / "declaration.py"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    (call,) = [node for node in calls if ast.unparse(node.func) == "Lesson"]
    return next(ast.literal_eval(each.value) for each in call.keywords if each.arg == name)


def test_every_page_has_its_folder_core_file_position_and_readme_row():
    every = sorted([*ORDER, *APPENDIX])
    assert every == sorted(path.stem for path in PAGES)
    assert every == sorted(path.name for path in FOLDERS.iterdir() if path.is_dir() and path.name[0] != "_")
    assert sorted(ORDER) == sorted(path.stem for path in (ROOT / "sattn_core/lessons").glob("[a-z]*.py"))
    rows = lessons_of_the_readme(_read(ROOT / "README.md"))
    assert [(stem, question.replace("d_k", "dₖ")) for stem, question in rows] == [
        (stem, declared(stem, "question").replace("d_k", "dₖ")) for stem in ORDER
    ]


@pytest.mark.parametrize("stem", ORDER)
def test_every_lesson_has_its_tests(stem):
    numbers = ROOT / f"tests/unit/lessons/test_{stem}.py"
    for folder, section in (("property", "properties"), ("oracle", "oracles")):  # in a separate file, or in a section
        assert (ROOT / f"tests/{folder}/lessons/{numbers.name}").is_file() or f"# --- {section} ---" in _read(numbers)
    assert (ROOT / "tests" / "figures" / f"test_{stem}.py").is_file()
    assert (ROOT / "tests" / "pages" / f"test_{stem}.py").is_file()


def of_one_lesson(path):
    """Return True for a file of one lesson: its page, its folder, its core file, its tests."""
    return any(part in (stem, f"{stem}.py") for stem in (*ORDER, *APPENDIX) for part in path.relative_to(ROOT).parts)


def names_a_lesson(text):
    """Return the lessons that a text names, in quotes or as a module or folder."""
    stems = "|".join((*ORDER, *APPENDIX))
    imported = rf"lessons import (?:\(\s*)?(?:\w+,\s*)*({stems})\b"
    return sorted(
        set(re.findall(rf"""["'`/](?:lessons[./])?({stems})["'`/]|lessons[./]({stems})\b|{imported}""", text))
    )


def test_lessons_are_named_only_in_the_lesson_list_and_the_readme():
    shared = [path for path in (ROOT / "app.py", *EVERY_VIEW) if not of_one_lesson(path)]
    naming = [_name(path) for path in (*shared, ROOT / "README.md") if names_a_lesson(_read(path))]
    assert naming == ["pages/_view/lessons/__init__.py", "README.md"]


def test_lesson_names_are_recognised():
    assert names_a_lesson('if stem == "start":') == [("start", "", "")]
    assert names_a_lesson("from pages._view.lessons.start import figures") == [("", "start", "")]
    assert names_a_lesson("from pages._view.lessons import (\n    LESSONS,\n    start,\n)") == [("", "", "start")]
    assert names_a_lesson("restart the derivation of start_here") == []


# --- the core and the view ---------------------------------------------------------------------------


def long_bodies(path, most):
    """Yield functions with more than `most` lines of code; docstrings, comments and blank lines do not count."""
    source = _read(path)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = source.splitlines()[body[0].lineno - 1 : node.end_lineno] if body else []
            if sum(not re.match(r"\s*(#|$)", line) for line in lines) > most:
                yield f"{_name(path)}: {node.name}"


@pytest.mark.parametrize(("paths", "most"), [(CORE, 20), (EVERY_VIEW, 24)], ids=["core", "view"])
def test_function_bodies_are_short(paths, most):
    assert [each for path in paths for each in long_bodies(path, most)] == []


def test_type_hints_name_the_dtype_of_arrays():
    bare = re.compile(r"[:>|] np\.ndarray\b|\bnp\.ndarray\b(?![,)])")
    assert [_name(path) for path in (*CORE, *EVERY_VIEW) if bare.search(_read(path))] == []


@pytest.mark.parametrize("path", _cases(p for p in CORE if p.name[0] != "_"))
def test_core_module_has_its_unit_tests(path):
    folder = path.relative_to(ROOT / "sattn_core").parent
    assert (ROOT / "tests" / "unit" / folder / f"test_{path.stem}.py").is_file()


def test_core_module_names_are_unique():
    stems = [path.stem for path in CORE if path.name != "__init__.py"]
    assert sorted(stems) == sorted({*stems})
    folders = {path.parent.name for path in CORE} - {"sattn_core"}
    assert folders & {*stems, *sattn_core.__all__} == set()  # an exported name would hide the folder


@pytest.mark.parametrize("name", [n for n in sattn_core.__all__ if inspect.isfunction(getattr(sattn_core, n))])
def test_exported_function_is_documented_in_full(name):
    validate = pytest.importorskip("numpydoc.validate", reason="tests/requirements.txt has it").validate
    asked = {"GL06", "GL07", "GL08", "PR01", "PR02", "RT01", "RT03", "EX01"}  # sections, parameters, result, example
    assert [error for error in validate(f"sattn_core.{name}")["errors"] if error[0] in asked] == []


def test_only_exported_names_are_documented_in_full():
    sections = re.compile(r"^(Parameters|Attributes)$", re.MULTILINE)
    nodes = [node for path in CORE for node in ast.walk(ast.parse(_read(path)))]
    named = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    full = {node.name for node in named if sections.search(ast.get_docstring(node) or "")}
    assert full - set(sattn_core.__all__) == set()


def test_the_core_exports_the_agreed_names():
    agreed = """scale_factor raw_scores softmax log_softmax softmax_jacobian softmax_jacobian_norm
        entropy_nats effective_keys product_variance dot_product_moments correlated_pair_moments
        dot_product_pdf dot_product_cdf dot_product_ppf score_variance_moments score_variance_band
        expected_softmax critical_score_std
        attention attention_backward hadamard row_wise_dot frobenius
        COMPONENT_LAWS draw_queries_and_keys dimension_sweep
        layer_norm INIT_SCHEMES projection_variance train_key_value_memory SCALING_RULES measure_scores""".split()
    assert set(agreed) <= set(sattn_core.__all__)


# --- the repository ----------------------------------------------------------------------------------


def _files():
    """Return every file of the repository: those that git lists, or all files if there is no git."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        names = [Path(name) for name in subprocess.check_output(command, cwd=ROOT, text=True).splitlines()]
    else:
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file()]
    generated = {"__pycache__", ".venv", ".git"}
    return [name for name in names if not generated & set(name.parts) and (ROOT / name).is_file()]


def test_repository_root_has_six_visible_names():
    assert {name.parts[0] for name in _files() if not name.parts[0].startswith(".")} == VISIBLE_NAMES


MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:root|home|Users|work|tmp)/\w")
OTHER_HOST = re.compile(r"(?:https?:)?//(?!www\.w3\.org/)[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)


def _text_files():
    texts = {".py", ".js", ".css", ".html", ".md", ".toml", ".txt", ".ini", ".yml", ""}
    return [ROOT / name for name in _files() if name.suffix in texts]


def test_no_file_contains_a_path_of_a_particular_machine():
    assert [_name(path) for path in _text_files() if MACHINE_PATH.search(_read(path))] == []


def test_no_script_or_font_comes_from_another_host():
    files = [*LIVE, *(ROOT / ".streamlit").glob("*.toml")]
    assert files
    assert [_name(path) for path in files if OTHER_HOST.search(_read(path))] == []


def test_machine_paths_and_other_hosts_are_recognised():
    assert MACHINE_PATH.search("see " + "/" + "home/me")
    assert not MACHINE_PATH.search("https://example.org/home/me")
    assert OTHER_HOST.search("@import url(//fonts.example.com/a.css)")
    assert OTHER_HOST.search("src='https://cdn.example.com/a.js'")
    assert not OTHER_HOST.search("xmlns='http://www.w3.org/2000/svg' // a comment. Then more")


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_requirements_are_pinned_exactly(name):
    lines = [line for line in _read(ROOT / name).splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9_.-]+==\d+(\.\d+)+(\+cpu)?", line)] == []


def test_test_folders_have_no_init_files():
    assert list((ROOT / "tests").rglob("__init__.py")) == []


CHECKS = [
    'bash -c "$test_command"',
    ".venv/bin/ruff check .",
    ".venv/bin/ruff format --check .",
    ".venv/bin/lint-imports --no-cache",
    ".venv/bin/mypy",
    ".venv/bin/python .ci/scripts.py",
    ".venv/bin/hadolint .deploy/Dockerfile",
]


def test_ci_runs_the_tests_and_then_every_linter():
    assert [line for line in _read(ROOT / ".ci" / "run").splitlines() if line in CHECKS] == CHECKS
