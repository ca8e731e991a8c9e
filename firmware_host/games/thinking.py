"""What a game offers when its computers think: ranked choices, and five measured strengths.

From a :class:`Thought` come the computer's action at a level, hints, reviews, puzzles and the engine's ``think``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol, TypeVar, runtime_checkable

P_contra = TypeVar("P_contra", bound=Hashable, contravariant=True)

LEVELS = 5
"""Levels are numbered from 1, the weakest, to this, the strongest."""


def never() -> bool:
    """Never run out of time."""
    return False


@dataclass(frozen=True)
class Budget:
    """How much a search may look at.

    ``nodes`` bounds the work, so that the same budget gives the same answer on every machine; ``out_of_time`` is a
    stop for the slowest ones only. ``depth`` (actions looked ahead) and ``width`` (candidates looked at) are limits
    that weaker levels have, 0: none. ``evaluation`` is the form of the evaluation, from 0, the simplest; a game has as
    many as it needs, and takes its best one for a larger number.
    """

    nodes: int
    depth: int = 0
    width: int = 0
    evaluation: int = 9
    out_of_time: Callable[[], bool] = never


@dataclass(frozen=True)
class Strength:
    """What one level of a game is: its budget, and how far below the best choice it may choose.

    ``spread`` is in units of the logit of a choice's value: a choice that loses ``spread`` logits is taken 1/e times
    as often as the best one. 0 always takes the best.
    """

    budget: Budget
    spread: float = 0.0


@dataclass(frozen=True)
class Choice:
    """One action and what a search thinks of it.

    ``value`` is the expected score of the seat (1: a certain win, 0: a certain loss). ``share`` is how often it is
    taken in a mixed strategy; without one it is 0 for every choice. ``line`` are the actions that are expected to
    follow. ``reasons`` are translatable sentences (:func:`firmware_host.text.words.say`), the most important first.
    """

    action: str
    value: float
    share: float = 0.0
    line: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Thought:
    """What a search found: choices in the order of their worth, the best first, at least one.

    ``nodes`` is how much was looked at. ``proved`` tells that the best choice's value is exact.
    """

    choices: tuple[Choice, ...]
    nodes: int
    proved: bool = False


@runtime_checkable
class Thinks(Protocol[P_contra]):
    """What a game offers beside :class:`firmware_host.games.game.Game` when its computers think."""

    strengths: Sequence[Strength]
    """The levels, from the weakest to the strongest; as many as :data:`LEVELS`."""

    def think(self, position: P_contra, seat: int, budget: Budget, rng: Random) -> Thought:
        """Rank what a seat that acts now can do. Raise BadAction where it does not act now, GameOver when all is over.

        The answer follows from the arguments alone, in the compiled and in the plain form. It knows the position only:
        where actions are simultaneous, nothing of what others have sealed. Every budget takes a win in one action.
        """
        ...


def choose(thought: Thought, spread: float, rng: Random) -> Choice:
    """Return what a level with this spread does: by shares in a mixed strategy, else near the best value.

    A choice that wins for certain is always taken, and a certain loss only where all choices lose.
    """
    choices = thought.choices
    best = choices[0]
    if best.value >= 1.0:
        return best
    if any(choice.share for choice in choices):
        weights = [choice.share for choice in choices]
        if spread:
            weights = [
                share + math.exp(-_loss(best, choice) / spread) for share, choice in zip(weights, choices, strict=True)
            ]
    elif spread:
        weights = [math.exp(-_loss(best, choice) / spread) for choice in choices]
    else:
        return best
    good = [
        0.0 if choice.value <= 0.0 < best.value else weight for choice, weight in zip(choices, weights, strict=True)
    ]
    return rng.choices(choices, good)[0]


def with_stop(strength: Strength, out_of_time: Callable[[], bool]) -> Budget:
    """Return a level's budget, with a stop by the clock of the caller."""
    return replace(strength.budget, out_of_time=out_of_time)


def _loss(best: Choice, choice: Choice) -> float:
    return max(0.0, _logit(best.value) - _logit(choice.value))


def _logit(value: float) -> float:
    inside = min(max(value, 1e-6), 1 - 1e-6)
    return math.log(inside / (1 - inside))
