"""Positions set up by hand: whatever a game can come to can be laid, and what is impossible is explained."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from firmware_host.games.game import BadPosition, Game, GameError, Occupancy
from firmware_host.games.registry import GAMES
from firmware_host.link.set_up import HasSetUp, SetUpChoice, set_up, set_up_of, who_acts
from tests.sentences import sentence


def can_be_set_up(game: Game[Any]) -> bool:
    try:
        return bool(set_up_of(game))
    except GameError:
        return False


GIVEN = sorted(name for name, game in GAMES.items() if can_be_set_up(game))


def chosen_for(game: Game[Any], position: Any) -> dict[str, str]:
    holder = str(getattr(position, "holder", 0))
    return {"seat": str(game.actor(position)), "black": holder}


def test_every_game_that_comes_with_lodestone_can_be_set_up() -> None:
    assert {"spokes", "phalanx", "coil", "octiles"} <= set(GIVEN)


@pytest.mark.parametrize("name", GIVEN)
def test_positions_of_a_game_are_laid_again_as_they_were(name: str) -> None:
    game = GAMES[name]
    rng = Random(7)
    for mode in game.modes:
        position: Any = game.start(mode)
        for _ in range(60):
            if game.status(position).over:
                break
            again = set_up(game, mode, game.occupancy(position), chosen_for(game, position), rng)
            assert game.occupancy(again) == game.occupancy(position)
            assert game.actor(again) == game.actor(position)
            assert game.simultaneous(again) == game.simultaneous(position)
            assert game.parse(game.text(again)) == again
            actions = {seat: game.random_action(position, seat, rng) for seat in game.actions(position)}
            position = game.apply(position, actions).position


REFUSED: list[tuple[str, Occupancy, Mapping[str, str], str]] = [
    ("spokes", {"Z9": ("w",)}, {"seat": "1"}, "no node Z9"),
    ("spokes", {"A1": ("w",) * 5}, {"seat": "1"}, "A1: at most 4 pieces"),
    ("spokes", {f"D{n}": ("w", "w", "w") for n in range(1, 17)}, {"seat": "1"}, "white stones, but only"),
    ("spokes", {}, {}, "Who resolves"),
    (
        "phalanx",
        {"D4": ("b",), "E4": ("b",), "D7": ("w",), "E7": ("w",), "G7": ("w",)},
        {"seat": "1"},
        "G7 stands alone",
    ),
    ("phalanx", {"D4": ("b",), "E4": ("b",)}, {"seat": "1"}, "each side"),
    ("coil", {"g7": ("w",)}, {"seat": "1", "black": "0"}, "g7 is white"),
    ("coil", {"g7": ("b", "b")}, {"seat": "1", "black": "0"}, "g7: at most 1 piece"),
    ("coil", dict.fromkeys(("g6", "g8", "f6", "f7", "h6", "h7"), ("b",)), {"seat": "1", "black": "1"}, "game is over"),
    ("octiles", {"b3": ("7r0",), "b4": ("7r3",)}, {"seat": "1"}, "tile 7 lies twice"),
    ("octiles", {"b3": ("b",)}, {"seat": "1"}, sentence("only tiles lie in wells", well="b3")),
    ("octiles", {"A1": ("b",)}, {"seat": "1"}, "1 of 5 are on the board"),
]


@pytest.mark.parametrize(("name", "lying", "chosen", "words"), REFUSED)
def test_what_is_impossible_is_explained(name: str, lying: Occupancy, chosen: Mapping[str, str], words: str) -> None:
    game = GAMES[name]
    with pytest.raises(BadPosition, match=words):
        set_up(game, game.modes[0], lying, chosen, Random(1))


@pytest.mark.parametrize(("node", "piece"), [("B3", "r"), ("B3", "7r2"), ("C1", "7r2")])
def test_a_piece_that_no_position_has_there_is_not_left_out(node: str, piece: str) -> None:
    game = GAMES["octiles"]
    lying = {**game.occupancy(game.start("2")), node: (piece,)}
    with pytest.raises(BadPosition, match=sentence("in no position does this piece lie there", node=node)):
        set_up(game, "2", lying, {"seat": "1"}, Random(1))


def test_a_game_of_another_package_is_set_up_by_its_own_members() -> None:
    coil: Any = GAMES["coil"]

    class Members(type(coil)):  # type: ignore[misc]
        name = "ring"
        highest = 2

        def set_up_choices(self, mode: str) -> list[SetUpChoice]:
            return [who_acts({mode: "One"})]

        def set_up(self, mode: str, lying: Occupancy, chosen: Mapping[str, str], rng: Random) -> Any:
            del lying, chosen, rng
            return self.start(mode)

    ring = Members(coil.chosen)
    assert isinstance(ring, HasSetUp)
    assert set_up(ring, "2", {}, {"seat": "2"}, Random(1)) == ring.start("2")
    with pytest.raises(BadPosition, match="at most 2 pieces"):
        set_up(ring, "2", {"g7": ("b", "b", "b")}, {"seat": "2"}, Random(1))


def test_a_game_that_cant_be_set_up_says_so() -> None:
    coil: Any = GAMES["coil"]
    other = type(coil)(coil.chosen)
    other.name = "ring"
    with pytest.raises(GameError, match=sentence("can't be set up by", game=other.title)):
        set_up_of(other)
