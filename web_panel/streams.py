"""Server-sent events: one thread writes to every open stream, of the table's screens and of the virtual board's pages.

Two hundred threads woken at once would block one another. So a stream begins as any answer does, on one of the server's
threads; its first bytes are the answer's body. When they are written, the server hands the connection over
(:data:`HAND_OVER`), and the thread is free again. A server that can't hand over ends the answer there: the browser
comes again after ``RETRY_MS``, and so polls.

WSGI (PEP 3333) has no such thing: an answer is an iterable that a thread of the server reads to its end, so a stream
keeps a thread for as long as it lives. Servers that do it otherwise speak another protocol (ASGI), where every handler
of the panel would have to be a coroutine.

A screen gets the newest state only: what a slow client has not taken yet is never added to. Ids of states are compared
for equality only, because they have no order across restarts.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from flask import Response, request

from firmware_host import platform

HAND_OVER = "lodestone.hand_over"
"""Key in the WSGI environment: a function that takes a function, which the server calls with the answer's connection
(a :class:`Line`) when the app's part of the answer is written."""
HEARTBEAT_S = 1.5
"""Shortest time between two beats. They come when a stream is looked at (``LOOK_S``), so every two seconds: a page that
hears nothing for three seconds says so."""
RETRY_MS = 500
"""Pause before a browser reconnects: after a restart every screen is up to date within a second."""
LOOK_S = 1.0
"""Longest time until a stream notices that it has to end or that its viewer has changed (left the seat, say)."""
BEHIND_S = 0.05
"""Pause before the next attempt to write to a client that has not taken all of the last state."""
BEAT = b"event: beat\ndata: {}\n\n"
ENOUGH = b"event: enough\ndata: {}\n\n"
LEAVING = 2
"""Factor on a player's or the host's limit while older streams are still ending; beyond it new ones are refused."""
STREAMS_IN_ALL = 232
"""Streams of all watchers together. Players and the host are not counted: no client can take a player's stream by
opening many."""

HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}

_log = logging.getLogger(__name__)


class Source(Protocol):
    """What changes."""

    def wait(self, after: int, timeout: float) -> int:
        """Block until the number of the newest state is above ``after`` or ``timeout`` seconds have passed."""
        ...

    def closing(self) -> bool:
        """Tell whether all streams end."""
        ...


class Viewed(Source, Protocol):
    """What a screen follows. Thread-safe."""

    def view(self, seat: int | None) -> tuple[int, Mapping[str, Any]]:
        """Return (sequence number, view) for a seat, or for people without one (None): docs/view.md."""
        ...


class Shown(Viewed, Protocol):
    """What all screens follow: a running table, or a replay."""

    def claim(self, seat: int) -> str | None:
        """Return the claim of the seat's player, None for an open seat."""
        ...


class State(Protocol):
    """One state as one viewer sees it."""

    @property
    def id(self) -> str:
        """Identify this state for this viewer in this run of the program: equal ids mean equal content."""
        ...

    @property
    def event(self) -> bytes:
        """Return the state as a server-sent event."""
        ...


class Line(Protocol):
    """An open connection that can be written to without waiting."""

    def is_gone(self) -> bool:
        """Tell whether the client has disconnected."""
        ...

    def is_behind(self) -> bool:
        """Tell whether data is still to be sent."""
        ...

    def put(self, data: bytes) -> None:
        """Send what the socket takes now and queue the rest. Never blocks."""
        ...

    def end(self) -> None:
        """Close the connection once everything is sent."""
        ...


class Stream:
    """The data for one screen: the whole state at the beginning and after every change, the newest only.

    ``known`` is the id of the last state that the screen has: this state is not sent again. The viewer is looked up
    each time: a phone that has left its seat gets the spectators' view.
    """

    def __init__(
        self, state: Callable[[int | None], State], known: str, goes_on: Callable[[], bool], leave: Callable[[], None]
    ) -> None:
        """``state`` returns the viewer's state (its argument: the newest number, if known).

        ``goes_on`` tells whether the stream may continue; ``leave`` is called at its end.
        """
        self.leave = leave
        self.ended = False
        self._state, self._known, self._goes_on = state, known, goes_on
        self._beat_at = 0.0

    def due(self, newest: int | None, now: float) -> bytes:
        """Return the bytes to send now, empty if nothing is due. May end the stream. ``now`` is monotonic, seconds."""
        if not self._goes_on():
            self.ended = True
            return ENOUGH
        state = self._state(newest)
        same = state.id == self._known
        if same and now < self._beat_at:
            return b""
        self._known, self._beat_at = state.id, now + HEARTBEAT_S
        return BEAT if same else state.event


class Broadcaster:
    """Writes to all streams that were handed over, beside all else while there are any."""

    def __init__(self, source: Source, least_s: float = 0.0) -> None:
        """Begin without streams; ``least_s`` is the least time between two states that are sent."""
        self._source = source
        self._least_s = least_s
        self._lock = threading.Lock()
        self._open: dict[Line, Stream] = {}
        self._running = False

    def response(self, stream: Stream) -> Response:
        """Return the answer to the present request that begins a stream."""
        hand_over = request.environ.get(HAND_OVER) if request.method == "GET" else None

        def go_on() -> None:
            if hand_over is None:
                stream.leave()
            else:
                hand_over(lambda line: self.take(line, stream))

        def first_bytes() -> Iterator[bytes]:
            yield b"retry: %d\n\n" % RETRY_MS
            yield stream.due(None, time.monotonic())

        response = Response(first_bytes(), mimetype="text/event-stream", headers=HEADERS)
        response.call_on_close(go_on)  # Also called for an answer of which nothing is sent.
        return response

    def take(self, line: Line, stream: Stream) -> None:
        """Go on with a stream whose first bytes are written."""
        with self._lock:
            # Changes since its first bytes have been sent to all other streams already.
            self._open[line] = stream
            self._serve(line, stream, None)
            if not self._running:
                self._running = True
                platform.Beside(self._run, "streams")

    def _run(self) -> Iterator[None]:
        newest = -1
        pause = 0.0
        while True:
            due = time.monotonic() + pause
            news = self._source.wait(newest, pause)
            if news == newest and time.monotonic() < due and not self._source.closing():
                yield
                continue
            newest, rested = news, time.monotonic() + self._least_s
            with self._lock:
                late = [self._serve(line, stream, newest) for line, stream in list(self._open.items())]
                if not self._open:
                    self._running = False
                    return
            pause = BEHIND_S if any(late) else LOOK_S
            yield from platform.pause(rested - time.monotonic())
            yield

    def _serve(self, line: Line, stream: Stream, newest: int | None) -> bool:
        """Write due data to one line. Return whether the line is behind: then it gets the newest state later."""
        try:
            if stream.ended or line.is_gone() or self._source.closing():
                stream.ended = True
            elif line.is_behind():
                return True
            elif data := stream.due(newest, time.monotonic()):
                line.put(data)
        except Exception:  # noqa: BLE001 - logged
            # The failure of one screen must not stop the updates of all others. The browser reconnects by itself.
            _log.exception("a stream ended")
            stream.ended = True
        if stream.ended:
            del self._open[line]
            stream.leave()
            line.end()
        return False


class Places:
    """Places for open streams. Beyond its owner's limit the oldest is asked to end; beyond that of all, none opens."""

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

    def has(self, owner: object) -> bool:
        """Tell whether an owner has an open stream."""
        with self._lock:
            return owner in self._open.values()

    def count(self) -> int:
        """Return how many are open."""
        with self._lock:
            return len(self._open)
