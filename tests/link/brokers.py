"""Real MQTT brokers on a free port, which a test may kill and start again: Mosquitto, and the program's own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.link.serving import Served
from tests.ports import free_port
from tests.waiting import eventually

MOSQUITTO = shutil.which("mosquitto") or (
    "/usr/sbin/mosquitto" if Path("/usr/sbin/mosquitto").exists() else None  # Not on everybody's path in Debian.
)


class RealBroker:
    """A broker's process."""

    def __init__(self, kind: str, folder: Path, more: str = "") -> None:
        """``more`` are further lines of Mosquitto's configuration."""
        self.kind = kind
        self.port = free_port()
        self._configuration = folder / "mosquitto.conf"
        self._configuration.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n{more}")
        self.start()

    @property
    def url(self) -> str:
        """The broker's address."""
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def start(self) -> None:
        """Start it; return when it accepts connections."""
        own = [sys.executable, "-m", "firmware_host.link.serving", str(self.port)]
        command = own if self.kind == "own" else [str(MOSQUITTO), "-c", str(self._configuration)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if self.kind == "own" and self._process.stdin is not None:
            self._process.stdin.write(Served("lodestone/1").line())
            self._process.stdin.flush()
        try:
            eventually(self._accepts, f"the broker {self.kind} starts")
        except AssertionError:
            self.kill()
            raise

    def _accepts(self) -> bool:
        assert self._process.poll() is None, f"the broker {self.kind} has ended with {self._process.returncode}"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        """End it at once, and all that it has kept."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()

    close = kill


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections that are made again without the pause that spares a broker."""
    for name in ("LEAST_WAIT_S", "MAX_WAIT_S"):
        monkeypatch.setattr(f"firmware_host.link.broker.{name}", 0.02)


BROKERS = [
    pytest.param("mosquitto", marks=pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto: tests/need-mosquitto")),
    pytest.param("own", marks=[pytest.mark.thorough] if MOSQUITTO else []),
]


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RealBroker]:
    """A real broker that runs, of each kind."""
    running = RealBroker(request.param, tmp_path)
    yield running
    running.close()
