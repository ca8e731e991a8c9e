"""A board that can be lent: it is wrapped once, and a table whose board nobody wraps gets the board itself."""

from __future__ import annotations

from firmware_host.link.tap import TappedBoard, with_taps
from firmware_host.plug import Extension, wrap_board
from hw.ports import OpenBoard
from lodestone.boards import Clock, simulated
from tests.deleted import LACKING


def bare() -> OpenBoard:
    parts = simulated()
    return OpenBoard(parts.sensors(), parts.strip(), parts.description)


def test_a_board_has_taps_once() -> None:
    board = with_taps(bare(), Clock())
    assert with_taps(board) is board
    assert not isinstance(board.sensors.bank, type(board.sensors))


def test_an_extension_leaves_a_board_as_it_is_unless_it_says_otherwise() -> None:
    board = bare()
    assert Extension().wrap_board(board, Clock()) is board
    wrapped = bool({"workshop", "appliance"}.difference(LACKING))
    assert isinstance(wrap_board(board, Clock()), TappedBoard) is wrapped
