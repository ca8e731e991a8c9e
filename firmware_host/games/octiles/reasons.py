"""Why an attempt is not possible: putting the tile, then moving the runner."""

from __future__ import annotations

from firmware_host.games.octiles import names, rules, stages, ways
from firmware_host.games.octiles.board import DEAD, FIRST_NODE, NODE, NODES, PADS, PARTNER, WELL, WELLS
from firmware_host.games.octiles.position import EIGHTHS, GOAL, HOME, SEATED, Position
from firmware_host.games.offers import Attempt
from firmware_host.text.words import fill, say

_IS_OF = {
    "blue": say("the runner on {node} is blue, and it is the turn of {side}"),
    "red": say("the runner on {node} is red, and it is the turn of {side}"),
    "yellow": say("the runner on {node} is yellow, and it is the turn of {side}"),
    "green": say("the runner on {node} is green, and it is the turn of {side}"),
}


def why_not(position: Position, attempt: Attempt, done: tuple[str, ...]) -> str | None:
    """Return why an attempt is not part of a legal turn after these stages; None if it is."""
    if done:
        well, eighths = stages.laid(position, done[0])
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


# -- the tile ----------------------------------------------------------------------------------------------------------


def _why_not_laid(position: Position, place: str, piece: str | None) -> str | None:
    """Return why the next tile can't be put in a well, with the sensed turning or with any."""
    top = position.stack[0]
    if place not in WELL:
        return say("{node} takes no tile: tile {tile} is laid in a well", node=place, tile=top)
    tile, _, turned = (piece or str(top)).partition("r")
    if tile != str(top):
        return say("tile {top} is on top of the stack: that one is laid now", top=top)
    begins = stages.begins(position)
    eighths = int(turned) if turned else None
    if any(well == WELL[place] and eighths in {None, turn} for well, turn in begins):
        return None
    if not begins:
        return say("no turn is possible with tile {tile}: the player passes", tile=top)
    return _why_no_line(position, place, eighths)


def _why_no_line(position: Position, place: str, eighths: int | None) -> str:
    """Return why no runner can move along a line across a tile in a well."""
    onward, side = ways.ways(position.faces), position.side
    comes = [
        (node, edge)
        for node in position.runners[position.seat - 1]
        if node not in GOAL[side]
        for edge in ways.crossings(onward, node)
        if edge >> 3 == WELL[place]
    ]
    if not comes:
        return say("no line of a runner of {side} comes to {well}", side=names.SIDES[side], well=place)
    if rules.offer(position).vacating and all(node not in HOME[side] for node, _ in comes):
        return _leave_home(side)
    if eighths is None:
        return say(
            "every line across {well} ends where no runner of {side} may stop", side=names.SIDES[side], well=place
        )
    node, edge = next((one for one in comes if one[0] in HOME[side]), comes[0])
    end = ways.end(onward, edge, PARTNER[position.stack[0] * EIGHTHS + eighths])
    return _ends(position, node, place, end)


def _ends(position: Position, node: int, well: str, end: int) -> str:
    """Return why a runner can't move along a line that ends at this node."""
    source = NODES[node]
    if end == DEAD:
        return say("the line from {source} across {well} leads nowhere", source=source, well=well)
    target = NODES[end - FIRST_NODE]
    if PADS[end - FIRST_NODE] and end - FIRST_NODE not in GOAL[position.side]:
        return say(
            "the line from {source} across {well} ends on {end}, a closed pad", source=source, well=well, end=target
        )
    if target == source or not any(end - FIRST_NODE in nodes for nodes in position.runners):
        return _leave_home(position.side)
    return say(
        "the line from {source} across {well} ends on {end}, which is taken", source=source, well=well, end=target
    )


def _leave_home(side: str) -> str:
    return say("all home pads of {side} are taken: a runner has to leave one of them", side=names.SIDES[side])


# -- the runner --------------------------------------------------------------------------------------------------------


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
    runs = [turn[3] for turn in stages.runs(position, well, eighths) if turn[2] == NODE[source]]
    if target is None:
        return None if runs else _why_it_stays(position, source, well, eighths)
    return None if NODE.get(target) in runs else _why_not_there(position, source, target, well)


def _why_it_stays(position: Position, source: str, well: int, eighths: int) -> str:
    if rules.offer(position).vacating and NODE[source] not in HOME[position.side]:
        return _leave_home(position.side)
    onward, name = ways.ways(position.faces), WELLS[well]
    found = [edge for edge in ways.crossings(onward, NODE[source]) if edge >> 3 == well]
    if not found:
        return say("no line from {source} crosses the tile on {well}", source=source, well=name)
    end = ways.end(onward, found[0], PARTNER[position.stack[0] * EIGHTHS + eighths])
    return _ends(position, NODE[source], name, end)


def _why_not_there(position: Position, source: str, target: str, well: int) -> str:
    if target in WELL:
        return say("runners stop on stops and on pads, never in a well")
    node, side = NODE[target], position.side
    if PADS[node] and node not in GOAL[side]:
        return say("{node} is a closed pad: {side} stops on stops and on its goal", node=target, side=names.SIDES[side])
    if any(node in nodes for nodes in position.runners):
        return say("{node} is taken", node=target)
    if rules.offer(position).vacating and NODE[source] not in HOME[side]:
        return _leave_home(side)
    return say(
        "no line leads from {source} to {target} across the tile on {well}",
        source=source,
        target=target,
        well=WELLS[well],
    )
