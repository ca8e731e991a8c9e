"""One thread writes updates to every open stream: 200 threads woken at once would block one another.

A stream begins as any answer does, on one of the server's threads. Its first bytes are the answer's body; when they are
written, the server hands the connection over, and the thread is free again. A server that can't hand over ends the
answer there: the browser comes again after ``RETRY_MS``, and so polls.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from firmware_host.table.service import TableService
from web_panel.server.frames import Frame

HAND_OVER = "lodestone.hand_over"
"""Key in the WSGI environment: a function that takes a function, which the server calls with the answer's connection
(a :class:`Line`) when the app's part of the answer is written."""
HEARTBEAT_S = 10.0
RETRY_MS = 500
"""Pause before a browser reconnects: after a restart every screen is up to date within a second."""
LOOK_S = 1.0
"""Longest time until a stream notices that it has to end or that its viewer has changed (left the seat, say)."""
BEHIND_S = 0.05
"""Pause before the next attempt to write to a client that has not taken all of the last view."""
BEAT = b"event: beat\ndata: {}\n\n"
ENOUGH = b"event: enough\ndata: {}\n\n"

_log = logging.getLogger(__name__)


class Line(Protocol):
    """An open connection that can be written to without waiting."""

    def gone(self) -> bool:
        """Tell whether the client has disconnected."""
        ...

    def behind(self) -> bool:
        """Tell whether data is still to be sent."""
        ...

    def put(self, data: bytes) -> None:
        """Send what the socket takes now and queue the rest. Never blocks."""
        ...

    def end(self) -> None:
        """Close the connection once everything is sent."""
        ...


class Stream:
    """The data for one screen: the whole view at the beginning and after every change, the newest only.

    ``known`` is the id of the last state that the screen has: this state is not sent again. Ids are compared for
    equality only, because they have no order across restarts. The viewer is looked up each time: a phone that has
    left its seat gets the spectators' view.
    """

    def __init__(
        self, frame: Callable[[int | None], Frame], known: str, goes_on: Callable[[], bool], leave: Callable[[], None]
    ) -> None:
        """``frame`` returns the viewer's frame (its argument: the newest number, if known).

        ``goes_on`` tells whether the stream may continue; ``leave`` is called at its end.
        """
        self.leave = leave
        self.ended = False
        self._frame, self._known, self._goes_on = frame, known, goes_on
        self._beat_at = 0.0

    def due(self, newest: int | None, now: float) -> bytes:
        """Return the bytes to send now, empty if nothing is due. May end the stream. ``now`` is monotonic, seconds."""
        if not self._goes_on():
            self.ended = True
            return ENOUGH
        frame = self._frame(newest)
        told = frame.id == self._known
        if told and now < self._beat_at:
            return b""
        self._known, self._beat_at = frame.id, now + HEARTBEAT_S
        return BEAT if told else frame.event


class Broadcaster:
    """Writes to all streams that were handed over, on one thread, which runs while there are any."""

    def __init__(self, door: TableService) -> None:
        """Begin without streams."""
        self._door = door
        self._lock = threading.Lock()
        self._open: dict[Line, Stream] = {}
        self._running = False

    def begin(self, stream: Stream) -> Iterator[bytes]:
        """Yield a stream's first bytes."""
        yield b"retry: %d\n\n" % RETRY_MS
        yield stream.due(None, time.monotonic())

    def take(self, line: Line, stream: Stream) -> None:
        """Go on with a stream whose first bytes are written."""
        with self._lock:
            # Changes since its first bytes have been sent to all other streams already.
            self._open[line] = stream
            self._serve(line, stream, None)
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="streams", daemon=True).start()

    def _run(self) -> None:
        newest = -1
        pause = 0.0
        while True:
            newest = self._door.wait(newest, pause)
            with self._lock:
                late = [self._serve(line, stream, newest) for line, stream in list(self._open.items())]
                if not self._open:
                    self._running = False
                    return
            pause = BEHIND_S if any(late) else LOOK_S

    def _serve(self, line: Line, stream: Stream, newest: int | None) -> bool:
        """Write due data to one line. Return whether the line is behind: then it gets the newest view later."""
        try:
            if stream.ended or line.gone() or self._door.closing():
                stream.ended = True
            elif line.behind():
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
