"""The interface of games whose positions people set up by hand: what lies, and what a board does not tell."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol, TypeVar, runtime_checkable

from firmware_host.games.game import BadPosition, Game, Occupancy
from firmware_host.text.words import say, say_many

P = TypeVar("P", bound=Hashable)


@dataclass(frozen=True)
class SetUpChoice:
    """What is chosen beside the board: a question, and its answers, each with its words; the first is usual."""

    name: str
    words: str
    options: Mapping[str, str]


@runtime_checkable
class HasSetUp(Game[P], Protocol[P]):
    """The further members of a :class:`firmware_host.games.game.Game` whose positions can be set up by hand."""

    highest: int
    """Most pieces that anybody may set up on a node."""

    def set_up_choices(self, mode: str) -> Sequence[SetUpChoice]:
        """Return what has to be chosen in a mode."""
        ...

    def set_up(self, mode: str, lying: Occupancy, chosen: Mapping[str, str], rng: Random) -> P:
        """Return the position in which these pieces lie; ``rng`` shuffles what is hidden.

        ``chosen`` has an option of each choice. Raise BadPosition, with a sentence for people that names the node or
        the piece, if no position of the game looks so.
        """
        ...


def set_up(game: HasSetUp[P], mode: str, lying: Occupancy, chosen: Mapping[str, str], rng: Random) -> P:
    """Return a position that can be played on. Raise BadPosition for any other, saying why."""
    if mode not in game.modes:
        raise BadPosition(say("mode: expected one of {modes}", modes=", ".join(game.modes)))
    nodes = game.layout().nodes
    for node, stack in lying.items():
        if node not in nodes:
            raise BadPosition(say("the board has no place {node}", node=node[:20]))
        if len(stack) > game.highest:
            raise BadPosition(
                say_many(
                    "{node}: only {count} piece lies on a place",
                    "{node}: only {count} pieces lie on a place",
                    game.highest,
                    node=node,
                )
            )
    for choice in game.set_up_choices(mode):
        if chosen.get(choice.name) not in choice.options:
            raise BadPosition(choice.words)
    position = game.set_up(mode, lying, chosen, rng)
    if game.status(position).over:
        raise BadPosition(say("in this position the game is over"))
    return position


def who_acts(options: Mapping[str, str]) -> SetUpChoice:
    """Return the choice of the seat that acts."""
    return SetUpChoice("seat", say("Who acts now?"), options)
