"""Start a new lesson from this folder's files.

    python .template my_lesson "What is my question?"

writes the page, the room, the core file and the tests of `my_lesson`, each with a small example to replace, and adds
its line to the order of the lessons and its row to the README.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ORDER = ROOT / "pages" / "_view" / "lessons" / "__init__.py"
README = ROOT / "README.md"


def main(stem, question):
    if not re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)*", stem):
        sys.exit(f"the name must be lower-case words with _ between them, but is {stem!r}")
    files = [path for path in sorted(HERE.rglob("*")) if path.is_file() and "new_lesson" in path.as_posix()]
    files = [path for path in files if "__pycache__" not in path.parts]
    targets = [ROOT / str(path.relative_to(HERE)).replace("new_lesson", stem) for path in files]
    for target in targets:
        if target.exists():
            sys.exit(f"{target.relative_to(ROOT)} is there already")
    for source, target in zip(files, targets, strict=True):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(named(source.read_text(encoding="utf-8"), stem, question), encoding="utf-8")
        print(target.relative_to(ROOT))
    insert_after_last(ORDER, r'    "\w+",\n', f'    "{stem}",\n')
    insert_after_last(README, r"\| `\w+` \| .* \|\n", f"| `{stem}` | {question} |\n")


def named(text, stem, question):
    """The text of a template file, as that of this lesson."""
    words = stem.split("_")
    text = text.replace("new_lesson", stem).replace("NewLesson", "".join(map(str.capitalize, words)))
    return text.replace("New lesson", " ".join(words).capitalize()).replace("Is this a question?", question)


def insert_after_last(path, pattern, line):
    text = path.read_text(encoding="utf-8")
    last = list(re.finditer(pattern, text))[-1]
    path.write_text(text[: last.end()] + line + text[last.end() :], encoding="utf-8")
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
