"""A hand pushes a line: every stone straight ahead moves on by one node, the foremost first."""

from __future__ import annotations

import pytest

from firmware_host.extensions.virtual.simulated import ahead, shove
from simulator.stones import World

ROW = {name: (float(x), 0.0) for x, name in enumerate("abcde")}
BENT = {**ROW, "f": (4.0, 1.0), "g": (5.0, 0.6)}


def world_with(**stones: str) -> World:
    world = World(tuple(ROW), "presence", lambda: 0.0)
    for node, piece in stones.items():
        world.put(node, piece)
    return world


@pytest.mark.parametrize(
    ("source", "target", "line"),
    [("a", "b", "bcde"), ("c", "b", "ba"), ("a", "c", ""), ("d", "e", "e"), ("b", "b", "")],
)
def test_a_line_goes_straight_on_from_a_neighbour(source: str, target: str, line: str) -> None:
    assert ahead(ROW, source, target) == list(line)


def test_a_line_turns_no_corner() -> None:
    assert ahead(BENT, "c", "d") == ["d", "e"]
    assert ahead(BENT, "e", "f") == ["f"]


def test_all_up_to_the_first_empty_node_move_on() -> None:
    world = world_with(b="w", c="b", e="b")
    shove(world, ROW, "a", "b", "hand")
    assert world.stones() == {"c": ["w"], "d": ["b"], "e": ["b"]}


def test_over_the_edge_is_back_in_the_supply() -> None:
    world = world_with(c="w", d="b", e="b")
    shove(world, ROW, "b", "c", "hand")
    assert world.stones() == {"d": ["w"], "e": ["b"]}
    assert world.supply["b"] == 43


def test_nothing_in_the_way_is_nothing_to_push() -> None:
    world = world_with(a="w", c="w")
    shove(world, ROW, "a", "b", "hand")
    assert world.stones() == {"a": ["w"], "c": ["w"]}
