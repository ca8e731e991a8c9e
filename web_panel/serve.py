"""Serving the panel: waitress with limits for connections, with time-outs, and with refusals in the panel's form.

One process, few threads; one thread writes to all open streams (:mod:`web_panel.streams`). What waitress has a setting
for is set in :func:`serve`; the rest are subclasses of its channel, server and dispatcher.

Waitress, because it takes the least memory beside a table. Plain servers that sent 30 events, one process on two x86-64
cores, with Flask 3.1 (memory of all processes; the time after which 95 of 100 clients have an event):

    ======================  ================  ==================
    server                  4 clients         200 clients
    ======================  ================  ==================
    waitress 3.0            28 MiB, 0.8 ms    35 MiB, 10 ms
    gunicorn with threads   41 MiB, 0.7 ms    47 MiB, 9 ms
    gunicorn with gevent    51 MiB, 0.7 ms    54 MiB, 8 ms
    hypercorn with Quart    57 MiB, 1.2 ms    64 MiB, 9 ms
    ======================  ================  ==================

Each client of these had a thread of waitress; here one thread writes to all streams. It neither forks nor replaces
parts of the standard library, on which the threads of drivers depend. The price: the classes below are subclasses of
what waitress has inside, so that its version is pinned. Granian, and aiohttp before Flask, were not measured.

No client makes a thread wait. Waitress gives a request to a thread only when it is complete, so a slow sender takes
none; a slow reader takes none either, because an answer is handed to the loop as a whole, and the next request of its
connection is read only when all of it is sent. Requests sent together with the first would break this: the first is
answered, and the connection closed. Clients may send so (RFC 9112, section 9.3.2, "pipelining"), but must then be
ready to send again what was not answered; browsers don't do it.

A slow client also keeps its connection for ever, since any byte counts as activity. Here a request must be complete,
and an answer read on, within a time limit.

A connection may be spoken over otherwise than it was accepted, as HTTPS is: it is the same, its socket another one
(:class:`Wrapped`).
"""

from __future__ import annotations

import contextlib
import json
import logging
import socket
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Any, Protocol

from flask import Flask
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask

from web_panel import limits
from web_panel.guard import SAFE
from web_panel.limits import Shares, overdue, owner
from web_panel.refusals import refusal
from web_panel.streams import HAND_OVER, Line

CONNECTIONS = 600
"""Maximum number of connections: 200 watchers and 8 players with a stream each, and as many pages being loaded. Well
below 1024, the usual limit of open files for a process."""
SHARED = 8 * 1024
"""Bytes of an answer's part that is queued without a copy. Waitress would keep it in a buffer that frees nothing of
what was sent before some 256 KiB more have passed: that much for each open stream. (Shorter parts it frees at once.)"""
AT_ONCE = 64
"""Maximum number of connections accepted in one turn of the loop. Waitress accepts one: a player behind hundreds waits
for as many turns. Without a bound, open connections would wait as long as new ones come."""
THREADS = 32
"""Maximum number of threads, started on demand: a handful in play. No thread waits for a client, so this need
not be more than connections: what a request may wait for is the table."""
AT_WORK = 4
"""Number of threads for requests that wait for nothing. More of them would only take the interpreter from each other:
with 32, and 600 requests at once, a player waited for nearly all of these."""
STUCK_S = 0.1
"""Time without a request begun after which all threads seem to wait for the table, and more are started."""
MAX_HEADER = 16 * 1024
MAX_READ = 16 * 1024
"""Bytes. The app refuses more than 4096 with a message; beyond this limit the server stops reading."""
UNSENT = 1024 * 1024
"""Bytes queued for a client that does not read; beyond this a thread that writes piece by piece waits until the
connection is closed."""

MOMENT_S = 2
"""Longest time, in seconds, that the program's end waits for phones to read queued data."""


class Wrapped(Protocol):
    """A client's socket where it is not the one that was accepted: it reads ahead, by itself, until there is a request.

    The time of what is read so runs as that of a request that is not complete (:func:`web_panel.limits.overdue`).
    """

    wants_to_write: bool
    """Whether reading goes on only when the client has taken what was sent."""

    @property
    def is_secure(self) -> bool:
        """Whether nobody between here and the client can read what is said."""

    def look(self) -> bool:
        """Read on; return whether the socket's ``recv`` has something to return."""


Wrap = Callable[[socket.socket, str], Wrapped | None]
"""Takes an accepted socket and its client's address; returns what is spoken over, None where it has been closed."""


class Refusing(ErrorTask):
    """Refuses a request that never reaches the app (header too long, broken request) in the app's form."""

    def execute(self) -> None:
        """Write the refusal and close the connection."""
        error: Any = self.request.error  # type: ignore[attr-defined]
        body = json.dumps(refusal("http", f"{error.code}: {error.reason}")).encode("ascii")
        self.status = f"{error.code} {error.reason}"
        headers: Any = self.response_headers
        headers.extend([("Content-Type", "application/json"), ("Cache-Control", "no-store"), *SAFE.items()])
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class OneRequest(HTTPRequestParser):
    """A request that drops what was sent behind it before its answer, and ends its connection if there is any."""

    def received(self, data: bytes) -> int:
        """Take bytes of the request; return how many are used up."""
        taken: int = super().received(data)
        if self.completed and not self.empty and taken < len(data):
            headers: Any = self.headers
            headers["CONNECTION"] = "close"
            return len(data)
        return taken


class Asking(WSGITask):
    """A request to the app, which may take the connection over (:data:`web_panel.streams.HAND_OVER`)."""

    def get_environment(self) -> dict[str, Any]:
        """Return the WSGI environment."""
        environ: dict[str, Any] = super().get_environment()
        connection: Any = self.channel
        environ[HAND_OVER] = connection.hand_over
        if connection.link is not None and connection.link.is_secure:
            environ["wsgi.url_scheme"] = "https"
        return environ

    def finish(self) -> None:
        """End the answer, unless somebody else goes on with it."""
        connection: Any = self.channel
        if connection.taken_by is None:
            super().finish()
        else:
            connection.in_chunks = self.chunked_response
            connection.handed_over = True
            self.close_on_finish = False


@lru_cache(maxsize=4)
def _chunk(data: bytes) -> bytes:
    """Return data as a chunk of HTTP 1.1: one for all streams that are sent the same, so that it is queued once."""
    return b"%x\r\n%b\r\n" % (len(data), data)


class Connection(HTTPChannel):
    """One connection, with the time at which its present request began.

    It may be handed over (:class:`web_panel.streams.Line`): then its answer goes on without a thread.
    """

    parser_class = OneRequest
    task_class = Asking
    error_task_class = Refusing
    taken_by: Callable[[Line], None] | None = None
    handed_over = False
    in_chunks = False
    """Whether the handed-over answer is sent in chunks (HTTP 1.1)."""

    def __init__(self, server: Gate, accepted: socket.socket | Wrapped, *arguments: Any, **more: Any) -> None:
        """Begin to wait for the first request."""
        self.began: float | None = time.monotonic()
        self.link = None if isinstance(accepted, socket.socket) else accepted
        self._asked = False
        """Whether the loop has polled this connection. Earlier events belong to a connection that was closed in the
        same turn and had the same file descriptor."""
        super().__init__(server, accepted, *arguments, **more)  # type: ignore[arg-type]
        waitress: Any = self
        waitress.server.register(self)

    def del_channel(self, map: Any = None) -> None:
        """Remove this connection from the open ones."""
        waitress: Any = self
        waitress.server.forget(self)
        super().del_channel(map)

    def hand_over(self, take: Callable[[Line], None]) -> None:
        """Have ``take`` called with this connection as soon as the app's part of the answer is written."""
        self.taken_by = take

    def service(self) -> None:
        """Answer a request, on one of the server's threads."""
        super().service()
        if self.taken_by is not None:
            self.taken_by(self)

    def write_soon(self, data: Any) -> int:
        """Queue a part of an answer. A long one is not copied: many connections may be sent the same bytes."""
        if isinstance(data, bytes) and len(data) >= SHARED:
            data = ReadOnlyFileBasedBuffer(BytesIO(data))  # BytesIO shares the bytes that it is made from.
            data.prepare()
        return int(super().write_soon(data))

    def is_gone(self) -> bool:
        """Tell whether the client has disconnected, or the answer has failed."""
        return not self.connected or not self.handed_over

    def is_behind(self) -> bool:
        """Tell whether data is still to be sent."""
        return self.total_outbufs_len > 0

    def put(self, data: bytes) -> None:
        """Send a piece of the present answer; the loop sends what the socket does not take at once."""
        with contextlib.suppress(ClientDisconnected):
            self.write_soon(_chunk(data) if self.in_chunks else data)

    def end(self) -> None:
        """End the answer; close the connection when all of it is sent."""
        if self.in_chunks:
            with contextlib.suppress(ClientDisconnected):
                self.write_soon(b"0\r\n\r\n")
        waitress: Any = self
        self.close_when_flushed = True
        waitress.server.pull_trigger()

    def _flush_some(self, do_close: bool = True) -> bool:
        """Send what the socket takes. Waitress locks only while a thread answers: here others may write as well."""
        with self.outbuf_lock:
            return bool(super()._flush_some(do_close))  # type: ignore[misc]

    def readable(self) -> bool:
        """Tell whether to poll for input. A handed-over connection is polled only for its end."""
        self._asked = True
        return not self.will_close if self.handed_over else super().readable()

    def writable(self) -> bool:
        """Tell whether to poll for room for output."""
        return bool(super().writable()) or (self.link is not None and self.link.wants_to_write)

    def handle_read_event(self) -> None:
        """Read, if the event is this connection's own and there is something to read."""
        if self._asked and (self.link is None or self.link.look()):
            super().handle_read_event()

    def handle_close(self) -> None:
        """Close, if the event is this connection's own."""
        if self._asked:
            super().handle_close()

    def handle_write(self) -> None:
        """Send queued data; close if the same poll has just found the socket closed."""
        if self.connected and self.link is not None and self.link.wants_to_write:
            self.handle_read_event()
        elif self.connected:
            super().handle_write()
        else:
            self.handle_close()

    def received(self, data: bytes) -> bool:
        """Take received data; a request's time runs from its first byte."""
        if self.handed_over:
            self.will_close = True  # A client that listens to a stream sends nothing on its connection.
            return False
        if self.request is None:
            self.began = time.monotonic()
        took = super().received(data)
        if self.request is None:
            self.began = None  # No request is half received: the connection is idle, or an answer is being made.
        return took

    @property
    def last_activity(self) -> float:
        """When something was sent or received last, seconds of the monotonic clock."""
        return self._active

    @last_activity.setter
    def last_activity(self, _by_the_wall: float) -> None:
        """Waitress notes the time of day, which may be set: a Pi gets it from the network."""
        self._active = time.monotonic()

    def overdue(self, now: float) -> bool:
        """Tell whether this connection has exceeded its time limit. ``now`` is the monotonic clock's time, seconds."""
        return overdue(
            now,
            unsent=self.total_outbufs_len > 0,
            at_work=bool(self.requests) or self.handed_over,
            began=self.began,
            active=self.last_activity,
        )

    def let_go(self) -> None:
        """Close without sending queued data, and free a thread that waits to send it. Call on the loop's thread."""
        if self.connected:
            self._asked = True
            self.handle_close()


class Gate(TcpWSGIServer):
    """Waitress with time limits, and a fair share of connections for every address."""

    channel_class = Connection

    def __init__(self, *arguments: Any, **more: Any) -> None:
        """Take the arguments of waitress's server."""
        self._pulling = threading.Lock()
        self._quiet = False
        self._taken = False
        self._looked = time.monotonic()
        self.next_channel_cleanup = sys.maxsize  # Waitress would look by the time of day.
        self.shares: Shares[Connection] = Shares()
        self._surplus: Sequence[Connection] = ()
        self.wrap: Wrap | None = None
        super().__init__(*arguments, **more)

    def pull_trigger(self) -> None:
        """Wake the loop, from any thread, to send data. Does nothing once the trigger is closed."""
        with self._pulling:
            if not self._quiet:
                super().pull_trigger()

    def streaming(self) -> bool:
        """Tell whether any connection that was handed over is still open."""
        return any(one.handed_over for one in self._connections())

    def close_trigger(self) -> None:
        """Close the trigger after the loop's end. Pulling it later could write to another file of the same number."""
        trigger: Any = self.trigger
        with self._pulling:
            self._quiet = True
            trigger.close()

    def readable(self) -> bool:
        """Tell whether to accept connections; called in each turn of the loop, at least once a second."""
        workers: Any = self.task_dispatcher
        workers.relieve()
        now = time.monotonic()
        if now >= self._looked + self.adj.cleanup_interval:
            self._looked = now
            self.maintenance(now)
        return bool(super().readable())

    def maintenance(self, now: float) -> None:
        """Close the connections that have exceeded their time limits, and end threads that are not needed.

        Waitress would close a connection once it is writable. If the client does not read, it never is.
        """
        trigger: Any = self.trigger
        for connection in self._connections():
            if connection.overdue(now):
                connection.will_close = True
                trigger.pull_trigger(connection.let_go)
        workers: Any = self.task_dispatcher
        workers.shrink()

    def handle_accept(self) -> None:
        """Accept waiting connections. Over a limit, the address with the most connections loses its idlest one."""
        for _ in range(AT_ONCE):
            self._taken, self._surplus = False, ()
            super().handle_accept()
            if not self._taken:
                return
            if self._surplus:
                min(self._surplus, key=lambda one: (bool(one.requests), one.last_activity)).let_go()

    def accept(self) -> Any:
        """Return the next waiting connection and its address, None if there is none."""
        found: Any = super().accept()
        self._taken = found is not None
        if found is None or self.wrap is None:
            return found
        accepted, place = found
        wrapped = self.wrap(accepted, str(place[0]))
        return None if wrapped is None else (wrapped, place)

    def register(self, connection: Connection) -> None:
        """Register an accepted connection."""
        most = limits.CONNECTIONS_AN_ADDRESS
        self._surplus = self.shares.enter(_address(connection), connection, CONNECTIONS, most)

    def forget(self, connection: Connection) -> None:
        """Remove a closed connection."""
        self.shares.leave(_address(connection), connection)

    def _connections(self) -> list[Connection]:
        active: Any = self.active_channels
        return list(active.values())


class Turns:
    """Connections with a request that waits for a thread. Addresses take turns: none waits behind all of another's."""

    def __init__(self) -> None:
        """Begin without any."""
        self._of_address: OrderedDict[str, deque[Any]] = OrderedDict()
        self._count = 0
        self.moved = time.monotonic()
        """When the last one got a thread, or came where none waited; seconds of the monotonic clock."""

    def __len__(self) -> int:
        """Return how many wait."""
        return self._count

    def append(self, task: Any) -> None:
        """Let another one wait."""
        if not self._count:
            self.moved = time.monotonic()
        self._of_address.setdefault(_address(task), deque()).append(task)
        self._count += 1

    def popleft(self) -> Any:
        """Return the one whose turn it is."""
        self.moved = time.monotonic()
        address, theirs = self._of_address.popitem(last=False)
        task = theirs.popleft()
        if theirs:
            self._of_address[address] = theirs
        self._count -= 1
        return task


class RequestPool(ThreadedTaskDispatcher):
    """A thread pool that grows on demand to at most ``most`` threads, and shrinks again."""

    def __init__(self, most: int) -> None:
        """Begin without threads."""
        super().__init__()
        self.queue: Any = Turns()
        self._most = most
        self._ending = False
        self._peak = 0
        """The largest number of threads that had a task since the last look."""

    def add_task(self, task: Any) -> None:
        """Queue a task; if no thread is free for it and few run, start one more."""
        super().add_task(task)
        with self.lock:
            running = len(self.threads) - self.stop_count
            short = len(self.queue) > running - self.active_count and running < min(AT_WORK, self._most)
            self._peak = max(self._peak, min(running, self.active_count + len(self.queue)))
        if short and not self._ending:
            self.set_thread_count(running + 1)
        self.relieve()

    def relieve(self) -> None:
        """Start a thread for each task that waits, up to the maximum, if those that run seem to be stuck."""
        with self.lock:
            running = len(self.threads) - self.stop_count
            stuck = self.queue and self.queue.moved < time.monotonic() - STUCK_S
            wanted = min(running + len(self.queue), self._most)
            if stuck:
                self._peak = wanted
        if stuck and wanted > running and not self._ending:
            self.set_thread_count(wanted)

    def shrink(self) -> None:
        """End the threads that were not needed since the last call."""
        with self.lock:
            running = len(self.threads) - self.stop_count
            needed, self._peak = max(self._peak, self.active_count), self.active_count
        if needed < running and not self._ending:
            self.set_thread_count(needed)

    def shutdown(self, cancel_pending: bool = True, timeout: int = 5) -> bool:
        """End all threads and start no more."""
        self._ending = True
        return super().shutdown(cancel_pending, timeout)


def _address(connection: Any) -> str:
    """Return whose share of the connections one is of: an address, this machine's, too, or a network's."""
    return owner(address := str(connection.addr[0])) or address


@dataclass
class Serving:
    """A panel being served; ``close`` ends it."""

    server: Gate
    channels: dict[int, Any]
    thread: threading.Thread

    def close(self) -> None:
        """Stop serving, after at most ``MOMENT_S`` for open streams to end with the table."""
        ends = time.monotonic() + MOMENT_S
        while self.server.streaming() and time.monotonic() < ends:
            time.sleep(0.005)
        workers = self.server.task_dispatcher
        workers.shutdown(cancel_pending=True, timeout=MOMENT_S)
        trigger: Any = self.server.trigger
        trigger.pull_trigger(self._let_go)
        self.thread.join(timeout=5)
        if not self.thread.is_alive():
            self.server.close_trigger()

    def _let_go(self) -> None:
        """Close the listening socket and all connections, on the loop's thread; with none left, the loop ends."""
        trigger: Any = self.server.trigger
        for channel in list(self.channels.values()):
            if channel is self.server:
                wasyncore.dispatcher.close(channel)  # The server's own close() would close the trigger as well.
            elif channel is not trigger:
                channel.handle_close()
        trigger.del_channel(self.channels)


def server_on(listener: socket.socket, app: Any, channels: dict[int, Any], workers: RequestPool, settings: Any) -> Gate:
    """Return the server on a socket that is already listening."""
    place = (listener.family, listener.type, listener.proto, listener.getsockname())
    return Gate(app, channels, True, listener, dispatcher=workers, adj=settings, sockinfo=place, bind_socket=False)


def serve(app: Flask, listener: socket.socket, wrap: Wrap | None = None) -> Serving:
    """Serve an app on a listening socket, on its own thread; ``wrap`` takes each connection that is accepted."""
    logging.getLogger("waitress").setLevel(logging.ERROR)  # Its warnings (queue depth) do not help players.
    channels: dict[int, Any] = {}
    settings = Adjustments(
        ident=None,
        max_request_header_size=MAX_HEADER,
        max_request_body_size=MAX_READ,
        outbuf_high_watermark=UNSENT,
        outbuf_overflow=2 * UNSENT,  # Never reached: nothing is written to the disk.
        connection_limit=CONNECTIONS + 50,  # Never reached: the gate closes a connection before.
        cleanup_interval=2,
        asyncore_use_poll=True,
    )
    server = server_on(listener, app, channels, RequestPool(THREADS), settings)
    server.wrap = wrap
    thread = threading.Thread(target=server.run, name="panel", daemon=True)
    thread.start()
    return Serving(server, channels, thread)
