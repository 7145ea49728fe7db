"""Rebuild a record that the core reads and compare it with the one that is kept; --write keeps the new one.

.venv/bin/pip install -q -r tests/requirements-torch.txt
.venv/bin/python -m tests.records transformer
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
