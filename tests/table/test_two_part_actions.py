"""Actions of two parts, in either order: put a stone that closes a mill, and take one of the opponent's off."""

from __future__ import annotations

from random import Random

import pytest

from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening
from lodestone.game_contract import check_game
from tests.sampling import few
from tests.sentences import sentence
from tests.table.mills import MILLS_GAME, NODES

KINDS = ("presence", "polarity")


def cells(**stones: str) -> str:
    lying = {node: colour for colour, nodes in stones.items() for node in nodes.split()}
    return "".join(lying.get(node, ".") for node in NODES)


PUTTING = cells(b="d1 g1 e4", w="a7 c3") + " 4"
"""Black closes a mill on a1, and takes a7 or c3."""
GUARDED = cells(b="d1 g1", w="a7 d7 g7 c3") + " 6"
"""The same, and three white stones are safe in a mill."""
MOVING = cells(b="a4 d1 g1 e4", w="a7 c3 e3 d5") + " 20"
"""Black closes it with the stone of a4."""


def start(text: str, kind: str) -> Evening:
    return Evening(MILLS_GAME, kind=kind).begin_at(text)


def take(evening: Evening, node: str, pause: float = 0.3) -> None:
    held = evening.hand
    evening.take_off(node)
    evening.hand = held
    evening.wait(pause)


def todo(evening: Evening) -> list[tuple[str, str]]:
    return [(task["do"], task["node"]) for task in evening.view()["tasks"]]


def test_the_game_keeps_the_contract() -> None:
    for seed in range(5):
        check_game(MILLS_GAME, Random(seed))


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_part_is_asked_for_when_the_first_lies(kind: str) -> None:
    evening = start(PUTTING, kind)
    evening.put("a1", "b")
    evening.wait(1.0)
    assert evening.lights() == {"a7": "remove", "c3": "remove"}
    assert evening.view()["message"] == sentence("take one of the", name="P1", nodes="a7 or c3")
    evening.wait(30.0)
    assert evening.lights() == {"a7": "remove", "c3": "remove"}, "a player may think about it"
    assert evening.view()["problem"] is None
    assert evening.done() == []
    take(evening, "c3", 1.0)
    assert evening.done() == ["a1xc3"]
    assert evening.table.actor == 2
    assert evening.view()["problem"] is None


@pytest.mark.parametrize("kind", KINDS)
def test_the_stone_may_be_taken_first(kind: str) -> None:
    evening = start(PUTTING, kind)
    take(evening, "c3", 6.0)
    assert evening.lights() == {"a1": "put"}
    assert "put a black stone on a1" in evening.view()["message"]
    assert evening.view()["problem"] is None
    evening.put("a1", "b")
    evening.wait(2.0)
    assert evening.done() == ["a1xc3"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ["lift put take", "lift take put", "take lift put"])
@pytest.mark.parametrize("pause", [0.3, 6.0])
def test_the_parts_of_a_move_come_in_any_order(kind: str, order: str, pause: float) -> None:
    evening = start(MOVING, kind)
    parts = {"take": lambda: take(evening, "c3"), "lift": lambda: evening.lift("a4"), "put": lambda: evening.put("a1")}
    for part in order.split():
        assert evening.done() == []
        parts[part]()
        evening.wait(pause)
    evening.wait(2.0)
    assert evening.done() == ["a4-a1xc3"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_landed_stone_of_a_move_asks_for_the_second_part(kind: str) -> None:
    evening = start(MOVING, kind)
    evening.carry("a4", "a1")
    evening.wait(5.0)
    assert evening.lights() == dict.fromkeys(("a7", "c3", "d5", "e3"), "remove")
    assert evening.view()["problem"] is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("text", "wrong"), [(PUTTING, "d1"), (PUTTING, "e4"), (GUARDED, "d7")])
def test_a_wrong_stone_goes_back_and_the_first_part_stays(kind: str, text: str, wrong: str) -> None:
    evening = start(text, kind)
    evening.put("a1", "b")
    evening.wait(1.0)
    evening.lift(wrong)
    evening.wait(0.2)
    assert evening.lights()[wrong] == "return"
    evening.wait(6.0)
    assert evening.done() == []
    assert todo(evening) == [("put", wrong)]
    assert evening.lights() == {wrong: "return"}
    evening.put(wrong)
    evening.wait(1.0)
    assert evening.lights()["c3"] == "remove"
    take(evening, "c3", 1.0)
    assert evening.done() == ["a1xc3"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_chosen_action_leads_to_both_parts(kind: str) -> None:
    evening = start(PUTTING, kind)
    evening.say(ActionChosen(at=evening.at, seat=1, action="a1xc3"))
    assert todo(evening) == [("put", "a1"), ("take", "c3")]
    assert evening.lights() == {"a1": "put", "c3": "remove"}
    evening.put("a1", "b")
    evening.wait(6.0)
    assert todo(evening) == [("take", "c3")]
    assert evening.lights() == {"c3": "remove"}
    take(evening, "c3", 1.0)
    assert evening.done() == ["a1xc3"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_put_may_be_taken_up_again(kind: str) -> None:
    evening = start(PUTTING, kind)
    evening.put("a1", "b")
    evening.wait(1.0)
    take(evening, "a1", 1.0)
    assert evening.done() == []
    assert evening.view()["problem"] is None
    evening.put("a4", "b")
    evening.wait(1.0)
    assert evening.done() == ["a4"]


@pytest.mark.parametrize("kind", KINDS)
def test_both_parts_are_taken_back_by_hand(kind: str) -> None:
    evening = start(PUTTING, kind)
    evening.do("a1xc3")
    assert evening.done() == ["a1xc3"]
    take(evening, "a1", 1.0)
    evening.put("c3", "w")
    evening.wait(3.0)
    assert evening.done() == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("put_first", [True, False])
def test_both_parts_of_a_move_are_taken_back_by_hand(kind: str, put_first: bool) -> None:
    evening = start(MOVING, kind)
    evening.do("a4-a1xc3")
    assert evening.done() == ["a4-a1xc3"]
    if put_first:
        evening.put("c3", "w")
        evening.wait(1.0)
    evening.carry("a1", "a4")
    evening.wait(1.0)
    if not put_first:
        evening.put("c3", "w")
        evening.wait(1.0)
    evening.wait(2.0)
    assert evening.done() == []
    assert evening.view()["problem"] is None


@pytest.mark.parametrize("kind", KINDS)
def test_after_a_power_cut_between_the_parts_the_action_begins_again(kind: str) -> None:
    evening = Evening(MILLS_GAME, kind=kind).sit_and_start()
    for action in ("a1", "a7", "d1", "c3"):
        evening.do(action)
    evening.put("g1", "b")
    evening.wait(1.0)
    again = evening.restarted()
    again.wait(5.0)
    assert todo(again) == [("take", "g1")]
    take(again, "g1", 1.0)
    again.do("g1xa7")
    assert again.done() == ["a1", "a7", "d1", "c3", "g1xa7"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", few(range(3), 1))
def test_whole_games_are_played_with_hands(kind: str, seed: int) -> None:
    evening, random = Evening(MILLS_GAME, kind=kind).sit_and_start(), Random(seed)
    made: list[str] = []
    while evening.phase == "resolving":
        position = MILLS_GAME.parse(evening.text())
        action = random.choice(MILLS_GAME.actions(position)[position.seat])
        moves = list(evening.step(action).moves)
        random.shuffle(moves)
        for move in moves:
            evening.make(move)
            evening.wait(random.choice((0.2, 1.0, 5.0)))
        evening.wait(2.0)
        made.append(action)
        assert evening.done() == made
    assert evening.table.ledger.over
