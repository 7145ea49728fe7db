"""Internals of Streamlit's Python code that the lab depends on; `live/streamlit.js` has those of its JavaScript.

Each name has a test in tests/pages/test_streamlit_contract.py, to show what an upgrade of Streamlit has broken.
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

# Streamlit's URL paths, below the base path.
STREAM = "_stcore/stream"
UPLOADS = "_stcore/upload_file/"  # followed by the ids of session and file
PAGE_NEEDS = ("health", "host-config", "stream", "upload_file")  # all endpoints below _stcore that a page requests
STATIC = "static"  # Streamlit's own files; some of their names begin with _stcore


# Components on every lesson. The browser fetches a component's script when it first meets one, then its imports.
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
    """Return relative URLs of the scripts of PARTS and of all scripts that they import."""
    found: set[str] = set()
    wanted = [each.name for part in PARTS for each in _SCRIPTS.glob(f"{part}.*.js")]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            wanted += _IMPORTED.findall((_SCRIPTS / name).read_text(encoding="utf-8"))
    return tuple(f"./static/js/{name}" for name in sorted(found))


def path_of(address: str) -> str:
    """Return the absolute path of one of the lab's addresses, with the server's base path."""
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' + base if base else ''}/{address}"


def session_id() -> str | None:
    """Return the id of the visitor's session; None outside a run of a page."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else None


def page_of_run() -> str | None:
    """Return the hash of the page that this run draws, also in callbacks, which run before the page's script."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.page_script_hash if context else None


def is_part_of_page() -> bool:
    """Return True if this run draws only fragments, not the whole page."""
    context = get_script_run_ctx(suppress_warning=True)
    return bool(context and context.fragment_ids_this_run)


def is_connected(session: str | None) -> bool:
    """Return True if a session's page is connected, or if there is no server."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session or "")


def end_run_if_asked() -> None:
    """Let Streamlit end the page's run here if its visitor has left or has requested something else."""
    if session_id():
        st.session_state.get("asked")


def step_of_history() -> dict[str, str] | None:
    """Return the query that Back or Forward has restored; None on any other run. st.query_params lacks part of it."""
    run = get_script_run_ctx(suppress_warning=True)
    if not (run and run.is_history_navigation):
        return None
    return dict(parse_qsl(run.query_string, keep_blank_values=True))


def wish_for(page: str) -> bytes:
    """Return the message that a browser sends to request a page."""
    message = BackMsg()
    message.rerun_script.page_name = page
    return message.SerializeToString()


def ends_the_run(heard: bytes) -> bool:
    """Return True if a message to the browser says that its page is complete."""
    message = ForwardMsg()
    message.ParseFromString(heard)
    again = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
    return message.WhichOneof("type") == "script_finished" and not again
