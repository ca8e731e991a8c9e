"""What a running table writes by itself is a record that verifies, is told and can be shown again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.archive.records import export, show_text, verify_lines
from firmware_host.replay.scenes import film
from firmware_host.table import events as ev
from firmware_host.table.subjects.resolving import ActionChosen, Resigned
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.tables import SimulatedTable
from simulator.helper import Helper
from tests.sentences import sentence

BONUS = "second_player_bonus"


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[list[SimulatedTable]]:
    opened: list[SimulatedTable] = []
    yield opened
    for table in opened:
        table.close()


class Evening:
    """Two people who choose their steps on their phones; a helpful hand does what the lights then ask."""

    def __init__(self, table: SimulatedTable, seed: int) -> None:
        self.table, self.rng = table, Random(seed)
        self.helper = Helper(table.hand, 0.0, clock=table.clock)
        for seat, name in enumerate(("Ada", "Grace"), 1):
            self.happen(SeatTaken(at=table.clock.now, seat=seat, name=name, claim=f"c{seat}"))
        self.happen(GameStarted(at=table.clock.now))
        self.work("setup")

    def happen(self, event: ev.Event) -> None:
        self.table.runtime.submit(event)

    def work(self, *phases: str) -> None:
        """Let the hand work while there is something to do."""
        for _ in range(60):
            self.table.wait(0.2)
            view: Any = self.table.view
            self.helper.attend(view["tasks"])
            if not view["tasks"] and view["wanted"] is None and view["phase"] not in phases:
                return
            self.helper.work()
        raise AssertionError(f"the table waits: {self.table.view['message']}")

    def play(self, most: int, *, choose: str = "") -> None:
        """Let both play ``most`` steps, any but the one said first; then seat 1 has had enough."""
        for _ in range(most):
            view: Any = self.table.view
            if view["phase"] == "over":
                return
            legal = [step["action"] for step in view["steps"]]
            action = choose if choose in legal else self.rng.choice(legal)
            self.happen(ActionChosen(at=self.table.clock.now, seat=view["resolver"], action=action))
            choose = "" if action == choose else choose
            self.work("clearing")
        if self.table.view["phase"] != "over":
            self.happen(Resigned(at=self.table.clock.now, seat=1))
            self.table.wait(0.2)


def game_ids(table: SimulatedTable) -> list[str]:
    return [summary.id for summary in table.journal.games()]


def test_coil_with_its_pass(tmp_path: Path, tables: list[SimulatedTable]) -> None:
    table = SimulatedTable(tmp_path, board="hexhex-7", kind="polarity")
    tables.append(table)
    Evening(table, 5).play(24, choose="pass")
    (game,) = game_ids(table)
    lines = list(export(table.journal, game))
    report = verify_lines(lines)
    assert report.turns == 24
    assert report.state.startswith("won by seat ")
    scenes = film(lines).scenes
    assert len(scenes) == report.turns + 3, "the start, a stone or the pass each turn, resigning, the end"
    assert any(sentence("pass, and play Black from") in scene.words for scene in scenes)
    assert "The end: " in show_text(table.journal, game)


def test_phalanx_under_a_rule_and_the_next_game_under_it_too(tmp_path: Path, tables: list[SimulatedTable]) -> None:
    table = SimulatedTable(tmp_path, board="go-9x9", kind="polarity", rules={BONUS: True})
    tables.append(table)
    Evening(table, 5).play(18)
    (game,) = game_ids(table)
    lines = list(export(table.journal, game))
    report = verify_lines(lines)
    assert report.turns >= 3
    assert report.game == f"Phalanx with {BONUS}"
    shown = film(lines)
    second = [scene for scene in shown.scenes if scene.turn == 2 and scene.actor == 2]
    assert len([scene for scene in second if not scene.words.startswith("Dead")]) == 4, "four actions"
    table.runtime.new_game()
    assert [summary.rules for summary in table.journal.games()] == [{BONUS: True}] * 2
