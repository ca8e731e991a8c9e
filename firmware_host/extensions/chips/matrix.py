"""``matrix``: switches in rows and columns, each with a diode.

One row is pulled low at a time; the columns are pulled up and read.

Each switch joins its column to its row through a diode, with the cathode to the row, so that several stones never
produce a false reading of another. Input i is in row i // columns and column i % columns.

GPIO calls per scan of n inputs in r rows: r writes (one call releases the last row and pulls the next one low) and n
reads: n + r in all. With few long rows that is the smallest number of all schemes that use only pins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from firmware_host.link.multiplexer import SETTLE
from hw.buses import Computer
from hw.circuit import DIODE, SWITCH, Circuit, Pole, input_nets, pin_net
from hw.pins import EXAMPLES, Options, Pins, number, pin_list
from hw.ports import BoardDescription, Message
from hw.scheme import PinBank, PinList, Scheme, count
from hw.sensor_parts import HALL_SWITCHES, REED

THREE_WIRES = "a hall switch has three wires and pulls to its own ground, not to a row: matrices are for reeds"


class MatrixBank(PinBank):
    """Rows and columns on any pins."""

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Set the pins up; ``settle_us`` is the pause between pulling a row low and reading its columns."""
        super().__init__(board, computer)
        gpio = self._gpio
        self._rows, self._columns = list(pin_list(board.pins, "rows")), pin_list(board.pins, "columns")
        self._wait_us, self._settle_us = computer.wait_us, number(board.options, "settle_us")
        self._low: int | None = None
        """The row that the last scan left low; None when unknown."""
        gpio.setup(self._rows, gpio.OUT, initial=gpio.HIGH)
        for pin in self._columns:
            gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)

    def read_switches(self) -> Sequence[int]:
        """Pull one row after the other low and read its columns."""
        gpio, read, low = self._gpio, self._gpio.input, self._low
        if low is None:
            gpio.output(self._rows, gpio.HIGH)
        self._low = None  # If a call fails, the next scan sets all rows again.
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
        return closed


class MatrixScheme(Scheme):
    """A matrix on any pins."""

    name = "matrix"
    kinds = ("presence",)
    refuses: ClassVar = {
        "polarity": THREE_WIRES,
        **dict.fromkeys(HALL_SWITCHES, THREE_WIRES),
        "level": "a matrix reads switches",
    }
    bank = MatrixBank
    about = "reed switches in rows and columns, each with a diode (1N4148) towards its row"
    lists: ClassVar = {"rows": PinList(1, 26), "columns": PinList(1, 26)}
    options: ClassVar = {"settle_us": SETTLE}
    comments: ClassVar = {
        "scheme": "with n columns channel c is row c // n, column c % n",
        "settle_us": "between pulling a row low and reading the columns; longer for long wires",
        "pins": "BCM numbers",
    }
    notes = (
        "Each reed lies between its row and its column with a diode (1N4148) of its own, the ring towards the row: "
        "a row is driven low, columns are pulled up by the Pi. No hall switches here: they pull to their own ground. "
        "With some metres of wire settle_us = 30."
    )
    shared = Message("the matrix's supply or ground")

    def sensor_parts(self, kind: str) -> Sequence[str]:
        return (REED,)

    def label(self, board: BoardDescription, index: int) -> str:
        rows, columns = pin_list(board.pins, "rows"), pin_list(board.pins, "columns")
        row, column = divmod(index, len(columns))
        return f"row {row} (GPIO {rows[row]}), column {column} (GPIO {columns[column]})"

    def circuit(self, board: BoardDescription) -> Circuit:
        columns = len(pin_list(board.pins, "columns"))
        poles: list[Pole] = []
        for at, net in enumerate(input_nets(board, self.inputs_of(board))):
            row, column = divmod(at, columns)
            poles.append(Pole(SWITCH, REED, pin_net("columns", column), net, part=REED, name=net))
            poles.append(Pole(DIODE, "1N4148", net, pin_net("rows", row)))
        return Circuit((), tuple(poles))

    def example(self, inputs: int) -> Pins | None:
        sizes = [(count(inputs, columns), columns) for columns in range(1, len(EXAMPLES))]
        # As few pins as possible, then as few rows as possible: each costs a write.
        rows, columns = min(sizes, key=lambda size: (sum(size), size[0]))
        pins = EXAMPLES[: rows + columns]
        return {"rows": pins[:rows], "columns": pins[rows:]} if rows + columns == len(pins) else None

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:
        rows, columns = len(pin_list(pins, "rows")), len(pin_list(pins, "columns"))
        if rows * columns < inputs:
            return f"rows: {rows} rows of {columns} columns hold {rows * columns} inputs, expected {inputs} or more"
        if (rows - 1) * columns >= inputs:
            return f"rows: {inputs} inputs fill {count(inputs, columns)} rows of {columns}, got {rows} rows"
        return None


SCHEME = MatrixScheme()
