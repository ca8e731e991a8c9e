"""The forms in which other programs write games, a module for each game: its name is the game's.

A module has ``WORDS``, which is said of its form, and ``read(game, text)``. A game that reads such texts by itself
(:class:`firmware_host.games.capabilities.ReadsForeign`) needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pkgutil import iter_modules

from firmware_host.games.capabilities import ForeignGame, ReadsForeign
from firmware_host.games.registry import GAMES


@dataclass(frozen=True)
class Form:
    """A form that is known: what it is, with an example, and what reads it as ``ReadsForeign.read_foreign`` does."""

    words: str
    read: Callable[[str], ForeignGame | None]


def find_all() -> Iterator[Form]:
    """Yield the forms of all installed games, by the games' names."""
    ours = {module.name for module in iter_modules(__path__)}
    for name, game in sorted(GAMES.items()):
        if isinstance(game, ReadsForeign):
            yield Form(game.foreign, game.read_foreign)
        elif name in ours:
            form = import_module(f"{__name__}.{name}")
            yield Form(form.WORDS, partial(form.read, game))
