"""Plotly's script, from the installed package, under a name with its version."""

import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

import plotly

# The kinds of traces that figures have besides scatter, which is always there: the place of each among those that the
# script makes ready when it is loaded. With all of them that takes three times as long.
TRACES = {"bar": 0, "heatmap": 2}
# Relative to every page, so that it also works below /lab.
BUNDLE = f"assets/plotly-{version('plotly')}-{'-'.join(TRACES)}-open.min.js"
_FILE = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
# Functions that Plotly keeps to itself and `live/quick.js` calls, as those of `lab.plotlyParts`.
OPENED = ("doCalcdata", "drawData", "drawMainTitle", "doTicksRelayout")
_READY = re.compile(r"\.register\(\[((?:[\w$]+\(\),?)+)\]\)")


@cache
def script() -> str:
    """Return the script, which makes ready what figures have and nothing else, with some of its functions opened."""
    whole = _FILE.read_text(encoding="utf-8")
    found = _READY.findall(whole)
    if len(found) != 1:
        raise ValueError(f"Plotly's script should make its traces ready in one place, but does in {len(found)}")
    made = found[0].split(",")
    wanted = ",".join(made[place] for place in TRACES.values())
    return _opened(_READY.sub(lambda _: f".register([{wanted}])", whole))


def _opened(whole):
    for name in OPENED:
        whole, found = re.subn(rf"\.{name}=function", f".{name}=window.lab.plotlyParts.{name}=function", whole)
        if found != 1:
            raise ValueError(f"Plotly's script should define {name} once, but does {found} times")
    return f"(window.lab ??= {{}}).plotlyParts = {{}};\n{whole}"
