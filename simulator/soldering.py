"""The sensors' chips of a simulated board, soldered to a Pi's pins and buses as the board file says.

Wiring is that of :mod:`hw.schemes`. The world is looked at once a scan, where chips are walked over, too: sensors do
not change faster than that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from hw.ports import BoardDescription, HardwareError
from hw.schemes import (
    ADS1115_INPUTS,
    CHANNELS_4067,
    MCP3008_INPUTS,
    SCHEMES,
    Options,
    Pins,
    listed,
    misfit,
    number,
    single,
)
from simulator.ads1115 import Ads1115Chip, SimulatedI2c
from simulator.chips import Hc165Chain
from simulator.gpio import SimulatedGpio
from simulator.hc4067 import Hc4067
from simulator.matrix import DiodeMatrix
from simulator.mcp3008 import Mcp3008Chip
from simulator.spi import ChainOnSpi, SimulatedSpi, SpiChip
from simulator.stones import World

_REWIRED: Mapping[bool, tuple[str, Pins, Options]] = MappingProxyType(
    {
        False: ("74hc165", {"load": 5, "clock": 6, "data": 13}, {}),
        True: (
            "mcp3008",
            {"select": (5, 6, 13, 19)},
            {"spi_bus": 0, "spi_device": 0, "spi_hz": 1_000_000, "settle_us": 10},
        ),
    }
)
"""What a board gets whose wiring can't tell what it is asked to, by whether that is levels."""


def fitted(board: BoardDescription) -> BoardDescription:
    """Return a board whose wiring can tell its kind: simulated boards may be asked for another one than they have.

    Shift registers or a converter behind multiplexers take the place of a wiring that can't.
    """
    able = (
        board.feels in SCHEMES[board.scheme].kinds
        and misfit(board.scheme, board.pins, board.options, board.inputs) is None
    )
    if able:
        return board
    scheme, pins, options = _REWIRED[board.kind == "level"]
    return replace(board, scheme=scheme, pins=pins, options=options)


@dataclass
class Bench:
    """One Pi on the bench: what drivers are handed instead of a real one (see :class:`hw.buses.Parts`)."""

    pins: SimulatedGpio = field(default_factory=SimulatedGpio)
    on_spi: dict[tuple[int, int], SpiChip] = field(default_factory=dict)
    on_i2c: dict[int, dict[int, Ads1115Chip]] = field(default_factory=dict)
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
        opened = SimulatedSpi(self.on_spi[bus, device], 0, hertz)
        self.opened.append(opened)
        return opened

    def i2c(self, bus: int) -> SimulatedI2c:
        """Open a bus."""
        opened = SimulatedI2c(self.on_i2c.get(bus, {}), self.wait_us)
        self.opened.append(opened)
        return opened

    def wait_us(self, microseconds: float) -> None:
        """Let time pass for the chips."""
        self.now_us += microseconds


class _Glance:
    """What the sensors showed when they were last looked at; without ``walks``, which renew it, they are now."""

    def __init__(self, look: Callable[[], Sequence[float]], *, walks: bool) -> None:
        self._look, self._walks = look, walks
        self._seen: Sequence[float] | None = None

    def renew(self) -> None:
        self._seen = None

    def at(self, index: int) -> float | None:
        """Return what drives an input; None for one that nothing is soldered to."""
        if self._seen is None or not self._walks:
            self._seen = self._look()
        return self._seen[index] if index < len(self._seen) else None


def solder(board: BoardDescription, world: World, bench: Bench) -> None:
    """Solder the chips of a board to a bench. Raise HardwareError for a scheme that is not made of chips."""
    soldering = _SOLDERING.get(board.scheme)
    if soldering is None:
        raise HardwareError(f"{board.name}: scheme {board.scheme!r} can't be simulated by chips on a Pi's pins")
    soldering(board, world, bench)


def _chain(board: BoardDescription, world: World, bench: Bench) -> None:
    chain = Hc165Chain(world.contacts, board.inputs)
    bench.pins.drive(single(board.pins, "load"), chain.set_load)
    bench.pins.drive(single(board.pins, "clock"), chain.set_clock)
    bench.pins.sense(single(board.pins, "data"), chain.data)
    if "inhibit" in board.pins:
        bench.pins.drive(single(board.pins, "inhibit"), chain.set_inhibit)


def _chain_on_spi(board: BoardDescription, world: World, bench: Bench) -> None:
    chain = Hc165Chain(world.contacts, board.inputs)
    bench.pins.drive(single(board.pins, "load"), chain.set_load)
    bench.on_spi[number(board.options, "spi_bus"), number(board.options, "spi_device")] = ChainOnSpi(chain)


def _multiplexers(board: BoardDescription, world: World, bench: Bench) -> None:
    glance = _Glance(world.contacts, walks=board.inputs > 1)
    common = listed(board.pins, "common")
    chips = _on_select_lines(board, glance, bench, len(common), _switch)
    for pin, chip in zip(common, chips, strict=True):
        bench.pins.sense(pin, chip.common)
    if "enable" in board.pins:
        bench.pins.drive(single(board.pins, "enable"), lambda level: _each(chips, lambda chip: chip.set_enable(level)))


def _matrix(board: BoardDescription, world: World, bench: Bench) -> None:
    rows, columns = listed(board.pins, "rows"), listed(board.pins, "columns")
    glance = _Glance(world.contacts, walks=len(rows) > 1)

    def closed(row: int, column: int) -> bool:
        return glance.at(row * len(columns) + column) == 0

    matrix = DiodeMatrix(len(rows), closed, bench.now)

    def drive(row: int) -> Callable[[int], None]:
        def move(level: int) -> None:
            if row == 0:
                glance.renew()
            matrix.set_row(row, level)

        return move

    for row, pin in enumerate(rows):
        bench.pins.drive(pin, drive(row))
    for column, pin in enumerate(columns):
        bench.pins.sense(pin, lambda column=column: matrix.column(column))  # type: ignore[misc]


def _direct(board: BoardDescription, world: World, bench: Bench) -> None:
    def switch(index: int) -> Callable[[], float | None]:
        return lambda: _switch(world.contacts()[index])

    for index, pin in enumerate(listed(board.pins, "inputs")):
        bench.pins.sense(pin, switch(index))


def _mcp3008(board: BoardDescription, world: World, bench: Bench) -> None:
    bus, first = number(board.options, "spi_bus"), number(board.options, "spi_device")
    for at, inputs in enumerate(adc_inputs(board, world, bench, MCP3008_INPUTS)):
        bench.on_spi[bus, first + at] = Mcp3008Chip(inputs)


def _ads1115(board: BoardDescription, world: World, bench: Bench) -> None:
    first = number(board.options, "address")
    chips = bench.on_i2c.setdefault(number(board.options, "i2c_bus"), {})
    for at, inputs in enumerate(adc_inputs(board, world, bench, ADS1115_INPUTS)):
        chips[first + at] = Ads1115Chip(inputs, bench.now)


def adc_inputs(board: BoardDescription, world: World, bench: Bench, each: int) -> list[Callable[[int], float | None]]:
    """Return what drives the inputs of each converter of the board, as a share of the supply."""
    sensors = board.channels
    if "select" not in board.pins:

        def direct(first: int) -> Callable[[int], float | None]:
            def at(index: int) -> float | None:
                levels = world.levels()
                return _share(levels[first + index]) if first + index < len(levels) else None

            return at

        return [direct(first) for first in range(0, sensors, each)]
    glance = _Glance(world.levels, walks=sensors > 1)
    chips = _on_select_lines(board, glance, bench, -(-sensors // CHANNELS_4067), _share)

    def behind(first: int) -> Callable[[int], float | None]:
        return lambda index: chips[first + index].common() if first + index < len(chips) else None

    return [behind(first) for first in range(0, len(chips), each)]


def _on_select_lines(
    board: BoardDescription, glance: _Glance, bench: Bench, count: int, felt: Callable[[float], float | None]
) -> list[Hc4067]:
    """Return so many multiplexers sharing the select lines; ``felt`` tells what a sensor's reading is on its wire."""

    def channel(first: int) -> Callable[[int], float | None]:
        def at(index: int) -> float | None:
            seen = glance.at(first + index)
            return None if seen is None else felt(seen)

        return at

    chips = [Hc4067(channel(number * CHANNELS_4067), bench.now) for number in range(count)]
    address = 0

    def drive(line: int) -> Callable[[int], None]:
        def move(level: int) -> None:
            nonlocal address
            before, address = address, (address & ~(1 << line)) | level << line
            if not before:  # A walk begins.
                glance.renew()
            _each(chips, lambda chip: chip.set_select(line, level))

        return move

    for line, pin in enumerate(listed(board.pins, "select")):
        bench.pins.drive(pin, drive(line))
    return chips


def _each(chips: Sequence[Hc4067], deed: Callable[[Hc4067], None]) -> None:
    for chip in chips:
        deed(chip)


def _switch(level: float) -> float | None:
    """Return what a switch does to its wire: it grounds it when closed, else it leaves it alone."""
    return 0 if level == 0 else None


def _share(level: float) -> float:
    """Return the voltage of a sensor with a reading, as a share of the supply: the middle of the step."""
    return (level + 0.5) / 256


_SOLDERING: Mapping[str, Callable[[BoardDescription, World, Bench], None]] = MappingProxyType(
    {
        "74hc165": _chain,
        "74hc165-spi": _chain_on_spi,
        "4067": _multiplexers,
        "matrix": _matrix,
        "direct": _direct,
        "mcp3008": _mcp3008,
        "ads1115": _ads1115,
    }
)
