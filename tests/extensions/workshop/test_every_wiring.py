"""A check with stones of a board with every installed sensor scheme, and with every kind of strip."""

from __future__ import annotations

from pathlib import Path

import pytest

from hw.ports import BoardDescription
from tests.extensions.workshop.test_check import checked
from tests.extensions.workshop.workshop import Workshop
from tests.hw.test_scheme_contract import board_of
from tests.hw.test_strip_contract import FOUND, board_with
from tests.sampling import few
from tests.schemes import ON_PINS


def is_proved(board: BoardDescription) -> bool:
    report = checked(board, Workshop(board), stones=True)
    return report.good and {item.state for item in report.items} == {"ok"}


@pytest.mark.parametrize("name", few(ON_PINS, 4))
def test_it_proves_every_sensor(name: str, tmp_path: Path) -> None:
    assert is_proved(board_of(name, tmp_path))


@pytest.mark.parametrize("name", few(FOUND, 1))
def test_it_proves_every_pixel(name: str, tmp_path: Path) -> None:
    assert is_proved(board_with(name, tmp_path))
