"""Computers as company: words, praise, resigning, and what they answer to the offer of a draw."""

from __future__ import annotations

from firmware_host.analysis.questions import ActionQuestion, Answer
from firmware_host.session.computers import ANSWER_S, LONG, WORDS, Company, _Expected
from firmware_host.table.subjects import proposals
from firmware_host.table.subjects.proposals import Declined, Proposed
from firmware_host.table.subjects.resolving import Resigned
from tests.session.test_computers import Room, Scripted
from tests.table.test_games_in_turn import decided


class Expecting(Scripted):
    """A search that expects what it is told to."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def answer(self, question: ActionQuestion) -> Answer | None:
        found = super().answer(question)
        return None if found is None else Answer(found.action, value=self.value)


def room(value: float, game: str = "coil", computers: tuple[int, ...] = (2,)) -> Room:
    return Room(game, computers, analyser=Expecting(value))


def play(room: Room, turns: int) -> None:
    """Let all do so many actions; people put their stones on the first empty cells."""
    for _ in range(turns):
        if room.phase != "resolving":
            return
        table = room.table
        if not table.is_computer(table.actor):
            room.do(sorted(table.game.actions(table.ledger.now.position)[table.actor or 0])[0])
            room.wait(1)
            continue
        for _ in range(20):
            room.run(0.3)
            if room.phase != "resolving" or table.chosen_action:
                break
        if room.phase == "resolving" and table.chosen_action:
            room.do(table.chosen_action)
            room.wait(1)


def heard(room: Room) -> str:
    return " ".join(one["words"] for one in room.view()["said"])


def test_a_computer_wishes_luck_once_and_thanks_at_the_end() -> None:
    table = room(0.5)
    table.run(0.2)
    assert heard(table) in WORDS["start"]
    table.wait(20)
    table.run(1)
    assert heard(table) == ""
    table.say(Resigned(at=table.at, seat=1))
    table.run(0.2)
    assert heard(table) in WORDS["won"]


def test_computers_among_themselves_say_nothing() -> None:
    table = room(0.5, computers=(1, 2))
    table.run(0.2)
    assert heard(table) == ""


def test_a_fine_move_is_praised() -> None:
    table = room(0.6)
    play(table, 2)
    table.wait(20)
    assert isinstance(table.analyser, Expecting)
    table.analyser.value = 0.2
    play(table, 1)
    table.run(0.5)
    assert "P1" in heard(table)


def test_a_computer_resigns_what_is_lost_for_long_and_not_before() -> None:
    table = room(0.01)
    play(table, 2 * LONG - 1)
    assert table.phase == "resolving"
    play(table, 1)
    table.run(0.5)
    assert table.phase == "over"
    assert (table.entries[-2][0], table.entries[-2][1]["seat"]) == ("resign", 2)
    assert heard(table) in WORDS["resign"]


def test_one_hope_in_between_and_it_plays_on() -> None:
    table = room(0.01)
    assert isinstance(table.analyser, Expecting)
    play(table, 2 * LONG - 3)
    table.analyser.value = 0.3
    play(table, 2)
    table.analyser.value = 0.01
    play(table, 4)
    assert table.phase == "resolving"


def test_where_luck_can_turn_it_no_computer_resigns() -> None:
    for game, resigns in (("spokes", False), ("octiles", False), ("phalanx", True)):
        table = room(0.0, game).table
        known = Company()
        known._expected[2] = tuple(_Expected(turn, -1, 0.0) for turn in range(-LONG, 0))
        assert known.expect(table, 2, 0.0) is resigns


def test_a_computer_takes_a_draw_where_it_is_not_better_and_no_other() -> None:
    for value, ends in ((0.4, True), (0.9, False)):
        table = room(value)
        play(table, 2 * LONG)
        table.say(Proposed(at=table.at, seat=1, what="draw"))
        table.run(ANSWER_S + 0.5)
        assert (table.phase == "over") is ends
        assert proposals.current(table.table) is None
    assert heard(table) in WORDS["decline"]


def test_a_draw_at_the_beginning_is_declined() -> None:
    table = room(0.4)
    play(table, 2)
    table.say(Proposed(at=table.at, seat=1, what="draw"))
    table.run(ANSWER_S + 0.5)
    assert (table.phase, proposals.current(table.table)) == ("resolving", None)


def test_a_computer_offers_the_end_when_nothing_can_change_once() -> None:
    text = decided().table.game.text(decided().table.ledger.now.position)
    table = room(0.5)
    table.begin_at(text)
    table.run(0.5)
    assert table.view()["proposal"]["what"] == "decided"
    table.say(Declined(at=table.at, seat=1, what="decided"))
    table.wait(40)
    table.run(1)
    assert proposals.current(table.table) is None


def test_computers_alone_end_what_can_not_change() -> None:
    text = decided().table.game.text(decided().table.ledger.now.position)
    table = room(0.5, computers=(1, 2))
    table.begin_at(text)
    table.run(0.5)
    assert (table.phase, table.view()["result"]["reason"]) == ("over", "decided")


def test_answers_of_a_search_have_their_value() -> None:
    found = ActionQuestion.read({"ok": True, "action": "g7", "value": 0.25, "nodes": 3})
    assert (found.action, found.value) == ("g7", 0.25)
