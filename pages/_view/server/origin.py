"""The lab's own name in addresses that it gives away: that of the environment, or else what the browser asked for."""

import os
import re

ORIGIN = "SATTN_ORIGIN"  # such as https://lab.example
_SHAPE = re.compile(
    r"https?://([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])(:\d{1,5})?"
)


def origin() -> str:
    """Return the name that the environment gives; "" where the browser is believed."""
    return os.environ.get(ORIGIN, "").strip().lower()


def check_origin() -> None:
    """End the server with a sentence if the environment gives a name that is none."""
    if origin() and not _SHAPE.fullmatch(origin()):
        raise SystemExit(
            f"{ORIGIN} must be http or https and a host, such as https://lab.example or http://10.0.0.5:8501, but is "
            f"{os.environ[ORIGIN]!r}; a path stands in STREAMLIT_SERVER_BASE_URL_PATH"
        )
