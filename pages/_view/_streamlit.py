"""Everything that the lab uses of Streamlit beyond its public interface; its scripts have `live/streamlit.js` for that.

Each name has a test in tests/pages/test_streamlit_contract.py, which says what an upgrade of Streamlit has broken.
"""

import re
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st
from streamlit import runtime
from streamlit.delta_generator import DeltaGenerator as DeltaGenerator
from streamlit.errors import StreamlitAPIException as StreamlitAPIException
from streamlit.navigation.page import StreamlitPage as StreamlitPage
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx

# Streamlit's own addresses, below the base path.
STREAM = "_stcore/stream"
UPLOADS = "_stcore/upload_file/"  # then the session and the file
PAGE_NEEDS = ("health", "host-config", "stream", "upload_file")  # all that a page asks for below _stcore
STATIC = "static"  # Streamlit's own files; some of their names begin with _stcore


# Parts that every lesson shows. A page asks for the script of a part when it meets one, and only then for its imports.
PARTS = (
    "BidiComponent",
    "Button",
    "ButtonGroup",
    "Checkbox",
    "Html",
    "NumberInput",
    "PageLink",
    "Selectbox",
    "Slider",
    "rehype-katex",
    "rehype-raw",
)
_SCRIPTS = Path(st.__file__).parent / STATIC / "static/js"
_IMPORTED = re.compile(r'(?:from|import)\s*"\./([^"]+\.js)"')


@cache
def scripts_of_parts() -> tuple[str, ...]:
    """Return the addresses of these scripts and of all that they import, below the page."""
    found: set[str] = set()
    wanted = [each.name for part in PARTS for each in _SCRIPTS.glob(f"{part}.*.js")]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            wanted += _IMPORTED.findall((_SCRIPTS / name).read_text(encoding="utf-8"))
    return tuple(f"./static/js/{name}" for name in sorted(found))


def path_of(address: str) -> str:
    """Return the path of an address of ours, below the server's base path."""
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' + base if base else ''}/{address}"


def session_id() -> str | None:
    """Return the id of the visitor's session; None where no page is running."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else None


def page_of_run() -> str | None:
    """Return the page that this run draws, in whole or in part. Callbacks get it too, though they come before."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.page_script_hash if context else None


def is_part_of_page() -> bool:
    """Return True if this run draws fragments alone, not the whole page."""
    context = get_script_run_ctx(suppress_warning=True)
    return bool(context and context.fragment_ids_this_run)


def is_connected(session: str | None) -> bool:
    """Return True if a visitor's page is connected; without a server everybody is."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session or "")


def end_run_if_asked() -> None:
    """Let Streamlit end the run of the page here, if its visitor has left or has asked for something else."""
    if session_id():
        st.session_state.get("asked")


def step_of_history() -> dict[str, str] | None:
    """Return the query that Back or Forward has come to; None on any other run. Streamlit drops a part of the query."""
    run = get_script_run_ctx(suppress_warning=True)
    if not (run and run.is_history_navigation):
        return None
    return dict(parse_qsl(run.query_string, keep_blank_values=True))


def wish_for(page: str) -> bytes:
    """Return the message by which a browser asks for a page."""
    message = BackMsg()
    message.rerun_script.page_name = page
    return message.SerializeToString()


def ends_the_run(heard: bytes) -> bool:
    """Return True if a message to the browser says that the page is drawn."""
    message = ForwardMsg()
    message.ParseFromString(heard)
    again = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
    return message.WhichOneof("type") == "script_finished" and not again
