"""What the table relies on holds for every game that is installed; a new one is picked up by being registered."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from firmware_host.games.registry import BROKEN, GAMES, game
from firmware_host.text.words import Text
from lodestone.game_contract import check_game
from tests.sampling import cases, is_sample
from web_panel.languages import CONTEXT, languages

pytestmark = pytest.mark.slow

WAYS = [
    (name, mode, rules)
    for name, game in sorted(GAMES.items())
    for mode in game.modes
    for rules in ({}, *({option: True} for option in getattr(game, "options", ())))
]

RULINGS = Path(__file__).parents[2] / "docs/rulings.md"


def test_every_game_in_this_repository_works() -> None:
    assert not BROKEN
    assert {"coil", "phalanx", "spokes"} <= set(GAMES)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_title_endings_options_and_prompt_are_in_the_catalogues(name: str) -> None:
    rules = GAMES[name]
    assert isinstance(rules.prompt(rules.start(rules.modes[0])), Text)
    for words in (rules.title, *rules.endings.values(), *getattr(rules, "options", {}).values()):
        assert isinstance(words, Text), f"{words!r}: expected say(...)"
        _, sentence, _ = words.parts
        assert CONTEXT.join(map(str, sentence)) in languages()["de"].sentences, words


@pytest.mark.parametrize(("name", "mode", "rules"), cases(WAYS, *{way[0]: way for way in WAYS}.values()))
def test_every_game_keeps_what_the_table_relies_on(name: str, mode: str, rules: dict[str, bool]) -> None:
    assert check_game(game(name, rules), Random(7), mode, most=20 if is_sample() else 60) > 5


def test_the_code_names_every_ruling_by_its_number() -> None:
    sections = re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", RULINGS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert {title.casefold() for title, _ in sections} <= set(GAMES)
    for title, rows in sections:
        folder = RULINGS.parents[1] / "firmware_host/games" / title.casefold()
        code = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
        numbers = re.findall(r"^\| (R\d+)", rows, re.MULTILINE)
        assert [number for number in numbers if not re.search(rf"\b{number}\b", code)] == [], title
