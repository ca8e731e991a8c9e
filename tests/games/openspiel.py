"""OpenSpiel's Havannah beside Coil: on a board of the same cells, a ring is what a coil is. Nobody needs it.

Its cells are numbered row by row on a square of ``2 size - 1`` rows and columns, of which the board is the part where
row and column differ by less than ``size``: each row begins at the lowest column that is on the board.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

HOW = "OpenSpiel is not installed; .venv/bin/python -m pip install -e '.[compare]'"

pyspiel: Any
try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Whatever a foreign package warns of while it is imported.
        import pyspiel
except ImportError:
    pyspiel = None


def havannah(size: int) -> Any:
    return pyspiel.load_game("havannah", {"board_size": size})


def action(size: int, cell: tuple[int, int], around: int = 0) -> int:
    """Return the number of a cell, given by row and place in it, both from 0.

    On a board that is ``around`` cells wider to all sides than the one of ``size`` on which the cell was named.
    """
    row, place = cell
    column = place + max(0, row - size + 1)
    return (row + around) * (2 * (size + around) - 1) + column + around


def rollouts(size: int, count: int) -> Callable[[], object]:
    """Return what plays so many random games from the empty board, all of it in C++.

    A bot that may simulate once evaluates its root, which are ``count`` games by OpenSpiel's RandomRolloutEvaluator.
    """
    game = havannah(size)
    evaluator = pyspiel.RandomRolloutEvaluator(count, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 1, False, 1, False)
    return lambda: bot.mcts_search(game.new_initial_state())


def by_calls(size: int, choose: Callable[[list[int]], int]) -> Callable[[], object]:
    """Return what plays one random game from the empty board by calls from Python."""
    game = havannah(size)

    def play() -> None:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(choose(state.legal_actions()))

    return play
