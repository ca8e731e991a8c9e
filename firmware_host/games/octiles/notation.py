"""The texts of actions (formats.md, Octiles): written, read, and in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firmware_host.games.game import BadAction
from firmware_host.games.octiles import names, rules
from firmware_host.games.octiles.board import FIRST_NODE, NODE, NODES, WELL, WELLS
from firmware_host.games.octiles.rules import EIGHTHS
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


def line(onward: Sequence[int], turn: rules.Turn) -> tuple[str, ...]:
    """Return the nodes of a turn's shortest line: the runner's node, the wells that it crosses, its end.

    ``onward`` is the result of :func:`rules.ways`.
    """
    well, _, source, target = turn
    *entered, _ = rules.path(onward, well, source, target)
    return NODES[source], *(WELLS[edge >> 3] for edge in entered if edge < FIRST_NODE), NODES[target]
