"""What the table relies on holds for every game that is installed; a new one is picked up by being registered."""

from __future__ import annotations

from random import Random

import pytest

from firmware_host.games.contract import keeps
from firmware_host.games.registry import BROKEN, GAMES, game
from tests.sampling import is_sample

pytestmark = pytest.mark.slow

WAYS = [
    (name, mode, rules)
    for name, game in sorted(GAMES.items())
    for mode in game.modes
    for rules in ({}, *({option: True} for option in getattr(game, "options", ())))
]


def test_every_game_in_this_repository_works() -> None:
    assert not BROKEN
    assert {"coil", "phalanx", "spokes"} <= set(GAMES)


@pytest.mark.parametrize(("name", "mode", "rules"), WAYS)
def test_every_game_keeps_what_the_table_relies_on(name: str, mode: str, rules: dict[str, bool]) -> None:
    assert keeps(game(name, rules), Random(7), mode, most=20 if is_sample() else 60) > 5
