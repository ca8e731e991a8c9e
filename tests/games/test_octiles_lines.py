"""Octiles: the board, the tiles and the lines on them, against the table of the reference and by their symmetries."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.octiles import board, rules
from firmware_host.games.octiles.rules import GOAL, HOME, Position
from tests.games import octiles_reference as slow
from tests.games.octiles_positions import positions
from tests.sampling import together

thorough = settings(max_examples=150, deadline=None)


# -- the board and the tiles -----------------------------------------------------------------------------------------


def test_what_lies_beyond_the_edges() -> None:
    kinds = {"stop": 0, "pad": 0, "well": 0, "printed": 0}
    for edge, beyond in enumerate(board.BEYOND):
        name = slow.EDGES[board.WELLS[edge // 8]][edge % 8]
        if beyond >= board.FIRST_NODE:
            node = board.NODES[beyond - board.FIRST_NODE]
            assert name == node
            kinds["pad" if board.PADS[beyond - board.FIRST_NODE] else "stop"] += 1
            continue
        assert name == f"{board.WELLS[beyond // 8]}.{slow.COMPASS[beyond % 8]}"
        assert board.BEYOND[beyond] == edge, "ways lead back"
        (x, y), (dx, dy) = board.WELL_PLACES[edge // 8], board.COMPASS[edge % 8]
        beside = board.WELL_PLACES[beyond // 8] == (x + dx, y + dy) and beyond % 8 == (edge + 4) % 8
        kinds["well" if beside else "printed"] += 1
    assert kinds == {"stop": 52, "pad": 20, "well": 48, "printed": 16}


def test_the_board_maps_onto_itself_under_quarter_turns_but_not_reflected() -> None:
    pads = {board.NODE[pad]: board.NODE[turned] for pad, turned in _turned_pads().items()}
    for edge, beyond in enumerate(board.BEYOND):
        turned = board.BEYOND[board.quarter_edge(edge)]
        if beyond < board.FIRST_NODE:
            assert turned == board.quarter_edge(beyond)
        elif board.PADS[beyond - board.FIRST_NODE]:
            assert turned - board.FIRST_NODE == pads[beyond - board.FIRST_NODE]
    assert {(-x, y) for x, y in board.WELL_PLACES} != set(board.WELL_PLACES)


def _turned_pads() -> dict[str, str]:
    around = [*board.SIDES, board.SIDES[0]]
    return {
        pad: turned
        for one, other in itertools.pairwise(around)
        for pad, turned in zip(board.HOMES[one], board.HOMES[other], strict=True)
    }


def test_the_tiles_are_all_ways_to_join_eight_edges_in_pairs() -> None:
    def matchings(edges: tuple[int, ...]) -> list[frozenset[frozenset[int]]]:
        if not edges:
            return [frozenset()]
        first, *rest = edges
        return [
            frozenset({frozenset({first, other})}) | more
            for other in rest
            for more in matchings(tuple(edge for edge in rest if edge != other))
        ]

    every = set(matchings(tuple(range(8))))
    assert len(every) == 105
    laid: dict[frozenset[frozenset[int]], int] = {}
    for face in range(8, 8 * 19):
        partner = board.PARTNER[face]
        assert all(partner[partner[edge]] == edge != partner[edge] for edge in range(8))
        lines = frozenset(frozenset({edge, partner[edge]}) for edge in range(8))
        assert laid.setdefault(lines, face // 8) == face // 8, "no tile is another one turned"
    assert set(laid) == every
    assert set(laid.values()) == set(range(1, 19))


@together("tile", range(1, 19))
def test_a_turned_tile_joins_the_turned_edges(tile: int) -> None:
    assert {tuple(sorted(line)) for line in board.LINES[tile]} == set(slow.TILES[tile])
    for turn in range(8):
        for one, other in slow.TILES[tile]:
            assert board.PARTNER[tile * 8 + turn][(one + turn) % 8] == (other + turn) % 8


# -- lines -----------------------------------------------------------------------------------------------------------


@thorough
@given(positions())
def test_lines_lead_back_the_way_they_came(now: Position) -> None:
    for node in range(len(board.NODES)):
        for edge in board.MEETS[node]:
            line = rules.line(rules.ways(now.faces), edge)
            assert len(line) <= board.EDGES
            if line[-1] == board.DEAD:
                assert now.faces[line[-2] // 8] == 0
                continue
            *entered, end = line
            last = entered[-1] // 8 * 8 + board.PARTNER[now.faces[entered[-1] // 8]][entered[-1] % 8]
            assert last in board.MEETS[end - board.FIRST_NODE]
            back = rules.line(rules.ways(now.faces), last)
            assert back[-1] == board.FIRST_NODE + node
            assert [one // 8 for one in back[:-1]] == [one // 8 for one in reversed(entered)]


@thorough
@given(positions(full=True))
def test_on_a_full_board_no_line_dies(now: Position) -> None:
    assert all(now.faces)
    ends = []
    for node in range(len(board.NODES)):
        for edge in board.MEETS[node]:
            line = rules.line(rules.ways(now.faces), edge)
            assert line[-1] != board.DEAD
            ends.append(line[-1] - board.FIRST_NODE)
    meeting = [node for node in range(len(board.NODES)) for _ in board.MEETS[node]]
    assert sorted(ends) == meeting, "each edge of a node is the end of one line"


@pytest.mark.thorough
@thorough
@given(positions(), st.integers(1, 3))
def test_quarter_turns_of_the_board_keep_the_counts(now: Position, quarters: int) -> None:
    side = now.side
    faces, nodes, standing = list(now.faces), list(range(len(board.NODES))), set().union(*now.runners)
    own = set(now.runners[now.seat - 1])
    counts = set()
    for turned in range(quarters + 1):
        open_to = [is_open and node not in standing for node, is_open in enumerate(rules.OPEN[side])] + [False]
        found = {}
        for home_only in (False, True):
            movers = [node for node in own if node not in GOAL[side] and (node in HOME[side] or not home_only)]
            found[home_only] = len(rules.turns(rules.ways(faces), now.stack[0], movers, open_to))
        counts.add((found[False], found[True]))
        if turned == 0:
            offered = rules.legal_turns(now)
            assert len(offered.turns) == found[offered.vacating]
        moved = [0] * len(faces)
        for well, face in enumerate(faces):
            moved[board.quarter(well)] = face and face // 8 * 8 + (face + 2) % 8
        faces = moved
        nodes = [_quarter_node(node) for node in range(len(board.NODES))]
        standing, own = {nodes[node] for node in standing}, {nodes[node] for node in own}
        side = board.SIDES[(board.SIDES.index(side) + 1) % 4]
    assert len(counts) == 1


def _quarter_node(node: int) -> int:
    """Return the node that a quarter turn of the board makes of one, by where they lie."""
    places = board.layout().nodes
    x, y = places[board.NODES[node]]

    def missed(other: int) -> float:
        there = places[board.NODES[other]]
        return abs(there[0] - y) + abs(there[1] + x)

    return min(range(len(board.NODES)), key=missed)
