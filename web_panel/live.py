"""Live updates: the whole view as server-sent events, the newest only, and the same by a plain request."""

from __future__ import annotations

import threading
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
        self._open: set[int] = set()
        self._watching: set[int] = set()
        self._next = 0

    def enter(self, owner: object, limit: int, *, player: bool = False) -> int | None:
        """Return the number of a new stream, None if too many watch already: for a player's there is always room."""
        with self._lock:
            if not player and len(self._watching) >= STREAMS_IN_ALL:
                return None
            self._next += 1
            self._open.add(self._next)
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
            self._open.discard(number)
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

        stream = _stream(door, frames, beholder, words, known, lambda: streams.goes_on(owner, number))
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
) -> Iterator[bytes]:
    """Yield the view at once and after every change; what a slow phone misses is never queued.

    ``known`` is the id of the last state that the phone has seen: exactly that one is not sent again. Ids are compared,
    never ordered: after a restart any old one is just another. Whose view it is is looked up anew each time: a phone
    that has left its seat sees what anybody may see.
    """
    yield b"retry: %d\n\n" % RETRY_MS
    newest: int | None = None
    while goes_on():
        seat, is_host = beholder()
        frame = frames.of(seat, newest, words, host=is_host)
        if frame.id != known:
            known = frame.id
            yield frame.event
        else:
            yield BEAT
        newest = door.wait(frame.seq, HEARTBEAT_S)
        while newest == frame.seq and goes_on():
            if door.closing():
                return
            yield BEAT
            newest = door.wait(frame.seq, HEARTBEAT_S)
    yield ENOUGH
