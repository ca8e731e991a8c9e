"""A random game of Phalanx on sets of points, for thousands of playouts.

A number is drawn from a virtual list of candidates: the end of the turn, every hoplite with every point next to an own
hoplite, and near the enemy every hoplite with every direction. If the candidate is not legal, another one is drawn.
So all actions are equally likely, and only drawn candidates are checked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from firmware_host.games.game import Status
from firmware_host.games.phalanx import rules, turns
from firmware_host.games.phalanx.board import HOPLITES, NEAR_GOAL, OTHER, PLAYABLE, SHIFT, near, shifted
from firmware_host.games.phalanx.position import Position, allowance

LONGEST = 1000
"""Number of turns after which a playout counts as a draw; most games are far shorter."""

_WAYS = tuple(SHIFT.items())


def playout(position: Position, rng: Random, *, bonus: bool) -> Status:
    """Play random legal actions, all equally likely, to the end and return the status."""
    now = turns.status(position)
    if now.over:
        return now
    own, other = turns.sides(position)
    side, left, turn, idle = position.side, position.left, position.turn, position.idle
    began = Counter(position.past)
    for following in range(turn + 1, turn + 1 + LONGEST):
        while left:
            acted = act(own, other, rng)
            if acted is None:
                break
            own, other = acted
            left -= 1
            if not other or not own or own & NEAR_GOAL[side] or other & NEAR_GOAL[OTHER[side]]:
                return turns.status(replace(position, board=turns.board_of(side, own, other), side=side))
        empty = left == allowance(following - 1, bonus=bonus)
        side, own, other = OTHER[side], other, own
        start = (side, *turns.board_of(side, own, other))
        began[start] += 1
        if (empty and idle) or began[start] >= turns.REPEATS:  # R6
            return turns.DRAW
        idle, left = empty, allowance(following, bonus=bonus)
    return turns.DRAW


def act(own: int, other: int, rng: Random) -> tuple[int, int] | None:
    """Draw an action. Return both sides' hoplites after it and after deaths; None for the end of the turn."""
    beside = near(own)
    targets = beside & PLAYABLE & ~own & ~other
    hoplites, points = own.bit_count(), targets.bit_count()
    adds = points if hoplites < HOPLITES else 0
    moves = adds + hoplites * points
    choices = moves + 1 + (4 * hoplites if beside & other else 0)
    random = rng.random
    while True:
        choice = int(random() * choices)
        if choice < adds:
            return own | _member(targets, choice), other  # It has a neighbour, and no other loses one.
        if choice < moves:
            which, where = divmod(choice - adds, points)
            source, target = _member(own, which), _member(targets, where)
            if _moves(own, source, target):
                return rules.alive(own ^ source | target), other
        elif choice == moves:
            return None
        else:
            which, way = divmod(choice - moves - 1, 4)
            direction, by = _WAYS[way]
            rear = _member(own, which)
            if shifted(rear, by) & own and not shifted(rear, -by) & own:
                push = rules.push_from(own, other, rear, direction)
                if push is not None:
                    own, other = rules.pushed(own, other, push)
                    return rules.alive(own), rules.alive(other)


def _member(points: int, which: int) -> int:
    """Return one point of a set by its rank in the order of nodes."""
    for _ in range(which):
        points &= points - 1
    return points & -points


def _moves(own: int, source: int, target: int) -> bool:
    """Return whether a hoplite can move to a free point: another one of its army stands next to that point."""
    beside = near(target) & own & ~source
    if not beside:
        return False
    army = front = source
    while front:
        front = near(front) & own & ~army
        army |= front
        if front & beside:
            return True
    return False
