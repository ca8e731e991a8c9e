"""Games between the weakest computers: whoever needs positions as beginners reach them takes them from there."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from random import Random
from typing import TypeVar

from firmware_host.games.game import Game
from firmware_host.games.thinking import ComputerPlayer, choose

P = TypeVar("P", bound=Hashable)

MAX_GAME = 400
"""Maximum number of actions of a game."""


def game_positions(game: Game[P], position: P, rng: Random) -> Iterator[P]:
    """Yield the positions of one game between the weakest computers, or of random actions if a game has none."""
    for _ in range(MAX_GAME):
        if game.status(position).over:
            return
        yield position
        done = {seat: _action(game, position, seat, rng) for seat in game.actions(position)}
        position = game.apply(position, done).position


def _action(game: Game[P], position: P, seat: int, rng: Random) -> str:
    if not isinstance(game, ComputerPlayer) or rng.random() < 0.1:
        return game.random_action(position, seat, rng)
    level = game.strengths[0]
    return choose(game.think(position, seat, level.budget, rng), level.spread, rng).action
