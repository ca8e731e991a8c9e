"""Who thinks for a game's computers: the game itself, or plain Monte Carlo where it offers nothing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from random import Random
from typing import Generic, TypeVar

from firmware_host.games.game import Game
from firmware_host.games.thinking import Budget, Strength, Thinks, Thought
from firmware_host.searching import playouts

P = TypeVar("P", bound=Hashable)

STRENGTHS = (Strength(Budget(1_000), 0.2), Strength(Budget(2_500), 0.1), Strength(Budget(6_000)))
"""The levels of a game that has none of its own: three, as random games alone tell no more of them apart."""


class MonteCarlo(Generic[P]):
    """Thinks for any game: :func:`firmware_host.searching.playouts.search`."""

    strengths: Sequence[Strength] = STRENGTHS

    def __init__(self, game: Game[P]) -> None:
        """Think for this game."""
        self._game = game

    def think(self, position: P, seat: int, budget: Budget, rng: Random) -> Thought:
        """Rank what a seat that acts now can do, by random games. Raise BadAction where it does not act, or GameOver.

        What a position hides from players, such as the order of a stack, the random games know.
        """
        return playouts.search(self._game, position, seat, budget, rng)


def thinker_of(game: Game[P]) -> Thinks[P]:
    """Return what thinks for a game; it has fewer levels than ``LEVELS`` where the game brings none."""
    return game if isinstance(game, Thinks) else MonteCarlo(game)
