"""Far tables: from an action that counts here to the light that asks for it there, through a real broker."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any

from firmware_host.extensions.rooms.membership import join, open_new
from firmware_host.extensions.rooms.room import Room
from firmware_host.link.broker import Broker
from firmware_host.link.common_log import RoomFile
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.tables import SimulatedTable
from tests.link.brokers import MOSQUITTO, RealBroker

ACTIONS = 60
ROUND_S = 0.02
PATIENCE_S = 20.0


class Side:
    """One table, in real time."""

    def __init__(self, folder: Path, url: str, name: str, link: str | None = None) -> None:
        folder.mkdir()
        self.table = SimulatedTable(folder, game="coil", kind="presence")
        kept = RoomFile(folder / "room.sqlite")
        if link is None:
            open_new(kept, url, name)
        else:
            join(kept, link, name)
        self.room = Room(kept, lambda room: Broker(url, room.subscription, room.will), "bench")
        self.table.clock.now = time.monotonic()
        self.table.runtime.enter_room(self.room)

    def step(self) -> None:
        """Do one round of the loop, at the present time."""
        self.table.clock.now = time.monotonic()
        self.table.runtime.step()


def _until(holds: Callable[[], Any], *sides: Side) -> float:
    """Let the loops run as they do until something holds; return when it did."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        for side in sides:
            side.step()
            if holds():
                return time.monotonic()
        time.sleep(ROUND_S / len(sides))  # The loops run as often as in the program.
    raise RuntimeError("; ".join(str(side.table.view["message"]) for side in sides))


def figures() -> list[tuple[str, float, str]]:
    """Return the latencies."""
    found: list[tuple[str, float, str]] = []
    for kind in ("own", "mosquitto") if MOSQUITTO else ("own",):
        with tempfile.TemporaryDirectory() as folder:
            broker = RealBroker(kind, Path(folder))
            try:
                found += _measured(kind, broker.url, Path(folder))
            finally:
                broker.close()
    return found


def _measured(kind: str, url: str, folder: Path) -> list[tuple[str, float, str]]:
    ada = Side(folder / "ada", url, "Ada")
    ben = Side(folder / "ben", url, "Ben", ada.room.invitation.link)
    both, rng, taken = (ada, ben), Random(1), list[float]()
    for seat, side in enumerate(both, 1):
        runtime = side.table.runtime
        _until(lambda: ben.table.view["game"]["id"] == ada.table.view["game"]["id"], *both)  # type: ignore[index]
        runtime.submit(SeatTaken(at=runtime.now(), seat=seat, name=f"Player {seat}", claim=f"c{seat}"))
    _until(lambda: all(len(side.table.runtime.table().ledger.sittings) == 2 for side in both), *both)
    ada.table.runtime.submit(GameStarted(at=ada.table.runtime.now()))
    _until(lambda: all(side.table.view["phase"] == "resolving" for side in both), *both)
    for number in range(ACTIONS):
        here, there = both if number % 2 == 0 else both[::-1]
        table = here.table.runtime.table()
        _until(lambda t=table: t.waits_for_tables is None, *both)
        move = rng.choice([step.moves[0] for step in table.game.steps(table.ledger.now.position) if step.moves])
        node = move.target or ""
        here.table.hand.put(node, move.pieces[0])
        counted = _until(lambda s=here, n=number: len(s.table.committed) > n, here)
        lit = _until(lambda s=there, n=node: s.table.view["tasks"] and any(s.table.pixel(n)), *both)
        taken.append(1000 * (lit - counted))
        task: Any = there.table.view["tasks"]
        there.table.hand.put(node, task[0]["piece"])
        _until(lambda s=there, n=number: len(s.table.committed) > n, *both)
    for side in both:
        side.room.close()
        side.table.close()
    cuts = quantiles(taken, n=100)
    name = "Mosquitto" if kind == "mosquitto" else "the table's own broker"
    return [
        (f"an action counts here, a light asks for it there: {name}, p50", cuts[49], "ms"),
        (f"an action counts here, a light asks for it there: {name}, p99 (at most: 100)", cuts[98], "ms"),
    ]
