"""A player's version follows from the code and data that decide its play, and from nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.extensions.lab.arena.versions import version

CODE = '''"""What it is."""
from mine.rules import legal
from mine.player import worth
TABLE = (Strength(Budget(10), 0.5),)
def choose(position):
    """Choose."""
    return Choice(legal(position)[0], 0.5, say("It is near"))  # The first is the best.
'''
FILES = {
    "player/first.py": CODE,
    "player/worth.py": 'DATA = "worth.toml"',
    "player/worth.toml": "# How it was made\none = 1",
    "rules.py": "def legal(position): return [1, 2]",
    "lessons.py": "def lesson(): return 1",
}


def made(folder: Path, **changed: str) -> str:
    for name, text in {**FILES, **changed}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return version([folder / "player" / "first.py"], {"mine": folder})


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("player/first.py", '"""What it is."""\n', '"""Anything else."""\n# And a comment.\n'),
        ("player/first.py", '    """Choose."""\n', ""),
        ("player/first.py", "It is near", "It stands near"),
        ("player/first.py", "  # The first is the best.", ""),
        ("player/first.py", "(10), 0.5", "(20), 0.25"),
        ("player/first.py", "(legal(position)[0], 0.5, ", "(\n        legal(position)[0],\n        0.5,\n        "),
        ("player/worth.toml", "# How it was made", "# How it was made again"),
        ("lessons.py", "1", "2"),
    ],
)
def test_what_does_not_decide_the_play_changes_nothing(tmp_path: Path, name: str, old: str, new: str) -> None:
    before = made(tmp_path)
    assert FILES[name] != FILES[name].replace(old, new)
    assert made(tmp_path, **{name: FILES[name].replace(old, new)}) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("player/first.py", "[0]", "[1]"),
        ("player/worth.py", "DATA", "WORTH"),
        ("player/worth.toml", "one = 1", "one = 2"),
        ("rules.py", "[1, 2]", "[2, 1]"),
    ],
)
def test_code_and_data_that_decide_it_make_another_version(tmp_path: Path, name: str, old: str, new: str) -> None:
    before = made(tmp_path)
    assert made(tmp_path, **{name: FILES[name].replace(old, new)}) != before
