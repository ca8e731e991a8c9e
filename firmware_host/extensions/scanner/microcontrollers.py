"""The microcontrollers that can scan a board's sensors: their pins, legs, levels and supplies.

The pins of a Pico and an ESP32 are those of the firmware's own table (``device/boards.py``). A test
compares the pins of a Nano and an Uno with the sketch's ``platform.h``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from firmware_host.extensions.scanner.device.boards import BOARDS


@dataclass(frozen=True)
class Uart:
    """The serial port on pins: its number, and the pins that send and receive."""

    number: int
    sends: int
    receives: int


@dataclass(frozen=True)
class Microcontroller:
    """One microcontroller; its pins are listed in the order in which configurations use them."""

    title: str
    """Name for a list of parts."""
    digital: tuple[int, ...]
    """Pins with input, output and pull-up."""
    analogue: tuple[int, ...]
    """Pins with an ADC."""
    prefix: str
    """What is printed before the number of a pin: ``GP``."""
    feeds: tuple[str, str]
    """Leg and name of the pin that feeds chips and sensors."""
    feeds_ma: int
    """Maximum load of that pin, mA."""
    own_ma: int
    """Its own current, mA, at most."""
    fed: tuple[str, str]
    """Leg and name of the pin that takes 5 V where no USB cable feeds it."""
    ground: str = ""
    """A leg at ground; empty where legs have no numbers."""
    legs: Mapping[int, int] = field(default_factory=dict)
    """Pin → number of its leg; empty where boards of this name differ or have no numbers."""
    volts: float = 3.3
    """Level of its pins, and supply of the chips and sensors."""
    first_analogue: int | None = None
    """Number of the pin A0; None where no pin has such a name."""
    reference: tuple[str, str] | None = None
    """Leg and name of the pin for another reference of its ADC than its own 3.3 V."""
    uart_clock_hz: int | None = None
    """Clock from which the port to its USB bridge makes its rate; None where that makes any rate, or has none."""
    uart: Uart | None = None
    """Serial port that the MicroPython firmware can use; None where the Pi's UART must not be connected."""

    def name(self, pin: int) -> str:
        """Return a pin's name in the sketch's configuration: ``7``, ``A0``."""
        if self.first_analogue is None or pin < self.first_analogue:
            return str(pin)
        return f"A{pin - self.first_analogue}"

    def pin_label(self, pin: int) -> str:
        """Return the name printed beside a pin: ``GP2``, ``D7``, ``A0``."""
        name = self.name(pin)
        return name if name.startswith("A") else f"{self.prefix}{name}"

    def leg(self, pin: int) -> str:
        """Return the number of a pin's leg; empty where legs have no numbers."""
        return str(self.legs[pin]) if pin in self.legs else ""

    def place(self, pin: int) -> str:
        """Return the words for a pin: ``GP2 (leg 4)``."""
        return f"{self.pin_label(pin)} (leg {self.leg(pin)})" if pin in self.legs else self.pin_label(pin)


def _of_firmware(name: str, last: tuple[int, ...] = ()) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the firmware's digital pins, those in ``last`` at the end, and its pins with an ADC."""
    usable, _, analogue, _ = BOARDS[name]
    return (*(pin for pin in usable if pin not in last), *last), analogue


_PICO_DIGITAL, _PICO_ANALOGUE = _of_firmware("pico", (0, 1, 26, 27, 28))
# Every third and eighth leg of a side is ground, and the ADC's pins lie between legs for supplies.
_GROUNDS = {3, 8, 13, 18, 23, 28}
_PICO_LEGS = dict(zip(range(23), (leg for leg in range(1, 30) if leg not in _GROUNDS), strict=True)) | {
    26: 31, 27: 32, 28: 34,
}  # fmt: skip
_NANO_LEGS = {pin: pin + 3 for pin in range(2, 13)} | {14 + at: 19 + at for at in range(8)}
_ARDUINO_DIGITAL = (*range(2, 13), *range(14, 20))


def _pico(title: str) -> Microcontroller:
    return Microcontroller(
        title,
        _PICO_DIGITAL,
        _PICO_ANALOGUE,
        prefix="GP",
        feeds=("36", "3V3(OUT)"),
        feeds_ma=300,
        own_ma=100,
        fed=("39", "VSYS"),
        ground="38",
        reference=("35", "ADC_VREF"),
        legs=_PICO_LEGS,
        uart=Uart(0, 0, 1),
    )


def _esp32(name: str, title: str, uart: Uart) -> Microcontroller:
    digital, analogue = _of_firmware(name)
    return Microcontroller(
        title,
        digital,
        analogue,
        prefix="GPIO ",
        feeds=("", "3V3"),
        feeds_ma=300,
        own_ma=100,
        fed=("", "5V"),
        uart=uart,
    )


MICROCONTROLLERS: Mapping[str, Microcontroller] = MappingProxyType(
    {
        "nano": Microcontroller(
            "Arduino Nano",
            _ARDUINO_DIGITAL,
            tuple(range(14, 22)),
            prefix="D",
            feeds=("27", "5V"),
            feeds_ma=460,
            own_ma=40,
            fed=("27", "5V"),
            ground="29",
            legs=_NANO_LEGS,
            volts=5.0,
            first_analogue=14,
            uart_clock_hz=16_000_000,
        ),
        "uno": Microcontroller(
            "Arduino Uno",
            _ARDUINO_DIGITAL,
            tuple(range(14, 20)),
            prefix="D",
            feeds=("", "5V"),
            feeds_ma=440,
            own_ma=60,
            fed=("", "5V"),
            volts=5.0,
            first_analogue=14,
            uart_clock_hz=16_000_000,
        ),
        "pico": _pico("Raspberry Pi Pico"),
        "pico-w": _pico("Raspberry Pi Pico W"),
        "pico-2": _pico("Raspberry Pi Pico 2"),
        "pico-2-w": _pico("Raspberry Pi Pico 2 W"),
        "esp32": _esp32("esp32", "ESP32 DevKit (WROOM)", Uart(2, 17, 16)),
        "esp32-wrover": _esp32("esp32 wrover", "ESP32 DevKit (WROVER)", Uart(2, 26, 27)),
    }
)
"""Name in board files → microcontroller. Loads and own currents: docs/verified.md."""
