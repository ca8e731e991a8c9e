"""The 74HC165, written from its datasheet: an 8-bit parallel-in, serial-out shift register.

- SH/LD low loads the parallel inputs A..H, asynchronously and whatever CLK and CLK INH do, for as long as it is low; QH
  shows H meanwhile. What stands there when SH/LD rises is kept.
- CLK and CLK INH are the two inputs of an OR gate: a rising edge of (CLK or CLK INH) shifts, while SH/LD is high. So
  CLK does nothing while CLK INH is high, and CLK INH must rise only while CLK is high, or it clocks the chip.
- A shift takes SER into the first stage; QH shows the last, and QH' its opposite. Chips are chained QH to SER, all
  other pins in parallel.

Where the chip itself would only misbehave, these raise, because the driver is wrong: a clock edge while SH/LD is low,
CLK INH rising while CLK is low, QH read before anything was ever loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence


class ChipViolation(RuntimeError):
    """A pin was moved when the datasheet forbids it or it makes no sense."""


class Hc165:
    """One chip. ``inputs`` returns the levels of A..H, ``serial`` the level at SER."""

    def __init__(self, inputs: Callable[[], Sequence[int]], serial: Callable[[], int]) -> None:
        """Power up with some contents or other: nobody may rely on them."""
        self._inputs = inputs
        self._serial = serial
        self._stages = [1] * 8

    def load(self) -> None:
        """Take the parallel inputs (SH/LD is low)."""
        self._stages = list(self._inputs())

    def serial_level(self) -> int:
        """Return the level at SER."""
        return self._serial()

    def shift(self, serial: int) -> None:
        """Shift by one stage."""
        self._stages.pop()
        self._stages.insert(0, serial)

    @property
    def qh(self) -> int:
        """Return the level at QH."""
        return self._stages[7]

    @property
    def qh_inverted(self) -> int:
        """Return the level at QH'."""
        return 1 - self._stages[7]


class Hc165Chain:
    """Chips with common SH/LD, CLK and CLK INH; the first chip's QH goes to the host, the last one's SER to ground.

    ``levels`` returns the level at each parallel input of the chain in the order in which they are shifted out:
    H of the first chip (input 0), G, … A, then H of the second chip.
    """

    def __init__(self, levels: Callable[[], Sequence[int]], count: int) -> None:
        """Solder ``count`` inputs onto as few chips as hold them; spare inputs are tied high."""
        chips = -(-count // 8)
        self._levels = levels
        self._spare = [1] * (chips * 8 - count)
        self._now: list[int] = [1] * (chips * 8)
        self.chips = [Hc165(self._inputs_of(k), self._serial_of(k)) for k in range(chips)]
        self._load, self._clock, self._inhibit = 1, 0, 0
        self._loaded = False

    def _inputs_of(self, k: int) -> Callable[[], Sequence[int]]:
        return lambda: self._now[8 * k : 8 * k + 8][::-1]  # H, the first bit out, is the last of A..H.

    def _serial_of(self, k: int) -> Callable[[], int]:
        return lambda: self.chips[k + 1].qh if k + 1 < len(self.chips) else 0

    def set_load(self, level: int) -> None:
        """Move SH/LD."""
        if not level or not self._load:  # Asynchronous: the last look at the inputs is at the rising edge.
            self._take()
        self._load = level

    def set_clock(self, level: int) -> None:
        """Move CLK."""
        if level and not self._clock:
            if not self._load:
                raise ChipViolation("CLK rises while SH/LD is low: the chip ignores it, the driver is wrong")
            if not self._inhibit:
                self._shift()
        self._clock = level

    def set_inhibit(self, level: int) -> None:
        """Move CLK INH."""
        if level and not self._inhibit and not self._clock and self._load:
            raise ChipViolation("CLK INH rises while CLK is low: that clocks the chip")
        self._inhibit = level

    def data(self) -> int:
        """Return the level at the first chip's QH."""
        if not self._load:
            self._take()
        if not self._loaded:
            raise ChipViolation("QH is read before anything was loaded: its level is undefined")
        return self.chips[0].qh

    def _take(self) -> None:
        self._loaded = True
        self._now = [*self._levels(), *self._spare]
        for chip in self.chips:
            chip.load()

    def _shift(self) -> None:
        arriving = [chip.serial_level() for chip in self.chips]  # All chips see the levels before the edge.
        for chip, level in zip(self.chips, arriving, strict=True):
            chip.shift(level)
