"""What several commands share: the folder of ``--data``, where ``--host`` and ``--port`` listen, printed addresses."""

from __future__ import annotations

import argparse
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import segno

from firmware_host.archive.data_folder import EVERYWHERE, check_data, data_folder, host_token
from firmware_host.text.words import Refused

PORTS = 65536


def add_data(*verbs: argparse.ArgumentParser, holds: str = "games and keys") -> None:
    """Add ``--data`` to commands; ``holds`` names the folder's content in the help."""
    for verb in verbs:
        verb.add_argument("--data", type=Path, default=None, help=f"folder of {holds} (default {data_folder()})")


def data_of(arguments: argparse.Namespace) -> Path:
    """Return the data folder, which need not exist. Raise Refused if the path is not a folder."""
    data: Path = arguments.data or data_folder()
    check_data(data)
    return data


def opened_data(arguments: argparse.Namespace) -> Path:
    """Return the data folder of a table that was opened before. Raise Refused."""
    data = data_of(arguments)
    if not data.exists():
        raise Refused(f"no table has been opened yet with the folder {data}: it does not exist (--data names another)")
    return data


def add_address(verb: argparse.ArgumentParser) -> None:
    """Add ``--host`` and ``--port`` to a command that serves pages."""
    host, port, _ = EVERYWHERE
    verb.add_argument("--host", default=host, help="address to listen on (default: all)")
    verb.add_argument("--port", type=int, default=port, help=f"port to listen on (default {port})")
    verb.add_argument("--name", action="append", default=[], help="a further name that leads here (repeatable)")


def listen(host: str, port: int) -> socket.socket:
    """Open the port before anything else happens, so that an occupied one changes nothing. Raise Refused."""
    check_port(port)
    if host.strip("0123456789.") == "":  # Digits and dots: name servers would be asked for half a minute.
        try:
            socket.inet_aton(host)
        except OSError:
            raise Refused(f"--host: expected an IPv4 address such as 127.0.0.1, or a name, got {host!r}") from None
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


def host_link(data: Path, address: str) -> str:
    """Return the link by which a phone becomes the host. Raise Refused if the token's file can't be used."""
    return f"{address}/host#{host_token(data)}"


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
