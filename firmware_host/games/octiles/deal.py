"""The deal of the tiles: from a seed, reproducible for ever, or as requested (formats.md, Engine protocol)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from firmware_host.games.game import GameError
from firmware_host.games.octiles.board import TILES
from firmware_host.games.octiles.rules import EIGHTHS, LAID_BEFORE

OPTIONS = ("seed", "stack", "turned")

Deal = tuple[tuple[int, ...], tuple[int, ...]]
"""All tiles from the top of the stack, and the turning of those put before play."""


def from_options(mode: str, options: Mapping[str, object]) -> Deal:
    """Return the deal of these options; without any that of seed 0. Raise GameError naming a wrong option."""
    if "stack" in options:
        if "seed" in options:
            raise GameError("seed: expected seed or stack, not both")
        return _read_stack(options["stack"]), _read_turnings(mode, options)
    if "turned" in options:
        raise GameError("turned: expected stack with it, but it is missing")
    seed = options.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise GameError(f"seed: expected a whole number, got {str(seed)[:20]!r}")
    return from_seed(mode, seed)


def from_seed(mode: str, seed: int) -> Deal:
    """Return the deal of a seed.

    Only ``random()`` is used: Python guarantees for no other method that a seed gives the same results in all versions.
    So a recorded seed is a recorded deal.
    """
    draw = Random(f"octiles {seed}").random
    stack = list(TILES)
    for last in range(len(stack) - 1, 0, -1):
        other = int(draw() * (last + 1))
        stack[last], stack[other] = stack[other], stack[last]
    return tuple(stack), tuple(int(draw() * EIGHTHS) for _ in (LAID_BEFORE if mode == "3" else ()))


def _read_stack(given: object) -> tuple[int, ...]:
    numbers = _read_numbers(given)
    if numbers is None or sorted(numbers) != list(TILES):
        raise GameError(f"stack: expected a list of all tiles, 1 to {len(TILES)}, each once, got {str(given)[:60]!r}")
    return numbers


def _read_turnings(mode: str, options: Mapping[str, object]) -> tuple[int, ...]:
    count = len(LAID_BEFORE)
    if mode != "3":
        if "turned" in options:
            raise GameError(f"turned: only mode 3 lays tiles before play, not mode {mode}")
        return ()
    turned = options.get("turned")
    numbers = _read_numbers(turned)
    if numbers is None or len(numbers) != count or not set(numbers) <= set(range(EIGHTHS)):
        got = f"got {str(turned)[:40]!r}" if "turned" in options else "but it is missing"
        raise GameError(f"turned: expected a list of {count} turnings from 0 to {EIGHTHS - 1}, {got}")
    return numbers


def _read_numbers(given: object) -> tuple[int, ...] | None:
    """Return a list of whole numbers, None for anything else."""
    if not isinstance(given, list | tuple):
        return None
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in given)
    return tuple(given) if whole else None
