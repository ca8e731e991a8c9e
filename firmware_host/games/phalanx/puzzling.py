"""Puzzles of Phalanx: the kinds, and a solver on bare sets of points.

A turn is the set of boards that it can end with. Draws don't matter: the claims speak of the next two turns, in which
no position comes for the third time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from firmware_host.games.phalanx import rules, turns
from firmware_host.games.phalanx.board import NODE, OTHER, PLAYABLE, SIDES, members, near
from firmware_host.games.phalanx.notation import END
from firmware_host.games.phalanx.player import forms, thinker
from firmware_host.games.phalanx.player.wins import winning
from firmware_host.games.phalanx.position import ACTIONS, Position, text
from firmware_host.games.puzzles import PREVENT, REACH, Claim, Puzzle, PuzzleKind, grouped
from firmware_host.searching.alpha_beta import PROVED, UNKNOWN
from firmware_host.text.words import say

Pair = tuple[int, int]
"""The hoplites of the side that acts, and of its opponent."""

KINDS: Mapping[str, PuzzleKind] = {
    "win": PuzzleKind(
        say("Win now"),
        say("Win the game with what is left of this turn."),
        say("The turn is over, and the game is not won."),
        Claim(REACH),
    ),
    "stop": PuzzleKind(
        say("Stop it"),
        say("One action is left. The other side is about to win in its next turn: what stops it?"),
        say("With that the other side has won."),
        Claim(PREVENT),
    ),
}
WIDEST = {1: 200, 2: 60, 3: 26}
"""Actions left → how many actions a position may offer: it is to be solved by looking."""
MOST_REPLIES = 3_000
"""Boards with which the other side's turn may end, for a proof that is checked in seconds."""
STUDIES = 30
"""Positions that are tried as one game."""


def solved(kind: str, position: Position) -> Puzzle | None:
    """Return the puzzle of a kind that a running position is; None where it has no one best answer."""
    pair = turns.sides(position)
    if len(_following(pair)) + 1 > WIDEST.get(position.left, 0):
        return None
    return _win(position, pair) if kind == "win" else _stop(position, pair)


def studies(kind: str, rng: Random) -> Iterator[Position]:
    """Yield positions near the end of a game that chance has made: two armies, the second one near the first."""
    for _ in range(STUDIES):
        number = rng.randrange(20, 60)
        side = SIDES[(number - 1) % 2]
        own = _army(rng, rng.randrange(3, 8), PLAYABLE)
        other = _army(rng, rng.randrange(2, 8), PLAYABLE & ~own)
        if other and not rules.winner(*turns.board_of(side, own, other), side):
            left = rng.choice((1, 2, 2, 3, 3)) if kind == "win" else 1
            yield Position(turns.board_of(side, own, other), side, left, number)


def _army(rng: Random, size: int, free: int) -> int:
    """Return an army of some hoplites that has grown from one point; none where there is no room for it."""
    army = rng.choice(members(free))
    while army.bit_count() < size:
        room = members(near(army) & free & ~army)
        if not room:
            return 0
        army |= rng.choice(room)
    return army


def _following(pair: Pair) -> dict[Pair, str]:
    """Return the board after each action but the end of the turn → the first action that leads there."""
    own, other = pair
    offer = rules.offer(own, other)
    found: dict[Pair, str] = {}
    for target in members(offer.adds):
        found.setdefault((own | target, other), f"+{NODE[target]}")
    for source, targets in offer.moves:
        for target in members(targets):
            found.setdefault((own ^ source | target, other), f"{NODE[source]}-{NODE[target]}")
    for push in offer.pushes:
        found.setdefault(rules.pushed(own, other, push), push.text)
    living: dict[Pair, str] = {}
    for (mine, theirs), action in found.items():
        living.setdefault((rules.alive(mine), rules.alive(theirs)), action)
    return living


def _winner(pair: Pair, side: str) -> str | None:
    won = rules.winner(*turns.board_of(side, *pair), side)
    return won[0] if won else None


def _ends(pair: Pair, side: str, left: int) -> Iterator[tuple[Pair, tuple[str, ...], str | None]]:
    """Yield each board with which a side's turn can end, one way to it, and who has won by it."""
    level: dict[Pair, tuple[str, ...]] = {pair: ()}
    seen: set[Pair] = set()
    for more in range(left, 0, -1):
        following: dict[Pair, tuple[str, ...]] = {}
        for at, way in level.items():
            if at not in seen:
                seen.add(at)
                yield at, (*way, END), None
            for after, action in _following(at).items():
                won = _winner(after, side)
                if won is None and more > 1:
                    following.setdefault(after, (*way, action))
                elif after not in seen:
                    seen.add(after)
                    yield after, (*way, action), won
        level = following


def wins(pair: Pair, side: str, left: int) -> bool:
    """Tell whether a side wins with some actions of one turn."""
    number = SIDES.index(side) + 1
    position = Position(turns.board_of(side, *pair), side, left, number)
    armies = thinker.line_from(position, forms.weights(forms.FITTED), bonus=False)
    verdict = armies.verdict(0)
    return verdict >= PROVED if verdict != UNKNOWN else winning(armies)[0] != 0


def _win(position: Position, pair: Pair) -> Puzzle | None:
    if not wins(pair, position.side, position.left):
        return None
    right, count = [], 0
    for _, way, won in _ends(pair, position.side, position.left):
        count += 1
        if won == position.side:
            right.append(way)
            if len(right) > 1:
                return None
    return _puzzle("win", position, right[0], count, count, {}) if right else None


def _stop(position: Position, pair: Pair) -> Puzzle | None:
    """Return the puzzle whose answer is the last action of a turn, judged by what the other side's turn can do."""
    side, other = position.side, OTHER[position.side]
    if position.left != 1 or wins(pair, side, 1) or not wins(_turned(pair), other, ACTIONS):
        return None
    ends = {way: _turned(after) for after, way, _ in _ends(pair, side, 1)}
    safe = [way for way, after in ends.items() if not wins(after, other, ACTIONS)]
    if len(safe) != 1:
        return None
    looked = sum(1 for _ in _ends(ends[safe[0]], other, ACTIONS))
    if looked > MOST_REPLIES:
        return None
    replies = {way[0]: _winning(after, other) for way, after in ends.items() if way != safe[0]}
    return _puzzle("stop", position, safe[0], len(ends), looked, replies)


def _turned(pair: Pair) -> Pair:
    return pair[1], pair[0]


def _winning(pair: Pair, side: str) -> tuple[str, ...]:
    """Return a turn with which a side wins, where there is one."""
    return next(way for _, way, won in _ends(pair, side, ACTIONS) if won == side)


def _puzzle(
    kind: str, position: Position, way: tuple[str, ...], ends: int, looked: int, replies: Mapping[str, tuple[str, ...]]
) -> Puzzle:
    return Puzzle("phalanx", kind, text(position), position.seat, way, ends, looked, grouped(replies))
