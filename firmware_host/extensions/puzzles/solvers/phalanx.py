"""Puzzles of Phalanx: the kinds, and a solver on sets of points.

The result of a turn is one of the boards that it can end with. Draws are ignored: the puzzles' claims are about the
next two turns, in which no position occurs for the third time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.extensions.puzzles.puzzle import PREVENT, REACH, Claim, Puzzle, PuzzleKind, Solver, group_replies
from firmware_host.games.game import Game
from firmware_host.games.phalanx import rules
from firmware_host.games.phalanx.board import NODE, OTHER, PLAYABLE, SIDES, members, near
from firmware_host.games.phalanx.notation import text
from firmware_host.games.phalanx.player import forms, thinking
from firmware_host.games.phalanx.player.armies import winning
from firmware_host.games.phalanx.rules import END, Position
from firmware_host.link.weak_games import game_positions
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
        say("After that the other side wins."),
        Claim(PREVENT),
    ),
}
WIDEST = {1: 200, 2: 60, 3: 26}
"""Number of actions left → maximum number of legal actions, so that people can solve it by looking."""
MAX_REPLIES = 3_000
"""Maximum number of boards that the opponent's turn may end with, so that a proof is checked in seconds."""
STUDIES = 30
"""Number of positions tried in place of one game."""


def make_puzzle(kind: str, position: Position) -> Puzzle | None:
    """Return a running position as a puzzle of a kind; None if it has no unique best answer."""
    if len(_following(rules.sides(position))) + 1 > WIDEST.get(position.left, 0):
        return None
    return _win(position) if kind == "win" else _stop(position)


def study_positions(kind: str, rng: Random) -> Iterator[Position]:
    """Yield random positions near the end of a game: two armies, near each other."""
    for _ in range(STUDIES):
        number = rng.randrange(20, 60)
        side = SIDES[(number - 1) % 2]
        own = _army(rng, rng.randrange(3, 8), PLAYABLE)
        other = _army(rng, rng.randrange(2, 8), PLAYABLE & ~own)
        if other and not rules.winner(*rules.board_of(side, own, other), side):
            left = rng.choice((1, 2, 2, 3, 3)) if kind == "win" else 1
            yield Position(rules.board_of(side, own, other), side, left, number)


def _army(rng: Random, size: int, free: int) -> int:
    """Return a random connected army of this size; 0 if there is no room for it."""
    army = rng.choice(members(free))
    while army.bit_count() < size:
        room = members(near(army) & free & ~army)
        if not room:
            return 0
        army |= rng.choice(room)
    return army


def _effects(own: int, other: int) -> Iterator[tuple[str, rules.Effect]]:
    """Yield the text and the effect of every action except the end of the turn."""
    offered = rules.legal_actions(own, other)
    for target in members(offered.adds):
        yield f"+{NODE[target]}", rules.effect_of_add(own, other, target)
    for source, targets in offered.moves:
        for target in members(targets):
            yield f"{NODE[source]}-{NODE[target]}", rules.effect_of_move(own, other, source, target)
    for push in offered.pushes:
        yield push.text, rules.effect_of_push(own, other, push)


def _following(pair: Pair) -> dict[Pair, str]:
    """Return board → the first action that leads to it, for all actions except the end of the turn."""
    living: dict[Pair, str] = {}
    for action, effect in _effects(*pair):
        living.setdefault((rules.survivors(effect.own), rules.survivors(effect.other)), action)
    return living


def _winner(pair: Pair, side: str) -> str | None:
    won = rules.winner(*rules.board_of(side, *pair), side)
    return won[0] if won else None


def _ends(position: Position) -> Iterator[tuple[Pair, tuple[str, ...], str | None]]:
    """Yield each board that the turn can end with, one path to it, and the side that wins by it (or None)."""
    side = position.side
    level: dict[Pair, tuple[str, ...]] = {rules.sides(position): ()}
    seen: set[Pair] = set()
    for more in range(position.left, 0, -1):
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


def wins(position: Position) -> bool:
    """Return whether the side that acts can win within what is left of its turn."""
    armies = thinking.line_from(replace(position, past=(), idle=False), forms.weights(forms.FITTED))
    verdict = armies.verdict(0)
    return verdict >= PROVED if verdict != UNKNOWN else winning(armies)[0] != 0


def _win(position: Position) -> Puzzle | None:
    if not wins(position):
        return None
    right, count = [], 0
    for _, way, won in _ends(position):
        count += 1
        if won == position.side:
            right.append(way)
            if len(right) > 1:
                return None
    return _puzzle("win", position, right[0], count, count, {}) if right else None


def _stop(position: Position) -> Puzzle | None:
    """Return the puzzle of the last action of a turn; the opponent's possible turns decide whether it is right."""
    if position.left != 1 or wins(position) or not wins(_next_turn(position, rules.sides(position))):
        return None
    ends = {way: _next_turn(position, after) for after, way, _ in _ends(position)}
    safe = [way for way, after in ends.items() if not wins(after)]
    if len(safe) != 1:
        return None
    looked = sum(1 for _ in _ends(ends[safe[0]]))
    if looked > MAX_REPLIES:
        return None
    replies = {way[0]: _winning(after) for way, after in ends.items() if way != safe[0]}
    return _puzzle("stop", position, safe[0], len(ends), looked, replies)


def _next_turn(position: Position, pair: Pair) -> Position:
    """Return the beginning of the opponent's turn, after one that has ended with this board."""
    turn = position.turn + 1
    board, left = rules.board_of(position.side, *pair), position.options.allowance(turn)
    return replace(position, board=board, side=OTHER[position.side], left=left, turn=turn)


def _winning(position: Position) -> tuple[str, ...]:
    """Return a turn by which the side that acts wins; there must be one."""
    return next(way for _, way, won in _ends(position) if won == position.side)


def _puzzle(
    kind: str, position: Position, way: tuple[str, ...], ends: int, looked: int, replies: Mapping[str, tuple[str, ...]]
) -> Puzzle:
    return Puzzle("phalanx", kind, text(position), position.seat, way, ends, looked, group_replies(replies))


def candidates(game: Game[Any], kind: str, mode: str, rng: Random) -> Iterator[Position]:
    """Yield the positions of one random game, or of random armies."""
    of_a_game = rng.random() < 0.4
    return game_positions(game, game.start(mode), rng) if of_a_game else study_positions(kind, rng)


SOLVER = Solver("phalanx", KINDS, candidates, make_puzzle, Path(__file__).parent / "puzzles/phalanx.jsonl")
