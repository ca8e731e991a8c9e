"""Whole evenings as text, played through `lodestone table`: :mod:`tests.table.script` tells what a line means.

A scenario whose first line is ``# fails: REASON`` shows a fault that is known: it must fail until it is mended.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.table.doors import Command, Direct, InThread
from tests.table.script import Script

FOLDER = Path(__file__).parent.parent / "scenarios"
FAILS = "# fails: "


def play(path: Path, door: Direct) -> None:
    script = Script(door)
    try:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            try:
                script.run(line)
            except Exception as error:
                said = script.now.get("message")
                raise AssertionError(f"{path.name}:{number}: {line}\n{error}\n{said}") from error
    finally:
        door.close()


def scenarios() -> list[Any]:
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        first = path.read_text().splitlines()[0]
        marks = [pytest.mark.xfail(reason=first.removeprefix(FAILS), strict=True)] if first.startswith(FAILS) else []
        found.append(pytest.param(path, id=path.stem, marks=marks))
    return found


@pytest.mark.parametrize("path", scenarios())
def test_scenario(path: Path) -> None:
    searched = any(line.startswith("foresee ") for line in path.read_text().splitlines())
    play(path, Direct() if searched else InThread())  # The protocol has no line for what a search has found.


@pytest.mark.thorough
def test_the_command_plays_an_evening() -> None:
    play(FOLDER / "03-wrong-stone-and-repair.txt", Command())


def test_there_are_scenarios() -> None:
    assert len(list(FOLDER.glob("*.txt"))) >= 30
