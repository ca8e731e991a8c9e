"""A club at its size: a thousand tables at one broker, a thousand watchers of one page, on one machine.

Tables and watchers run in a process each, so that the club's own process is what is measured. The tables are those of
``lodestone play --club`` as far as the club can tell (the same class, a connection and keys each); what they play is
random games by the rules, an action about every ten seconds, and some hand over records that are verified meanwhile. A
watcher is a stream of events. An event's way is from the moment at which the table's loop shows it to the moment at
which a watcher has read it.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from firmware_host.archive import records
from firmware_host.extensions.club.membership import FILE, ClubTable, become_member
from firmware_host.extensions.club.messages import Finished
from firmware_host.games.registry import game as find_game
from firmware_host.link.broker import Packet, parse_address
from firmware_host.link.common_log import RoomFile
from tests.extensions.club.clubs import ClubProgram, HallTable, opened_club, until
from tests.link.brokers import MOSQUITTO, RealBroker

LONG = True
TABLES, WATCHERS = 1000, 1000
ACTION_S = 10.0
"""Mean time between two actions at a table."""
MEASURED_S = 30.0
RECORDS = 12
GAMES = ("spokes", "phalanx", "coil", "octiles")
FILES = 20_000
MOSQUITTO_LINES = "max_queued_messages 0\nmax_inflight_messages 1000\n"


# -- tables ------------------------------------------------------------------------------------------------------------


class Wires:
    """All connections of this process, on one thread (paho's external loop); a table has no thread of its own here."""

    def __init__(self) -> None:
        self.selector = selectors.DefaultSelector()
        self.ready: set[Wire] = set()
        """Those for which messages have come."""

    def turn(self, seconds: float) -> None:
        """Read and write what is ready."""
        for key, events in self.selector.select(seconds):
            wire: Wire = key.data
            if events & selectors.EVENT_READ:
                wire.client.loop_read()
            wire.client.loop_misc()


WIRES = Wires()


class Wire:
    """A connection as :class:`firmware_host.link.broker.Broker` is one."""

    def __init__(self, url: str, subscribe: Sequence[str], will: Any, credentials: Any = None, most: int = 0) -> None:
        host, port, _ = parse_address(url)
        topics = [(topic, 1) for topic in subscribe]
        self.come: deque[Packet] = deque()
        self.client = Client(CallbackAPIVersion.VERSION2)
        self.client.on_message = lambda _client, _data, found: self._put(Packet(found.topic, found.payload))
        self.client.on_connect = lambda *_: self.client.subscribe(topics)
        self.client.will_set(*will(), qos=1, retain=True)
        self.client.connect(host, port, 600)
        self.is_up = True
        WIRES.selector.register(self.client.socket(), selectors.EVENT_READ, self)

    def _put(self, packet: Packet) -> None:
        self.come.append(packet)
        WIRES.ready.add(self)

    def send(self, topic: str, payload: bytes, *, kept: bool) -> None:
        self.client.publish(topic, payload, qos=1, retain=kept)

    def take(self) -> Packet | None:
        return self.come.popleft() if self.come else None

    def wait(self, seconds: float) -> Packet | None:
        return self.take()

    def close(self) -> None:
        self.client.disconnect()


class Records:
    """The finished games of a table: those given, once they are due."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def finished_games(self) -> Sequence[Finished]:
        return [(game, 1) for game in self.known]

    def record(self, game: str) -> str:
        return self.known[game]


def played(name: str, seed: int) -> list[dict[str, Any]]:
    """Return what a table shows of a random game, action by action."""
    game, rng = find_game(name), Random(seed)
    mode = game.modes[0]
    position, found = game.start(mode), list[dict[str, Any]]()
    for _ in range(60):
        actions = game.actions(position)
        board = {node: list(stack) for node, stack in game.occupancy(position).items()}
        seals = game.simultaneous(position) if actions else False
        found.append({"phase": "sealing" if seals else "resolving" if actions else "over", "turn": game.turn(position),
                      "resolver": game.actor(position), "board": board})  # fmt: skip
        if not actions:
            break
        position = game.apply(position, {seat: rng.choice(those) for seat, those in actions.items()}).position
    seats = [
        {"seat": seat, "taken": True, "name": f"Player {seed}.{seat}", "computer": False, "colour": seat}
        for seat in game.seats(mode)
    ]
    head = {"name": name, "mode": mode, "id": f"{name}-{seed}"}
    return [{"game": head, "seats": seats, "paused": False, "standstill": None, "lesson": None, **one} for one in found]


def run_tables(link: str, folder: Path, count: int, seconds: float) -> None:
    """Be all tables; print a line of JSON for each event, and one when all are connected."""
    rng, evenings = Random(1), [played(GAMES[seed % len(GAMES)], seed) for seed in range(40)]
    kept_records = sorted(folder.glob("record-*.jsonl"))
    tables: list[tuple[ClubTable, Records]] = []
    for number in range(count):
        place = folder / f"t{number}"
        place.mkdir()
        kept = RoomFile(place / FILE)
        become_member(kept, link, f"Table {number + 1}")
        games = Records()
        tables.append((ClubTable(kept, games, connect=Wire), games))  # type: ignore[arg-type]
        WIRES.turn(0)
    step = [rng.randrange(len(evenings[number % len(evenings)])) for number in range(count)]
    for number, (table, _) in enumerate(tables):
        table.show(evenings[number % len(evenings)][step[number]])
        WIRES.turn(0)
    by_wire: dict[Any, ClubTable] = {table._broker: table for table, _ in tables}

    def read() -> None:
        WIRES.turn(0.005)
        while WIRES.ready:
            wire = WIRES.ready.pop()
            while (packet := wire.take()) is not None:
                by_wire[wire].step(packet)

    while not all(table._lease.is_held for table, _ in tables):
        for table, _ in tables:
            table.step(None)
        read()
    print(json.dumps({"ready": time.monotonic()}), flush=True)
    begin = time.monotonic() + 5
    due = sorted((begin + rng.uniform(0, ACTION_S), number) for number in range(count))
    waiting = deque(due)
    records_due = deque(begin + (at + 0.5) * seconds / max(1, len(kept_records)) for at in range(len(kept_records)))
    events: list[tuple[str, int, float]] = []
    counts = [0] * count
    while (now := time.monotonic()) < begin + seconds:
        read()
        while waiting and waiting[0][0] <= now:
            _, number = waiting.popleft()
            table = tables[number][0]
            evening = evenings[number % len(evenings)]
            step[number] = (step[number] + 1) % len(evening)
            counts[number] += 1
            # The turn numbers the event: it is what a watcher can tell it by.
            view = {**evening[step[number]], "turn": 1000 + counts[number]}
            events.append((table.identity.public[:16], view["turn"], time.monotonic()))
            table.show(view)
            waiting.append((now + rng.uniform(0.5, 1.5) * ACTION_S, number))
        if len(waiting) > 1 and waiting[-1][0] < waiting[-2][0]:
            waiting = deque(sorted(waiting))
        if records_due and records_due[0] <= now:
            records_due.popleft()
            path = kept_records[len(records_due)]
            table, games = tables[len(records_due)]
            text = path.read_text()
            games.known[json.loads(text.partition("\n")[0])["id"]] = text
            table._ended = True
            table._look()
    print(json.dumps({"events": events}), flush=True)


# -- watchers ----------------------------------------------------------------------------------------------------------


class Watcher(asyncio.Protocol):
    """One stream; HTTP/1.0, so that its bytes come as they are."""

    messages: ClassVar[dict[bytes, int]] = {}
    """The number of each message, by its first line (its id)."""
    texts: ClassVar[list[bytes]] = []
    times: ClassVar[list[list[float]]] = []

    def __init__(self, request: bytes) -> None:
        self._request, self._left = request, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(self._request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        now = time.monotonic()
        *whole, self._left = (self._left + data).split(b"\n\n")
        for message in whole:
            if not message.startswith(b"id: "):
                continue
            name = message.partition(b"\n")[0]
            number = self.messages.get(name)
            if number is None:
                number = self.messages[name] = len(self.texts)
                self.texts.append(message)
                self.times.append([])
            self.times[number].append(now)


async def _watch(url: str, count: int, seconds: float) -> None:
    host, _, port = url.removeprefix("http://").partition(":")
    loop = asyncio.get_running_loop()
    with socket.create_connection((host, int(port))) as first:
        first.sendall(f"GET /api/club HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        whole = b"".join(iter(lambda: first.recv(1 << 20), b""))
    state = json.loads(whole.partition(b"\r\n\r\n")[2])["state"]
    request = f"GET /api/events?after={state} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode()
    watchers = [await loop.create_connection(lambda: Watcher(request), host, int(port)) for _ in range(count)]
    print(json.dumps({"ready": time.monotonic()}), flush=True)
    await asyncio.sleep(seconds)  # So long they listen.
    print(json.dumps({"open": sum(not transport.is_closing() for transport, _ in watchers)}), flush=True)
    found = [
        (text.decode().partition("data: ")[2], times) for text, times in zip(Watcher.texts, Watcher.times, strict=True)
    ]
    print(json.dumps({"messages": found}), flush=True)


# -- the measurement ---------------------------------------------------------------------------------------------------


def _family(pid: int) -> list[int]:
    """Return a process and its children: what verifies records is one."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")  # Each thread has its own.
    children = [child for task in tasks for child in task.read_text().split()]
    return [pid, *(one for child in children for one in _family(int(child)))]


def _spent(pid: int) -> float:
    """Return the processor time of a process and its children, seconds."""
    found = 0
    for one in _family(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        found += int(fields[11]) + int(fields[12])
    return found / os.sysconf("SC_CLK_TCK")


def _memory(pid: int) -> float:
    """Return the memory of a process and its children, MB (proportional set size)."""
    found = 0
    for one in _family(pid):
        lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        found += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return found / 1024


def _real_records(folder: Path, broker: str) -> None:
    """Write records of games that were really played at simulated tables."""
    with opened_club(folder / "other", broker) as club:
        table = HallTable(folder / "table", club.invitation.link, "Table")
        for number in range(RECORDS):
            table.play(f"Ann {number}", f"Ben {number}", loser=2, actions=20)
        for number, summary in enumerate(one for one in table.table.journal.games() if one.state == "finished"):
            lines = records.export(table.table.journal, summary.id)
            (folder / f"record-{number:02}.jsonl").write_text("".join(f"{line}\n" for line in lines))
        table.close()


def figures() -> list[tuple[str, float, str]]:
    """Return latencies, memory and processor time."""
    if MOSQUITTO is None:
        raise RuntimeError("mosquitto is not installed: tests/need-mosquitto")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, most), most))
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else None) as name:
        folder = Path(name)
        broker = RealBroker("mosquitto", folder, MOSQUITTO_LINES)
        try:
            _real_records(folder, broker.url)
            club = ClubProgram(folder / "club", broker.url)
            try:
                return _measured(folder, broker, club)
            finally:
                club.close()
        finally:
            broker.close()


def _measured(folder: Path, broker: RealBroker, club: ClubProgram) -> list[tuple[str, float, str]]:
    empty = _memory(club.process.pid)
    begun = time.monotonic()
    tables = _child("tables", club.invitation, str(folder), str(TABLES), str(MEASURED_S))
    try:
        assert tables.stdout is not None
        ready = json.loads(tables.stdout.readline())["ready"]
        until(lambda: len(club.get("/api/club")["tables"]) == TABLES, 60)
        known = time.monotonic()
        watchers = _child("watchers", club.url, str(WATCHERS), str(MEASURED_S + 6 - (known - ready)))
        assert watchers.stdout is not None
        watchers.stdout.readline()
        pids = (club.process.pid, broker.pid)
        before, at = [_spent(pid) for pid in pids], time.monotonic()
        sent = json.loads(tables.stdout.readline())["events"]
        spent = [(_spent(pid) - was) / (time.monotonic() - at) * 100 for pid, was in zip(pids, before, strict=True)]
        memory = [_memory(pid) for pid in pids]
        still = json.loads(watchers.stdout.readline())["open"]
        messages = json.loads(watchers.stdout.readline())["messages"]
        verified = len(club.get("/api/records"))
    finally:
        tables.kill()
        tables.wait()
    watchers.wait()
    taken, seen = _latencies(sent, messages)
    cuts = np.percentile(taken, [50, 99, 100])
    return [
        (f"tables at one broker, until the page has all of them ({TABLES})", known - begun, "s"),
        ("events in all, of all tables", len(sent), ""),
        ("of them on every watcher's page (at least: 99)", 100 * seen / len(sent), "%"),
        ("watchers whose stream is still open (at least: 1,000)", still, ""),
        ("an event at a table, on a watcher's page: p50", 1000 * cuts[0], "ms"),
        ("an event at a table, on a watcher's page: p99 (at most: 1,000)", 1000 * cuts[1], "ms"),
        ("an event at a table, on a watcher's page: longest", 1000 * cuts[2], "ms"),
        ("records verified and kept meanwhile (at least: 12)", verified, ""),
        ("the club: memory without a table", empty, "MB"),
        ("the club, and what verifies its records: memory (at most: 300)", memory[0], "MB"),
        ("the club, and what verifies its records: of one processor core", spent[0], "%"),
        ("Mosquitto: memory", memory[1], "MB"),
        ("Mosquitto: of one processor core", spent[1], "%"),
    ]


def _latencies(sent: Sequence[tuple[str, int, float]], messages: Sequence[tuple[str, list[float]]]) -> tuple[Any, int]:
    """Return all ways of events to watchers in seconds, and how many events have reached all watchers.

    An event that was overtaken within the same message by the next one of its table counts as that.
    """
    arrivals: dict[str, list[tuple[int, list[float]]]] = {}
    for text, times in messages:
        told: Mapping[str, Any] = json.loads(text)
        for table, view in told.get("tables", {}).items():
            arrivals.setdefault(table, []).append((view["turn"], times))
    found, seen = [], 0
    for table, turn, at in sent:
        times = next((those for shown, those in arrivals.get(table, ()) if 1000 <= turn <= shown), None)
        if times is not None:
            found.append(np.array(times) - at)
            seen += len(times) >= WATCHERS
    return np.concatenate(found), seen


def _child(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.extensions.club.bench_club", *arguments], stdout=subprocess.PIPE, text=True
    )


if __name__ == "__main__":
    if sys.argv[1] == "tables":
        run_tables(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
    else:
        asyncio.run(_watch(sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
