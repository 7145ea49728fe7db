"""The lab's other addresses, offered only to a visitor on this machine who opened it at localhost."""

import json
import socket
from ipaddress import ip_address
from types import MappingProxyType

import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from pages._view.classroom.room import TEACHER
from pages._view.classroom.store import Store
from pages._view.server import desk, near, rooms
from pages._view.server.near import Near, is_local
from pages._view.server.origin import ORIGIN
from tests.pages.asgi import ask

SECRET = "abcdefghjkmn"
APP = Starlette(routes=rooms.routes())
OWN = [ip_address("192.168.1.5"), ip_address("fd00::5")]
FOUND = Near("Phones cannot reach localhost.", ["http://192.168.1.5:8501", "http://[fd00::5]:8501"])


def request(host, asking="127.0.0.1", scheme="http", **more):
    sent = {"host": host, **{name.replace("_", "-"): text for name, text in more.items()}}
    raw = [(name.encode(), text.encode()) for name, text in sent.items()]
    return Request({"type": "http", "scheme": scheme, "path": "/", "headers": raw, "client": (asking, 5)})


@pytest.fixture
def machine(monkeypatch):
    """Fake a machine with two IP addresses and a host name, all served by the lab; return the monkeypatch."""
    monkeypatch.delenv(ORIGIN, raising=False)
    monkeypatch.setattr(near, "own_addresses", lambda: OWN)
    monkeypatch.setattr(near, "_listens", lambda address, port: True)
    monkeypatch.setattr(socket, "gethostname", lambda: "Laptop")
    return monkeypatch


@pytest.mark.parametrize("host", ["localhost", "lab.localhost", "127.0.0.1", "127.1.2.3", "::1", "0.0.0.0"])
def test_loopback_host_names_are_local(host):
    assert is_local(host)


@pytest.mark.parametrize("host", ["lab.example", "localhost.example", "192.168.1.5", "fd00::5", ""])
def test_other_host_names_are_not_local(host):
    assert not is_local(host)


@pytest.mark.parametrize(("host", "port"), [("localhost:8501", ":8501"), ("[::1]:80", ":80"), ("127.0.0.1", "")])
def test_offered_addresses_keep_the_port(machine, host, port):
    found = near.near(request(host))
    assert found.says == f"Phones cannot reach {host}. Open the lab here instead:"
    assert found.roots == [f"http://{each}{port}" for each in ("192.168.1.5", "[fd00::5]", "laptop")]


def test_host_that_phones_can_reach_gets_no_warning(machine):
    assert near.near(request("192.168.1.5:8501")) is None
    assert near.near(request("lab.example")) is None


@pytest.mark.parametrize("more", [{"asking": "203.0.113.9"}, {"asking": ""}, {"x_forwarded_for": "203.0.113.9"}])
def test_visitor_on_another_machine_is_offered_no_address(machine, more):
    found = near.near(request("localhost:8501", **more))
    assert found.roots == []
    assert "Look up this computer's address in its network settings" in found.says


def test_lab_that_listens_only_at_localhost_offers_no_address(machine):
    machine.setattr(near, "_listens", lambda address, port: False)
    assert near.near(request("localhost:8501")).roots == []


def test_configured_origin_is_offered_unless_it_is_local(machine):
    machine.setenv(ORIGIN, "https://lab.example")
    assert near.near(request("localhost:8501", asking="203.0.113.9")).roots == ["https://lab.example"]
    machine.setenv(ORIGIN, "http://localhost:8501")
    assert near.near(request("localhost:8501")).roots[0] == "http://192.168.1.5:8501"


class Silent:
    """A datagram socket that cannot send; `ours` has this machine's IP address by address family."""

    ours = MappingProxyType({socket.AF_INET: "192.168.1.5", socket.AF_INET6: "fe80::1%eth0"})

    def __init__(self, family, kind):
        assert kind == socket.SOCK_DGRAM
        self.family = family

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        return None

    def connect(self, far):
        if self.family not in self.ours:
            raise OSError("Network is unreachable")

    def getsockname(self):
        return self.ours[self.family], 5


def test_own_ip_addresses_are_found_without_sending(monkeypatch):
    monkeypatch.setattr(socket, "socket", Silent)
    assert near.own_addresses() == [ip_address("192.168.1.5")]  # an fe80 address needs the name of a network card
    monkeypatch.setattr(Silent, "ours", {})
    assert near.own_addresses() == []


def test_listening_ports_are_distinguished_from_closed_ones():
    with socket.create_server(("127.0.0.1", 0)) as lab:
        port = lab.getsockname()[1]
        assert near._listens(ip_address("127.0.0.1"), port)
    assert not near._listens(ip_address("127.0.0.1"), port)


def test_page_that_opens_a_class_links_to_the_same_lesson(machine):
    page = desk.before_opening("token", "/one_query?d_k=16", FOUND)
    assert FOUND.says in page
    for root in FOUND.roots:
        assert f'href="{root}/room?at=%2Fone_query%3Fd_k%3D16' in page
    assert FOUND.says not in desk.before_opening("token", "/one_query")


@pytest.fixture
def code(tmp_path, monkeypatch):
    """Yield the code of a class in a new store."""
    own = Store(f"sqlite:///{tmp_path}/rooms.sqlite")
    for module in ("classroom.moment", "server.desk", "server.rooms"):
        monkeypatch.setattr(f"pages._view.{module}.store", lambda: own)
    yield own.open_room(SECRET, stem="one_query", query="bet=1").code
    own.dispose()


def test_desk_links_to_itself_at_other_addresses(machine, code):
    machine.setattr(rooms, "near", lambda request: FOUND)
    body = ask(APP, f"/room/{code}", host="localhost:8501", cookie=f"{TEACHER}={code}{SECRET}")[2].decode()
    for root in FOUND.roots:
        assert f'href="{root}/room/{code}"' in body
    assert "It asks for the secret of this room" in body


def test_room_pages_warn_only_at_localhost(machine, code):
    for host, says in {"localhost:8501": True, "lab.example": False}.items():
        for place in ("/room", f"/room/{code}"):
            body = ask(APP, place, host=host, cookie=f"{TEACHER}={code}{SECRET}")[2].decode()
            assert ("Phones cannot reach localhost:8501." in body) == says
            assert "It asks for the secret" not in body  # no other address was found
        found = json.loads(ask(APP, f"/room/{code}/near", host=host)[2])
        assert found == (near.near(request(host, asking=""))._asdict() if says else None)
