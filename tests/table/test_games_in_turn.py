"""Games in which one seat acts at a time: who plays what, spoken actions, deaths, a decided game."""

from __future__ import annotations

import pytest

from firmware_host.table import guide, lights
from firmware_host.table.ledger import LOG_LINES
from firmware_host.table.subjects.proposals import Declined, Proposed
from firmware_host.table.subjects.resolving import ActionChosen, Resigned
from lodestone.evening import Evening
from tests.sentences import sentence


def put(evening: Evening, node: str, piece: str) -> None:
    evening.put(node, piece)
    evening.wait(0.6)


def plays(evening: Evening) -> list[str | None]:
    return [seat["plays"] for seat in evening.view()["seats"]]


@pytest.mark.parametrize("kind", ["presence", "polarity", "level"])
def test_coil_begins_with_black_for_both_and_whoever_passes_plays_black(kind: str) -> None:
    evening = Evening("coil", kind=kind).sit_and_start("Ada", "Bob")
    assert plays(evening) == [None, None], "nobody is Black before the first pass"
    assert "Ada: put a black stone" in evening.view()["message"]
    put(evening, "g7", "b")
    assert evening.done() == ["g7"]
    evening.say(ActionChosen(at=evening.at, seat=2, action="pass"))
    assert evening.done() == ["g7", "pass"], "choosing to pass is passing"
    assert plays(evening) == ["w", "b"]
    assert evening.view()["message"] == "Ada: put a white stone on any empty cell."
    put(evening, "a1", "w")
    put(evening, "a2", "b")
    assert evening.done() == ["g7", "pass", "a1", "a2"]
    assert evening.view()["board"] == {"g7": ["b"], "a1": ["w"], "a2": ["b"]}


def test_a_pass_waits_until_the_board_is_in_order() -> None:
    evening = Evening("coil", kind="polarity").sit_and_start()
    evening.put("g7", "b")
    assert evening.refused(ActionChosen(at=evening.at, seat=1, action="pass")) == "bad_action"
    evening.wait(0.6)
    assert evening.done() == ["g7"]
    assert evening.refused(ActionChosen(at=evening.at, seat=1, action="pass")) == "not_your_turn"


def test_a_stone_chosen_on_the_phone_breathes_where_it_goes_and_is_a_task() -> None:
    evening = Evening("coil", kind="polarity").sit_and_start()
    evening.say(ActionChosen(at=evening.at, seat=1, action="g7"))
    assert evening.lights() == {"g7": "put"}
    assert evening.view()["tasks"] == [{"do": "put", "node": "g7", "piece": "b", "seat": 1}]
    put(evening, "g7", "b")
    assert evening.done() == ["g7"]
    assert evening.lights() == {}


def flower(evening: Evening) -> None:
    """Let both put five of the six stones round g7."""
    for node in ("f6", "f7", "g8", "h7", "h6"):
        put(evening, node, "b")


def test_the_coil_that_closes_runs_in_light_in_the_winners_colour() -> None:
    evening = Evening("coil", kind="presence").sit_and_start("Ada", "Bob")
    flower(evening)
    assert evening.phase == "resolving"
    put(evening, "g6", "b")
    assert evening.phase == "over"
    result = evening.view()["result"]
    assert (result["reason"], result["winners"]) == ("coil", [1]), "who closes it in phase I has lost"
    assert result["words"] == sentence("Black stones have closed a")
    lamps = guide.lamps(evening.table)
    assert set(lamps) == {"f6", "f7", "g8", "h7", "h6", "g6"}
    assert {lamp.meaning for lamp in lamps.values()} == {"won"}
    brightest = [max(lights.frame(lamps, at / 6 + 0.01, {}).items(), key=lambda it: sum(it[1]))[0] for at in range(6)]
    assert sorted(brightest) == sorted(lamps), "one light runs round all stones of the coil"
    neighbours = {line for pair in evening.game.layout().lines for line in (pair, pair[::-1])}
    assert all(pair in neighbours for pair in zip(brightest, brightest[1:] + brightest[:1], strict=True))


def test_who_has_won_without_a_piece_at_home_is_shown_there_all_the_same() -> None:
    evening = Evening("spokes").sit_and_start("Ada", "Bob")
    evening.say(Resigned(at=evening.at, seat=1))
    assert evening.phase == "over"
    homes = evening.game.homes("2", 2)
    assert evening.lights() == dict.fromkeys(homes, "won")
    assert {lamp.strength for lamp in guide.lamps(evening.table).values()} == {0.25}


def decided() -> Evening:
    """Return a table at which White has cut everything up: the black and empty cells hold no ring."""
    evening = Evening("coil", kind="polarity").sit_and_start("Ada", "Bob")
    size = 7
    rows = []
    for row in range(2 * size - 1):
        cells = size + min(row, 2 * size - 2 - row)
        rows.append(("." if row % 2 == 0 else "w") * cells)
    return evening.begin_at(f"{'/'.join(rows)} main 1 2")


def test_a_decided_game_is_offered_to_all_and_ends_when_all_agree() -> None:
    evening = decided()
    view = evening.view()
    assert view["decided"] == {"winner": 1, "words": sentence("White can't lose any more: no coil is possible")}
    assert view["can"]["decided"]
    evening.say(Proposed(at=evening.at, seat=2, what="decided"))
    assert "White can't lose any more" in evening.view()["proposal"]["words"]
    evening.say(Declined(at=evening.at, seat=1, what="decided"))
    assert evening.phase == "resolving"
    evening.agree_on("decided")
    result = evening.view()["result"]
    assert (evening.phase, result["reason"], result["winners"]) == ("over", "decided", [1])
    assert evening.entries[-2][0] == "decided"
    assert evening.view()["decided"] is None
    assert evening.refused(Proposed(at=evening.at, seat=1, what="decided")) == "bad_proposal"


def test_an_open_game_is_not_offered_to_end() -> None:
    evening = Evening("coil", kind="polarity").sit_and_start()
    assert evening.view()["decided"] is None
    assert evening.refused(Proposed(at=evening.at, seat=1, what="decided")) == "bad_proposal"


def test_games_without_such_an_end_never_offer_it() -> None:
    evening = Evening("phalanx", kind="polarity").sit_and_start()
    assert evening.view()["decided"] is None
    assert evening.refused(Proposed(at=evening.at, seat=1, what="decided")) == "bad_proposal"


def test_phalanx_counts_the_actions_of_a_turn_and_ends_it_on_the_phone() -> None:
    evening = Evening("phalanx", kind="polarity").sit_and_start("Ada", "Bob")
    assert evening.phase == "setup", "the hoplites are to be set up first"
    for node, (piece,) in evening.game.occupancy(evening.game.start("2")).items():
        evening.put(node, piece)
    evening.wait(0.5)
    assert evening.view()["message"] == "Ada: move, add or push; 3 of 3 actions left."
    assert plays(evening) == ["b", "w"]
    evening.carry("G3", "H4")
    evening.wait(0.6)
    assert evening.view()["message"] == "Ada: move, add or push; 2 of 3 actions left."
    evening.say(ActionChosen(at=evening.at, seat=1, action="end"))
    assert evening.view()["message"] == "Bob: move, add or push; 3 of 3 actions left."


def test_only_own_hoplites_are_lit_and_light_runs_along_a_line_that_can_push() -> None:
    evening = Evening("phalanx", kind="polarity").begin_at("9/9/9/5w3/2bbbw3/9/9/9/9 b 3 1")
    assert evening.lights() == dict.fromkeys(("C5", "D5", "E5"), "movable")
    evening.say(ActionChosen(at=evening.at, seat=1, action="C5>e"))
    assert evening.lights() == dict.fromkeys(("C5", "D5", "E5", "F5", "G5"), "line")
    lamps = guide.lamps(evening.table)
    heads = [max(lights.frame(lamps, at / 8 + 0.01, {}).items(), key=lambda it: sum(it[1]))[0] for at in range(5)]
    assert heads == ["C5", "D5", "E5", "F5", "G5"], "from the rear to where the front lands"
    assert [(task["do"], task["from"], task["to"]) for task in evening.view()["tasks"]] == [
        ("move", "F5", "G5"),
        ("move", "E5", "F5"),
        ("move", "D5", "E5"),
        ("move", "C5", "D5"),
    ]


def test_a_hoplite_that_is_pushed_off_the_board_is_to_be_taken() -> None:
    evening = Evening("phalanx", kind="polarity").begin_at("9/9/9/8w/6bbw/9/9/9/9 b 3 1")
    evening.say(ActionChosen(at=evening.at, seat=1, action="G5>e"))
    assert evening.view()["tasks"][0] == {"do": "take", "node": "J5", "seat": 1}


def test_dead_hoplites_are_lit_and_play_waits_until_they_are_off() -> None:
    evening = Evening("phalanx", kind="polarity").begin_at("9/9/9/2b6/2bb5/9/9/4ww3/4ww3 b 3 1")
    evening.carry("C5", "E5")  # C6 stands alone then.
    evening.wait(0.6)
    assert (evening.done(), evening.phase) == (["C5-E5"], "clearing")
    assert evening.lights() == {"C6": "remove"}
    assert "stand alone are dead" in evening.view()["message"]
    assert evening.view()["tasks"] == [{"do": "take", "node": "C6", "seat": None}]
    assert "C6" in evening.view()["board"], "it lies there until it is taken"
    assert evening.refused(ActionChosen(at=evening.at, seat=1, action="end")) == "wrong_phase"
    evening.lift("C6")
    evening.wait(0.6)
    assert evening.phase == "resolving"
    assert evening.view()["board"].keys() == {"D5", "E5", "E2", "F2", "E1", "F1"}
    assert evening.view()["message"].endswith("move, add or push; 2 of 3 actions left.")
    assert evening.view()["log"][-1]["text"] == "Dead, because they stand alone: C6."


def test_the_goal_that_was_reached_runs_in_light() -> None:
    evening = Evening("phalanx", kind="polarity").begin_at("9/1bb6/9/9/9/9/9/4ww3/4ww3 b 3 1")
    evening.carry("C8", "B9")
    evening.wait(0.6)
    assert evening.phase == "over"
    assert evening.lights() == {"B9": "won", "A9": "won"}
    result = evening.view()["result"]
    assert (result["reason"], result["winners"]) == ("goal", [1])
    assert result["words"] == sentence("A hoplite stands next to")


def test_the_end_of_a_turn_is_a_step_without_moves_that_two_taps_mean_too() -> None:
    evening = Evening("phalanx", kind="polarity").begin_at("9/9/9/9/2bb5/9/9/4ww3/4ww3 b 3 1")
    assert evening.view()["steps"][-1]["action"] == "end"
    assert evening.view()["steps"][-1]["moves"] == []
    assert evening.view()["steps"][-1]["tap_twice"]


def test_rules_in_force_are_told() -> None:
    assert Evening("phalanx", kind="polarity").view()["game"]["rules"] == []


def test_what_was_chosen_can_be_taken_back() -> None:
    evening = Evening("coil", kind="polarity").sit_and_start()
    evening.say(ActionChosen(at=evening.at, seat=1, action="g7"))
    evening.say(ActionChosen(at=evening.at, seat=1, action=""))
    assert evening.view()["wanted"] is None
    assert evening.lights() == {}


def test_the_last_lines_of_a_long_game_are_kept_and_all_are_counted() -> None:
    ledger = (evening := Evening("coil").sit_and_start("Ann", "Bob")).table.ledger
    ledger.tell("It begins.")
    before = ledger.told
    for number in range(LOG_LINES):
        ledger.tell(f"line {number}")
    log = evening.view()["log"]
    assert [line["n"] for line in log] == list(range(before + 1, before + LOG_LINES + 1))
    assert [log[0]["text"], log[-1]["text"]] == ["line 0", f"line {LOG_LINES - 1}"]
