"""Sensors that drop out do nothing: no gesture is made of what a weak magnet looks like."""

from __future__ import annotations

from contextlib import closing

import pytest

from lodestone.tables import SimulatedTable
from tests.hands.evening import SENSED
from tests.hands.flicker import SHAPES, trains, understood
from tests.sampling import cases, few, some

ALL = [(name, kind) for name, _, kinds in SENSED for kind in kinds]
FIRST = [("spokes", "polarity"), ("phalanx", "presence"), ("coil", "presence"), ("octiles", "coded")]
MODES = {name: tuple(modes) for name, modes, _ in SENSED}


@pytest.mark.parametrize(("name", "kind"), few(cases(ALL, *FIRST), 2))
def test_drop_outs_do_nothing(name: str, kind: str) -> None:
    assert list(trains(name, MODES[name], kind, some(range(3), 3, f"{name} {kind}"))) == []


@pytest.mark.parametrize("shape", few(cases(list(SHAPES), "two short", "three long", "growing"), 1))
def test_drop_outs_do_nothing_through_the_whole_table(shape: str) -> None:
    """The scans of a simulated board, its debouncing and the table; a train of ten names the sensor."""
    with closing(SimulatedTable(game="phalanx", kind="presence", seats=["Ann", "Ben"])) as table:
        table.set_up()
        source, target = next(step["moves"][0] for step in table.view["steps"] if step["moves"] and step["moves"][0][0])
        table.hand.move(source, target)
        table.wait_for(lambda table: table.committed)
        done = table.committed
        table.wait(12.0)
        for away, pause in SHAPES[shape]:
            table.parts.world.set_fault("stuck-off", target)
            table.wait(away)
            table.parts.world.clear_faults(target)
            table.wait(pause)
        table.wait(5.0)
        assert table.committed == done
        assert shape != "growing" or table.runtime.table().watch.suspects == (target,)


@pytest.mark.parametrize(("name", "kind"), [("phalanx", "presence"), ("spokes", "polarity")])
def test_two_taps_by_a_hand_are_understood(name: str, kind: str) -> None:
    said = [understood(name, MODES[name][0], kind, seed) for seed in range(12)]
    assert False not in said
    assert said.count(True) > 3


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("name", "kind"), ALL)
def test_drop_outs_of_many_evenings_do_nothing(name: str, kind: str) -> None:
    assert list(trains(name, MODES[name], kind, range(100, 600))) == []
