"""Live updates: the whole view as server-sent events, the newest only, and the same by a plain request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

from flask import Blueprint, Response, jsonify, request

from firmware_host.table.door import Door
from firmware_host.words import say
from web_panel.frames import Frames
from web_panel.host import Host
from web_panel.languages import Language
from web_panel.refusals import refusal
from web_panel.seats import Seats
from web_panel.wording import in_words, language

HEARTBEAT_S = 10.0
RETRY_MS = 500
"""So soon a browser tries again: after a restart everybody is up to date within a second."""
STREAMS_A_SEAT = 3
STREAMS_OF_THE_HOST = 8
"""The one who runs the table may have the big screen, the board and more open in one browser."""
LEAVING = 2
"""So many times as many may be open while those before give way: whoever opens more has to wait until they have."""
LOOK_S = 1.0
"""So soon a stream of a seat or the host notices that it has to give way, or that it is that no more."""
STREAMS_AN_ADDRESS = 200
"""A whole club may watch from behind one router. Its oldest give way, and ask now and then."""
STREAMS_IN_ALL = 232
"""Streams of watchers; every open one takes one of the server's threads. Seats and the host have places of their own
beside them: whoever opens streams without end can't keep a player from his."""
BEAT = b"event: beat\ndata: {}\n\n"
ENOUGH = b"event: enough\ndata: {}\n\n"


class Streams:
    """Counts open streams. Beyond its owner's limit the oldest is asked to end; beyond the limit of all, none opens."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._welcome: dict[object, list[int]] = {}
        self._open: dict[int, object] = {}
        """All that are open, those that give way as well, and whose they are."""
        self._watching: set[int] = set()
        self._next = 0

    def enter(self, owner: object, limit: int, *, player: bool = False) -> int | None:
        """Return the number of a new stream, None if too many watch already.

        For a ``player``'s there is always room, unless too many of his own are still about to give way.
        """
        with self._lock:
            if not player and len(self._watching) >= STREAMS_IN_ALL:
                return None
            if player and sum(whose == owner for whose in self._open.values()) >= LEAVING * limit:
                return None
            self._next += 1
            self._open[self._next] = owner
            if not player:
                self._watching.add(self._next)
            mine = self._welcome.setdefault(owner, [])
            mine.append(self._next)
            del mine[: max(0, len(mine) - limit)]
            return self._next

    def goes_on(self, owner: object, number: int) -> bool:
        """Tell whether a stream may go on."""
        with self._lock:
            return number in self._welcome.get(owner, ())

    def leave(self, owner: object, number: int) -> None:
        """Forget a stream that has ended."""
        with self._lock:
            self._open.pop(number, None)
            self._watching.discard(number)
            mine = self._welcome.get(owner, [])
            if number in mine:
                mine.remove(number)
            if not mine:
                self._welcome.pop(owner, None)

    def count(self) -> int:
        """Return how many are open."""
        with self._lock:
            return len(self._open)


def blueprint(door: Door, seats: Seats, streams: Streams, host: Host | None = None) -> Blueprint:
    """Return ``/api/state`` and ``/api/events``. Without a ``host`` nobody is one (a replay)."""
    live = Blueprint("live", __name__, url_prefix="/api")
    frames = Frames(door)

    @live.get("/state")
    def state() -> Response:
        frame = frames.of(seats.mine(), language=language(), host=host is not None and host.here())
        response = Response(frame.body, mimetype="application/json")
        # Whoever polls gets what has not changed as a 304: 200 screens would fetch a megabyte a second.
        response.set_etag(frame.id)
        response.headers["Cache-Control"] = "private, no-cache"
        response.make_conditional(request)
        return response

    @live.get("/events")
    def events() -> Response | tuple[Response, int]:
        sitting = seats.cookie()
        seat = seats.held(sitting)
        owner, limit, known_here = _place(seat, host is not None and host.here(), request.remote_addr)
        number = streams.enter(owner, limit, player=known_here)
        if number is None:
            words = in_words(say("too many screens are watching this table; this one asks now and then"))
            return jsonify(refusal("busy", words)), 503
        headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
        known = request.headers.get("Last-Event-ID", "")
        words = language()
        hosting = host.cookie() if host is not None else None

        def beholder() -> tuple[int | None, bool]:
            return seats.held(sitting), host is not None and host.holds(hosting)

        look_s = LOOK_S if known_here else HEARTBEAT_S
        stream = _stream(door, frames, beholder, words, known, lambda: streams.goes_on(owner, number), look_s)
        response = Response(stream, mimetype="text/event-stream", headers=headers)
        # Not in the generator's finally: one that was never begun does not run it.
        response.call_on_close(lambda: streams.leave(owner, number))
        return response

    del state, events
    return live


def _place(seat: int | None, is_host: bool, address: str | None) -> tuple[object, int, bool]:
    """Return whose a stream is, how many of those may be open, and whether there is always room for them."""
    if seat is not None:
        return ("seat", seat), STREAMS_A_SEAT, True
    if is_host:
        return "host", STREAMS_OF_THE_HOST, True
    return ("address", address), STREAMS_AN_ADDRESS, False


def _stream(
    door: Door,
    frames: Frames,
    beholder: Callable[[], tuple[int | None, bool]],
    words: Language,
    known: str,
    goes_on: Callable[[], bool],
    look_s: float,
) -> Iterator[bytes]:
    """Yield the view at once and after every change; what a slow phone misses is never queued.

    ``known`` is the id of the last state that the phone has seen: exactly that one is not sent again. Ids are compared,
    never ordered: after a restart any old one is just another. Whose view it is is looked up anew each time: a phone
    that has left its seat sees what anybody may see. That, and whether it ``goes_on``, is looked at every ``look_s``.
    """
    yield b"retry: %d\n\n" % RETRY_MS
    newest: int | None = None
    while goes_on():
        whose = beholder()
        frame = frames.of(whose[0], newest, words, host=whose[1])
        if frame.id != known:
            known = frame.id
            yield frame.event
        else:
            yield BEAT

        def same() -> bool:
            return goes_on() and beholder() == whose  # noqa: B023 - asked within this round alone

        newest = _wait(door, frame.seq, same, look_s)
        while newest == frame.seq and same():
            if door.closing():
                return
            yield BEAT
            newest = _wait(door, frame.seq, same, look_s)
    yield ENOUGH


def _wait(door: Door, seq: int, same: Callable[[], bool], look_s: float) -> int:
    """Wait for a change until the next beat is due, or the stream is not the ``same`` any more; return the newest."""
    ends = time.monotonic() + HEARTBEAT_S
    while True:
        left = ends - time.monotonic()
        newest = door.wait(seq, max(0.0, min(look_s, left)))
        if newest != seq or left <= look_s or door.closing() or not same():
            return newest
