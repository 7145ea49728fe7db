"""The lab's own name in the addresses that it gives out: that of the environment, or the host of the request."""

import os
import re

ORIGIN = "SATTN_ORIGIN"  # such as https://lab.example
_SHAPE = re.compile(
    r"https?://([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])(:\d{1,5})?"
)


def origin() -> str:
    """Return the name that the environment gives; "" if the request's host is trusted."""
    return os.environ.get(ORIGIN, "").strip().lower()


def check_origin() -> None:
    """End the server with a sentence if the environment gives an invalid name."""
    if origin() and not _SHAPE.fullmatch(origin()):
        raise SystemExit(
            f"{ORIGIN} must be http or https and a host, such as https://lab.example or http://10.0.0.5:8501, but is "
            f"{os.environ[ORIGIN]!r}; a path stands in STREAMLIT_SERVER_BASE_URL_PATH"
        )
