"""A table's own broker: only the room gets in, nothing has no bound, and it comes back when it was ended."""

from __future__ import annotations

import errno
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from firmware_host.link import serving
from firmware_host.link.broker import Broker
from firmware_host.link.serving import CONNECTIONS, FIRST_TO_GO, MAX_TOPICS, OwnBroker, Served
from firmware_host.link.trust import Identity, Invitation
from tests.ports import free_port

INVITATION = Invitation.new("mqtt://127.0.0.1", Identity().public, served=True)
PLACE = f"lodestone/1/{INVITATION.room}"
SERVED = Served(PLACE, *(INVITATION.login or ()))
PATIENCE_S = 60.0


def until(holds: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)  # Between two looks.
    return found


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def own(port: int) -> Iterator[OwnBroker]:
    with closing(OwnBroker(port, SERVED)) as running:
        until(lambda: answers(port))
        yield running


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def client(port: int, login: tuple[str, str] | None = INVITATION.login, place: str = PLACE, **more: Any) -> Broker:
    return Broker(f"mqtt://127.0.0.1:{port}", f"{place}/#", lambda: (f"{place}/ab/gone", b"gone"), login, **more)


def refused(port: int, login: tuple[str, str] | None, will: str = "", clean: bool = True) -> bool:
    """Tell whether the broker does not let a client in."""
    codes: list[Any] = []
    raw = Client(CallbackAPIVersion.VERSION2, client_id=secrets.token_hex(4), clean_session=clean)
    raw.on_connect = lambda *told: codes.append(told[3])
    if login is not None:
        raw.username_pw_set(*login)
    if will:
        raw.will_set(will, b"x", retain=True)
    raw.connect("127.0.0.1", port)
    raw.loop_start()
    until(lambda: codes)
    raw.disconnect()
    raw.loop_stop()
    return bool(codes[0].is_failure)


@pytest.mark.usefixtures("own")
def test_only_the_room_gets_in(port: int) -> None:
    """Not without the password, nor with a will elsewhere, nor as one for whom messages would be kept."""
    user, password = INVITATION.login or ("", "")
    assert refused(port, None)
    assert refused(port, (user, "wrong"))
    assert refused(port, ("other", password))
    assert refused(port, (user, password), will="lodestone/1/other/gone")
    assert refused(port, (user, password), clean=False)
    assert not refused(port, (user, password), will=f"{PLACE}/ab/gone")
    assert INVITATION.to_watch.login == (user, password), "who watches gets in, too"
    assert Invitation.parse(INVITATION.link) == INVITATION


@pytest.mark.usefixtures("own")
def test_only_its_topics_pass_and_none_without_a_bound(port: int) -> None:
    with closing(client(port)) as one, closing(client(port)) as other:
        until(lambda: one.is_up and other.is_up)
        one.send("lodestone/1/elsewhere/state", b"stray", kept=True)
        one.send(f"{PLACE}/ab/state", b"own", kept=True)
        assert until(lambda: received(other, b"own")) == f"{PLACE}/ab/state"
        for number in range(MAX_TOPICS + 100):
            one.send(f"{PLACE}/{number}/state", b"many", kept=True)
        one.send(f"{PLACE}/ab/state", b"last", kept=True)
        until(lambda: received(other, b"last"))
        with closing(client(port)) as late:
            kept: set[str] = set()
            until(lambda: take_all(late, kept) and len(kept) >= MAX_TOPICS)
            assert len(kept) == MAX_TOPICS


def received(wire: Broker, payload: bytes) -> str:
    """Return the topic of a message that has come, empty without it."""
    packet = wire.take()
    while packet is not None:
        if packet.payload == payload:
            return packet.topic
        packet = wire.take()
    return ""


def take_all(wire: Broker, into: set[str]) -> bool:
    """Take the topics of all messages that have come, which may come twice."""
    while (packet := wire.take()) is not None:
        if packet.topic:
            into.add(packet.topic)
    return True


def test_large_messages_are_cut_off(port: int, own: OwnBroker) -> None:
    """30 retained messages of 4 MB leave the broker as small as it was; the room goes on meanwhile."""
    with closing(client(port)) as table, closing(client(port)) as bad:
        until(lambda: table.is_up and bad.is_up)
        before = memory(own.pid)
        for number in range(30):
            bad.send(f"{PLACE}/{number}/state", bytes(4 << 20), kept=True)
        until(lambda: not bad.is_up)
        table.send(f"{PLACE}/cd/state", b"x" * 65_000, kept=True)
        until(lambda: received(table, b"x" * 65_000))
        assert memory(own.pid) < before + (30 << 20)


@pytest.mark.thorough
@pytest.mark.usefixtures("own")
def test_who_says_nothing_is_cut_off(port: int) -> None:
    """After the ten seconds that a client has for its first words."""
    with socket.create_connection(("127.0.0.1", port)) as silent:
        silent.settimeout(PATIENCE_S)
        assert silent.recv(1) == b""


@pytest.mark.usefixtures("own")
def test_silent_connections_keep_nobody_out(port: int) -> None:
    """As many as there may be, and more: whoever says who it is takes the place of one that has not."""
    with ExitStack() as stack:
        for _ in range(CONNECTIONS + 20):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S))
        table = stack.enter_context(closing(client(port)))
        until(lambda: table.is_up)
        for _ in range(20):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S))
        table.send(f"{PLACE}/cd/state", b"still here", kept=True)
        until(lambda: received(table, b"still here"))


def memory(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS"))


def test_it_goes_first_and_comes_back(port: int, own: OwnBroker) -> None:
    """Out of memory the system ends the broker, not the table; its clients are connected again afterwards."""
    assert Path(f"/proc/{own.pid}/oom_score_adj").read_text().strip() == str(FIRST_TO_GO)
    assert SERVED.password.encode() not in Path(f"/proc/{own.pid}/cmdline").read_bytes()
    with closing(client(port)) as table:
        until(lambda: table.is_up)
        first = own.pid
        os.kill(first, signal.SIGKILL)
        until(lambda: not table.is_up)
        until(lambda: table.is_up)
        assert own.pid != first


def test_it_comes_back_once_there_is_room_for_a_process(
    port: int, own: OwnBroker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where memory ran short the next process can't be started at once: it is tried until it can, and told once."""
    start, tries = subprocess.Popen, 0

    def popen(*given: Any, **more: Any) -> Any:
        nonlocal tries
        tries += 1
        if tries <= 3:
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        return start(*given, **more)

    monkeypatch.setattr(serving, "AGAIN_S", 0.05)
    monkeypatch.setattr(serving.subprocess, "Popen", popen)
    first = own.pid
    os.kill(first, signal.SIGKILL)
    until(lambda: own.pid != first and answers(port))
    assert tries == 4
    assert sum("Cannot allocate memory" in one.getMessage() for one in caplog.records) == 1


def test_it_ends_while_it_can_not_be_started(
    port: int, own: OwnBroker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def popen(*_: Any, **__: Any) -> Any:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(serving, "AGAIN_S", 0.05)
    monkeypatch.setattr(serving.subprocess, "Popen", popen)
    os.kill(own.pid, signal.SIGKILL)
    until(lambda: "Resource temporarily unavailable" in caplog.text)
    own.close()
    assert not own._thread.is_alive()
    assert not answers(port)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_of_a_terminal_is_its_parents_to_answer(port: int, sent: signal.Signals) -> None:
    text = f"""
import sys, threading
from firmware_host import platform
from firmware_host.link.serving import OwnBroker, Served
stop = threading.Event()
platform.on_end(stop.set)
own = OwnBroker({port}, Served({PLACE!r}))
print("open", flush=True)
stop.wait()
own.close()
"""
    command = [sys.executable, "-c", text]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        until(lambda: answers(port))
        os.killpg(process.pid, sent)
        assert process.communicate(timeout=PATIENCE_S)[0] == ""
    assert process.returncode == 0
    assert not answers(port)
