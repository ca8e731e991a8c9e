"""Pieces that show the other colour's pole: one fault where all do, and no wires of two sensors are blamed for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest

from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from hw.ports import HardwareError, SensorBank
from lodestone.tables import SimulatedTable
from tests.bench_wires import position
from tests.sentences import is_in, sentence

SUSPECTED_S = 32.0
TURNED = {"polarity": lambda reading: (0, 2, 1, 3)[reading], "level": lambda reading: min(255, 256 - reading)}
"""What a sensor reads with its poles the other way round."""
EVERY = sentence("Every piece shows the pole")


class Turned:
    """Sensors of which some tell the poles the other way round."""

    def __init__(self, bank: SensorBank, kind: str, channels: Sequence[int]) -> None:
        self.channels, self.kind, self.close = bank.channels, bank.kind, bank.close
        self._bank, self._turned, self._turn = bank, frozenset(channels), TURNED[kind]

    def scan(self) -> Sequence[int]:
        return [self._turn(one) if at in self._turned else one for at, one in enumerate(self._bank.scan())]


Turn = Callable[..., SimulatedTable]


@pytest.fixture(params=["polarity", "level"])
def turned(request: pytest.FixtureRequest) -> Iterator[Turn]:
    """Return a function that starts a game with so many stones, and the sensors of these nodes (none: all) turned."""
    try:
        table = SimulatedTable(board="spokes-45", kind=request.param)
    except HardwareError as error:
        pytest.skip(str(error))

    def start(*nodes: str, stones: int = 0) -> SimulatedTable:
        wired = table.description.nodes
        which = [wired[node].channel for node in nodes or wired]
        table.board.sensors = Turned(table.board.sensors, request.param, which)
        for seat, name in ((1, "Ann"), (2, "Bob")):
            table.runtime.submit(SeatTaken(at=table.runtime.now(), seat=seat, name=name, claim=name, computer=False))
        table.wait(0.2)
        first = position(stones) if stones else None
        table.runtime.submit(GameStarted(at=table.runtime.now(), seed=1, position=first))
        table.wait(0.5)
        return table

    with closing(table):
        yield start


def told(table: SimulatedTable) -> tuple[Sequence[str], Sequence[Any]]:
    view: Any = table.view
    return list(view["notices"]), view["sensors"]["suspects"]


def place(table: SimulatedTable) -> None:
    table.seal({1: "wD12", 2: "bD9"})
    table.hand.put("D12", "w")
    table.wait(2)
    table.hand.put("D9", "b")
    table.wait(SUSPECTED_S)


def test_with_two_stones_either_all_poles_are_turned_or_two_sensors_exchanged(turned: Turn) -> None:
    """No reading tells which: the commoner cause is named first."""
    table = turned()
    place(table)
    (notice,), suspects = told(table)
    assert notice.startswith(EVERY)
    assert is_in("Or the two sensors are exchanged", notice)
    assert not suspects, "it is one fault"


def test_all_poles_turned_are_one_fault(turned: Turn) -> None:
    table = turned(stones=8)
    lying = table.runtime.table().watch.target
    assert len(lying) == 8
    for node, stack in lying.items():
        table.hand.put(node, stack[0])
        table.wait(0.2)
    table.wait(SUSPECTED_S)
    (notice,), suspects = told(table)
    assert notice.startswith(EVERY)
    assert not is_in("Or the two sensors are exchanged", notice)
    assert not suspects


def test_one_sensor_with_its_poles_turned_is_no_stuck_one(turned: Turn) -> None:
    table = turned("D12")
    place(table)
    notices, (suspect,) = told(table)
    assert not notices
    assert suspect["node"] == "D12"
    assert is_in("turn its magnet over", suspect["words"])


def test_two_pieces_in_each_others_place_are_no_turned_poles(turned: Turn) -> None:
    """Others lie right, so the poles are right: the wires of two sensors may be exchanged."""
    table = turned("D12", "D9", stones=8)
    table.set_up()
    table.wait(1)
    place(table)
    notices, suspects = told(table)
    assert not notices
    for suspect in suspects:
        assert is_in("the wires of the two sensors are exchanged: exchange them back", suspect["words"])
