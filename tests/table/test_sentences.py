"""What is said to whom: nobody waits for themselves, and no turn is named before its time."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_host.games.registry import GAMES
from firmware_host.table.subjects.proposals import GamePaused
from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening
from tests.sentences import sentence


def own(evening: Evening) -> Any:
    return evening.view()["own_messages"]


def test_an_own_phone_never_waits_for_its_own_name() -> None:
    evening = Evening("spokes", "2").sit_and_start("Ada", "Bob")
    assert evening.view()["message"].endswith("Waiting for Ada and Bob.")
    assert own(evening) == dict.fromkeys(("1", "2"), "Turn 1: choose and seal your placement.")
    evening.commit(1, "wA1")
    assert evening.view()["message"].endswith("Waiting for Bob.")
    assert own(evening) == {"2": sentence("and seal your placement. All", turn=1)}
    evening.commit(2, "bD9")
    assert own(evening)["1"] == sentence("All have sealed. The phones")
    evening.open(1, "wA1")
    assert set(own(evening)) == {"2"}
    evening.say(GamePaused(at=evening.at))
    assert own(evening) == {}, "then the host has the word"


def test_while_the_stones_of_a_turn_are_put_down_it_is_still_that_turn() -> None:
    """Two stones that leave each other in peace: by the rules the next turn begins as soon as they are revealed."""
    evening = Evening("spokes", "2").sit_and_start("Ada", "Bob")
    evening.seal_all({1: "wD2", 2: "bD10"})
    assert evening.phase == "placing"
    assert evening.game.turn(evening.table.ledger.now.position) == 2
    assert evening.view()["turn"] == 1
    assert evening.view()["resolver"] is None, "nobody acts after this: all seal again"
    stones = "Ada white on D2, Bob black on D10"
    assert evening.view()["message"] == sentence("Put these stones where", stones=stones)
    evening.put_down_all()
    assert (evening.phase, evening.view()["turn"]) == ("sealing", 2)
    evening = Evening("phalanx", "2").begin_at("9/1ww6/1ww6/9/9/9/4bbb2/9/9 b 1 1")
    evening.carry("F3", "H3")
    evening.wait(1)
    assert evening.phase == "clearing"
    assert evening.view()["turn"] == 1
    evening.take_off("E3")
    evening.wait(1)
    assert evening.view()["turn"] == 2


def test_the_log_tells_placements_in_words() -> None:
    evening = Evening("spokes", "2").sit_and_start("Ada", "Bob")
    evening.seal_all({1: "wD2", 2: "bD10"})
    assert evening.view()["log"][-1]["text"] == "Turn 1: Ada white on D2, Bob black on D10."


def test_several_pieces_in_the_hands_are_not_one_stone() -> None:
    evening = Evening("phalanx", "2").begin_at("9/9/9/3bbbw2/6w2/9/9/9/9 b 3 1")
    evening.lift("F6")
    evening.wait(0.2)
    assert " holds the hoplite from F6: it may go to " in evening.view()["message"]
    evening.hand = []
    evening.lift("E6")
    evening.wait(0.2)
    assert " holds the hoplites from " in evening.view()["message"]
    assert "E6 and F6" in evening.view()["message"] or "F6 and E6" in evening.view()["message"]


PUSHED_OFF = "9/9/9/w8/wbb6/9/9/9/9 b 3 5"
"""C5 pushes B5 onto A5, and the hoplite of A5 off the board."""


@pytest.mark.parametrize("kind", ["presence", "polarity"])
def test_a_piece_that_is_pushed_off_goes_nowhere_else(kind: str) -> None:
    evening = Evening("phalanx", "2", kind).sit_and_start("Ada", "Bob").begin_at(PUSHED_OFF)
    held = "the hoplite from A5"
    evening.lift("A5")
    evening.wait(0.5)
    assert evening.view()["message"] == sentence("holds {piece}: it comes off the board.", name="Ada", piece=held)
    evening.wait(6.0)
    assert evening.view()["message"] == sentence(
        "it comes off the board, or goes back on {node}", name="Ada", piece=held, node="A5"
    )
    evening.hand = []
    evening.lift("B5")
    evening.wait(0.5)
    assert evening.view()["message"] == sentence(
        "they may go to", name="Ada", pieces="the hoplites from A5 and B5", targets="A5, or off the board"
    )
    evening.put("A5")
    evening.carry("C5", "B5")
    evening.wait(2.0)
    assert evening.done() == ["C5>w"]


def test_each_piece_in_the_hand_is_told_its_own_goals() -> None:
    """Those of its line are no goals of it, and a goal that is taken is none: then the step is named."""
    evening = Evening("phalanx", "2", "polarity").sit_and_start("Ada", "Bob").begin_at("9/9/9/4w4/2bbw4/9/9/9/9 b 3 5")
    held, push = [], "Ada: the line from C5 pushes towards D5."
    for node in ("E5", "D5", "C5"):
        evening.lift(node)
        evening.wait(0.2)
        held.append(evening.view()["message"].rpartition(" to ")[2])
    assert held == ["F5.", "F5, E5.", "F5, E5, D5."]
    for target, piece, goals in (("F5", "w", "to E5, D5."), ("E5", "b", "to D5."), ("D5", "b", push)):
        evening.put(target, piece)
        evening.wait(0.05)
        assert evening.view()["message"].endswith(goals)
    evening.wait(1.0)
    assert evening.done() == ["C5>e"]
    again = Evening("phalanx", "2", "presence").sit_and_start("Ada", "Bob").begin_at("9/9/9/4w4/2bbw4/9/9/9/9 b 3 5")
    again.carry("E5", "F5")
    again.wait(0.2)
    assert again.view()["message"] == push, "nothing is in the hand"


@pytest.mark.parametrize("name", ["spokes", "octiles"])
def test_a_game_that_ends_by_resignation_counts_nobody(name: str) -> None:
    """Two may play as well as four."""
    assert GAMES[name].endings["resigned"] == "The game ended by resignation."


def test_a_step_that_was_chosen_on_a_phone_is_named_until_it_lies() -> None:
    evening = Evening("spokes", "2").sit_and_start("Ada", "Bob")
    evening.seal_all({1: "wD1", 2: "wC1"})
    evening.put_down_all()
    assert evening.view()["message"] == "Ada: move a lit stone; 2 steps are possible."
    step = next(one for one in evening.view()["steps"] if one["words"] == "C1 pushes D1 to 1")
    evening.say(ActionChosen(at=evening.at, seat=1, action=step["action"]))
    assert evening.view()["message"] == "Ada: C1 pushes D1 to 1. The lights show the way."
    evening.do(step["action"])
    assert evening.view()["message"].startswith("Turn 2")


def test_the_reason_for_a_step_is_told_until_the_next_reveal() -> None:
    evening = Evening("spokes", "2").sit_and_start("Ada", "Bob", computers=(1,))
    evening.seal_all({1: "wC6", 2: "wD11"})
    evening.put_down_all()
    reason = {"seat": 1, "text": "It looks good."}
    evening.say(ActionChosen(at=evening.at, seat=1, action="C6-D11-11", reason="It looks good."))
    assert evening.view()["reason"] == reason
    evening.do("C6-D11-11")
    assert (evening.phase, evening.view()["reason"]) == ("sealing", reason)
    evening.seal_all({1: "wC2", 2: "wD5"})
    assert (evening.phase, evening.view()["reason"]) == ("placing", None)


def test_what_a_computer_does_is_told_with_what_hands_have_to_do() -> None:
    """It may stand in for a person, whose name does not say so."""
    for name, who in (("Computer 2", "Computer 2"), ("Ada", "Ada (computer)")):
        evening = Evening("spokes", "2").sit_and_start(name, "Bob", computers=(1,))
        evening.seal_all({1: "wC6", 2: "wD11"})
        evening.put_down_all()
        assert evening.view()["message"] == f"{who} is thinking."
        evening.say(ActionChosen(at=evening.at, seat=1, action="C6-D11-11"))
        assert evening.view()["message"] == f"{who}: C6 pushes D11 to 11. The lights show the way."
