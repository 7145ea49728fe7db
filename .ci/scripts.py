"""Type-check the scripts with TypeScript, each component joined from its files as it is shipped.

.venv/bin/python .ci/scripts.py, if there is a tsc (apt-get install node-typescript)
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from pages._view.live import FILES  # noqa: E402

VIEW = ROOT / "pages/_view"
PAGES = {
    "page": (
        "streamlit.js",
        "../server/lasting.js",
        "../server/hidden.js",
        "entry.js",
        "bet.js",
        "link.js",
        "onpaper.js",
        "stage.js",
    ),
    "room": ("../server/room.js",),
}
WHERE = re.compile(r"(\w+)\.js\((\d+),(\d+)\): (.*)")


def main() -> str | None:
    """Return TypeScript's errors, each with its file and line; None without errors."""
    with TemporaryDirectory() as folder:
        origins = {name: _put_together(Path(folder), name, files) for name, files in (FILES | PAGES).items()}
        config = {"extends": str(ROOT / ".ci/tsconfig.json"), "include": ["*.js", str(VIEW / "live/types.d.ts")]}
        Path(folder, "tsconfig.json").write_text(json.dumps(config))
        done = subprocess.run(["tsc", "-p", folder, "--pretty", "false"], capture_output=True, text=True, cwd=folder)
    found = dict.fromkeys(_told(line, origins) for line in done.stdout.splitlines())
    return "\n".join(found) or (f"tsc ended with {done.returncode}" if done.returncode else None)


def _put_together(folder, name, files):
    """Write the joined text of a component; return file and line number for each of its lines."""
    paths = [VIEW / "live" / each for each in ("lab.js", *files)]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    (folder / f"{name}.js").write_text("".join(texts), encoding="utf-8")
    return [
        (path.resolve().relative_to(ROOT), number)
        for path, text in zip(paths, texts, strict=True)
        for number, _ in enumerate(text.splitlines(), 1)
    ]


def _told(line, origins):
    found = WHERE.match(line)
    if not found:
        return line
    path, number = origins[found[1]][int(found[2]) - 1]
    return f"{path}:{number}:{found[3]}: {found[4]}"


if __name__ == "__main__":
    sys.exit(main())
