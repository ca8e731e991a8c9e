"""What the computer player of Coil thinks: of stones in the main phase, of stones and the pass in phase I."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from random import Random

from firmware_host.games.coil.board import Board, board
from firmware_host.games.coil.coils import closes, has_coil
from firmware_host.games.coil.player.circles import BLACK, WHITE
from firmware_host.games.coil.player.core import Core
from firmware_host.games.coil.player.passing import black_chance
from firmware_host.games.coil.position import Position
from firmware_host.games.thinking import Budget, Choice, Strength, Thought, never
from firmware_host.searching.tree import Tree
from firmware_host.text.words import say

NO_STONE = "pass"
STRENGTHS = (
    Strength(Budget(220)),
    Strength(Budget(450)),
    Strength(Budget(1_080)),
    Strength(Budget(3_000)),
    Strength(Budget(24_000)),
)
"""The levels; nodes are random games."""
LINE = 6
"""So many actions of what is expected are told."""
FEW_GAMES = 8
"""A line goes on while so many games went along it."""
FOR_PASS = 3
"""One part in so many of the nodes is for the chance of Black after a pass."""
CANDIDATES = 10
"""So many stones are compared in phase I."""
FEWEST = 12
"""Games behind each of them."""
EARLY = 0.15
"""While Black's chance is below this a pass is far off: a quarter of the games is enough to choose a stone."""
PARTS = 8
"""Number of parts of a search: after each of them it ends if the choice is clear."""
CLEAR = 0.95
"""A game is all but decided when a seat's value is above this, or below 1 minus this."""


@cache
def core(size: int) -> Core:
    """Return the core for a size; it keeps no position from one search to the next."""
    return Core(size)


def think(position: Position, budget: Budget, rng: Random) -> Thought:
    """Rank what the seat to move can do. ``position`` is not over."""
    if position.phase == "contract":
        return _contract(position, budget, rng)
    return _main(position, budget, rng)


# -- the main phase ----------------------------------------------------------------------------------------------------


def _main(position: Position, budget: Budget, rng: Random) -> Thought:
    cells = board(position.size)
    black = position.colour == "b"
    closing = [cell for cell in cells.members(position.empty) if closes(cells, position.black, cell)]
    if black and closing:
        choices = [Choice(cells.names[cell], 1.0, reasons=(say("It closes a coil."),)) for cell in closing]
        return Thought(tuple(choices), 1, proved=True)
    if not has_coil(cells, position.black | position.empty):
        return _safe(position, cells, closing)
    side = BLACK if black else WHITE
    if closing and (len(closing) > 1 or position.empty.bit_count() == 1):
        return _stops(cells, closing)
    tree = _prepared(position.size, position.black, position.white, side, rng)
    games = _search(tree, budget)
    children = sorted(tree.children(), key=lambda child: _rank(tree, child, side), reverse=True)
    visited = [child for child in children if tree.visits(child) or tree.proved(child)] or children[:1]
    if budget.width:
        visited = visited[: budget.width]
    choices, highest = [], 1.0
    for child in visited:
        highest = min(highest, _value(tree, child, side))
        reasons = _reasons(cells, tree, child, side, closing)
        choices.append(Choice(cells.names[tree.move(child)], highest, line=_line(cells, tree, child), reasons=reasons))
    return Thought(tuple(choices), games, proved=bool(tree.proved()))


def _prepared(size: int, black: int, white: int, side: int, rng: Random) -> Tree:
    """Return the tree of a position of the main phase that is not decided, after one game."""
    root = core(size)
    root.begin(black, white, side, 0, rng.getrandbits(32))
    tree = Tree(root)
    tree.search(1, never)
    return tree


def _search(tree: Tree, budget: Budget) -> int:
    """Search until the choice is settled or the budget is spent; return the number of games."""
    for part in range(1, PARTS + 1):
        tree.search(max(0, budget.nodes * part // PARTS - tree.visits(0)), budget.out_of_time)
        if budget.out_of_time() or _is_settled(tree, budget.nodes - tree.visits(0)):
            break
    return tree.visits(0)


def _is_settled(tree: Tree, left: int) -> bool:
    """Tell whether half of the games that are left could not change the choice, or the game is all but decided."""
    if tree.proved():
        return True
    first, second = sorted((0, 0, *map(tree.visits, tree.children())))[:-3:-1]
    best = max(tree.children(), key=tree.visits, default=0)
    return 2 * (first - second) > left or not 1 - CLEAR < tree.mean(best) < CLEAR


def _rank(tree: Tree, child: int, side: int) -> tuple[int, int, float]:
    """Return what orders choices: certain wins, then by games played, certain losses by how long they last."""
    proved = tree.proved(child)
    return (0 if not proved else 1 if proved == side else -1), tree.visits(child), tree.mean(child)


def _value(tree: Tree, child: int, side: int) -> float:
    """Return the expected score; 0 and 1 are for what is certain."""
    proved = tree.proved(child)
    if proved:
        return 1.0 if proved == side else 0.0
    return min(max(tree.mean(child), 0.001), 0.999)


def _line(cells: Board, tree: Tree, child: int) -> tuple[str, ...]:
    """Return a child's move and what is expected to follow."""
    line = [cells.names[tree.move(child)]]
    while len(line) < LINE:
        child = max(tree.children(child), key=tree.visits, default=0)
        if not child or tree.visits(child) < FEW_GAMES:
            break
        line.append(cells.names[tree.move(child)])
    return tuple(line)


def _reasons(cells: Board, tree: Tree, child: int, side: int, closing: Sequence[int]) -> tuple[str, ...]:
    if closing:
        return (_stopping(cells, closing[0]),)
    if tree.proved(child) == side:
        return (say("It wins by force.") if side == BLACK else say("After it no coil can close any more."),)
    return ()


def _stopping(cells: Board, cell: int) -> str:
    return say("It stops a coil that would close at {node}.", node=cells.names[cell])


def _stops(cells: Board, closing: Sequence[int]) -> Thought:
    """Return the cells that close a coil, for White: with more than one of them the game is lost."""
    value = 0.0 if len(closing) > 1 else 1.0
    choices = [Choice(cells.names[cell], value, reasons=(_stopping(cells, cell),)) for cell in closing]
    return Thought(tuple(choices), 1, proved=True)


def _safe(position: Position, cells: Board, closing: Sequence[int]) -> Thought:
    """Return all empty cells: no coil is possible any more."""
    white = position.colour == "w"
    reasons = (say("White can't lose any more: no coil is possible."),)
    choices = [
        Choice(cells.names[cell], float(white), reasons=reasons)
        for cell in cells.members(position.empty)
        if cell not in closing
    ]
    return Thought(tuple(choices), 1, proved=True)


# -- phase I -----------------------------------------------------------------------------------------------------------


def _contract(position: Position, budget: Budget, rng: Random) -> Thought:
    """Compare the pass, after which the other player is White and begins, with some stones.

    A stone is worth what is left to the player if the other one passes, but hardly more than a half: the other one may
    put a stone, too. So it leaves Black's chance just below a half.
    """
    cells = board(position.size)
    nodes = max(FEWEST, budget.nodes // FOR_PASS)
    chance, tree, seen = _chance(position.size, position.black, nodes, budget, rng)
    reason = say("Black has the better chances now.") if chance > 0.5 else say("White has the better chances so far.")
    choices = [Choice(NO_STONE, chance, reasons=(reason,))]
    if chance < 1.0:
        candidates = _candidates(position, cells, tree, rng)
        left = (budget.nodes - seen) // (4 if chance < EARLY else 1)
        share = max(FEWEST, left // max(1, len(candidates)))
        for cell in candidates:
            if budget.out_of_time():  # A few games for each stone: else only the pass would be left.
                share, budget = FEWEST, replace(budget, out_of_time=never)
            after, _, games = _chance(position.size, position.black | 1 << cell, share, budget, rng)
            seen += games
            choices.append(Choice(cells.names[cell], min(1 - after, 0.5 + after / 10)))
    choices.sort(key=lambda choice: choice.value, reverse=True)
    return Thought(tuple(choices), seen, proved=choices[0].value == 1.0)


def estimate(
    size: int, black: int, games: int, out_of_time: Callable[[], bool], rng: Random
) -> tuple[float, Tree | None, int]:
    """Return the share of games that Black wins where White is to move, their tree, and their number.

    0 and 1 are for what is certain.
    """
    cells = board(size)
    closing = [cell for cell in cells.members(cells.all & ~black) if closes(cells, black, cell)]
    if len(closing) > 1:
        return 1.0, None, 1
    tree = _prepared(size, black, 0, WHITE, rng)
    tree.search(max(0, games - 1), out_of_time)
    seen = tree.visits(0)
    if tree.proved():
        return float(tree.proved() == BLACK), tree, seen
    white = sum(map(tree.wins, tree.children()))
    return (seen - white + 0.5) / (seen + 1), tree, seen


def _chance(size: int, black: int, games: int, budget: Budget, rng: Random) -> tuple[float, Tree | None, int]:
    """Return Black's chance where White is to move, the tree that it was found by, and the number of games."""
    found, tree, seen = estimate(size, black, games, budget.out_of_time, rng)
    return found if found in {0.0, 1.0} else black_chance(found, budget.nodes), tree, seen


def _candidates(position: Position, cells: Board, tree: Tree | None, rng: Random) -> list[int]:
    """Return some stones that close no coil: those where White would go, and others by chance."""
    offered = [cell for cell in cells.members(position.empty) if not closes(cells, position.black, cell)]
    wanted: list[int] = []
    if tree is not None:
        best = sorted(tree.children(), key=tree.visits, reverse=True)[: CANDIDATES // 2]
        wanted = [cell for cell in map(tree.move, best) if cell in offered]
    rest = [cell for cell in offered if cell not in wanted]
    return wanted + rng.sample(rest, min(len(rest), CANDIDATES - len(wanted)))
