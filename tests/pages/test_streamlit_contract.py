"""The lab's assumptions about Streamlit's private parts; a failing test names the code to repair."""

import pkgutil
import re
from contextlib import suppress
from functools import cache
from inspect import signature
from pathlib import Path
from unittest.mock import MagicMock

import pytest
import streamlit as st
from starlette.datastructures import Headers
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import Config
from streamlit.runtime import app_session
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import starlette_app, starlette_server_config, starlette_websocket

from pages._view import _streamlit
from pages._view.server import compress, headers

VIEW = Path(_streamlit.__file__).parent
MODULE, SCRIPT = "pages/_view/_streamlit.py", "pages/_view/live/streamlit.js"
KNOWN = (VIEW / "live/streamlit.js").read_text(encoding="utf-8")
BROWSER = Path(st.__file__).parent / "static/static/js"


def broken(what, where=MODULE):
    """Return the message about a broken assumption."""
    return f"Streamlit {st.__version__}: {what}. Mend it in {where}"


def reaches_inside(source):
    """Return the private parts of Streamlit that a source text uses: imports and modules of `st`."""
    modules = {each.name for each in pkgutil.iter_modules(st.__path__) if not callable(getattr(st, each.name, None))}
    reached = set(re.findall(r"\bst\.(\w+)", source)) & modules - {"column_config", "components"}
    imported = re.findall(r"^\s*(?:from|import) (streamlit\b.*)", source, re.MULTILINE)
    return sorted({*reached, *imported} - {"streamlit as st"})


def test_only_one_module_uses_private_parts():
    root = VIEW.parents[1]
    texts = [root / "app.py", *root.glob("pages/**/*.py")]
    found = {path for path in texts if reaches_inside(path.read_text(encoding="utf-8"))}
    assert found == {VIEW / "_streamlit.py"}


# --- the run of a page ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["session_id", "query_string", "is_history_navigation", "page_script_hash"])
def test_run_context_has_the_fields_that_the_lab_reads(name):
    assert hasattr(ScriptRunContext, name) or name in ScriptRunContext.__dataclass_fields__, broken(
        f"the context of a run has no {name} any more"
    )


def test_session_is_known_only_during_a_run():
    def script():
        import streamlit as st

        from pages._view import _streamlit

        st.write(f"session: {_streamlit.session_id()}, history: {_streamlit.step_of_history()}")

    (said,) = AppTest.from_function(script).run().markdown
    assert re.fullmatch("session: (?!None).+, history: None", said.value), broken("a run says otherwise whose it is")
    assert _streamlit.session_id() is None, broken("there is a session where no page runs")
    assert _streamlit.page_of_run() is None, broken("there is a page where none runs")
    assert not _streamlit.is_part_of_page(), broken("there is a fragment where no page runs")
    known = list(signature(ScriptRunContext.reset).parameters)
    assert "fragment_ids_this_run" in known, broken("a run no longer says which fragments it draws")


def test_runtime_knows_if_a_session_is_active():
    assert runtime.exists() in (True, False), broken("nothing says whether a server runs")
    takes = list(signature(runtime.Runtime.is_active_session).parameters)
    assert takes == ["self", "session_id"], broken(f"is_active_session takes {takes}")


def test_reading_the_session_state_lets_streamlit_end_the_run():
    looks = []
    with suppress(KeyError):
        SafeSessionState(SessionState(), lambda: looks.append(1))["asked"]
    assert looks, broken("reading the state of a session no longer ends a run that nobody waits for")


def test_fragment_rerun_is_refused_during_a_run_of_the_whole_page():
    def script():
        import streamlit as st

        from pages._view import _streamlit

        try:
            st.rerun(scope="fragment")
        except _streamlit.StreamlitAPIException:
            st.write("refused")

    said = [each.value for each in AppTest.from_function(script).run().markdown]
    assert said == ["refused"], broken("st.rerun refuses a fragment in another way, see also `go_on` in race.py")


# --- messages ------------------------------------------------------------------------------------------


def test_message_that_requests_a_page_contains_its_name():
    wish = BackMsg.FromString(_streamlit.wish_for("start"))
    assert wish.WhichOneof("type") == "rerun_script", broken("another message asks for a page")
    assert wish.rerun_script.page_name == "start", broken("a page is named in another way")


def test_first_byte_identifies_a_message_that_requests_a_run():
    number = int(re.search(r"message\[0\] >> 3 === (\d+)", KNOWN)[1])
    assert BackMsg.DESCRIPTOR.fields_by_name["rerun_script"].number == number, broken("the field has moved", SCRIPT)
    assert _streamlit.wish_for("start")[0] >> 3 == number, broken("its number takes more than a byte", SCRIPT)


@pytest.mark.parametrize(
    ("message", "ends"),
    [
        (ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY), True),
        (ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN), False),
        (ForwardMsg(), False),
    ],
)
def test_the_end_of_a_run_is_recognised(message, ends):
    assert _streamlit.ends_the_run(message.SerializeToString()) is ends, broken("the end of a run is said otherwise")


def test_reconnecting_page_sends_its_session_as_the_third_protocol():
    assert "[...protocols.slice(0, 2), session]" in KNOWN
    named = Headers({"sec-websocket-protocol": "streamlit, token, mine"})
    found = starlette_websocket._parse_subprotocols(named)
    assert found == ("streamlit", "token", "mine"), broken("a session is named elsewhere", f"{SCRIPT}, protocolsOf")


def test_file_request_has_its_session_where_our_script_reads_it():
    message = BackMsg()
    message.backend_operation_request.session_id = message.backend_operation_request.request_id = "mine"
    said = message.SerializeToString()
    assert "message[0] !== 0x9a || message[1] !== 1" in KNOWN
    assert said[:2] == b"\x9a\x01", broken("the request has another number", f"{SCRIPT}, ofSession")
    assert said[3:] == b"\x0a\x04mine\x12\x04mine", broken("the session is named elsewhere", f"{SCRIPT}, ofSession")


# --- addresses -----------------------------------------------------------------------------------------


@cache
def routes():
    """Return the paths and methods of Streamlit's own routes."""
    made = starlette_app.create_streamlit_routes(MagicMock())
    return [(each.path, getattr(each, "methods", None) or set()) for each in made]


@pytest.mark.parametrize("name", _streamlit.PAGE_NEEDS)
def test_the_addresses_that_a_page_needs_exist(name):
    found = [path for path, _ in routes() if path.startswith(f"/_stcore/{name}")]
    assert found, broken(f"/_stcore/{name} has moved: until PAGE_NEEDS names its new place, pages do not work")


def test_all_other_addresses_of_streamlit_are_private():
    """Mounted folders, media files and third-party components are not Streamlit's own."""
    public = [path for path, _ in routes() if not headers.is_private(path)]
    known = "/_stcore/(health|host-config|stream|upload_file/.+)|/(media|component|oauth2callback|auth|static)(/.*)?|"
    unknown = [path for path in public if not re.fullmatch(known, path)]
    assert unknown == [], broken(f"it serves {unknown} to everybody: look whether it may", "is_private in headers.py")
    assert any(headers.is_private(path) and path.endswith("/metrics") for path, _ in routes())


def test_uploads_go_only_to_the_address_that_is_counted():
    taken = [path for path, methods in routes() if methods & {"PUT", "POST", "PATCH"} and not headers.is_private(path)]
    assert taken == [f"/{_streamlit.UPLOADS}{{session_id}}/{{file_id}}"], broken(f"files come to {taken}")


def test_health_address_is_next_to_that_of_the_message_stream():
    assert _streamlit.STREAM in [path.strip("/") for path, _ in routes()], broken("messages go to another address")
    assert 'replace(/stream$/, "health")' in KNOWN
    assert _streamlit.STREAM.replace("stream", "health") in [path.strip("/") for path, _ in routes()], broken(
        "health is asked for elsewhere", f"{SCRIPT}, healthOf"
    )


# --- the page in the browser ---------------------------------------------------------------------------


@cache
def scripts():
    """Return all scripts that Streamlit's page may load."""
    return "\n".join(path.read_text(encoding="utf-8") for path in BROWSER.glob("*.js"))


@cache
def quoted():
    """Return the words that stand alone in quotes or between spaces in these scripts, and those before "-$"."""
    return {*re.findall(r"(?<=[`\"' ])[\w-]+(?=[`\"' ])", scripts())}, {*re.findall(r"[`\"' ]([\w-]+)-\$", scripts())}


def names():
    """Yield (name, file) for each part of Streamlit's page named in our scripts and style rules."""
    for path in sorted([VIEW / "live/streamlit.js", *(VIEW / "style").glob("*.css")]):
        found = set(re.findall(r"\bst[A-Z]\w+(?:-\w+)?|react-aria-\w+", path.read_text(encoding="utf-8")))
        yield from (pytest.param(name, path, id=f"{path.name}-{name}") for name in sorted(found))


@pytest.mark.parametrize(("name", "path"), [*names()])
def test_page_of_streamlit_contains_the_names_that_we_search_for(name, path):
    where = path.relative_to(VIEW.parents[1])
    words, composed = quoted()
    head, dash, _ = name.partition("-")  # the rest may be composed later, such as stBaseButton-${kind}
    found = name in words or (dash and head in composed)
    assert found, broken(f"no part of its page is called {name}", where)


@pytest.mark.parametrize(
    "name", ["data-test-script-state", "data-test-connection-state", "notRunning", "CONNECTED", "st-key-"]
)
def test_page_of_streamlit_exposes_its_state(name):
    assert name in scripts(), broken(f"its page has no {name} any more", f"{SCRIPT} and pages/_view/style")


def test_page_stores_the_chosen_theme_under_its_path():
    assert re.search(r"`stActiveTheme-\$\{window\.location\.pathname\}`.{0,200}`\$\{\w+\}-v\$\{", scripts()), broken(
        "its page keeps the chosen theme elsewhere", f"{SCRIPT}, isGroundChosen"
    )
    for name in ("Light", "Dark"):
        assert f"name:`{name}`" in scripts(), broken(f"no theme is called {name}", f"{SCRIPT}, isGroundChosen")


def test_the_page_accepts_the_address_of_its_server():
    assert "BACKEND_BASE_URL" in KNOWN
    assert re.search(r"__streamlit\b.{0,40}BACKEND_BASE_URL", scripts(), re.DOTALL), broken(
        "its page reads the address of its server elsewhere", f"{SCRIPT}, tellServer"
    )
    page = (BROWSER.parents[1] / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<script type="module"[^>]* src="\S*/static/js/', page), broken(
        "its page loads its scripts from another folder", f"{SCRIPT}, tellServer"
    )


@pytest.mark.parametrize("part", _streamlit.PARTS)
def test_part_of_the_streamlit_page_has_its_own_script(part):
    found = [each for each in (BROWSER).glob(f"{part}.*.js")]
    assert len(found) == 1, broken(f"{part} has another script", "pages/_view/_streamlit.py, PARTS")
    assert f"./static/js/{found[0].name}" in _streamlit.scripts_of_parts()
    assert len(_streamlit.scripts_of_parts()) > len(_streamlit.PARTS)  # imported scripts count too


def test_style_rules_never_use_the_has_selector():
    """Each `:has()` delays every picture of a drag by milliseconds; `live/boxes.js` sets a class instead."""
    texts = {
        path: path.read_text(encoding="utf-8") for path in VIEW.rglob("*") if path.suffix in {".css", ".html", ".py"}
    }
    assert len(texts) > 100
    assert [str(path.relative_to(VIEW)) for path, text in texts.items() if ":has(" in text] == []


def test_no_other_file_refers_to_parts_of_the_streamlit_page():
    inside = re.compile(r"data-testid|_stcore|\.st[A-Z]|testScriptState|__streamlit")
    may = {VIEW / "_streamlit.py", VIEW / "live/streamlit.js", *(VIEW / "style").glob("*.css")}
    files = [
        path for path in VIEW.parent.rglob("*") if path.suffix in {".py", ".js", ".css", ".html"} and path not in may
    ]
    naming = [str(path.relative_to(VIEW)) for path in files if inside.search(path.read_text(encoding="utf-8"))]
    assert naming == []


# --- the HTML page -------------------------------------------------------------------------------------


def test_page_of_streamlit_has_one_title_and_one_end_of_its_body():
    page = (Path(st.__file__).parent / "static/index.html").read_text(encoding="utf-8")
    where = "pages/_view/server/links.py"
    assert page.count("<title>Streamlit</title>") == 1, broken("its page has another title", where)
    assert page.count("</body>") == 1, broken("its page ends otherwise", where)


def test_browser_keeps_messages_that_a_later_run_may_refer_to():
    """Of two runs in a row, the second may refer to a message that the first evicted, which ends the connection."""
    message = Config()
    app_session._populate_config_msg(message)
    assert message.max_cached_message_age == 20, broken("how long the browser keeps messages", ".streamlit/config.toml")


def test_streamlit_compresses_no_response_that_we_leave_uncompressed():
    """Else the compressed response would have the ETag of the uncompressed one."""
    assert starlette_server_config.GZIP_MINIMUM_SIZE >= compress.SMALLEST, broken(
        "it packs smaller answers", "pages/_view/server/compress.py"
    )
