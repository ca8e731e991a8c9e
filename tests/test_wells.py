"""Nine sensors of a well read as one: settled together, judged by nodes, and what is said of a sensor that lies."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.debounce import DEBOUNCE_SCANS, Debouncer, Unread
from firmware_host.eyes import Eyes
from firmware_host.scan_health import ScanHealth
from firmware_host.table import events as ev
from firmware_host.table.table import Table
from firmware_host.tile_codes import PLACES, RING, TileCodes, sight_of
from firmware_host.wells import UNREAD_S, faults_of, unread_words
from hw.ports import BoardDescription, OpenBoard
from simulator.board import SimulatedBoard
from simulator.faults import LINE_FAULTS
from simulator.hand import Hand
from tests.boards import Clock
from tests.wells import bench, described, small

BOARD = small()
CODES = TileCodes({name: tile.ring for name, tile in BOARD.tiles.items()})
SIGHTS = [sight_of(tile, turn) for tile in BOARD.tiles for turn in range(RING)]
PERIOD = 0.02


def feed(
    eyes: Debouncer, readings: Sequence[int], times: int = DEBOUNCE_SCANS, at: float = 0.0
) -> list[tuple[str, str]]:
    return [seen for _ in range(times) for seen in eyes.feed(list(readings), at)]


def showing(board: BoardDescription, **sights: str) -> list[int]:
    readings = [0] * board.channels
    for node, sight in sights.items():
        bits = CODES.bits(sight) if board.nodes[node].ring else (1,)
        for channel, bit in zip(board.nodes[node].channels, bits, strict=True):
            readings[channel] = bit
    return readings


# -- debouncing ------------------------------------------------------------------------------------------------------


def test_a_tile_is_one_sight() -> None:
    eyes = Debouncer(BOARD)
    assert feed(eyes, showing(BOARD, b3="7r5")) == [("b3", "7r5")]
    assert feed(eyes, showing(BOARD, b3="7r5", B3="x")) == [("B3", "x")]
    assert feed(eyes, showing(BOARD, b3="7r6", B3="x")) == [("b3", "7r6")]
    assert feed(eyes, showing(BOARD, c3="7r6")) == [("b3", ""), ("c3", "7r6"), ("B3", "")]


@given(
    sight=st.sampled_from([sight for sight in SIGHTS if sum(CODES.bits(sight)) == 4]), order=st.permutations(range(9))
)
def test_what_is_read_while_a_tile_of_four_magnets_is_put_down_is_no_other_tile(sight: str, order: list[int]) -> None:
    """Its magnets are felt one after the other, for less than so many scans each time."""
    eyes = Debouncer(BOARD)
    bits = CODES.bits(sight)
    felt: list[int] = [0] * BOARD.channels
    seen = []
    for place in order:
        felt[BOARD.nodes["b3"].channels[place]] = bits[place]
        seen += feed(eyes, felt, 1)
    seen += feed(eyes, felt)
    assert [one for one in seen if one != ("b3", "?")] == [("b3", sight)], "each differs from the one before"
    assert seen[-1] == ("b3", sight)


@settings(max_examples=60)
@given(sight=st.sampled_from(["", *SIGHTS]), place=st.integers(0, PLACES - 1), says=st.booleans())
def test_no_broken_sensor_makes_one_tile_another_on_the_way_to_the_table(sight: str, place: int, says: bool) -> None:
    parts, _, scan = bench(BOARD)
    parts.world.set_fault("stuck-on" if says else "stuck-off", "b3/middle" if place == RING else f"b3/{place}")
    if sight:
        parts.world.put("b3", sight)
    eyes, declared = Debouncer(BOARD), Debouncer(replace(BOARD, deaf=frozenset({BOARD.nodes["b3"].channels[place]})))
    for _ in range(6):
        readings = scan()
        list(eyes.feed(readings, 0.0))
        list(declared.feed(readings, 0.0))
    harmless = CODES.bits(sight)[place] == says
    assert eyes.stable["b3"] == (sight if harmless else "?")
    assert declared.stable["b3"] == sight, "who knows which sensor is broken reads on without it"


def test_one_of_nine_that_flaps_is_named_by_its_channel() -> None:
    eyes = Debouncer(BOARD)
    still, moving = showing(BOARD, b3="7r5"), showing(BOARD, b3="7r5")
    moving[4] = 1 - moving[4]
    feed(eyes, still)
    for number in range(40):
        assert feed(eyes, moving if number % 2 else still, 1, at=number * PERIOD) == []
    assert eyes.flapping(0.8) == [("b3", (4,))]
    assert eyes.stable["b3"] == "7r5"
    eyes.do_without("b3", 4)
    assert feed(eyes, moving, 5, at=1.0) == [], "and it is read as before"
    assert feed(eyes, showing(BOARD, b3="9r1"), at=1.1) == [("b3", "9r1")]


def test_a_sensor_that_was_done_without_is_believed_when_it_has_read_both_ways_rightly() -> None:
    eyes = Debouncer(BOARD)
    eyes.do_without("b3", 0)

    def shown(sight: str, place_reads: int) -> bool:
        readings = showing(BOARD, b3=sight)
        readings[0] = place_reads
        feed(eyes, readings)
        assert eyes.stable["b3"] == sight
        return eyes.recovered() == ["b3"]

    assert not shown("9r0", 0), "dead: tile 9 has a magnet there"
    assert not shown("", 0)
    assert not shown("9r4", 0), "rightly nothing"
    assert not shown("9r0", 0), "still dead"
    assert not shown("9r0", 1), "rightly something, for the first time"
    assert shown("", 0), "and nothing again"
    assert eyes.deaf["b3"] == set()
    assert feed(eyes, showing(BOARD, b3="9r4")) == [("b3", "9r4")]
    wrong = showing(BOARD, b3="9r4")
    wrong[0] = 1 - wrong[0]
    assert feed(eyes, wrong) == [("b3", "?")], "from now on it counts"


def test_a_sensor_declared_broken_stays_so() -> None:
    eyes = Debouncer(replace(BOARD, deaf=frozenset({0})))
    for sight in ("9r0", "", "9r4", "9r0"):
        feed(eyes, showing(BOARD, b3=sight))
        assert eyes.recovered() == []
    assert eyes.deaf["b3"] == {0}


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


# -- is the scan to be believed? -------------------------------------------------------------------------------------


def judged(health: ScanHealth, scans: Iterator[Sequence[int]], at: float = 10.0) -> list[bool]:
    return [health.judge(list(readings), at + number * PERIOD).trusted for number, readings in enumerate(scans)]


def test_hands_that_put_and_turn_tiles_are_believed() -> None:
    """A tile changes up to nine channels at once, and turned it moves its magnets to the next inputs."""
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
        sight = sight_of(str(number + 1), number % RING)
        for channel, bit in zip(board.nodes[well].channels, CODES.bits(sight), strict=True):
            readings[channel] = bit
    for runner in ("A1", "A2", "B3", "F2", "F3"):
        readings[board.nodes[runner].channel] = 1
    return board, readings


def lying(board: BoardDescription, readings: Sequence[int]) -> set[str]:
    return {name for name, node in board.nodes.items() if any(readings[channel] for channel in node.channels)}


@pytest.mark.parametrize("fault", ["data-high", "data-low", "data-shifted", "chip-high", "chip-low"])
def test_a_broken_line_moves_no_tile(fault: str) -> None:
    """A line that loses a bit would turn every tile by an eighth: each still a whole tile."""
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


# -- what is said ----------------------------------------------------------------------------------------------------


class Ledger:
    started, over = True, False
    game, now = None, Mock()

    def __init__(self) -> None:
        self.masked: dict[str, str] = {}


class Watch:
    def __init__(self) -> None:
        self.target: dict[str, tuple[str, ...]] = {}


class Seat:
    """As much of a table as the eyes look at."""

    def __init__(self) -> None:
        self.ledger, self.watch = Ledger(), Watch()


class Looking:
    """Eyes over a simulated board."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.parts = SimulatedBoard(BOARD, self.clock)
        self.table = Seat()
        board = OpenBoard(self.parts.sensors(), self.parts.strip(), BOARD)
        self.eyes = Eyes(board, lambda: cast(Table, self.table))
        self.hand = Hand(self.parts.world, sleep=lambda _: None)

    def look(self, seconds: float) -> list[ev.Event]:
        found = []
        for _ in range(round(seconds / PERIOD)):
            self.clock.now += PERIOD
            for event in self.eyes.look(self.clock.now):
                found.append(event)
                if isinstance(event, ev.SensorMasked):
                    self.table.ledger.masked[event.node] = event.reason
        return found


def noticed(events: Sequence[ev.Event]) -> list[tuple[str, str | None]]:
    return [(event.what, event.text) for event in events if isinstance(event, ev.Noticed)]


def test_a_dead_sensor_is_named_where_the_tile_is_known() -> None:
    here = Looking()
    here.parts.world.put("b3", "9r0")
    here.table.watch.target = {"b3": ("9r0",)}
    assert noticed(here.look(1)) == []
    here.parts.world.set_fault("stuck-off", "b3/1")
    events = here.look(UNREAD_S + 2)
    assert [event.sight for event in events if isinstance(event, ev.SensorChanged)] == ["?"]
    ((what, text),) = noticed(events)
    assert what == "well b3"
    assert text is not None
    assert "b3, ring sensor 1 (channel 1) feels nothing where tile 9 has a magnet" in text
    here.parts.world.clear_faults()
    events = here.look(2)
    assert [event.sight for event in events if isinstance(event, ev.SensorChanged)] == ["9r0"]
    assert noticed(events) == [("well b3", None)]


def test_a_well_at_which_hands_work_is_not_spoken_of() -> None:
    here = Looking()
    here.look(1)
    for _ in range(4):
        here.parts.world.put("b3", "1r0")
        here.parts.world.put("b3", "3r0")
        assert noticed(here.look(0.8)) == []
        here.hand.take_off("b3")
        here.hand.take_off("b3")
        assert noticed(here.look(0.8)) == []


def test_one_flapping_sensor_of_nine_is_done_without_and_a_second_masks_the_well() -> None:
    here = Looking()
    here.parts.world.put("c3", "12r3")
    here.look(1)
    here.parts.world.set_fault("flapping", "c3/6")
    events = here.look(4)
    ((what, text),) = noticed(events)
    assert (what, text) == (
        "sensor c3",
        "c3, ring sensor 6 (channel 14) is done without, as the other eight tell what it should read: "
        "look for a loose wire or joint, or a magnet that is lost.",
    )
    here.hand.take_off("c3")
    here.parts.world.put("c3", "2r7")
    events = here.look(2)
    assert [e.sight for e in events if isinstance(e, ev.SensorChanged)][-1] == "2r7"
    here.parts.world.set_fault("flapping", "c3/middle")
    events = here.look(4)
    (mask,) = [event for event in events if isinstance(event, ev.SensorMasked)]
    assert mask.node == "c3"
    assert "c3, ring sensor 6 (channel 14) and c3, middle sensor (channel 17)" in mask.reason


def test_a_well_that_people_play_on_without_is_read_again_without_its_one_broken_sensor() -> None:
    here = Looking()
    here.parts.world.put("b3", "9r0")
    here.table.watch.target = {"b3": ("9r0",)}
    here.look(1)
    here.parts.world.set_fault("stuck-off", "b3/1")
    here.look(UNREAD_S + 1)
    here.table.ledger.masked["b3"] = "Ann says so"
    events = here.look(3)
    assert [event.sight for event in events if isinstance(event, ev.SensorChanged)] == ["9r0"]
    (unmasked,) = [event for event in events if isinstance(event, ev.SensorUnmasked)]
    assert unmasked.node == "b3"
    assert events.index(unmasked) > [isinstance(event, ev.SensorChanged) for event in events].index(True)
    del here.table.ledger.masked["b3"]
    assert sorted(what for what, _ in noticed(events)) == ["sensor b3", "well b3"]
    here.hand.take_off("b3")
    here.parts.world.put("b3", "2r5")
    assert [e.sight for e in here.look(1) if isinstance(e, ev.SensorChanged)][-1] == "2r5"


def test_a_well_that_is_wrong_in_several_places_stays_as_people_say() -> None:
    here = Looking()
    here.parts.world.put("b3", "9r0")
    here.table.watch.target = {"b3": ("9r0",)}
    here.look(1)
    here.parts.world.set_fault("stuck-off", "b3/1")
    here.parts.world.set_fault("stuck-on", "b3/6")
    here.parts.world.set_fault("stuck-on", "b3/5")
    here.look(1)
    here.table.ledger.masked["b3"] = "Ann says so"
    assert not any(isinstance(event, ev.SensorUnmasked) for event in here.look(4))


def test_a_flapping_node_of_one_sensor_is_masked_as_ever() -> None:
    here = Looking()
    here.parts.world.set_fault("flapping", "B3")
    events = here.look(4)
    (mask,) = [event for event in events if isinstance(event, ev.SensorMasked)]
    assert (mask.node, mask.reason) == ("B3", "flapping (channel 18): look for a loose wire or joint")


def test_a_new_table_hears_what_was_said() -> None:
    here = Looking()
    here.parts.world.set_fault("stuck-on", "b3/4")
    said = noticed(here.look(UNREAD_S + 2))
    assert len(said) == 1
    assert noticed(list(here.eyes.standing(here.clock.now))) == said


@pytest.mark.parametrize(
    ("bits", "expected", "words"),
    [
        ((0, 0, 0, 0, 1, 0, 0, 0, 0), (), "only b3, ring sensor 4 (channel 4) feels something. Look whether something"),
        ((0, 0, 0, 0, 0, 0, 0, 0, 1), ("1r0",), "only b3, middle sensor (channel 16) feels something. A round piece"),
        ((1, 1, 1, 1, 1, 0, 0, 0, 0), ("1r0",), "ring sensor 4 (channel 4) feels something where tile 1 has no magnet"),
        ((1, 1, 0, 1, 0, 0, 0, 0, 0), ("1r0",), "ring sensor 2 (channel 2) feels nothing where tile 1 has a magnet"),
        ((1, 1, 1, 1, 1, 0, 1, 0, 0), ("1r0",), "6 of nine sensors feel something. Look whether one tile lies there"),
        ((1, 1, 1, 1, 1, 1, 1, 1, 0), ("1r0",), "whole ring feels something. Look at what reads the channels 0, 1, 2,"),
        ((1, 1, 1, 1, 1, 0, 1, 0, 0), ("1r0", "2r0"), "6 of nine sensors feel something. Look whether one tile"),
        ((1, 1, 1, 1, 1, 0, 0, 0, 0), ("w",), "5 of nine sensors feel something. Look whether one tile lies there"),
    ],
)  # fmt: skip
def test_words(bits: tuple[int, ...], expected: tuple[str, ...], words: str) -> None:
    found = Unread("b3", bits, 0.0)
    text = unread_words(BOARD, found, faults_of(CODES, found, expected))
    assert text.startswith("b3 reads no whole tile: ")
    assert words in text


def test_every_single_fault_on_a_known_tile_is_blamed_on_the_right_sensor() -> None:
    for sight, place in itertools.product(SIGHTS, range(PLACES)):
        bits = list(CODES.bits(sight))
        bits[place] = 1 - bits[place]
        found = Unread("c3", tuple(bits), 0.0)
        text = unread_words(BOARD, found, faults_of(CODES, found, (sight,)))
        channel = BOARD.nodes["c3"].channels[place]
        assert f"(channel {channel}) feels {'something' if bits[place] else 'nothing'} where tile" in text


def test_the_tile_that_is_to_be_laid_may_be_what_lies_there() -> None:
    """Its turning is not known: where only one sensor can be wrong it is named, else all that may be."""
    alone = several = 0
    for tile, turn, place in itertools.product(BOARD.tiles, range(RING), range(PLACES)):
        bits = list(CODES.bits(sight_of(tile, turn)))
        bits[place] = 1 - bits[place]
        found = Unread("c3", tuple(bits), 0.0)
        faults = faults_of(CODES, found, (), tile)
        assert (sight_of(tile, turn), place) in {(one.sight, one.place) for one in faults}
        text = unread_words(BOARD, found, faults)
        assert f"(channel {BOARD.nodes['c3'].channels[place]})" in text
        alone += len(faults) == 1
        several += "wrong may be" in text
    assert alone > several > 0


def test_an_old_tile_and_a_new_one_are_not_taken_for_each_other() -> None:
    """What both would explain, each with another wrong sensor, is blamed on neither."""
    found = next(
        Unread("b3", tuple(bits), 0.0)
        for bits in itertools.product((0, 1), repeat=PLACES)
        if {"1r0", "2r0"} <= {one.sight for one in CODES.explain(bits)}
    )
    assert len(faults_of(CODES, found, ("1r0",))) == 1
    both = faults_of(CODES, found, ("1r0",), "2")
    assert {"1r0", "2r0"} <= {one.sight for one in both}
    assert "wrong may be" in unread_words(BOARD, found, both)
    assert faults_of(CODES, replace(found, before="2r0"), ("1r0",), "2") == faults_of(CODES, found, ("2r0",)), (
        "a tile that was read there is not changed without the well being seen empty"
    )
