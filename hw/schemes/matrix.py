"""``matrix``: switches in rows and columns, each with a diode.

One row is pulled low at a time; the columns are pulled up and read.

Each switch joins its column to its row through a diode whose cathode looks to the row, so that several stones never
make a ghost of another. Input i lies in row i // columns and column i % columns.

GPIO calls a scan, for n inputs in r rows: r writes (one call lets the last row go and pulls the next low) and n reads:
n + r in all. With few long rows that is the fewest of all schemes that use the pins alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hw.buses import Computer, WaitUs
from hw.gpio import Gpio
from hw.pins import EXAMPLES, Options, Pins, listed, number
from hw.ports import BoardDescription, Message
from hw.scheme import SETTLE, Group, Part, PinList, Scheme, count
from hw.switches import inputs_of, readings


class MatrixBank:
    """The sensors of a board in a matrix. ``kind`` is ``presence`` or ``polarity``."""

    def __init__(
        self,
        gpio: Gpio,
        rows: Sequence[int],
        columns: Sequence[int],
        channels: int,
        kind: str,
        *,
        wait_us: WaitUs,
        settle_us: float = 10,
    ) -> None:
        """Set the pins up; ``settle_us`` is left between pulling a row low and reading its columns."""
        self.channels = channels
        self.kind = kind
        self._gpio, self._rows, self._columns = gpio, list(rows), list(columns)
        self._inputs = inputs_of(channels, kind)
        self._wait_us, self._settle_us = wait_us, settle_us
        self._low: int | None = None
        """The row that the last scan left low; None where that is not known."""
        gpio.setup(self._rows, gpio.OUT, initial=gpio.HIGH)
        for pin in self._columns:
            gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)

    def scan(self) -> Sequence[int]:
        """Pull one row after the other low and read its columns."""
        gpio, read, low = self._gpio, self._gpio.input, self._low
        if low is None:
            gpio.output(self._rows, gpio.HIGH)
        self._low = None  # Should a call fail on the way, the next scan begins from scratch.
        closed: list[int] = []
        for row in self._rows:
            if low is None:
                gpio.output(row, gpio.LOW)
            elif low != row:
                gpio.output([low, row], [gpio.HIGH, gpio.LOW])
            low = row
            self._wait_us(self._settle_us)
            closed += [1 - read(pin) for pin in self._columns[: self._inputs - len(closed)]]
        self._low = low
        return readings(closed, self.kind)

    def close(self) -> None:
        """Let go of the pins."""
        self._gpio.cleanup([*self._rows, *self._columns])


class Matrix(Scheme):
    """A matrix on any pins."""

    name = "matrix"
    about = "reed or hall switches in rows and columns, each with a diode (1N4148) towards its row"
    lists: ClassVar = {"rows": PinList(1, 26), "columns": PinList(1, 26)}
    options: ClassVar = {"settle_us": SETTLE}
    comments: ClassVar = {
        "scheme": "with n columns channel c is row c // n, column c % n",
        "settle_us": "between pulling a row low and reading the columns; longer for long wires",
        "pins": "BCM numbers",
    }
    notes = (
        "Each switch lies between its row and its column with a diode (1N4148) of its own, the ring towards the row: "
        "a row is driven low, columns are pulled up."
    )

    def open(self, board: BoardDescription, computer: Computer) -> MatrixBank:
        """Set the pins up."""
        return MatrixBank(
            computer.gpio(),
            listed(board.pins, "rows"),
            listed(board.pins, "columns"),
            board.channels,
            board.feels,
            wait_us=computer.wait_us,
            settle_us=number(board.options, "settle_us"),
        )

    def label(self, board: BoardDescription, index: int) -> str:
        """Return row and column."""
        rows, columns = listed(board.pins, "rows"), listed(board.pins, "columns")
        row, column = divmod(index, len(columns))
        return f"row {row} (GPIO {rows[row]}), column {column} (GPIO {columns[column]})"

    def example(self, inputs: int) -> Pins | None:
        """As few pins as can be, and of them as few rows as can be: they cost a write each."""
        sizes = [(count(inputs, columns), columns) for columns in range(1, len(EXAMPLES))]
        rows, columns = min(sizes, key=lambda size: (sum(size), size[0]))
        if rows + columns > len(EXAMPLES):
            return None
        return {"rows": EXAMPLES[:rows], "columns": EXAMPLES[rows : rows + columns]}

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:  # noqa: ARG002
        """Refuse too few rows and rows that stay empty."""
        rows, columns = len(listed(pins, "rows")), len(listed(pins, "columns"))
        if rows * columns < inputs:
            return f"rows: {rows} rows of {columns} columns hold {rows * columns} inputs, expected {inputs} or more"
        if (rows - 1) * columns >= inputs:
            return f"rows: {inputs} inputs fill {count(inputs, columns)} rows of {columns}, got {rows} rows"
        return None

    def parts(self, board: BoardDescription) -> Sequence[Part]:
        """Diodes."""
        return (Part(self.inputs_of(board), "diode 1N4148", "one beside each switch"),)

    def groups(self, board: BoardDescription) -> Sequence[Group]:
        """Each row."""
        return self.grouped(board, len(listed(board.pins, "columns")), Message("row {number} of {count}"))

    def wire(self, board: BoardDescription) -> Message:  # noqa: ARG002
        """No wire carries them all."""
        return Message("the matrix's supply or ground")

    def gpio_calls(self, board: BoardDescription) -> int:
        """A read for each input, a write for each row."""
        return self.inputs_of(board) + len(listed(board.pins, "rows"))

    def wait_ms(self, board: BoardDescription) -> float:
        """A wait at each row."""
        return len(listed(board.pins, "rows")) * number(board.options, "settle_us") / 1000


SCHEME = Matrix()
