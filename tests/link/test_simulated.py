"""The simulated multiplexer follows its datasheet, and detects faults of drivers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from firmware_host.link.simulated import Hc4067
from simulator.buses import ChipViolation
from tests.simulator.test_sensor_chips import Time


def selected(chip: Hc4067, number: int) -> None:
    for line in range(4):
        chip.set_select(line, number >> line & 1)


def test_a_4067_joins_the_channel_that_its_lines_name() -> None:
    now = Time()
    chip = Hc4067(lambda index: index / 16, now)
    for number in range(16):
        selected(chip, number)
        now.wait(5)
        assert chip.common() == number / 16


def test_a_disabled_4067_floats() -> None:
    now = Time()
    chip = Hc4067(lambda index: 1.0, now)
    selected(chip, 3)
    chip.set_enable(1)
    now.wait(5)
    assert chip.common() is None
    chip.set_enable(0)
    now.wait(5)
    assert chip.common() == 1.0


def test_a_4067_without_all_its_lines_driven_is_a_violation() -> None:
    now = Time()
    chip = Hc4067(lambda index: 1.0, now)
    for line in range(3):
        chip.set_select(line, 0)
    now.wait(5)
    with pytest.raises(ChipViolation, match="before all its select lines"):
        chip.common()


@pytest.mark.parametrize("move", [lambda chip: chip.set_select(2, 1), lambda chip: chip.set_enable(0)])
def test_a_4067_read_too_soon_is_a_violation(move: Callable[[Hc4067], None]) -> None:
    now = Time()
    chip = Hc4067(lambda index: 1.0, now)
    selected(chip, 0)
    now.wait(100)
    move(chip)
    now.wait(4)
    with pytest.raises(ChipViolation, match="less than 5"):
        chip.common()
