"""Base classes of the drivers that read switches: they turn closed switches into readings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from hw.buses import Computer
from hw.pins import listed
from hw.ports import BoardDescription


class SwitchBank(ABC):
    """The sensors of a board that are switches. ``kind`` is ``presence`` or ``polarity``.

    With ``polarity`` channel c has two inputs: 2c closes for north up, 2c + 1 for south up.
    """

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Open nothing yet: each driver opens and sets up the pins and buses that it needs."""
        self.channels, self.kind, self._inputs = board.channels, board.channel_kind, board.switches
        self._computer = computer

    @abstractmethod
    def closed(self) -> Sequence[int]:
        """Return 1 (closed) or 0 for each input. Raise HardwareError when the board does not answer."""

    @abstractmethod
    def close(self) -> None:
        """Release pins and buses."""

    def scan(self) -> Sequence[int]:
        """Return one reading per channel. Raise HardwareError when the board does not answer."""
        closed = self.closed()
        if self.kind == "presence":
            return closed
        return [north + 2 * south for north, south in zip(closed[::2], closed[1::2], strict=True)]


class PinBank(SwitchBank):
    """Switches read through pins of the Pi."""

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Open the pins of the board, without setting them up."""
        super().__init__(board, computer)
        self._gpio = computer.gpio()
        self._pins = [pin for name in board.pins for pin in listed(board.pins, name)]

    def close(self) -> None:
        """Release the pins."""
        self._gpio.cleanup(self._pins)
