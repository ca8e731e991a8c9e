"""The back end ``gpio``: a real board on a Pi's pins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hw import pi
from hw.buses import Gpio, ThisComputer, open_gpio
from hw.lights import check_pi, open_lights
from hw.pins import SPI_PINS, pin_list
from hw.ports import BoardDescription, HardwareError, OpenBoard
from hw.registry import open_bank


def taken_by_spi(board: BoardDescription, devices: Path = Path("/dev")) -> str:
    """Return words on the pins that the kernel keeps for an SPI bus that is on; empty where there are none."""
    own = {pin for name in board.pins for pin in pin_list(board.pins, name)}
    for bus, signals in SPI_PINS.items():
        kept = sorted(own & {signals[f"select {at}"] for at in (0, 1) if (devices / f"spidev{bus}.{at}").exists()})
        if kept:
            return (
                f" (SPI {bus} is on and keeps GPIO {' and '.join(map(str, kept))}: switch it off, or take other pins)"
            )
    return ""


class CountingComputer(ThisComputer):
    """This computer, with a count of all reads and writes of its pins."""

    def __init__(self) -> None:
        """Start with no opened pins."""
        self.counted: list[CountingGpio] = []

    def gpio(self) -> Gpio:
        """Return the pins, wrapped in a counter."""
        self.counted.append(CountingGpio(super().gpio()))
        return self.counted[-1]

    def calls(self) -> int:
        """Return the number of reads and writes so far."""
        return sum(gpio.calls for gpio in self.counted)


def open_board(description: BoardDescription, *, count_calls: bool = False) -> OpenBoard:
    """Open sensors and lights; ``count_calls`` slows scans. Raise HardwareError naming the part and what to do."""
    counting = CountingComputer() if count_calls else None
    try:
        sensors = open_bank(description, counting or ThisComputer())
    except HardwareError:
        raise
    except Exception as error:  # lgpio.error (a pin in use by another program) is a bare Exception.
        open_gpio().cleanup([pin for name in description.pins for pin in pin_list(description.pins, name)])
        raise HardwareError(
            f"the sensors' pins {dict(description.pins)} can't be set up: {error}{taken_by_spi(description)}"
        ) from error
    try:
        check_pi(description.lights, pi.model())
        strip = open_lights(description.lights, counting or ThisComputer())
    except HardwareError:
        sensors.close()
        raise
    return OpenBoard(sensors, strip, description, gpio_calls=counting.calls if counting else None)


# -- The cost of a driver: a pin interface that passes every call on and counts reads and write ------------------------


class CountingGpio:
    """A wrapper of any RPi.GPIO-shaped object that counts its ``input`` and ``output`` calls."""

    def __init__(self, gpio: Gpio) -> None:
        """Wrap ``gpio``."""
        self._gpio = gpio
        self.calls = 0

    def input(self, channel: int) -> int:
        """Read a pin."""
        self.calls += 1
        return self._gpio.input(channel)

    def output(self, channel: Any, value: Any) -> None:
        """Write a pin, or several in one call."""
        self.calls += 1
        self._gpio.output(channel, value)

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the library."""
        return getattr(self._gpio, name)
