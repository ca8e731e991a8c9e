"""Whole games with tiles: computers play, a helpful hand moves the pieces, and real drivers read every sensor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.tables import SimulatedTable
from simulator.helper import Helper
from tests.sampling import cases
from tests.sensing.wells import CODED, PLAIN

MAX_TURN_S = 60.0
MAX_TURNS = 3000


def started(folder: Path, board: str, mode: str) -> tuple[SimulatedTable, Helper]:
    table = SimulatedTable(folder, board=board, mode=mode)
    runtime = table.runtime
    for seat in range(1, int(mode) + 1):
        runtime.submit(SeatTaken(at=runtime.now(), seat=seat, name=f"C{seat}", claim=f"c{seat}", computer=True))
    runtime.submit(GameStarted(at=runtime.now(), seed=1))
    table.wait(0.3)
    return table, Helper(table.hand, 0.05, clock=table.clock, lit_node=table.parts.lit_node)


def play_on(table: SimulatedTable, helper: Helper, turns: int = MAX_TURNS) -> dict[str, Any]:
    """Let them play so many turns, or to the end; return the view."""
    first: Any = table.view["turn"]
    turn, since = first, table.clock.now
    while True:
        view: dict[str, Any] = dict(table.view)
        if view["phase"] == "over" or view["turn"] - first >= turns:
            return view
        helper.attend(view["tasks"])
        helper.work()
        table.wait(0.06)
        if view["turn"] != turn:
            turn, since = view["turn"], table.clock.now
        assert table.clock.now - since < MAX_TURN_S, (view["message"], view["problem"], view["tasks"])


@pytest.mark.parametrize(("board", "mode"), cases([(CODED, "3"), (PLAIN, "4")], (CODED, "3")))
def test_a_game_for_a_while(tmp_path: Path, board: str, mode: str) -> None:
    table, helper = started(tmp_path, board, mode)
    view = play_on(table, helper, 20)
    assert view["notices"] == []
    assert view["turn"] > 20
    table.close()


@pytest.mark.thorough
@pytest.mark.parametrize(("board", "mode"), [(board, mode) for board in (CODED, PLAIN) for mode in ("2", "3", "4")])
def test_a_whole_game(tmp_path: Path, board: str, mode: str) -> None:
    table, helper = started(tmp_path, board, mode)
    view = play_on(table, helper)
    assert view["phase"] == "over"
    assert view["notices"] == []
    running = table.runtime._table
    assert running is not None
    lying = {node: tuple(stack) for node, stack in table.parts.world.stones().items()}
    assert lying == dict(running.ledger.now.placed), "what lies there is what the table took it for"
    table.close()


@pytest.mark.thorough
def test_a_game_goes_on_over_one_broken_sensor_in_each_well(tmp_path: Path) -> None:
    """Declared in the board file, each is made good by the other eight; what they read makes no difference."""
    folder = tmp_path / "boards"
    folder.mkdir()
    text = find_board("octiles-189").read_text()
    path = folder / "deaf.toml"
    deaf = [8 * well + well % 8 for well in range(17)]
    path.write_text(text.replace("scan_hz = 50", f"scan_hz = 50\ndeaf = {deaf}"))
    table, helper = started(tmp_path, str(path), "4")
    sensors = table.description.sensors()
    for number, channel in enumerate(deaf):
        node, place = sensors[channel]
        table.parts.world.set_fault("stuck-on" if number % 2 else "stuck-off", f"{node}/{place}")
    view = play_on(table, helper, 60)
    assert view["notices"] == []
    assert view["sensors"]["masked"] == {}
    table.close()
