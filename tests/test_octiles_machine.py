"""Octiles over the whole simulated machine: set-up by the lights, a demonstration's pace, tiles that go in and out."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.games.octiles.names import turning_words
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.tables import SimulatedTable
from simulator.helper import Helper
from tests.sampling import cases
from tests.sensing.wells import CODED, PLAIN

BOARDS = (PLAIN, CODED)


def started(folder: Path, board: str, mode: str, *, computers: bool) -> SimulatedTable:
    table = SimulatedTable(folder, board=board, mode=mode)
    runtime = table.runtime
    for seat in range(1, int(mode) + 1):
        runtime.submit(SeatTaken(at=runtime.now(), seat=seat, name=f"P{seat}", claim=f"c{seat}", computer=computers))
    runtime.submit(GameStarted(at=runtime.now(), seed=7))
    table.wait(0.3)
    return table


@pytest.mark.parametrize("board", BOARDS)
def test_three_players_lay_two_tiles_at_set_up_as_the_lights_say(tmp_path: Path, board: str) -> None:
    table = started(tmp_path, board, "3", computers=False)
    told = []
    while table.view["tasks"]:
        told.append(str(table.view["message"]))
        task = table.view["tasks"][0]  # type: ignore[index]
        table.hand.put(task["node"], task["piece"])
        table.wait(0.4)
    table.wait(0.5)
    assert table.view["phase"] == "resolving"
    tiles = [words for words in told if "put tile " in words]
    assert [words.partition(" on ")[2][:2] for words in tiles] == ["c1", "d1"]
    first = table.parts.world.stones()["c1"][0].split("r")
    turned = f", {turning_words(int(first[1]))}"
    assert tiles[0].startswith(f"Set the board up: put tile {first[0]}{turned} on c1 (1 more to follow).")
    table.close()


@pytest.mark.thorough
@pytest.mark.parametrize("board", cases(BOARDS, BOARDS[0]))
def test_a_demonstration_is_held_up_by_nothing_but_settling(tmp_path: Path, board: str) -> None:
    table = started(tmp_path, board, "2", computers=True)
    helper = Helper(table.hand, 0.02, clock=table.clock, lit_node=table.parts.lit_node)
    began = None
    while int(table.view["turn"] or 0) < 41:  # type: ignore[call-overload]
        began = began or (table.clock.now if table.view["phase"] == "resolving" else None)
        if table.view["phase"] == "resolving" and table.view["tasks"]:
            assert "thinking" not in str(table.view["message"]), "it is said what is to be done"
        helper.attend(table.view["tasks"])  # type: ignore[arg-type]
        helper.work()
        table.wait(0.02)
        assert table.clock.now < 400
    assert began is not None
    assert (table.clock.now - began) / 40 < 1.5, "seconds a turn"
    assert table.view["sensors"]["masked"] == {}  # type: ignore[index]
    table.close()


@pytest.mark.parametrize("board", BOARDS)
def test_a_tile_that_is_taken_out_and_laid_again_and_again_is_no_loose_wire(tmp_path: Path, board: str) -> None:
    table = started(tmp_path, board, "2", computers=False)
    for task in list(table.view["tasks"]):  # type: ignore[call-overload]
        table.hand.put(task["node"], task["piece"])
        table.wait(0.1)
    table.wait(1)
    for _ in range(8):
        table.hand.put("a2", "5r3")
        table.wait(0.3)
        table.hand.take_off("a2")
        table.wait(0.3)
    assert table.view["sensors"]["masked"] == {}  # type: ignore[index]
    table.close()
