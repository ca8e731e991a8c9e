"""Messages about wells with broken sensors, and the sensor that they blame."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any, cast
from unittest.mock import Mock

from firmware_host.sensing.debounce import DEBOUNCE_SCANS, Debouncer, Unread
from firmware_host.sensing.pipeline import UNREAD_S, SensorPipeline, faults_of, unread_words
from firmware_host.table import events as ev
from firmware_host.table.state import Table
from firmware_host.table.subjects import masks
from firmware_host.table.subjects.masks import Mask, SensorMasked, SensorUnmasked
from firmware_host.table.subjects.resolving import Noticed, SensorChanged
from hw.ports import BoardDescription, OpenBoard
from hw.tile_codes import PLACES, RING, TileCodes, sensed_tile
from lodestone.boards import Clock
from simulator.board import SimulatedBoard
from simulator.hand import Hand
from tests.sampling import together
from tests.sensing.wells import small
from tests.sentences import sentence

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


class Ledger:
    started, over = True, False
    game, now = None, Mock()

    def __init__(self) -> None:
        self.states: dict[Any, Any] = {}


class Watch:
    def __init__(self) -> None:
        self.target: dict[str, tuple[str, ...]] = {}
        self.suspects: tuple[str, ...] = ()
        self.problem = None
        self.tracker, self.timings = Mock(last_event=0.0), Mock(suspect=inf)


class Seat:
    """The part of a table that the sensor pipeline uses."""

    def __init__(self) -> None:
        self.game, self.ledger, self.watch = None, Ledger(), Watch()


class Looking:
    """A SensorPipeline over a simulated board."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.parts = SimulatedBoard(BOARD, self.clock)
        self.table = Seat()
        board = OpenBoard(self.parts.sensors(), self.parts.strip(), BOARD)
        self.eyes = SensorPipeline(board, lambda: cast(Table, self.table))
        self.hand = Hand(self.parts.world, sleep=lambda _: None)

    def look(self, seconds: float) -> list[ev.Event]:
        found = []
        for _ in range(round(seconds / PERIOD)):
            self.clock.now += PERIOD
            for event in self.eyes.look(self.clock.now):
                found.append(event)
                if isinstance(event, SensorMasked):
                    self.mask(event.node, Mask(event.fault or "", event.reason))
        return found

    def mask(self, node: str, mask: Mask) -> None:
        ledger = self.table.ledger
        masks.KEPT.put(ledger, {**masks.KEPT.of(ledger), node: mask})


def noticed(events: Sequence[ev.Event]) -> list[tuple[str, str | None]]:
    return [(event.what, event.text) for event in events if isinstance(event, Noticed)]


def test_a_dead_sensor_is_named_where_the_tile_is_known() -> None:
    here = Looking()
    here.parts.world.put("b3", "9r0")
    here.table.watch.target = {"b3": ("9r0",)}
    assert noticed(here.look(1)) == []
    here.parts.world.set_fault("stuck-off", "b3/1")
    events = here.look(UNREAD_S + 2)
    assert [event.sensed for event in events if isinstance(event, SensorChanged)] == ["?"]
    ((what, text),) = noticed(events)
    assert what == "well b3"
    assert text is not None
    assert "b3, ring sensor 1 (channel 1) detects nothing where tile 9 has a magnet" in text
    here.parts.world.clear_faults()
    events = here.look(2)
    assert [event.sensed for event in events if isinstance(event, SensorChanged)] == ["9r0"]
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
    sensor = sentence("ring sensor {place}", node="c3", place=6, channel=14)
    assert (what, text) == ("sensor c3", sentence("as the other eight", sensor=sensor))
    here.hand.take_off("c3")
    here.parts.world.put("c3", "2r7")
    events = here.look(2)
    assert [e.sensed for e in events if isinstance(e, SensorChanged)][-1] == "2r7"
    here.parts.world.set_fault("flapping", "c3/middle")
    events = here.look(4)
    (mask,) = [event for event in events if isinstance(event, SensorMasked)]
    assert mask.node == "c3"
    assert "c3, ring sensor 6 (channel 14) and c3, middle sensor (channel 17)" in mask.reason


def test_a_well_that_people_play_on_without_is_read_again_without_its_one_broken_sensor() -> None:
    here = Looking()
    here.parts.world.put("b3", "9r0")
    here.table.watch.target = {"b3": ("9r0",)}
    here.look(1)
    here.parts.world.set_fault("stuck-off", "b3/1")
    here.look(UNREAD_S + 1)
    here.mask("b3", Mask("player", "Ann says so"))
    events = here.look(3)
    assert [event.sensed for event in events if isinstance(event, SensorChanged)] == ["9r0"]
    (unmasked,) = [event for event in events if isinstance(event, SensorUnmasked)]
    assert unmasked.node == "b3"
    assert events.index(unmasked) > [isinstance(event, SensorChanged) for event in events].index(True)
    here.table.ledger.states = {}
    assert sorted(what for what, _ in noticed(events)) == ["sensor b3", "well b3"]
    here.hand.take_off("b3")
    here.parts.world.put("b3", "2r5")
    assert [e.sensed for e in here.look(1) if isinstance(e, SensorChanged)][-1] == "2r5"


def test_a_well_that_is_wrong_in_several_places_stays_as_people_say() -> None:
    here = Looking()
    here.parts.world.put("b3", "9r0")
    here.table.watch.target = {"b3": ("9r0",)}
    here.look(1)
    here.parts.world.set_fault("stuck-off", "b3/1")
    here.parts.world.set_fault("stuck-on", "b3/6")
    here.parts.world.set_fault("stuck-on", "b3/5")
    here.look(1)
    here.mask("b3", Mask("player", "Ann says so"))
    assert not any(isinstance(event, SensorUnmasked) for event in here.look(4))


def test_a_flapping_node_of_one_sensor_is_masked_as_ever() -> None:
    here = Looking()
    here.parts.world.set_fault("flapping", "B3")
    events = here.look(4)
    (mask,) = [event for event in events if isinstance(event, SensorMasked)]
    assert (mask.node, mask.reason) == ("B3", sentence("flapping (channel", channel=18))


def test_a_new_table_hears_what_was_said() -> None:
    here = Looking()
    here.parts.world.set_fault("stuck-on", "b3/4")
    said = noticed(here.look(UNREAD_S + 2))
    assert len(said) == 1
    assert noticed(list(here.eyes.standing(here.clock.now))) == said


WHOLE_RING = sentence("whole ring detects something", channels="0, 1, 2, CUT").partition("CUT")[0]


@together(
    ("bits", "expected", "words"),
    [
        ((0, 0, 0, 0, 1, 0, 0, 0, 0), (), "only b3, ring sensor 4 (channel 4) detects something. Check"),
        ((0, 0, 0, 0, 0, 0, 0, 0, 1), ("1r0",), "only b3, middle sensor (channel 16) detects something. A round piece"),
        ((1, 1, 1, 1, 1, 0, 0, 0, 0), ("1r0",), "sensor 4 (channel 4) detects something where tile 1 has no magnet"),
        ((1, 1, 0, 1, 0, 0, 0, 0, 0), ("1r0",), "ring sensor 2 (channel 2) detects nothing where tile 1 has a magnet"),
        ((1, 1, 1, 1, 1, 0, 1, 0, 0), ("1r0",), sentence("of nine sensors detect", count=6)),
        ((1, 1, 1, 1, 1, 1, 1, 1, 0), ("1r0",), WHOLE_RING),
        ((1, 1, 1, 1, 1, 0, 1, 0, 0), ("1r0", "2r0"), sentence("of nine sensors detect", count=6)),
        ((1, 1, 1, 1, 1, 0, 0, 0, 0), ("w",), sentence("of nine sensors detect", count=5)),
    ],
)  # fmt: skip
def test_words(bits: tuple[int, ...], expected: tuple[str, ...], words: str) -> None:
    found = Unread("b3", bits, 0.0)
    text = unread_words(BOARD, found, faults_of(CODES, found, expected))
    assert text.startswith("b3 can't make out the tile: ")
    assert words in text


def test_every_single_fault_on_a_known_tile_is_blamed_on_the_right_sensor() -> None:
    for sensed, place in itertools.product(SENSED, range(PLACES)):
        bits = list(CODES.bits(sensed))
        bits[place] = 1 - bits[place]
        found = Unread("c3", tuple(bits), 0.0)
        text = unread_words(BOARD, found, faults_of(CODES, found, (sensed,)))
        channel = BOARD.nodes["c3"].channels[place]
        assert f"(channel {channel}) detects {'something' if bits[place] else 'nothing'} where tile" in text


def test_the_tile_that_is_to_be_laid_may_be_what_lies_there() -> None:
    """Its turning is unknown: if only one sensor can be wrong it is named, else all that may be."""
    alone = several = 0
    for tile, turn, place in itertools.product(BOARD.tiles, range(RING), range(PLACES)):
        bits = list(CODES.bits(sensed_tile(tile, turn)))
        bits[place] = 1 - bits[place]
        found = Unread("c3", tuple(bits), 0.0)
        faults = faults_of(CODES, found, (), tile)
        assert (sensed_tile(tile, turn), place) in {(one.sensed, one.place) for one in faults}
        text = unread_words(BOARD, found, faults)
        assert f"(channel {BOARD.nodes['c3'].channels[place]})" in text
        alone += len(faults) == 1
        several += "may be wrong" in text
    assert alone > several > 0


def test_an_old_tile_and_a_new_one_are_not_taken_for_each_other() -> None:
    """If both tiles explain the readings, each with another wrong sensor, neither sensor is blamed."""
    found = next(
        Unread("b3", tuple(bits), 0.0)
        for bits in itertools.product((0, 1), repeat=PLACES)
        if {"1r0", "2r0"} <= {one.sensed for one in CODES.explain(bits)}
    )
    assert len(faults_of(CODES, found, ("1r0",))) == 1
    both = faults_of(CODES, found, ("1r0",), "2")
    assert {"1r0", "2r0"} <= {one.sensed for one in both}
    assert "may be wrong" in unread_words(BOARD, found, both)
    assert faults_of(CODES, replace(found, before="2r0"), ("1r0",), "2") == faults_of(CODES, found, ("2r0",)), (
        "a tile that was read there is not changed without the well being seen empty"
    )
