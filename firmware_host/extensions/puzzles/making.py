"""Makes puzzles: games from a seed, whatever a game's solver finds in them, mixed over kinds, modes and grades.

To search games is mass work (firmware_host/link/mass_work.py): a unit is some games of one kind, and tells what was
found in them.
The choice among that is made here, kind by kind in the order of the games, so it is the same however many search.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from random import Random
from typing import Any

from firmware_host.extensions.puzzles.puzzle import Puzzle, kinds_of, pose
from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, Layout, bounded_cache
from firmware_host.games.registry import game as find_game
from firmware_host.link.mass_work import DISTRIBUTION, RowsFile, Workers, work

STEPS = 24
"""Turns of the board by so many parts of a circle may be symmetries."""
CHOICE = 3
"""Puzzles that are looked at in a game, of which the one is taken that does most for the mixture of grades."""
SHARE = 0.4
"""No grade has a larger part of a kind, as long as others are found."""
PATIENCE = 15
"""Games without a new puzzle of a kind after which grades don't matter, and twice so many after which it is left."""
BATCH = 4
"""Games of a unit of work."""
MAX_FOUND = 10
"""Puzzles that are taken from a game at most."""

Looks = tuple[Any, ...]
Unit = tuple[str, int]
"""A kind, and the number of the first of its games."""


def search(name: str, kind: str, seed: int, first: int) -> dict[str, Any]:
    """Return what is found in some games, from this number on: for each of them its puzzles, as plain data."""
    game = find_game(name)
    modes, games = kinds_of(game)[kind].modes, []
    for number in range(first, first + BATCH):
        # Two of three are of the usual mode.
        mode = modes[0] if number % 3 else modes[number // 3 % len(modes)]
        found = islice(pose(game, kind, mode, Random(f"{seed} {kind} {number}")), MAX_FOUND)
        games.append([dataclasses.asdict(puzzle) for puzzle in found])
    return {"games": games}


def make(
    game: Game[Any],
    count: int,
    seed: int,
    known: list[Puzzle],
    out_of_time: Callable[[], bool],
    only: str | None = None,
    *,
    workers: Workers = Workers(),  # noqa: B008 - it is frozen
    file: RowsFile | None = None,
) -> Iterator[Puzzle]:
    """Yield so many new puzzles, unlike each other and the known ones up to symmetry; fewer where time runs out.

    They are of all kinds, or of ``only`` one. ``file`` keeps what was found in which games: these are not searched
    again. Raise what :func:`firmware_host.link.mass_work.work` raises.
    """
    seen = {looks(game, puzzle) for puzzle in known}
    kinds = [kind for kind in kinds_of(game) if only in {None, kind}]
    choices = {
        kind: _Choice(game, count // len(kinds) + (number < count % len(kinds)), seen)
        for number, kind in enumerate(kinds)
    }
    rows = file.rows if file is not None else {}
    version = importlib.metadata.version(DISTRIBUTION)

    def key(unit: Unit) -> str:
        return f"{version} {game.name} {unit[0]} seed {seed} games {unit[1]} to {unit[1] + BATCH - 1}"

    def units() -> Iterator[tuple[Unit, tuple[Any, ...]]]:
        first = 1
        while any(choice.wanted for choice in choices.values()):
            for kind, choice in choices.items():
                if choice.wanted and key((kind, first)) not in rows:
                    yield (kind, first), (game.name, kind, seed, first)
            first += BATCH

    def enough() -> bool:
        return out_of_time() or not any(choice.wanted for choice in choices.values())

    def choose_puzzles() -> Iterator[Puzzle]:
        """Yield the puzzles of the batches that are next in the order of their kinds."""
        for kind, choice in choices.items():
            while choice.wanted and (row := found.pop((kind, choice.first), rows.get(key((kind, choice.first))))):
                yield from choice.take(row["games"])

    found: dict[Unit, Any] = {}
    if out_of_time():
        return
    yield from choose_puzzles()
    with closing(work(search, units(), workers, enough=enough)) as done:
        for unit, row in done:
            found[unit] = row
            if file is not None:
                file.add(key(unit), {"key": key(unit), **row})
            yield from choose_puzzles()


class _Choice:
    """Which puzzles of a kind are taken: ``wanted`` more, from the games from number ``first`` on."""

    def __init__(self, game: Game[Any], wanted: int, seen: set[Looks]) -> None:
        self.wanted, self.first = wanted, 1
        self._game, self._seen = game, seen
        self._grades: Counter[int] = Counter()
        self._idle = 0

    def take(self, games: list[list[dict[str, Any]]]) -> Iterator[Puzzle]:
        """Yield what is taken from a batch of games."""
        self.first += BATCH
        for posed in games:
            if not self.wanted:
                return
            most = math.inf if self._idle > PATIENCE else SHARE * (self.wanted + self._grades.total())
            puzzles = [Puzzle(**{**one, "answer": tuple(one["answer"])}) for one in posed]
            fresh = [
                one for one in puzzles if self._grades[one.grade] < most and looks(self._game, one) not in self._seen
            ]
            self._idle = 0 if fresh else self._idle + 1
            if fresh:
                chosen = min(fresh[:CHOICE], key=lambda one: self._grades[one.grade])
                self._seen.add(looks(self._game, chosen))
                self._grades[chosen.grade] += 1
                self.wanted -= 1
                yield chosen
            elif self._idle > 2 * PATIENCE:
                self.wanted = 0


def looks(game: Game[Any], puzzle: Puzzle) -> Looks:
    """Return what is the same for all puzzles that are one another's mirror images, turned, or with colours swapped."""
    position = game.parse(puzzle.position)
    lying = game.occupancy(position)
    tiles = capabilities_of(game).tiles
    pieces = sorted(game.pieces)
    swapped = dict(zip(pieces, reversed(pieces), strict=True)) if len(pieces) == 2 else {}
    shown = {
        node: tuple(piece.partition("r")[0] if tiles and piece not in game.pieces else piece for piece in stack)
        for node, stack in lying.items()
    }
    found = []
    for image in _symmetries(game):
        for names in ({}, swapped):
            turned = (
                # Nodes of a smaller board than the game's own stay where they are.
                (image.get(node, node), tuple(sorted(names.get(piece, piece) for piece in stack)))
                for node, stack in shown.items()
            )
            found.append(tuple(sorted(turned)))
    return puzzle.kind, position.mode, min(found)


@bounded_cache(16)
def _symmetries(game: Game[Any]) -> list[dict[str, str]]:
    """Return every map of the board's nodes onto themselves that turns or mirrors its drawing."""
    images = [_image(game.layout(), *way) for way in _WAYS]
    return [image for image in images if image is not None]


_WAYS = [(2 * math.pi * step / STEPS, mirror) for step in range(STEPS) for mirror in (1, -1)]


def _image(layout: Layout, angle: float, mirror: int) -> dict[str, str] | None:
    at = {(round(x, 3) + 0.0, round(y, 3) + 0.0): node for node, (x, y) in layout.nodes.items()}
    found = {}
    for node, (x, y) in layout.nodes.items():
        turned = (
            x * math.cos(angle) * mirror - y * math.sin(angle),
            x * math.sin(angle) * mirror + y * math.cos(angle),
        )
        image = at.get((round(turned[0], 3) + 0.0, round(turned[1], 3) + 0.0))  # No negative zeros.
        if image is None:
            return None
        found[node] = image
    return found
