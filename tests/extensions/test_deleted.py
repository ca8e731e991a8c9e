"""An extension is a folder that can be deleted: the four games are played without it, and nothing else is edited."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.registry import GAMES
from firmware_host.plug import extensions
from tests.e2e.program import Program
from tests.extensions.amputated import ALL, FOLDER, NAMES, ROOT, environment, without
from tests.forked import Separate
from tests.sampling import cases
from tests.waiting import PATIENCE_S, eventually

PAIRS = [(one, game) for one in (*NAMES, ALL) for game in GAMES]
pytestmark = pytest.mark.linux  # Copies of the repository share the libraries of this environment.


class CopyProgram(Program):
    """``lodestone play`` of a copy."""

    def __init__(self, copy: Path, data: Path, *options: str) -> None:
        super().__init__(data, *options)
        self.copy = copy

    def run(self, *words: str) -> Any:
        return Separate(environment(self.copy), self.data.parent / "printed", *words)


Play = Callable[[str, str], CopyProgram]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    begun: list[CopyProgram] = []

    def play(name: str, game: str) -> CopyProgram:
        copy = without(name, tmp_path / "copy")
        begun.append(CopyProgram(copy, tmp_path / "data", "--demo", "--game", game, "--pause", "0"))
        begun[-1].start()
        return begun[-1]

    yield play
    for one in begun:
        one.stop()


def test_all_are_installed() -> None:
    """Without this all of the others would prove nothing."""
    assert [one.name for one in extensions() if one.folder.is_relative_to(ROOT / FOLDER)] == NAMES


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("name", "game"), cases(PAIRS, (ALL, "coil")))
def test_a_whole_game_without_it(name: str, game: str, play: Play) -> None:
    program = play(name, game)
    eventually(lambda: program.state()["phase"] == "over", "the game's end", 1000)
    assert program.state()["result"]
    helped = subprocess.run(
        [sys.executable, "-m", "firmware_host", "--help"],
        env=environment(program.copy), capture_output=True, text=True, timeout=PATIENCE_S, check=True,
    )  # fmt: skip
    assert helped.stderr == ""
