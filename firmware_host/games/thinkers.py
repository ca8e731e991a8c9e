"""The search of a game's computers: the game's own, or plain Monte Carlo."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from random import Random
from typing import Generic, TypeVar

from firmware_host.games.game import Game
from firmware_host.games.thinking import Budget, Strength, Thinks, Thought
from firmware_host.searching import playouts

P = TypeVar("P", bound=Hashable)

STRENGTHS = (Strength(Budget(1_000), 0.2), Strength(Budget(2_500), 0.1), Strength(Budget(6_000)))
"""The levels of a game without its own: three, as random games can't distinguish more."""


class MonteCarlo(Generic[P]):
    """The search for any game: :func:`firmware_host.searching.playouts.search`."""

    strengths: Sequence[Strength] = STRENGTHS

    def __init__(self, game: Game[P]) -> None:
        """Search for this game."""
        self._game = game

    def think(self, position: P, seat: int, budget: Budget, rng: Random) -> Thought:
        """Rank a seat's actions by random games. Raise BadAction if it does not act now, or GameOver.

        The random games use everything in the position, even what is hidden from players (the order of a stack).
        """
        return playouts.search(self._game, position, seat, budget, rng)


def thinker_of(game: Game[P]) -> Thinks[P]:
    """Return a game's search: its own, or Monte Carlo, which has fewer levels than ``LEVELS``."""
    return game if isinstance(game, Thinks) else MonteCarlo(game)
