"""Redraw and store the stills and cards of all lessons:  .venv/bin/python tests/stills

For some lessons only:  .venv/bin/python tests/stills one_query derivation
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e")]


def main():
    from kept import keep_all

    from pages._view.lessons import PAGES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("stems", nargs="*", metavar="lesson", help=f"any of {', '.join(PAGES)}; default: all")
    stems = parser.parse_args().stems or PAGES
    unknown = sorted(set(stems) - set(PAGES))
    if unknown:
        parser.error(f"unknown lesson {unknown[0]!r}; choose from {', '.join(PAGES)}")
    keep_all(stems)


if __name__ == "__main__":
    main()
