"""A websocket client that sends a browser's messages, or any others, and reads the answers."""

from contextlib import contextmanager, suppress

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

PATIENCE = 60  # seconds in which a run must end
QUIET = 0.15  # seconds without a message after which no further run is expected

ENDED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class Stranger:
    """One session, with the kind of each widget by its id, and the exceptions received so far."""

    def __init__(self, socket):
        self.socket = socket
        self.widgets, self.exceptions, self.page_hash = {}, [], ""

    def open(self, page, query=""):
        message = BackMsg()
        message.rerun_script.page_name, message.rerun_script.query_string = page, query
        self.send(message)
        self.hear()

    def run(self, *states, **said):
        """Request a run with these widget states, each (id, field, value), and read until the run has ended."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self.page_hash
        for name, value in said.items():
            setattr(message.rerun_script, name, value)
        for id_, field, value in states:
            _write(message.rerun_script.widget_states.widgets.add(id=id_), field, value)
        self.send(message)
        self.hear()

    def send(self, message):
        self.socket.send(message.SerializeToString())

    def hear(self):
        """Read messages until a run has ended and no other follows."""
        ended = False
        with suppress(TimeoutError):
            while True:
                heard = ForwardMsg.FromString(self.socket.recv(timeout=QUIET if ended else PATIENCE))
                if heard.WhichOneof("type") in ("new_session", "script_finished"):
                    ended = heard.script_finished in ENDED
                self._take(heard)
        assert ended, "the run did not end"

    def _take(self, heard):
        kind = heard.WhichOneof("type")
        if kind == "navigation":
            self.page_hash = heard.navigation.page_script_hash
        elif kind == "session_event" and heard.session_event.HasField("script_compilation_exception"):
            self.exceptions.append(heard.session_event.script_compilation_exception.message)
        elif kind == "delta":
            self._look(heard.delta)

    def _look(self, delta):
        element = delta.new_element if delta.WhichOneof("type") == "new_element" else delta.add_block
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.exceptions.append(element.exception.message)
        id_ = getattr(getattr(element, kind), "id", "") if kind else ""
        if id_:
            self.widgets[id_] = kind
        if id_ and kind == "bidi_component":
            self.widgets[f"$$STREAMLIT_INTERNAL_KEY_{id_}__events"] = "events"


def _write(state, field, value):
    if field.endswith("array_value"):
        getattr(state, field).SetInParent()
        getattr(state, field).data.extend(value)
    elif field == "file_uploader_state_value":
        state.file_uploader_state_value.uploaded_file_info.add(file_id="x", name="x.npy", size=2**40)
    elif field in ("arrow_value", "chat_input_value"):
        getattr(state, field).SetInParent()
    else:
        setattr(state, field, value)


@contextmanager
def stranger(server, page="", query=""):
    """Yield a session on this page."""
    with connect(f"{server.url.replace('http', 'ws')}/_stcore/stream", subprotocols=["streamlit"], proxy=None,
                 max_size=None) as socket:  # fmt: skip
        session = Stranger(socket)
        session.open(page, query)
        yield session
