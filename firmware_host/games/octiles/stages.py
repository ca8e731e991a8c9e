"""The two stages of a turn: first the tile, then the runner (octiles.md, A turn).

No part of a turn counts before the runner's move: the tile may be turned again or put elsewhere, if a legal turn begins
with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from firmware_host.games.game import BadAction, Occupancy, PieceMove, Step
from firmware_host.games.octiles import names, notation, rules, ways
from firmware_host.games.octiles.board import NODES, WELLS
from firmware_host.games.octiles.position import EIGHTHS, Position, face_text
from firmware_host.text.words import say

KEPT = 4
"""Number of positions whose turns are cached: those of the present, the last and the next. A position has a thousand
turns and takes half a megabyte."""


def laid(position: Position, text: str) -> tuple[int, int]:
    """Return well and eighths of the stage ``b3r5``. Raise BadAction if no legal turn begins with it."""
    found = _by_text(position).get(text)
    if found is not None:
        return found
    raise BadAction(
        say(
            "stage: expected a well and a turning with which a turn is legal, such as {example}, got {given}",
            example="b3r5",
            given=repr(text[:20]),
        )
    )


def tiles(position: Position, now: Occupancy) -> list[Step]:
    """Return the steps that put the top tile, one for each beginning of a legal turn."""
    return [_tile(position, now, well, eighths) for well, eighths in begins(position)]


def runners(position: Position, now: Occupancy, text: str) -> list[Step]:
    """Return the runners' steps after the tile of a stage. ``now`` is the board with the tile."""
    well, eighths = laid(position, text)
    faces = list(position.faces)
    faces[well] = position.stack[0] * EIGHTHS + eighths
    onward = ways.ways(faces)
    return [_runner(onward, now, turn) for turn in runs(position, well, eighths)]


def runs(position: Position, well: int, eighths: int) -> Sequence[ways.Turn]:
    """Return the sorted legal turns that begin with the top tile in this well, turned so."""
    return _turns(position).get((well, eighths), ())


def lying(position: Position, now: Occupancy, text: str) -> Occupancy:
    """Return the board with the tile of a stage. Raise BadAction as :func:`laid` does."""
    well, eighths = laid(position, text)
    return _with_tile(position, now, well, eighths)


def whole(position: Position, now: Occupancy, action: str) -> Step:
    """Return the step of a whole turn: a covered tile is taken out, the top one put in, the runner moved."""
    text = action.partition(":")[0]
    tile = _tile(position, now, *laid(position, text))
    runner = next(step for step in runners(position, tile.after, text) if step.action == action)
    touches = tile.touches | runner.touches
    return replace(runner, words=notation.words(action), moves=(*tile.moves, *runner.moves), touches=touches)


@lru_cache(maxsize=KEPT)
def begins(position: Position) -> tuple[tuple[int, int], ...]:
    """Return every (well, eighths) with which a legal turn begins, sorted."""
    return tuple(sorted(_turns(position)))


@lru_cache(maxsize=KEPT)
def _by_text(position: Position) -> Mapping[str, tuple[int, int]]:
    """Return the same by the texts of the stages."""
    return {notation.laid_text(*stage): stage for stage in begins(position)}


@lru_cache(maxsize=KEPT)
def _turns(position: Position) -> Mapping[tuple[int, int], Sequence[ways.Turn]]:
    """Return the legal turns by the (well, eighths) with which they begin."""
    found: dict[tuple[int, int], list[ways.Turn]] = {}
    for turn in map(ways.decode, sorted(rules.offer(position).turns)):
        found.setdefault(turn[:2], []).append(turn)
    return found


def _tile(position: Position, now: Occupancy, well: int, eighths: int) -> Step:
    """Return the step that puts the top tile; a tile in that well is taken out first."""
    place, tile = WELLS[well], position.stack[0]
    new = PieceMove((face_text(tile * EIGHTHS + eighths),), None, place)
    moves = (PieceMove(now[place], place, None), new) if place in now else (new,)
    words = names.laid(tile, place, eighths)
    after = _with_tile(position, now, well, eighths)
    return Step(notation.laid_text(well, eighths), words, moves, after, frozenset((place,)), partial=True)


def _runner(onward: Sequence[int], now: Occupancy, turn: ways.Turn) -> Step:
    """Return the step of a runner along its line; on a loop it is lifted and put back."""
    source, target = NODES[turn[2]], NODES[turn[3]]
    after = dict(now)
    after[target] = after.pop(source)
    return Step(
        notation.text(ways.code(turn)),
        names.ran(source, target),
        (PieceMove(now[source], source, target),),
        after,
        frozenset((source, target)),
        line=notation.line(onward, turn),
        tap_twice=frozenset((source,)) if source == target else frozenset(),
    )


def _with_tile(position: Position, now: Occupancy, well: int, eighths: int) -> Occupancy:
    return {**now, WELLS[well]: (face_text(position.stack[0] * EIGHTHS + eighths),)}
