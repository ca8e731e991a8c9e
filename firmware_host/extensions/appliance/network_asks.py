"""Which Wi-Fi the machine joins, at a guest's word: the host confirms, by a code on both phones.

Who is in the machine's hotspot knows a password that is on the wall. By it a guest could move the table in the middle
of a game into a Wi-Fi of their own, which it joins by itself from then on. So a guest chooses alone only for a table
that nobody owns yet, and never a network that anybody can pretend to be: an open one has nothing but its name, and for
a hidden one the table calls wherever it is.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from firmware_host.extensions.appliance.hotspot import readable
from firmware_host.table.errors import TableError
from firmware_host.text.words import say

ANSWER_S = 600.0
"""Time for the host to answer before a wish, which holds a password, is forgotten, seconds."""


@dataclass(frozen=True)
class NetworkAsk:
    """A network that a guest wishes; ``code`` is shown on the guest's phone and to the host."""

    code: str
    network: str
    """The network's name in hexadecimal."""
    password: str = field(repr=False)
    hidden: bool
    address: str | None
    until: float

    def to_dict(self) -> dict[str, Any]:
        """Return what the host is told: not the password."""
        name = readable(bytes.fromhex(self.network))
        return {"code": self.code, "name": name, "hidden": self.hidden, "open": not self.password}


class NetworkAsks:
    """The one wish that waits for the host, in memory only. Thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """``clock`` returns seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._wish: NetworkAsk | None = None

    def ask(self, network: str, password: str, *, hidden: bool, address: str | None) -> NetworkAsk:
        """Return a new wish; it replaces one of the same address. Raise TableError while another phone's waits."""
        with self._lock:
            known = self._waiting()
            if known is not None and known.address != address:
                words = say("another phone has asked for a network already; the host has to answer first")
                raise TableError("too_many", words)
            code = f"{secrets.randbelow(10_000):04}"
            while known is not None and code == known.code:
                code = f"{secrets.randbelow(10_000):04}"
            self._wish = NetworkAsk(code, network, password, hidden, address, self._clock() + ANSWER_S)
            return self._wish

    def waiting(self) -> NetworkAsk | None:
        """Return the wish that waits, None without one."""
        with self._lock:
            return self._waiting()

    @contextmanager
    def answering(self, code: str) -> Iterator[NetworkAsk]:
        """Give the wish with this code to the body of the ``with``, once; it waits again if the body raises.

        Raise TableError if there is none.
        """
        with self._lock:
            known = self._waiting()
            if known is None or known.code != code:
                words = say("no phone is asking for a network with the code {code!r} now", code=code[:12])
                raise TableError("bad_code", words)
            self._wish = None
        try:
            yield known
        except BaseException:
            with self._lock:
                self._wish = self._wish or known
            raise

    def _waiting(self) -> NetworkAsk | None:
        if self._wish is not None and self._clock() >= self._wish.until:
            self._wish = None
        return self._wish
