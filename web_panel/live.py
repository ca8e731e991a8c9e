"""Live updates: the whole view as server-sent events, the newest only, and the same by a plain request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator

from flask import Blueprint, Response, jsonify, request

from firmware_host.table.door import Door
from web_panel.refusals import refusal
from web_panel.seats import Seats, Sitting

HEARTBEAT_S = 10.0
STREAMS_A_SEAT = 3
STREAMS_AN_ADDRESS = 24
STREAMS_IN_ALL = 48
"""Every open stream takes one of the server's threads; the others must stay free to answer requests."""


class Streams:
    """Counts open streams. Beyond its owner's limit the oldest is asked to end; beyond the limit of all, none opens."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._welcome: dict[object, list[int]] = {}
        self._open: set[int] = set()
        self._next = 0

    def enter(self, owner: object, limit: int) -> int | None:
        """Return the number of a new stream, None if there are too many."""
        with self._lock:
            if len(self._open) >= STREAMS_IN_ALL:
                return None
            self._next += 1
            self._open.add(self._next)
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
            mine = self._welcome.get(owner, [])
            if number in mine:
                mine.remove(number)
            if not mine:
                self._welcome.pop(owner, None)

    def count(self) -> int:
        """Return how many are open."""
        with self._lock:
            return len(self._open)


def blueprint(door: Door, seats: Seats, streams: Streams) -> Blueprint:
    """Return ``/api/state`` and ``/api/events``."""
    live = Blueprint("live", __name__, url_prefix="/api")

    @live.get("/state")
    def state() -> Response:
        return jsonify(door.view(seats.mine())[1])

    @live.get("/events")
    def events() -> Response | tuple[Response, int]:
        sitting = seats.cookie()
        seat = seats.held(sitting)
        owner: object = ("seat", seat) if seat is not None else ("address", request.remote_addr)
        limit = STREAMS_A_SEAT if seat is not None else STREAMS_AN_ADDRESS
        number = streams.enter(owner, limit)
        if number is None:
            return jsonify(refusal("busy", "too many screens are watching this table; this one asks now and then")), 503
        headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
        stream = _stream(door, seats, sitting, lambda: streams.goes_on(owner, number))
        response = Response(stream, mimetype="text/event-stream", headers=headers)
        # Not in the generator's finally: one that was never begun does not run it.
        response.call_on_close(lambda: streams.leave(owner, number))
        return response

    del state, events
    return live


def _stream(door: Door, seats: Seats, sitting: Sitting | None, goes_on: Callable[[], bool]) -> Iterator[str]:
    """Yield the view at once and after every change; what a slow phone misses is never queued.

    Whose view it is is looked up anew each time: a phone that has left its seat sees what anybody may see.
    """
    seen = -1
    yield "retry: 1000\n\n"
    while goes_on():
        seq, view = door.view(seats.held(sitting))
        if seq != seen:
            seen = seq
            yield f"id: {seq}\ndata: {json.dumps(view)}\n\n"
        elif door.wait(seen, HEARTBEAT_S) == seen:
            if door.closing():
                return
            yield "event: beat\ndata: {}\n\n"
    yield "event: enough\ndata: {}\n\n"
