"""The rules of Octiles: legal turns and their results, passes, the ends of the game.

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
"""R3: this many occurrences of a position are a draw."""

OPEN = {side: tuple(not PADS[node] or node in goal for node in range(len(NODES))) for side, goal in GOAL.items()}
"""Side → node → whether its runners may end there if it is free: stops and the pads of its goal."""


@dataclass(frozen=True)
class Offer:
    """The legal turns of the seat to move, as codes (:func:`ways.code`); if there are none, it passes (R1).

    ``vacating``: the vacate rule allows only turns that move a runner off a home pad.
    """

    turns: frozenset[int]
    vacating: bool


def offer(position: Position) -> Offer:
    """Return the legal turns of the seat to move; the game must not be over."""
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
    """Return for each node whether a side's runners may end there, given the taken nodes; then False for ``DEAD``."""
    open_to = [is_open and node not in taken for node, is_open in enumerate(OPEN[side])]
    open_to.append(False)
    return open_to


def status(position: Position) -> Status:
    """Return the status: won if all runners are on the goal, else by the position's ``ending``."""
    if position.ending is None and not position.home(position.seat):
        return RUNNING
    scores = tuple(len(position.in_goal(seat)) for seat in range(1, len(position.runners) + 1))
    if position.ending is None:
        return Status(over=True, reason="goal", winners=(position.seat,), scores=scores)
    winners = tuple(active(position)) if position.ending == RESIGNED else ()
    return Status(over=True, reason=position.ending, winners=winners, scores=scores)


def active(position: Position) -> list[int]:
    """Return the seats that have not resigned."""
    return [seat for seat in range(1, len(SEATED[position.mode]) + 1) if seat not in position.resigned]


def played(position: Position, turn: ways.Turn) -> Position:
    """Return the position after a legal turn; a covered tile goes to the bottom of the stack."""
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
    """Return the position after a pass (R1). R2: a draw if all seats have passed in a row."""
    after = replace(position, passed=(*position.passed, position.seat), past=(*position.past, position.key))
    return replace(after, ending=DRAW) if _all_passed(after) else _next(after)


def resign(position: Position, seat: int) -> Position:
    """Let a seat resign: its runners stay where they are; the last seat left has won."""
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
    """Give the turn to the next seat that plays. R3: a draw if the position occurs for the third time."""
    still = active(position)
    seat = next((seat for seat in still if seat > position.seat), still[0])
    following = replace(position, seat=seat, number=position.number + 1)
    if following.past.count(following.key) >= REPEATS - 1:
        return replace(position, ending=DRAW)
    return following


@dataclass(frozen=True)
class Place:
    """A seat's place in the race, from 1 (the same for equals), and the number of its runners on the goal."""

    seat: int
    place: int
    arrived: int
    of: int


def standings(position: Position) -> list[Place]:
    """Return the present standings, best first: the winner first, resigned seats last."""
    won = status(position).winners

    def rank(seat: int) -> tuple[bool, bool, int]:
        return seat not in won, seat in position.resigned, -len(position.in_goal(seat))

    order = sorted(range(1, len(position.runners) + 1), key=rank)
    ranks = [rank(seat) for seat in order]
    of = RUNNERS[position.mode]
    return [Place(seat, ranks.index(rank(seat)) + 1, len(position.in_goal(seat)), of) for seat in order]
