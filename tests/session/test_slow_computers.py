"""Computers on a small Pi: a search takes ten times as long as on a desktop, and so does starting its process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from firmware_host.analysis.questions import ActionQuestion, Answer
from firmware_host.games.registry import game as find_game
from firmware_host.searching.playouts import computer_player_of
from firmware_host.session.computers import LAST_S, SHOWN_S, SLOW_S
from firmware_host.table.subjects.rounds import SealReady
from tests.session.test_computers import Room, Scripted, chosen

START_S = 2.0
"""What the process takes to start."""
STOP_S = 0.2
"""What a search takes to stop."""
SEARCH_S = 12.0
"""What a search with all nodes of a level takes on a Zero 2 W; a quick one takes a sixteenth of that."""
PI_4_S = 7.0
"""The same on a Pi 4."""


class SlowAnalyser(Scripted):
    """One process, as :class:`firmware_host.analysis.engine_process.AnalysisProcess` has, on the clock of a room."""

    def __init__(self, game: str, takes: float) -> None:
        super().__init__()
        self.takes = takes
        self.nodes = computer_player_of(find_game(game)).strengths[4].budget.nodes
        self.kept: dict[ActionQuestion, Answer] = {}
        self.running: ActionQuestion | None = None
        self.ready = self.until = self.took = 0.0

    def begin(self, room: Room) -> None:
        """Start the process."""
        self.room, self.ready = room, room.at + START_S

    def ask(self, questions: Sequence[ActionQuestion]) -> None:
        self.advance()
        super().ask(questions)
        self.kept = {one: answer for one, answer in self.kept.items() if one in questions}
        if self.running != next((one for one in questions if one not in self.kept), None):
            self.running, self.ready = None, max(self.ready, self.room.at + STOP_S)
        self.advance()

    def answer(self, question: ActionQuestion) -> Answer | None:
        self.advance()
        return self.kept.get(question)

    def advance(self) -> None:
        """Let the process work until now."""
        while True:
            if self.running is None:
                self.running = next((one for one in self.queue if one not in self.kept), None)
                if self.running is None:
                    self.ready = max(self.ready, self.room.at)
                    return
                self.took = min(self.takes, self.running.seconds)
                self.until = self.ready + (self.takes / 16 if self.running.nodes else self.took)
            if self.until > self.room.at:
                return
            share = 1.0 if self.running.nodes else self.took / self.takes
            stopped = {"in_time": share == 1.0, "nodes": int(share * (self.running.nodes or self.nodes))}
            self.kept[self.running] = replace(chosen(self.running), **stopped)
            self.running, self.ready = None, self.until


def slow_room(game: str = "phalanx", computers: tuple[int, ...] = (1,), takes: float = SEARCH_S) -> Room:
    analyser = SlowAnalyser(game, takes)
    room = Room(game, computers=computers, level=5, analyser=analyser)
    analyser.begin(room)
    return room


def found_by_searches(room: Room) -> set[str | None]:
    return {chosen(question).action for question in room.analyser.heard}


@pytest.mark.parametrize(("takes", "quick"), [(PI_4_S, False), (SEARCH_S, True)])
def test_a_step_is_what_a_search_has_found_when_time_is_over(takes: float, quick: bool) -> None:
    """A search that was stopped before half of its nodes may have looked at one action alone: the quick one counts."""
    room = slow_room(takes=takes)
    room.run(START_S + SLOW_S + LAST_S + 1)
    assert room.view()["reason"] is not None, "it was not played at random"
    counts = next(question for question in room.analyser.heard if bool(question.nodes) == quick)
    assert room.table.chosen_action == chosen(counts).action


def test_a_computer_that_is_hurried_plays_what_a_quick_search_has_found() -> None:
    room = slow_room()
    room.run(START_S + 1)
    assert room.view()["thinking"] == 1
    room.players.hurry()
    room.run(0.3)
    assert room.view()["reason"] is not None, "it was not played at random"
    assert room.table.chosen_action in found_by_searches(room)


def test_a_computer_that_is_hurried_at_once_still_searches() -> None:
    room = slow_room()
    room.run(SHOWN_S + 0.2)
    room.players.hurry()
    room.run(START_S + 1)
    assert room.view()["reason"] is not None, "it was not played at random"


@pytest.mark.parametrize("computers", [(2,), (1, 2)])
def test_a_seal_is_what_a_search_has_found(computers: tuple[int, ...]) -> None:
    room = slow_room("spokes", computers)
    room.run(2 * SLOW_S + LAST_S)
    if 1 not in computers:
        assert set(room.committed) == {2}
        room.commit(1, "wD12")
        room.say(SealReady(at=room.at, seat=1, turn=1))
        room.run(0.5)
        room.open(1, "wD12")
    room.run(0.5)
    assert room.table.ledger.now.kind == "reveal", "what was sealed is known at once"
    for seat in computers:
        assert room.table.ledger.now.actions[seat] in found_by_searches(room)
