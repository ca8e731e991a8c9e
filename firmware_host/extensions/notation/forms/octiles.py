"""Moves as boardspace.net writes them, a command a line or as in its SGF (``P0[12 Move c 3 7 5 A 3 B 4]``).

Wells, stops, tiles and turnings are named as here. The stack is that of the tiles in the order of their turns.

With three players two tiles lie before play, and the moves do not name them. They follow from the moves where all other
ways in which two tiles could lie forbid one of these; else lines ``Laid c 1 7 5`` (well, tile, turning) say it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from firmware_host.extensions.notation.forms import ForeignGame, ForeignStep, UnreadableText
from firmware_host.games.capabilities import HasStartOptions
from firmware_host.games.game import Game, GameError
from firmware_host.games.octiles.board import PARTNER, TILES
from firmware_host.games.octiles.notation import PASS
from firmware_host.games.octiles.rules import EIGHTHS, LAID_BEFORE

WORDS = "moves of boardspace.net's Octiles (Move c 3 7 5 A 3 B 4)"
COMMANDS = "Move, Dropb, Rotate, Pickb, Pick, Drop, Done, Start, Laid or Resign"
MORE = "say it by lines such as Laid c 1 7 5 (well, tile, turning)"
MAX_WAYS = 1_000
"""Ways in which two tiles may lie that are tried; with all tiles of the stack named there are 256."""
SET_UP = re.compile(r"\bSU\[\w+ ([234]) [^\]\n]*\]")
"""What the SGF says of the set-up: the number of players, and a key to the site's shuffle."""
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
    set_up = SET_UP.search(text)
    for number, line in enumerate(SET_UP.sub("", text).splitlines(), 1):
        found = re.findall(r"\bP(\d)\[([^\]]*)\]", line)
        seats |= {seat for seat, _ in found}
        for command in [command for _, command in found] or [line]:
            turn = parts.take(command.split(), number)
            turns += [(number, turn)] if turn else []
    mode = "3" if parts.laid else set_up[1] if set_up else str(max(2, len(seats)))
    steps = [_step(number, turn) for number, turn in turns]
    drawn = list(dict.fromkeys(tile for _, (_, tile) in turns if tile))
    if mode == "3":
        return ForeignGame(game, _laid_before(game, drawn, parts.laid, steps), steps)
    try:
        start = game.start_with(mode, {"stack": _stack(drawn)})
    except GameError as error:
        raise UnreadableText(error.message, 1) from error
    return ForeignGame(game, start, steps)


def _stack(first: Sequence[int]) -> list[int]:
    """Return all tiles, these first."""
    return [*first, *(tile for tile in TILES if tile not in first)]


def _laid_before(
    game: HasStartOptions[Any], drawn: Sequence[int], laid: Mapping[str, tuple[int, int]], steps: Sequence[ForeignStep]
) -> Any:
    """Return the start of three players by which all steps are legal. Raise UnreadableText unless there is one."""
    in_stack = len(TILES) - len(LAID_BEFORE)
    # As many tiles as the stack has are drawn before one that lay below it.
    free = [tile for tile in TILES if tile not in drawn[:in_stack]] if len(drawn) >= in_stack else TILES
    ways = [
        [laid[well]] if well in laid else [(tile, turn) for tile in free for turn in range(EIGHTHS)]
        for well in LAID_BEFORE
    ]
    if prod(map(len, ways)) > MAX_WAYS:
        raise UnreadableText(f"too few moves to tell which tiles lay before play: {MORE}", 1)
    found: dict[Any, Any] = {}
    for (one, turned), (other, other_turned) in product(*ways):
        if one == other:
            continue
        stack = _stack([one, other, *(tile for tile in drawn if tile not in {one, other})])
        try:
            start = game.start_with("3", {"stack": stack, "turned": [turned, other_turned]})
        except GameError as error:
            raise UnreadableText(error.message, 1) from error
        if _allows(game, start, steps):
            # Turnings of a symmetric tile that look the same are one way.
            found.setdefault(tuple(PARTNER[face] for face in start.faces), start)
    if len(found) != 1:
        many = f"the moves allow {len(found)} ways" if found else "the moves allow no way"
        raise UnreadableText(f"{many} in which the two tiles lay before play: {MORE}", 1)
    return next(iter(found.values()))


def _allows(game: Game[Any], position: Any, steps: Sequence[ForeignStep]) -> bool:
    """Return whether all steps are legal from a position on."""
    try:
        for step in steps:
            action, seat = step.action(position), game.actor(position) or 0
            after = game.resign(position, seat) if action is None else game.apply(position, {seat: action})
            position = after.position
    except GameError:
        return False
    return True


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
        self.laid: dict[str, tuple[int, int]] = {}
        """The tiles that lay before play, as far as lines say."""

    def take(self, words: Sequence[str], number: int) -> Turn | None:
        """Take a command; return the turn once it is whole. Raise UnreadableText."""
        words = words[1:] if words and words[0].isdecimal() else words
        if not words:
            return None
        known: dict[str, Callable[[Sequence[str]], Turn | None]] = {
            "Move": self._move, "Dropb": self._drop, "Rotate": self._drop, "Pickb": self._pick, "Done": self._end_turn,
            "Resign": lambda _more: (None, 0), "Laid": self._laid,
        }  # fmt: skip
        known |= dict.fromkeys(("Pick", "Drop", "Start", "Edit"), lambda _more: None)
        try:
            return known[words[0]](words[1:])
        except (KeyError, ValueError, IndexError) as error:
            shown = " ".join(words)[:40]
            raise UnreadableText(f"expected {COMMANDS} with its places, found {shown!r}", number) from error

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

    def _laid(self, more: Sequence[str]) -> None:
        column, row, tile, turned = more
        if f"{column}{row}" not in LAID_BEFORE:
            raise ValueError("no tile lies there before play")
        self.laid[f"{column}{row}"] = int(tile), int(turned)

    def _pick(self, more: Sequence[str]) -> None:
        if int(more[2]) >= RUNNER:
            self.source = f"{more[0]}{more[1]}"

    def _end_turn(self, _more: Sequence[str]) -> Turn:
        whole = self.well and self.source and self.target
        turn = (f"{self.well}r{self.turned}:{self.source}-{self.target}", self.tile) if whole else (PASS, 0)
        self.well = self.source = self.target = ""
        return turn
