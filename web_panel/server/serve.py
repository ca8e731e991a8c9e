"""Serving the panel with waitress: one process, few threads; one thread writes to all open streams (broadcast.py)."""

from __future__ import annotations

import logging
import socket
import threading
import time
from dataclasses import dataclass
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.adjustments import Adjustments

from web_panel.server.gate import CONNECTIONS, Gate, Workers, gate

THREADS = 32
"""Maximum number of threads, started on demand: a handful in play. No thread waits for a client (gate.py), so this need
not be more than connections: what a request may wait for is the table, and a page of the simulator takes a thread."""
LARGEST_HEADER = 16 * 1024
MOST_READ = 16 * 1024
"""Bytes. The app refuses more than 4096 with a message; beyond this limit the server stops reading."""
UNSENT = 1024 * 1024
"""Bytes queued for a client that does not read; beyond this a thread that writes piece by piece (only the simulator's
pages do) waits until the connection is closed."""

MOMENT_S = 2
"""Longest time, in seconds, that the program's end waits for phones to read queued data."""


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


def serve(app: Flask, listener: socket.socket) -> Serving:
    """Serve an app on a listening socket, on its own thread."""
    logging.getLogger("waitress").setLevel(logging.ERROR)  # Its warnings (queue depth) do not help players.
    channels: dict[int, Any] = {}
    settings = Adjustments(
        ident=None,
        max_request_header_size=LARGEST_HEADER,
        max_request_body_size=MOST_READ,
        outbuf_high_watermark=UNSENT,
        outbuf_overflow=2 * UNSENT,  # Never reached: nothing is written to the disk.
        connection_limit=CONNECTIONS + 50,  # Never reached: the gate closes a connection before.
        cleanup_interval=2,
        asyncore_use_poll=True,
    )
    server = gate(app, channels, listener, Workers(THREADS), settings)
    thread = threading.Thread(target=server.run, name="panel", daemon=True)
    thread.start()
    return Serving(server, channels, thread)
