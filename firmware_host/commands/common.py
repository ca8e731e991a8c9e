"""What several commands share: the folder of ``--data``, where ``--host`` and ``--port`` listen, printed addresses."""

from __future__ import annotations

import argparse
import errno
import ipaddress
import re
import socket
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import overload

import ifaddr
import segno

from firmware_host.archive.data_folder import EVERYWHERE, check_data, data_folder, host_token
from firmware_host.archive.files import is_there
from firmware_host.commands.options import MAX_PORT, host_word, whole
from firmware_host.plug import Extension, extensions
from firmware_host.text.words import Refused


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
    if not is_there(data):
        raise Refused(f"no table has been opened yet with the folder {data}: it does not exist (--data names another)")
    return data


def add_address(verb: argparse.ArgumentParser) -> None:
    """Add ``--host`` and ``--port`` to a command that serves pages, and what extensions offer it."""
    host, port, _ = EVERYWHERE
    verb.add_argument("--host", type=host_word, default=host, help="address to listen on (default: all)")
    verb.add_argument("--port", type=whole(0, MAX_PORT), default=port, help=f"port to listen on (default {port})")
    verb.add_argument("--name", type=host_word, action="append", default=[], help="a further name (repeatable)")
    for one in extensions():
        one.add_transport(verb)


def listen(host: str, port: int) -> socket.socket:
    """Open the port before anything else happens, so that an occupied one changes nothing. Raise Refused."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        option = "--port" if error.errno in {errno.EADDRINUSE, errno.EACCES} else "--host"
        raise Refused(f"can't listen on {host} port {port}: {error.strerror}. Choose another with {option}") from error
    return listener


def host_link(data: Path, address: str) -> str:
    """Return the link by which a phone becomes the host. Raise Refused if the token's file can't be used."""
    return f"{address}/host#{host_token(data)}"


def print_places(what: str, path: str, addresses: Sequence[str]) -> None:
    """Print the addresses of a page, the first one and the others."""
    print(f"\n{what}: {addresses[0]}{path}")
    for other in addresses[1:]:
        print(f"             also: {other}{path}")


def screens_of(some: Iterable[Extension]) -> dict[str, str]:
    """Return words → path of the pages for screens in the room."""
    return {words: path for one in some for words, path in one.screens.items()}


def print_screens(screens: Mapping[str, str], address: str) -> None:
    """Print where these pages are."""
    for words, path in screens.items():
        print(f"{words[:1].lower() + words[1:]:>19}: {address}{path}")


def print_code(address: str) -> None:
    """Print an address as a QR code if the terminal can show one."""
    if (sys.stdout.encoding or "").casefold().startswith("utf"):
        segno.make(address, error="m").terminal(compact=True)
    sys.stdout.flush()


# -- addresses ---------------------------------------------------------------------------------------------------------


FOLLOWED_S = 3.0
"""So old may be what is known of the interfaces; seconds."""
OUTSIDE = "192.0.2.1"
"""An address beyond every router (RFC 5737): nothing is sent to it."""
_VIRTUAL = re.compile(r"(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|cni|podman|tun|tap|utun|vEthernet|zt|wg)", re.I)

Interfaces = Iterable[tuple[str, str]]
"""Name and IPv4 address of each."""


def interfaces() -> Interfaces:
    """Return the interfaces of this machine that have an IPv4 address, as the system lists them."""
    return [(one.nice_name, str(ip.ip)) for one in ifaddr.get_adapters() for ip in one.ips if ip.is_IPv4]


def way_out() -> str | None:
    """Return the address from which this machine reaches other networks, None without a way; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((OUTSIDE, 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def addresses_for_phones(found: Interfaces, first: str | None) -> list[str]:
    """Return the addresses by which phones may reach this machine, the likeliest first.

    ``first`` is the way out. It decides between addresses of one kind only: a private network's way out may be a
    tunnel, or an address of the world, and phones are in neither.
    """

    def rank(one: tuple[str, str]) -> tuple[bool, bool, bool, bool]:
        name, address = one
        number = ipaddress.ip_address(address)
        return bool(_VIRTUAL.match(name)), number.is_link_local, not number.is_private, address != first

    near = [(name, address) for name, address in found if not ipaddress.ip_address(address).is_loopback]
    return list(dict.fromkeys(address for _, address in sorted(near, key=rank)))


def own_addresses() -> list[str]:
    """Return this machine's addresses for phones, the likeliest first; none where it is in no network."""
    return addresses_for_phones(interfaces(), way_out())


class Addresses(Sequence[str]):
    """The base addresses of pages, the one for phones first. They follow the interfaces while the program runs."""

    def __init__(
        self,
        host: str,
        port: int,
        names: Sequence[str] = (),
        look: Callable[[], list[str]] = own_addresses,
        scheme: str = "http",
    ) -> None:
        """``host`` as in ``--host``; ``names`` are further names that lead here; ``scheme``: http or https."""
        self._scheme = scheme
        self._host, self._port, self._names, self._look = host, port, tuple(names), look
        self._known: tuple[str, ...] = ()
        self._known_at = float("-inf")

    def _now(self) -> tuple[str, ...]:
        if self._host != EVERYWHERE.host:
            return self._with_port([self._host, *self._names])
        now = time.monotonic()
        if now - self._known_at > FOLLOWED_S:
            own = socket.gethostname().casefold()
            found = [*self._look(), "127.0.0.1", own, f"{own}.local", *self._names]
            self._known, self._known_at = self._with_port(found), now
        return self._known

    def _with_port(self, hosts: Iterable[str]) -> tuple[str, ...]:
        return tuple(f"{self._scheme}://{host}:{self._port}" for host in dict.fromkeys(hosts))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        """Return one of them, or some."""
        return self._now()[index]

    def __len__(self) -> int:
        """Return how many there are now."""
        return len(self._now())
