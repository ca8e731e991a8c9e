"""Live updates: the newest whole view as server-sent events, and the same by a plain request."""

from __future__ import annotations

import threading

from flask import Blueprint, Response, jsonify, request

from firmware_host.table.service import TableService
from firmware_host.text.words import say
from web_panel.access.host import Host
from web_panel.access.seats import Seats
from web_panel.server.broadcast import HAND_OVER, Broadcaster, Stream
from web_panel.server.frames import Frame, Frames
from web_panel.text.refusals import refusal
from web_panel.text.wording import in_words, language

STREAMS_A_SEAT = 3
STREAMS_OF_THE_HOST = 8
"""Streams of the host, whose browser may show the big screen, the board and more."""
LEAVING = 2
"""Factor on a player's or the host's limit while older streams are still ending; beyond it new ones are refused."""
STREAMS_AN_ADDRESS = 200
"""Streams of one address: a whole club may watch from behind one router. Beyond it the oldest end and poll instead."""
STREAMS_IN_ALL = 232
"""Streams of all watchers together. Seats and the host are not counted: no client can take a player's stream by
opening many."""


class Streams:
    """Counts open streams. Beyond its owner's limit the oldest is asked to end; beyond the limit of all, none opens."""

    def __init__(self) -> None:
        """Begin without streams."""
        self._lock = threading.Lock()
        self._welcome: dict[object, list[int]] = {}
        self._open: dict[int, object] = {}
        """Number → owner of all open streams, those about to end included."""
        self._watching: set[int] = set()
        self._next = 0

    def enter(self, owner: object, limit: int, *, player: bool = False) -> int | None:
        """Return the number of a new stream, None if too many are open already.

        A ``player`` (a seat or the host) always has room, unless too many of its own older streams are still ending.
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


def blueprint(door: TableService, seats: Seats, streams: Streams, host: Host | None = None) -> Blueprint:
    """Return ``/api/state`` and ``/api/events``. Without a ``host`` nobody is one (a replay)."""
    live = Blueprint("live", __name__, url_prefix="/api")
    frames = Frames(door)
    broadcaster = Broadcaster(door)

    @live.get("/state")
    def state() -> Response:
        frame = frames.of(seats.mine(), language=language(), host=host is not None and host.here())
        response = Response(frame.body, mimetype="application/json")
        # An unchanged view is answered with 304: 200 polling screens would fetch a megabyte a second.
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
            words = in_words(say("too many screens are watching this table; this one is updated now and then"))
            return jsonify(refusal("busy", words)), 503
        headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
        known = request.headers.get("Last-Event-ID", "")
        words = language()
        hosting = host.cookie() if host is not None else None

        def frame(newest: int | None) -> Frame:
            here = host is not None and host.holds(hosting)
            return frames.of(seats.held(sitting), newest, words, host=here)

        stream = Stream(frame, known, lambda: streams.goes_on(owner, number), lambda: streams.leave(owner, number))
        hand_over = request.environ.get(HAND_OVER) if request.method == "GET" else None

        def go_on() -> None:
            if hand_over is None:
                stream.leave()
            else:
                hand_over(lambda line: broadcaster.take(line, stream))

        response = Response(broadcaster.begin(stream), mimetype="text/event-stream", headers=headers)
        response.call_on_close(go_on)  # Also called for an answer of which nothing is sent.
        return response

    del state, events
    return live


def _place(seat: int | None, is_host: bool, address: str | None) -> tuple[object, int, bool]:
    """Return a stream's owner, the owner's limit, and whether it is a player (a seat or the host)."""
    if seat is not None:
        return ("seat", seat), STREAMS_A_SEAT, True
    if is_host:
        return "host", STREAMS_OF_THE_HOST, True
    return ("address", address), STREAMS_AN_ADDRESS, False
