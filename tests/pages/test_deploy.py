"""The files in .deploy fit together, and several servers refuse to start without a shared secret."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from harness import free_port

from pages._view import server
from pages._view.classroom import store

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / ".deploy"


def test_replica_without_a_secret_refuses_to_start():
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(free_port())]
    named = {"SATTN_REPLICAS": "2", "STREAMLIT_SERVER_COOKIE_SECRET": ""}
    ended = subprocess.run(command, cwd=ROOT, env=os.environ | named, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 1
    assert ended.stderr.startswith("SATTN_REPLICAS is 2, but STREAMLIT_SERVER_COOKIE_SECRET is not set: give all")


@pytest.mark.parametrize(("replicas", "secret"), [("1", ""), ("1", "sixteen letters."), ("2", "sixteen letters.")])
def test_single_server_needs_no_secret_and_replicas_start_with_one(monkeypatch, replicas, secret):
    monkeypatch.setenv("SATTN_REPLICAS", replicas)
    monkeypatch.setenv("STREAMLIT_SERVER_COOKIE_SECRET", secret)
    server.check_settings()


@pytest.mark.parametrize("replicas", ["1", "2"])
@pytest.mark.parametrize(("secret", "letters"), [("x", "1 letter"), (" fifteen letters ", "15 letters")])
def test_guessable_secret_is_refused(monkeypatch, replicas, secret, letters):
    monkeypatch.setenv("SATTN_REPLICAS", replicas)
    monkeypatch.setenv("STREAMLIT_SERVER_COOKIE_SECRET", secret)
    with pytest.raises(SystemExit, match=f"^STREAMLIT_SERVER_COOKIE_SECRET has {letters}, but needs 16 or more: give"):
        server.check_settings()


def test_compose_replicas_have_the_addresses_that_the_proxy_names():
    compose = (DEPLOY / "compose.yaml").read_text()
    addresses = re.findall(r"ipv4_address: (\S+)", compose)
    (port,) = re.findall(r"PORT=(\d+)", (DEPLOY / "Dockerfile").read_text())
    (named,) = re.findall(r"LAB_REPLICAS:-(.+)}", compose)
    assert named.split() == [f"{each}:{port}" for each in addresses]
    assert len(addresses) == len(re.findall(r"^  replica-\d:$", compose, re.MULTILINE)) == 2
    assert "  SATTN_REPLICAS: 2 " in compose


def test_additional_replicas_continue_the_numbers_of_the_compose_file():
    more = subprocess.run([DEPLOY / "proxy", "more", "4"], capture_output=True, text=True, check=True).stdout
    (named,) = re.findall('export LAB_REPLICAS="(.+)"', more)
    compose = (DEPLOY / "compose.yaml").read_text()
    (port,) = set(re.findall(r":(\d+)", re.search("LAB_REPLICAS:-(.+)}", compose)[1]))
    addresses = re.findall(r"ipv4_address: ([\d.]+)", compose + more)
    assert named.split() == [f"{each}:{port}" for each in addresses]
    assert re.findall(r"^  (replica-\d):$", more, re.MULTILINE) == ["replica-3", "replica-4"]


def test_proxy_accepts_the_largest_upload_of_the_server():
    (largest,) = re.findall(r"client_max_body_size (\d+)m;", (DEPLOY / "nginx.conf").read_text())
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert int(largest) == settings["server"]["maxUploadSize"] + 1


def test_compose_replicas_share_one_folder_for_classes_and_own_it():
    image, compose = ((DEPLOY / name).read_text() for name in ("Dockerfile", "compose.yaml"))
    kept = store.FILE.parent.relative_to(ROOT)
    user, place = (re.search(rf"^{name} (\S+)$", image, re.MULTILINE)[1] for name in ("USER", "WORKDIR"))
    assert f"RUN mkdir -m 700 {kept} && chown {user} {kept}\n" in image
    common, services = compose.split("\nservices:\n")
    assert f'  volumes: ["rooms:{place}/{kept}"]' in common
    assert services.count("<<: *replica") == 2
    assert "\nvolumes:\n  rooms:\n" in services
    assert "DATABASE_URL: ${DATABASE_URL:-}" in common


def test_systemd_services_share_one_writable_file_for_classes():
    said = (DEPLOY / "lab@.service").read_text()
    (url,) = re.findall(r"^Environment=DATABASE_URL=(\S+)$", said, re.MULTILINE)
    (folder,) = re.findall(r"^StateDirectory=(\S+)$", said, re.MULTILINE)
    assert store.Store(url)._place.file == Path("/var/lib") / folder / "rooms.sqlite"
    assert re.search("^DynamicUser=yes$", said, re.MULTILINE)
    assert re.search(r"^User=\w+$", said, re.MULTILINE)  # else systemd would give each service its own user
    assert said.index("Environment=DATABASE_URL") < said.index("EnvironmentFile=")  # the file may override it
