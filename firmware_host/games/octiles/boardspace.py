"""Moves as boardspace.net writes them, a command a line or as in its SGF (``P0[12 Move c 3 7 5 A 3 B 4]``).

Wells, stops, tiles and turnings are named as here. The stack is that of the tiles in the order of their turns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from firmware_host.games.capabilities import HasStartOptions
from firmware_host.games.foreign import ForeignGame, ForeignStep, UnreadableText
from firmware_host.games.game import GameError
from firmware_host.games.octiles.board import TILES
from firmware_host.games.octiles.notation import PASS

WORDS = "moves of boardspace.net's Octiles (Move c 3 7 5 A 3 B 4)"
COMMANDS = "Move, Dropb, Rotate, Pickb, Pick, Drop, Done, Start or Resign"
RUNNER = 100
"""From this number on the site counts runners, below it tiles."""
Turn = tuple[str | None, int]
"""An action, None for a resignation; and the tile that was laid, 0 for none."""


def read(game: HasStartOptions[Any], text: str) -> ForeignGame | None:
    """Return the game in a text, None if it is of another form. Raise UnreadableText."""
    if not re.search(r"\b(?:Move|Dropb)\s+[a-e]\s+[1-5]\b", text):
        return None
    turns: list[tuple[int, Turn]] = []
    seats: set[str] = set()
    parts = _Parts()
    for number, line in enumerate(text.splitlines(), 1):
        found = re.findall(r"\bP(\d)\[([^\]]*)\]", line)
        seats |= {seat for seat, _ in found}
        for command in [command for _, command in found] or [line]:
            turn = parts.take(command.split(), number)
            turns += [(number, turn)] if turn else []
    mode = str(max(2, len(seats)))
    if mode == "3":
        raise UnreadableText("with three players two tiles lie before play, which the moves do not name", 1)
    drawn = list(dict.fromkeys(tile for _, (_, tile) in turns if tile))
    try:
        start = game.start_with(mode, {"stack": [*drawn, *(tile for tile in TILES if tile not in drawn)]})
    except GameError as error:
        raise UnreadableText(error.message, 1) from error
    return ForeignGame(game, start, [_step(number, turn) for number, turn in turns])


def _step(number: int, turn: Turn) -> ForeignStep:
    done, tile = turn

    def action(position: Any) -> str | None:
        if tile and position.stack[0] != tile:
            raise GameError(f"tile {tile} is laid, but tile {position.stack[0]} is on top of the stack")
        return done

    return ForeignStep(number, done or "Resign", action)


class _Parts:
    """The parts of a turn, as commands name them one after the other."""

    def __init__(self) -> None:
        self.well, self.tile, self.turned, self.source, self.target = "", 0, 0, "", ""

    def take(self, words: Sequence[str], number: int) -> Turn | None:
        """Take a command; return the turn once it is whole. Raise UnreadableText."""
        words = words[1:] if words and words[0].isdecimal() else words
        if not words:
            return None
        known: dict[str, Callable[[Sequence[str]], Turn | None]] = {
            "Move": self._move, "Dropb": self._drop, "Rotate": self._drop, "Pickb": self._pick, "Done": self._done,
            "Resign": lambda _more: (None, 0),
        }  # fmt: skip
        known |= dict.fromkeys(("Pick", "Drop", "Start", "Edit"), lambda _more: None)
        try:
            return known[words[0]](words[1:])
        except (KeyError, ValueError, IndexError) as error:
            told = " ".join(words)[:40]
            raise UnreadableText(f"expected {COMMANDS} with its places, found {told!r}", number) from error

    def _move(self, more: Sequence[str]) -> Turn:
        column, row, tile, turned, *places = more
        source, target = (f"{one}{two}" for one, two in (places[:2], places[2:]))
        return f"{column}{row}r{int(turned)}:{source}-{target}", int(tile)

    def _drop(self, more: Sequence[str]) -> None:
        place, piece = f"{more[0]}{more[1]}", int(more[2])
        if piece < RUNNER:
            self.well, self.tile, self.turned = place, piece, int((*more, "0")[3])
        else:
            self.target = place

    def _pick(self, more: Sequence[str]) -> None:
        if int(more[2]) >= RUNNER:
            self.source = f"{more[0]}{more[1]}"

    def _done(self, _more: Sequence[str]) -> Turn:
        whole = self.well and self.source and self.target
        turn = (f"{self.well}r{self.turned}:{self.source}-{self.target}", self.tile) if whole else (PASS, 0)
        self.well = self.source = self.target = ""
        return turn
