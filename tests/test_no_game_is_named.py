"""A game is one folder: nothing else of the program names one, its endings, or the options of its rules."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from firmware_host.compile import HASHES
from firmware_host.games.registry import GAMES

ROOT = Path(__file__).parents[1]
PACKAGES = ("firmware_host", "hw", "lodestone", "simulator", "web_panel")
BOARD_WRITER = ROOT / "firmware_host/extensions/maker/shipped_boards.py"
"""A board file names its game."""
KINDS = {".py", ".html", ".js", ".css", ".toml", ".json", ".svg", ".txt"}
OURS = {folder.name for folder in (ROOT / "firmware_host/games").iterdir() if (folder / "__init__.py").exists()}

SPINE = {"resigned", "loop", "decided", "draw"}
"""Endings that games share: the table or an optional protocol of game.py knows them."""

LAB = ROOT / "firmware_host/extensions/lab"
"""Where each game's player is tuned."""
SOLVERS = ROOT / "firmware_host/extensions/puzzles/solvers"
"""Where each game's puzzles are solved."""
FORMS = ROOT / "firmware_host/extensions/notation/forms"
"""Where other programs' ways to write each game are read."""
SET_UP = ROOT / "firmware_host/link/set_up"
"""Where positions of each game are set up by hand."""
ALLOWED = {
    ("firmware_host/session/game_selection.py", "spokes"): "the board that is simulated when nothing is asked for",
    ("lodestone/boards.py", "spokes"): "the board of a test that names none",
    ("lodestone/evening.py", "spokes"): "the game of a test that names none",
    ("lodestone/schemes.py", "spokes"): "the same",
    ("lodestone/tables.py", "spokes"): "the same",
    ("lodestone/pytest_plugin.py", "spokes"): "the same, and the docstring's example",
    ("firmware_host/extensions/workshop/terminal.py", "spokes"): "the same for trying the wizards",
}


def sources() -> list[Path]:
    return sorted(
        path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.suffix in KINDS
        and path != HASHES  # Made here, of what is compiled.
        and path.parent.name != "boards"
        and path != BOARD_WRITER
        and not {LAB, SOLVERS, FORMS, SET_UP}.intersection(path.parents)
        and not any((ROOT / "firmware_host/games" / name) in path.parents for name in OURS)
    )


@cache
def names() -> set[str]:
    return {word.casefold() for name in OURS & set(GAMES) for word in (name, GAMES[name].title)}


@cache
def words() -> set[str]:
    """Return what only a game may say: its endings, its options, its modes that are more than a number."""
    said = {
        word
        for name in OURS & set(GAMES)
        for word in (*GAMES[name].endings, *GAMES[name].modes, *getattr(GAMES[name], "options", ()))
    }
    return {word for word in said if not word.isdigit()} - SPINE - names()


def named_in(text: str) -> set[str]:
    """Return the games named in a text anywhere, comments included, and their words where they stand in quotes."""
    found = {name for name in names() if re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text, re.IGNORECASE)}
    return found | {word for word in words() if re.search(rf"""(["'`]){re.escape(word)}\1""", text)}


def test_no_game_is_named_outside_of_its_folder() -> None:
    found = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in sources()}
    assert [here for here in found if named_in(here)] == []
    named = {(here, word) for here, text in found.items() for word in named_in(text)}
    assert named - ALLOWED.keys() == set(), "an ending, a mode or an option: choose a word that nothing else uses"


def test_every_exception_is_still_one() -> None:
    assert all(word in named_in((ROOT / here).read_text(encoding="utf-8")) for here, word in ALLOWED)


def test_names_would_be_found() -> None:
    assert {"coil", "phalanx", "spokes"} <= names()
    assert {"filled", "goal", "2v2", "second_player_bonus"} <= words()
    assert len(sources()) > 150
    assert named_in("# As in Phalanx, nobody") == {"phalanx"}
    assert named_in('if game == "spokes-45":') == {"spokes"}
    assert named_in('reason == "goal"') == {"goal"}
    assert not named_in("the goal is recoiling in the corpus spokesman's loop")
