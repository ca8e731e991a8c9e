"""Makes puzzles: games from a seed, whatever a game's solver finds in them, mixed over kinds, modes and grades."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random
from typing import Any

from firmware_host.games.caching import bounded_cache
from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, Layout
from firmware_host.games.puzzles import HasPuzzles, Puzzle

STEPS = 24
"""Turns of the board by so many parts of a circle may be symmetries."""
CHOICE = 3
"""Puzzles that are looked for in a game, of which the one is taken that does most for the mixture of grades."""
SHARE = 0.4
"""No grade has a larger part of a kind, as long as others are found."""
PATIENCE = 15
"""Games without a new puzzle of a kind after which grades don't matter, and twice so many after which it is left."""

Looks = tuple[Any, ...]


def make(
    game: Game[Any],
    count: int,
    seed: int,
    known: list[Puzzle],
    out_of_time: Callable[[], bool],
    only: str | None = None,
) -> Iterator[Puzzle]:
    """Yield so many new puzzles, unlike each other and the known ones up to symmetry; fewer where time runs out.

    They are of all kinds, or of ``only`` one.
    """
    if not isinstance(game, HasPuzzles):
        return
    seen = {looks(game, puzzle) for puzzle in known}
    kinds = [kind for kind in game.puzzle_kinds if only in {None, kind}]
    wanted = {kind: count // len(kinds) for kind in kinds}
    for kind in list(wanted)[: count % len(wanted)]:
        wanted[kind] += 1
    grades: dict[str, Counter[int]] = {kind: Counter() for kind in wanted}
    idle = dict.fromkeys(wanted, 0)
    number = 0
    while any(wanted.values()) and not out_of_time():
        number += 1
        for kind in [kind for kind, left in wanted.items() if left]:
            modes = game.puzzle_kinds[kind].modes
            # Two of three are of the usual mode.
            mode = modes[0] if number % 3 else modes[number // 3 % len(modes)]
            rng = Random(f"{seed} {kind} {number}")
            most = math.inf if idle[kind] > PATIENCE else SHARE * (wanted[kind] + grades[kind].total())
            fitting = (
                one
                for one in game.pose(kind, mode, rng)
                if grades[kind][one.grade] < most and looks(game, one) not in seen
            )
            fresh = list(islice(fitting, CHOICE))
            idle[kind] = 0 if fresh else idle[kind] + 1
            if fresh:
                chosen = min(fresh, key=lambda one: grades[kind][one.grade])
                seen.add(looks(game, chosen))
                grades[kind][chosen.grade] += 1
                wanted[kind] -= 1
                yield chosen
            elif idle[kind] > 2 * PATIENCE:
                wanted[kind] = 0
            if out_of_time():
                return


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
