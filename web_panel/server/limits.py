"""How often anybody may ask: token buckets for addresses and seats, in the memory of the one process there is.

A library would count in windows (flask-limiter 4.1 over `limits`: fixed, moving, sliding), which lets twice the figure
through at a window's edge or keeps a list of times for each address; it has no bucket that a burst of page loads may
empty and that fills again evenly, and it brings stores, decorators and four more packages to a Pi. A bucket is these
few lines.
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

from web_panel.access.seats import Seats
from web_panel.text.denied import Denied, answered, too_many
from web_panel.text.refusals import own_page

MOST_BUCKETS = 4096
"""Beyond that the bucket that was left alone for longest is forgotten: it is full again by then, or nearly."""


@dataclass(frozen=True)
class Rate:
    """``burst`` requests at once, ``a_second`` over time."""

    burst: float
    a_second: float


READS = Rate(2000, 100)
"""Pages, files, states and streams of one address. A club hangs behind one: 200 screens that all come back after a
restart ask for 400 things at once; 200 that poll every 3 s ask for 67 a second. One page is about 15 files."""
DEEDS = Rate(200, 20)
"""What all phones of one address send. Eight players at one router never come near it; each deed costs a journal
entry at most, and the table keeps up with 20 a second on a Pi's card."""
SEAT_DEEDS = Rate(240, 8)
"""What one seat sends, from wherever: people tap 2 or 3 times a second at most, phones by themselves once a turn."""
TOKEN_GUESSES = Rate(5, 5 / 60)
"""Wrong tokens of a host of one address: 128 bits, which nobody types."""
TICKET_GUESSES = Rate(20, 20 / 60)
"""Wrong tickets of one address: as long, but people do scan codes that somebody else was faster with."""
ASKS = Rate(5, 5 / 60)
"""Phones of one address that ask for somebody's seat: each of them is on all screens, and the host must answer."""


class Buckets:
    """Token buckets by key, full at first. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with none."""
        self._clock = clock
        self._lock = threading.Lock()
        self._level: OrderedDict[object, tuple[float, float]] = OrderedDict()

    def take(self, key: object, rate: Rate) -> float:
        """Take a token: return 0, or the seconds until there is one (then none is taken)."""
        now = self._clock()
        with self._lock:
            level, at = self._level.pop(key, (rate.burst, now))
            level = min(rate.burst, level + (now - at) * rate.a_second)
            allowed = level >= 1
            self._level[key] = (level - 1 if allowed else level, now)
            if len(self._level) > MOST_BUCKETS:
                self._level.popitem(last=False)
        return 0.0 if allowed else (1 - level) / rate.a_second

    def give_back(self, key: object) -> None:
        """Put a token back that need not have been taken."""
        with self._lock:
            if key in self._level:
                level, at = self._level[key]
                self._level[key] = (level + 1, at)

    def remembered(self) -> int:
        """Return how many buckets there are."""
        return len(self._level)


def owner(address: str | None) -> str | None:
    """Return whose bucket an address takes from: its own, an IPv6 network's (/64), None for this machine itself.

    What runs on this machine is the host's own: the big screen's browser, simulated hands, a proxy for all others.
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


def limit(app: Flask, seats: Seats, buckets: Buckets) -> None:
    """Refuse requests that come too often with 429 and ``Retry-After``.

    What pages of others let a browser send is refused anyway: it is counted, but not from what its people may do.
    """

    def wait() -> float:
        deed = request.method not in {"GET", "HEAD", "OPTIONS"}
        address = owner(request.remote_addr)
        if address is not None:
            what = "reads" if not deed else "deeds" if own_page() else "foreign"
            waits = buckets.take((what, address), DEEDS if deed else READS)
            if waits:
                return waits
        seat = seats.mine() if deed else None
        return 0.0 if seat is None else buckets.take(("seat", seat), SEAT_DEEDS)

    def check() -> Response | None:
        waits = wait()
        return answered(too_many(waits)) if waits else None

    app.before_request(check)


class Guesses:
    """Counts wrong guesses, by address: after too many even a right guess is refused."""

    def __init__(self, buckets: Buckets) -> None:
        """Count in these buckets."""
        self._buckets = buckets

    def limited(self, what: str, rate: Rate) -> None:
        """Count a request of an address, right or wrong. Raise Denied after too many."""
        waits = self._buckets.take((what, owner(request.remote_addr)), rate)
        if waits:
            raise too_many(waits)

    @contextmanager
    def counted(self, what: str, rate: Rate) -> Iterator[None]:
        """Count the guess if what happens inside is refused as a wrong one (403). Raise Denied after too many.

        This machine itself is no exception: what runs here may be anybody's browser behind a proxy.
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
