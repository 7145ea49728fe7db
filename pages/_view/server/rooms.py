"""The URLs of classes: /j/CODE for phones, /room for the teacher. Plain requests: no session, no websocket."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages._view._streamlit import path_of
from pages._view.classroom import answering, limits, results, wall_state
from pages._view.classroom.moment import moment_of
from pages._view.classroom.room import (
    TEACHER,
    DoorIsShut,
    NoSuchRoom,
    RoomClosed,
    RoomError,
    StoreError,
    TooFast,
    TooManyAtOnce,
    secret_in,
)
from pages._view.classroom.store import store
from pages._view.routes import JOIN, TEACH
from pages._view.server import desk, doors, phone, visitor
from pages._view.server.kept import FOR_BACK, NOT_KEPT
from pages._view.server.links import host_of, root
from pages._view.server.near import near
from pages._view.server.threads import in_thread, writing

LARGEST_FORM = 8_192  # bytes
_FRESH = {"Cache-Control": NOT_KEPT}
_FOR_BACK = {"Cache-Control": FOR_BACK}
_NOT_OURS = "This form is not from a page of yours, or your browser keeps no cookies here. Allow them, and reload."
_NOT_YOURS = "This browser does not lead the room. Load its page again, and type the secret of the room."
_BUSY = "The lab is busy. Your answer is sent again in a moment; without scripts, press the button again."
_NOT_DONE = "The lab is busy, and this was not done. Press the button again."


class NoCookie(RoomError):
    """A browser that does not keep the cookie."""

    def __init__(self) -> None:
        super().__init__(_NOT_OURS)


class NotTheTeacher(RoomError):
    """A browser without the room's secret."""

    def __init__(self) -> None:
        super().__init__(_NOT_YOURS)


def is_place_of_rooms(path: str) -> bool:
    """Return True if a path belongs to classes, whose routes accept forms and answer without Streamlit."""
    first = path.removeprefix(path_of("")).split("/")[0] if path.startswith(path_of("")) else ""
    return first in (JOIN, TEACH)


_STATUS = {NoSuchRoom: 404, TooFast: 429, TooManyAtOnce: 429, StoreError: 503}
_STATUS |= dict.fromkeys((DoorIsShut, NoCookie, NotTheTeacher), 403)


def routes() -> list[Route]:
    """Return the routes below the server's base path."""
    asked: dict[str, Callable[..., Any]] = {
        JOIN: _ask_for_code,
        f"{JOIN}/{{code}}/news": _news_of_phone,
        f"{TEACH}/{{code}}/news": _news_of_teacher,
        f"{TEACH}/{{code}}/state": _state,
        f"{TEACH}/{{code}}/near": _near,
        f"{TEACH}/{{code}}/results.csv": _results,
    }
    sent_to: dict[str, Callable[..., Any]] = {f"{JOIN}/{{code}}": _phone, TEACH: _open, f"{TEACH}/{{code}}": _teach}
    beyond = {f"{first}/{{rest:path}}": _nothing for first in (JOIN, TEACH)}  # all other paths below, matched last
    return [
        Route(path_of(place), _safe(answer), methods=["GET", "POST"] if place in sent_to else ["GET"])
        for place, answer in (asked | sent_to | beyond).items()
    ]


def _safe(answer):
    """Wrap a route so that a room's refusals become pages with a sentence."""

    async def answering(request: Request) -> Response:
        try:
            return await _closed_meanwhile(answer, request)
        except RoomClosed as over:
            return _html(await run_in_threadpool(phone.goodbye, over.room, root(request)), 410)
        except (RoomError, StoreError) as problem:
            return await _said(_STATUS.get(type(problem), 409), str(problem))

    return answering


async def _closed_meanwhile(answer, request):
    """Answer a request; if its teacher closes the room meanwhile, raise `RoomClosed` in place of `NoSuchRoom`."""
    try:
        return await answer(request)
    except NoSuchRoom:
        closed = await in_thread(store().closed, _code(request)) if "code" in request.path_params else None
        if closed:
            raise RoomClosed(closed) from None
        raise


async def _nothing(request):
    raise NoSuchRoom


async def _said(status, text):
    return _html(await run_in_threadpool(doors.ask_for_code, text), status)


def _html(text: str, status: int = 200, headers: Mapping[str, str] = _FRESH) -> Response:
    return Response(text, status, headers, "text/html")


def _to(place: str) -> Response:
    return Response(status_code=303, headers={**_FRESH, "Location": place})


def _code(request):
    return str(request.path_params["code"]).upper()[:8]


async def _room(request: Request) -> Any:
    """Return the room of a URL; after too many wrong codes from a network, refuse its unknown visitors."""
    return await in_thread(_found, request)


def _found(request):
    code, network = _code(request), visitor.network_of(request)
    found = store().room(code)
    if found is None and (closed := store().closed(code)):
        raise RoomClosed(closed)
    if store().is_over(limits.WRONG_CODES, network.name) and not (found and _may_go_on(request, code, network)):
        raise TooFast
    if found is None:
        _guessed(network)
        raise NoSuchRoom
    return found


def _guessed(network):
    store().takes(limits.WRONG_CODES, network.name)
    store().takes(limits.GUESSES, "")


def _may_go_on(request, code, network):
    """Return True for visitors in the room or on its IP network, so that others' guesses cannot shut them out."""
    phone = visitor.visitor_of(request)
    is_in = phone and store().has_joined(code, phone)
    return is_in or store().is_known(code, network) or _leads(request, code)


# --- phones ----------------------------------------------------------------------------------------------


async def _ask_for_code(request):
    if code := request.query_params.get("code", "").strip():
        typed = quote("".join(filter(str.isalpha, code))[:8].upper())
        if not typed:
            raise NoSuchRoom
        return _to(path_of(f"{JOIN}/{typed}"))
    return _html(doors.ask_for_code())


async def _phone(request):
    who = visitor.visitor_of(request)
    if not who and "here" not in request.query_params:
        answer = _to(f"{request.url.path}?here=1")  # a browser that accepts the cookie comes back with it
        visitor.keep(request, answer, visitor.VISITOR, visitor.new_visitor())
        return answer
    if not who:
        raise NoCookie
    room = await _room(request)
    sent = await visitor.sent_with(request) if request.method == "POST" else None
    is_in = sent is None and await in_thread(store().has_joined, room.code, who)
    answer = await (in_thread if is_in else writing)(_page_of_phone, request, room, who, sent)
    visitor.keep(request, answer, visitor.VISITOR, who)  # renew the cookie: an old one would expire during the class
    return answer


def _page_of_phone(request, room, who, sent):
    moment, token, place = moment_of(room), visitor.token_of(who, room.code), path_of(f"{JOIN}/{room.code}")
    problem, status = "", 200
    if sent is not None:
        _check(who, room.code, sent)
        try:
            phone.join(moment, who, visitor.network_of(request))
            problem, status = answering.take(moment, who, sent), 422
        except StoreError:  # other writes block this one, but reads still work
            problem, status = _BUSY, 503
        except TooManyAtOnce as wait:
            problem, status = str(wait), 429
        if not problem:
            return _to(place)
    else:
        _come_in(request, moment, who)
    shown = phone.phone_at(moment, who, token, place)
    again = (sent or {}).get("do", "") if status in (429, 503) else ""
    changes = "change" in request.query_params
    page = phone.page(moment, shown, problem, sent, changes=changes, again=again)
    return _html(page, status, _FRESH if sent else _FOR_BACK)


def _come_in(request, moment, who):
    """Let a visitor join by opening the page; if that fails, the visitor joins with the first answer."""
    with suppress(StoreError, TooManyAtOnce):
        phone.join(moment, who, visitor.network_of(request))


def _check(who, code, sent):
    if not visitor.has_token(who, code, sent):
        raise NoCookie
    if not limits.SENT.takes(who):
        raise TooFast


async def _news_of_phone(request):
    """Return the part of a phone's page that changes; 204 if it has not changed, as usual."""
    who = visitor.visitor_of(request)
    room = await _room(request)
    if who and not await in_thread(store().has_joined, room.code, who):
        await writing(_come_in, request, moment_of(room), who)
    return await in_thread(_news, request, room, who)


def _news(request, room, who):
    moment = moment_of(room)
    if moment.mark == request.query_params.get("seen"):
        return Response(status_code=204, headers=_FRESH)
    if not who:
        raise NoCookie
    place = path_of(f"{JOIN}/{room.code}")
    shown = phone.phone_at(moment, who, visitor.token_of(who, room.code), place)
    return _html(phone.part(moment, shown))


# --- the teacher -----------------------------------------------------------------------------------------


async def _open(request):
    """Return the page that explains rooms; if its form is sent, open a room."""
    who = visitor.visitor_of(request) or visitor.new_visitor()
    sent = await visitor.sent_with(request) if request.method == "POST" else None
    answer = await (in_thread if sent is None else writing)(_opened, request, who, sent)
    visitor.keep(request, answer, visitor.VISITOR, who)
    return answer


def _opened(request, who, sent):
    if sent is None:
        at = request.query_params.get("at") or _comes_from(request)
        return _html(desk.before_opening(visitor.token_of(who, TEACH), at, near(request)))
    if not visitor.has_token(who, TEACH, sent):
        raise NoCookie
    secret = visitor.new_secret()
    room, wall = desk.open_room(secret, sent.get("at", ""), visitor.network_of(request))
    answer = _to(wall)
    visitor.keep(request, answer, TEACHER, room.code + secret)
    return answer


def _comes_from(request):
    """Return the address of the lab's page that linked here, or ""."""
    here, named = f"{host_of(request)}{path_of('')}", request.headers.get("referer", "")
    return path_of("") + named.removeprefix(here) if named.startswith(here) else ""


async def _teach(request):
    who = visitor.visitor_of(request)
    try:
        room = await _room(request)
    except RoomClosed as over:
        sent = await visitor.sent_with(request) if request.method == "POST" else None
        return await writing(_after_the_end, request, over, who, sent)
    sent = await visitor.sent_with(request) if request.method == "POST" else None
    run = in_thread if sent is None else writing
    return await run(_taught, request, room, who or visitor.new_visitor(), sent)


def _taught(request, room, who, sent):
    token, secret = visitor.token_of(who, room.code), _secret(request, room.code)
    if sent is not None:
        _check(who, room.code, sent)
    if sent is not None and sent.get("do") == "secret":
        secret = sent.get("secret", "").strip().lower()
        if not store().is_teacher(room.code, secret):
            store().takes(limits.WRONG_CODES, visitor.network_of(request).name)
            return _html(desk.ask_for_secret(room, token, "This is not the secret of the room."), 403)
        answer = _to(path_of(f"{TEACH}/{room.code}"))
        visitor.keep(request, answer, TEACHER, room.code + secret)
        return answer
    if not _leads(request, room.code):
        answer = _html(desk.ask_for_secret(room, token))
    elif sent is not None:
        answer = _led(request, room, token, secret, sent)
    else:
        answer = _html(desk.page(room, token, secret, root(request), away=near(request)))
    visitor.keep(request, answer, visitor.VISITOR, who)
    return answer


def _after_the_end(request, over, who, sent):
    room = over.room
    if not store().may_reopen(room.code, _secret(request, room.code)):
        raise over
    if sent is not None and sent.get("do") == "reopen":
        _check(who, room.code, sent)
        return _to(desk.reopen(room))
    return _html(desk.closed(room, visitor.token_of(who, room.code)))


def _led(request, room, token, secret, sent):
    try:
        desk.do(room, sent)
        return _to(path_of(f"{TEACH}/{room.code}"))
    except StoreError:
        return _html(desk.page(room, token, secret, root(request), _NOT_DONE, near(request)), 503)


def _secret(request, code):
    return secret_in(request.cookies.get(TEACHER, ""), code)


def _leads(request, code):
    """Return True if this browser has the room's secret."""
    secret = _secret(request, code)
    return secret != "" and store().is_teacher(code, secret)


async def _news_of_teacher(request):
    room = await _room(request)
    answer = await in_thread(_told_to_teacher, request, room)
    answer.background = BackgroundTask(_see, request, room.code)
    return answer


async def _see(request, code):
    """Note that the leader is there, unless there is a recent note."""
    with suppress(RoomError, StoreError):
        if await in_thread(lambda: store().is_unseen(code) and _leads(request, code)):
            await writing(store().see, code)


def _told_to_teacher(request, room):
    secret, who = _secret(request, room.code), visitor.visitor_of(request)
    if not _leads(request, room.code):
        raise NotTheTeacher
    if str(room.version) == request.query_params.get("seen"):
        return Response(status_code=204, headers=_FRESH)
    return _html(desk.part(room, visitor.token_of(who, room.code), secret, root(request), near(request)))


async def _state(request):
    """Return the state that a wall requests regularly: counts, and the hash of its picture."""
    room = await _room(request)
    body = await in_thread(_state_of, room)
    seen = BackgroundTask(_see, request, room.code)
    return Response(body, headers=_FRESH, media_type="application/json", background=seen)


def _state_of(room):
    return json.dumps(wall_state.state_of(moment_of(room)))


async def _near(request):
    """Send a warning and other addresses to a wall whose address phones cannot reach; null otherwise."""
    await _room(request)
    found = await in_thread(near, request)
    return Response(json.dumps(found and found._asdict()), headers=_FRESH, media_type="application/json")


async def _results(request):
    room = await _room(request)
    return await in_thread(_file_of, request, room)


def _file_of(request, room):
    if not _leads(request, room.code):
        raise NotTheTeacher
    named = {**_FRESH, "Content-Disposition": f'attachment; filename="room_{room.code}.csv"'}
    return Response(results.as_csv(room), headers=named, media_type="text/csv")
