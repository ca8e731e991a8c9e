"""Sensors that drop out do nothing: no gesture is made of what a weak magnet looks like."""

from __future__ import annotations

import pytest

from tests.hands.evening import SENSED
from tests.hands.flicker import trains
from tests.sampling import cases

ALL = [(name, kind) for name, _, kinds in SENSED for kind in kinds]
FIRST = [("spokes", "polarity"), ("phalanx", "presence"), ("coil", "presence"), ("octiles", "coded")]
MODES = {name: tuple(modes) for name, modes, _ in SENSED}


@pytest.mark.parametrize(("name", "kind"), cases(ALL, *FIRST))
def test_drop_outs_do_nothing(name: str, kind: str) -> None:
    assert list(trains(name, MODES[name], kind, range(3))) == []


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("name", "kind"), ALL)
def test_drop_outs_of_many_evenings_do_nothing(name: str, kind: str) -> None:
    assert list(trains(name, MODES[name], kind, range(100, 600))) == []
