"""Units of work for tests of mass_work.py, where processes and a cluster's workers can import them."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from random import Random
from typing import Any

from tests.waiting import eventually

PATIENCE_S = 120.0


def draw(seed: int) -> dict[str, Any]:
    """Return numbers that follow from the seed."""
    rng = Random(seed)
    return {"drawn": [rng.randrange(1000) for _ in range(5)]}


def begin(folder: Path, number: int) -> None:
    """Note the process that does a unit."""
    with (folder / str(number)).open("a") as file:
        file.write(f"{os.getpid()}\n")


def begun(folder: Path, number: int) -> list[int]:
    """Return the processes that have begun a unit, in order."""
    path = folder / str(number)
    return [int(line) for line in path.read_text().splitlines()] if path.exists() else []


def hold(folder: Path, number: int) -> dict[str, Any]:
    """Return the number, once the file ``go`` is there."""
    begin(folder, number)
    eventually((folder / "go").exists)
    return {"number": number}


def deadly(folder: Path, number: int, wrong: int) -> dict[str, Any]:
    """Return the number, but end the process at a wrong one."""
    begin(folder, number)
    if number == wrong:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"number": number}


def failing(number: int) -> dict[str, Any]:
    """Raise ValueError."""
    raise ValueError(f"no result for {number}")
