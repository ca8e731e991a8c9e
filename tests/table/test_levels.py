"""Level sensors that differ from each other: each by its own calibration, and the table knows where it can't tell."""

from __future__ import annotations

import dataclasses

import pytest

from firmware_host.debounce import Debouncer
from firmware_host.levels import scale, strengths
from firmware_host.table.senses import Senses
from hw.ports import LevelBands, NodeLevels
from tests.boards import simulated

USUAL = NodeLevels(rest=128, north=203, south=53, stack=168)
TURNED = NodeLevels(rest=120, north=60, south=180, stack=90)
WEAK = NodeLevels(rest=140, north=170, south=110, stack=158)


@pytest.mark.parametrize("levels", [USUAL, TURNED, WEAK])
def test_every_sensor_is_understood_by_its_own_calibration(levels: NodeLevels) -> None:
    found = scale(levels, LevelBands())
    assert found.sight(levels.rest) == ""
    assert found.sight(levels.north) == "N"
    assert found.sight(levels.south) == "S"
    assert found.sight(levels.stack) == "N<"
    like = strengths(levels)["N"].like * (1 if levels.north > levels.rest else -1)
    assert found.sight(round(levels.rest + like)) == "N>"


def test_without_calibration_the_bands_of_the_board_count() -> None:
    found = scale(None, LevelBands(rest=10, single=30, double=60))
    assert [found.sight(128 + away) for away in (0, 9, 20, 40, 70, -20)] == ["", "", "N<", "N", "N>", "S<"]


def test_where_bands_overlap_only_the_pole_is_told() -> None:
    found = scale(dataclasses.replace(WEAK, stacks=False), LevelBands())
    assert {found.sight(reading) for reading in range(160, 200)} == {"N"}
    senses = Senses("level", {"w": "N", "b": "S"}, frozenset({"B1"}))
    assert senses.at("A1").tells(("w",), ("w", "b"))
    assert not senses.at("B1").tells(("w",), ("w", "b"))
    assert senses.at("B1").fits(("w", "b"), "N")


def test_a_calibrated_board_feels_what_a_weak_magnet_does() -> None:
    parts = simulated("level")
    board = dataclasses.replace(parts.description, calibration={"B1": WEAK})
    readings = [128] * len(board.nodes)
    readings[board.nodes["B1"].channel] = WEAK.rest
    feel = Debouncer(board)
    assert [change for _ in range(5) for change in feel.feed(list(readings), 0.0)] == []
    readings[board.nodes["B1"].channel] = WEAK.north
    assert [change for _ in range(5) for change in feel.feed(list(readings), 0.0)] == [("B1", "N")]
