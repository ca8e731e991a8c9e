"""The nine sensors of a well count as one: they become stable together, and are judged as one node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.sensing.debounce import DEBOUNCE_SCANS, Debouncer, Unread
from firmware_host.sensing.health import ScanHealth
from hw.ports import BoardDescription
from hw.tile_codes import PLACES, RING, TileCodes, sensed_tile
from simulator.faults import LINE_FAULTS
from tests.sensing.wells import bench, described, small

BOARD = small()
CODES = TileCodes({name: tile.ring for name, tile in BOARD.tiles.items()})
SENSED = [sensed_tile(tile, turn) for tile in BOARD.tiles for turn in range(RING)]
PERIOD = 0.02


def feed(
    eyes: Debouncer, readings: Sequence[int], times: int = DEBOUNCE_SCANS, at: float = 0.0
) -> list[tuple[str, str]]:
    return [seen for _ in range(times) for seen in eyes.feed(list(readings), at)]


def showing(board: BoardDescription, **sensed_states: str) -> list[int]:
    readings = [0] * board.channels
    for node, sensed in sensed_states.items():
        bits = CODES.bits(sensed) if board.nodes[node].ring else (1,)
        for channel, bit in zip(board.nodes[node].channels, bits, strict=True):
            readings[channel] = bit
    return readings


# -- debouncing ------------------------------------------------------------------------------------------------------


def test_a_tile_is_one_sensed_state() -> None:
    eyes = Debouncer(BOARD)
    assert feed(eyes, showing(BOARD, b3="7r5")) == [("b3", "7r5")]
    assert feed(eyes, showing(BOARD, b3="7r5", B3="x")) == [("B3", "x")]
    assert feed(eyes, showing(BOARD, b3="7r6", B3="x")) == [("b3", "7r6")]
    assert feed(eyes, showing(BOARD, c3="7r6")) == [("b3", ""), ("c3", "7r6"), ("B3", "")]


@given(
    sensed=st.sampled_from([sensed for sensed in SENSED if sum(CODES.bits(sensed)) == 4]),
    order=st.permutations(range(9)),
)
def test_what_is_read_while_a_tile_of_four_magnets_is_put_down_is_no_other_tile(sensed: str, order: list[int]) -> None:
    """Its magnets are detected one after another, each time for fewer scans than debouncing needs."""
    eyes = Debouncer(BOARD)
    bits = CODES.bits(sensed)
    felt: list[int] = [0] * BOARD.channels
    seen = []
    for place in order:
        felt[BOARD.nodes["b3"].channels[place]] = bits[place]
        seen += feed(eyes, felt, 1)
    seen += feed(eyes, felt)
    assert [one for one in seen if one != ("b3", "?")] == [("b3", sensed)], "each differs from the one before"
    assert seen[-1] == ("b3", sensed)


@settings(max_examples=60)
@given(sensed=st.sampled_from(["", *SENSED]), place=st.integers(0, PLACES - 1), says=st.booleans())
def test_no_broken_sensor_makes_one_tile_another_on_the_way_to_the_table(sensed: str, place: int, says: bool) -> None:
    parts, _, scan = bench(BOARD)
    parts.world.set_fault("stuck-on" if says else "stuck-off", "b3/middle" if place == RING else f"b3/{place}")
    if sensed:
        parts.world.put("b3", sensed)
    eyes, declared = (
        Debouncer(BOARD),
        Debouncer(replace(BOARD, disabled_channels=frozenset({BOARD.nodes["b3"].channels[place]}))),
    )
    for _ in range(6):
        readings = scan()
        list(eyes.feed(readings, 0.0))
        list(declared.feed(readings, 0.0))
    harmless = CODES.bits(sensed)[place] == says
    assert eyes.stable["b3"] == (sensed if harmless else "?")
    assert declared.stable["b3"] == sensed, "who knows which sensor is broken reads on without it"


def test_one_of_nine_that_flaps_is_named_by_its_channel() -> None:
    eyes = Debouncer(BOARD)
    still, moving = showing(BOARD, b3="7r5"), showing(BOARD, b3="7r5")
    moving[4] = 1 - moving[4]
    feed(eyes, still)
    for number in range(40):
        assert feed(eyes, moving if number % 2 else still, 1, at=number * PERIOD) == []
    assert eyes.flapping(0.8) == [("b3", (4,))]
    assert eyes.stable["b3"] == "7r5"
    eyes.ignore_sensor("b3", 4)
    assert feed(eyes, moving, 5, at=1.0) == [], "and it is read as before"
    assert feed(eyes, showing(BOARD, b3="9r1"), at=1.1) == [("b3", "9r1")]


def test_a_sensor_that_was_done_without_is_believed_when_it_has_read_both_ways_rightly() -> None:
    eyes = Debouncer(BOARD)
    eyes.ignore_sensor("b3", 0)

    def shown(sensed: str, place_reads: int) -> bool:
        readings = showing(BOARD, b3=sensed)
        readings[0] = place_reads
        feed(eyes, readings)
        assert eyes.stable["b3"] == sensed
        return eyes.readmit_sensors() == ["b3"]

    assert not shown("9r0", 0), "dead: tile 9 has a magnet there"
    assert not shown("", 0)
    assert not shown("9r4", 0), "rightly nothing"
    assert not shown("9r0", 0), "still dead"
    assert not shown("9r0", 1), "rightly something, for the first time"
    assert shown("", 0), "and nothing again"
    assert eyes.ignored["b3"] == set()
    assert feed(eyes, showing(BOARD, b3="9r4")) == [("b3", "9r4")]
    wrong = showing(BOARD, b3="9r4")
    wrong[0] = 1 - wrong[0]
    assert feed(eyes, wrong) == [("b3", "?")], "from now on it counts"


def test_a_sensor_declared_broken_stays_so() -> None:
    eyes = Debouncer(replace(BOARD, disabled_channels=frozenset({0})))
    for sensed in ("9r0", "", "9r4", "9r0"):
        feed(eyes, showing(BOARD, b3=sensed))
        assert eyes.readmit_sensors() == []
    assert eyes.ignored["b3"] == {0}


def test_a_tile_that_is_tapped_fast_does_not_flap() -> None:
    eyes = Debouncer(BOARD)
    for number in range(60):
        feed(eyes, showing(BOARD, b3="16r5") if number % 2 else showing(BOARD), 1, at=number * PERIOD)
    assert eyes.flapping(1.2) == []
    for number in range(60):
        feed(eyes, showing(BOARD, B3="x") if number % 2 else showing(BOARD), 1, at=2 + number * PERIOD)
    assert eyes.flapping(3.2) == [("B3", (18,))], "a node of one sensor has no others to tell by"


def test_a_well_read_as_no_tile_is_told_with_what_it_reads() -> None:
    eyes = Debouncer(BOARD)
    assert eyes.unread() == []
    wrong = showing(BOARD, b3="7r5")
    wrong[8 + 0] = 1
    assert feed(eyes, wrong, 2, at=5.0) == []
    assert eyes.unread() == [], "not yet"
    assert feed(eyes, wrong, 1, at=6.0) == [("b3", "7r5"), ("c3", "?")]
    assert eyes.unread() == [Unread("c3", (1, 0, 0, 0, 0, 0, 0, 0, 0), 5.0)]
    wrong[4] = 1 - wrong[4]
    assert feed(eyes, wrong, 3, at=7.0) == [("b3", "?")]
    assert eyes.unread()[0].before == "7r5", "what lay there lies there still"


# -- plausibility ----------------------------------------------------------------------------------------------------


def judged(health: ScanHealth, scans: Iterator[Sequence[int]], at: float = 10.0) -> list[bool]:
    return [health.judge(list(readings), at + number * PERIOD).trusted for number, readings in enumerate(scans)]


def test_hands_that_put_and_turn_tiles_are_believed() -> None:
    """A tile changes up to nine channels at once, and a turn moves its magnets to the next inputs."""
    health = ScanHealth(BOARD)
    scans = [
        showing(BOARD),
        showing(BOARD, b3="16r0"),
        showing(BOARD, b3="16r1"),
        showing(BOARD, b3="16r2", c3="1r0"),
        showing(BOARD, c3="1r3"),
        showing(BOARD, c3="1r4", B3="x"),
    ]
    assert all(judged(health, iter(scans)))


def full_board() -> tuple[BoardDescription, list[int]]:
    board = described()
    readings = [0] * board.channels
    wells = [name for name, node in board.nodes.items() if node.ring]
    for number, well in enumerate(wells):
        sensed = sensed_tile(str(number + 1), number % RING)
        for channel, bit in zip(board.nodes[well].channels, CODES.bits(sensed), strict=True):
            readings[channel] = bit
    for runner in ("A1", "A2", "B3", "F2", "F3"):
        readings[board.nodes[runner].channel] = 1
    return board, readings


def lying(board: BoardDescription, readings: Sequence[int]) -> set[str]:
    return {name for name, node in board.nodes.items() if any(readings[channel] for channel in node.channels)}


@pytest.mark.parametrize("fault", ["data-high", "data-low", "data-shifted", "chip-high", "chip-low"])
def test_a_broken_line_moves_no_tile(fault: str) -> None:
    """A line that loses a bit would turn every tile by an eighth, and each would still be a valid tile."""
    board, readings = full_board()
    health = ScanHealth(board, lambda: lying(board, readings))
    arriving = [1 - level for level in LINE_FAULTS[fault]([1 - bit for bit in readings], 1, None)]  # type: ignore[arg-type]
    assert health.judge(readings, 10.0).trusted
    found = [health.judge(arriving, 10.0 + number * PERIOD) for number in range(1, 60)]
    assert not any(one.trusted for one in found)
    troubles = [one.trouble for one in found if one.trouble]
    assert troubles
    if fault == "data-shifted":
        assert "shifted by one bit" in troubles[0]


def test_a_dead_half_of_the_chain_is_given_up_by_wells() -> None:
    board, readings = full_board()
    health = ScanHealth(board, lambda: lying(board, readings))
    assert health.judge(readings, 10.0).trusted
    arriving = [1 - level for level in LINE_FAULTS["chip-high"]([1 - bit for bit in readings], 1, None)]  # type: ignore[arg-type]
    broken = [one for number in range(1, 200) for one in health.judge(arriving, 10.0 + number * PERIOD).broken]
    assert len(broken) == 1
    assert len(broken[0].nodes) == len(set(broken[0].nodes)), "each well once"
    assert "c1" in broken[0].nodes
    assert "A1" in broken[0].nodes
    healed = [node for number in range(200, 230) for node in health.judge(readings, 10 + number * PERIOD).healed]
    assert sorted(healed) == sorted(broken[0].nodes)
