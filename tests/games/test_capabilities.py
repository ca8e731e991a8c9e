"""What a game offers is found out once, and is what the protocols say."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from firmware_host.games.capabilities import (
    Capabilities,
    HasAnalysis,
    HasBoards,
    HasDecisions,
    HasFacts,
    HasOptions,
    HasReasons,
    HasStack,
    HasStages,
    HasStartOptions,
    HasTiles,
    capabilities_of,
)
from firmware_host.games.registry import GAMES

PROTOCOLS = {
    "analysis": HasAnalysis,
    "tiles": HasTiles,
    "stages": HasStages,
    "reasons": HasReasons,
    "decisions": HasDecisions,
    "options": HasOptions,
    "start_options": HasStartOptions,
    "boards": HasBoards,
    "facts": HasFacts,
    "stack": HasStack,
}


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_game_is_offered_as_each_protocol_that_it_fulfils(name: str) -> None:
    game: Any = GAMES[name]
    found = capabilities_of(game)
    assert {field.name for field in fields(Capabilities)} == set(PROTOCOLS)
    for field, protocol in PROTOCOLS.items():
        assert getattr(found, field) is (game if isinstance(game, protocol) else None)


def test_a_game_is_looked_at_once() -> None:
    game: Any = GAMES["spokes"]
    assert capabilities_of(game) is capabilities_of(game)
