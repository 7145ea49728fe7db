"""Start replicas behind nginx as in .deploy: with the Dockerfile's steps and the shipped nginx.conf, on free ports."""

import json
import os
import pwd
import re
import shutil
import signal
import subprocess
from contextlib import ExitStack, contextmanager

from harness import ROOT, free_port, running

DEPLOY = ROOT / ".deploy"
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
NO_NGINX = "no nginx found; get one with 'apt-get install nginx-light'"
ENVIRONMENT = {
    "SATTN_REPLICAS": "2",
    "STREAMLIT_SERVER_COOKIE_SECRET": "a secret of the tests",
    "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
    **dict(re.findall(r"export (MALLOC_\w+)=.*:-(\d+)", (DEPLOY / "lab").read_text())),
    "SATTN_FRAME_ANCESTORS": "'self' http://localhost:*",
}


def dockerfile(name):
    """Return the arguments of every use of an instruction in the Dockerfile."""
    text = (DEPLOY / "Dockerfile").read_text()
    return re.findall(rf"^{name} (.+)$", text, re.MULTILINE)


def build(folder, environment):
    """Carry out the COPY and RUN steps of the Dockerfile in a folder, in order."""
    text = (DEPLOY / "Dockerfile").read_text()
    for name, said in re.findall(r"^(COPY|RUN) (.+)$", text, re.MULTILINE):
        if name == "RUN":
            ours = said.replace(dockerfile("USER")[-1], f"{os.getuid()}:{os.getgid()}")  # the current user
            subprocess.run(ours, shell=True, cwd=folder, env=environment, check=True)
            continue
        *sources, target = said.split()
        for source in sources:
            _copy(ROOT / source, folder / target)


def _copy(source, target):
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


class Replica:
    """A server process started by the image's command; it keeps its port across restarts."""

    def __init__(self, folder, environment=None):
        self.folder, self.port = folder, free_port()
        self.environment = {**ENVIRONMENT, **(environment or {}), "PORT": str(self.port)}
        self.server, self.logs, self.held = None, [], ExitStack()

    def start(self):
        command, base = json.loads(dockerfile("CMD")[-1]), self.environment.get("STREAMLIT_SERVER_BASE_URL_PATH", "")
        started = running(command, self.port, cwd=self.folder, base=base, environment=self.environment)
        self.server = self.held.enter_context(started)

    def stop(self):
        """Terminate the process as an update does; do nothing if it has ended."""
        if self.server:
            self.logs.append(self.server.log())
        self.server = None
        self.held.close()

    def kill(self):
        """Kill the process, as the kernel does when memory runs out."""
        os.kill(self.server.pid, signal.SIGKILL)
        self.stop()


@contextmanager
def proxy(folder, *ports, base=""):
    """Start nginx with the shipped nginx.conf in front of replicas on these ports; base: the app's URL path."""
    port = free_port()
    said = {"listen 80": f"listen 127.0.0.1:{port}", "/var/log/nginx": str(folder), "/var/cache/lab": f"{folder}/cache"}
    said |= {"location / ": f"location /{base}/ "} if base else {}
    shipped = (DEPLOY / "nginx.conf").read_text()
    (folder / "lab.conf").write_text(re.sub("|".join(said), lambda found: said[found[0]], shipped))
    named = {"LAB_REPLICAS": " ".join(f"127.0.0.1:{each}" for each in ports)}
    (folder / "lab-replicas.conf").write_text(written_by_proxy("replicas", environment=named))
    (folder / "own.conf").write_text(_AROUND.format(folder=folder, user=pwd.getpwuid(os.getuid()).pw_name))
    (folder / "nginx.conf").write_text(written_by_proxy("main", folder / "own.conf"))
    command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    with running(command, port, base=base) as server:
        yield server


def written_by_proxy(*words, environment=None):
    """Return the output of the shipped script `proxy`."""
    asked = {"capture_output": True, "text": True, "check": True, "env": os.environ | (environment or {})}
    return subprocess.run([DEPLOY / "proxy", *words], **asked).stdout


# A main nginx.conf like those of Linux distributions: it sets the folders and includes the shipped file.
_AROUND = """
daemon off;
user {user};
pid {folder}/pid;
events {{
    worker_connections 768;
}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/lab*.conf;
}}
"""
