"""Why an attempt is not possible: the rules of placements and steps, for one piece and two nodes."""

from __future__ import annotations

from firmware_host.games.capabilities import Attempt
from firmware_host.games.spokes import rules
from firmware_host.games.spokes.board import ACROSS, HOMES, INDEX, NEAR, NEIGHBOURS, NODES, STRAIGHT
from firmware_host.games.spokes.rules import Cells, Position, counts, occupied_nodes
from firmware_host.text.words import fill, say

TOO_FEW = {
    "w": say("there are not enough white stones left for all players"),
    "b": say("there are not enough black stones left for all players"),
}
_OF_A_STACK = {
    ("w",): say("of the stack on {node} a white stone moves now"),
    ("b",): say("of the stack on {node} a black stone moves now"),
    ("b", "w"): say("of the stack on {node} a block moves now: a white and a black stone together"),
}


def why_not(position: Position, attempt: Attempt) -> str | None:
    """Return why an attempt is not part of a legal action; None if it is."""
    if position.phase == "place":
        return _why_not_placed(position, attempt)
    cells, source, target = position.cells, attempt.source, attempt.target
    if source is None:
        return say("stones are added at the beginning of a turn only, when all players place one")
    acts = rules.legal_steps(cells)
    mine = [act for act in acts if act.subject == INDEX[source]]
    if not mine:
        return _why_not_moved(cells, INDEX[source], [act.subject for act in acts if act.kind == rules.SHIFT])
    there = mine if target is None else [act for act in mine if act.target == INDEX[target]]
    if not there:
        return _why_not_there(cells, INDEX[source], INDEX[target or source])
    if attempt.piece is not None and all(attempt.piece not in act.pieces for act in there):
        return fill(_OF_A_STACK[there[0].pieces], node=source)
    return None


# -- placements --------------------------------------------------------------------------------------------------------


def _why_not_placed(position: Position, attempt: Attempt) -> str | None:
    if attempt.source is not None:
        return say("no stone is moved while all players choose a placement")
    if attempt.target is not None:
        node = INDEX[attempt.target]
        if HOMES >> node & 1:
            return say("{node} is a home: new stones are put inside the ring of homes", node=attempt.target)
        if not rules.empty_nodes(position.cells) >> node & 1:
            return say("{node} is not empty", node=attempt.target)
    if attempt.piece is not None and attempt.piece not in rules.colours_left(position.cells, len(position.active)):
        return TOO_FEW[attempt.piece]
    return None


# -- steps -------------------------------------------------------------------------------------------------------------


def _why_not_moved(cells: Cells, node: int, excess: list[int]) -> str:
    """Return why no piece on a node can be moved; ``excess`` are the nodes whose excess has to move first."""
    name = NODES[node]
    if not occupied_nodes(cells) >> node & 1:
        return say("there is no stone on {node}", node=name)
    if excess:
        first = ", ".join(dict.fromkeys(NODES[one] for one in excess))
        return say("stacks come first: the extra stones on {nodes} have to move away", nodes=first)
    if cells[2] >> node & 1:
        return say("the block on {node} stays where it is: a block never moves", node=name)
    if not (cells[0] | cells[1]) >> node & 1:
        return say("the stack on {node} is enclosed and stays where it is", node=name)
    if not NEAR[node] & (cells[0] | cells[1]):
        return say("no single stone lies beside {node} that could push or pull the stone there", node=name)
    return say("the stones beside {node} can't push the stone there: no free node is left for it", node=name)


def _why_not_there(cells: Cells, source: int, target: int) -> str:
    """Return why the movable piece of a node can't go to this other node."""
    names = {"source": NODES[source], "target": NODES[target]}
    if not NEAR[source] >> target & 1:
        return say("{target} is not next to {source}: a stone moves along one line at a time", **names)
    pieces = rules.excess(*counts(cells)[source])
    if pieces:
        return _why_no_excess(cells, source, target, pieces)
    if occupied_nodes(cells) >> target & 1:
        same = (cells[0] if cells[0] >> source & 1 else cells[1]) >> target & 1
        if same:
            return say("{target} carries a stone of the same colour: they push each other, neither pulls", **names)
        return say("on {target} lies more than one stone: that pulls nothing", **names)
    return _why_not_pushed(cells, source, target)


def _why_no_excess(cells: Cells, source: int, target: int, pieces: tuple[str, ...]) -> str:
    names = {"source": NODES[source], "target": NODES[target]}
    if not (cells[0] | cells[1]) >> target & 1:
        if occupied_nodes(cells) >> target & 1:
            return say("{target} carries more than a single stone already", **names)
    elif len(pieces) == 2:
        free = NEAR[source] & ~occupied_nodes(cells)
        if free:
            return say("{target} is not empty, and there is an empty node for the block to go to", **names)
    elif rules.settling_nodes(rules.remove(cells, source, pieces), source, pieces[0]):
        return say(
            "{target} carries a stone of the same colour, and there is an empty node or a stone of the other colour "
            "to go to",
            **names,
        )
    return say("from {target} the extra stone could never get to a node of its own", **names)


def _why_not_pushed(cells: Cells, source: int, target: int) -> str:
    """Return why no stone pushes the stone on a node to an empty node beside it."""
    names = {"source": NODES[source], "target": NODES[target]}
    mine = cells[0] if cells[0] >> source & 1 else cells[1]
    for pusher in NEIGHBOURS[source]:
        if mine >> pusher & 1 and target in ACROSS[pusher, source]:
            onward = STRAIGHT.get((pusher, source))
            if onward is None:
                continue
            if not occupied_nodes(cells) >> onward & 1:
                where = {"pusher": NODES[pusher], "onward": NODES[onward]}
                return say("{pusher} pushes it straight on to {onward}, which is empty", **where)
    return say("no stone of its colour pushes the one on {source} towards {target}", **names)
