"""Start a new Postgres cluster for the tests in a temporary folder, on a free port."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from harness import START_S, free_port

NO_POSTGRES = "no Postgres found; get one with 'apt-get install postgresql'"


def find_postgres():
    """Return the folder with Postgres's programs (of several versions the newest), or None."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return max((path.parent for path in found), key=lambda folder: int(folder.parent.name), default=None)


@contextmanager
def cluster_of_tests():
    """Yield the URL of a new cluster; without Postgres skip the tests, or fail if CI=true."""
    if find_postgres() is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI=true and {NO_POSTGRES}")
        pytest.skip(NO_POSTGRES)
    with cluster() as url:
        yield url


@contextmanager
def cluster():
    """Yield the URL of a new cluster. It does not sync to disk, and needs no password on this machine."""
    programs, port = find_postgres(), free_port()
    folder = Path(tempfile.mkdtemp(prefix="postgres"))
    try:
        with (folder / "log").open("w") as log:
            run = {"cwd": folder, "stdout": log, "stderr": subprocess.STDOUT, **_as_somebody(folder)}
            made = [programs / "initdb", "--no-sync", "--auth=trust", "--username=lab", "--locale=C", "--encoding=UTF8"]
            subprocess.run([*made, folder / "data"], check=True, **run)
            settings = f"fsync=off listen_addresses=127.0.0.1 port={port} unix_socket_directories= max_connections=60"
            command = [programs / "postgres", "-D", folder / "data"]
            server = subprocess.Popen([*command, *(f"--{each}" for each in settings.split())], **run)
        try:
            yield _answering(server, f"postgresql://lab@127.0.0.1:{port}/postgres", folder / "log")
        finally:
            server.send_signal(signal.SIGINT)  # fast shutdown: does not wait for connections to close
            server.wait(START_S)
    finally:
        shutil.rmtree(folder)


def _as_somebody(folder):
    """Return `Popen` arguments that make root start Postgres as its package's user: Postgres refuses to run as root."""
    if os.getuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _answering(server, url, log):
    started = time.monotonic()
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return url
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() - started > START_S:
                raise AssertionError(f"Postgres did not start:\n{log.read_text()}") from None
            time.sleep(0.05)
