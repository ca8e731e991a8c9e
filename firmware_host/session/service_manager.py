"""Notifications to systemd about a running table (``Type=notify``, ``WatchdogSec``): open, alive, ending.

Protocol: sd_notify(3), datagrams to the socket that NOTIFY_SOCKET names. Without that variable nothing is sent.
"""

from __future__ import annotations

import faulthandler
import os
import socket
import threading
from collections.abc import MutableMapping
from contextlib import suppress

from firmware_host.session.runtime import Runtime
from firmware_host.table.errors import TableError

STEADY_S = 2.0
"""How often the loop is checked if systemd sets no time, seconds."""


class ServiceManager:
    """The connection to systemd. A hung loop does not answer, so nothing is sent, and systemd restarts the program."""

    def __init__(self, runtime: Runtime, environment: MutableMapping[str, str] = os.environ) -> None:
        """Remove the variables from the environment: child processes must not notify systemd."""
        self._runtime = runtime
        self._address = environment.pop("NOTIFY_SOCKET", "")
        limit = environment.pop("WATCHDOG_USEC", "")
        for_us = environment.pop("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self._every_s = int(limit) / 3e6 if limit.isdecimal() and int(limit) and for_us else STEADY_S
        self._ended = threading.Event()

    def start(self) -> None:
        """Send READY when the loop answers for the first time, then WATCHDOG as long as it answers."""
        if self._address:
            if not faulthandler.is_enabled():
                faulthandler.enable()  # The watchdog's SIGABRT logs where each thread was.
            threading.Thread(target=self._beat, name="service manager", daemon=True).start()

    def close(self) -> None:
        """Notify systemd that the table is being closed."""
        self._ended.set()
        self._tell("STOPPING=1")

    def _beat(self) -> None:
        state = "READY=1"
        while True:
            if self._answers():
                self._tell(state)
                state = "WATCHDOG=1"
            if self._ended.wait(self._every_s):
                return

    def _answers(self) -> bool:
        """Send the loop an empty job, and wait for it. False: it hangs or is being closed."""
        try:
            self._runtime.do(lambda: None)
        except TimeoutError:
            return False
        except TableError:  # Play stands still, as nothing can be written down, or the table is being closed.
            return not self._runtime.closing()
        return True

    def _tell(self, state: str) -> None:
        if not self._address:
            return
        name = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
            out.sendto(state.encode(), name)
