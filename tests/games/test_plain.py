"""What a plain game needs to write, and what it then gets: captures, moves, passes, refusals, a whole table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from firmware_host.games import registry
from firmware_host.games.capabilities import rules_of
from firmware_host.games.coil.coil import Coil
from firmware_host.games.game import (
    BadAction,
    BadPosition,
    GameError,
    GameOver,
    Layout,
    Occupancy,
    PieceMove,
    Removal,
    Status,
)
from firmware_host.games.plain import Plain, PlainPosition, PlainWithOptions, after_moves, option, read_fields
from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening
from lodestone.game_contract import check_game
from tests.sentences import sentence

NODES = "abcdefgh"
DEAD = Removal("remove", "Caught stones leave the board.", "take the stone on {node} off", "Caught: {nodes}.")


@dataclass(frozen=True)
class Row:
    """Eight nodes in a row, and how many actions there were."""

    cells: str = "........"
    made: int = 0
    resigned: int = 0
    mode = "2"

    @property
    def seat(self) -> int:
        return self.made % 2 + 1


class Pincers(Plain[Row]):
    """Put a stone, or move one to the next node, or pass; a stone between two others' is caught. Twelve actions."""

    name = "pincers"
    title = "Pincers"
    endings: Mapping[str, str] = {"over": "Twelve actions are over.", "resigned": "The other player has resigned."}
    removal: Removal | None = DEAD

    def layout(self) -> Layout:
        lines = tuple(pairwise(NODES))
        return Layout({node: (at - 3.5, 0.0) for at, node in enumerate(NODES)}, lines)

    def start(self, mode: str) -> Row:
        self.seats(mode)
        return Row()

    def text(self, position: Row) -> str:
        return f"{position.cells} {position.made}"

    def parse(self, text: str) -> Row:
        cells, made = read_fields(text, cells=("[.bw]{8}", "8 signs"), made=("[0-9]|1[0-2]", "a number to 12"))
        return Row(cells, int(made))

    def occupancy(self, position: Row) -> Occupancy:
        return {node: (sign,) for node, sign in zip(NODES, position.cells, strict=True) if sign != "."}

    def legal(self, position: Row) -> Iterable[str]:
        own = self.plays(position)[position.seat]
        yield "pass"
        for at, sign in enumerate(position.cells):
            if sign == ".":
                yield NODES[at]
            for to in (at - 1, at + 1):
                if sign == own and 0 <= to < 8 and position.cells[to] == ".":
                    yield f"{NODES[at]}-{NODES[to]}"

    def moves(self, position: Row, action: str) -> tuple[PieceMove, ...]:
        if action == "pass":
            return ()
        if "-" in action:
            return (PieceMove(self.stack(position, position.seat), action[0], action[2]),)
        return super().moves(position, action)

    def after(self, position: Row, action: str) -> Row:
        lying = after_moves(self.occupancy(position), self.moves(position, action))
        cells = "".join(lying.get(node, ".")[0] for node in NODES)
        own = self.plays(position)[position.seat]
        foe = "w" if own == "b" else "b"
        return replace(position, cells=cells.replace(own + foe + own, own + "." + own), made=position.made + 1)

    def result(self, position: Row) -> Status | None:
        black, white = position.cells.count("b"), position.cells.count("w")
        winners = () if black == white else (1 if black > white else 2,)
        return Status(over=True, reason="over", winners=winners) if position.made == 12 else None

    def turn(self, position: Row) -> int:
        return min(12, position.made + 1)


GAME = Pincers()


def at(cells: str, made: int = 2) -> Row:
    return Row(cells, made)


@pytest.mark.slow
def test_it_keeps_what_the_table_relies_on() -> None:
    for seed in range(30):
        assert check_game(GAME, Random(seed)) == 12


def test_what_is_caught_is_found_out() -> None:
    transition = GAME.apply(at("bw......"), {1: "c"})
    assert transition.placed == {"a": ("b",), "b": ("w",), "c": ("b",)}
    assert transition.removed == ("b",)
    assert GAME.occupancy(transition.position) == {"a": ("b",), "c": ("b",)}
    step = next(step for step in GAME.steps(at("bw.b....")) if step.action == "d-c")
    assert (step.after, step.removed) == ({"a": ("b",), "b": ("w",), "c": ("b",)}, {"b"})
    assert step.touches == {"c", "d"}


def test_steps_say_what_is_put_and_what_is_moved() -> None:
    said = {step.action: step.words for step in GAME.steps(at("b......."))}
    assert said == {
        "a-b": "a-b",
        "pass": "pass",
        **{node: f"black on {node}" for node in "bcdefgh"},
    }
    assert GAME.prompt(at("b.......", 3)) == "put a white stone on an empty node"


def test_what_is_not_legal_is_refused_saying_why() -> None:
    now = at("bw......")
    for seat, action, why in (
        (1, "a", "'a' is not possible now"),
        (2, "c", sentence("is the turn of seat", seat=2, other=1)),
    ):
        with pytest.raises(BadAction, match=why):
            GAME.check(now, seat, action)
        with pytest.raises(BadAction, match=why):
            GAME.apply(now, {seat: action})
    with pytest.raises(BadAction, match=r"one action of seat 1, got seats \[1, 2\]"):
        GAME.apply(now, {1: "c", 2: "d"})
    with pytest.raises(BadAction, match="got seats"):
        GAME.apply(now, {})
    with pytest.raises(GameOver):
        GAME.apply(at("bw......", 12), {1: "c"})
    with pytest.raises(BadAction, match="seat 2 does not act now"):
        GAME.random_action(now, 2, Random(1))
    with pytest.raises(GameError, match="mode: expected 2, got '3'"):
        GAME.seats("3")
    for text, why in (
        ("........", "2 fields"),
        ("........ 13", "made: expected a number to 12, got '13'"),
        ("x....... 1", "cells"),
    ):
        with pytest.raises(BadPosition, match=why):
            GAME.parse(text)


@dataclass(frozen=True)
class Wider:
    """Options of the rules."""

    near: bool = option("stones move two nodes")
    far: bool = option("stones move over others")


class WiderCoil(Coil):
    """Coil as it would be with them."""

    def __init__(self, options: Any = Wider()) -> None:
        PlainWithOptions.__init__(self, options)


def test_options_are_what_their_fields_say() -> None:
    plain = WiderCoil()
    assert (plain.options, plain.rules) == ({"near": "stones move two nodes", "far": "stones move over others"}, {})
    assert rules_of(plain.with_rules({"far": True})) == {"far": True}
    assert plain.with_rules({"near": True, "far": False}).start("2").options == Wider(near=True)


def test_resigning_gives_the_game_to_the_other() -> None:
    transition = GAME.resign(at("bw......"), 1)
    assert (transition.status.reason, transition.status.winners) == ("resigned", (2,))
    assert GAME.status(transition.position) == transition.status
    assert [line.score for line in GAME.explain(transition.position)] == [0, 1]
    assert GAME.actions(transition.position) == {}
    with pytest.raises(GameOver):
        GAME.resign(transition.position, 2)
    with pytest.raises(BadAction, match="expected 1 or 2, got 3"):
        GAME.resign(at("bw......"), 3)


def test_a_random_game_ends_as_its_seed_says() -> None:
    results = [GAME.playout(GAME.start("2"), Random(seed)) for seed in range(20)]
    assert results == [GAME.playout(GAME.start("2"), Random(seed)) for seed in range(20)]
    assert {result.winners for result in results} >= {(1,), (2,)}


def test_what_is_missing_is_named() -> None:
    class Half(Plain[Row]):
        name = "half"

    with pytest.raises(TypeError, match=r"after.* legal.* occupancy"):
        Half()  # type: ignore[abstract]


def test_pieces_are_carried_off_and_onto_stacks() -> None:
    lying = {"a": ("b", "w", "b"), "c": ("w",)}
    move = PieceMove(("w", "b"), "a", "c")
    assert after_moves(lying, (move,)) == {"a": ("b",), "c": ("w", "w", "b")}
    assert after_moves(lying, (PieceMove(("w",), "c", None),)) == {"a": ("b", "w", "b")}
    assert lying["a"] == ("b", "w", "b")
    for source in ("c", "d"):
        with pytest.raises(ValueError, match="not in"):
            after_moves(lying, (PieceMove(("b",), source, "e"),))


def test_at_the_table_the_caught_are_taken_off_before_play_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "GAMES", {**registry.GAMES, "pincers": GAME})
    evening = Evening("pincers").sit_and_start("Ada", "Grace")
    for node, piece in (("a", "b"), ("b", "w"), ("d", "b")):
        evening.put(node, piece)
        evening.wait(0.6)
    evening.say(ActionChosen(at=evening.at, seat=2, action="pass"))
    assert evening.done() == ["a", "b", "d", "pass"]
    evening.carry("d", "c")
    evening.wait(0.6)
    assert evening.phase == "clearing"
    assert evening.lights() == {"b": "remove"}
    assert evening.view()["message"] == "Caught stones leave the board. Take the stone on b off."
    evening.lift("b")
    evening.hand = []
    evening.wait(0.6)
    assert evening.phase == "resolving"
    assert evening.text() == "b.b..... 5"


def test_a_position_is_what_a_plain_game_asks_for() -> None:
    position: PlainPosition = Row()
    assert (position.mode, position.seat, position.resigned) == ("2", 1, 0)
    game: Plain[Any] = GAME
    assert game.teams("2") == ((1,), (2,))
