"""Visitors of a room (phones and the teacher), known only by random cookies, and the token that protects forms."""

import hashlib
import hmac
import re
import secrets
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from pages._view._streamlit import path_of
from pages._view.classroom import limits
from pages._view.classroom.room import LASTS
from pages._view.server.links import scheme_of

VISITOR = "lab_visitor"  # the cookie of every visitor
_ID = re.compile("[0-9a-f]{32}")


def visitor_of(request: Request) -> str:
    """Return the random number in this browser's cookie; "" if it has none yet."""
    found = request.cookies.get(VISITOR, "")
    return found if _ID.fullmatch(found) else ""


def new_visitor() -> str:
    """Return a new random number for a browser."""
    return secrets.token_hex(16)


def new_secret() -> str:
    """Return a random secret that can be typed on another device: twelve letters and digits."""
    return "".join(secrets.choice("abcdefghjkmnpqrstvwxyz23456789") for _ in range(12))


def token_of(visitor: str, code: str) -> str:
    """Return the token that a form of this browser must contain; a page of another site cannot know it."""
    return hmac.new(visitor.encode(), code.encode(), hashlib.sha256).hexdigest()[:32]


def has_token(visitor: str, code: str, sent: dict[str, str]) -> bool:
    """Return True if a form comes from a page that this browser has received from the lab."""
    return bool(visitor) and hmac.compare_digest(sent.get("token", "").encode(), token_of(visitor, code).encode())


def keep(request: Request, answer: Response, name: str, value: str) -> None:
    """Set a cookie for as long as a class may last; no script can read it."""
    secure = scheme_of(request) == "https"
    answer.set_cookie(name, value, max_age=round(LASTS), path=path_of(""), secure=secure, httponly=True, samesite="lax")


def network_of(request: Request) -> limits.Network:
    """Return the IP network of a request, for the rate limits."""
    here = request.client.host if request.client else ""
    return limits.network_of(here, request.headers.get("x-forwarded-for", ""))


async def sent_with(request: Request) -> dict[str, str]:
    """Return the fields of a form."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=40))
    except ValueError:
        return {}
