"""From a position to a :class:`firmware_host.games.thinking.Thought`: search, choices, lines and reasons."""

from __future__ import annotations

import math

from mypy_extensions import i64

from firmware_host.games.phalanx.board import BIT, NODES, SIDES
from firmware_host.games.phalanx.player import forms
from firmware_host.games.phalanx.player.armies import ADD, END, KINDS, MOVE, Armies
from firmware_host.games.phalanx.player.telling import reasons
from firmware_host.games.phalanx.player.weights import Weights
from firmware_host.games.phalanx.player.wins import winning
from firmware_host.games.phalanx.position import Position
from firmware_host.games.thinking import Budget, Choice, Thought
from firmware_host.searching.alpha_beta import PROVED, UNKNOWN, AlphaBeta

LONGEST_LINE = 6
"""Actions of a line that are told."""
TOLD = 5
"""Choices that come with their line and reasons."""
_AT = {BIT[node].bit_length() - 1: node for node in NODES}
"""Number of a point (player/flat.py) → its name."""
_NUMBER = {node: number for number, node in _AT.items()}
_WAYS = "nesw"


def think(position: Position, budget: Budget, *, bonus: bool) -> Thought:
    """Return the choices of the side that acts in a position that is not over."""
    armies = line_from(position, forms.weights(min(budget.evaluation, forms.FITTED)), bonus=bonus)
    search = AlphaBeta(armies, budget.nodes, budget.out_of_time)
    forced, looked = winning(armies) if armies.verdict(0) == UNKNOWN else (0, 0)
    ranked = search.rank(1 if forced else budget.depth, budget.width)
    rated = [(entry.move, score(entry.value)) for entry in ranked if entry.move != forced]
    proved = bool(forced) or score(ranked[0].value) in {0.0, 1.0}
    if forced:
        rated.insert(0, (forced, 1.0))
    choices = [
        Choice(name(move), value, 0.0, _line(search, move), tuple(reasons(armies, move, value)))
        if number < TOLD
        else Choice(name(move), value)
        for number, (move, value) in enumerate(rated)
    ]
    return Thought(tuple(choices), search.nodes + looked, proved)


def line_from(position: Position, weights: Weights, *, bonus: bool) -> Armies:
    """Return what a search looks along, from a running position."""
    side = SIDES.index(position.side)
    armies = Armies(weights, bonus)
    armies.set_root(position.board, side, position.left, position.turn, position.idle)
    for began, *board in position.past:
        armies.remember((board[0], board[1]), SIDES.index(began))
    return armies


def score(value: i64) -> float:
    """Return the expected score for a value of a search: 1 and 0 only for what is proved."""
    if value >= PROVED or value <= -PROVED:
        return 1.0 if value > 0 else 0.0
    return 1 / (1 + math.exp(-min(max(value, -12_000), 12_000) / 1000))


def name(move: i64) -> str:
    """Return the text of an action for a move of the search."""
    if move == END:
        return "end"
    first, second = move >> 7 & 127, move & 127
    if move & KINDS == ADD:
        return f"+{_AT[second]}"
    if move & KINDS == MOVE:
        return f"{_AT[first]}-{_AT[second]}"
    return f"{_AT[second]}>{_WAYS[first]}"


def _line(search: AlphaBeta, move: i64) -> tuple[str, ...]:
    return tuple(name(following) for following in search.line(move, LONGEST_LINE)[1:])
