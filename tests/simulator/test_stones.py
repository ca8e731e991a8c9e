"""Stones with magnets: what each kind of sensor feels, bounce, hands, faults."""

from __future__ import annotations

import itertools

import pytest

from firmware_host.debounce import Debouncer, level_sight
from hw.ports import HardwareError, LevelBands
from simulator.hand import Hand
from simulator.stones import Impossible, World
from tests.boards import Clock, simulated

NODES = ("A1", "B1", "B2")


def world(kind: str = "presence", seed: int = 0) -> tuple[World, Hand, Clock]:
    clock = Clock()
    here = World(NODES, kind, clock, seed)
    return here, Hand(here, sleep=clock.sleep), clock


def settled(here: World, clock: Clock) -> list[int]:
    clock.now += 1
    return list(here.contacts())


def test_presence_closes_one_contact() -> None:
    here, hand, clock = world()
    assert settled(here, clock) == [1, 1, 1]
    hand.put("B1", "b")
    assert settled(here, clock) == [1, 0, 1]
    hand.put("B1", "w")
    assert settled(here, clock) == [1, 0, 1], "a stack looks like a stone"


@pytest.mark.parametrize(("pieces", "levels"), [("w", [0, 1]), ("b", [1, 0]), ("wb", [0, 1]), ("bw", [1, 0])])
def test_polarity_shows_the_lower_stone(pieces: str, levels: list[int]) -> None:
    here, hand, clock = world("polarity")
    for piece in pieces:
        hand.put("A1", piece)
    assert settled(here, clock)[:2] == levels


@pytest.mark.parametrize(
    ("pieces", "sight"),
    [("", ""), ("w", "N"), ("b", "S"), ("wb", "N<"), ("bw", "S<"), ("ww", "N>"), ("bb", "S>")],
)
def test_level_tells_stacks_apart(pieces: str, sight: str) -> None:
    here, hand, _ = world("level", seed=3)
    for piece in pieces:
        hand.put("B2", piece)
    assert {level_sight(here.levels()[2], LevelBands()) for _ in range(200)} == {sight}


def test_contacts_bounce_and_come_to_rest() -> None:
    chattered = 0
    for seed in range(40):
        here, hand, clock = world(seed=seed)
        hand.put("B1", "w")
        seen = []
        for _ in range(60):
            seen.append(here.contacts()[1])
            clock.now += 0.0001
        changes = sum(one != other for one, other in itertools.pairwise(seen))
        chattered += changes > 1
        assert settled(here, clock)[1] == 0
    assert chattered > 10, "some contacts must chatter"


def test_bounce_is_repeatable_by_its_seed() -> None:
    def trace(seed: int) -> list[int]:
        here, hand, clock = world(seed=seed)
        hand.put("B1", "w")
        levels = []
        for _ in range(60):
            levels.append(here.contacts()[1])
            clock.now += 0.0001
        return levels

    assert trace(5) == trace(5)
    assert any(trace(5) != trace(seed) for seed in range(6, 12))


@pytest.mark.parametrize("kind", ["presence", "polarity", "level"])
@pytest.mark.parametrize("seed", range(5))
def test_debouncing_makes_one_change_of_every_deed(kind: str, seed: int) -> None:
    clock = Clock()
    parts = simulated(kind, clock, seed)
    sensors, debouncer = parts.sensors(), Debouncer(parts.description)
    hand = Hand(parts.world, sleep=clock.sleep)

    def scan_for(seconds: float) -> list[tuple[str, str]]:
        found = []
        for _ in range(int(seconds / 0.001)):  # far faster than a real board is scanned: every bounce is seen
            clock.now += 0.001
            found += list(debouncer.feed(sensors.scan(), clock.now))
        return found

    scan_for(0.02)
    for node in ("D12", "A1", "16"):
        hand.put(node, "b")
        changes = scan_for(0.2)
        assert [name for name, _ in changes][-1] == node
        assert len(changes) % 2 == 1
        assert debouncer.stable[node] == {"presence": "x", "polarity": "S", "level": "S"}[kind]
        hand.lift(node)
        hand.drop()
        scan_for(0.2)
        assert debouncer.stable[node] == ""


def test_impossible_deeds_are_refused_and_change_nothing() -> None:
    here, hand, _ = world()
    for deed in (
        lambda: hand.lift("A1"),
        lambda: hand.put("Z9", "w"),
        lambda: hand.put("A1"),
        lambda: hand.put("A1", "q"),
        lambda: hand.carry("A1", "B1"),
    ):
        with pytest.raises(Impossible):
            deed()
        assert here.stones() == {}
        assert here.supply == {"w": 44, "b": 44}
    hand.put("A1", "w")
    with pytest.raises(Impossible):
        hand.carry("A1", "nowhere")
    assert here.stones() == {"A1": ["w"]}
    hand.lift("A1")
    with pytest.raises(Impossible, match="full"):
        hand.lift("A1")


def test_the_supply_ends() -> None:
    here, hand, _ = world()
    for _ in range(44):
        hand.put("A1", "w")
    with pytest.raises(Impossible, match="no more white"):
        hand.put("A1", "w")
    assert len(here.stones()["A1"]) == 44


def test_a_hand_carries_blocks_and_slides() -> None:
    here, hand, _ = world()
    hand.put("A1", "b")
    hand.put("A1", "w")
    hand.carry("A1", "B1", ["b", "w"])
    assert here.stones() == {"B1": ["b", "w"]}
    hand.slide(("B1", "A1", "B2"))
    assert here.stones() == {"B1": ["b"], "B2": ["w"]}
    hand.tap("B2")
    assert here.stones()["B2"] == ["w"]


def test_faults() -> None:
    here, hand, clock = world()
    here.set_fault("stuck-on", "A1")
    assert settled(here, clock) == [0, 1, 1]
    hand.put("B1", "w")
    here.set_fault("stuck-off", "B1")
    assert settled(here, clock) == [0, 1, 1]
    here.set_fault("flapping", "B2")
    seen = set()
    for _ in range(50):
        clock.now += 0.013
        seen.add(here.contacts()[2])
    assert seen == {0, 1}
    here.set_fault("lost")
    with pytest.raises(HardwareError):
        here.contacts()
    here.clear_faults()
    assert settled(here, clock) == [1, 0, 1]
    with pytest.raises(Impossible, match="expected one of"):
        here.set_fault("possessed", "A1")
