"""The interface of games that other programs write down in forms of their own, which are read here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from firmware_host.games.game import Game, GameError


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
