"""The contract notices what a game gets wrong: each of these games breaks one promise, and is told which."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from firmware_host.games.coil.coil import Coil
from firmware_host.games.coil.rules import Position
from firmware_host.games.game import Layout, PieceMove, Status, Step, Transition
from firmware_host.games.registry import game
from firmware_host.games.thinking import Budget, Thought
from lodestone.game_contract import ContractBroken, _count_sequences, check_game
from tests.games.nim import Nim, Row


class Twofold(Coil):
    """A stone on a1 can mean two things."""

    def legal(self, position: Position) -> Sequence[str]:
        offered = super().legal(position)
        return [*offered, "a1!"] if "a1" in offered else offered

    def check(self, position: Position, seat: int, action: str) -> None:
        super().check(position, seat, action.rstrip("!"))

    def after(self, position: Position, action: str) -> Position:
        after = super().after(position, action.rstrip("!"))
        return replace(after, seat=position.seat) if "!" in action else after

    def moves(self, position: Position, action: str) -> tuple[PieceMove, ...]:
        return super().moves(position, action.rstrip("!"))

    def words(self, action: str) -> str:
        return super().words(action.rstrip("!"))


class Unfinished(Coil):
    def steps(self, position: Position) -> Sequence[Step]:
        return [replace(step, after=self.occupancy(position)) for step in super().steps(position)]


class Blind(Coil):
    def steps(self, position: Position) -> Sequence[Step]:
        return [replace(step, touches=frozenset()) for step in super().steps(position)]


class Short(Coil):
    def steps(self, position: Position) -> Sequence[Step]:
        return super().steps(position)[1:]


class Thief(Coil):
    def apply(self, position: Position, actions: Mapping[int, str]) -> Transition[Position]:
        transition = super().apply(position, actions)
        return replace(transition, removed=tuple(transition.placed))


class Capturing(Coil):
    """It takes White's stones off, and does not say so."""

    def after(self, position: Position, action: str) -> Position:
        return replace(super().after(position, action), white=0)


class Shuffled(Coil):
    def actions(self, position: Position) -> Mapping[int, Sequence[str]]:
        return {seat: actions[::-1] for seat, actions in super().actions(position).items()}


class Lenient(Coil):
    def check(self, position: Position, seat: int, action: str) -> None:
        """Let everything pass."""


class Forgetful(Coil):
    def parse(self, text: str) -> Position:
        return replace(super().parse(text), white=0)


class Gullible(Coil):
    def parse(self, text: str) -> Position:
        return super().parse(" ".join(text.split(" ")[:4]))


class Endless(Coil):
    def status(self, position: Position) -> Status:
        return Status(over=False)


class Speechless(Coil):
    endings: Mapping[str, str] = {"resigned": "The other player has resigned."}


class Stretched(Coil):
    def layout(self) -> Layout:
        layout = super().layout()
        return replace(layout, lines=(*layout.lines, ("a1", "z9")))


class Stray(Coil):
    def plays(self, position: Position) -> Mapping[int, str]:
        return {1: "b", 2: "x"}


class Modeless(Position):
    mode = "3"  # type: ignore[assignment]


class Wrong(Coil):
    def start_with(self, mode: str, options: Mapping[str, object]) -> Position:
        return Modeless(**vars(super().start_with(mode, options)))


class Anybody(Coil):
    def seats(self, mode: str) -> tuple[int, ...]:
        return 1, 2


class Foreign(Coil):
    def status(self, position: Position) -> Status:
        status = super().status(position)
        return replace(status, winners=(3,)) if status.over else status


CASES: list[tuple[type[Coil], str]] = [
    (Twofold, "steps: it leaves on the board what a1 leaves"),
    (Unfinished, "steps: hands that make the moves"),
    (Blind, "steps: touches"),
    (Short, "steps: one for each action"),
    (Thief, "apply: placed without removed"),
    (Capturing, r"apply: placed is the step's after \(no hand clears \w\d: set removal, or list it in moves\)"),
    (Shuffled, "actions: they are sorted"),
    (Lenient, "check: nonsense is refused with BadAction"),
    (Forgetful, "parse: the text of what a text stands for"),
    (Gullible, "parse: '.+ more' is refused"),
    (Endless, "actions: there are some until"),
    (Speechless, "endings: they say what"),
    (Stretched, "layout: lines join two nodes"),
    (Stray, "plays: they are pieces"),
    (Wrong, "position: its mode is 2"),
    (Anybody, "seats: an unknown mode is refused"),
    (Foreign, "status: winners are seats"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "told"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_a_broken_promise_is_named(game: type[Coil], told: str) -> None:
    with pytest.raises(ContractBroken) as broken:
        check_game(_small(game)(), Random(3))
    assert re.match(told, str(broken.value)), broken.value


def test_the_game_that_they_break_is_in_order() -> None:
    assert check_game(_small(Coil)(), Random(3)) > 9


def _small(game: type[Coil]) -> type[Coil]:
    """Return the game on a board of three cells a side: its games end soon."""

    def start(self: Coil, mode: str) -> Position:
        return self.start_with(mode, {"size": 3})

    members: dict[str, Any] = {"start": start}
    return type(game.__name__, (game,), members)


# -- turns, and the quick form of the rules ----------------------------------------------------------------------------


class Counting(Nim):
    """It counts as it should, and plays random games by its own listing."""

    def perft(self, position: Row, depth: int, out_of_time: Callable[[], bool]) -> int:
        return sum(_count_sequences(Nim(), position, depth))


class Falling(Counting):
    def turn(self, position: Row) -> int:
        return position.left + 1


class Miscounting(Counting):
    def perft(self, position: Row, depth: int, out_of_time: Callable[[], bool]) -> int:
        count = super().perft(position, depth, out_of_time)
        return count - 1 if position.left < 6 and depth == 2 else count


class Overlooking(Counting):
    """Its search does not list the win of the last stone, in one phase of the game only."""

    def think(self, position: Row, seat: int, budget: Budget, rng: Random) -> Thought:
        thought = super().think(position, seat, budget, rng)
        others = tuple(one for one in thought.choices if position.left != 2 or one.action != "take2")
        best = max(one.value for one in others)
        return replace(thought, choices=tuple(sorted(others, key=lambda one: one.value != best)))


class WrongWinner(Counting):
    def playout(self, position: Row, rng: Random) -> Status:
        status = super().playout(position, rng)
        return replace(status, winners=(3 - status.winners[0],))


class WrongEnding(Counting):
    def playout(self, position: Row, rng: Random) -> Status:
        return replace(super().playout(position, rng), reason="somehow")


class SameTurn(type(game("spokes"))):  # type: ignore[misc]
    def turn(self, position: Any) -> int:
        return 1


def test_a_game_in_two_forms_is_in_order() -> None:
    for seed in range(10):
        check_game(Counting(), Random(seed))


def _keeps_often(game: Any) -> None:
    for seed in range(20):
        check_game(game, Random(seed))


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (Falling, "turn: it never decreases"),
        (Miscounting, "perft: .* sequences of 2 actions"),
        (Overlooking, r"think: it takes a win in one action \(take2\)"),
        (WrongWinner, "playout: it ends as an action does"),
        (WrongEnding, "playout: endings say what 'somehow' means"),
        (SameTurn, "turn: it differs for each simultaneous round"),
    ],
)
def test_turns_and_the_quick_form_are_held_against_the_actions(game: type[Any], told: str) -> None:
    with pytest.raises(ContractBroken, match=told):
        _keeps_often(game())
