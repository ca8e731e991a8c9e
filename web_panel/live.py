"""Live updates: the whole view as server-sent events, the newest only, and the same by a plain request."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

from flask import Blueprint, Response, jsonify, request

from firmware_host.table.door import Door
from web_panel.seats import Seats

HEARTBEAT_S = 10.0
STREAMS_A_SEAT = 3
STREAMS_AN_ADDRESS = 24


class Streams:
    """Counts open streams; beyond the limit the oldest of the same owner ends."""

    def __init__(self) -> None:
        """Begin with none."""
        self.closed = False
        self._lock = threading.Lock()
        self._open: dict[object, list[int]] = {}
        self._next = 0

    def enter(self, owner: object, limit: int) -> int:
        """Return the number of a new stream."""
        with self._lock:
            self._next += 1
            mine = self._open.setdefault(owner, [])
            mine.append(self._next)
            del mine[: max(0, len(mine) - limit)]
            return self._next

    def goes_on(self, owner: object, number: int) -> bool:
        """Tell whether a stream may go on."""
        with self._lock:
            return not self.closed and number in self._open.get(owner, ())

    def leave(self, owner: object, number: int) -> None:
        """Forget a stream."""
        with self._lock:
            mine = self._open.get(owner, [])
            if number in mine:
                mine.remove(number)
            if not mine:
                self._open.pop(owner, None)


def blueprint(door: Door, seats: Seats) -> Blueprint:
    """Return ``/api/state`` and ``/api/events``."""
    live = Blueprint("live", __name__, url_prefix="/api")
    streams = Streams()

    @live.get("/state")
    def state() -> Response:
        return jsonify(door.view(seats.mine())[1])

    @live.get("/events")
    def events() -> Response:
        seat = seats.mine()
        owner: object = ("seat", seat) if seat is not None else ("address", request.remote_addr)
        limit = STREAMS_A_SEAT if seat is not None else STREAMS_AN_ADDRESS
        headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
        stream = _stream(door, seat, streams, owner, streams.enter(owner, limit))
        return Response(stream, mimetype="text/event-stream", headers=headers)

    return live


def _stream(door: Door, seat: int | None, streams: Streams, owner: object, number: int) -> Iterator[str]:
    """Yield the view at once and after every change; what a slow phone misses is never queued."""
    seen = -1
    try:
        yield "retry: 1000\n\n"
        while streams.goes_on(owner, number):
            seq, view = door.view(seat)
            if seq != seen:
                seen = seq
                yield f"id: {seq}\ndata: {json.dumps(view)}\n\n"
            elif door.wait(seen, HEARTBEAT_S) == seen:
                if door.closing():
                    return
                yield "event: beat\ndata: {}\n\n"
    finally:
        streams.leave(owner, number)
