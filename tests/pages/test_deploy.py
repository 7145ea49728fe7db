"""What .deploy ships fits together, and several servers without one secret in common do not start."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from harness import free_port

from pages._view import server

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / ".deploy"


def test_one_of_several_servers_without_a_secret_ends_and_says_what_to_set():
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(free_port())]
    named = {"SATTN_REPLICAS": "2", "STREAMLIT_SERVER_COOKIE_SECRET": ""}
    ended = subprocess.run(command, cwd=ROOT, env=os.environ | named, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 1
    assert ended.stderr.startswith("SATTN_REPLICAS is 2, but STREAMLIT_SERVER_COOKIE_SECRET is not set: give all")


@pytest.mark.parametrize(("replicas", "secret"), [("1", ""), ("2", "said")])
def test_one_server_needs_no_secret_and_several_start_with_one(monkeypatch, replicas, secret):
    monkeypatch.setenv("SATTN_REPLICAS", replicas)
    monkeypatch.setenv("STREAMLIT_SERVER_COOKIE_SECRET", secret)
    server.check_secret()


def test_the_replicas_are_where_the_proxy_looks_for_them():
    compose, proxy = ((DEPLOY / name).read_text() for name in ("compose.yaml", "nginx.conf"))
    ports = dict(re.findall(r"^  (replica-\d):\n.*?PORT: (\d+)$", compose, re.MULTILINE | re.DOTALL))
    assert set(re.findall(r"server (replica-\d):(\d+) ", proxy)) == set(ports.items())
    addresses = re.findall(r"ipv4_address: (\S+)", compose)
    assert re.findall(r"^      replica-\d: (\S+)$", compose, re.MULTILINE) == addresses
    assert len(addresses) == len(ports) == int(re.search(r"SATTN_REPLICAS: (\d)", compose)[1]) == 2


def test_an_upload_that_the_server_takes_passes_the_proxy():
    (largest,) = re.findall(r"client_max_body_size (\d+)m;", (DEPLOY / "nginx.conf").read_text())
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert int(largest) == settings["server"]["maxUploadSize"] + 1
