"""Rate limits: token buckets for addresses and seats, in the memory of the single process.

No library: flask-limiter 4.1 (over `limits`) counts in windows (fixed, moving, sliding). These let twice the rate
through at a window's edge, or keep a list of times for each address. It has no bucket that a burst of page loads may
empty and that refills evenly, and it brings stores, decorators and four more packages to a Pi.
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from flask import Flask, Response, request

from web_panel.refusals import Denied, own_page, refusal_response, too_many

MOST_BUCKETS = 4096
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

POSITIONS = Rate(60, 1)
"""Looks into a position that is set up by hand: a page asks once a second until its search has ended."""

PUZZLES_NOTED = Rate(60, 60 / 86_400)
"""Solved puzzles that one address writes into the household's book: sixty at once, and sixty a day. Nobody checks the
name or the time, so it is a bound on nonsense; a family that solves all evening on one tablet does not reach it."""


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
            if len(self._level) > MOST_BUCKETS:
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


def limit(app: Flask, buckets: Buckets, seat_here: Callable[[], int | None]) -> None:
    """Refuse requests over the rate with 429 and ``Retry-After``; ``seat_here`` returns the requesting phone's seat.

    POST requests of foreign pages are refused anyway. They have a bucket of their own, so that a foreign page can't
    use up the phone's.
    """

    def wait() -> float:
        writes = request.method not in {"GET", "HEAD", "OPTIONS"}
        address = owner(request.remote_addr)
        if address is not None:
            what = "reads" if not writes else "writes" if own_page() else "foreign"
            waits = buckets.take((what, address), WRITES if writes else READS)
            if waits:
                return waits
        seat = seat_here() if writes else None
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
    def count(self, what: str, rate: Rate) -> Iterator[None]:
        """Count the guess if the body of the ``with`` raises Denied with 403. Raise Denied (429) after too many.

        This machine is no exception: a proxy on it may carry anybody's requests.
        """
        key = ("guesses", what, owner(request.remote_addr))
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
