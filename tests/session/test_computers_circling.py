"""A computer whose search leads it back and forth: it leaves the circle, so that the game can end."""

from __future__ import annotations

from firmware_host.analysis.questions import ActionQuestion, Answer, EndsQuestion
from firmware_host.games.game import Analysis
from firmware_host.session.analysis import Hints, TableAnalysis
from tests.session.test_computers import Room, Scripted, chosen, late

FORTH = "./.www/xwww.www/x.x....x.x.x..xw/w.w.w.w.w.w.w.w. 2 8 2 resolve -"
BACK = "./.www/xwww.w.w/x.x....x.x.xw.xw/w.w.w.w.w.w.w.w. 2 8 2 resolve -"
WAY = ("B2-B3-C5", "C3-C4-D7", "C6-C5-C4")


def back_and_forth(question: ActionQuestion) -> Answer:
    """Answer as the search did in these two positions."""
    return {FORTH: Answer("B4-C7-D13"), BACK: Answer("13-D13-C7")}.get(question.position) or chosen(question)


def circling() -> Room:
    room = Room("spokes", computers=(1, 2), analyser=Scripted(back_and_forth))
    room.begin_at(FORTH)
    return room


def steps(room: Room, count: int) -> list[str]:
    """Let the computer choose steps and hands do them; return the positions between."""
    found = []
    for _ in range(count):
        found.append(room.text())
        room.run(0.3)
        assert room.table.chosen_action is not None
        room.do(room.table.chosen_action)
    return found


def test_it_leaves_a_circle_by_the_best_way_that_is_known() -> None:
    room = circling()
    assert steps(room, 4) == [FORTH, BACK] * 2
    room.foresee(Analysis(True, False, way=WAY, end="rest", cells=None, exact=True, worth=(0, 0, 0)))
    steps(room, 3)
    assert room.done()[-3:] == list(WAY)


def test_it_leaves_a_circle_also_where_no_way_is_known() -> None:
    room = circling()
    assert not set(steps(room, 30)) <= {FORTH, BACK}


def test_it_knows_of_the_circle_also_after_a_restart() -> None:
    room = circling()
    steps(room, 4)
    room.players = room.newly()
    room.foresee(Analysis(True, False, way=WAY, end="rest", cells=None, exact=True, worth=(0, 0, 0)))
    steps(room, 1)
    assert room.done()[-1] == WAY[0]


def test_it_searches_the_way_to_the_end_first_for_a_moment() -> None:
    """Its own search has led it back to where it was."""
    room = circling()
    analysis = TableAnalysis(room.players, Hints(room.players, lambda: room.table, room.say, lambda look: look()))
    orders = []
    for number in range(5):
        room.analyser.reply = late
        room.run(0.2)
        analysis.ask(room.table)
        orders.append([type(one) for one in room.analyser.queue])
        room.analyser.reply = back_and_forth
        if number < 4:
            steps(room, 1)
    computer = [ActionQuestion, ActionQuestion]
    assert orders == [[*computer, EndsQuestion]] * 4 + [[EndsQuestion, *computer]]
    room.analyser.reply = lambda question: Answer(ends=None) if isinstance(question, EndsQuestion) else None
    assert analysis.news(room.table, room.at) is None
    analysis.ask(room.table)
    assert [type(one) for one in room.analyser.queue] == computer, "the next ones wait, or it would never act"
