"""Serving the panel with waitress: one process, enough threads for everybody's open stream."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass

from flask import Flask
from waitress.server import BaseWSGIServer, MultiSocketServer, create_server

THREADS = 64
"""Eight seats with three streams each, spectators, and requests beside them: every open stream takes a thread."""
CONNECTIONS = 400


@dataclass
class Serving:
    """A panel being served; ``close`` ends it."""

    server: MultiSocketServer | BaseWSGIServer
    thread: threading.Thread

    def close(self) -> None:
        """Stop taking requests; open streams have ended with the table, or are given a moment."""
        self.server.task_dispatcher.shutdown(cancel_pending=True, timeout=2)
        self.server.close()
        self.thread.join(timeout=5)


def serve(app: Flask, listener: socket.socket) -> Serving:
    """Serve an app on a listening socket, on a thread of its own."""
    server = create_server(
        app, sockets=[listener], threads=THREADS, connection_limit=CONNECTIONS, channel_timeout=60, ident=None,
        max_request_body_size=64 * 1024, asyncore_loop_timeout=0.25,
    )  # fmt: skip
    thread = threading.Thread(target=_run, args=(server,), name="panel", daemon=True)
    thread.start()
    return Serving(server, thread)


def _run(server: MultiSocketServer | BaseWSGIServer) -> None:
    try:
        server.run()
    except OSError:
        return  # The sockets were closed under it: that is how close() ends it.
