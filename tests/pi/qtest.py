"""The pins of the emulated Pi from outside: QEMU's qtest protocol reads and sets levels in their registers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from pathlib import Path

PINS = 0x3F200000
SELECT, SET, CLEAR, LEVEL = PINS, PINS + 0x1C, PINS + 0x28, PINS + 0x34
HEADER = range(28)
"""Pins on the header, BCM numbers."""


class Qtest:
    """A connection to QEMU's qtest socket."""

    def __init__(self, path: Path) -> None:
        """Connect."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(60)
        self._socket.connect(str(path))
        self._answers = self._socket.makefile("r", encoding="ascii")
        self._lock = threading.Lock()

    def read(self, address: int) -> int:
        """Return a register of 32 bits."""
        return int(self._ask(f"readl {address:#x}").split()[1], 16)

    def write(self, address: int, value: int) -> None:
        """Set a register of 32 bits."""
        self._ask(f"writel {address:#x} {value:#x}")

    def outputs(self) -> Mapping[int, int]:
        """Return pin → level for the pins that the Pi has made outputs."""
        chosen = [self.read(SELECT + 4 * at) for at in range(3)]
        levels = self.read(LEVEL)
        return {pin: levels >> pin & 1 for pin in HEADER if chosen[pin // 10] >> pin % 10 * 3 & 7 == 1}

    def drive(self, levels: Mapping[int, int]) -> None:
        """Give input pins their levels, all at once."""
        for address, wanted in ((SET, 1), (CLEAR, 0)):
            mask = sum(1 << pin for pin, level in levels.items() if level == wanted)
            if mask:
                self.write(address, mask)

    def close(self) -> None:
        """Close the connection."""
        self._answers.close()
        self._socket.close()

    def _ask(self, command: str) -> str:
        with self._lock:
            self._socket.sendall(f"{command}\n".encode())
            answer = self._answers.readline()
        if not answer.startswith("OK"):
            raise OSError(f"qtest: {command}: {answer!r}")
        return answer
