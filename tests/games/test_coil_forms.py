"""The two forms of Coil's rules, compared exactly; and what closes a coil beside OpenSpiel's rings."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.games.coil.board import SIZES, board
from firmware_host.games.coil.flat import FlatCoil
from firmware_host.games.coil.rules import Position, has_coil
from firmware_host.games.registry import game
from tests.forms import tenth_if_plain
from tests.games import coil_reference as slow
from tests.games import openspiel
from tests.games.mutations import Load, Mutation, choices_of, compares, loader, notices, untried
from tests.sampling import cases, few

COIL: Any = game("coil")


# -- the same game in both forms -------------------------------------------------------------------------------------


def compare(load: Load, size: int, games: int, *, results: bool = True) -> int:
    """Play random games of a size in both forms; return the number of positions compared.

    With ``results`` every action of every position is tried in both, else the one that is played.
    """
    rules, flat, rng, met = load("rules"), load("flat"), Random(size), 0
    cells, along, root = board(size), flat.FlatCoil(size), flat.FlatCoil(size)
    under = choices_of(rules.Options)
    for number in range(games):
        now = rules.start(size, under[number % len(under)])
        along.begin(now)
        # A game in three stays in phase I until a coil closes.
        stones = rng.randrange(len(cells.cells) // 2) if number % 3 else len(cells.cells)
        while now.ending is None:
            met += 1
            assert_same(rules, flat, cells, now, along)
            root.begin(now)
            assert root.threats() == along.threats(), "a position is the same, however it came about"
            offered = [*cells.members(now.empty), *([flat.PASS] if now.phase == "contract" else [])]
            for move in offered if results else ():
                root.reset()
                root.play(move)
                assert_ended_alike(flat, after(rules, now, move), root)
            passes = now.phase == "contract" and now.black.bit_count() >= stones
            move = flat.PASS if passes else rng.choice(offered[: now.empty.bit_count()])
            now = after(rules, now, move)
            along.play(move)
            assert_ended_alike(flat, now, along)
    return met


def after(rules: Any, now: Any, move: int) -> Any:
    return rules.after_stone(now, move) if move else rules.after_pass(now)


@compares("actions, stones or threats", lambda _rules, _flat, _cells, now, _found: COIL.text(now))
def assert_same(rules: Any, flat: Any, cells: Any, now: Any, found: Any) -> None:
    """Actions, stones, what closes a coil and whether one is possible are the same."""
    listed = sorted(int(found.move_list[at]) for at in range(found.list_moves()))
    assert listed == sorted([*cells.members(now.empty), *([flat.PASS] if now.phase == "contract" else [])])
    assert found.side() == (flat.BLACK if now.colour == "b" else flat.WHITE)
    assert [sum(1 << cell for cell in cells.cells if found.owner[cell] == side) for side in (1, 2)] == [
        now.black,
        now.white,
    ]
    assert found.threats() == [
        cell for cell in cells.members(now.empty) if rules.has_coil(cells, now.black | 1 << cell)
    ]
    assert found.is_safe() == (not rules.has_coil(cells, now.black | now.empty))


@compares("the end or whose turn it is", lambda _flat, now, _found: COIL.text(now))
def assert_ended_alike(flat: Any, now: Any, found: Any) -> None:
    """How the game has ended, for whom, and whose turn it is are the same."""
    endings = {0: None, flat.COIL: "coil", flat.FULL: "full"}
    told = endings[found.ending], found.winner, found.seat, found.holder
    assert told == (now.ending, now.winner, now.seat, now.holder)


@pytest.mark.parametrize(("size", "games"), few([(3, 40), (4, 25), (5, 10), (6, 3), (7, 2), (8, 1)], 3))
def test_both_forms_have_the_same_actions_and_results(size: int, games: int) -> None:
    assert compare(loader("coil"), size, games) > 10 * games


@pytest.mark.thorough
@pytest.mark.parametrize("size", SIZES)
def test_both_forms_have_the_same_actions_and_results_in_a_million_positions(size: int) -> None:
    for games, least, results in ((9_000, 80_000, True), (24_000, 200_000, False)):
        compared = compare(loader("coil"), size, tenth_if_plain(games // size), results=results)
        assert compared > tenth_if_plain(least // size)


REFERENCE = {
    "R1": ("            return other(self.seat)", "            return self.seat"),
    "the pass": ("seat=other(position.seat), holder=", "seat=position.seat, holder="),
    "phase I is black": ('self.phase == "contract" or self.seat == self.holder', "self.seat == 1"),
    "a full board": ('self.ending == "coil" else other(self.holder)', "self.ending else 0"),
    "a flower": ("return True  # Six", "pass  # Six"),
    "a ring": ("            return reached != free", "            return False"),
    "the rim": ("reached = board.rim & free", "reached = board.all & free"),
}
FLAT = {
    "R1": ("return self.seat if self.holder else 3 - self.seat", "return self.seat"),
    "the pass": ("            self.holder = self.seat\n", "            self.holder = 3 - self.seat\n"),
    "phase I is black": ("self.holder == 3 - self.seat else", "self.seat == 2 else"),
    "a full board": ("self.winner = 3 - self.holder", "self.winner = self.holder"),
    "a flower": ("            self._look_for_flowers(cell)\n", "            pass\n"),
    "a ring": (
        "        if first == second:\n            return True",
        "        if first == second:\n            return False",
    ),
    "a third run": ("return third in (first, second)", "return False"),
    "joined groups": ("group[stone] = other\n", "group[stone] = group[stone]\n"),
    "the rim": ("len(self._cells) - len(self._rim)", "len(self._cells)"),
}
MUTATIONS = [
    Mutation(ruling, file, old, new)
    for file, table in (("rules.py", REFERENCE), ("flat.py", FLAT))
    for ruling, (old, new) in table.items()
]


@pytest.mark.parametrize("mutation", few(MUTATIONS, 6), ids=str)
def test_a_ruling_altered_in_either_form_is_noticed(mutation: Mutation, tmp_path: Path) -> None:
    def check(load: Load) -> None:
        compare(load, 3, 12)
        compare(load, 5, 6, results=False)

    assert notices(check, "coil", mutation, tmp_path)


def test_every_ruling_is_altered_in_both_forms() -> None:
    assert untried("coil", MUTATIONS, {"reference": ["rules.py"], "flat": ["flat.py"]}) == []


# -- random games ----------------------------------------------------------------------------------------------------


def test_random_games_end_as_their_stones_say() -> None:
    for size in (5, 7):
        cells, flat = board(size), FlatCoil(size)
        flat.begin(Position(size, 0, 0, "main", 2, 1))
        winners = set()
        for seed in range(100):
            flat.reset()
            flat.seed(Random(seed).getrandbits(32))
            side = flat.playout()
            black, white = (sum(1 << cell for cell in cells.cells if flat.owner[cell] == owner) for owner in (1, 2))
            assert black | white == cells.all
            assert abs(black.bit_count() - white.bit_count()) <= 1
            assert (side == 1) == has_coil(cells, black)
            winners.add(int(flat.winner))
        assert winners == {1, 2}


@pytest.mark.slow
@pytest.mark.parametrize("size", cases([3, 7, 10], 3, 7))
def test_random_games_end_as_often_as_those_stone_by_stone(size: int) -> None:
    rng, count = Random(size), 1500
    lists, every = slow.FlatLists(size), list(range(len(board(size).cells)))
    contract = COIL.start_with("2", {"size": size})
    main = COIL.apply(contract, {1: "pass"}).position
    for start in (contract, main):
        found = [COIL.playout(start, rng) for _ in range(count)]
        plain = [lists.playout([], every, rng, contract=start is contract, blacks_turn=False) for _ in range(count)]
        # In phase I the lists tell who closed a coil, and after it only which colour has won.
        coils = sum(status.reason == "coil" for status in found)
        assert abs(coils - sum(end != 0 for end in plain)) < 4.5 * math.sqrt(count / 2)
        if start is contract:
            assert abs(sum(status.winners == (2,) for status in found) - count / 2) < 4.5 * math.sqrt(count / 2)
        else:
            assert {(status.reason, status.winners) for status in found} == {("coil", (1,)), ("full", (2,))}


# -- rings -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(openspiel.pyspiel is None, reason=openspiel.HOW)
@pytest.mark.parametrize("size", SIZES)
def test_a_stone_closes_a_coil_when_it_closes_a_ring_of_openspiel_s_havannah(size: int) -> None:
    """The board lies in the middle of a wider one, so that nothing but a ring can end a game of Havannah.

    Bridges and forks need corners or edges, which no black stone reaches: all are on cells of Coil's board. The other
    player's stones lie outside it, on every third cell, none of which is next to another: they never join.
    """
    around = size
    wide = size + around
    inner = {openspiel.action(size, cell, around) for cell in slow.cells(size)}
    side = 2 * wide - 1
    outside = [
        number
        for number in map(lambda cell: openspiel.action(wide, cell), slow.cells(wide))  # noqa: C417
        if number not in inner and (number // side + number % side) % 3 == 0
    ]
    cells = board(size)
    for seed in range(20):
        rng = Random(seed)
        order = list(slow.cells(size))
        rng.shuffle(order)
        state, black = openspiel.havannah(wide).new_initial_state(), 0
        for cell, white in zip(order, rng.sample(outside, len(order)), strict=True):
            black |= 1 << cells.numbers[slow.name(cell)]
            closed = has_coil(cells, black)
            state.apply_action(openspiel.action(size, cell, around))
            assert state.is_terminal() == closed
            if closed:
                assert state.returns() == [1.0, -1.0]
                break
            state.apply_action(white)
        else:
            pytest.fail("a board full of black holds a coil")
