"""A random game of Phalanx, for playouts by the thousand."""

from __future__ import annotations

from random import Random

from firmware_host.games.game import Status
from firmware_host.games.phalanx import rules, turns
from firmware_host.games.phalanx.board import members
from firmware_host.games.phalanx.position import Position

LONGEST = 1000
"""Turns after which a playout counts as a draw: playouts are estimates, and most games are far shorter."""


def playout(position: Position, rng: Random, *, bonus: bool) -> Status:
    """Play random legal actions, each as likely as any other, to the end and return the result."""
    now, last = turns.status(position), position.turn + LONGEST
    while not now.over and position.turn < last:
        arrival = _random(position, rng, bonus=bonus)
        position, now = arrival.position, arrival.status
    return now if now.over else turns.DRAW


def _random(position: Position, rng: Random, *, bonus: bool) -> turns.Arrival:
    own, other = turns.sides(position)
    offer = rules.offer(own, other)
    adds = offer.adds.bit_count()
    choice = rng.randrange(1 + len(offer.pushes) + adds + sum(targets.bit_count() for _, targets in offer.moves))
    if choice == 0:
        return turns.ended(position, bonus=bonus)
    choice -= 1
    if choice < len(offer.pushes):
        return turns.acted(position, *rules.pushed(own, other, offer.pushes[choice]), bonus=bonus)
    choice -= len(offer.pushes)
    if choice < adds:
        return turns.acted(position, own | members(offer.adds)[choice], other, bonus=bonus)
    choice -= adds
    for source, targets in offer.moves:
        count = targets.bit_count()
        if choice < count:
            return turns.acted(position, own ^ source | members(targets)[choice], other, bonus=bonus)
        choice -= count
    raise AssertionError("a choice beyond all that is offered")
