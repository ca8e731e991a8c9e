"""The forms in which other programs write games, a module for each game: its name is the game's.

A module has ``WORDS``, which is said of its form, and ``read(game, text)``. A game that reads such texts by itself
(:class:`ReadsForeign`) needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol, runtime_checkable

from firmware_host.games.game import Game, GameError
from firmware_host.games.registry import GAMES


class UnreadableText(GameError):
    """A line that is not of the form: ``line`` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class ForeignStep:
    """One action as it stands in a line: ``text`` repeats it, ``action`` returns its text in a position.

    That is None where the seat that acts resigns. It raises GameError for what is impossible there.
    """

    line: int
    text: str
    action: Callable[[Any], str | None]


@dataclass(frozen=True)
class ForeignGame:
    """What a text tells: the game under its options, the position in which it begins, the steps in order."""

    game: Game[Any]
    start: Any
    steps: Sequence[ForeignStep]


@runtime_checkable
class ReadsForeign(Protocol):
    """The further members of a :class:`firmware_host.games.game.Game` that reads another program's games."""

    foreign: str
    """What is read, with an example, for the refusal of a text that nothing reads."""

    def read_foreign(self, text: str) -> ForeignGame | None:
        """Return the game in a text, None if it is of another form. Raise UnreadableText for a wrong line."""
        ...


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
