"""An extension is a folder that can be deleted: the four games are played without it, and nothing else is edited."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.registry import GAMES
from firmware_host.plug import extensions
from tests.deleted import SHARED
from tests.e2e.program import Program
from tests.forked import Separate
from tests.sampling import cases
from tests.waiting import PATIENCE_S, eventually

ROOT = Path(__file__).parents[2]
FOLDER = Path("firmware_host/extensions")
NAMES = sorted(path.name for path in (ROOT / FOLDER).iterdir() if (path / "extension.py").exists())
ALL = "all"
PAIRS = [(one, game) for one in (*NAMES, ALL) for game in GAMES]
CHECKS = (
    ("ruff", "check", "--quiet", "."),
    ("ruff", "format", "--quiet", "--check", "."),
    ("mypy", "--no-error-summary"),
    ("lint-imports",),
    ("pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "-m", "not thorough and not slow",
     "tests/text", "tests/games", "tests/table", "tests/sensing", "tests/boardfile", "tests/javascript"),
)  # fmt: skip
"""What ``make check`` does."""

pytestmark = pytest.mark.linux  # Copies of the repository share the libraries of this environment.


def without(name: str, folder: Path) -> Path:
    """Return a copy of the repository's files without an extension, or without all and what only they use.

    Folders are deleted, no more.
    """
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    compiled = [str(path.relative_to(ROOT)) for path in (ROOT / "firmware_host").rglob("*.so")]
    for path in (*filter(None, listed.split("\0")), *compiled, "firmware_host/compiled.hashes"):
        if (ROOT / path).is_file():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, folder / path)
            if path.endswith(".py") and (compiled_text := Path(cache_from_source(ROOT / path))).exists():
                known = folder / compiled_text.relative_to(ROOT)  # Else all of it would be compiled for one game.
                known.parent.mkdir(exist_ok=True)
                shutil.copy2(compiled_text, known)
    for one in NAMES if name == ALL else [name]:
        shutil.rmtree(folder / FOLDER / one)
        shutil.rmtree(folder / "tests/extensions" / one)
    for path in SHARED if name == ALL else ():
        shutil.rmtree(folder / path.relative_to(ROOT))
    return folder


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder)}


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
@pytest.mark.parametrize(("name", "game"), cases(PAIRS, (ALL, "phalanx")))
def test_a_whole_game_without_it(name: str, game: str, play: Play) -> None:
    program = play(name, game)
    eventually(lambda: program.state()["phase"] == "over", "the game's end", 1000)
    assert program.state()["result"]
    helped = subprocess.run(
        [sys.executable, "-m", "firmware_host", "--help"],
        env=environment(program.copy), capture_output=True, text=True, timeout=PATIENCE_S, check=True,
    )  # fmt: skip
    assert helped.stderr == ""


@pytest.mark.thorough
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("name", [*NAMES, ALL])
def test_the_checks_are_green_without_it(name: str, tmp_path: Path) -> None:
    copy = without(name, tmp_path)
    for command in (["git", "init", "-q"], ["git", "add", "-A"]):
        subprocess.run(command, cwd=copy, check=True)
    for check in CHECKS:
        run(copy, check)


def run(copy: Path, words: Sequence[str]) -> None:
    command = [str(Path(sys.executable).parent / words[0]), *words[1:]]
    done = subprocess.run(command, cwd=copy, env=environment(copy), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
