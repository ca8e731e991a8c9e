"""A computer whose search leads it back and forth: it leaves the circle, so that the game can end."""

from __future__ import annotations

from firmware_host.analysis.thinker import Answer, Question
from firmware_host.games.game import Analysis
from tests.session.test_computers import Room, Scripted, chosen

FORTH = "./.www/xwww.www/x.x....x.x.x..xw/w.w.w.w.w.w.w.w. 2 8 2 resolve -"
BACK = "./.www/xwww.w.w/x.x....x.x.xw.xw/w.w.w.w.w.w.w.w. 2 8 2 resolve -"
WAY = ("B2-B3-C5", "C3-C4-D7", "C6-C5-C4")


def back_and_forth(question: Question) -> Answer:
    """Answer as the search did in these two positions."""
    return {FORTH: Answer("B4-C7-D13"), BACK: Answer("13-D13-C7")}.get(question.position) or chosen(question)


def circling() -> Room:
    room = Room("spokes", computers=(1, 2))
    room.thinker = room.players.thinker = Scripted(back_and_forth)
    room.begin_at(FORTH)
    return room


def steps(room: Room, count: int) -> list[str]:
    """Let the computer choose steps and hands do them; return the positions between."""
    found = []
    for _ in range(count):
        found.append(room.text())
        room.run(0.3)
        assert room.table.wanted is not None
        room.do(room.table.wanted)
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
