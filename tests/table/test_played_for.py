"""Hands never choose for a seat that is played for: a computer, another table, or a player whose time is up.

Whatever lies on the board, the one action of such a seat that counts is the one that was chosen for it: also where two
actions seem to lie at once, and where a part of an action lies.
"""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

import pytest

from firmware_host.games.positions import next_steps
from firmware_host.games.registry import game
from tests.hands.doors import Events
from tests.hands.evening import a_position

SENSED = {"presence": {"w": "x", "b": "x"}, "polarity": {"w": "N", "b": "S"}}


class Hands:
    """Somebody's hands at a table of the protocol, whose time passes scan by scan."""

    def __init__(self, at: float = 0.0, **opening: Any) -> None:
        """Open a table, and lay its position on it."""
        self.door = Events(**opening)
        self.at = at

    def wait(self, until: float) -> None:
        """Let the time pass."""
        while self.at < until:
            self.at = round(min(self.at + 0.02, until), 6)
            self.door.tick(self.at)

    def sense(self, at: float, **nodes: str) -> None:
        """Let sensors change at a time."""
        self.wait(at)
        self.door.sense(at, list(nodes.items()))

    @property
    def actions(self) -> list[tuple[int, str]]:
        """Return what has counted: seats and actions."""
        entries = self.door.service._entries
        return [(data["seat"], data["action"]) for kind, data in entries if kind == "action"]


PULL = "./..../......../...........wb.../................ 2 2 2 resolve -"


def pulling(kind: str) -> Hands:
    """A computer has chosen a pull, which no sensor shows to have arrived, and hands have lifted its stone."""
    hands = Hands(game="spokes", kind=kind, computers=[2], position=PULL)
    hands.sense(0.1, D12=SENSED[kind]["w"], D13=SENSED[kind]["b"])
    hands.wait(2.6)
    hands.door.deed(2.6, "choose", seat=2, action="D13+D12")
    hands.sense(3.0, D12="")
    return hands


@pytest.mark.parametrize("kind", ["presence", "polarity"])
def test_a_stone_that_is_only_lifted_for_a_computer_ends_no_turn_at_once(kind: str) -> None:
    hands = pulling(kind)
    hands.wait(4.4)
    shown = hands.door.look()
    assert hands.actions == []
    assert shown["lights"] == {"D13": "best"}
    assert [task["do"] for task in shown["tasks"]] == ["move", "tap"]
    hands.wait(4.6)
    assert hands.actions == [(2, "D13+D12")]


@pytest.mark.parametrize("kind", ["presence", "polarity"])
def test_put_back_in_time_it_was_nothing(kind: str) -> None:
    hands = pulling(kind)
    hands.sense(4.0, D12=SENSED[kind]["w"])
    hands.wait(10.0)
    assert hands.actions == []
    assert hands.door.look()["problem"] is None


@pytest.mark.parametrize("kind", ["presence", "polarity"])
def test_a_tap_says_that_it_lies_on_the_stack(kind: str) -> None:
    hands = pulling(kind)
    hands.sense(3.4, D13="")
    hands.sense(3.7, D13=SENSED[kind]["b"])
    hands.wait(4.2)
    assert hands.actions == [(2, "D13+D12")]


def test_a_phone_says_it_too() -> None:
    hands = pulling("presence")
    hands.wait(3.1)
    hands.door.deed(3.1, "confirm", seat=2, action="D13+D12")
    assert hands.actions == [(2, "D13+D12")]


def test_so_it_is_on_a_node_whose_sensor_is_masked() -> None:
    hands = Hands(game="spokes", kind="presence", computers=[2], position=PULL.replace("wb", "ww"))
    hands.sense(0.1, D12="x", D13="x")
    hands.wait(2.6)
    hands.door.deed(2.6, "mask", node="D14")
    hands.door.deed(2.6, "choose", seat=2, action="D12-D13-D14")
    hands.sense(3.0, D13="")
    hands.wait(4.4)
    assert hands.actions == []
    hands.wait(4.6)
    assert hands.actions == [(2, "D12-D13-D14")]


def test_a_second_action_of_a_computer_is_not_counted() -> None:
    """Somebody slips: the move that was asked for lies, and beside it a move that nobody chose."""
    position = "9/9/1ww6/2w6/2w4b1/7b1/9/6bb1/9 b 2 3"
    hands = Hands(game="phalanx", kind="polarity", computers=[1], position=position)
    hands.sense(0.5, B7="N", C7="N", C6="N", C5="N", H5="S", H4="S", G2="S", H2="S")
    hands.wait(3)
    hands.door.deed(3, "choose", seat=1, action="G2-H1")
    for at, nodes in ((4.0, {"G2": ""}), (4.2, {"H2": ""}), (4.5, {"G1": "S"}), (4.8, {"H1": "S"})):
        hands.sense(at, **nodes)
    hands.wait(12)
    assert [action for _, action in hands.actions] in ([], ["G2-H1"])
    assert hands.door.look()["tasks"], "hands are led on"


@pytest.mark.parametrize("kind", ["presence", "polarity"])
@pytest.mark.parametrize("gap", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("whose", ["computers", "far"])
def test_a_stone_laid_for_the_next_seat_is_not_its_action(kind: str, gap: float, whose: str) -> None:
    """A player lays a stone, and at once one for the computer, or the far table, that is next."""
    coil = game("coil")
    rng, position = Random(3), coil.start("2")
    for _ in range(8):
        position = coil.apply(
            position, {seat: coil.random_action(position, seat, rng) for seat in coil.actions(position)}
        ).position
    actor = coil.actor(position)
    assert actor is not None
    first = next(step for step in coil.steps(position) if step.moves)
    following = coil.apply(position, {actor: first.action}).position
    second = [step for step in coil.steps(following) if step.moves][5]
    other = 3 - actor
    played = {"computers": [other]} if whose == "computers" else {
        "far": {"seats": {str(other): "Other"}, "writes": True, "waits": False}
    }  # fmt: skip
    hands, sensed = Hands(game="coil", kind=kind, position=coil.text(position), **played), SENSED[kind]
    hands.sense(0.5, **{node: sensed[stack[0]] for node, stack in coil.occupancy(position).items()})
    one, two = ({step.moves[0].target: sensed[step.moves[0].pieces[0]]} for step in (first, second))
    if gap:
        hands.sense(4, **one)
        hands.sense(4 + gap, **two)
    else:
        hands.sense(4, **one, **two)
    hands.wait(15)
    assert all(seat == actor for seat, _ in hands.actions)
    if gap <= 0.1:  # Two at once: which one was meant is asked.
        choices = {choice["action"] for choice in hands.door.look()["asked"]["choices"]}
        assert choices == {first.action, second.action}


@pytest.mark.parametrize("kind", ["coded", "presence"])
@pytest.mark.parametrize("seed", [0, 1, 3, 5])
def test_the_second_part_of_a_computers_action_is_its_own(kind: str, seed: int) -> None:
    """Octiles: the tile that was asked for is laid, and the runner goes to another legal goal."""
    octiles = game("octiles")
    text = a_position("octiles", "2", seed)
    position = octiles.parse(text)
    actor, wells = octiles.actor(position), octiles.layout().wells
    firsts = [step for step in next_steps(octiles, position) if step.partial]
    Random(seed).shuffle(firsts)
    first, meant, done = next(
        (first, meant, done)
        for first in firsts
        for meant, done in permutations(next_steps(octiles, position, (first.action,)), 2)
        if len(meant.moves) == len(done.moves) == 1
        and meant.moves[0].source == done.moves[0].source
        and meant.moves[0].target != done.moves[0].target
        and not meant.removed | done.removed
    )

    def sensed(node: str, stack: tuple[str, ...]) -> str:
        return "x" if node not in wells or kind == "presence" else stack[0] if len(stack) == 1 else "?"

    hands = Hands(game="octiles", mode="2", kind=kind, computers=[actor], position=text, seed=seed)
    hands.sense(0.5, **{node: sensed(node, stack) for node, stack in octiles.occupancy(position).items()})
    hands.wait(3)
    assert hands.door.deed(3, "choose", seat=actor, action=meant.action) is None
    at = 4.0
    hands.sense(at, **{done.moves[0].source or "": ""})
    for source in (move.source for move in first.moves if move.source):
        hands.sense(at := at + 0.3, **{source: ""})
    for move in first.moves:
        if move.target:
            hands.sense(at := at + 0.3, **{move.target: sensed(move.target, move.pieces)})
    hands.sense(at + 0.1, **{done.moves[0].target or "": "x"})
    hands.wait(at + 12)
    assert [action for _, action in hands.actions] in ([], [meant.action])
    assert hands.door.look()["tasks"], "hands are led on"


@pytest.mark.parametrize("whose", ["computers", "far"])
def test_a_step_without_moves_is_done_where_it_is_chosen(whose: str) -> None:
    """A computer, or another table, passes: there is nothing for hands to do."""
    coil = game("coil")
    position, seat = coil.start("2"), 0
    while "pass" not in {step.action for step in coil.steps(position)}:
        seat = coil.actor(position) or 0
        position = coil.apply(position, {seat: next(step.action for step in coil.steps(position))}).position
    actor = coil.actor(position)
    assert actor is not None
    played = {"computers": [actor]} if whose == "computers" else {
        "far": {"seats": {str(actor): "Other"}, "writes": False, "waits": False}
    }  # fmt: skip
    hands = Hands(game="coil", kind="polarity", position=coil.text(position), **played)
    hands.sense(0.5, **{node: SENSED["polarity"][stack[0]] for node, stack in coil.occupancy(position).items()})
    hands.wait(3)
    assert hands.door.deed(3, "choose", seat=actor, action="pass") is None
    assert hands.actions == [(actor, "pass")]
