"""Positions that people set up by hand: what is chosen beside a game's board, and which position looks so.

A module for each game, whose name is the game's: ``HIGHEST``, ``choices(mode)`` and ``position(game, mode, lying,
chosen, rng)``. A game that has the members of :class:`HasSetUp` needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from random import Random
from typing import Any, Protocol, runtime_checkable

from firmware_host.games.game import BadPosition, Game, GameError, Occupancy
from firmware_host.text.words import say, say_many


@dataclass(frozen=True)
class SetUpChoice:
    """What is chosen beside the board: a question, and its answers, each with its words; the first is usual."""

    name: str
    words: str
    options: Mapping[str, str]


@runtime_checkable
class HasSetUp(Protocol):
    """The further members of a :class:`firmware_host.games.game.Game` whose positions can be set up by hand."""

    highest: int
    """Most pieces that anybody may set up on a node."""

    def set_up_choices(self, mode: str) -> Sequence[SetUpChoice]:
        """Return what has to be chosen in a mode."""
        ...

    def set_up(self, mode: str, lying: Occupancy, chosen: Mapping[str, str], rng: Random) -> Any:
        """Return the position in which these pieces lie; ``rng`` shuffles what is hidden.

        ``chosen`` has an option of each choice. Raise BadPosition, with a sentence for people that names the node or
        the piece, if no position of the game looks so.
        """
        ...


@dataclass(frozen=True)
class ByHand:
    """How positions of a game are set up: the members of :class:`HasSetUp`."""

    highest: int
    choices: Callable[[str], Sequence[SetUpChoice]]
    position: Callable[[str, Occupancy, Mapping[str, str], Random], Any]


def set_up_of(game: Game[Any]) -> ByHand:
    """Return how positions of a game are set up. Raise GameError where they can't be."""
    if isinstance(game, HasSetUp):
        return ByHand(game.highest, game.set_up_choices, game.set_up)
    if game.name not in {module.name for module in iter_modules(__path__)}:
        raise GameError(say("positions of {game} can't be set up by hand", game=game.title))
    found = import_module(f"{__name__}.{game.name}")
    return ByHand(found.HIGHEST, found.choices, partial(found.position, game))


def set_up(game: Game[Any], mode: str, lying: Occupancy, chosen: Mapping[str, str], rng: Random) -> Any:
    """Return a position that can be played on. Raise BadPosition for any other, saying why."""
    by_hand = set_up_of(game)
    if mode not in game.modes:
        raise BadPosition(say("mode: expected one of {modes}", modes=", ".join(game.modes)))
    nodes = game.layout().nodes
    for node, stack in lying.items():
        if node not in nodes:
            raise BadPosition(say("the board has no node {node}", node=node[:20]))
        if len(stack) > by_hand.highest:
            raise BadPosition(
                say_many(
                    "{node}: at most {count} piece may lie on a node",
                    "{node}: at most {count} pieces may lie on a node",
                    by_hand.highest,
                    node=node,
                )
            )
    for choice in by_hand.choices(mode):
        if chosen.get(choice.name) not in choice.options:
            raise BadPosition(choice.words)
    position = by_hand.position(mode, lying, chosen, rng)
    if game.status(position).over:
        raise BadPosition(say("in this position the game is over"))
    made = game.occupancy(position)
    for node, stack in lying.items():
        if sorted(stack) != sorted(made.get(node, ())):
            raise BadPosition(say("{node}: in no position does this piece lie there", node=node))
    return position


def who_acts(options: Mapping[str, str]) -> SetUpChoice:
    """Return the choice of the seat that acts."""
    return SetUpChoice("seat", say("Who acts now?"), options)
