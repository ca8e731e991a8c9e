"""A machine that has no threads, and whose time only a test moves: what a browser's tab is to a table."""

from __future__ import annotations

import pytest

from firmware_host import platform


class Machine:
    """What ``firmware_host.platform`` takes for the time; from turn to turn ``turn_s`` seconds pass."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, turn_s: float) -> None:
        """Take the place of the real time until the test ends."""
        self.passed, self._turn_s = 0.0, turn_s
        for name, value in {"HAS_THREADS": False, "time": self, "_turned": 0.0, "_turned_at": 0.0}.items():
            monkeypatch.setattr(platform, name, value)

    def monotonic(self) -> float:
        return self.passed

    def sleep(self, _seconds: float) -> None:
        """Nobody waits."""

    def turn(self) -> None:
        """Let time pass until the next turn."""
        self.passed += self._turn_s
