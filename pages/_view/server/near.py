"""This machine's other addresses, for a lab that was opened as localhost, which phones cannot reach."""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.requests import Request

from pages._view.server.links import host_of
from pages._view.server.origin import origin

_FAR = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # reserved for documentation: nobody has them
_PATIENCE = 0.3  # seconds


class Near(NamedTuple):
    """A warning that phones cannot reach this address, with addresses that they can reach."""

    says: str
    roots: list[str]  # such as http://192.168.1.5:8501


def near(request: Request) -> Near | None:
    """Return the lab's other addresses, if the request's host names the visitor's own machine."""
    here = urlsplit(host_of(request))
    if not is_local(here.hostname or ""):
        return None
    named = origin() if not is_local(urlsplit(origin()).hostname or "localhost") else ""
    roots = [named] if named else [here._replace(netloc=at).geturl() for at in _places(request, here)]
    begin = f"Phones cannot reach {here.netloc}."
    if roots:
        return Near(f"{begin} Open the lab here instead:", roots)
    return Near(f"{begin} Look up this computer's address in its network settings, and open the lab there.", [])


def is_local(host: str) -> bool:
    """Return True if a host names the visitor's own machine, as localhost does."""
    try:
        found = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return found.is_loopback or found.is_unspecified


def _places(request, here):
    """Return the hosts of this lab with its port: IP addresses, then the machine's name; [] for visitors elsewhere."""
    asking = request.client.host if request.client else ""
    if not is_local(asking.removeprefix("::ffff:")) or "x-forwarded-for" in request.headers:
        return []
    port = here.port or (443 if here.scheme == "https" else 80)
    found = [f"[{each}]" if each.version == 6 else str(each) for each in own_addresses() if _listens(each, port)]
    name = socket.gethostname().lower()
    names = [name] if found and name and not is_local(name) else []
    return [f"{each}:{here.port}" if here.port else each for each in found + names]


def own_addresses() -> list[IPv4Address | IPv6Address]:
    """Return the IP addresses from which this machine would send; connecting a datagram socket sends nothing."""
    found = []
    for family, far in _FAR.items():
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as ours:
                ours.connect((far, 9))
                found.append(ip_address(ours.getsockname()[0].partition("%")[0]))
        except OSError:
            continue  # no IP network of this kind
    return [each for each in found if not (each.is_loopback or each.is_unspecified or each.is_link_local)]


def _listens(address, port):
    """Return True if the lab listens at an IP address, not only at localhost; nothing leaves this machine."""
    try:
        socket.create_connection((str(address), port), _PATIENCE).close()
    except OSError:
        return False
    return True
