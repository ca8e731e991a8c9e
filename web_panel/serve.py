"""Serving the panel with waitress: one process, enough threads for everybody's open stream."""

from __future__ import annotations

import logging
import socket
import threading
from dataclasses import dataclass
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.server import BaseWSGIServer, create_server

THREADS = 64
"""Eight seats with three streams each, spectators, and requests beside them: every open stream takes a thread."""
CONNECTIONS = 400


@dataclass
class Serving:
    """A panel being served; ``close`` ends it."""

    server: BaseWSGIServer
    channels: dict[int, Any]
    thread: threading.Thread

    def close(self) -> None:
        """Stop taking requests; open streams have ended with the table, or are given a moment."""
        workers = self.server.task_dispatcher
        workers.shutdown(cancel_pending=True, timeout=2)
        trigger: Any = self.server.trigger
        trigger.pull_trigger(self._let_go)
        self.thread.join(timeout=5)
        if not workers.threads and not self.thread.is_alive():
            trigger.close()  # Only now: somebody might still have pulled it, and its number might be another file's.

    def _let_go(self) -> None:
        """Close the listening socket and what phones keep open, on the loop's own thread; with none left, it ends."""
        trigger: Any = self.server.trigger
        for channel in list(self.channels.values()):
            if channel is self.server:
                wasyncore.dispatcher.close(channel)  # The server's own close() would close the trigger as well.
            elif channel is not trigger:
                channel.handle_close()
        trigger.del_channel(self.channels)


def serve(app: Flask, listener: socket.socket) -> Serving:
    """Serve an app on a listening socket, on a thread of its own."""
    logging.getLogger("waitress").setLevel(logging.ERROR)  # A queue's depth is nothing for the people at the table.
    channels: dict[int, Any] = {}
    server = create_server(
        app,
        channels,
        sockets=[listener],
        threads=THREADS,
        connection_limit=CONNECTIONS,
        channel_timeout=60,
        ident=None,
        max_request_body_size=64 * 1024,
    )
    assert isinstance(server, BaseWSGIServer)  # noqa: S101 - one socket, one server
    thread = threading.Thread(target=server.run, name="panel", daemon=True)
    thread.start()
    return Serving(server, channels, thread)
