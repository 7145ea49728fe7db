"""A Postgres for the tests: a new cluster in its own folder, on a free port, ended with the tests."""

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
    """Return the folder of Postgres's programs, the newest of several; None if there is none."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return max((path.parent for path in found), key=lambda folder: int(folder.parent.name), default=None)


@contextmanager
def cluster_of_tests():
    """Yield the address of a Postgres; skip the tests without one, but fail if CI=true."""
    if find_postgres() is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI=true and {NO_POSTGRES}")
        pytest.skip(NO_POSTGRES)
    with cluster() as url:
        yield url


@contextmanager
def cluster():
    """Yield the address of a cluster that is not safe from a power cut, and trusts everybody on this machine."""
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
            server.send_signal(signal.SIGINT)  # ends its connections, and itself
            server.wait(START_S)
    finally:
        shutil.rmtree(folder)


def _as_somebody(folder):
    """Return a user to run it as: Postgres does not run as root, so its package's user gets the folder."""
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
