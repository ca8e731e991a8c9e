"""Every game by its name: a folder in this package whose ``__init__`` exports ``GAME``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any

import firmware_host.games
from firmware_host.games.game import Game, GameError


class UnknownGame(GameError):
    """No game of that name is installed."""

    code = "unknown_game"


def _find() -> dict[str, Game[Any]]:
    found: dict[str, Game[Any]] = {}
    for module in pkgutil.iter_modules(firmware_host.games.__path__, "firmware_host.games."):
        if module.ispkg:
            game: Game[Any] = importlib.import_module(module.name).GAME
            found[game.name] = game
    return found


GAMES: Mapping[str, Game[Any]] = _find()


def game(name: str) -> Game[Any]:
    """Return a game by name. Raise UnknownGame listing those there are."""
    if name not in GAMES:
        raise UnknownGame(f"game: expected one of {', '.join(sorted(GAMES))}, got {name[:40]!r}")
    return GAMES[name]
