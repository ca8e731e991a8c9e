"""The same wizards over every shipped board: they find the sensors in every scheme."""

from __future__ import annotations

import random

import pytest

from firmware_host.boardfile.load import find_board, load_board, shipped_boards
from firmware_host.extensions.workshop.mapping import MapWizard
from hw.registry import scheme_of
from tests.extensions.workshop.workshop import PATIENCE, Workshop, rewired, wiring_of
from tests.sampling import cases

SPOKES = [
    path.stem
    for path in shipped_boards()
    if path.stem.startswith("spokes-45")
    # A scanner keeps its own time: tests/extensions/workshop/test_commands.py has a board with one.
    and not scheme_of(load_board(path)).scans_itself
]


@pytest.mark.parametrize("name", cases(SPOKES, SPOKES[0]))
def test_a_board_of_any_scheme_is_mapped(name: str) -> None:
    board = load_board(find_board(name), backend="sim")
    order = random.Random(name)
    channels, pixels = (order.sample(range(len(board.nodes)), len(board.nodes)) for _ in range(2))
    real = rewired(board, channels, pixels)
    shop = Workshop(real)
    wizard = MapWizard(board, patience=PATIENCE)
    shop.run(wizard)
    assert wizard.wiring().nodes == wiring_of(real)
    assert wizard.wiring().notes == ()
