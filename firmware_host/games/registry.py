"""Every game by its name.

A game is a folder in this package whose ``__init__`` exports ``GAME``, or the object that an installed package offers
as an entry point of the group ``lodestone.games`` (docs/adding-a-game.md). An unusable game is reported in the log and
whenever it is requested; the others work.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import firmware_host.games
from firmware_host.games.capabilities import (
    HasAnalysis,
    HasDecisions,
    HasFacts,
    HasHowToPlay,
    HasOptions,
    HasStack,
    HasStages,
    HasStartOptions,
    HasTiles,
    capabilities_of,
)
from firmware_host.games.game import Game, GameError, bounded_cache
from firmware_host.games.lessons import HasLessons
from firmware_host.games.thinking import ComputerPlayer
from firmware_host.text.words import fill, say

GROUP = "lodestone.games"

FURTHER: Mapping[type, str] = {
    HasAnalysis: "foresee",
    HasDecisions: "decision",
    HasFacts: "facts",
    HasOptions: "options",
    HasStartOptions: "start_options",
    HasStack: "start_by_lot",
    HasTiles: "tiles",
    HasStages: "stage",
    HasHowToPlay: "how_to_play",
    HasLessons: "lessons",
    ComputerPlayer: "think",
}
"""Optional protocol → the member whose presence shows that a game implements it."""

_log = logging.getLogger(__name__)


class UnknownGame(GameError):
    """No game of this name is installed, or it can't be used."""

    code = "unknown_game"


class _Unfit(Exception):
    """The loaded object is not a game, or not the announced one."""


def _offers() -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield each game's name, origin and loader; games of this package first."""
    for module in pkgutil.iter_modules(firmware_host.games.__path__, "firmware_host.games."):
        if module.ispkg:
            yield module.name.rpartition(".")[2], module.name, _loader(module.name)
    for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda entry: entry.name):
        package = f"package {entry.dist.name}" if entry.dist else "a package"
        yield entry.name, f"{package} ({entry.value})", entry.load


def _loader(module: str) -> Callable[[], Any]:
    return lambda: importlib.import_module(module).GAME


def _members(protocol: type) -> list[str]:
    """Return the names of a protocol's own members."""
    return sorted({*protocol.__annotations__, *(name for name in vars(protocol) if not name.startswith("_"))})


def _load(name: str, load: Callable[[], Any]) -> Game[Any]:
    game: Game[Any] = load()
    asked: list[tuple[type, bool]] = [(Game, True)]
    asked += [(protocol, hasattr(game, sign)) for protocol, sign in FURTHER.items()]
    for protocol, wanted in asked:
        missing = [member for member in _members(protocol) if wanted and not hasattr(game, member)]
        if missing:
            module = protocol.__module__.replace(".", "/")
            where = f"which {protocol.__name__} in {module}.py asks for"
            raise _Unfit(f"it does not offer {', '.join(missing)}, {where}")
    if game.name != name:
        raise _Unfit(f"it is announced as {name!r}, but its name is {game.name!r}")
    return game


def find() -> tuple[dict[str, Game[Any]], dict[str, UnknownGame]]:
    """Return the usable installed games, and the errors of the unusable ones, both by name."""
    found: dict[str, Game[Any]] = {}
    broken: dict[str, UnknownGame] = {}
    for name, origin, load in _offers():
        if name in found:
            _log.warning("game %r of %s is left out: there is a game of that name already", name, origin)
            continue
        try:
            found[name] = _load(name, load)
        except Exception as error:  # noqa: BLE001 - a package may raise anything; the other games must work
            why = str(error) if isinstance(error, _Unfit) else f"{type(error).__name__}: {error}"
            broken[name] = UnknownGame(f"game: {name!r} of {origin} can't be used: {why}")
            broken[name].__cause__ = error
            _log.warning("%s", broken[name])
    return found, broken


GAMES: Mapping[str, Game[Any]]
BROKEN: Mapping[str, UnknownGame]
GAMES, BROKEN = find()


def game(name: str, rules: Mapping[str, Any] | None = None) -> Game[Any]:
    """Return a game by name, with some rule options.

    Raise UnknownGame listing the known games, or saying why this one can't be used; GameError for an unknown option.
    """
    if name in BROKEN and name not in GAMES:
        raise BROKEN[name]
    if name not in GAMES:
        raise UnknownGame(f"game: expected one of {', '.join(sorted(GAMES))}, got {name[:40]!r}")
    found = GAMES[name]
    offered = capabilities_of(found).options
    options = offered.options if offered else {}
    for option, value in sorted((rules or {}).items()):
        if option not in options:
            given, known = repr(option[:40]), ", ".join(sorted(options))
            if not options:
                raise GameError(say("rules: {game} has no option {option}", game=found.title, option=given))
            form = say("rules: {game} has no option {option}; it has {known}")
            raise GameError(fill(form, game=found.title, option=given, known=known))
        if not isinstance(value, bool):
            given = f"{value!r:.40}"
            raise GameError(say("rules: {option}: expected true or false, got {given}", option=option, given=given))
    return _with_rules(found, tuple(sorted(rules.items()))) if rules else found


@bounded_cache(16)
def _with_rules(found: Game[Any], rules: tuple[tuple[str, bool], ...]) -> Game[Any]:
    """Return a game with options: one object for the same options, because caches keep games by their objects."""
    offered = capabilities_of(found).options
    return offered.with_rules(dict(rules)) if offered else found
