"""What the server does with nobody's help: whom it asks, on which addresses it listens."""

import socket
import sys

import pytest
from harness import running_server

pytestmark = pytest.mark.e2e

# Python runs a module of this name at its start: every address that the server asks for goes into a file.
WATCH = """
import os, socket

def note(host):
    with open(os.environ["ASKED_HOSTS"], "a") as asked:
        print(host, file=asked)

look_up = socket.getaddrinfo

def watched_look_up(host, *others, **named):
    note(host)
    return look_up(host, *others, **named)

class WatchedSocket(socket.socket):
    def connect(self, address):
        note(address[0] if isinstance(address, tuple) else "unix")
        return super().connect(address)

socket.getaddrinfo, socket.socket = watched_look_up, WatchedSocket
"""
OWN = {"localhost", "127.0.0.1", "0.0.0.0", "::", "::1", "None", "unix"}


def test_the_server_asks_no_other_host_at_its_start_and_listens_on_every_address(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    asked = tmp_path / "asked"
    asked.touch()
    environment = {"PYTHONPATH": str(tmp_path), "ASKED_HOSTS": str(asked)}
    with running_server(address=None, environment=environment) as server:
        port = int(server.url.rpartition(":")[2])
        if sys.platform == "linux":  # where 127.0.0.2 is this machine too, and another address of it
            socket.create_connection(("127.0.0.2", port), timeout=10).close()
        assert "URL: http://localhost:" in server.log()
    assert set(asked.read_text().split()) - OWN == set()
