"""Where the panel listens, and what addresses people are told."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence

import segno

from firmware_host.refusal import Refused

ELSEWHERE = ("192.0.2.1", "10.42.0.2")
"""Somebody beyond the local network's router; where there is none, a guest of NetworkManager's hotspot."""


def listen(host: str, port: int) -> socket.socket:
    """Take the port before anything else happens, so that a taken one changes nothing. Raise Refused."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(f"can't listen on {host} port {port}: {reason}. Choose another with --port") from error
    return listener


def addresses_of(host: str, port: int) -> list[str]:
    """Return the base addresses of the panel, the one that phones should use first."""
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
            except OSError:  # There is no way there: no router.
                continue
            address: str = probe.getsockname()[0]
            return address
    return None


def print_places(what: str, path: str, addresses: Sequence[str]) -> None:
    """Print where something is, at the first address and at the others."""
    print(f"\n{what}: {addresses[0]}{path}")
    for other in addresses[1:]:
        print(f"             also: {other}{path}")


def print_code(address: str) -> None:
    """Print an address as a QR code where the terminal can show one."""
    if (sys.stdout.encoding or "").casefold().startswith("utf"):
        segno.make(address, error="m").terminal(compact=True)
    sys.stdout.flush()
