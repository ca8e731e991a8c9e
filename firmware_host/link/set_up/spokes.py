"""Positions of Spokes that are set up by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from firmware_host.games.game import BadPosition, Game, Occupancy
from firmware_host.games.spokes import rules
from firmware_host.games.spokes.board import INDEX
from firmware_host.games.spokes.rules import SEATS, STONES, Position
from firmware_host.link.set_up import SetUpChoice
from firmware_host.text.words import say

HIGHEST = 4
_TOO_MANY = {
    "w": say("there are {count} white stones, but only {most} in the box"),
    "b": say("there are {count} black stones, but only {most} in the box"),
}


def choices(mode: str) -> Sequence[SetUpChoice]:
    """Return the seats that may resolve."""
    seats = {str(seat): say("Player {seat}", seat=seat) for seat in SEATS[mode]}
    return [SetUpChoice("seat", say("Who resolves this turn?"), seats)]


def position(
    game: Game[Any],  # noqa: ARG001 - it has no options
    mode: str,
    lying: Occupancy,
    chosen: Mapping[str, str],
    rng: Random,  # noqa: ARG001 - nothing is hidden
) -> Position:
    """Return the position: stones that can move are resolved first, else everybody seals. Raise BadPosition."""
    counts = {piece: sum(stack.count(piece) for stack in lying.values()) for piece in _TOO_MANY}
    for piece, words in _TOO_MANY.items():
        if counts[piece] > STONES:
            raise BadPosition(say(words, count=counts[piece], most=STONES))
    cells = rules.from_counts({INDEX[node]: (stack.count("w"), stack.count("b")) for node, stack in lying.items()})
    turn = 1 + sum(counts.values()) // len(SEATS[mode])
    found = Position(cells, mode, turn, int(chosen["seat"]), "place")
    if not rules.at_rest(cells):
        return replace(found, phase="resolve")
    return replace(found, phase="over") if rules.ending(found, loop=False) else found
