"""The bench on which the sensors' chips of a simulated board are soldered to a Pi's pins and buses.

The world is looked at once a scan, where chips are walked over, too: sensors do not change faster than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hw.pins import listed
from hw.ports import BoardDescription, HardwareError
from simulator.gpio import SimulatedGpio
from simulator.hc4067 import CHANNELS, Hc4067
from simulator.i2c import I2cChip, SimulatedI2c
from simulator.spi import SimulatedSpi, SpiChip
from simulator.stones import World


class SerialDevice(Protocol):
    """What is at the other end of a serial port's cable."""

    @property
    def pattern(self) -> str:
        """Where it is: a path, or a pattern of paths."""
        ...

    def close(self) -> None:
        """Unplug it for good."""
        ...


@dataclass
class Bench:
    """One Pi on the bench: what drivers are handed instead of a real one (see :class:`hw.buses.Computer`)."""

    pins: SimulatedGpio = field(default_factory=SimulatedGpio)
    on_spi: dict[tuple[int, int], SpiChip] = field(default_factory=dict)
    on_i2c: dict[int, dict[int, I2cChip]] = field(default_factory=dict)
    on_serial: Callable[[], SerialDevice] | None = None
    """Plugs in what is at the other end of a serial port's cable."""
    plugged: list[SerialDevice] = field(default_factory=list)
    """What was plugged in, in that order: pull its cable here."""
    opened: list[SimulatedSpi | SimulatedI2c] = field(default_factory=list)
    """Buses that drivers have opened, in that order."""
    now_us: float = 0.0
    """Microseconds that drivers have waited: the time of the chips. It passes at once."""

    def now(self) -> float:
        """Return the time on the bench, microseconds."""
        return self.now_us

    def gpio(self) -> SimulatedGpio:
        """Return the pins."""
        self.pins.setmode(self.pins.BCM)
        return self.pins

    def spi(self, bus: int, device: int, hertz: int) -> SimulatedSpi:
        """Open a chip select of a bus, mode 0."""
        if (bus, device) not in self.on_spi:
            raise HardwareError(f"/dev/spidev{bus}.{device} can't be opened: nothing is soldered to it")
        opened = SimulatedSpi(self.on_spi[bus, device], 0, hertz, self.wait_us)
        self.opened.append(opened)
        return opened

    def i2c(self, bus: int) -> SimulatedI2c:
        """Open a bus."""
        opened = SimulatedI2c(self.on_i2c.get(bus, {}), self.wait_us)
        self.opened.append(opened)
        return opened

    def serial(self, device: str) -> str:
        """Plug in what hangs on the port, whatever its name; return where it is."""
        if self.on_serial is None:
            raise HardwareError(f"{device}: nothing is plugged in")
        self.plugged.append(self.on_serial())
        return self.plugged[-1].pattern

    def unplug(self) -> None:
        """Unplug for good what was plugged in."""
        for device in self.plugged:
            device.close()

    def wait_us(self, microseconds: float) -> None:
        """Let time pass for the chips."""
        self.now_us += microseconds


class Glance:
    """What the sensors showed when they were last looked at; without ``walks``, which renew it, they are now."""

    def __init__(self, look: Callable[[], Sequence[float]], *, walks: bool) -> None:
        self._look, self._walks = look, walks
        self._seen: Sequence[float] | None = None

    def renew(self) -> None:
        """Look anew when an input is next asked for."""
        self._seen = None

    def at(self, index: int) -> float | None:
        """Return what drives an input; None for one that nothing is soldered to."""
        if self._seen is None or not self._walks:
            self._seen = self._look()
        return self._seen[index] if index < len(self._seen) else None


def adc_inputs(board: BoardDescription, world: World, bench: Bench, each: int) -> list[Callable[[int], float | None]]:
    """Return what drives the inputs of each converter of the board, as a share of the supply."""
    sensors = board.channels
    if "select" not in board.pins:

        def direct(first: int) -> Callable[[int], float | None]:
            def at(index: int) -> float | None:
                levels = world.levels()
                return share(levels[first + index]) if first + index < len(levels) else None

            return at

        return [direct(first) for first in range(0, sensors, each)]
    glance = Glance(world.levels, walks=sensors > 1)
    chips = on_select_lines(board, glance, bench, -(-sensors // CHANNELS), share)

    def behind(first: int) -> Callable[[int], float | None]:
        return lambda index: chips[first + index].common() if first + index < len(chips) else None

    return [behind(first) for first in range(0, len(chips), each)]


def on_select_lines(
    board: BoardDescription, glance: Glance, bench: Bench, count: int, felt: Callable[[float], float | None]
) -> list[Hc4067]:
    """Return so many multiplexers sharing the select lines; ``felt`` tells what a sensor's reading is on its wire."""

    def channel(first: int) -> Callable[[int], float | None]:
        def at(index: int) -> float | None:
            seen = glance.at(first + index)
            return None if seen is None else felt(seen)

        return at

    chips = [Hc4067(channel(number * CHANNELS), bench.now) for number in range(count)]
    address = 0

    def drive(line: int) -> Callable[[int], None]:
        def move(level: int) -> None:
            nonlocal address
            before, address = address, (address & ~(1 << line)) | level << line
            if not before:  # A walk begins.
                glance.renew()
            for chip in chips:
                chip.set_select(line, level)

        return move

    for line, pin in enumerate(listed(board.pins, "select")):
        bench.pins.drive(pin, drive(line))
    return chips


def switch(level: float) -> float | None:
    """Return what a switch does to its wire: it grounds it when closed, else it leaves it alone."""
    return 0 if level == 0 else None


def share(level: float) -> float:
    """Return the voltage of a sensor with a reading, as a share of the supply: the middle of the step."""
    return (level + 0.5) / 256
