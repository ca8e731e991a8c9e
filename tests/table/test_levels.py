"""Level sensors that differ from each other: each by its own calibration, and the table knows where it can't tell."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from firmware_host.sensing.debounce import Debouncer, scale, strengths
from firmware_host.table.sensor_model import SensorModel
from firmware_host.table.state import Table
from hw.ports import LevelBands, NodeLevels
from lodestone.boards import simulated
from lodestone.evening import Evening
from simulator.stones import SHARES, STONE_FIELD

USUAL = NodeLevels(rest=128, north=203, south=53, stack=168)
TURNED = NodeLevels(rest=120, north=60, south=180, stack=90)
WEAK = NodeLevels(rest=140, north=170, south=110, stack=158)


@pytest.mark.parametrize("levels", [USUAL, TURNED, WEAK])
def test_every_sensor_is_understood_by_its_own_calibration(levels: NodeLevels) -> None:
    found = scale(levels, LevelBands())
    assert found.sensed_state(levels.rest) == ""
    assert found.sensed_state(levels.north) == "N"
    assert found.sensed_state(levels.south) == "S"
    assert found.sensed_state(levels.stack) == "N<"
    like = strengths(levels)["N"].like * (1 if levels.north > levels.rest else -1)
    assert found.sensed_state(round(levels.rest + like)) == "N>"


def test_without_calibration_the_bands_of_the_board_count() -> None:
    found = scale(None, LevelBands(rest=10, single=30, double=60))
    assert [found.sensed_state(128 + away) for away in (0, 9, 20, 40, 70, -20)] == ["", "", "N<", "N", "N>", "S<"]


def test_where_bands_overlap_only_the_pole_is_told() -> None:
    found = scale(dataclasses.replace(WEAK, stacks=False), LevelBands())
    assert {found.sensed_state(reading) for reading in range(160, 200)} == {"N"}
    model = SensorModel("level", {"w": "N", "b": "S"}, frozenset({"B1"}))
    assert model.tells("A1", ("w",), ("w", "b"))
    assert not model.tells("B1", ("w",), ("w", "b"))
    assert model.fits("B1", ("w", "b"), "N")


def test_a_calibrated_board_feels_what_a_weak_magnet_does() -> None:
    # Of a board that any scheme reads: what wires its levels is an extension's.
    board = dataclasses.replace(simulated("presence").description, kind="level", calibration={"B1": WEAK})
    readings = [128] * len(board.nodes)
    readings[board.nodes["B1"].channel] = WEAK.rest
    feel = Debouncer(board)
    assert [change for _ in range(5) for change in feel.feed(list(readings), 0.0)] == []
    readings[board.nodes["B1"].channel] = WEAK.north
    assert [change for _ in range(5) for change in feel.feed(list(readings), 0.0)] == [("B1", "N")]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_what_is_taken_of_a_stack_is_what_its_field_gives_in_any_order(count: int) -> None:
    model, found = SensorModel("level", {"w": "N", "b": "S"}), scale(None, LevelBands())
    for order in itertools.product("wb", repeat=count):
        field = sum(share * (1 if piece == "w" else -1) for piece, share in zip(order, SHARES, strict=False))
        sensed = found.sensed_state(128 + round(STONE_FIELD * field))
        too_weak = len(set(order[1:])) == 1 and len(order) == 4 and order[0] != order[1]
        assert model.fits("A1", tuple(sorted(order)), sensed) or (too_weak and not sensed), (order, sensed)


def test_a_lone_stone_is_no_stack_of_three() -> None:
    model = SensorModel("level", {"w": "N", "b": "S"})
    assert model.tells("A1", ("b",), ("b", "w", "w"))
    assert model.tells("A1", ("b",), ("b", "w", "w", "w"))
    assert not model.tells("A1", ("b",), ("b", "b", "w", "w")), "black below and white above: that has to be asked"


class BlurredEvening(Evening):
    """An evening on a board of levels with some nodes where stacks can't be told from stones."""

    ambiguous_stacks: frozenset[str] = frozenset()

    def sensed(self, node: str) -> str:
        return super().sensed(node)[:1] if node in self.ambiguous_stacks else super().sensed(node)


@pytest.mark.parametrize("ambiguous_stacks", [frozenset(), frozenset({"B1"}), frozenset({"C1"})])
def test_the_table_asks_only_where_it_cannot_tell(ambiguous_stacks: frozenset[str]) -> None:
    evening = BlurredEvening("spokes", "2", "level")
    evening.ambiguous_stacks = ambiguous_stacks
    evening.table = Table(evening.game, "g1", "2", kind="level", ambiguous_stacks=ambiguous_stacks)
    evening.sit_and_start()
    evening.seal_all({1: "wB1", 2: "bB1"})
    evening.put("B1", "w")
    evening.wait(0.4)
    asked = evening.table.watch.unseen_stacks()
    assert asked == (("B1",) if "B1" in ambiguous_stacks else ())
    evening.put("B1", "b")
    evening.wait(0.4)
    assert (evening.phase == "placing") == bool(asked), "what is seen for sure is not waited for"
    if asked:
        evening.lift("B1", 2)
        evening.wait(0.3)
        evening.put("B1")
        evening.wait(0.3)
    assert evening.phase != "placing"
