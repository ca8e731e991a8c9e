"""The breadboard: a simulated Pi, with the chips of a simulated board connected to its pins and buses.

Each scheme has its simulated parts, found by entry point (docs/adding-a-sensor.md); what they share is here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from hw.plugins import Plugins
from hw.ports import BoardDescription, HardwareError, SensorBank
from simulator.buses import NOTHING, I2cChip, SimulatedGpio, SimulatedI2c, SimulatedSpi, SpiChip, Tolerant
from simulator.stones import World


class SerialDevice(Protocol):
    """A device at the other end of a serial port's cable."""

    @property
    def pattern(self) -> str:
        """Path of its port, or a pattern of paths."""
        ...

    def close(self) -> None:
        """Unplug it for good."""
        ...


class SimulatedNetworkDevice(Protocol):
    """A device in the network (:class:`hw.buses.NetworkDevice`)."""

    def send(self, port: int, data: bytes) -> None:
        """Take a datagram."""
        ...

    def get(self, path: str) -> bytes:
        """Answer a request."""
        ...

    def close(self) -> None:
        """Be let go of."""
        ...


@dataclass
class Breadboard:
    """A simulated Pi, which drivers get instead of a real one (see :class:`hw.buses.Computer`)."""

    is_miswired: bool = False
    """Whether the parts are wired otherwise than the drivers suppose: misuse is no error then."""
    pins: SimulatedGpio = field(default_factory=SimulatedGpio)
    on_spi: dict[tuple[int, int], SpiChip] = field(default_factory=dict)
    on_i2c: dict[int, dict[int, I2cChip]] = field(default_factory=dict)
    on_serial: Callable[[], SerialDevice] | None = None
    """Function that plugs in and returns the device on the serial port, or in the Wi-Fi."""
    plugged: list[SerialDevice] = field(default_factory=list)
    """Devices that were plugged in, in order; tests unplug them here."""
    pixel_pins: dict[str, Any] = field(default_factory=dict)
    """Blinka's name of a pin → the pin, for strips that Adafruit's libraries drive."""
    on_pixel_bus: Any = None
    """The same for SPI bus 0."""
    in_network: dict[str, SimulatedNetworkDevice] = field(default_factory=dict)
    """Name or address → the device in the network."""
    opened: list[SimulatedSpi | SimulatedI2c] = field(default_factory=list)
    """Buses that drivers have opened, in order."""
    now_us: float = 0.0
    """Microseconds that drivers have waited: the chips' time, which passes without real waiting."""

    def now(self) -> float:
        """Return the time on the breadboard, microseconds."""
        return self.now_us

    def gpio(self) -> SimulatedGpio:
        """Return the pins."""
        self.pins.is_strict = not self.is_miswired
        self.pins.setmode(self.pins.BCM)
        return self.pins

    def spi(self, bus: int, device: int, hertz: int) -> SimulatedSpi:
        """Open a chip select of a bus, mode 0. Raise HardwareError when nothing is connected to it."""
        if (bus, device) not in self.on_spi and not self.is_miswired:
            raise HardwareError(f"/dev/spidev{bus}.{device} can't be opened: nothing is soldered to it")
        chip = self.on_spi.get((bus, device), NOTHING)
        opened = SimulatedSpi(Tolerant(chip) if self.is_miswired else chip, 0, hertz, self.wait_us)
        self.opened.append(opened)
        return opened

    def i2c(self, bus: int) -> SimulatedI2c:
        """Open a bus."""
        opened = SimulatedI2c(self.on_i2c.get(bus, {}), self.wait_us, is_strict=not self.is_miswired)
        self.opened.append(opened)
        return opened

    def serial(self, device: str) -> str:
        """Plug in the device, whatever its name; return the pattern of its path. Raise HardwareError for none."""
        if self.on_serial is None:
            raise HardwareError(f"{device}: nothing is plugged in")
        self.plugged.append(self.on_serial())
        return self.plugged[-1].pattern

    def pixel_pin(self, name: str) -> Any:
        """Return the pin of a strip. Raise HardwareError when none is soldered to it."""
        return self._strip_end(self.pixel_pins.get(name), name)

    def pixel_bus(self, frame: int) -> Any:  # noqa: ARG002 - no kernel cuts frames here
        """Return the bus of a strip. Raise HardwareError when none is soldered to it."""
        return self._strip_end(self.on_pixel_bus, "SPI 0")

    @staticmethod
    def _strip_end(found: Any, where: str) -> Any:
        if found is None:
            raise HardwareError(f"{where}: no strip is soldered to it")
        return found

    def network(self, address: str) -> SimulatedNetworkDevice:
        """Return a device in the network. Raise HardwareError for none."""
        if address not in self.in_network:
            raise HardwareError(f"{address}: there is no such device in the network")
        return self.in_network[address]

    def unplug(self) -> None:
        """Unplug all devices for good."""
        for device in self.plugged:
            device.close()

    def wait_us(self, microseconds: float) -> None:
        """Advance the chips' time."""
        self.now_us += microseconds


def switch(level: float) -> float | None:
    """Return the level of a switch's wire: 0 for a closed switch, None (not driven) for an open one."""
    return 0 if level == 0 else None


# -- the parts of each scheme ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SimulatedParts:
    """The chips of one scheme, written from their datasheets, never from the drivers."""

    name: str
    """Name of the scheme and of the entry point."""
    connect: Callable[[BoardDescription, World, Breadboard], None]
    """Connects the chips of a board to the pins and buses of a breadboard, and their inputs to a world's sensors."""
    in_step: Callable[[BoardDescription, BoardDescription, World, Callable[[], float]], SensorBank] | None = None
    """For hardware that scans by itself, in real time: returns the sensors of a board, which may be soldered as another
    one, in a world, on a clock that a test moves."""


SIMULATED = Plugins("lodestone.simulated_sensors", "scheme, simulated", SimulatedParts)


def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
    """Connect the chips of a board to a breadboard. Raise HardwareError for a scheme without simulated parts."""
    SIMULATED.get(board.scheme).connect(board, world, breadboard)
