"""A scanner on the emulated Pi's own USB: Linux's serial gadget, and behind it the simulator's end of the protocol."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
import time
import tty

from firmware_host.extensions.scanner.simulated import ScannerEnd

PORT = "/dev/ttyGS0"


class GadgetScanner:
    """A scanner whose ``readings`` tests set; its cable can be pulled."""

    def __init__(self, channels: int) -> None:
        """Load Linux's controller and gadget, and plug in."""
        self.readings = [0] * channels
        subprocess.run(["modprobe", "-a", "dummy_hcd", "cdc_acm", "g_serial"], check=True)
        self._lock = threading.Lock()
        self._end = ScannerEnd(channels, "presence", lambda: self.readings, time.monotonic)
        self._plugged = True
        self._serving = threading.Lock()
        threading.Thread(target=self._run, daemon=True).start()

    def unplug(self) -> None:
        """Pull the cable: the device vanishes from the other end."""
        self._plugged = False
        with self._serving:  # The gadget goes only when nobody has its port open.
            subprocess.run(["modprobe", "-r", "g_serial"], check=True)

    def plug(self) -> None:
        """Plug it in again; it starts anew."""
        with self._lock:
            self._end.reboot()
        subprocess.run(["modprobe", "g_serial"], check=True)
        self._plugged = True

    def _run(self) -> None:
        while True:
            with self._serving, contextlib.suppress(OSError):  # A line without a cable hangs up.
                if self._plugged:
                    self._serve()
            time.sleep(0.1)  # Runs in the Pi: a line without a cable hangs up at once.

    def _serve(self) -> None:
        port = os.open(PORT, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            tty.setraw(port)
            while self._plugged:
                heard = b""
                if select.select([port], [], [], self._end.wait_s())[0]:
                    heard = os.read(port, 4096)
                    if not heard:
                        return
                with self._lock:
                    answer = self._end.take(heard) + self._end.due()
                with contextlib.suppress(BlockingIOError):
                    os.write(port, answer)
        finally:
            os.close(port)
