"""The plausibility of scans, the treatment of implausible ones, and the name of the broken part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.sensing.health import ScanHealth, ScanJudgement
from hw.ports import BoardDescription, NodeLevels
from hw.registry import SCHEMES
from simulator.faults import LINE_FAULTS
from tests.sampling import cases, few, some

PERIOD = 0.02


class Feed:
    """A board's readings, scan by scan, through a line that may be broken."""

    def __init__(self, kind: str = "presence", board: BoardDescription | None = None) -> None:
        self.board = board or load_board(find_board("spokes-45"), backend="sim", kind=kind)
        self.position: set[str] = set()
        self.health = ScanHealth(self.board, lambda: self.position)
        self.readings = [128 if kind == "level" else 0] * len(self.board.nodes)
        self.fault: str | None = None
        self.at = 50.0
        self.random = Random(5)
        self.masked: set[str] = set()

    def put(self, *nodes: str, reading: int | None = None) -> None:
        stone = 200 if self.board.kind == "level" else 1
        for node in nodes:
            self.readings[self.board.nodes[node].channel] = stone if reading is None else reading
            self.scan()

    def scan(self, times: int = 1) -> ScanJudgement:
        found = ScanJudgement(trusted=False)
        for _ in range(times):
            self.at += PERIOD
            found = self.health.judge(self.arriving(), self.at)
            if found.broken or found.healed:
                break
        return found

    def watch(self, times: int) -> ScanJudgement:
        """Scan so many times; note what is masked."""
        for _ in range(times):
            found = self.scan()
            self.masked.update(node for broken in found.broken for node in broken.nodes)
            self.masked.difference_update(found.healed)
        return found

    def reads(self, channel: int) -> bool:
        """Return whether a stone lies on a channel's node."""
        return self.readings[channel] != (128 if self.board.kind == "level" else 0)

    def move(self, random: Random) -> None:
        """Lift a stone, or put one down, as a hand does."""
        nothing, stone = (128, 200) if self.board.kind == "level" else (0, 1)
        lying = [channel for channel in range(45) if self.reads(channel)]
        lifts = random.random() < 0.5 and len(lying) > 3
        channel = random.choice(lying if lifts else [channel for channel in range(45) if channel not in lying])
        self.readings[channel] = nothing if lifts else stone

    def arriving(self) -> Sequence[int]:
        if self.fault is None:
            return list(self.readings)
        break_line = LINE_FAULTS[self.fault]
        if self.board.kind == "level":
            return list(break_line(self.readings, 255, self.random))
        if self.board.kind == "presence":
            return [1 - level for level in break_line([1 - r for r in self.readings], 1, self.random)]
        levels = break_line([1 - bit for r in self.readings for bit in (r & 1, r >> 1)], 1, self.random)
        return [1 - north + 2 * (1 - south) for north, south in zip(levels[::2], levels[1::2], strict=True)]


STONES = ("A1", "B2", "C4", "C6", "D3", "D8", "D12", "5")


@pytest.fixture(params=["presence", "polarity", "level"])
def feed(request: pytest.FixtureRequest) -> Feed:
    here = Feed(request.param)
    here.put(*STONES)
    here.position = set(STONES)
    return here


def test_hands_are_believed_at_once(feed: Feed) -> None:
    assert feed.scan().trusted
    feed.put("D9")
    assert feed.scan().trusted
    feed.put("D9", "D12", reading=128 if feed.board.kind == "level" else 0)
    assert feed.scan().trusted


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("data-high", "every sensor reads"),
        ("data-low", "every sensor reads a stone"),
        ("data-shifted", "shifted by one bit"),
    ],
)
def test_a_broken_line_is_never_believed_and_named_when_it_lasts(feed: Feed, fault: str, words: str) -> None:
    feed.fault = fault
    judged = [feed.scan() for _ in range(200)]
    assert not any(found.trusted for found in judged)
    assert judged[0].trouble is None, "one bad scan is no reason to stop"
    trouble = judged[-1].trouble
    assert trouble is not None
    assert words in trouble
    assert "the chain's data line (GPIO13)" in trouble
    feed.fault = None
    assert not feed.scan().trusted, "play goes on when scans stay good"
    assert feed.scan(20).trusted
    assert feed.scan().trouble is None


def test_a_dead_chip_is_given_up_and_taken_back(feed: Feed) -> None:
    feed.fault = "chip-high"
    judged = [feed.scan() for _ in range(90)]
    assert not any(found.trusted for found in judged)
    assert "chip" in str(judged[-1].trouble)
    (broken,) = feed.scan(30).broken
    assert "D12" in broken.nodes
    assert "A1" not in broken.nodes
    assert "channels" in broken.reason
    assert feed.scan().trusted
    feed.fault = None
    healed = feed.scan(60).healed
    assert healed == broken.nodes


def test_sparks_are_left_out_and_told_when_they_are_many(feed: Feed) -> None:
    feed.fault = "spikes"
    before = feed.arriving()
    for _ in range(500):
        feed.at += PERIOD
        readings = feed.arriving()
        judged = feed.health.judge(readings, feed.at)
        rest = feed.board.bands.rest if feed.board.kind == "level" else 0
        assert not judged.trusted or sum(abs(a - b) > 2 * rest for a, b in zip(readings, before, strict=True)) <= 2
        assert judged.trouble is None
    assert "look for sparks" in str(feed.health.warning(feed.at))
    assert feed.health.warning(feed.at + 11) is None


def test_a_swept_board_is_believed_after_a_while() -> None:
    """An arm is quick, but it comes from node to node."""
    feed = Feed()
    feed.put(*STONES)
    for node in STONES[1:]:
        feed.readings[feed.board.nodes[node].channel] = 0
        if node in {"C4", "D8"}:
            feed.scan()
    for node in ("D1", "D5"):
        feed.readings[feed.board.nodes[node].channel] = 1
    assert not feed.scan(20).trusted
    assert feed.scan(20).trusted


def test_what_no_hand_and_no_known_fault_does_is_never_asked_of_people() -> None:
    """Stones of four chips vanish at once, and others appear: play stands still until they lie as before."""
    feed = Feed()
    feed.put(*STONES)
    feed.position = set(STONES)
    before = list(feed.readings)
    for node in STONES[1:]:
        feed.readings[feed.board.nodes[node].channel] = 0
    for node in ("C1", "D1", "D5", "9"):
        feed.readings[feed.board.nodes[node].channel] = 1
    found = feed.scan(500)
    assert not found.trusted
    assert "faster than hands" in str(found.trouble)
    feed.readings = before
    assert feed.scan(20).trusted


@pytest.mark.parametrize("position", [STONES[:5], ()], ids=["known", "unknown"])
def test_a_line_that_was_shifted_from_the_start_ends_when_it_is_sound(position: tuple[str, ...]) -> None:
    """The first picture was the wrong one: the position says so, and without a position the newer one counts."""
    feed = Feed()
    feed.fault = "data-shifted"
    feed.scan()
    feed.put(*STONES[:5])
    feed.position = set(position)
    feed.fault = None
    assert feed.scan(50).trusted
    assert feed.scan().trouble is None


@pytest.mark.parametrize(("fault", "stones", "moved"), few(cases(list(product(LINE_FAULTS, (8, 20), (0, 3, 12)))), 9))
def test_whatever_was_broken_ends_within_a_second_once_it_is_mended(fault: str, stones: int, moved: int) -> None:
    """Hands move stones while it is broken, and go on when it is mended, or don't; the position knows of it, or not."""
    ways = product(("presence", "polarity", "level"), (False, True), (False, True))
    for kind, moving, told in some(ways, 6, f"{fault} {stones} {moved}"):
        feed, random = Feed(kind), Random(f"{stones} {moved}")
        lying = random.sample(list(feed.board.nodes), stones)
        feed.put(*lying)
        feed.position = set(lying)
        feed.fault = fault
        feed.watch(60)
        for _ in range(moved):
            feed.move(random)
            feed.watch(random.randrange(5, 25))
        if told:
            feed.position = {node for node, wiring in feed.board.nodes.items() if feed.reads(wiring.channel)}
        feed.watch(150)
        feed.fault = None
        for at in range(100):
            if moving and at % 8 == 0:
                feed.move(random)
            judged = feed.watch(1)
            where = f"{kind}, hands {'move' if moving else 'rest'}, {judged.trouble}, masked: {feed.masked}"
            assert at < 50 or (judged.trusted and not feed.masked), where


@pytest.mark.parametrize("kind", ["presence", "level"])
def test_a_chip_that_read_stones_everywhere_works_again_where_none_lies(kind: str) -> None:
    feed = Feed(kind)
    feed.put("A1", "B2")
    feed.position = {"A1", "B2"}
    feed.fault = "chip-low"
    feed.watch(150)
    assert "D12" in feed.masked
    feed.fault = None
    feed.watch(50)
    assert not feed.masked


def test_a_shifted_line_is_named_whatever_hands_do_meanwhile(feed: Feed) -> None:
    feed.fault = "data-shifted"
    feed.watch(30)
    for _ in range(60):
        feed.move(feed.random)
        judged = feed.watch(20)
        assert not judged.trusted
        assert "shifted by one bit" in str(judged.trouble)


def test_a_lonely_stone_that_was_moved_quickly_is_no_shifted_line() -> None:
    """Between two scans it came to the next input: nothing else lies there that would have been shifted, too."""
    feed = Feed()
    feed.put("D9")
    feed.position = {"D9"}
    channel = feed.board.nodes["D9"].channel
    feed.readings[channel], feed.readings[channel - 1] = 0, 1
    assert not feed.scan().trusted
    assert feed.scan(50).trusted


def test_all_stones_at_the_very_first_look_are_not_believed() -> None:
    feed = Feed()
    feed.fault = "data-low"
    assert feed.scan(100).trouble is not None
    feed.fault = None
    assert feed.scan(20).trusted


def test_what_sensors_read_that_are_known_to_be_broken_is_no_fault() -> None:
    board = load_board(find_board("octiles-189"), backend="sim")
    ignored = frozenset(8 * well + well % 8 for well in range(17))
    health = ScanHealth(replace(board, disabled_channels=ignored))
    readings = [0] * len(board.sensors())
    for at in range(20):
        for channel in ignored:
            readings[channel] = at % 2
        assert health.judge(list(readings), 50.0 + at * PERIOD) == ScanJudgement(trusted=True)


def test_levels_are_seen_from_where_each_sensor_rests() -> None:
    board = load_board(find_board("spokes-45"), backend="sim", kind="level")
    levels = NodeLevels(rest=150, north=220, south=80, stack=180)
    feed = Feed(board=replace(board, calibration=dict.fromkeys(board.nodes, levels)))
    feed.readings = [150] * 45
    assert feed.scan(100).trouble is None, "resting high is no stone everywhere"
    for node in STONES:
        feed.readings[board.nodes[node].channel] = 220
        assert feed.scan().trusted


def test_both_switches_closed_is_a_fault_of_its_own() -> None:
    feed = Feed("polarity")
    feed.put(*STONES)
    feed.put("D9", reading=3)
    (broken,) = feed.scan(100).broken
    assert broken.nodes == ("D9",)
    assert "channel" in broken.reason
    assert not feed.scan(100).broken, "said once"
    feed.readings[feed.board.nodes["D9"].channel] = 1
    assert not feed.scan(100).healed, "one of the two may still be stuck"
    feed.readings[feed.board.nodes["D9"].channel] = 0
    assert feed.scan(3).healed == ("D9",)
    assert not feed.scan(100).healed, "said once"


BOARDS: dict[str, Callable[[BoardDescription], BoardDescription]] = {
    "4067": lambda board: replace(board, scheme="4067", pins={"select": (5, 6, 13, 19), "common": (16, 20, 21)}),
    "matrix": lambda board: replace(
        board, scheme="matrix", pins={"rows": (4, 5, 6, 7, 8), "columns": tuple(range(9, 18))}
    ),
    "serial": lambda board: replace(
        board,
        scheme="serial",
        pins={},
        options={name: option.default for name, option in SCHEMES.get("serial").options.items()},
    ),
    "direct": lambda board: replace(board, scheme="direct", pins={"inputs": tuple(range(45))}),
}
BOARDS = {name: made for name, made in BOARDS.items() if name in SCHEMES.names()}
"""Without those that somebody has deleted."""
PARTS = {"4067": "multiplexer 2 of 3", "matrix": "row 3 of 5", "serial": "chip 3 of 6", "direct": None}


@pytest.mark.parametrize("scheme", BOARDS)
def test_the_part_is_called_by_what_the_board_is_made_of(scheme: str) -> None:
    board = BOARDS[scheme](load_board(find_board("spokes-45"), backend="sim", kind="presence"))
    feed = Feed(board=board)
    middle = {"4067": range(16, 32), "serial": range(16, 24)}.get(scheme, range(18, 27))
    names = {wiring.channel: wiring.name for wiring in board.nodes.values()}
    feed.put(*(names[channel] for channel in (0, 7, 40, *list(middle)[:5])))
    for channel in middle:
        feed.readings[channel] = 0
    found = feed.scan(140)
    if PARTS[scheme] is None:
        assert "faster than hands" in str(found.trouble)
        assert not found.broken
        return
    (broken,) = found.broken
    assert broken.nodes == tuple(names[channel] for channel in middle)
    assert str(PARTS[scheme]) in broken.reason
