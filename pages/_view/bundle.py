"""Plotly's script from the installed package, under a file name with its version."""

import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

import plotly

# Trace types that figures use besides scatter, which is built in, each with its index in the script's list of
# registered types. Registering all of them takes three times as long.
TRACES = {"bar": 0, "heatmap": 2}
# Relative to every page, so that it also works below /lab.
BUNDLE = f"assets/plotly-{version('plotly')}-{'-'.join(TRACES)}-open.min.js"
_FILE = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
# Private functions of Plotly that `live/quick.js` calls as `lab.plotlyParts`.
OPENED = ("doCalcdata", "drawData", "drawMainTitle", "doTicksRelayout")
_READY = re.compile(r"\.register\(\[((?:[\w$]+\(\),?)+)\]\)")


@cache
def script() -> str:
    """Return Plotly's script with only these trace types registered and some private functions exposed."""
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
