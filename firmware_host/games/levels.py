"""The levels at which computers play, in words that people understand: five, and one for a first game below them.

A game has one :class:`firmware_host.games.thinking.Strength` for each level, mostly five. A game with fewer takes names
spread over the five and always the strongest one's, whose description is true for every game. The level below all
has the number :data:`FIRST_STEPS`; games with a player of their own have it.

**First steps**, the level below all others, searches like a weak one, and then errs like a person in a first game, at
fixed rates (:class:`firmware_host.games.thinking.Oversights`): now and then it does not see what wins at once, and
often neither what threatens it nor what its search has found. Then it does what lies near: of some actions by lot the
one whose pieces are closest to those on the board. So each of its actions looks like one of a person, and none is
thrown in to lose.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import TypeVar

from firmware_host.games.game import Game
from firmware_host.games.thinking import LEVELS, Choice, ComputerPlayer, Oversights, Strength, Thought, choose
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
    say("Overlooks what beginners overlook, wins and threats included: good while you are learning the rules."),
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
        say("Plans ahead and rarely makes a mistake: you have to play well to win."),
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


P = TypeVar("P")
WON = 0.999
"""A value from which on an action is taken for one that wins at once or by force."""


def strength_of(computer: ComputerPlayer[P], level: int, mode: str) -> Strength:
    """Return the strength of a level in a mode; the caller has checked that the game has this level."""
    chosen = first_steps(computer) if level == FIRST_STEPS else computer.strengths[level - 1]
    assert chosen is not None  # noqa: S101 - checked
    return chosen.in_mode(mode)


def first_steps(computer: object) -> Strength | None:
    """Return the strength of the level below all others, if a game has it."""
    found: Strength | None = getattr(computer, "first_steps", None)
    return found


def lowest_level(computer: object) -> int:
    """Return the number of a game's lowest level."""
    return 1 if first_steps(computer) is None else FIRST_STEPS


def choose_at(game: Game[P], position: P, seat: int, thought: Thought, strength: Strength, rng: Random) -> Choice:
    """Return what a level does with a thought of a seat."""
    chosen = choose(thought, strength.spread, rng)
    if strength.oversights is None:
        return chosen
    return _err(game, position, seat, thought, chosen, strength.oversights, rng)


def _err(
    game: Game[P], position: P, seat: int, thought: Thought, chosen: Choice, rates: Oversights, rng: Random
) -> Choice:
    """Return the choice, or what is done in its place where it is overlooked."""
    wins = {choice.action for choice in thought.choices if choice.value >= WON}
    plans = rates.plans if game.simultaneous(position) or not rates.sealed_only else 0.0
    if rng.random() >= (rates.wins if wins else plans):
        return chosen
    offered = game.actions(position)[seat]
    left = [action for action in offered if action not in wins] or list(offered)
    some = rng.sample(left, min(rates.near, len(left)))
    action = min(some, key=lambda one: _distance(game, position, one))
    return next((choice for choice in thought.choices if choice.action == action), Choice(action, chosen.value))


def _distance(game: Game[P], position: P, action: str) -> float:
    """Return how far what an action ends at is from the nearest other piece; 0 on an empty board."""
    places = game.layout().nodes
    named = _nodes(tuple(places)).findall(action)
    if not named:
        return 0.0
    others = [places[node] for node in game.occupancy(position) if node not in named and node in places]
    return min((math.dist(places[named[-1]], place) for place in others), default=0.0)


@lru_cache(maxsize=64)
def _nodes(names: Sequence[str]) -> re.Pattern[str]:
    """Return what finds the names of nodes in an action."""
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![0-9])(?:{'|'.join(map(re.escape, longest_first))})(?![0-9])")
