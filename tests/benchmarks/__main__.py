"""Run all measurements:  .venv/bin/python tests/benchmarks

Run only some of them:  .venv/bin/python tests/benchmarks prices drag
The exit code is 1 if a budget is exceeded. Nothing else should run on the machine meanwhile.
Measure the memory of visitors who stay long:  .venv/bin/python tests/benchmarks visitors --minutes 10
"""

import argparse
import importlib
import os
import platform
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e")]

# name -> (module, function). A module is imported only when it runs, so prices needs no browser.
MEASUREMENTS = {
    "prices": ("prices", "prices"),
    "drag": ("dragging", "drag"),
    "load": ("cold_loads", "cold"),
    "visitors": ("visitors", "visitors"),
    "class": ("classroom", "classes"),
    "links": ("many_links", "many_links"),
    "crowd": ("crowd", "crowd"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    choices = ", ".join(MEASUREMENTS)
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of {choices}; default: all")
    parser.add_argument("--people", type=int, default=60, help="how many visitors")
    parser.add_argument("--minutes", type=float, default=2.5, help="how long visitors with their own settings stay")
    parser.add_argument("--replicas", type=int, choices=(1, 2), default=2, help="1 process, or 2 behind the proxy")
    parser.add_argument("--loads", type=int, default=5, help="how many cold loads of each page")
    parser.add_argument("--rate", type=int, default=200, help="how many visitors of a crowd come a second")
    parser.add_argument("--seconds", type=float, default=5, help="how long each rate of a crowd lasts")
    asked = parser.parse_args()
    names = asked.names or list(MEASUREMENTS)
    unknown = sorted(set(names) - set(MEASUREMENTS))
    if unknown:
        parser.error(f"unknown name {unknown[0]!r}; choose from {choices}")
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    print("| quantity | measured | budget | | detail |\n|---|---|---|---|---|")
    options = {"visitors": {"people": asked.people, "minutes": asked.minutes, "replicas": asked.replicas}}
    options["load"] = {"loads": asked.loads}
    options["crowd"] = {"rate": asked.rate, "seconds": asked.seconds}
    rows = [row for name in names for row in measured(name, options.get(name, {}))]
    sys.exit(0 if all(row.passed for row in rows) else 1)


def measured(name, options):
    module, function = MEASUREMENTS[name]
    rows = []
    for row in getattr(importlib.import_module(module), function)(**options):
        print(f"| {' | '.join(row.cells())} |", flush=True)
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
