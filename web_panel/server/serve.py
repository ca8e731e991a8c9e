"""Serving the panel with waitress: one process, few threads; open streams are written to by one (broadcast.py)."""

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

THREADS = 300
"""Started as they are needed, about 35 KiB each: in play a handful. A client that takes nothing of its answer holds
one until its connection is closed; there are enough that players are not held up. Open streams take none."""
LARGEST_HEADER = 16 * 1024
LARGEST_BODY = 16 * 1024
"""The app takes 4096 bytes and says so; beyond this the server does not even read on."""
UNSENT = 256 * 1024
"""So much waits for a client that does not read, then its thread waits, until it is let go."""

MOMENT_S = 2
"""So long the end of the program waits for phones to take what is still to be sent."""


@dataclass
class Serving:
    """A panel being served; ``close`` ends it."""

    server: Gate
    channels: dict[int, Any]
    thread: threading.Thread

    def close(self) -> None:
        """Stop taking requests; open streams have ended with the table, or are given a moment."""
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
    settings = Adjustments(
        ident=None,
        max_request_header_size=LARGEST_HEADER,
        max_request_body_size=LARGEST_BODY,
        outbuf_high_watermark=UNSENT,
        connection_limit=CONNECTIONS + 50,  # Never reached: the gate lets go of somebody before.
        cleanup_interval=2,
        asyncore_use_poll=True,
    )
    server = gate(app, channels, listener, Workers(THREADS), settings)
    thread = threading.Thread(target=server.run, name="panel", daemon=True)
    thread.start()
    return Serving(server, channels, thread)
