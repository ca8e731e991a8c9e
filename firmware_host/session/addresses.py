"""The addresses on which the panel listens, and those shown to people."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence

import segno

from firmware_host.text.refusal import Refused

ELSEWHERE = ("192.0.2.1", "10.42.0.2")
"""An address beyond the local network's router; without a router, a guest of NetworkManager's hotspot."""
PORTS = 65536


def listen(host: str, port: int) -> socket.socket:
    """Open the port before anything else happens, so that an occupied one changes nothing. Raise Refused."""
    check_port(port)
    _check_host(host)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, TypeError) as error:  # The latter: a name that no network can have.
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(f"can't listen on {host} port {port}: {reason}. Choose another with --port") from error
    return listener


def check_port(port: int) -> None:
    """Raise Refused unless the port number is valid; 0 is any free port."""
    if not 0 <= port < PORTS:
        raise Refused(f"--port: expected a number from 0 to {PORTS - 1}, got {port}")


def _check_host(host: str) -> None:
    """Raise Refused for digits and dots that are no address: name servers would be asked, for half a minute."""
    if host.strip("0123456789.") == "":
        try:
            socket.inet_aton(host)
        except OSError:
            raise Refused(f"--host: expected an IPv4 address such as 127.0.0.1, or a name, got {host!r}") from None


def addresses_of(host: str, port: int) -> list[str]:
    """Return the base addresses of the panel; the first is the address for phones."""
    if host not in {"0.0.0.0", "::"}:  # noqa: S104
        return [f"http://{host}:{port}"]
    found = [address for address in (lan_address(), "127.0.0.1") if address]
    name = socket.gethostname().casefold()
    return [f"http://{address}:{port}" for address in dict.fromkeys([*found, name, f"{name}.local"])]


def lan_address() -> str | None:
    """Return this machine's address in the local network, or in its own hotspot; nothing is sent."""
    for elsewhere in ELSEWHERE:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((elsewhere, 9))
            except OSError:  # There is no route: no router.
                continue
            address: str = probe.getsockname()[0]
            return address
    return None


def print_places(what: str, path: str, addresses: Sequence[str]) -> None:
    """Print the addresses of a page, the first one and the others."""
    print(f"\n{what}: {addresses[0]}{path}")
    for other in addresses[1:]:
        print(f"             also: {other}{path}")


def print_code(address: str) -> None:
    """Print an address as a QR code if the terminal can show one."""
    if (sys.stdout.encoding or "").casefold().startswith("utf"):
        segno.make(address, error="m").terminal(compact=True)
    sys.stdout.flush()
