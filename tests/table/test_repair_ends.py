"""Every repair that is followed ends: at the position, or where something else is asked, counted or on its way.

Random boards of every game and kind of sensing; the tasks are followed one by one. Each of them leaves fewer pieces
wrong, so that there are never more of them than differences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from firmware_host.games.registry import game as find_game
from tests.hands.doors import Events
from tests.hands.evening import SENSED, a_position
from tests.hands.world import World
from tests.sampling import cases

PLACES = [(game, kind) for game, _, kinds in SENSED for kind in kinds]
MODES = {game: modes for game, modes, _ in SENSED}
POSITIONS = 6
"""Positions of each game and mode."""

Change = tuple[str, int, int]
"""``carry`` a piece from a node to another, ``take`` one off, or ``put`` one on; the numbers say which."""

changes = st.lists(
    st.tuples(st.sampled_from(("carry", "carry", "take", "put")), st.integers(0, 999), st.integers(0, 999)),
    min_size=1,
    max_size=8,
)
places = pytest.mark.parametrize(("name", "kind"), cases(PLACES))
boards = settings(max_examples=15, deadline=None, derandomize=True)


@cache
def position_of(name: str, mode: str, seed: int) -> str:
    return a_position(name, mode, seed)


class Follower:
    """A board at a table, and somebody who does what the table says."""

    def __init__(self, name: str, kind: str, draw: st.DataObject, *, lying: bool) -> None:
        """Begin at some position; ``lying``: its pieces lie there already, and play has begun."""
        self.game, self.kind = find_game(name), kind
        mode = draw.draw(st.sampled_from(MODES[name]))
        text = position_of(name, mode, draw.draw(st.integers(0, POSITIONS - 1)))
        self.door = Events(game=name, mode=mode, kind=kind, position=text)
        layout = self.game.layout()
        nodes = list(layout.nodes)
        self.world = World(self.door, nodes, kind, self.game.poles, layout.wells, Random(0))
        self.right = {node: list(self.wanted.get(node, ())) for node in nodes}
        for node, stack in self.right.items():
            self.world.stacks[node] = list(stack)
        if lying:
            self.feel(*nodes)
            self.later()

    @property
    def table(self) -> Any:
        return self.door.table

    @property
    def wanted(self) -> Mapping[str, tuple[str, ...]]:
        return self.game.occupancy(self.table.ledger.now.position)

    def feel(self, *nodes: str) -> None:
        """Let the sensors of some nodes report what lies there, all in one moment."""
        seen = self.table.watch.tracker.sensed
        found = [(node, self.world.reading(node)) for node in dict.fromkeys(nodes)]
        changed = [(node, sensed) for node, sensed in found if sensed != seen[node]]
        self.world.at += 0.3
        if changed:
            self.door.sense(self.world.at, changed)

    def later(self, seconds: int = 6) -> None:
        for _ in range(seconds):
            self.world.at += 1.0
            self.door.tick(self.world.at)

    def change(self, what: str, one: int, other: int) -> list[str]:
        """Change the board somewhere; return the nodes."""
        stacks, wells = self.world.stacks, self.world.wells
        full = [node for node, stack in stacks.items() if stack]
        here = full[one % len(full)] if full else None
        free = [
            node for node, stack in stacks.items() if not stack and (here is None or (node in wells) == (here in wells))
        ]
        there = free[other % len(free)] if free else None
        if here is not None and what == "take":
            stacks[here].pop()
            return [here]
        if here is not None and there is not None and what == "carry":
            stacks[there].append(stacks[here].pop())
            return [here, there]
        if here is not None and there is not None:
            stacks[there].append(stacks[here][-1])
            return [there]
        return []

    def differences(self) -> int:
        """Return how many pieces differ on the nodes that are seen to be wrong: a piece on a wrong node is one.

        Of pieces whose kind no sensor tells, what counts is what the events have told of them. Where pieces lie in each
        other's place one of them has to make room first: that is one more.
        """
        tracker = self.table.watch.tracker
        wrong, known = tracker.mismatch(self.wanted), tracker.known_stacks()
        surplus, missing, blocked = Counter[str](), Counter[str](), 0
        for node in wrong:
            more = Counter(self.kind_of(node, piece) for piece in known.get(node) or self.world.stacks[node])
            less = Counter(self.kind_of(node, piece) for piece in self.wanted.get(node, ()))
            surplus += more - less
            missing += less - more
            blocked += bool(more - less and less - more)
        return blocked + (surplus | missing).total()

    def kind_of(self, node: str, piece: str) -> str:
        """Return as what a piece counts here: a tile is the same however it is turned; unread, it is never moved."""
        if node not in self.world.wells:
            return piece
        return f"tile {piece.partition('r')[0]}" if self.kind == "coded" else f"tile at {node}"

    def follow(self, task: Mapping[str, Any]) -> int:
        """Do one thing that the table asks for; return how many moves it is: to tap a stack is none."""
        stacks = self.world.stacks
        node = task.get("node", "")
        if task["do"] == "put" and not len(stacks[node]) >= len(self.wanted.get(node, ())) > 1:
            stacks[task["node"]].append(task["piece"])
            self.feel(task["node"])
        elif task["do"] in {"put", "tap"}:  # No sensor tells that all lie there: eyes do.
            held, stacks[node] = stacks[node], []
            self.feel(node)
            stacks[node] = held
            self.feel(node)
            self.later()
            return 0
        elif task["do"] == "turn":
            stacks[task["node"]] = [task["piece"]]
            self.feel(task["node"])
        elif task["do"] == "take":
            self._lift(task["node"], ())
            self.feel(task["node"])
        else:
            assert task["do"] == "move", task
            piece = self._lift(task["from"], task["pieces"])
            self.feel(task["from"])
            stacks[task["to"]].append(piece)
            self.feel(task["to"])
        self.later()
        return 1

    def _lift(self, node: str, pieces: tuple[str, ...]) -> str:
        """Take a piece off a node: the one that is meant, or one that does not belong there."""
        stack = self.world.stacks[node]
        assert stack, f"nothing lies on {node}"
        surplus = Counter(stack) - Counter(self.wanted.get(node, ()))
        piece = next((p for p in (*pieces, *surplus) if p in stack), stack[-1])
        stack.remove(piece)
        return piece


def mend(person: Follower, mended: Callable[[Mapping[str, Any]], bool]) -> None:
    """Do what the table asks for until all is mended, in as many moves as pieces differ."""
    most = person.differences()
    person.later()
    moves = 0
    for _ in range(2 * most + 1):
        view = person.door.look()
        if mended(view):
            return
        assert view["tasks"], f"wrong, and nothing to do: {view['message']}"
        moves += person.follow(view["tasks"][0])
        assert moves <= most, f"{most} differences, and still: {view['message']}"
    raise AssertionError(f"{most} differences, and still: {person.door.look()['message']}")


@pytest.mark.slow
@places
@given(todo=changes, draw=st.data())
@boards
def test_a_board_is_set_up_in_as_many_moves_as_pieces_differ(
    name: str, kind: str, todo: list[Change], draw: st.DataObject
) -> None:
    person = Follower(name, kind, draw, lying=False)
    for change in todo:
        person.change(*change)
    person.feel(*person.world.stacks)
    mend(person, lambda _: person.table.phase != "setup")
    assert person.table.phase != "setup"


@pytest.mark.slow
@places
@given(todo=changes, draw=st.data())
@boards
def test_a_disturbed_game_goes_on_after_as_many_moves_as_pieces_differ(
    name: str, kind: str, todo: list[Change], draw: st.DataObject
) -> None:
    person = Follower(name, kind, draw, lying=True)
    for change in todo:
        person.feel(*person.change(*change))
    moments = len(person.table.ledger.moments)
    mend(person, lambda v: len(person.table.ledger.moments) != moments or v["asked"] or not v["problem"])


@pytest.mark.slow
@places
@given(draw=st.data())
@boards
def test_a_piece_on_a_wrong_node_is_sent_back(name: str, kind: str, draw: st.DataObject) -> None:
    person = Follower(name, kind, draw, lying=True)
    steps = person.game.steps(person.table.ledger.now.position)
    reached = {move.target for step in steps for move in step.moves if move.source is not None}
    alone = [node for node, stack in person.right.items() if len(stack) == 1 and node not in person.world.wells]
    free = [
        node
        for node, stack in person.right.items()
        if not stack and node not in reached and node not in person.world.wells
    ]
    assume(alone and free)
    here, there = draw.draw(st.sampled_from(alone)), draw.draw(st.sampled_from(free))
    piece = person.world.stacks[here].pop()
    person.feel(here)
    person.world.stacks[there].append(piece)
    person.feel(there)
    person.later()
    task = person.door.look()["tasks"][0]
    assert (task["do"], task["from"], task["to"]) == ("move", there, here)
    person.follow(task)
    assert person.door.look()["problem"] is None
