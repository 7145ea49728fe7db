"""Start the app as a person does, warmed up and on all interfaces, and record the hosts and sockets it uses."""

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness import Server, running_server

# Python imports `sitecustomize` at start: this one writes requested hosts and TCP_NODELAY sockets into files.
WATCH = """
import os, socket

def note(word, file="ASKED_HOSTS"):
    with open(os.environ[file], "a") as notes:
        print(word, file=notes)

look_up = socket.getaddrinfo

def watched_look_up(host, *others, **named):
    note(host)
    return look_up(host, *others, **named)

class WatchedSocket(socket.socket):
    def connect(self, address):
        note(address[0] if isinstance(address, tuple) else "unix")
        return super().connect(address)

    def setsockopt(self, *option):
        if option == (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1):
            note(self.getsockname()[1], "AT_ONCE")
        return super().setsockopt(*option)

socket.getaddrinfo, socket.socket = watched_look_up, WatchedSocket
"""


@dataclass(frozen=True)
class WatchedServer(Server):
    folder: Path

    def asked_hosts(self):
        return (self.folder / "asked").read_text().split()

    def sent_at_once(self):
        """Return the local port of each socket with TCP_NODELAY, whose messages are sent without delay."""
        return (self.folder / "at_once").read_text().split()


@contextmanager
def watched_server(folder):
    (folder / "sitecustomize.py").write_text(WATCH)
    notes = {"ASKED_HOSTS": folder / "asked", "AT_ONCE": folder / "at_once"}
    for note in notes.values():
        note.touch()
    environment = {"PYTHONPATH": str(folder), **{name: str(note) for name, note in notes.items()}}
    with running_server(address=None, environment=environment) as server:
        yield WatchedServer(server.url, server.pid, server.log_path, folder)
