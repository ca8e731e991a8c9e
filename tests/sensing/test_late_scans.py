"""A scan that comes late shows more than hands change between two scans: what they did counts all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

import pytest

from firmware_host.games.game import Step
from firmware_host.games.positions import next_steps
from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.resolving import ActionChosen
from hw.ports import HardwareError
from lodestone.tables import SimulatedTable
from simulator.hand import Hand
from tests.sampling import cases

BEFORE = "+F3 H3-F4 +E3 +C6 C8-D6 +C5 +E4 G2-E5 +D5 C7-D7 +B6 D7>s +F5 +G5 G5>w +D7 +D8"
"""A game of Phalanx up to a push by which a line of five moves, and a node turns from black to white."""
PUSH = "D8>s"


def wanted(table: SimulatedTable, action: str) -> Step:
    game, position = table.runtime.setting.game, table.runtime.table().ledger.now.position
    return next(step for step in next_steps(game, position) if step.action == action)


@pytest.fixture
def table(request: pytest.FixtureRequest) -> Iterator[SimulatedTable]:
    """Return a table with sensors of a kind, at which the push is the next step."""
    try:
        opened = SimulatedTable(game="phalanx", board="go-9x9", kind=request.param, seats=("Ada", "Ben"))
    except HardwareError as error:  # Its converters are an extension's, and that may be away.
        pytest.skip(str(error))
    with closing(opened) as table:
        table.set_up()
        for action in BEFORE.split():
            play(table, wanted(table, action))
        yield table


def play(table: SimulatedTable, step: Step, unseen: range = range(0)) -> None:
    """Let a hand make a step; of its lifts and puts those in ``unseen`` come between two scans."""
    table.runtime.submit(ActionChosen(at=table.runtime.now(), seat=table.view["resolver"], action=step.action))
    table.wait(0.1)
    hand = Hand(table.parts.world, "quick", sleep=lambda _: None)
    deeds: list[Callable[[], None]] = []
    for move in step.moves:
        assert move.target is not None
        if move.source is not None:
            deeds.append(partial(hand.lift, move.source))
        deeds.append(partial(hand.put, move.target, move.pieces[0] if move.source is None else None))
    for number, deed in enumerate(deeds):
        deed()
        if number not in unseen:
            table.wait(0.07)
    table.wait(0.5)
    for node in sorted(step.removed):
        hand.take_off(node)
    table.wait(1.0)


@pytest.mark.parametrize("table", cases(["presence", "polarity", "level"], "level"), indirect=True)
def test_a_line_that_is_pushed_while_the_table_is_busy_counts(table: SimulatedTable) -> None:
    assert table.view["turn"] == 6
    play(table, wanted(table, PUSH), range(6))
    table.wait(3.0)
    assert (table.view["turn"], table.view["phase"]) == (7, "resolving"), table.view["message"]


def slide(table: SimulatedTable, step: Step, *, back: bool = False) -> None:
    """Move all pieces of a line at once, as a hand that pushes it does."""
    hands = []
    for number, move in enumerate(step.moves):
        source, target = (move.target, move.source) if back else (move.source, move.target)
        hand = Hand(table.parts.world, f"finger {number}", sleep=lambda _: None)
        hand.lift(source or "", move.pieces)
        hands.append((hand, target or ""))
    table.wait(0.1)
    for hand, target in hands:
        hand.put(target)
    table.wait(3.0)


@pytest.mark.parametrize("table", cases(["presence", "polarity", "level"], "level", "polarity"), indirect=True)
@pytest.mark.parametrize("beside", ["", "another step is chosen", "a sensor is stuck, and masked"])
def test_a_line_may_be_pushed_at_once_and_slid_back(table: SimulatedTable, beside: str) -> None:
    """Whatever else is going on: play never stands still for what hands may do."""
    push, now = wanted(table, PUSH), table.runtime.now
    if beside.startswith("another"):
        other = next(one for one in table.runtime.table().watch.tracker.steps if one.moves and one.action != PUSH)
        table.runtime.submit(ActionChosen(at=now(), seat=table.view["resolver"], action=other.action))
    elif beside:
        free = next(node for node in table.description.nodes if node not in table.stones and node not in push.touches)
        table.parts.world.set_fault("stuck-on", free)
        table.runtime.submit(SensorMasked(at=now(), node=free, seat=1))
        table.wait(1.0)
    moments = len(table.runtime.table().ledger.moments)
    slide(table, push)
    assert len(table.runtime.table().ledger.moments) == moments + 1, table.view["message"]
    slide(table, push, back=True)
    table.wait(3.0)
    assert table.view["standstill"] is None
    assert len(table.runtime.table().ledger.moments) == moments, table.view["message"]
