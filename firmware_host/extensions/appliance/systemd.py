"""The program as a service of systemd: messages about a running table, and restart and shutdown of the machine.

A service of ``Type=notify`` with ``WatchdogSec`` says when it is open, that it is alive, and when it ends:
sd_notify(3), datagrams to the socket that NOTIFY_SOCKET names. Without that variable nothing is sent. A loop that hangs
does not answer, so nothing is sent, and systemd restarts the program.

Restart and shutdown are only for a Raspberry Pi where systemd runs the program; polkit decides whether they are
allowed.
"""

from __future__ import annotations

import faulthandler
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path

from firmware_host.table.errors import TableError
from firmware_host.text.words import say
from hw.pi import model

STEADY_S = 2.0
"""How often the loop is checked if systemd sets no time, seconds."""


class ServiceManager:
    """Tells systemd about a running table."""

    def __init__(self, alive: Callable[[], bool], environment: MutableMapping[str, str] = os.environ) -> None:
        """Remove the variables from the environment: child processes must not notify systemd.

        ``alive`` asks the table's loop for a sign of life, and waits for it.
        """
        self._alive = alive
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
            if self._alive():
                self._tell(state)
                state = "WATCHDOG=1"
            if self._ended.wait(self._every_s):
                return

    def _tell(self, state: str) -> None:
        if not self._address:
            return
        name = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
            out.sendto(state.encode(), name)


VERBS: Mapping[str, str] = {"restart": "reboot", "shutdown": "poweroff"}
"""The host's request → the verb of ``systemctl``, which asks polkit."""
WAIT_S = 10


def power_offered(root: Path = Path("/"), environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the host may restart this machine and shut it down."""
    is_service = "INVOCATION_ID" in environment and (root / "run/systemd/system").is_dir()
    return is_service and bool(model(root)) and shutil.which("systemctl", path=environment.get("PATH")) is not None


def switch(what: str, environment: Mapping[str, str] = os.environ) -> None:
    """Restart the machine or shut it down; systemd ends the table first, as at every stop. Raise TableError."""
    if what not in VERBS:
        raise TableError("no_power", say("expected one of {known}, got {what}", known=", ".join(VERBS), what=what[:40]))
    program = shutil.which("systemctl", path=environment.get("PATH")) or "systemctl"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed verb
            [program, "--no-ask-password", VERBS[what]], capture_output=True, text=True, timeout=WAIT_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise TableError("no_power", say("the machine refuses: {reason}", reason=str(error))) from error
    if done.returncode != 0:
        reason = done.stderr.strip() or f"systemctl {done.returncode}"
        raise TableError("no_power", say("the machine refuses: {reason}", reason=reason))
