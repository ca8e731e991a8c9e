"""The compiled and the plain form of the same text: a process runs one of them, another process the other one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

from firmware_host.compile import COMPILED_FORM, form
from tests.sampling import is_sample

PARTS = range(10)
"""Parts of a million positions: tests of their own, so that workers share them."""
PART, PLAIN_PART = 2, 3
"""A sample has so manieth part of the games; the plain form is ten times slower than the compiled one."""


def share(count: int) -> int:
    """Return how many of so many games the form that runs here plays, in a sample."""
    return count if not is_sample() else count // (PART if form() == COMPILED_FORM else PLAIN_PART)


def tenth_if_plain(count: int) -> int:
    """Return so many, for the plain form, whose text is the same, a tenth of them."""
    return count if form() == COMPILED_FORM else count // 10


def compare_many(part: int, games: int, compare: Callable[[range], int]) -> None:
    """Compare the positions of one of :data:`PARTS`, so many games at a time; ``compare`` returns how many it met."""
    seed, left = 1_000 + 100_000 * part, tenth_if_plain(100_000)
    while left > 0:
        left -= compare(range(seed, seed + games))
        seed += games


def printed(program: str, *arguments: str, plain: bool = True) -> str:
    """Return what a Python program prints, in the plain form or in the one that is installed; it must not fail."""
    environment = {**os.environ, "LODESTONE_PURE": "1" if plain else ""}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
