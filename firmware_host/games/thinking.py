"""The interface of a game's search: ranked choices, and five measured strengths.

A :class:`Thought` is the source of computers' actions, hints, reviews, puzzles and the engine's ``think``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Protocol, TypeVar, runtime_checkable

P_contra = TypeVar("P_contra", bound=Hashable, contravariant=True)

LEVELS = 5
"""Number of levels, from 1 (weakest) to this (strongest)."""


def never() -> bool:
    """Return False: time is never out."""
    return False


@dataclass(frozen=True)
class Budget:
    """The limits of a search.

    ``nodes`` limits the work, so that the same budget gives the same answer on every machine; ``out_of_time`` is a
    stop for very slow machines only. ``depth`` (in actions) and ``width`` (number of candidates) are limits of weaker
    levels, 0: none. ``evaluation`` is the form of the evaluation, from 0, the simplest; a game takes its best one for
    a larger number than it has. ``variety``, in thousandths of a logit, is how far estimates are varied by lot, so
    that no game is like another; a game whose search draws lots of its own needs none.
    """

    nodes: int
    depth: int = 0
    width: int = 0
    evaluation: int = 9
    variety: int = 0
    out_of_time: Callable[[], bool] = never


@dataclass(frozen=True)
class Oversights:
    """How often a level overlooks things, each from 0 to 1: an action that wins, and any other that its search found.

    In its place it takes, of ``near`` actions by lot, the one closest to the pieces on the board (levels.py).
    ``sealed_only``: where a phase of many steps follows sealed actions, its steps go by what the search found, but for
    wins: else it would wander about.
    """

    wins: float
    plans: float
    near: int = 3
    sealed_only: bool = False


@dataclass(frozen=True)
class Strength:
    """One level of a game: its budget, and its deviation from the best choice.

    ``spread`` is in logits of a choice's value: a choice that is ``spread`` logits worse is taken 1/e times as often as
    the best one. 0 always takes the best. ``modes`` are those of the game's modes in which the level is another one:
    the same steps between levels take other limits where more than two play. ``oversights`` are those of the level
    below all others; no other level overlooks what wins at once.
    """

    budget: Budget
    spread: float = 0.0
    modes: Mapping[str, Strength] = field(default_factory=dict, hash=False)
    oversights: Oversights | None = None

    def in_mode(self, mode: str) -> Strength:
        """Return the level as it is in a mode."""
        return self.modes.get(mode, self)


@dataclass(frozen=True)
class Choice:
    """One action and its evaluation by a search.

    ``value`` is the expected score of the seat (1: a certain win, 0: a certain loss). ``share`` is its probability in a
    mixed strategy, 0 for every choice without one. ``line`` are the actions expected after this one. ``reasons`` are
    translatable sentences (:func:`firmware_host.text.words.say`), most important first.
    """

    action: str
    value: float
    share: float = 0.0
    line: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Thought:
    """The result of a search: at least one choice, best first.

    ``nodes`` is the number of nodes searched. ``proved``: the best choice's value is exact. ``hurried``: a clock,
    or a lack of memory, has kept :func:`think_in_time` from searching further.
    """

    choices: tuple[Choice, ...]
    nodes: int
    proved: bool = False
    hurried: bool = False


@runtime_checkable
class ComputerPlayer(Protocol[P_contra]):
    """The further members of a :class:`firmware_host.games.game.Game` with its own search."""

    strengths: Sequence[Strength]
    """The levels, from the weakest to the strongest; as many as :data:`LEVELS`. A game may have one more below them,
    ``first_steps``."""

    def think(self, position: P_contra, seat: int, budget: Budget, rng: Random) -> Thought:
        """Rank a seat's actions. Raise BadAction if it does not act now, GameOver if the game is over.

        The answer depends on the arguments only, in the compiled and the plain form, and never on sealed actions of
        others. With every budget an action that wins at once comes first.
        """
        ...


MUCH = 4
"""A search for so many times the strongest level's nodes is not begun at once where a clock may end it."""
CERTAINLY = 0.8
"""Part of the time that is left which a longer search may take by the pace of the one before."""
WORTHWHILE = 1.5
"""A longer search is begun only for at least so many times the nodes of the one before."""


def think_in_time(
    computer: ComputerPlayer[P_contra],
    position: P_contra,
    seat: int,
    budget: Budget,
    rng: Random,
    time_used: Callable[[], float],
) -> Thought:
    """Think with as many of the budget's nodes as fit into the time; raise what ``think`` raises.

    ``time_used`` is the part of the time that has passed, 1 and more once it is over. Searches plan by their nodes: one
    with far more of them than there is time for would be ended in the first part of its plan. So it begins with those
    of the strongest level, and goes on to longer searches as their pace allows. Budgets that are not larger than
    :data:`MUCH` times these are thought out at once, and have the same answer on every machine.
    """
    nodes = computer.strengths[-1].budget.nodes
    if budget.nodes <= MUCH * nodes:
        return computer.think(position, seat, budget, rng)
    began, state = time_used(), rng.getstate()
    thought = computer.think(position, seat, replace(budget, nodes=nodes), rng)
    while nodes < budget.nodes and not thought.proved:
        now = time_used()
        more = min(MUCH, CERTAINLY * (1 - now) / max(now - began, 1e-9))
        if more < WORTHWHILE:
            return replace(thought, hurried=True)
        nodes, began = min(budget.nodes, int(nodes * more)), now
        rng.setstate(state)
        try:
            longer = computer.think(position, seat, replace(budget, nodes=nodes), rng)
        except MemoryError:  # A tree grows with its nodes, and the process has a limit.
            return replace(thought, hurried=True)
        if time_used() >= 1:
            return replace(thought, hurried=True)
        thought = longer
    return thought


def choose(thought: Thought, spread: float, rng: Random) -> Choice:
    """Return the choice of a level with this spread: by shares in a mixed strategy, else near the best value.

    A certain win is always chosen, a certain loss only if all choices lose.
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


def _loss(best: Choice, choice: Choice) -> float:
    return max(0.0, _logit(best.value) - _logit(choice.value))


def _logit(value: float) -> float:
    inside = min(max(value, 1e-6), 1 - 1e-6)
    return math.log(inside / (1 - inside))
