"""The texts of actions (formats.md, Octiles): written, read, in words, and the reasons of refusals."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firmware_host.games.game import BadAction
from firmware_host.games.octiles import names, rules
from firmware_host.games.octiles.board import FIRST_NODE, NODE, NODES, PADS, WELL, WELLS
from firmware_host.games.octiles.rules import EIGHTHS, GOAL, HOME, Position
from firmware_host.text.words import say

PASS = "pass"  # noqa: S105 - no password
_ACTION = re.compile(r"([a-e][1-5])r([0-7]):([A-F][1-6])-([A-F][1-6])", re.ASCII)
_LAID = tuple(f"{WELLS[face // EIGHTHS]}r{face % EIGHTHS}:" for face in range(len(WELLS) * EIGHTHS))
_MOVED = tuple(f"{source}-{target}" for source in NODES for target in NODES)


def text(code: int) -> str:
    """Return the text of a turn from its code."""
    laid, moved = divmod(code, len(_MOVED))
    return _LAID[laid] + _MOVED[moved]


def texts(offer: rules.LegalTurns) -> list[str]:
    """Return the sorted texts of a seat's legal turns. Codes sort as their texts do."""
    return [text(code) for code in sorted(offer.turns)] or [PASS]


def parse(action: str) -> rules.Turn | None:
    """Return the turn of a text, None for a pass. Raise BadAction for other text."""
    if action == PASS:
        return None
    match = _ACTION.fullmatch(action)
    if match is None or match[1] not in WELL or match[3] not in NODE or match[4] not in NODE:
        raise BadAction(
            say(
                "action: expected one such as {examples} or {last}, got {given}",
                examples="b3r5:B3-D4",
                last=PASS,
                given=repr(action[:20]),
            )
        )
    return WELL[match[1]], int(match[2]), NODE[match[3]], NODE[match[4]]


def words(action: str) -> str:
    """Return an action in words. Raise BadAction for other text."""
    turn = parse(action)
    if turn is None:
        return say("pass, as no turn is possible")
    well, eighths, source, target = turn
    run = names.run_words(NODES[source], NODES[target])
    return say("tile on {well}, {turned}; {run}", well=WELLS[well], turned=names.turning_words(eighths), run=run)


def laid_text(well: int, eighths: int) -> str:
    """Return the text of the stage that lays the tile: ``b3r5``."""
    return _LAID[well * EIGHTHS + eighths][:-1]


def legal(position: Position, action: str) -> rules.Turn | None:
    """Return the turn of a text, None for a pass. Raise BadAction (saying why) if it is not legal."""
    turn = parse(action)
    offered = rules.legal_turns(position)
    if turn is None:
        if offered.turns:
            example = text(min(offered.turns))
            raise BadAction(say("pass: expected a turn, as one is legal (ruling R1), such as {turn}", turn=example))
        return None
    if rules.code(turn) not in offered.turns:
        raise BadAction(_why(position, turn, vacating=offered.vacating))
    return turn


def _why(position: Position, turn: rules.Turn, *, vacating: bool) -> str:
    """Return why a turn is not legal."""
    well, eighths, source, target = turn
    side, runner, end = position.side, NODES[source], NODES[target]
    said = names.SIDES[side]
    if source not in position.runners[position.seat - 1]:
        return say("runner: expected a node with a runner of {side}, got {node}", side=said, node=runner)
    if source in GOAL[side]:
        return say("runner: {node} is on its goal and never moves again", node=runner)
    if PADS[target] and target not in GOAL[side]:
        return say("end: expected a stop or a pad of the goal of {side}, got {node}", side=said, node=end)
    if target != source and any(target in nodes for nodes in position.runners):
        return say("end: expected a free node, got {node}", node=end)
    faces = list(position.faces)
    faces[well] = position.stack[0] * EIGHTHS + eighths
    if not rules.path(rules.ways(faces), well, source, target):
        return say(
            "line: none leads from {source} across {well} to {target} with tile {tile} so turned",
            source=runner,
            well=WELLS[well],
            target=end,
            tile=position.stack[0],
        )
    if vacating and source not in HOME[side]:
        return say(
            "runner: all home pads of {side} are occupied: expected a turn that takes a runner off one of them",
            side=said,
        )
    raise AssertionError(f"nothing speaks against {turn}")


def line(onward: Sequence[int], turn: rules.Turn) -> tuple[str, ...]:
    """Return the nodes of a turn's shortest line: the runner's node, the wells that it crosses, its end.

    ``onward`` is the result of :func:`rules.ways`.
    """
    well, _, source, target = turn
    *entered, _ = rules.path(onward, well, source, target)
    return NODES[source], *(WELLS[edge >> 3] for edge in entered if edge < FIRST_NODE), NODES[target]
