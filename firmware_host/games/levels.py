"""The levels at which computers play, in words that people understand: five, and one for a first game below them.

A game has one :class:`firmware_host.games.thinking.Strength` for each level, mostly five. A game with fewer takes names
spread over the five and always the strongest one's, whose description is true for every game. The level below all
has the number :data:`FIRST_STEPS`; games with a player of their own have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from firmware_host.games.thinking import LEVELS
from firmware_host.text.words import Text, say

FIRST_STEPS = 0
"""The number of the level below all others, where a game has it."""
NO_LEVEL = -1
"""Stands for a computer's level that was not chosen, as in journals of early versions."""
DEFAULT = 2
"""A computer's default level, of five: friendly to a person who plays alone."""


@dataclass(frozen=True)
class Level:
    """One level of a game: its number in the game, from 1 (weakest), its name, and its description."""

    number: int
    name: Text
    about: Text


_FIRST_STEPS = (
    say("First steps"),
    say("Overlooks what you overlook, wins and threats included: good while you are learning the rules."),
)
_WORDS = (
    (
        say("Beginner"),
        say("Knows the rules and sees what wins at once, but plans nothing: good for your first games."),
    ),
    (
        say("Casual"),
        say("Plays sensibly from turn to turn and overlooks what takes longer: good once you know the rules."),
    ),
    (
        say("Experienced"),
        say("Looks some actions ahead and punishes plain mistakes: for players with some games behind them."),
    ),
    (
        say("Strong"),
        say("Plans ahead and rarely errs: you have to play well to win."),
    ),
    (
        say("Expert"),
        say("The best that this program can do: expect to lose, and to learn from it."),
    ),
)


@cache
def levels(count: int, lowest: int = 1) -> tuple[Level, ...]:
    """Return the levels of a game with ``count`` strengths, weakest first. Raise ValueError for none or too many.

    ``lowest`` is :data:`FIRST_STEPS` where the game has that level, too.
    """
    if not 1 <= count <= LEVELS:
        raise ValueError(f"levels: expected 1 to {LEVELS} strengths, got {count}")
    first = (Level(FIRST_STEPS, *_FIRST_STEPS),) if lowest == FIRST_STEPS else ()
    return first + tuple(Level(number, *_WORDS[_place(number, count)]) for number in range(1, count + 1))


def default_level(count: int) -> int:
    """Return the number of the default level of a game with ``count`` levels."""
    return min(range(1, count + 1), key=lambda number: abs(_place(number, count) - (DEFAULT - 1)))


def _place(number: int, count: int) -> int:
    """Return the index, from 0, of a level's words among the five."""
    return LEVELS - 1 if count == 1 else round((number - 1) * (LEVELS - 1) / (count - 1))
