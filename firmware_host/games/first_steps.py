"""How a computer chooses at its level, and how it overlooks things at the level below all others, "First steps".

That level searches like a weak one, and then errs like a person in a first game, at fixed rates
(:class:`firmware_host.games.thinking.Oversights`): now and then it does not see what wins at once, and often neither
what threatens it nor what its search has found. Then it does what lies near: of some actions by lot the one whose
pieces are closest to those on the board. So each of its actions looks like one of a person, and none is thrown in to
lose.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import TypeVar

from firmware_host.games.game import Game
from firmware_host.games.levels import FIRST_STEPS
from firmware_host.games.thinking import Choice, ComputerPlayer, Oversights, Strength, Thought, choose

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
