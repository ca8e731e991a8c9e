"""The CD74HC4067, written from its datasheet, and what simulated converters and multiplexers share.

- S0 to S3 select the channel in binary, S0 is the lowest bit; E low connects it, E high none (the common floats).
- The switch has about 70 Ω in both directions, so the channel's driver drives the common; an open channel floats.
- After a change of address the common needs well under 1 µs in the chip, and longer for the pull-up.

A real chip would return a wrong level without a warning where a driver reads the common before it has driven all
select lines, or too early after a change. Here that raises ChipViolation.

The world is read only once per scan, also in walks over many chips: sensors do not change faster than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hw.pins import pin_list
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard
from simulator.buses import ChipViolation
from simulator.stones import World

CHANNELS = 16
SETTLE_US = 5.0
"""Rise time of a 100 pF line through a Pi's pull-up of 50 kΩ: RC is 5 µs, and about 60 % of the supply reads high."""


class Hc4067:
    """One chip. ``channel`` returns a channel's level or its share of the supply; None for one that is not driven."""

    def __init__(self, channel: Callable[[int], float | None], now_us: Callable[[], float]) -> None:
        """``now_us`` returns the time on the breadboard, microseconds. E is low until it is driven."""
        self._channel, self._now_us = channel, now_us
        self._select: list[int | None] = [None] * 4
        self._enable = 0
        self._changed_at = now_us()

    def set_select(self, line: int, level: int) -> None:
        """Set the level of one of S0 to S3."""
        self._select[line] = level
        self._changed_at = self._now_us()

    def set_enable(self, level: int) -> None:
        """Set the level of E."""
        self._enable = level
        self._changed_at = self._now_us()

    def common(self) -> float | None:
        """Return the level of the common pin; None while it floats."""
        address = [level for level in self._select if level is not None]
        if len(address) < len(self._select):
            raise ChipViolation("the common of a CD74HC4067 is read before all its select lines are driven")
        if self._now_us() - self._changed_at < SETTLE_US:
            raise ChipViolation(
                f"the common of a CD74HC4067 is read less than {SETTLE_US:g} µs after a change of channel"
            )
        if self._enable:
            return None
        return self._channel(sum(level << line for line, level in enumerate(address)))


class WalkReadings:
    """The readings of the sensors at the start of a walk (:meth:`renew`); without ``walks`` always the present ones."""

    def __init__(self, look: Callable[[], Sequence[float]], *, walks: bool) -> None:
        self._look, self._walks = look, walks
        self._seen: Sequence[float] | None = None

    def renew(self) -> None:
        """Read the sensors again before the next input is returned."""
        self._seen = None

    def at(self, index: int) -> float | None:
        """Return the reading at an input; None for an input without a sensor."""
        if self._seen is None or not self._walks:
            self._seen = self._look()
        return self._seen[index] if index < len(self._seen) else None


def adc_inputs(
    board: BoardDescription, world: World, breadboard: Breadboard, each: int
) -> list[Callable[[int], float | None]]:
    """Return, per converter, the function from an input to its voltage as a share of the supply (None: floating)."""
    sensors = board.channels
    if "select" not in board.pins:

        def direct(first: int) -> Callable[[int], float | None]:
            def at(index: int) -> float | None:
                levels = world.levels()
                return share(levels[first + index]) if first + index < len(levels) else None

            return at

        return [direct(first) for first in range(0, sensors, each)]
    readings = WalkReadings(world.levels, walks=sensors > 1)
    chips = on_select_lines(board, readings, breadboard, -(-sensors // CHANNELS), share)

    def behind(first: int) -> Callable[[int], float | None]:
        return lambda index: chips[first + index].common() if first + index < len(chips) else None

    return [behind(first) for first in range(0, len(chips), each)]


def on_select_lines(
    board: BoardDescription,
    readings: WalkReadings,
    breadboard: Breadboard,
    count: int,
    felt: Callable[[float], float | None],
) -> list[Hc4067]:
    """Return ``count`` multiplexers with common select lines; ``felt`` returns the level of a sensor's reading."""

    def channel(first: int) -> Callable[[int], float | None]:
        def at(index: int) -> float | None:
            seen = readings.at(first + index)
            return None if seen is None else felt(seen)

        return at

    chips = [Hc4067(channel(number * CHANNELS), breadboard.now) for number in range(count)]
    address = 0

    def drive(line: int) -> Callable[[int], None]:
        def move(level: int) -> None:
            nonlocal address
            before, address = address, (address & ~(1 << line)) | level << line
            if not before:  # A walk begins.
                readings.renew()
            for chip in chips:
                chip.set_select(line, level)

        return move

    for line, pin in enumerate(pin_list(board.pins, "select")):
        breadboard.pins.drive(pin, drive(line))
    return chips


def share(level: float) -> float:
    """Return the voltage of a sensor's level (0 to 255) as a share of the supply: the middle of the step."""
    return (level + 0.5) / 256
