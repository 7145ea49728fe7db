"""Rebuild a record that the core reads and compare it with the stored one; --write stores the new one.

python3 -m venv .venv/records && .venv/records/bin/pip install -q -r requirements.txt -r tests/requirements-torch.txt
.venv/records/bin/pip install -q --no-deps -r tests/records/requirements.txt
.venv/records/bin/python tests/records trained_heads
.venv/records/bin/python tests/records transformer
.venv/records/bin/python tests/records adam_rows
"""

import argparse
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    asked = argparse.ArgumentParser(
        prog="tests/records", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("name", choices=sorted(path.stem for path in HERE.glob("[a-z]*.py")))
    asked.add_argument("--write", action="store_true", help="keep what was rebuilt")
    found = asked.parse_args()
    sys.path.insert(0, str(HERE.parents[1]))
    runpy.run_path(str(HERE / f"{found.name}.py"))["main"](write=found.write)


main()
