"""Positions set up by hand: what lies on the board, whether it is a position, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from flask import render_template

from firmware_host.extensions.positions.positions import Positions
from firmware_host.puzzles.view import summary
from firmware_host.text.json_reader import NODE, Schema, check_names, maybe, part, record, rows, table_of, wrong_field
from web_panel.limits import POSITIONS
from web_panel.panel import Panel
from web_panel.routes import Routes, Sender

MAX_NODES, MAX_PIECES, LONGEST = 128, 4, 24
_STACK: Schema = {"type": "array", "items": {"type": "string", "maxLength": LONGEST}, "maxItems": MAX_PIECES}
_LAID: Schema = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "mode": {"type": "string", "maxLength": LONGEST},
                        "board": {"type": "object", "additionalProperties": _STACK, "maxProperties": MAX_NODES},
                        "chosen": {
                            "type": "object",
                            "additionalProperties": {"type": "string", "maxLength": LONGEST},
                            "maxProperties": 8,
                        },
                    },
                    "required": ["mode", "board", "chosen"],
                    "additionalProperties": False,
                }
            }
        },
    }
}
_BEST = record(action=str, words=str, leads=str, nodes=rows(NODE))
routes = Routes("positions", {
    "SetUp": record(
        game=str, title=str, layout=part("LayoutView"), pieces=table_of(str), tints=table_of(str), tiles=rows(str),
        mode=str, highest=int, modes=table_of(rows(record(name=str, words=str, options=table_of(str)))),
        starts=table_of(table_of(rows(str))), searches=bool, puzzles=bool,
    ),
    "Lying": record(board=table_of(maybe(rows(str)))),
    "Best": record(ok={"const": True}, best=maybe(rows(_BEST))),
    "Posed": record(ok={"const": True}, puzzles=maybe(rows(part("PuzzleInList")))),
}, static="/static/positions")  # fmt: skip


@dataclass(frozen=True)
class SetUp:
    """What the requests are given (:class:`web_panel.routes.Context`)."""

    panel: Panel
    positions: Positions

    def admit(self, sender: Sender) -> AbstractContextManager[Mapping[str, Any]]:
        """Admit whom the panel admits."""
        return self.panel.admit(sender)


@routes.get("/position")
def page(_here: SetUp) -> str:
    """Setting up a position."""
    return render_template("position.html")


@routes.get("/api/position", part("SetUp"), _409="Conflict", _503="Busy")
def choices(here: SetUp) -> Mapping[str, Any]:
    """What can be set up at the table: the game's board, its pieces, and what is chosen beside them."""
    return here.positions.choices()


@routes.get("/api/position/lying", part("Lying"), _409="Conflict", _503="Busy")
def lying(here: SetUp) -> Mapping[str, Any]:
    """What lies on the board between games; null where its sensor can't tell the piece."""
    return {"board": here.positions.lying()}


@routes.post("/api/position/check", "guest", more=_LAID)
def check(here: SetUp, body: Mapping[str, Any]) -> None:
    """Check what is set up; what no position looks like is refused, and told why."""
    here.positions.check(*_laid(body))


@routes.post("/api/position/play", "host", more=_LAID)
def play(here: SetUp, body: Mapping[str, Any]) -> None:
    """Begin a game in this position, with those who sit at the table."""
    here.positions.play(*_laid(body), here.panel.seats.mine())


@routes.post("/api/position/best", "guest", answer="Best", more=_LAID)
def best(here: SetUp, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The best actions of the seat that acts; null while they are searched: ask again."""
    laid = _laid(body)
    here.panel.guesses.limit("positions", POSITIONS)
    found = here.positions.look_into(*laid)
    return {"best": found and found["choices"]}


@routes.post("/api/position/puzzle", "host", answer="Posed", more=_LAID)
def puzzle(here: SetUp, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Make a puzzle of the position, for the household; null while its answer is proved: ask again."""
    game = here.panel.table.setting.game
    found = here.positions.make_puzzles(*_laid(body), here.panel.data)
    return {"puzzles": found and [summary(game, one) for one in found]}


def _laid(body: Mapping[str, Any]) -> tuple[str, dict[str, tuple[str, ...]], dict[str, str]]:
    """Return mode, what lies, and what was chosen. Raise InvalidField."""
    fields = dict(body)
    check_names(fields, ("mode", "board", "chosen"))
    mode, board, chosen = fields.get("mode"), fields.get("board"), fields.get("chosen")
    if not _is_word(mode):
        raise wrong_field("a mode", fields, "mode")
    if not (isinstance(board, dict) and len(board) <= MAX_NODES and all(map(_is_stack, board.values()))):
        raise wrong_field("an object node → its pieces", fields, "board")
    if not (isinstance(chosen, dict) and all(map(_is_word, chosen.values()))):
        raise wrong_field("an object name → what was chosen", fields, "chosen")
    return str(mode), {node: tuple(stack) for node, stack in board.items() if stack}, chosen


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _is_stack(value: object) -> bool:
    return isinstance(value, list) and len(value) <= MAX_PIECES and all(map(_is_word, value))
