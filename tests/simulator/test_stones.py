"""Stones with magnets: the readings of each kind of sensor, bounce, hands, faults."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from firmware_host.sensing.debounce import Debouncer, scale
from hw.ports import HardwareError, LevelBands
from lodestone.boards import Clock, simulated
from simulator.hand import Hand
from simulator.stones import Impossible, World
from tests.sampling import cases, sampled, together

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
    ("pieces", "sensed"),
    [("", ""), ("w", "N"), ("b", "S"), ("wb", "N<"), ("bw", "S<"), ("ww", "N>"), ("bb", "S>")],
)
def test_level_tells_stacks_apart(pieces: str, sensed: str) -> None:
    here, hand, clock = world("level", seed=3)
    for piece in pieces:
        hand.put("B2", piece)
    clock.now += 1
    assert {scale(None, LevelBands()).sensed_state(here.levels()[2]) for _ in range(200)} == {sensed}


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


@together("seed", range(30))
def test_a_bouncing_contact_is_that_of_the_stone_that_comes_or_goes(seed: int) -> None:
    """Lifting a black stone must not make the contact for white stones bounce."""
    here, hand, clock = world("polarity", seed)
    hand.put("B1", "b")
    assert settled(here, clock)[2:4] == [1, 0]
    hand.lift("B1")
    seen = set()
    for _ in range(60):
        seen.add(tuple(here.contacts()[2:4]))
        clock.now += 0.0001
    assert seen <= {(1, 0), (1, 1)}
    assert settled(here, clock)[2:4] == [1, 1]


def test_a_changed_lower_stone_bounces_on_both_contacts() -> None:
    seen = set()
    for seed in range(20):
        here, hand, clock = world("polarity", seed)
        hand.put("B1", "b")
        hand.put("B1", "w")
        settled(here, clock)
        hand.lift("B1", ["b"])
        for _ in range(60):
            seen.add(tuple(here.contacts()[2:4]))
            clock.now += 0.0001
        assert settled(here, clock)[2:4] == [0, 1]
    assert seen == {(1, 0), (0, 1)}


def test_a_level_passes_through_what_lies_between() -> None:
    here, hand, clock = world("level", seed=1)
    hand.put("B1", "w")
    seen = []
    for _ in range(60):
        seen.append(here.levels()[1])
        clock.now += 0.0001
    assert abs(seen[0] - 128) <= 4
    assert any(140 < level < 190 for level in seen)
    assert abs(seen[-1] - 203) <= 4


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


@pytest.mark.parametrize(
    ("kind", "seed"),
    cases(
        [(kind, seed) for kind in ("presence", "polarity", "level") for seed in range(5)],
        *(("presence", 0), ("polarity", 1)),
    ),
)
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
    for source, target in itertools.pairwise(("B1", "A1", "B2")):
        hand.carry(source, target)
    assert here.stones() == {"B1": ["b"], "B2": ["w"]}
    hand.tap("B2")
    assert here.stones()["B2"] == ["w"]


def test_a_carried_block_is_not_turned_over() -> None:
    here, hand, _ = world("polarity")
    hand.put("A1", "b")
    hand.put("A1", "w")
    hand.carry("A1", "B1", ["w", "b"])
    assert here.stones() == {"B1": ["b", "w"]}


def test_a_hand_that_asks_for_what_is_not_there_lifts_nothing() -> None:
    here, hand, _ = world()
    hand.put("A1", "w")
    with pytest.raises(Impossible, match="there is no b to lift"):
        hand.lift("A1", ["w", "b"])
    assert here.stones() == {"A1": ["w"]}
    assert here.holding("hand") == []


class Deeds(RuleBasedStateMachine):
    """With any actions of hands in any order, no stone appears or vanishes, and no action is half done."""

    def __init__(self) -> None:
        super().__init__()
        self.world, self.hand, self.clock = world("polarity")

    nodes = st.sampled_from([*NODES, "Z9"])
    pieces = st.sampled_from(["w", "b", "q"])

    def _try(self, deed: Callable[[], object]) -> None:
        before = {**self.world.snapshot()}
        try:
            deed()
        except Impossible:
            assert self.world.snapshot() == before

    @rule(node=nodes, piece=st.none() | pieces)
    def put(self, node: str, piece: str | None) -> None:
        self._try(lambda: self.hand.put(node, piece))

    @rule(node=nodes, wanted=st.none() | st.lists(pieces, max_size=3))
    def lift(self, node: str, wanted: list[str] | None) -> None:
        self._try(lambda: self.hand.lift(node, wanted))

    @rule(way=st.lists(nodes, min_size=2, max_size=2))
    def carry(self, way: list[str]) -> None:
        self._try(lambda: self.hand.carry(*way))

    @rule(node=nodes)
    def take_off(self, node: str) -> None:
        self._try(lambda: self.hand.take_off(node))

    @rule()
    def drop(self) -> None:
        self.hand.drop()

    @invariant()
    def no_stone_is_lost(self) -> None:
        now = self.world.snapshot()
        for piece in "wb":
            places = [*now["stones"].values(), *now["hands"].values()]
            assert now["supply"][piece] + sum(place.count(piece) for place in places) == 44

    @invariant()
    def sensors_at_rest_say_what_lies_there(self) -> None:
        stones = self.world.stones()
        lowest = {"w": [0, 1], "b": [1, 0]}
        expected = [level for node in NODES for level in (lowest[stones[node][0]] if node in stones else [1, 1])]
        assert settled(self.world, self.clock) == expected


TestDeeds = Deeds.TestCase
TestDeeds.settings = sampled(settings(max_examples=60, stateful_step_count=25, deadline=None))


def test_what_is_felt_is_told_with_the_state() -> None:
    for kind, feels in (("presence", {"A1": 1, "B1": 1}), ("polarity", {"A1": 1, "B1": 2})):
        here, hand, _ = world(kind)
        hand.put("A1", "w")
        hand.put("B1", "b")
        assert here.snapshot()["feels"] == feels
    here, hand, _ = world("level")
    hand.put("A1", "w")
    hand.put("A1", "b")
    here.set_fault("stuck-on", "B2")
    assert here.snapshot()["feels"] == {"A1": 168, "B2": 203}
    here.set_fault("lost")
    assert here.snapshot()["feels"] == {}


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
    with pytest.raises(Impossible, match="'Z9' is not on this board"):
        here.set_fault("stuck-on", "Z9")
    with pytest.raises(Impossible, match="node: expected"):
        here.set_fault("stuck-on")
    assert here.snapshot()["faults"] == {}


@pytest.mark.parametrize(
    ("kind", "rest", "one", "other"),
    [("presence", [1, 1, 1], [0, 1, 1], [1, 0, 1]), ("polarity", [1] * 6, [0, 1, 1, 1, 1, 1], [1, 1, 0, 1, 1, 1])],
)
def test_two_sensors_whose_wires_are_exchanged(kind: str, rest: list[int], one: list[int], other: list[int]) -> None:
    here, hand, clock = world(kind)
    here.set_fault("swap", "A1")
    assert settled(here, clock) == rest
    hand.put("A1", "w")
    assert settled(here, clock) == other, "the next channel shows the stone"
    assert here.snapshot()["faults"] == {"A1": "swap"}
    here.clear_faults("A1")
    assert settled(here, clock) == one
    assert here.snapshot()["faults"] == {}
    with pytest.raises(Impossible, match="node: expected"):
        here.set_fault("swap")


def test_exchanged_linear_sensors_keep_their_own_rest() -> None:
    here, hand, clock = world("level")
    hand.put("A1", "w")
    clock.now += 1
    here.set_fault("swap", "A1")
    levels = here.levels()
    assert levels[1] > 180
    assert abs(levels[0] - 128) < 20


def test_a_hall_switch_that_sleeps_is_read_as_it_last_measured() -> None:
    """Each measures at a rate of its own, and none bounces."""
    here, hand, clock = world(seed=4)
    here.sample(0.027, 0.075)
    assert settled(here, clock) == [1, 1, 1]
    late = []
    for _ in range(40):
        hand.put("B1", "w")
        began, seen = clock.now, []
        while clock.now < began + 0.1:
            seen.append(here.contacts()[1])
            clock.now += 0.001
        assert seen == sorted(seen, reverse=True), "it closes once"
        late.append(seen.count(1))
        hand.take_off("B1")
        clock.now += 0.1 + late[-1] / 7000
        assert list(here.contacts()) == [1, 1, 1]
    assert max(late) <= 76
    assert max(late) - min(late) > 15, "by chance it measures soon or late"


def test_a_large_board_has_a_stone_for_nearly_every_node() -> None:
    assert World([f"n{n}" for n in range(127)], "presence", lambda: 0.0).supply == {"w": 126, "b": 126}
    assert World([f"n{n}" for n in range(45)], "presence", lambda: 0.0).supply == {"w": 44, "b": 44}
