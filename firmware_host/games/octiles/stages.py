"""The two stages of a turn, first the tile, then the runner, and why an attempt is part of none (octiles.md, A turn).

No part of a turn counts before the runner's move: the tile may be turned again or put elsewhere, if a legal turn begins
with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from firmware_host.games.capabilities import Attempt
from firmware_host.games.game import BadAction, Occupancy, PieceMove, Step
from firmware_host.games.octiles import names, notation, rules
from firmware_host.games.octiles.board import DEAD, FIRST_NODE, NODE, NODES, PADS, PARTNER, WELL, WELLS
from firmware_host.games.octiles.rules import EIGHTHS, GOAL, HOME, SEATED, Position, face_text
from firmware_host.text.words import fill, say

_IS_OF = {
    "blue": say("the runner on {node} is blue, and it is the turn of {side}"),
    "red": say("the runner on {node} is red, and it is the turn of {side}"),
    "yellow": say("the runner on {node} is yellow, and it is the turn of {side}"),
    "green": say("the runner on {node} is green, and it is the turn of {side}"),
}

KEPT = 4
"""Number of positions whose turns are cached: those of the present, the last and the next. A position has a thousand
turns and takes half a megabyte."""


def tile_stage(position: Position, text: str) -> tuple[int, int]:
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


def tile_steps(position: Position, now: Occupancy) -> list[Step]:
    """Return the steps that put the top tile, one for each beginning of a legal turn."""
    return [_tile(position, now, well, eighths) for well, eighths in stage_beginnings(position)]


def runner_steps(position: Position, now: Occupancy, text: str) -> list[Step]:
    """Return the runners' steps after the tile of a stage. ``now`` is the board with the tile."""
    well, eighths = tile_stage(position, text)
    faces = list(position.faces)
    faces[well] = position.stack[0] * EIGHTHS + eighths
    onward = rules.ways(faces)
    return [_runner(onward, now, turn) for turn in runner_turns(position, well, eighths)]


def runner_turns(position: Position, well: int, eighths: int) -> Sequence[rules.Turn]:
    """Return the sorted legal turns that begin with the top tile in this well, turned so."""
    return _turns(position).get((well, eighths), ())


def board_with_tile(position: Position, now: Occupancy, text: str) -> Occupancy:
    """Return the board with the tile of a stage. Raise BadAction as :func:`tile_stage` does."""
    well, eighths = tile_stage(position, text)
    return _with_tile(position, now, well, eighths)


def whole_step(position: Position, now: Occupancy, action: str) -> Step:
    """Return the step of a whole turn: a covered tile is taken out, the top one put in, the runner moved."""
    text = action.partition(":")[0]
    tile = _tile(position, now, *tile_stage(position, text))
    runner = next(step for step in runner_steps(position, tile.after, text) if step.action == action)
    touches = tile.touches | runner.touches
    return replace(runner, words=notation.words(action), moves=(*tile.moves, *runner.moves), touches=touches)


@lru_cache(maxsize=KEPT)
def stage_beginnings(position: Position) -> tuple[tuple[int, int], ...]:
    """Return every (well, eighths) with which a legal turn begins, sorted."""
    return tuple(sorted(_turns(position)))


@lru_cache(maxsize=KEPT)
def _by_text(position: Position) -> Mapping[str, tuple[int, int]]:
    """Return the same by the texts of the stages."""
    return {notation.laid_text(*stage): stage for stage in stage_beginnings(position)}


@lru_cache(maxsize=KEPT)
def _turns(position: Position) -> Mapping[tuple[int, int], Sequence[rules.Turn]]:
    """Return the legal turns by the (well, eighths) with which they begin."""
    found: dict[tuple[int, int], list[rules.Turn]] = {}
    for turn in map(rules.decode, sorted(rules.legal_turns(position).turns)):
        found.setdefault(turn[:2], []).append(turn)
    return found


def _tile(position: Position, now: Occupancy, well: int, eighths: int) -> Step:
    """Return the step that puts the top tile; a tile in that well is taken out first."""
    place, tile = WELLS[well], position.stack[0]
    new = PieceMove((face_text(tile * EIGHTHS + eighths),), None, place)
    moves = (PieceMove(now[place], place, None), new) if place in now else (new,)
    words = names.tile_words(tile, place, eighths)
    after = _with_tile(position, now, well, eighths)
    return Step(notation.laid_text(well, eighths), words, moves, after, frozenset((place,)), partial=True)


def _runner(onward: Sequence[int], now: Occupancy, turn: rules.Turn) -> Step:
    """Return the step of a runner along its line; on a loop it is lifted and put back."""
    source, target = NODES[turn[2]], NODES[turn[3]]
    after = dict(now)
    after[target] = after.pop(source)
    return Step(
        notation.text(rules.code(turn)),
        names.run_words(source, target),
        (PieceMove(now[source], source, target),),
        after,
        frozenset((source, target)),
        line=notation.line(onward, turn),
        tap_twice=frozenset((source,)) if source == target else frozenset(),
    )


def _with_tile(position: Position, now: Occupancy, well: int, eighths: int) -> Occupancy:
    return {**now, WELLS[well]: (face_text(position.stack[0] * EIGHTHS + eighths),)}


# -- why not ---------------------------------------------------------------------------------------------------------


def legal(position: Position, action: str) -> rules.Turn | None:
    """Return the turn of a text, None for a pass. Raise BadAction (saying why) if it is not legal."""
    turn = notation.parse(action)
    offered = rules.legal_turns(position)
    if turn is None:
        if offered.turns:
            example = notation.text(min(offered.turns))
            raise BadAction(say("pass: expected a turn, as one is legal (ruling R1), such as {turn}", turn=example))
        return None
    if rules.code(turn) not in offered.turns:
        well, eighths, source, target = turn
        reason = _why_no_run(position, Attempt(NODES[source], NODES[target]), well, eighths)
        raise BadAction(say("action: {reason}", reason=reason))
    return turn


def why_not(position: Position, attempt: Attempt, done: tuple[str, ...]) -> str | None:
    """Return why an attempt is not part of a legal turn after these stages; None if it is."""
    if done:
        well, eighths = tile_stage(position, done[0])
        return _why_no_run(position, attempt, well, eighths)
    if attempt.source is None:
        return _why_not_laid(position, attempt.target or "", attempt.piece)
    if attempt.source in NODE:
        reason = _why_not_own(position, attempt.source)
        return reason or say("tile {tile} is laid first, then a runner moves", tile=position.stack[0])
    if not position.faces[WELL[attempt.source]]:
        return say("there is no tile in {well}", well=attempt.source)
    if attempt.target is not None:
        return say("a tile that has been laid is never moved")
    return _why_not_laid(position, attempt.source, None)  # A tile is taken out to be covered.


def _why_not_laid(position: Position, place: str, piece: str | None) -> str | None:
    """Return why the next tile can't be put in a well, with the sensed turning or with any."""
    top = position.stack[0]
    if place not in WELL:
        return say("{node} takes no tile: tile {tile} is laid in a well", node=place, tile=top)
    tile, _, turned = (piece or str(top)).partition("r")
    if tile != str(top):
        return say("tile {top} is on top of the stack: that one is laid now", top=top)
    beginnings = stage_beginnings(position)
    eighths = int(turned) if turned else None
    if any(well == WELL[place] and eighths in {None, turn} for well, turn in beginnings):
        return None
    if not beginnings:
        return say("no turn is possible with tile {tile}: the player passes", tile=top)
    return _why_no_line(position, place, eighths)


def _why_no_line(position: Position, place: str, eighths: int | None) -> str:
    """Return why no runner can move along a line across a tile in a well."""
    onward, side = rules.ways(position.faces), position.side
    comes = [
        (node, edge)
        for node in position.runners[position.seat - 1]
        if node not in GOAL[side]
        for edge in rules.crossings(onward, node)
        if edge >> 3 == WELL[place]
    ]
    if not comes:
        words = say("no line leads from a runner of {side} to {well}, and one has to move across the new tile")
        return fill(words, side=names.SIDES[side], well=place)
    if rules.legal_turns(position).vacating and all(node not in HOME[side] for node, _ in comes):
        return _leave_home(side)
    if eighths is None:
        return say(
            "every line across {well} ends where no runner of {side} may stop", side=names.SIDES[side], well=place
        )
    node, edge = next((one for one in comes if one[0] in HOME[side]), comes[0])
    end = rules.end(onward, edge, PARTNER[position.stack[0] * EIGHTHS + eighths])
    return _ends(position, node, place, end)


def _ends(position: Position, node: int, well: str, end: int) -> str:
    """Return why a runner can't move along a line that ends at this node."""
    source = NODES[node]
    if end == DEAD:
        return say("the line from {source} across {well} ends at a well without a tile", source=source, well=well)
    target = NODES[end - FIRST_NODE]
    if PADS[end - FIRST_NODE] and end - FIRST_NODE not in GOAL[position.side]:
        return say(
            "the line from {source} across {well} ends on {end}, a pad that is not the goal of {side}",
            source=source,
            well=well,
            end=target,
            side=names.SIDES[position.side],
        )
    if target == source or not any(end - FIRST_NODE in nodes for nodes in position.runners):
        return _leave_home(position.side)
    return say(
        "the line from {source} across {well} ends on {end}, which is taken", source=source, well=well, end=target
    )


def _leave_home(side: str) -> str:
    return say("all home pads of {side} are taken: a runner has to leave one of them", side=names.SIDES[side])


def _why_not_own(position: Position, node: str) -> str | None:
    """Return why the piece on a node is not a runner of the seat to move; None if it is."""
    for seat, nodes in enumerate(position.runners, 1):
        if NODE[node] in nodes:
            side = SEATED[position.mode][seat - 1]
            whose = fill(_IS_OF[side], node=node, side=names.SIDES[position.side])
            return None if seat == position.seat else whose
    return say("there is no runner on {node}", node=node)


def _why_no_run(position: Position, attempt: Attempt, well: int, eighths: int) -> str | None:
    """Return why a runner can't make this move with the tile as it lies."""
    source, target = attempt.source, attempt.target
    if source is None or source in WELL:
        if source is not None and WELL[source] == well:  # The tile put last may still be lifted and put elsewhere.
            return None if target is None else _why_not_laid(position, target, None)
        return say("the tile is laid: now a runner moves along a line across it")
    reason = _why_not_own(position, source)
    if reason is not None:
        return reason
    if NODE[source] in GOAL[position.side]:
        return say("the runner on {node} has reached its goal and stays there", node=source)
    ends = [turn[3] for turn in runner_turns(position, well, eighths) if turn[2] == NODE[source]]
    if target is None:
        return None if ends else _why_it_stays(position, source, well, eighths)
    return None if NODE.get(target) in ends else _why_not_there(position, source, target, well)


def _why_it_stays(position: Position, source: str, well: int, eighths: int) -> str:
    if rules.legal_turns(position).vacating and NODE[source] not in HOME[position.side]:
        return _leave_home(position.side)
    onward, name = rules.ways(position.faces), WELLS[well]
    found = [edge for edge in rules.crossings(onward, NODE[source]) if edge >> 3 == well]
    if not found:
        return say("no line from {source} crosses the tile on {well}", source=source, well=name)
    end = rules.end(onward, found[0], PARTNER[position.stack[0] * EIGHTHS + eighths])
    return _ends(position, NODE[source], name, end)


def _why_not_there(position: Position, source: str, target: str, well: int) -> str:
    if target in WELL:
        return say("runners stop on stops and on pads, never in a well")
    node, side = NODE[target], position.side
    if PADS[node] and node not in GOAL[side]:
        return say(
            "{node} is a pad that is not the goal of {side}: no runner stops there", node=target, side=names.SIDES[side]
        )
    if target != source and any(node in nodes for nodes in position.runners):
        return say("{node} is taken", node=target)
    if rules.legal_turns(position).vacating and NODE[source] not in HOME[side]:
        return _leave_home(side)
    return say(
        "no line leads from {source} to {target} across the tile on {well}",
        source=source,
        target=target,
        well=WELLS[well],
    )
