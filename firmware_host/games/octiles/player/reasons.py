"""Why the computer player plays a turn, in a sentence where there is one: what the turn does, and nothing guessed."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.games.octiles import names, rules, ways
from firmware_host.games.octiles.board import FIRST_NODE, MEETS, NODES
from firmware_host.games.octiles.playout import GAIN
from firmware_host.games.octiles.position import GOAL, SEATED, Position
from firmware_host.text.words import say

WINS = say("It brings the last runner home and wins.")
FAR = 2
"""Rows that a runner gets on by when that is worth a word."""


def of(position: Position, turn: int) -> tuple[str, ...]:
    """Return the reasons for a turn that does not win, the most important first."""
    source, target = turn >> 6 & 63, turn & 63
    side = position.side
    after = rules.played(position, (turn >> 15, turn >> 12 & 7, source, target))
    found = []
    if target in GOAL[side] and target != source:
        found.append(say("It brings a runner home."))
    for seat, other in enumerate(SEATED[position.mode], 1):
        if seat in position.resigned or other == side:
            continue
        if _ways_home(position, seat) and not _ways_home(after, seat):
            found.append(say("It closes a line that leads {side} home.", side=names.SIDES[other]))
    before = set(_ways_home(position, position.seat))
    opened = [node for node in _ways_home(after, position.seat) if node not in before]
    if opened:
        found.append(say("It opens a way home for its runner on {node}.", node=NODES[opened[0]]))
    rows = GAIN[side][source * len(NODES) + target]
    if rows >= FAR and target not in GOAL[side]:
        found.append(say("It takes a runner {rows} rows further.", rows=rows))
    return tuple(found)


def _ways_home(position: Position, seat: int) -> Sequence[int]:
    """Return the nodes of a seat's runners from which a line leads to a free pad of its goal."""
    side = SEATED[position.mode][seat - 1]
    onward = ways.ways(position.faces)
    taken = frozenset().union(*position.runners)
    found = []
    for node in position.runners[seat - 1]:
        if node in GOAL[side]:
            continue
        for edge in MEETS[node]:
            at = edge
            while at < FIRST_NODE:
                at = onward[at]
            if at - FIRST_NODE in GOAL[side] and at - FIRST_NODE not in taken:
                found.append(node)
                break
    return found
