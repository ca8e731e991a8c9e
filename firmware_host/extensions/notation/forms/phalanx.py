"""Actions as phalanx-core has them: ``[:add [x y]]``, ``[:move [x y] [x y]]``, ``[:push [x y] :left]``.

Its places count from the upper left corner. Its turns have all their actions, and White's first has four.
"""

from __future__ import annotations

import re
from typing import Any

from firmware_host.extensions.notation.forms import ForeignGame, ForeignStep, UnreadableText
from firmware_host.games.game import Game, GameError
from firmware_host.games.registry import game as find_game

WORDS = "actions of phalanx-core ([:move [6 6] [5 7]])"
_COLUMNS = "ABCDEFGHJ"
_WAYS = {"left": ("w", -1, 0), "right": ("e", 1, 0), "up": ("n", 0, -1), "down": ("s", 0, 1)}
_PLACE = r"[\[(]\s*(\d{1,3})\s+(\d{1,3})\s*[\])]"
_ACTION = re.compile(rf"[\[(]\s*:(\w+)\s*{_PLACE}\s*(?:{_PLACE}|:(\w+))?\s*[\])]")
_BEGINS = re.compile(r"[\[(]\s*:(?:add|move|push)\b")


def read(game: Game[Any], text: str) -> ForeignGame | None:
    """Return the game in a text, None if it is of another form. Raise UnreadableText."""
    game = find_game(game.name, {"second_player_bonus": True})
    if not _BEGINS.search(text):
        return None
    steps = []
    for number, line in enumerate(text.splitlines(), 1):
        rest = _ACTION.sub("", line).strip()
        if ":" in rest:
            form = "[:add [x y]], [:move [x y] [x y]] or [:push [x y] :left|:right|:up|:down]"
            raise UnreadableText(f"expected {form}, found {rest[:40]!r}", number)
        steps += [ForeignStep(number, one[0], _reader(game, one)) for one in _ACTION.finditer(line)]
    return ForeignGame(game, game.start(game.modes[0]), steps)


def _reader(game: Game[Any], match: re.Match[str]) -> Any:
    def action(position: Any) -> str:
        kind, x, y = match[1], int(match[2]), int(match[3])
        if kind == "add":
            return f"+{_place(x, y)}"
        if kind == "move" and match[4]:
            return f"{_place(x, y)}-{_place(int(match[4]), int(match[5]))}"
        if kind != "push" or match[6] not in _WAYS:
            raise GameError("expected :add, :move to a place, or :push with :left, :right, :up or :down")
        direction, dx, dy = _WAYS[match[6]]
        lying, own = game.occupancy(position), (position.side,)
        # Any hoplite of the line may be named: the rear one is meant.
        while _is_place(x - dx, y - dy) and lying.get(_place(x - dx, y - dy)) == own:
            x, y = x - dx, y - dy
        return f"{_place(x, y)}>{direction}"

    return action


def _is_place(x: int, y: int) -> bool:
    return 0 <= x < len(_COLUMNS) and 0 <= y < len(_COLUMNS)


def _place(x: int, y: int) -> str:
    if not _is_place(x, y):
        raise GameError(f"there is no place [{x} {y}]")
    return f"{_COLUMNS[x]}{len(_COLUMNS) - y}"
