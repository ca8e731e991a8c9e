"""Off a Pi nothing fails to import, and opening a real board says what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_host.config import find_board, load_board
from hw.backends import names, open_board
from hw.gpio import open_gpio
from hw.ports import HardwareError


def test_opening_pins_off_a_pi_says_what_to_do() -> None:
    with pytest.raises(HardwareError, match="--board sim"):
        open_gpio()


def test_the_real_board_says_so_too() -> None:
    with pytest.raises(HardwareError, match="--board sim"):
        open_board(load_board(find_board("spokes-45")))


def test_a_level_board_cant_hang_on_shift_registers() -> None:
    with pytest.raises(HardwareError, match="level"):
        open_board(load_board(find_board("spokes-45"), kind="level"))


def test_back_ends_are_found_by_name() -> None:
    assert names() == ["gpio", "sim"]
    with pytest.raises(HardwareError, match="expected one of gpio, sim"):
        open_board(replace(load_board(find_board("spokes-45")), backend="telepathy"))
