"""Whether hints help: somebody in a first game who follows them, against Beginner.

Who follows the first tap chooses as a newcomer among what touches the places that it marks, by what it says; who
follows the second one does the first action that it names. Hints are those of a table: of the strongest level's nodes,
or of one part in ``HINT_SHARE`` of them (1). ``HINTED`` games are played with each (4), the sides in turn;
``HINT_GAMES`` are the games (coil).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from firmware_host.games.levels import choose_at
from firmware_host.games.positions import SEED, starting
from firmware_host.games.registry import game
from firmware_host.services.engine import after
from firmware_host.table.subjects.hints import hint_view, moves_of
from tools.peers import newcomer

LONG = True
GAMES_EACH = int(os.environ.get("HINTED", "4"))
SHARE = int(os.environ.get("HINT_SHARE", "1"))
NAMES = os.environ.get("HINT_GAMES", "coil").split()
TAPS = {1: "the first tap", 2: "the second tap"}


def follow(name: str, position: Any, seat: int, tap: int, rng: Random) -> str:
    """Return what somebody in a first game does after so many taps."""
    one: Any = game(name)
    strongest = one.strengths[-1].budget
    choices = one.think(position, seat, replace(strongest, nodes=strongest.nodes // SHARE), rng).choices
    hint = hint_view(one, position, seat, choices, tap)
    if tap > 1:
        return hint["choices"][0]["action"]
    return newcomer.choose(Among(one, among(one, position, seat, hint)), position, seat, rng)


class Among:
    """A game in which somebody considers these actions alone."""

    def __init__(self, one: Any, actions: Sequence[str]) -> None:
        self._game, self._actions = one, actions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def actions(self, position: Any) -> dict[int, Sequence[str]]:
        """Return the actions of whoever acts."""
        return dict.fromkeys(self._game.actions(position), self._actions)


def touched_nodes(one: Any, position: Any, seat: int, action: str) -> set[str]:
    """Return the nodes that hands touch for an action."""
    return {node for move in moves_of(one, position, seat, action) for node in (move.source, move.target) if node}


def among(one: Any, position: Any, seat: int, hint: dict[str, Any]) -> Sequence[str]:
    """Return the actions that fit a first tap."""
    offered = one.actions(position)[seat]
    marked = set(hint["nodes"])
    fit = [action for action in offered if marked & touched_nodes(one, position, seat, action)]
    still = [action for action in offered if not touched_nodes(one, position, seat, action)]
    return (fit if marked else still) or offered


def play(name: str, seed: int, tap: int) -> bool:
    """Play a game against Beginner; return whether who follows hints has won."""
    one: Any = game(name)
    mode, rng, own = one.modes[0], Random(seed), one.seats(one.modes[0])[seed % 2]
    position, strength = starting(one, mode, {SEED: seed}), one.strengths[0].in_mode(mode)
    while not (status := one.status(position)).over:
        chosen = {}
        for seat in one.actions(position):
            if seat == own:
                chosen[seat] = follow(name, position, seat, tap, rng)
            else:
                thought = one.think(position, seat, strength.budget, rng)
                chosen[seat] = choose_at(one, position, seat, thought, strength, rng).action
        position = after(one, position, chosen).position
    return own in status.winners


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit): the games won, for each game and each tap."""
    return [
        (
            f"{game(name).title}: of {GAMES_EACH} games who follows {words} wins against Beginner (at least: 60 %)",
            100 * sum(play(name, seed, tap) for seed in range(GAMES_EACH)) / GAMES_EACH,
            "%",
        )
        for name in NAMES
        for tap, words in TAPS.items()
    ]


if __name__ == "__main__":
    for figure in figures():
        print(*figure, flush=True)
