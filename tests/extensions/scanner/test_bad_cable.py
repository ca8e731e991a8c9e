"""A table whose sensors are behind a cable: a loss is named, and play continues where it stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hw.ports import HardwareError, Message
from lodestone.tables import SimulatedTable
from tests.extensions.scanner.cable import Cable
from tests.extensions.scanner.faulty_cable import cable_evening
from tests.sampling import cases
from tests.schemes import needs
from tests.session.test_runtime import kinds, seal, sit

pytestmark = pytest.mark.slow


@pytest.fixture(params=[False, True], ids=["snapshots", "changes"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path)
    here.board.sensors.close()
    here.board.sensors = Cable(here.parts.world, here.clock, Random(7), changes=request.param)
    here.wait(0.3)
    sit(here)
    yield here
    here.close()


def cable(table: SimulatedTable) -> Cable:
    assert isinstance(table.board.sensors, Cable)
    return table.board.sensors


def turn(table: SimulatedTable, number: int, white: str, black: str) -> None:
    """Play one turn of placements that the lights ask for, without moves."""
    seal(table, {1: f"w{white}", 2: f"b{black}"})
    table.hand.put(white, "w")
    table.wait(0.4)
    table.hand.put(black, "b")
    table.wait(1.5)
    assert (table.view["phase"], table.view["turn"]) == ("sealing", number + 1), table.view["message"]


def test_a_turn_over_a_good_cable(table: SimulatedTable) -> None:
    turn(table, 1, "D12", "B3")
    assert cable(table).link.counters.losses == 0


def test_unplugged_for_five_seconds_while_stones_move(table: SimulatedTable) -> None:
    turn(table, 1, "D12", "B3")
    before = kinds(table)
    cable(table).fault = "unplugged"
    table.wait(0.7)
    assert "unplugged" in str(table.view["standstill"]) or "is it plugged in" in str(table.view["standstill"])
    assert "Play stands still" in str(table.view["message"])
    table.hand.lift("D12")  # Somebody trips over the cable and knocks a stone off.
    table.wait(5)
    cable(table).end.reboot()
    cable(table).fault = ""
    table.wait(2)
    assert table.view["standstill"] is None
    assert kinds(table) == before, "nothing was committed"
    lights: Any = table.view["lights"]
    assert "D12" in lights, "the lights ask for the stone that is missing"
    table.hand.put("D12")
    table.wait(1)
    turn(table, 2, "D1", "D9")


def test_a_scanner_that_reboots_within_a_turn_is_not_even_missed(table: SimulatedTable) -> None:
    seal(table, {1: "wD12", 2: "bB3"})
    table.hand.put("D12", "w")
    table.wait(0.1)
    cable(table).end.reboot()
    table.wait(0.1)
    table.hand.put("B3", "b")
    table.wait(2)
    assert (table.view["phase"], table.view["turn"]) == ("sealing", 2)
    assert cable(table).link.counters.reboots == 1
    assert cable(table).link.counters.losses == 0


def test_a_silent_scanner_is_named_within_a_second(table: SimulatedTable) -> None:
    cable(table).fault = "silent"
    table.wait(0.7)
    assert "silent for 0.5 s" in str(table.view["standstill"])
    table.wait(5)
    assert "scanner" in str(table.view["standstill"])
    cable(table).fault = ""
    table.wait(2)
    turn(table, 1, "D12", "B3")


def test_one_bad_byte_in_a_hundred_is_not_even_seen(table: SimulatedTable) -> None:
    cable(table).fault = "bad-cable"
    table.wait(5)
    for number, (white, black) in enumerate((("D12", "B3"), ("D1", "D9"), ("D3", "D5")), 1):
        turn(table, number, white, black)
    assert kinds(table).count("reveal") == 3
    assert cable(table).link.counters.dropped > 20
    assert table.view["standstill"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "changes"),
    cases(
        [(kind, changes) for kind in ("presence", "polarity", "level") for changes in (False, True)],
        ("presence", True),
    ),
)
def test_an_evening_over_a_bad_cable_commits_nothing_wrong(tmp_path: Path, kind: str, changes: bool) -> None:
    """A short version of the figure in `make bench` (bench_cable.py)."""
    account = cable_evening(tmp_path, 15, kind=kind, mode="2", seed=3, changes=changes)
    assert (account.wrong, account.stuck) == ([], [])
    assert account.turns == 15
    assert sum(account.faults.values()) > 3


@pytest.mark.parametrize(
    ("fault", "node", "words"),
    cases(
        [
            ("lost", None, "silent for"),
            ("spikes", None, "no hand"),
            ("flapping", "B1", "flapping"),
        ],
        ("lost", None, "silent for"),
    ),
)
def test_what_breaks_behind_a_scanner_is_seen_on_the_table_s_own_clock(
    tmp_path: Path, fault: str, node: str | None, words: str
) -> None:
    """Of a shipped board: the scanner of the kit runs on the clock that the test moves."""
    with closing(SimulatedTable(tmp_path, board="spokes-45-serial", seats=["Ann", "Bob"])) as table:
        table.wait(1)
        table.parts.world.set_fault(fault, node)
        table.wait(8)
        view: Any = table.view
        assert words in " ".join([view["standstill"] or "", *view["notices"], *view["sensors"]["masked"].values()])
        table.parts.world.clear_faults()
        table.wait(12)
        assert (table.view["standstill"], table.view["notices"]) == (None, [])


@needs("mcp23017")
def test_a_message_lost_in_a_hundred_costs_a_scan_and_no_pause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Error 121 on a long I2C bus with many chips."""
    with closing(
        SimulatedTable(tmp_path, game="spokes", kind="presence", scheme="mcp23017", seats=["Ann", "Bob"])
    ) as table:
        bank, random, paused = table.board.sensors, Random(5), 0
        read = bank.scan

        def sometimes() -> Sequence[int]:
            if random.random() < 0.08:  # One in a hundred messages, of eight chips.
                raise HardwareError(Message("chip {address} does not answer", address="0x20"))
            return read()

        monkeypatch.setattr(bank, "scan", sometimes)
        for _ in range(60):
            table.wait(0.5)
            paused += table.view["standstill"] is not None
        assert paused == 0
        turn(table, 1, "D12", "B3")
