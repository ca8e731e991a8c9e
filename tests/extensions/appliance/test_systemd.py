"""What systemd hears: over a real socket, of a loop that runs on a thread of its own."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from firmware_host.extensions.appliance.systemd import ServiceManager
from lodestone.tables import SimulatedTable
from tests.e2e.program import eventually

EVERY_MS = 30
PATIENCE_S = 60.0


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path)
    here.runtime.start()
    yield here
    here.runtime.stop()
    here.close()


@pytest.fixture
def systemd() -> Iterator[socket.socket]:
    # A socket's path is at most 107 bytes long: a test's own folder may be deeper.
    with TemporaryDirectory(prefix="lodestone-") as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as here:
        here.bind(f"{folder}/notify")
        here.settimeout(PATIENCE_S)
        yield here


def variables(systemd: socket.socket, **more: str) -> dict[str, str]:
    return {"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": str(EVERY_MS * 3000), "HOME": "/", **more}


def hear(systemd: socket.socket) -> str:
    return systemd.recv(100).decode()


def heard_by_now(systemd: socket.socket) -> list[str]:
    found = []
    systemd.setblocking(False)
    try:
        while True:
            found.append(hear(systemd))
    except BlockingIOError:
        systemd.settimeout(PATIENCE_S)
        return found


def hang(table: SimulatedTable) -> Callable[[], None]:
    """Hold the loop; return what lets it go on."""
    held, go_on = threading.Event(), threading.Event()

    def job() -> None:
        held.set()
        go_on.wait(2 * PATIENCE_S)

    threading.Thread(target=lambda: table.runtime.do(job), daemon=True).start()
    assert held.wait(PATIENCE_S)
    return go_on.set


def counted(table: SimulatedTable) -> list[int]:
    """Return what grows with each question of the manager to the loop."""
    asked: list[int] = []
    do = table.runtime.do

    def counting(job: Callable[[], None]) -> None:
        if threading.current_thread().name == "service manager":
            asked.append(1)
        do(job)

    vars(table.runtime)["do"] = counting
    return asked


def test_ready_then_alive_then_stopping(table: SimulatedTable, systemd: socket.socket) -> None:
    environment = variables(systemd)
    manager = ServiceManager(table.runtime.alive, environment)
    assert environment == {"HOME": "/"}, "a child process must not speak for the program"
    manager.start()
    assert [hear(systemd) for _ in range(3)] == ["READY=1", "WATCHDOG=1", "WATCHDOG=1"]
    manager.close()
    assert [word for word in heard_by_now(systemd) if word != "WATCHDOG=1"] == ["STOPPING=1"]


def test_a_loop_that_hangs_is_silent_and_speaks_again_when_it_goes_on(
    table: SimulatedTable, systemd: socket.socket
) -> None:
    asked = counted(table)
    manager = ServiceManager(table.runtime.alive, variables(systemd))
    manager.start()
    assert [hear(systemd) for _ in range(2)] == ["READY=1", "WATCHDOG=1"]
    release = hang(table)
    now = len(asked)
    eventually(lambda: len(asked) > now, "a question to the loop that hangs: what it answered before has been told")
    heard_by_now(systemd)
    systemd.settimeout(EVERY_MS * 20 / 1000)
    with pytest.raises(TimeoutError):
        hear(systemd)
    systemd.settimeout(PATIENCE_S)
    release()
    assert hear(systemd) == "WATCHDOG=1"
    manager.close()


def test_a_table_that_is_never_open_is_never_ready(table: SimulatedTable, systemd: socket.socket) -> None:
    release = hang(table)
    manager = ServiceManager(table.runtime.alive, variables(systemd))
    manager.start()
    systemd.settimeout(EVERY_MS * 10 / 1000)
    with pytest.raises(TimeoutError):
        hear(systemd)
    release()
    systemd.settimeout(PATIENCE_S)
    assert hear(systemd) == "READY=1"
    manager.close()


def test_a_journal_that_takes_nothing_is_no_hung_loop(
    table: SimulatedTable, systemd: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = ServiceManager(table.runtime.alive, variables(systemd))
    manager.start()
    assert hear(systemd) == "READY=1"
    table.runtime._standstill.begin("the disk is full", table.clock())
    monkeypatch.setattr(table.runtime, "_may_go_on", lambda at: False)
    heard_by_now(systemd)
    assert [hear(systemd) for _ in range(3)] == ["WATCHDOG=1"] * 3
    manager.close()


@pytest.mark.parametrize("limit", ["", "0", "soon", "-5"])
def test_a_limit_that_is_none_still_says_ready(table: SimulatedTable, systemd: socket.socket, limit: str) -> None:
    manager = ServiceManager(
        table.runtime.alive, variables(systemd, WATCHDOG_USEC=limit, WATCHDOG_PID=str(os.getpid()))
    )
    manager.start()
    assert hear(systemd) == "READY=1"
    manager.close()


def test_without_systemd_nothing_is_started(table: SimulatedTable) -> None:
    before = set(threading.enumerate())
    manager = ServiceManager(table.runtime.alive, {})
    manager.start()
    assert "service manager" not in {thread.name for thread in set(threading.enumerate()) - before}
    manager.close()
