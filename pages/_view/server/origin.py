"""The lab's origin in the URLs that it gives out: from the environment, or else the request's host."""

import os
import re

ORIGIN = "SATTN_ORIGIN"  # such as https://lab.example
_SHAPE = re.compile(
    r"https?://([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])(:\d{1,5})?"
)


def origin() -> str:
    """Return the origin from the environment; "" if the request's host is used instead."""
    return os.environ.get(ORIGIN, "").strip().lower()


def check_origin() -> None:
    """Exit with a message if the environment's origin is invalid."""
    if origin() and not _SHAPE.fullmatch(origin()):
        raise SystemExit(
            f"{ORIGIN} must be http or https and a host, such as https://lab.example or http://10.0.0.5:8501, but is "
            f"{os.environ[ORIGIN]!r}; a path stands in STREAMLIT_SERVER_BASE_URL_PATH"
        )
