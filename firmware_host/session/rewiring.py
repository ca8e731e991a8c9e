"""Replacing the description of the open board: other channels, pixels, levels."""

from __future__ import annotations

from dataclasses import replace

from firmware_host.hardware.tap import Tap
from firmware_host.session.runtime import Runtime
from firmware_host.table import events as ev
from hw.ports import BoardDescription


def adopt(runtime: Runtime, description: BoardDescription) -> None:
    """Use a new description, on the loop's thread; sensors and strip stay open. The game goes on as after a restart.

    Raise TableError or JournalError without any change.
    """
    before = runtime.setting
    held = runtime.present().held
    board = replace(before.board, description=description)
    runtime.change(replace(before, board=board), runtime.told(runtime.present()))
    if isinstance(board.sensors, Tap):
        board.sensors.describe(description)
    if held and not runtime.present().held:
        runtime.submit(ev.GamePaused(at=runtime.now()))
