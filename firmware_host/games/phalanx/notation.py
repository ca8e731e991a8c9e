"""The texts of Phalanx (docs/engine.md): positions and actions, refusals, and every action in words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from firmware_host.games.game import BadAction, BadPosition
from firmware_host.games.phalanx import reasons, rules
from firmware_host.games.phalanx.board import (
    BIT,
    GOAL,
    HOPLITES,
    NODE,
    NODES,
    SHIFT,
    SIDES,
    SIZE,
    members,
    shift_points,
)
from firmware_host.games.phalanx.rules import END, Board, Effect, Options, Position, TurnStart
from firmware_host.text.words import fill, say

# -- positions ---------------------------------------------------------------------------------------------------------

_COLOUR = {"b": "black", "w": "white"}


def text(position: Position) -> str:
    """Return a position's text."""
    black, white = position.board
    signs = "".join("b" if black & BIT[node] else "w" if white & BIT[node] else "." for node in NODES)
    rows = (signs[first : first + SIZE] for first in range(0, len(signs), SIZE))
    joined = "/".join(re.sub(r"\.+", lambda run: str(len(run.group())), row) for row in rows)
    return f"{joined} {position.side} {position.left} {position.turn}"


def parse(line: str, options: Options) -> Position:
    """Return the position of a text. Raise BadPosition naming the field and what was expected."""
    words = line.split(" ")
    if len(words) != 4:
        raise BadPosition(f"position: expected 4 fields (rows side left turn) separated by one space, got {len(words)}")
    rows, side, left, turn = words
    board = _parse_rows(rows)
    if side not in SIDES:
        raise BadPosition(f"side: expected b or w, got {side[:20]!r}")
    if not re.fullmatch(r"[1-9][0-9]{0,5}", turn, re.ASCII):
        raise BadPosition(f"turn: expected a whole number from 1, got {turn[:20]!r}")
    number = int(turn)
    if side != SIDES[(number - 1) % 2]:
        raise BadPosition(
            f"turn: expected an {'odd' if side == 'b' else 'even'} number for {_COLOUR[side]}, got {turn}"
        )
    most = options.allowance(number)
    if left not in map(str, range(most + 1)):
        raise BadPosition(f"left: expected a number of actions from 0 to {most} in turn {turn}, got {left[:20]!r}")
    past: tuple[TurnStart, ...] = ((side, *board),) if int(left) == most else ()
    return Position(board, side, int(left), number, past, options=options)


def _parse_rows(word: str) -> Board:
    rows = word.split("/")
    if len(rows) != SIZE:
        raise BadPosition(f"rows: expected {SIZE} rows joined by '/', got {len(rows)} in {word[:120]!r}")
    signs = ""
    for number, row in zip(range(SIZE, 0, -1), rows, strict=True):
        if not re.fullmatch(r"(?:[bw]|[1-9](?![1-9]))+", row, re.ASCII):
            raise BadPosition(
                f"rows: row {number}: expected b, w and digits for whole runs of empty points, got {row[:20]!r}"
            )
        spread = re.sub(r"[1-9]", lambda run: "." * int(run.group()), row)
        if len(spread) != SIZE:
            raise BadPosition(f"rows: row {number}: expected {SIZE} points, got {len(spread)} in {row[:20]!r}")
        signs += spread
    board = _hoplites(signs, "b"), _hoplites(signs, "w")
    if not any(board):
        raise BadPosition("rows: expected hoplites of one side at least, got an empty board")
    return board


def _hoplites(signs: str, side: str) -> int:
    """Return the points of one side's hoplites. Raise BadPosition if they are impossible."""
    points = sum(BIT[node] for node, sign in zip(NODES, signs, strict=True) if sign == side)
    if points.bit_count() > HOPLITES:
        raise BadPosition(f"rows: expected at most {HOPLITES} {_COLOUR[side]} hoplites, got {points.bit_count()}")
    for goal in GOAL.values():
        if points & BIT[goal]:
            raise BadPosition(f"rows: expected {goal} empty, as it is a goal, got {side}")
    for node in NODES:
        if BIT[node] & points & ~rules.survivors(points):
            raise BadPosition(f"rows: {node}: expected no {_COLOUR[side]} hoplite without a neighbour, as it is dead")
    return points


# -- actions -----------------------------------------------------------------------------------------------------------

_REFUSED = {"add": say("add: {reason}"), "move": say("move: {reason}"), "push": say("push: {reason}")}
_ACTION = re.compile(r"\+([A-HJ][1-9])|([A-HJ][1-9])-([A-HJ][1-9])|([A-HJ][1-9])>([nesw])|end", re.ASCII)


def texts(offer: rules.LegalActions) -> list[str]:
    """Return the sorted texts of all offered actions, and of ending the turn."""
    found = [END, *(push.text for push in offer.pushes)]
    found += [f"+{NODE[target]}" for target in members(offer.adds)]
    found += [f"{NODE[source]}-{NODE[target]}" for source, targets in offer.moves for target in members(targets)]
    return sorted(found)


def effect(own: int, other: int, action: str) -> Effect:
    """Return the effect of an action. Raise BadAction (saying why) if it is not legal."""
    added, source, target, rear, direction = read(action)
    if added is not None:
        _refuse("add", reasons.no_add(own, other, BIT[added]))
    elif source is not None:
        _check_own("move", own, BIT[source])
        _refuse("move", reasons.no_move(own, other, BIT[source], BIT[target]))
    elif rear is not None:
        _check_own("push", own, BIT[rear])
        _refuse("push", reasons.no_push(own, other, BIT[rear], direction))
    return effect_of_legal(own, other, action)


def effect_of_legal(own: int, other: int, action: str) -> Effect:
    """Return the effect of a legal action: a position may have hundreds, so they are not all checked again."""
    added, source, target, rear, direction = read(action)
    if source is not None:
        return rules.effect_of_move(own, other, BIT[source], BIT[target])
    if added is not None:
        return rules.effect_of_add(own, other, BIT[added])
    push = rules.push_from(own, other, BIT[rear], direction) if rear is not None else None
    return rules.effect_of_push(own, other, push) if push else Effect(own, other)


@lru_cache(maxsize=256)
def words(action: str) -> str:
    """Return an action in words. Raise BadAction for other text. Cached: a position may have hundreds."""
    added, source, target, rear, direction = read(action)
    if added is not None:
        return say("a hoplite on {node}", node=added)
    if source is not None:
        return say("{source} to {target}", source=source, target=target)
    if rear is not None:
        ahead = shift_points(BIT[rear], SHIFT[direction])  # Of a legal push it carries the next hoplite of the line.
        return say("the line from {rear} pushes towards {node}", rear=rear, node=NODE.get(ahead, rear))
    return say("end the turn")


@lru_cache(maxsize=256)
def read(action: str) -> tuple[Any, ...]:
    """Return an action's parts: added, source, target, rear, direction. Raise BadAction for other text. Cached, too."""
    match = _ACTION.fullmatch(action)
    if match is None:
        given = repr(action[:20])
        raise BadAction(
            say(
                "action: expected one such as {examples} or {last}, got {given}",
                examples="+D8, B8-D8, B7>e",
                last=END,
                given=given,
            )
        )
    return match.groups()


def _check_own(what: str, own: int, point: int) -> None:
    if not point & own:
        _refuse(what, say("no hoplite of the side that acts stands on {node}", node=NODE[point]))


def _refuse(what: str, reason: str | None) -> None:
    if reason is not None:
        raise BadAction(fill(_REFUSED[what], reason=reason))
