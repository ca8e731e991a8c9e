"""Games with tiles on whole simulated boards, read by the real drivers: with nine sensors per well, and with one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.games.game import Step
from firmware_host.table.sensor_model import QUIET_S
from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed
from hw.tile_codes import magnets, split_sensed
from lodestone.tables import SimulatedTable
from tests.sensing.wells import CODED, PLAIN
from tests.session.test_runtime import sit

pytestmark = pytest.mark.slow

AFTER_A_MOVE_S = 0.8
AFTER_A_TURN_S = 2.0


class Game:
    """A running table with its runners set up, and hands that play."""

    def __init__(self, folder: Path, board: str, seed: int = 1) -> None:
        self.table = SimulatedTable(folder, board=board)
        self.random = Random(seed)
        self.asked = 0
        sit(self.table)
        for task in list(self.view["tasks"]):
            self.table.hand.put(task["node"], task["piece"])
            self.table.wait(0.2)
        self.table.wait(1)
        assert self.view["phase"] == "resolving"

    @property
    def view(self) -> dict[str, Any]:
        return dict(self.table.view)

    @property
    def position(self) -> Any:
        running = self.table.runtime._table
        assert running is not None
        return running.ledger.now.position

    def play(self) -> str:
        """Play a random turn by hand, answer questions about changes that no sensor detects, and return the turn."""
        game, position, turn = self.table.runtime.setting.game, self.position, self.view["turn"]
        action = game.random_action(position, position.seat, self.random)
        if any(step.action == action and step.moves for step in game.steps(position)):
            self.lay(next(step for step in game.steps(position) if step.action == action))
        else:  # A pass changes nothing on the board and is told on the phone.
            runtime = self.table.runtime
            runtime.submit(ActionChosen(at=runtime.now(), seat=position.seat, action=action))
        self.table.wait(AFTER_A_TURN_S)
        assert self.view["turn"] == turn + 1, (action, self.view["message"], self.view["problem"])
        assert self.position == game.apply(position, {position.seat: action}).position, action
        return str(action)

    def lay(self, step: Step) -> None:
        hand, wait = self.table.hand, self.table.wait
        for move in step.moves:
            if move.source is None:
                hand.put(str(move.target), move.pieces[0])
            elif move.target is None:
                hand.lift(move.source, move.pieces)
                wait(0.2)
                hand.drop()
            elif move.source == move.target:
                wait(QUIET_S)  # The runner may have been tapped in the turn before.
                hand.tap(move.source)
                wait(0.3)
                hand.tap(move.source)
            else:
                hand.carry(move.source, move.target, move.pieces)
            wait(AFTER_A_MOVE_S)
            self.answer(step)

    def answer(self, step: Step) -> None:
        """Answer the question about the tile's turning on the phone, if it is asked."""
        stage = step.action.partition(":")[0]
        if self.view["question"] is not None and self.view["stage"] != [stage]:
            self.asked += 1
            runtime = self.table.runtime
            runtime.submit(Confirmed(at=runtime.now(), seat=self.position.seat, action=stage))
            self.table.wait(0.3)

    def mask(self, node: str) -> None:
        runtime = self.table.runtime
        runtime.submit(SensorMasked(at=runtime.now(), node=node, reason="a player says so", seat=1))

    def laid(self) -> tuple[str, str]:
        """Play until a tile is laid; return the well and the tile."""
        self.play()
        return next(
            (node, stack[0]) for node, stack in self.table.parts.world.stones().items() if split_sensed(stack[0])
        )


@pytest.fixture
def coded(tmp_path: Path) -> Iterator[Game]:
    game = Game(tmp_path, CODED)
    yield game
    game.table.close()


def place_with(game: Game, sensed: str, magnet: int) -> int:
    """Return a place of the ring at which this tile has a magnet (1), or none (0)."""
    tile, turn = split_sensed(sensed) or ("", 0)
    return magnets(game.table.description.tiles[tile].ring, turn).index(magnet)


@pytest.mark.slow
def test_tiles_are_read_with_their_turnings_turn_by_turn(coded: Game) -> None:
    """No phone is used: the table learns everything from the board."""
    turns = [coded.play() for _ in range(20)]
    assert len({turn.partition("r")[2][:1] for turn in turns}) > 4, "in many turnings"
    assert coded.view["notices"] == []
    assert coded.asked == 0


@pytest.mark.thorough
def test_a_tile_may_be_laid_on_another_that_is_drawn_out_from_under_it(coded: Game) -> None:
    """While both lie there their magnets may look like a third tile; that has no effect."""
    stacked = 0
    while stacked < 12:
        position, rules = coded.position, coded.table.runtime.setting.game
        steps = [step for step in rules.steps(position) if any(move.target is None for move in step.moves)]
        if not steps:
            coded.play()
            continue
        step, turn = coded.random.choice(steps), coded.view["turn"]
        away, lay, *rest = step.moves
        coded.table.hand.put(str(lay.target), lay.pieces[0])
        coded.table.wait(coded.random.choice((0.1, 1.0, 3.0)))
        assert coded.view["turn"] == turn
        coded.table.hand.lift(str(away.source), away.pieces)
        coded.table.wait(0.3)
        coded.table.hand.drop()
        coded.table.wait(AFTER_A_MOVE_S)
        coded.lay(replace(step, moves=tuple(rest)))
        coded.table.wait(AFTER_A_TURN_S)
        assert coded.position == rules.apply(position, {position.seat: step.action}).position, step.action
        stacked += 1


def test_with_one_sensor_a_well_the_turning_is_said_on_the_phone(tmp_path: Path) -> None:
    game = Game(tmp_path, PLAIN)
    turns = 8
    for _ in range(turns):
        game.play()
    assert 0 < game.asked <= turns, "where only one turning lets the runner go so, nothing has to be said"
    game.table.close()


def test_a_dead_sensor_is_named_and_play_goes_on_without_it(coded: Game) -> None:
    well, sensed = coded.laid()
    place = place_with(coded, sensed, 1)
    coded.table.parts.world.set_fault("stuck-off", f"{well}/{place}")
    coded.table.wait(4)
    (notice,) = coded.view["notices"]
    channel = coded.table.description.nodes[well].channels[place]
    assert f"{well}, ring sensor {place} (channel {channel}) detects nothing where tile" in notice
    assert coded.view["problem"] is not None, "nothing is guessed"
    coded.mask(well)
    coded.table.wait(3)
    assert coded.view["problem"] is None
    assert coded.view["sensors"]["masked"] == {}, "the well is read again"
    (notice,) = coded.view["notices"]
    assert f"{well}, ring sensor {place} (channel {channel}) is ignored" in notice
    for _ in range(6):
        coded.play()


def test_a_sensor_that_is_stuck_is_named_and_play_goes_on_when_it_is_mended(coded: Game) -> None:
    well, sensed = coded.laid()
    place = place_with(coded, sensed, 0)
    coded.table.parts.world.set_fault("stuck-on", f"{well}/{place}")
    coded.table.wait(4)
    (notice,) = coded.view["notices"]
    assert f"ring sensor {place}" in notice
    assert "has no magnet" in notice
    coded.table.parts.world.clear_faults()
    coded.table.wait(2)
    assert coded.view["notices"] == []
    assert coded.view["problem"] is None
    coded.play()


def test_a_magnet_that_falls_out_is_noticed(coded: Game) -> None:
    well, sensed = coded.laid()
    tile, turn = split_sensed(sensed) or ("", 0)
    place = place_with(coded, sensed, 1)
    coded.table.parts.world.lose_magnet(tile, (place - turn) % 8)
    coded.table.wait(4)
    (notice,) = coded.view["notices"]
    assert f"{well}, ring sensor {place}" in notice
    assert "has all its magnets" in notice


@pytest.mark.thorough
def test_one_flapping_sensor_of_nine_disturbs_nobody(coded: Game) -> None:
    well, _ = coded.laid()
    coded.table.parts.world.set_fault("flapping", f"{well}/3")
    coded.table.wait(3)
    assert coded.view["sensors"]["masked"] == {}
    assert [f"{well}, ring sensor 3" in notice for notice in coded.view["notices"]] == [True]
    assert coded.view["problem"] is None
    for _ in range(3):
        coded.play()


def test_a_tile_laid_over_a_dead_sensor_is_read_once_people_play_on_without_it(coded: Game) -> None:
    """The tile is known, so if only one sensor can be wrong the others give its turning."""
    rules, position = coded.table.runtime.setting.game, coded.position
    step = next(step for step in rules.steps(position) if step.moves[1].source != step.moves[1].target)
    lay, run = step.moves
    well, place = str(lay.target), place_with(coded, lay.pieces[0], 1)
    coded.table.parts.world.set_fault("stuck-off", f"{well}/{place}")
    coded.table.hand.put(well, lay.pieces[0])
    coded.table.wait(4)
    (notice,) = coded.view["notices"]
    channel = coded.table.description.nodes[well].channels[place]
    assert f"{well}, ring sensor {place} (channel {channel})" in notice
    assert coded.view["stage"] == [], "nothing is guessed"
    if "may be wrong" in notice:
        return
    coded.mask(well)
    coded.table.wait(3)
    assert coded.view["stage"] == [step.action.partition(":")[0]]
    coded.table.hand.carry(str(run.source), str(run.target), run.pieces)
    coded.table.wait(AFTER_A_TURN_S)
    assert coded.position == rules.apply(position, {position.seat: step.action}).position
