"""Positions that phones set up by hand: how requests tell of them, and searches of them beside a table.

Whatever lies somewhere may be a position; what is none is refused by the game, which says why
(:mod:`firmware_host.link.set_up`). Searches wait in the table's queue behind everything that a game needs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

from firmware_host.analysis.questions import Answer, Question
from firmware_host.games.game import Game, GameError, Occupancy
from firmware_host.link.set_up import set_up, set_up_of
from firmware_host.session.runtime import Runtime
from firmware_host.table.errors import TableError
from firmware_host.table.events import BETWEEN_GAMES
from firmware_host.text.json_reader import Schema, check_names, wrong_field
from firmware_host.text.words import say

MAX_NODES, MAX_PIECES, LONGEST = 128, 4, 24
KEPT = 3
"""Maximum number of positions that are searched or whose answers are kept; the newest."""
KEPT_S = 120.0
"""How long an answer that nobody asks for is kept, seconds."""
_STACK: Schema = {"type": "array", "items": {"type": "string", "maxLength": LONGEST}, "maxItems": MAX_PIECES}
LAID: Schema = {
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
"""The body of a request that tells of a position."""
Laid: TypeAlias = tuple[str, Occupancy, Mapping[str, str]]
"""A mode, what lies, and what was chosen beside the board."""


def read_laid(body: Mapping[str, Any]) -> Laid:
    """Return what a body tells. Raise InvalidField."""
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


def game_of(runtime: Runtime) -> Game[Any]:
    """Return the game at a table. Raise TableError where its positions can't be set up."""
    game: Game[Any] = runtime.setting.game
    try:
        set_up_of(game)
    except GameError as error:
        raise TableError("bad_game", error.message) from error
    return game


def position_of(game: Game[Any], laid: Laid, rng: Random | None = None) -> Any:
    """Return the position; without ``rng`` always the same one, whose search can be asked again. Raise TableError."""
    mode, lying, chosen = laid
    for stack in lying.values():
        for piece in stack:
            if piece not in game.pieces:
                raise TableError("bad_position", say("there is no piece {piece}", piece=piece[:10]))
    try:
        return set_up(game, mode, lying, chosen, rng or Random(0))
    except GameError as error:
        raise TableError("bad_position", error.message) from error


class Asked:
    """What phones have asked of a table's search, again and again until there is an answer. Thread-safe."""

    def __init__(self, runtime: Runtime) -> None:
        """Begin without questions; the table's analyser answers them."""
        self._runtime, self._analyser = runtime, runtime.computers.analyser
        self._asked: Mapping[Question, float] = {}
        """Question → when it was asked last; replaced, never changed."""
        runtime.search_for(self.questions)

    def questions(self) -> Sequence[Question]:
        """Return the questions that somebody waits for, and those just answered."""
        now = time.monotonic()
        return [question for question, at in self._asked.items() if now - at < KEPT_S]

    def answer(self, question: Question) -> Answer | None:
        """Return the answer, None while there is none. Raise TableError where no search runs, or a game is played.

        Its players get the strongest level's opinion as hints, which the host may forbid and all get to know.
        """
        if self._analyser is None:
            raise TableError("no_hints", say("no search runs beside this table"))
        view = self._runtime.view(None)[1]
        if view["phase"] not in BETWEEN_GAMES and view["lesson"] is None:
            raise TableError("wrong_phase", say("a game is still being played"))
        others = {one: at for one, at in self._asked.items() if one != question}
        newest = dict(sorted(others.items(), key=lambda one: one[1])[1 - KEPT :])
        self._asked = {**newest, question: time.monotonic()}
        return self._analyser.answer(question)
