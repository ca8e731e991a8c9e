"""Limits for the panel and a club's page: token buckets for addresses and seats, shares of connections, times.

All is in the memory of the single process.

No library: flask-limiter 4.1 (over `limits`) counts in windows (fixed, moving, sliding). These let twice the rate
through at a window's edge, or keep a list of times for each address. It has no bucket that a burst of page loads may
empty and that refills evenly, and it brings stores, decorators and four more packages to a Pi.
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from flask import Flask, Response, request

from web_panel.refusals import Denied, own_page, refusal_response, too_many

MAX_BUCKETS = 4096
"""Maximum number of buckets. Beyond it the least recently used one is dropped: it is full again, or nearly."""


@dataclass(frozen=True)
class Rate:
    """``burst`` requests at once, ``a_second`` over time."""

    burst: float
    a_second: float


READS = Rate(2000, 100)
"""Pages, files, states and streams of one address. A whole club may share one: 200 screens that reconnect after a
restart make 400 requests at once; 200 that poll every 3 s make 67 a second. One page is about 15 files."""
WRITES = Rate(200, 20)
"""POST requests of one address. Eight players behind one router never reach it. Each request costs at most one
journal entry, and a Pi's card takes 20 a second."""
SEAT_WRITES = Rate(240, 8)
"""POST requests of one seat, from any address: people tap at most 2 or 3 times a second, phones send once a turn."""
TOKEN_GUESSES = Rate(5, 5 / 60)
"""Wrong host tokens of one address. A token has 128 bits; nobody types it."""
TICKET_GUESSES = Rate(20, 20 / 60)
"""Wrong tickets of one address. They are as long, but people do scan codes that have just been used up."""
ASKS = Rate(5, 5 / 60)
"""Requests of one address for taken seats: each appears on all screens, and the host has to answer it."""


REQUEST_S = 10.0
"""Longest time from a request's first byte (or the connection's beginning) to its last."""
IDLE_S = 30.0
"""Longest time that a connection stays open between requests."""
STALLED_S = 30.0
"""Longest time that a client may read nothing of an answer. Streams send every few seconds and are not idle."""
CONNECTIONS_AN_ADDRESS = 300
"""Maximum for one address: a whole club behind one router has 200 streams, and pages being loaded. No address may take
all places, also because each turn of the panel's loop visits all connections."""
STREAMS_AN_ADDRESS = 200
"""Streams of one address: a whole club may watch from behind one router. Beyond it screens poll."""


def overdue(now: float, *, unsent: bool, at_work: bool, began: float | None, active: float) -> bool:
    """Tell whether a connection has exceeded its time limit. All times are of the monotonic clock, seconds.

    ``unsent``: a part of an answer waits to be read; ``at_work``: an answer is being made, or a stream; ``began``: when
    a request that is not complete began; ``active``: when something was sent or received last.
    """
    if unsent:
        return active < now - STALLED_S
    if at_work:
        return False
    return began < now - REQUEST_S if began is not None else active < now - IDLE_S


Connection = TypeVar("Connection")


class Shares(Generic[Connection]):
    """A fair share of connections for every address."""

    def __init__(self) -> None:
        """Begin without connections."""
        self._of: dict[str | None, dict[Connection, None]] = {}
        self._count = 0

    def enter(self, owner: str | None, one: Connection, in_all: int, an_address: int) -> Sequence[Connection]:
        """Register a connection. Return those of which one has to go, oldest first: its address, or all, has too many.

        Then they are those of the address with the most. ``owner`` is None for a machine that may have all.
        """
        mine = self._of.setdefault(owner, {})
        mine[one] = None
        self._count += 1
        if owner is not None and len(mine) > an_address:
            return list(mine)
        greediest = max(self._of, key=lambda one: len(self._of[one]))
        return list(self._of[greediest]) if self._count > in_all else ()

    def leave(self, owner: str | None, one: Connection) -> None:
        """Remove a closed connection."""
        mine = self._of.get(owner, {})
        if one in mine:
            del mine[one]
            self._count -= 1
            if not mine:
                del self._of[owner]

    def all(self) -> list[Connection]:
        """Return all of them."""
        return [one for mine in self._of.values() for one in mine]

    def __len__(self) -> int:
        """Return how many there are."""
        return self._count


class Buckets:
    """Token buckets by key, full at first. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` returns seconds."""
        self.clock = clock
        self._lock = threading.Lock()
        self._level: OrderedDict[object, tuple[float, float]] = OrderedDict()

    def take(self, key: object, rate: Rate) -> float:
        """Take a token and return 0; if there is none, return the seconds until the next."""
        now = self.clock()
        with self._lock:
            level, at = self._level.pop(key, (rate.burst, now))
            level = min(rate.burst, level + (now - at) * rate.a_second)
            allowed = level >= 1
            self._level[key] = (level - 1 if allowed else level, now)
            if len(self._level) > MAX_BUCKETS:
                self._level.popitem(last=False)
        return 0.0 if allowed else (1 - level) / rate.a_second

    def give_back(self, key: object) -> None:
        """Put a token back."""
        with self._lock:
            if key in self._level:
                level, at = self._level[key]
                self._level[key] = (level + 1, at)

    def __len__(self) -> int:
        """Return how many buckets there are."""
        return len(self._level)


def owner(address: str | None) -> str | None:
    """Return the bucket key of an address: itself, its /64 network for IPv6, None (no limit) for this machine.

    Clients on this machine are the host's own: the big screen's browser, simulated hands, a proxy for all others.
    """
    try:
        place = ipaddress.ip_address(address or "")
    except ValueError:
        return address or "?"
    mapped = place.ipv4_mapped if isinstance(place, ipaddress.IPv6Address) else None
    place = mapped or place
    if place.is_loopback:
        return None
    if isinstance(place, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((place, 64), strict=False))
    return str(place)


def changes(method: str) -> bool:
    """Tell whether requests of a method may change something."""
    return method not in {"GET", "HEAD", "OPTIONS"}


def wait_of(buckets: Buckets, address: str | None, method: str, *, own: bool) -> float:
    """Count a request of an address; return how long it has to wait, seconds. ``own``: it comes from an own page.

    POST requests of foreign pages are refused anyway. They have a bucket of their own, so that a foreign page can't
    use up the phone's.
    """
    whose = owner(address)
    if whose is None:
        return 0.0
    what = "reads" if not changes(method) else "writes" if own else "foreign"
    return buckets.take((what, whose), WRITES if changes(method) else READS)


def limit(app: Flask, buckets: Buckets, seat_here: Callable[[], int | None]) -> None:
    """Refuse requests over the rate with 429 and ``Retry-After``; ``seat_here`` returns the requesting phone's seat."""

    def wait() -> float:
        waits = wait_of(buckets, request.remote_addr, request.method, own=own_page())
        if waits:
            return waits
        seat = seat_here() if changes(request.method) else None
        return 0.0 if seat is None else buckets.take(("seat", seat), SEAT_WRITES)

    def check() -> Response | None:
        waits = wait()
        return refusal_response(too_many(waits)) if waits else None

    app.before_request(check)


class Guesses:
    """Counts wrong guesses by address: after too many even a right guess is refused."""

    def __init__(self, buckets: Buckets) -> None:
        """Count in these buckets."""
        self._buckets = buckets

    def limit(self, what: str, rate: Rate) -> None:
        """Count a request of an address, right or wrong. Raise Denied after too many."""
        waits = self._buckets.take((what, owner(request.remote_addr)), rate)
        if waits:
            raise too_many(waits)

    @contextmanager
    def count(self, what: str, rate: Rate, address: str | None = None) -> Iterator[None]:
        """Count the guess if the body of the ``with`` raises Denied with 403. Raise Denied (429) after too many.

        This machine is no exception: a proxy on it may carry anybody's requests. ``address``: of the client, without it
        that of Flask's present request.
        """
        key = ("guesses", what, owner(address or request.remote_addr))
        waits = self._buckets.take(key, rate)
        if waits:
            raise too_many(waits)
        wrong = False
        try:
            yield
        except Denied as denied:
            wrong = denied.status == 403
            raise
        finally:
            if not wrong:
                self._buckets.give_back(key)
