"""A random game of Phalanx on bare sets of points, for playouts by the thousand.

An action is drawn from a list that is not written down: the end of the turn, every hoplite with every point next to
one's own, and near the enemy every hoplite with every direction. Many of these are no actions; then another is drawn.
So each action is as likely as any other, and only the drawn action is looked at closely.
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
"""Turns after which a playout counts as a draw: playouts are estimates, and most games are far shorter."""

_WAYS = tuple(SHIFT.items())


def playout(position: Position, rng: Random, *, bonus: bool) -> Status:
    """Play random legal actions, each as likely as any other, to the end and return the result."""
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
        if (empty and idle) or began[start] >= 3:  # R6
            return turns.DRAW
        idle, left = empty, allowance(following, bonus=bonus)
    return turns.DRAW


def act(own: int, other: int, rng: Random) -> tuple[int, int] | None:
    """Draw an action: return the hoplites of both sides after it and after the deaths, None for the end of the turn."""
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
            return own | _member(targets, choice), other  # It has a neighbour, and nobody loses one: none dies.
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
    """Return one point of a set, by its place in the order of nodes."""
    for _ in range(which):
        points &= points - 1
    return points & -points


def _moves(own: int, source: int, target: int) -> bool:
    """Tell whether a hoplite can move to a free point: one of its army stands next to it."""
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
