"""The computer player of Coil: Monte Carlo tree search in the main phase, an estimate of Black's chance in phase I.

**The main phase.** :class:`firmware_host.searching.tree.MonteCarloTree` grows a tree of positions, and a random game
from each new leaf says who may win there (Monte Carlo tree search: Coulom, 2006). Coil suits it: a game has no more
stones than there are cells, random games are quick, and no evaluation is known that could take their place. As in Hex
and Havannah the value of a cell depends little on when it is taken. So a game also counts for the moves that are played
later in it: RAVE (Gelly and Silver, *Monte-Carlo tree search and rapid action value estimation in computer Go*,
Artificial Intelligence 175, 2011). A node believes these results first, and its own games the more of them it has.

What random games overlook :class:`firmware_host.games.coil.player.core.Core` knows: a coil that closes in one is closed
or stopped at once (Teytaud and Teytaud, *On the huge benefit of decisive moves in Monte-Carlo tree search algorithms*,
CIG 2010), White answers a broken bridge, and half of the other replies are next to the last stone. Two threats of
Black, or one where Black moves, are proved wins; so is a White that no coil can hurt any more. Proofs go up the tree
(Winands, Björnsson and Saito, *Monte-Carlo tree search solver*, CG 2008).

**Phase I.** The other player may pass after each stone, and then plays the black stones that lie. As where one cuts and
the other chooses, a stone is good that leaves Black's chance just below a half, and above a half one passes oneself.
The search gives the share of random games that Black wins. That overrates Black, and the more so the better both play:
to watch everything at once, which is White's task, is what chance does worst. ``passing.toml`` has logistic curves from
that share to Black's chance between players of some strengths, fitted by ``fit_coil`` of the laboratory; between them
the offset is interpolated by the logarithm of the strength. In the main phase the curve is another one, by what White
has put so far: random games err less and less, and each side's search is hopeful. What the tree chooses does not depend
on it: it is what values of actions mean to people.

docs/player-coil.md says what each part was measured to be worth.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

from firmware_host.games.coil.board import Board, board
from firmware_host.games.coil.flat import BLACK
from firmware_host.games.coil.player.core import Core
from firmware_host.games.coil.rules import PASS, Position
from firmware_host.games.thinking import Budget, Choice, Oversights, Strength, Thought, never
from firmware_host.searching.tree import MonteCarloTree
from firmware_host.text.words import say

STRENGTHS = (
    Strength(Budget(220)),
    Strength(Budget(450)),
    Strength(Budget(1_080)),
    Strength(Budget(3_000)),
    Strength(Budget(24_000)),
)
"""The levels; nodes are random games."""
FIRST_STEPS = Strength(Budget(60), oversights=Oversights(wins=0.2, plans=0.1))
LINE = 6
"""Number of expected actions that are told."""
FEW_GAMES = 8
"""A line goes on while at least this number of games went along it."""
FOR_PASS = 3
"""One part in this number of the nodes is for the chance of Black after a pass."""
CANDIDATES = 10
"""Number of stones that are compared in phase I."""
FEWEST = 12
"""Games behind each of them."""
EARLY = 0.15
"""While Black's chance is below this a pass is far off: a quarter of the games is enough to choose a stone."""
PARTS = 8
"""Number of parts of a search: after each of them it ends if the choice is clear."""
CLEAR = 0.95
"""A game is all but decided when a seat's share of random games is above this, or below 1 minus this."""
UNSURE = 0.002
"""What is not certain is so far from 0 and 1 at least."""


DATA = Path(__file__).with_name("passing.toml")


@cache
def core(size: int) -> Core:
    """Return the core for a size; it keeps no position from one search to the next."""
    return Core(size)


def think(position: Position, budget: Budget, rng: Random) -> Thought:
    """Rank what the seat to move can do. ``position`` is not over."""
    cells, root = board(position.size), core(position.size)
    root.begin(position)
    closing = root.threats()
    if closing and root.side() == BLACK and root.coil_winner() == position.seat:
        choices = [Choice(cells.names[cell], 1.0, reasons=(say("This closes a coil."),)) for cell in closing]
        return Thought(tuple(choices), 1, proved=True)
    if position.phase == "contract":
        return _contract(position, closing, budget, rng)
    return _main(position, closing, budget, rng)


# -- the main phase ----------------------------------------------------------------------------------------------------


def _main(position: Position, closing: Sequence[int], budget: Budget, rng: Random) -> Thought:
    """Search a position in which no stone of the seat to move closes a coil; ``closing`` are White's to stop."""
    cells, root = board(position.size), core(position.size)
    if root.is_safe():
        return _safe(position, cells)
    if closing and (len(closing) > 1 or position.empty.bit_count() == 1):
        return _stops(cells, closing)
    side = int(root.side())
    tree, games = search_main(root, budget, rng)
    children = sorted(tree.children(), key=lambda child: _rank(tree, child, side), reverse=True)
    visited = [child for child in children if tree.visits(child) or tree.proved_winner(child)] or children[:1]
    if budget.width:
        visited = visited[: budget.width]
    choices: list[Choice] = []
    highest = 1.0
    put = position.white.bit_count() / len(cells.cells)
    for child in visited:
        highest = min(highest, _value(tree, child, side, budget.nodes, put, surely=bool(choices)))
        reasons = _reasons(cells, tree, child, side, closing)
        choices.append(Choice(cells.names[tree.move(child)], highest, line=_line(cells, tree, child), reasons=reasons))
    return Thought(tuple(choices), games, proved=bool(tree.proved_winner()))


def search_main(root: Core, budget: Budget, rng: Random) -> tuple[MonteCarloTree, int]:
    """Search the main phase from a root that is not decided; return the tree and the number of random games."""
    tree = _tree(root, rng)
    return tree, _search(tree, budget)


def _tree(root: Core, rng: Random) -> MonteCarloTree:
    """Return the tree of a root that is not decided, after one game."""
    root.seed(rng.getrandbits(32))
    tree = MonteCarloTree(root)
    tree.search(1, never)
    return tree


def _search(tree: MonteCarloTree, budget: Budget) -> int:
    """Search until the choice is settled or the budget is spent; return the number of games."""
    for part in range(1, PARTS + 1):
        tree.search(max(0, budget.nodes * part // PARTS - tree.visits(0)), budget.out_of_time)
        if budget.out_of_time() or _is_settled(tree, budget.nodes - tree.visits(0)):
            break
    return tree.visits(0)


def _is_settled(tree: MonteCarloTree, left: int) -> bool:
    """Tell whether half of the games that are left could not change the choice, or the game is all but decided."""
    if tree.proved_winner():
        return True
    first, second = sorted((0, 0, *map(tree.visits, tree.children())))[:-3:-1]
    best = max(tree.children(), key=tree.visits, default=0)
    return 2 * (first - second) > left or not 1 - CLEAR < tree.mean(best) < CLEAR


def _rank(tree: MonteCarloTree, child: int, side: int) -> tuple[int, int, float]:
    """Return what orders choices: certain wins, then by games played, certain losses by how long they last."""
    proved = tree.proved_winner(child)
    return (0 if not proved else 1 if proved == side else -1), tree.visits(child), tree.mean(child)


def _value(tree: MonteCarloTree, child: int, side: int, nodes: int, put: float, *, surely: bool) -> float:
    """Return the expected score between players with so many nodes; 0 and 1 are for what is certain.

    ``put`` are White's stones, as a part of all cells. ``surely``: what an action that the search has hardly tried is
    worth at least, more or less: less by one deviation. Without an exploration term nearly all games go to one action.
    What two games say of another is chance: shown as equally good in a hint, or not missed by a review, it would
    mislead.
    """
    proved = tree.proved_winner(child)
    if proved:
        return 1.0 if proved == side else 0.0
    share = tree.mean(child)
    if surely:
        share -= math.sqrt(share * (1 - share) / max(1, tree.visits(child)))
    chance = main_chance(share if side == BLACK else 1 - share, nodes, put, blacks_turn=side == BLACK)
    return min(max(chance if side == BLACK else 1 - chance, UNSURE), 1 - UNSURE)


def _line(cells: Board, tree: MonteCarloTree, child: int) -> tuple[str, ...]:
    """Return the moves that are expected after a child's."""
    line: list[str] = []
    while len(line) < LINE - 1:
        child = max(tree.children(child), key=tree.visits, default=0)
        if not child or tree.visits(child) < FEW_GAMES:
            break
        line.append(cells.names[tree.move(child)])
    return tuple(line)


def _reasons(cells: Board, tree: MonteCarloTree, child: int, side: int, closing: Sequence[int]) -> tuple[str, ...]:
    if closing:
        return (_stopping(cells, closing[0]),)
    if tree.proved_winner(child) == side:
        return (
            say("This wins, whatever the other side does.")
            if side == BLACK
            else say("After it no coil can close any more."),
        )
    return ()


def _stopping(cells: Board, cell: int) -> str:
    return say("This stops a coil that would close at {node}.", node=cells.names[cell])


def _stops(cells: Board, closing: Sequence[int]) -> Thought:
    """Return the cells that close a coil, for White: with more than one of them the game is lost."""
    value = 0.0 if len(closing) > 1 else 1.0
    choices = [Choice(cells.names[cell], value, reasons=(_stopping(cells, cell),)) for cell in closing]
    return Thought(tuple(choices), 1, proved=True)


def _safe(position: Position, cells: Board) -> Thought:
    """Return all empty cells: no coil is possible any more."""
    value, reasons = float(position.colour == "w"), (say("White can't lose any more: no coil is possible."),)
    choices = [Choice(cells.names[cell], value, reasons=reasons) for cell in cells.members(position.empty)]
    return Thought(tuple(choices), 1, proved=True)


# -- phase I -----------------------------------------------------------------------------------------------------------


def _contract(position: Position, closing: Sequence[int], budget: Budget, rng: Random) -> Thought:
    """Compare the pass, after which the other player is White and begins, with some stones; ``closing`` would lose.

    A stone is worth what is left to the player if the other one passes, but hardly more than a half: the other one may
    put a stone, too. So it leaves Black's chance just below a half.
    """
    cells = board(position.size)
    nodes = max(FEWEST, budget.nodes // FOR_PASS)
    chance, tree, seen = _chance(position.size, position.black, nodes, budget, rng)
    reason = say("Black has the better chances now.") if chance > 0.5 else say("White has the better chances so far.")
    choices = [Choice(PASS, chance, reasons=(reason,))]
    if chance < 1.0:
        candidates = _candidates([cell for cell in cells.members(position.empty) if cell not in closing], tree, rng)
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
) -> tuple[float, MonteCarloTree | None, int]:
    """Return the share of games that Black wins where White is to move, their tree, and their number.

    0 and 1 are for what is certain.
    """
    root = core(size)
    root.begin(Position(size, black, 0, "main", 2, 1))
    if len(root.threats()) > 1:
        return 1.0, None, 1
    tree = _tree(root, rng)
    tree.search(max(0, games - 1), out_of_time)
    seen = tree.visits(0)
    if tree.proved_winner():
        return float(tree.proved_winner() == BLACK), tree, seen
    white = sum(map(tree.wins, tree.children()))
    return (seen - white + 0.5) / (seen + 1), tree, seen


def _chance(size: int, black: int, games: int, budget: Budget, rng: Random) -> tuple[float, MonteCarloTree | None, int]:
    """Return Black's chance where White is to move, the tree that it was found by, and the number of games."""
    found, tree, seen = estimate(size, black, games, budget.out_of_time, rng)
    return found if found in {0.0, 1.0} else black_chance(found, budget.nodes), tree, seen


def _candidates(offered: Sequence[int], tree: MonteCarloTree | None, rng: Random) -> list[int]:
    """Return some of the cells: those where White would go, and others by chance."""
    wanted: list[int] = []
    if tree is not None:
        best = sorted(tree.children(), key=tree.visits, reverse=True)[: CANDIDATES // 2]
        wanted = [cell for cell in map(tree.move, best) if cell in offered]
    rest = [cell for cell in offered if cell not in wanted]
    return wanted + rng.sample(rest, min(len(rest), CANDIDATES - len(wanted)))


@dataclass(frozen=True)
class Curves:
    """Curves from a share of random games to Black's chance: logit of this = an offset + ``slope`` * logit of that."""

    offsets: tuple[tuple[float, float], ...]
    """Logarithm of the nodes and offset, for each strength of players that was fitted."""
    slope: float
    pace: float
    """The main phase has ``pace`` times this logit, and more:"""
    shift: float
    put: float
    """For each part of the cells on which White has put stones."""
    turn: float
    """Where Black is to move."""

    def after_pass(self, found: float, nodes: int) -> float:
        """Return the logit of Black's chance after a pass, where the whole search has found this share."""
        at = math.log(max(1, nodes))
        after = next((place for place, one in enumerate(self.offsets) if one[0] >= at), len(self.offsets) - 1)
        low, high = self.offsets[max(0, after - 1)], self.offsets[after]
        part = 0.0 if high[0] == low[0] else min(max((at - low[0]) / (high[0] - low[0]), 0.0), 1.0)
        return low[1] + part * (high[1] - low[1]) + self.slope * logit(found)


@cache
def curves() -> Curves:
    """Return the curves that were fitted."""
    found = tomllib.loads(DATA.read_text(encoding="utf-8"))
    offsets = sorted((math.log(one["nodes"]), one["offset"]) for one in found["strength"])
    main = found["main"]
    return Curves(tuple(offsets), found["slope"], main["pace"], main["shift"], main["put"], main["turn"])


def logit(share: float) -> float:
    """Return the logit of a share, which is kept a little away from 0 and 1."""
    inside = min(max(share, 0.002), 0.998)
    return math.log(inside / (1 - inside))


def black_chance(found: float, nodes: int) -> float:
    """Return Black's chance between players with so many nodes an action, where a search found this share."""
    return 1 / (1 + math.exp(-curves().after_pass(found, nodes)))


def main_chance(found: float, nodes: int, put: float, *, blacks_turn: bool) -> float:
    """Return Black's chance in the main phase, where this is the share of random games after the best action.

    ``put`` are White's stones, as a part of all cells.
    """
    of = curves()
    return 1 / (1 + math.exp(-of.pace * of.after_pass(found, nodes) - of.shift - of.put * put - of.turn * blacks_turn))
