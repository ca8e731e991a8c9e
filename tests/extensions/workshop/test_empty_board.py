"""The empty board is judged by the whole time for which it is watched, and by the lights that were shown then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.workshop.checking import BAD, SHOW_S, SHOWN, UNPROVEN, BoardReport, LookWizard, rest_items
from firmware_host.table.lights import WHITE
from hw.ports import BoardDescription, Colour
from tests.sentences import sentence

Readings = Callable[[float, Colour], list[int]]
RED = SHOWN["red"]


def watched(board: BoardDescription, readings: Readings) -> BoardReport:
    """Return the report on an empty board that reads so at a time, under the colour that is shown then."""
    look, at = LookWizard(board), 0.0
    while not look.is_done:
        look.feed(readings(at, look.colour), at)
        at += 0.02
    assert at >= SHOW_S * len(SHOWN)
    return BoardReport(board, rest_items(board, look.touch))


def bad(report: BoardReport) -> dict[str, str]:
    return {item.name: item.text for item in report.items if item.state == BAD}


def spokes(kind: str = "presence") -> BoardDescription:
    return load_board(find_board("spokes-45"), backend="sim", kind=kind)


def some(*channels: int, quiet: int = 0, felt: int = 1) -> list[int]:
    return [felt if channel in channels else quiet for channel in range(45)]


@pytest.mark.parametrize(("colour", "name"), [(WHITE, "white"), (RED, "red")])
def test_sensors_that_answer_with_the_lights_are_not_blamed(colour: Colour, name: str) -> None:
    report = watched(spokes(), lambda _, shown: some(*range(45)) if shown == colour else some())
    words = sentence("readings change with the lights", count=45, colours=name)
    assert bad(report) == {"lights and sensors": words}
    assert {item.state for item in report.items if item.part == "sensor"} == {UNPROVEN}


def test_sensors_that_answer_with_the_first_lights_are_not_stuck() -> None:
    under = (RED, SHOWN["green"])
    report = watched(spokes(), lambda _, shown: some(*range(45)) if shown in under else some())
    assert list(bad(report)) == ["lights and sensors"]


def test_levels_that_sink_with_the_lights_are_told() -> None:
    board = spokes("level")
    report = watched(board, lambda _, shown: some(quiet=112) if shown == WHITE else some(quiet=128))
    assert bad(report) == {"lights and sensors": sentence("readings change with the lights", count=45, colours="white")}


def test_a_sensor_that_closes_later_is_named() -> None:
    report = watched(spokes(), lambda at, _: some(7) if at > 0.7 else some())
    assert list(bad(report)) == ["C3"]
    assert bad(report)["C3"].startswith("channel 7 answered while nothing lay there (lights: green, blue, white")


def test_one_or_two_that_answer_under_one_light_have_loose_contacts() -> None:
    report = watched(spokes(), lambda _, shown: some(7, 9) if shown == WHITE else some())
    assert sorted(bad(report)) == ["C3", "C5"]
    assert "(lights: white)" in bad(report)["C3"]


def test_a_chip_that_fails_later_is_named() -> None:
    report = watched(spokes(), lambda at, _: some(*range(8, 16)) if at > 1.0 else some())
    assert bad(report)["wiring"].startswith("chip 2 of 6 reads a stone everywhere")
    assert "lights and sensors" not in bad(report)


def test_a_moment_s_reading_is_no_answer() -> None:
    report = watched(spokes(), lambda at, _: some(3) if 1.0 < at < 1.05 else some())
    assert bad(report) == {}


def test_a_part_that_sleeps_does_not_answer_under_the_next_light() -> None:
    """A DRV5032 measures every 75 ms at most: it shows what it felt that long."""
    shown_before: list[Colour] = []

    def late(at: float, shown: Colour) -> list[int]:
        shown_before.append(shown)
        return some(*range(45)) if shown_before[-4:][0] == WHITE else some()

    report = watched(spokes(), late)
    assert bad(report) == {"lights and sensors": sentence("readings change with the lights", count=45, colours="white")}
