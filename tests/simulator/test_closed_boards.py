"""A simulated board that was closed is gone: a table that moves between boards all day keeps only the last one."""

from __future__ import annotations

import gc

from firmware_host.boardfile.load import find_board, load_board
from simulator.board import open_board
from simulator.lights import CapturedWire
from simulator.stones import World


def parts() -> int:
    gc.collect()
    return sum(isinstance(one, World | CapturedWire) for one in gc.get_objects())


def test_nothing_keeps_the_boards_that_were_closed() -> None:
    description = load_board(find_board("spokes-45"), backend="sim")
    before = parts()
    for _ in range(3):
        board = open_board(description)
        board.strip.show([(1, 2, 3)] * 45)
        assert parts() > before
        board.close()
        del board
    assert parts() <= before
