"""A Raspberry Pi's pins: their places on the header, the pins of its buses, and their names in a board file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

HEADER = {
    2: 3, 3: 5, 4: 7, 17: 11, 27: 13, 22: 15, 10: 19, 9: 21, 11: 23, 0: 27, 5: 29, 6: 31, 13: 33, 19: 35, 26: 37,
    14: 8, 15: 10, 18: 12, 23: 16, 24: 18, 25: 22, 8: 24, 7: 26, 1: 28, 12: 32, 16: 36, 20: 38, 21: 40,
}  # fmt: skip
"""GPIO (BCM number) → pin of the 40-pin header, the same on every Pi."""
EXAMPLES = (5, 6, 13, 19, 26, 12, 16, 20, 21, 22, 23, 24, 25, 27, 4, 17, 14, 15, 7, 8, 9, 10, 11, 2, 3, 0, 1)
"""Pins (BCM) for examples, in the order of use. D18 is left free for the lights; pins of buses come last."""
SPI_PINS: Mapping[int, Mapping[str, int]] = MappingProxyType(
    {
        0: MappingProxyType({"clock": 11, "MOSI": 10, "MISO": 9, "select 0": 8, "select 1": 7}),
        1: MappingProxyType({"clock": 21, "MOSI": 20, "MISO": 19, "select 0": 18, "select 1": 17}),
    }
)
"""Bus → name of a signal → its pin (BCM)."""
I2C_PINS: Mapping[int, Mapping[str, int]] = MappingProxyType(
    {0: MappingProxyType({"SDA": 0, "SCL": 1}), 1: MappingProxyType({"SDA": 2, "SCL": 3})}
)

Pins = Mapping[str, int | tuple[int, ...]]
OptionValue = int | float | str
Options = Mapping[str, OptionValue]


def pin_list(pins: Pins, name: str) -> tuple[int, ...]:
    """Return the pins of this name, a single pin as a tuple of one; empty where there is none."""
    value = pins.get(name, ())
    return (value,) if isinstance(value, int) else value


def single(pins: Pins, name: str) -> int:
    """Return a single pin. Raise KeyError or ValueError for a board file that was not checked."""
    value = pins[name]
    if not isinstance(value, int):
        raise ValueError(f"{name}: expected one pin, got {value!r}")
    return value


def number(options: Options, name: str) -> int:
    """Return a numeric option. Raise KeyError or ValueError for a board file that was not checked."""
    value = options[name]
    if not isinstance(value, int):
        raise ValueError(f"{name}: expected a whole number, got {value!r}")
    return value


def bus_pins(options: Options) -> dict[str, int]:
    """Return signal → pin (BCM) of the buses that the options name: ``SPI 0's clock`` → 11."""
    found: dict[str, int] = {}
    if "spi_bus" in options:
        bus, unused = number(options, "spi_bus"), f"select {1 - number(options, 'spi_device')}"
        found |= {f"SPI {bus}'s {what}": pin for what, pin in SPI_PINS[bus].items() if what != unused}
    if "i2c_bus" in options:
        bus = number(options, "i2c_bus")
        found |= {f"I2C {bus}'s {what}": pin for what, pin in I2C_PINS[bus].items()}
    return found
