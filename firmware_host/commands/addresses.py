"""Where phones reach this machine: the addresses of its interfaces, and the names that lead to it.

Without a router (an access point of one's own, a switch, two machines and a cable) no route leads out: so the
interfaces are listed. The address of the way out stands first, where there is one; then those of private networks
(RFC 1918); then others; then those of virtual machines and containers, which no phone reaches; and addresses that a
machine has given itself (169.254/16) last.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from typing import overload

import ifaddr

EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - what people write who mean all
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
    """Return the addresses by which phones may reach this machine, the likeliest first; ``first`` is the way out."""

    def rank(one: tuple[str, str]) -> tuple[bool, bool, bool, bool]:
        name, address = one
        number = ipaddress.ip_address(address)
        return address != first, number.is_link_local, bool(_VIRTUAL.match(name)), not number.is_private

    near = [(name, address) for name, address in found if not ipaddress.ip_address(address).is_loopback]
    return list(dict.fromkeys(address for _, address in sorted(near, key=rank)))


def own_addresses() -> list[str]:
    """Return this machine's addresses for phones, the likeliest first; none where it is in no network."""
    return addresses_for_phones(interfaces(), way_out())


def lan_address() -> str | None:
    """Return this machine's address in the local network, None if it is in none."""
    return next(iter(own_addresses()), None)


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
        if self._host not in EVERY_ADDRESS:
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
