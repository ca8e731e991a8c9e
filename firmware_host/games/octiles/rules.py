"""What may be done in a position and what follows from it: turns, passes, the ends of the game.

Source: octiles.md, A turn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmware_host.games.game import Status
from firmware_host.games.octiles import ways
from firmware_host.games.octiles.board import NODES, PADS
from firmware_host.games.octiles.position import EIGHTHS, GOAL, HOME, RUNNERS, SEATED, Position

RUNNING = Status(over=False)
DRAW = "draw"
RESIGNED = "resigned"
REPEATS = 3
"""R3: so many times the same position are a draw."""

OPEN = {side: tuple(not PADS[node] or node in goal for node in range(len(NODES))) for side, goal in GOAL.items()}
"""Side → node → whether its runners may end there when it is free: stops and the pads of its goal."""


@dataclass(frozen=True)
class Offer:
    """What the seat to move may do: codes of turns (:func:`ways.code`); none of them means that it passes (R1).

    ``vacating`` tells that the vacate rule left only turns that take a runner off a home pad.
    """

    turns: frozenset[int]
    vacating: bool


def offer(position: Position) -> Offer:
    """Return the legal turns of the seat to move, of a position that is not over."""
    side = position.side
    taken = frozenset().union(*position.runners)
    movers = [node for node in position.runners[position.seat - 1] if node not in GOAL[side]]
    onward = ways.ways(position.faces)
    open_to = free(side, taken)
    tile = position.stack[0]
    if taken >= HOME[side]:
        vacating = ways.turns(onward, tile, [node for node in movers if node in HOME[side]], open_to)
        if vacating:
            return Offer(frozenset(vacating), True)
    return Offer(frozenset(ways.turns(onward, tile, movers, open_to)), False)


def free(side: str, taken: frozenset[int]) -> list[bool]:
    """Return for each node, and for no node, whether a side's runners may end there, other nodes being taken."""
    open_to = [is_open and node not in taken for node, is_open in enumerate(OPEN[side])]
    open_to.append(False)
    return open_to


def status(position: Position) -> Status:
    """Return the status: on the goal, or as a position's ending says."""
    if position.ending is None and not position.home(position.seat):
        return RUNNING
    scores = tuple(len(position.in_goal(seat)) for seat in range(1, len(position.runners) + 1))
    if position.ending is None:
        return Status(over=True, reason="goal", winners=(position.seat,), scores=scores)
    winners = tuple(active(position)) if position.ending == RESIGNED else ()
    return Status(over=True, reason=position.ending, winners=winners, scores=scores)


def active(position: Position) -> list[int]:
    """Return the seats that still play."""
    return [seat for seat in range(1, len(SEATED[position.mode]) + 1) if seat not in position.resigned]


def played(position: Position, turn: ways.Turn) -> Position:
    """Return what a legal turn leads to; a covered tile goes to the bottom of the stack."""
    well, eighths, source, target = turn
    covered = position.faces[well]
    faces = list(position.faces)
    faces[well] = position.stack[0] * EIGHTHS + eighths
    stack = position.stack[1:] + ((covered // EIGHTHS,) if covered else ())
    runners = list(position.runners)
    own = runners[position.seat - 1]
    if source != target:
        runners[position.seat - 1] = tuple(sorted(target if node == source else node for node in own))
    for_ever = not covered or (source != target and (PADS[source] or PADS[target]))
    after = replace(
        position,
        faces=tuple(faces),
        runners=tuple(runners),
        stack=stack,
        past=() if for_ever else (*position.past, position.key),
        passed=(),
        unseen=max(0, position.unseen - 1),
    )
    return after if after.home(after.seat) else _next(after)


def passed(position: Position) -> Position:
    """Return what passing leads to (R1); R2: a draw when all in a row have had to."""
    after = replace(position, passed=(*position.passed, position.seat), past=(*position.past, position.key))
    return replace(after, ending=DRAW) if _all_passed(after) else _next(after)


def resign(position: Position, seat: int) -> Position:
    """Let a seat resign: its runners stay where they are and move no more; the last who plays on has won."""
    after = replace(position, resigned=tuple(sorted((*position.resigned, seat))))
    still = active(after)
    if len(still) == 1:
        return replace(after, ending=RESIGNED)
    if _all_passed(after):
        return replace(after, ending=DRAW)
    return _next(after) if seat == position.seat else after


def _all_passed(position: Position) -> bool:
    return set(active(position)) <= set(position.passed)


def _next(position: Position) -> Position:
    """Give the turn to the next seat that plays; R3: a draw where that makes the same position for the third time."""
    still = active(position)
    seat = next((seat for seat in still if seat > position.seat), still[0])
    following = replace(position, seat=seat, number=position.number + 1)
    if following.past.count(following.key) >= REPEATS - 1:
        return replace(position, ending=DRAW)
    return following


@dataclass(frozen=True)
class Place:
    """Where a seat stands in the race: its place from 1 (the same for equals), and its runners on the goal."""

    seat: int
    place: int
    arrived: int
    of: int


def standings(position: Position) -> list[Place]:
    """Return the race as it stands, best first: a winner before all, those who have resigned after all."""
    won = status(position).winners

    def rank(seat: int) -> tuple[bool, bool, int]:
        return seat not in won, seat in position.resigned, -len(position.in_goal(seat))

    order = sorted(range(1, len(position.runners) + 1), key=rank)
    ranks = [rank(seat) for seat in order]
    of = RUNNERS[position.mode]
    return [Place(seat, ranks.index(rank(seat)) + 1, len(position.in_goal(seat)), of) for seat in order]
