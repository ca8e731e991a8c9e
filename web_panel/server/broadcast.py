"""One thread writes the news to every open stream: 200 threads that are woken at once stand in each other's way.

A stream begins on one of the server's threads, as any request does. When its first bytes are out it is handed over, if
the server can do that, and the thread is free again. On any other server the stream is an iterator that waits.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import NoReturn, Protocol

from firmware_host.table.service import TableService
from web_panel.server.frames import Frame

HAND_OVER = "lodestone.hand_over"
"""Stands in the environment of a request whose server keeps a connection open without a thread."""
HEARTBEAT_S = 10.0
RETRY_MS = 500
"""So soon a browser tries again: after a restart everybody is up to date within a second."""
LOOK_S = 1.0
"""So soon a stream notices that it has to give way, or that who looks is not the same any more."""
BEHIND_S = 0.05
"""Pause before the next attempt to write to a client that has not taken all of the last view."""
BEAT = b"event: beat\ndata: {}\n\n"
ENOUGH = b"event: enough\ndata: {}\n\n"

_log = logging.getLogger(__name__)


class Line(Protocol):
    """An open connection that can be written to without waiting."""

    def gone(self) -> bool:
        """Tell whether nobody is there any more."""
        ...

    def behind(self) -> bool:
        """Tell whether something is still to be sent."""
        ...

    def put(self, data: bytes) -> None:
        """Send what can be sent at once, keep the rest. Never waits."""
        ...

    def end(self) -> None:
        """Let the connection end once all is sent."""
        ...


class HandedOver(BaseException):
    """Raised out of a stream's iterator: from here on it is written to without a thread of the server's.

    Not an Exception: nothing between the stream and the server may take it for a failure.
    """

    def __init__(self, take: Callable[[Line], None]) -> None:
        """Keep whom to give the connection to."""
        super().__init__()
        self.take = take


class Stream:
    """What one screen is sent, and when: the whole view at once and after every change, the newest only.

    ``known`` is the id of the last state that the phone has seen: exactly that one is not sent again. Ids are compared,
    never ordered: after a restart any old one is just another. Whose view it is, is looked up anew each time: a phone
    that has left its seat sees what anybody may see.
    """

    def __init__(
        self, frame: Callable[[int | None], Frame], known: str, goes_on: Callable[[], bool], leave: Callable[[], None]
    ) -> None:
        """Take the function that gives a viewer's frame (called with the newest number, if known), and the counter."""
        self.leave = leave
        self.ended = False
        self._frame, self._known, self._goes_on = frame, known, goes_on
        self._beat_at = 0.0

    def due(self, newest: int | None, now: float) -> bytes:
        """Return what has to be sent now, perhaps nothing. May end the stream."""
        if not self._goes_on():
            self.ended = True
            return ENOUGH
        frame = self._frame(newest)
        told = frame.id == self._known
        if told and now < self._beat_at:
            return b""
        self._known, self._beat_at = frame.id, now + HEARTBEAT_S
        return BEAT if told else frame.event


class Served:
    """The iterator of a stream's response: closing it ends the stream, unless it was handed over."""

    def __init__(self, stream: Stream, pieces: Iterator[bytes]) -> None:
        """Begin before the first byte."""
        self._stream, self._pieces = stream, pieces
        self._handed = False

    def __iter__(self) -> Iterator[bytes]:
        """Return itself."""
        return self

    def __next__(self) -> bytes:
        """Return the next piece."""
        try:
            return next(self._pieces)
        except HandedOver:
            self._handed = True
            raise

    def close(self) -> None:
        """Count the stream as left. Not in a generator's finally: one that was never begun does not run it."""
        if not self._handed:
            self._stream.leave()


class Broadcaster:
    """Writes to all streams that were handed over, on one thread, which lives while there are any."""

    def __init__(self, door: TableService) -> None:
        """Begin with none."""
        self._door = door
        self._lock = threading.Lock()
        self._open: dict[Line, Stream] = {}
        self._running = False

    def begin(self, stream: Stream, *, hand_over: bool) -> Iterator[bytes]:
        """Yield what a stream is sent, until it ends or is handed over."""
        yield b"retry: %d\n\n" % RETRY_MS
        yield stream.due(None, time.monotonic())
        if hand_over and not stream.ended:
            self._hand_over(stream)
        newest = -1
        while not stream.ended and not self._door.closing():
            newest = self._door.wait(newest, LOOK_S)
            if data := stream.due(newest, time.monotonic()):
                yield data

    def _hand_over(self, stream: Stream) -> NoReturn:
        raise HandedOver(lambda line: self._take(line, stream))

    def _take(self, line: Line, stream: Stream) -> None:
        with self._lock:
            # What has happened since its first bytes has been told to all others already.
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
        """Write what is due to one line. Return whether it has to be tried again: what is missed is never queued."""
        try:
            if line.gone() or self._door.closing():
                stream.ended = True
            elif line.behind():
                return True
            elif data := stream.due(newest, time.monotonic()):
                line.put(data)
        except Exception:  # noqa: BLE001 - logged
            # One screen that can't be told must not leave all others without news. It asks again by itself.
            _log.exception("a stream ended")
            stream.ended = True
        if stream.ended:
            del self._open[line]
            stream.leave()
            line.end()
        return False
