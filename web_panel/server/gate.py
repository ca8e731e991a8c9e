"""What waitress leaves to its user: who may be connected for how long, and how it says no by itself.

Waitress hands a request to a thread only when all of it has come, so a client that dribbles takes no thread, but it
keeps its connection for ever: any byte counts as activity. Here a request has a time within which it must be whole.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from typing import Any

from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask

from web_panel.server.broadcast import HAND_OVER, HandedOver
from web_panel.server.headers import SAFE
from web_panel.text.refusals import refusal

REQUEST_S = 10.0
"""From its first byte (or from connecting) to its last a request may take so long."""
IDLE_S = 30.0
"""So long a connection is kept open between requests."""
STALLED_S = 30.0
"""A client that takes nothing of an answer for so long is gone. Streams beat every ten seconds: not idle."""
CONNECTIONS = 600
"""200 watchers and 8 players with a stream each, and as many with a page being loaded. Well below the 1024 files that
a process may open where nobody has said otherwise."""
CONNECTIONS_AN_ADDRESS = 300
"""A whole club behind one router: its 200 streams, and pages being loaded. Each turn of the server's loop looks at all
connections, so that no address may take all places."""
AT_ONCE = 64
"""So many connections are taken in one turn of the loop. With one a turn, as waitress does it, a player behind hundreds
waits for as many turns; without a bound open connections would wait as long as new ones come."""


class Refusing(ErrorTask):
    """What never reaches the app (a header too long, a broken request) is refused in the app's own form."""

    def execute(self) -> None:
        """Write the refusal and let the connection end."""
        error: Any = self.request.error  # type: ignore[attr-defined]
        body = json.dumps(refusal("http", f"{error.code}: {error.reason}")).encode("ascii")
        self.status = f"{error.code} {error.reason}"
        headers: Any = self.response_headers
        headers.extend([("Content-Type", "application/json"), ("Cache-Control", "no-store"), *SAFE.items()])
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class Asking(WSGITask):
    """A request to the app, which is told that connections can be handed over."""

    def get_environment(self) -> dict[str, Any]:
        """Return what the app gets to know of the request."""
        environ: dict[str, Any] = super().get_environment()
        environ[HAND_OVER] = True
        return environ


class Connection(HTTPChannel):
    """One connection, which knows since when it has been at its present request.

    Its request may be handed over (:class:`web_panel.server.broadcast.Line`): it stays the present one, on no thread.
    """

    task_class = Asking
    error_task_class = Refusing
    handed_over = False

    def __init__(self, *arguments: Any, **more: Any) -> None:
        """Begin to wait for the first request."""
        self.began: float | None = time.time()
        self._asked = False
        """Whether the loop has asked for events of this connection. Before that they are those of a connection that was
        closed in the same turn, and whose file number it has got."""
        super().__init__(*arguments, **more)
        waitress: Any = self
        waitress.server.entered(self)

    def del_channel(self, map: Any = None) -> None:
        """Be one of the open connections no more."""
        waitress: Any = self
        waitress.server.left(self)
        super().del_channel(map)

    def service(self) -> None:
        """Answer a request, on one of the server's threads."""
        try:
            super().service()
        except HandedOver as handed:
            self.handed_over = True
            handed.take(self)

    def gone(self) -> bool:
        """Tell whether nobody is there any more."""
        return not self.connected

    def behind(self) -> bool:
        """Tell whether something is still to be sent."""
        return self.total_outbufs_len > 0

    def put(self, data: bytes) -> None:
        """Send a piece of the present answer; what can't be sent at once the loop sends."""
        with contextlib.suppress(ClientDisconnected):
            self.write_soon(b"%x\r\n%b\r\n" % (len(data), data) if self._in_chunks() else data)

    def end(self) -> None:
        """End the answer, and the connection as soon as all of it is sent."""
        if self.connected and self._in_chunks():
            with contextlib.suppress(ClientDisconnected):
                self.write_soon(b"0\r\n\r\n")
        waitress: Any = self
        with waitress.requests_lock:
            self.close_when_flushed = True
            for request in self.requests:
                request.close()
            self.requests = []
        waitress.server.pull_trigger()

    def _in_chunks(self) -> bool:
        return bool(self.requests) and self.requests[0].version == "1.1"

    def readable(self) -> bool:
        """Tell whether to listen to the client. On a handed-over connection there is only its end to hear."""
        self._asked = True
        return not self.will_close if self.handed_over else super().readable()

    def handle_read_event(self) -> None:
        """Read, if it is this connection's own event."""
        if self._asked:
            super().handle_read_event()

    def handle_close(self) -> None:
        """Close, if it is this connection's own end."""
        if self._asked:
            super().handle_close()

    def handle_write(self) -> None:
        """Send what is still to be sent. Where the same look at the socket has just found it closed, nothing is."""
        if self.connected:
            super().handle_write()
        else:
            self.handle_close()

    def received(self, data: bytes) -> bool:
        """Take what has come; the time of a request runs from its first byte."""
        if self.handed_over:
            self.will_close = True  # A client that listens to a stream sends nothing on its connection.
            return False
        if self.request is None:
            self.began = time.time()
        took = super().received(data)
        if self.request is None:
            self.began = None  # Nothing is half there: the connection is idle, or at work.
        return took

    def overdue(self, now: float) -> bool:
        """Tell whether this connection has been waited for long enough."""
        if self.requests:
            return self.total_outbufs_len > 0 and self.last_activity < now - STALLED_S
        if self.began is not None:
            return self.began < now - REQUEST_S
        return self.last_activity < now - IDLE_S

    def let_go(self) -> None:
        """Close, whatever is still to be sent; a thread that waits to send it is freed. On the loop's thread only."""
        if self.connected:
            self._asked = True
            self.handle_close()


class Gate(TcpWSGIServer):
    """Waitress with times that mean something, and a fair share of connections for every address."""

    channel_class = Connection

    def __init__(self, *arguments: Any, **more: Any) -> None:
        """Begin to listen."""
        self._pulling = threading.Lock()
        self._quiet = False
        self._taken = False
        self.of_address: dict[str, dict[Connection, None]] = {}
        """The open connections of each address, oldest first."""
        super().__init__(*arguments, **more)

    def pull_trigger(self) -> None:
        """Wake the loop, from any thread: there is something to send. Once the loop has ended nobody is woken."""
        with self._pulling:
            if not self._quiet:
                super().pull_trigger()

    def streaming(self) -> bool:
        """Tell whether any connection that was handed over is still open."""
        return any(one.handed_over for one in self._connections())

    def close_trigger(self) -> None:
        """After the loop's end: nobody pulls it any more. Its number might soon be another file's."""
        trigger: Any = self.trigger
        with self._pulling:
            self._quiet = True
            trigger.close()

    def maintenance(self, now: float) -> None:
        """Close the connections that have been waited for long enough.

        Waitress would close a connection when it can be written to. One whose client does not read never can be.
        """
        trigger: Any = self.trigger
        for connection in self._connections():
            if connection.overdue(now):
                connection.will_close = True
                trigger.pull_trigger(connection.let_go)

    def handle_accept(self) -> None:
        """Take the connections that wait. Where an address or all have too many, the greediest loses its idlest."""
        for _ in range(AT_ONCE):
            self._taken = False
            super().handle_accept()
            if not self._taken:
                return
            self._make_room()

    def accept(self) -> Any:
        """Return the next connection that waits and its address, None where there is none."""
        found = super().accept()
        self._taken = found is not None
        return found

    def entered(self, connection: Connection) -> None:
        """Note a connection that was taken."""
        self.of_address.setdefault(_address(connection), {})[connection] = None

    def left(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        address = _address(connection)
        theirs = self.of_address.get(address, {})
        theirs.pop(connection, None)
        if not theirs:
            self.of_address.pop(address, None)

    def _make_room(self) -> None:
        greediest = max(self.of_address.values(), key=len, default={})
        if len(greediest) > CONNECTIONS_AN_ADDRESS or len(self._connections()) > CONNECTIONS:
            min(greediest, key=lambda one: (bool(one.requests), one.last_activity)).let_go()

    def _connections(self) -> list[Connection]:
        active: Any = self.active_channels
        return list(active.values())


class Workers(ThreadedTaskDispatcher):
    """Threads as they are needed: at most ``most``, but none before all others are busy."""

    def __init__(self, most: int) -> None:
        """Begin with none."""
        super().__init__()
        self._most = most
        self._ending = False

    def add_task(self, task: Any) -> None:
        """Queue a task; if nobody is free for it, hire one more."""
        super().add_task(task)
        with self.lock:
            free = len(self.threads) - self.stop_count - self.active_count
            short = len(self.queue) > free and len(self.threads) < self._most
            count = len(self.threads) + 1
        if short and not self._ending:
            self.set_thread_count(count)

    def shutdown(self, cancel_pending: bool = True, timeout: int = 5) -> bool:
        """End all threads; nobody is hired any more."""
        self._ending = True
        return super().shutdown(cancel_pending, timeout)


def _address(connection: Connection) -> str:
    address: Any = connection.addr
    return str(address[0])


def gate(app: Any, channels: dict[int, Any], listener: socket.socket, workers: Workers, settings: Any) -> Gate:
    """Return the server over a socket that listens already."""
    place = (listener.family, listener.type, listener.proto, listener.getsockname())
    return Gate(app, channels, True, listener, dispatcher=workers, adj=settings, sockinfo=place, bind_socket=False)
