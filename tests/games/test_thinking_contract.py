"""The contract notices what a game that thinks gets wrong: each of these breaks one promise, and is told which."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from firmware_host.games.thinking import Budget, Strength, Thought
from lodestone.game_contract import ContractBroken, check_game
from tests.games.nim import Nim, Row


class Cheat(Nim):
    def think(self, position: Row, seat: int, budget: Budget, rng: Random) -> Thought:
        thought = super().think(position, seat, budget, rng)
        return replace(thought, choices=(replace(thought.choices[0], action="take4"), *thought.choices[1:]))


class Boaster(Nim):
    def think(self, position: Row, seat: int, budget: Budget, rng: Random) -> Thought:
        thought = super().think(position, seat, budget, rng)
        return replace(thought, choices=tuple(replace(one, value=1.5) for one in thought.choices))


class Upside(Nim):
    def think(self, position: Row, seat: int, budget: Budget, rng: Random) -> Thought:
        thought = super().think(position, seat, budget, rng)
        return replace(thought, choices=thought.choices[::-1])


class Moody(Nim):
    calls = 0

    def think(self, position: Row, seat: int, budget: Budget, rng: Random) -> Thought:
        Moody.calls += 1
        return replace(super().think(position, seat, budget, rng), nodes=Moody.calls)


class Blind(Nim):
    def think(self, position: Row, seat: int, budget: Budget, rng: Random) -> Thought:
        """Take one stone, whatever lies there."""
        thought = super().think(position, seat, budget, rng)
        one = next(choice for choice in thought.choices if choice.action == "take1")
        return Thought((replace(one, value=0.9),), 1)


class Meddler(Nim):
    def think(self, position: Row, seat: int, budget: Budget, rng: Random) -> Thought:
        return super().think(position, position.seat, budget, rng)


class Mumbler(Nim):
    def think(self, position: Row, seat: int, budget: Budget, rng: Random) -> Thought:
        """Give its reasons as clauses: where sentences follow each other, the next one would begin within it."""
        thought = super().think(position, seat, budget, rng)
        return replace(
            thought, choices=tuple(replace(one, reasons=("it leaves a multiple of four",)) for one in thought.choices)
        )


class Stutterer(Nim):
    def think(self, position: Row, seat: int, budget: Budget, rng: Random) -> Thought:
        """Expect the choice itself to follow, even where nothing is left to take."""
        thought = super().think(position, seat, budget, rng)
        return replace(thought, choices=tuple(replace(one, line=(one.action,)) for one in thought.choices))


class Weakling(Nim):
    strengths: tuple[Strength, ...] = ()


def test_a_game_that_thinks_keeps_what_it_promises() -> None:
    for seed in range(5):
        assert check_game(Nim(), Random(seed)) >= 4


@pytest.mark.parametrize(
    ("game", "promise"),
    [
        (Cheat, "its choices are legal"),
        (Boaster, "values are from 0 to 1"),
        (Upside, "the best comes first|takes a win in one action"),
        (Moody, "the same arguments give the same thought"),
        (Blind, "takes a win in one action"),
        (Meddler, "only actors think"),
        (Mumbler, "reasons are sentences"),
        (Stutterer, "the line of take. begins with an action after it"),
        (Weakling, "there are 1 to 5, not 0"),
    ],
)
def test_a_broken_promise_is_named(game: type[Nim], promise: str) -> None:
    with pytest.raises(ContractBroken, match=promise):
        _play_some(game())


def _play_some(game: Nim) -> None:
    for seed in range(20):
        check_game(game, Random(seed))
