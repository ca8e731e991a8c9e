"""A matrix of switches, each in series with a diode from its column to its row.

The host's pin pulls a column up. The column is low when a closed switch joins it to a row that is driven low; a high
row has no effect, because its diodes block. So stones never cause false readings of others.

These faults of a driver raise ChipViolation: a column read while no row or more than one is low, while a row is not
driven, or too early after a change for the column to rise through the pull-up.
"""

from __future__ import annotations

from collections.abc import Callable

from firmware_host.link.simulated import SETTLE_US, WalkReadings
from hw.pins import pin_list
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard, SimulatedParts
from simulator.buses import ChipViolation
from simulator.stones import World


class DiodeMatrix:
    """Rows and columns. ``closed`` returns whether the switch at (row, column) is closed."""

    def __init__(self, rows: int, closed: Callable[[int, int], bool], now_us: Callable[[], float]) -> None:
        """``now_us`` returns the time on the breadboard, microseconds."""
        self._levels: list[int | None] = [None] * rows
        self._closed, self._now_us = closed, now_us
        self._changed_at = now_us()

    def set_row(self, row: int, level: int) -> None:
        """Set the level of a row."""
        self._levels[row] = level
        self._changed_at = self._now_us()

    def column(self, column: int) -> int | None:
        """Return 0 if a closed switch pulls the column low; None if only the host's pull-up acts on it."""
        low = [row for row, level in enumerate(self._levels) if level == 0]
        if None in self._levels:
            raise ChipViolation("a column of the matrix is read while a row is not driven")
        if len(low) != 1:
            raise ChipViolation(f"a column of the matrix is read while {len(low)} rows are low, expected one")
        if self._now_us() - self._changed_at < SETTLE_US:
            raise ChipViolation(f"a column of the matrix is read less than {SETTLE_US:g} µs after a row moved")
        return 0 if self._closed(low[0], column) else None


def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
    """Connect input i to row i // columns, column i % columns."""
    rows, columns = pin_list(board.pins, "rows"), pin_list(board.pins, "columns")
    readings = WalkReadings(world.contacts, walks=len(rows) > 1)

    def is_closed(row: int, column: int) -> bool:
        return readings.at(row * len(columns) + column) == 0

    matrix = DiodeMatrix(len(rows), is_closed, breadboard.now)

    def drive(row: int) -> Callable[[int], None]:
        def move(level: int) -> None:
            if row == 0:
                readings.renew()
            matrix.set_row(row, level)

        return move

    for row, pin in enumerate(rows):
        breadboard.pins.drive(pin, drive(row))
    for column, pin in enumerate(columns):
        breadboard.pins.sense(pin, lambda column=column: matrix.column(column))  # type: ignore[misc]


PARTS = SimulatedParts("matrix", connect)
