"""Lessons at a running table: what waits meanwhile, what is journalled, who may begin one, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.lessons import lessons_of
from firmware_host.session import lessons
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.proposals import ActionUndone
from firmware_host.table.subjects.resolving import ActionChosen, Resigned
from firmware_host.table.subjects.seats import SeatAsked, SeatTaken
from lodestone.tables import SimulatedTable
from tests.sentences import pattern, sentence
from tests.session.test_runtime import seal, sit


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path, kind="level")
    yield here
    here.close()


def begin(table: SimulatedTable, number: int = 0, *, host: bool = False, claim: str = "learner") -> int:
    lesson = lessons_of(table.runtime.setting.game)[number]
    return table.runtime.lessons.begin(lesson.name, claim, host=host)


def put(table: SimulatedTable, **stones: str) -> None:
    for node, piece in stones.items():
        table.hand.put(node, piece)
        table.wait(0.3)


def entries(table: SimulatedTable) -> int:
    return sum(1 for summary in table.journal.games() for _ in table.journal.entries(summary.id))


def test_the_board_is_set_up_by_light_then_a_hand_learns(table: SimulatedTable) -> None:
    before, lobby = entries(table), table.view["game"]["id"]
    assert begin(table) == 1
    table.wait(0.5)
    assert table.view["phase"] == "setup"
    assert table.view["lesson"]["title"] == "What it is about"
    put(table, C2="w", D3="w")
    table.wait(1.0)
    assert table.view["phase"] == "resolving"
    assert table.view["message"] == table.view["lesson"]["words"], "every screen reads what is asked"
    table.hand.lift("D3")
    table.wait(0.3)
    table.hand.put("3")
    table.wait(1.5)
    lesson = table.view["lesson"]
    assert (lesson["done"], lesson["right"], lesson["over"]) == (True, True, False)
    assert table.view["message"] == lesson["said"]
    table.runtime.lessons.next()
    assert table.view["lesson"]["exercise"] == 2
    assert table.view["phase"] == "setup"
    table.runtime.lessons.stop()
    assert (table.view["phase"], table.view["lesson"]) == ("lobby", None)
    assert table.view["game"]["id"] == lobby
    assert entries(table) == before, "nothing of a lesson is journalled"


def test_a_wrong_try_is_told_why_and_the_lights_lead_back(table: SimulatedTable) -> None:
    begin(table, 6)
    put(table, C3="w")
    put(table, C3="w")
    table.wait(1.0)
    assert table.view["phase"] == "resolving"
    move(table, "C3", "B2")
    said = table.view["lesson"]["said"]
    assert "the rules allow that" in said
    assert said.endswith(sentence("That leads towards the centre"))
    assert table.view["phase"] == "setup"
    assert table.view["message"] == "Set the board up: move the stone from B2 to C3."
    move(table, "B2", "C3")
    assert table.view["phase"] == "resolving"
    move(table, "C3", "D5")
    assert (table.view["lesson"]["exercise"], table.view["lesson"]["right"]) == (2, True)


def test_the_answer_is_shown_by_the_lights(table: SimulatedTable) -> None:
    begin(table)
    put(table, C2="w", D3="w")
    table.wait(1.0)
    table.runtime.lessons.show()
    table.wait(0.2)
    assert table.view["wanted"] == "C2-D3-3"
    assert table.view["lesson"]["hint"] == "C2 pushes D3 to 3"
    assert table.view["lights"]["3"]["meaning"] == "best"


def test_on_a_phone_alone_neither_board_nor_table_have_a_part(table: SimulatedTable) -> None:
    runtime = table.runtime
    before = entries(table)
    lesson = runtime.lessons.alone.begin(lessons_of(runtime.setting.game)[0].name, "learner")
    table.wait(1.0)
    assert lesson.view(None)[1]["phase"] == "resolving", "what the exercise begins with lies already"
    table.hand.put("A1", "b")
    table.wait(0.5)
    assert lesson.view(None)[1]["problem"] is None
    assert {table.pixel(node) for node in ("C2", "D3")} == {(0, 0, 0)}
    lesson.submit(ActionChosen(at=runtime.now(), seat=lesson.seat, action="C2-D3-3"))
    table.wait(2.0)
    view = lesson.view(1)[1]
    assert view["lesson"]["done"]
    assert view["board"] == {"C2": ["w"], "3": ["w"]}
    assert (table.view["phase"], table.view["lesson"], entries(table)) == ("lobby", None, before)
    runtime.lessons.alone.stop("learner")
    assert lesson.closing()


def test_phones_that_are_left_do_not_pile_up(table: SimulatedTable) -> None:
    every = table.runtime.lessons.alone
    first, *_ = [every.begin("01-homes", f"phone {number}") for number in range(lessons.MAX_ALONE + 1)]
    assert first.closing()
    assert every.of("phone 0") is None
    assert every.of("phone 1") is not None


def test_a_game_waits_at_the_hosts_word_alone_and_comes_back(table: SimulatedTable) -> None:
    sit(table)
    seal(table, {1: "wD12", 2: "bB3"})
    put(table, D12="w", B3="b")
    table.wait(1.0)
    position, game = table.view["board"], table.view["game"]["id"]
    assert table.view["turn"] == 2
    with pytest.raises(TableError, match="only the host"):
        begin(table)
    begin(table, host=True)
    assert table.view["lesson"] is not None
    assert table.runtime.claim(1) == "learner"
    table.runtime.lessons.stop()
    table.wait(0.5)
    assert (table.view["game"]["id"], table.view["board"], table.view["turn"]) == (game, position, 2)
    assert table.runtime.claim(1) == "c1"
    assert table.view["phase"] == "sealing", "the stones still lie as they should"


def test_a_guest_whose_lesson_the_host_has_stopped_does_not_begin_another(table: SimulatedTable) -> None:
    lessons = table.runtime.lessons
    begin(table)
    lessons.stop(by_host=True)
    assert not lessons.open
    for claim in ("learner", "another"):
        with pytest.raises(TableError, match=pattern("has ended the lesson or")):
            begin(table, claim=claim)
    begin(table, host=True)
    lessons.stop(by_host=True)
    assert not lessons.open
    lessons.allow()
    begin(table)
    lessons.stop()
    assert lessons.open, "who ends the own lesson may begin the next"
    begin(table, host=True)
    lessons.stop(by_host=True)
    assert lessons.open, "the host has ended the host's own lesson"


def test_a_game_ends_what_the_host_has_said_of_lessons(table: SimulatedTable) -> None:
    begin(table)
    table.runtime.lessons.stop(by_host=True)
    sit(table)
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=1))
    assert table.view["phase"] == "over"
    begin(table)
    assert table.view["lesson"] is not None


def test_killed_in_a_lesson_the_game_is_there_again(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, kind="level")
    sit(table)
    seal(table, {1: "wD12", 2: "bB3"})
    game = table.view["game"]["id"]
    begin(table, host=True)
    table.close()
    again = SimulatedTable(tmp_path, kind="level", resume=True)
    assert again.view["game"]["id"] == game
    assert again.view["lesson"] is None
    again.close()


def test_an_error_in_judging_does_not_stop_the_table(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(lessons, "judge", fail)
    begin(table)
    put(table, C2="w", D3="w")
    table.wait(1.0)
    move(table, "D3", "3")
    assert table.view["board"] == {"C2": ["w"], "3": ["w"]}
    table.runtime.lessons.stop()
    assert table.view["phase"] == "lobby"


def test_a_lesson_takes_no_deeds_of_a_game(table: SimulatedTable) -> None:
    begin(table)
    put(table, C2="w", D3="w")
    table.wait(1.0)
    at = table.runtime.now()
    events: list[ev.Event] = [Resigned(at=at, seat=1), ActionUndone(at=at), SeatAsked(at=at, seat=1, code="1")]
    for event in events:
        with pytest.raises(TableError, match="this is a lesson"):
            table.runtime.submit(event)
    assert not any(table.view["can"].values())


def test_somebody_else_does_not_take_the_lesson_over(table: SimulatedTable) -> None:
    begin(table)
    with pytest.raises(TableError, match="somebody is taking a lesson"):
        begin(table, 1, claim="another")
    begin(table, 1)
    assert table.view["lesson"]["number"] == 2
    begin(table, 2, claim="another", host=True)
    assert table.view["lesson"]["number"] == 3


def test_there_is_no_such_lesson(table: SimulatedTable) -> None:
    with pytest.raises(TableError, match="there is no lesson 'nothing'"):
        table.runtime.lessons.begin("nothing", "learner", host=True)
    with pytest.raises(TableError, match="no lesson at this table"):
        table.runtime.lessons.next()
    table.runtime.lessons.stop()


def test_a_new_game_after_a_lesson_has_the_seats_of_the_game(table: SimulatedTable) -> None:
    runtime: Any = table.runtime
    runtime.submit(SeatTaken(at=runtime.now(), seat=2, name="Bob", claim="c2"))
    begin(table)
    runtime.change(runtime.setting, "2")
    assert table.view["lesson"] is None
    assert [seat["name"] for seat in table.view["seats"] if seat["taken"]] == ["Bob"]


def test_a_step_taken_back_by_hand_is_asked_again(table: SimulatedTable) -> None:
    begin(table, 4)
    put(table, C2="w", D3="w", C5="b", D9="b")
    table.wait(1.0)
    assert table.view["phase"] == "resolving"
    move(table, "D3", "3")
    assert not table.view["lesson"]["done"]
    move(table, "3", "D3")
    assert table.view["board"]["D3"] == ["w"]
    move(table, "D3", "3")
    move(table, "C5", "B3")
    assert table.view["lesson"]["done"]


def move(table: SimulatedTable, source: str, target: str) -> None:
    table.hand.lift(source)
    table.wait(0.3)
    table.hand.put(target)
    table.wait(1.5)


def test_one_address_ends_nobody_else_s_lesson(table: SimulatedTable) -> None:
    """A phone that forgets its cookie each time begins as many as it likes."""
    every = table.runtime.lessons.alone
    ann = every.begin("01-homes", "ann", "192.0.2.1")
    carols = [every.begin("01-homes", f"carol {number}", "192.0.2.2") for number in range(2 * lessons.MAX_ALONE)]
    assert not ann.closing()
    assert [one.closing() for one in carols].count(False) == lessons.MAX_ALONE - 1
    assert not carols[-1].closing()
