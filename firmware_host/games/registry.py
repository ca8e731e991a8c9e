"""Every game by its name: a folder in this package whose ``__init__`` exports ``GAME``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any

import firmware_host.games
from firmware_host.games.game import Game, GameError, HasOptions


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


def game(name: str, rules: Mapping[str, Any] | None = None) -> Game[Any]:
    """Return a game by name, under some options of its rules.

    Raise UnknownGame listing those there are, or GameError for an option that the game does not have.
    """
    if name not in GAMES:
        raise UnknownGame(f"game: expected one of {', '.join(sorted(GAMES))}, got {name[:40]!r}")
    found = GAMES[name]
    options = found.options if isinstance(found, HasOptions) else {}
    for option, value in sorted((rules or {}).items()):
        if option not in options:
            known = f"; it has {', '.join(sorted(options))}" if options else ""
            raise GameError(f"rules: {found.title} has no option {option[:40]!r}{known}")
        if not isinstance(value, bool):
            raise GameError(f"rules: {option}: expected true or false, got {value!r:.40}")
    return found.with_rules(rules) if rules and isinstance(found, HasOptions) else found
