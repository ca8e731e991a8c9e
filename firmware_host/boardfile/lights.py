"""The section [lights] of a board file: one or two strips, their brightness, and the current limit of all pixels."""

from __future__ import annotations

import re
from collections.abc import Mapping

from firmware_host.boardfile.checks import MOST_PIXELS, Checks, Table, is_number
from firmware_host.boardfile.text import alike, difference
from hw.ports import LightsWiring, StripWiring, no_lights

ORDERS = ("RGB", "GRB", "BRG", "GBR", "RBG", "BGR")
OVER = ("gpio", "spi")
PINS = tuple(f"D{number}" for number in range(28))
SPI_PIN = 10
"""BCM number of the data output of SPI bus 0, by which Adafruit's library drives a strip."""
SPI_PINS = range(7, 12)
"""BCM numbers of SPI bus 0: chip selects 7 and 8, data in 9, data out 10, clock 11."""
BUS = "SPI 0's "
"""First words in the names of the sensors' pins on that bus."""


def read_lights(checks: Checks, lights: Table, taken: Mapping[str, int]) -> LightsWiring:
    """Read [lights]; record mistakes in ``checks``. ``taken`` maps names of the sensors' pins to BCM numbers.

    A board file without this section has no lights: people play by phones and screens.
    """
    if not lights and "lights" not in checks.data:
        nodes = checks.data.get("nodes")
        return no_lights(len(nodes) if isinstance(nodes, dict) else 0)
    checks.known(
        "lights", lights, ("pin", "length", "order", "over", "second", "max_current_ma", "brightness", "gamma")
    )
    strips = [_strip(checks, lights, taken, "")]
    second = lights.get("second")
    if isinstance(second, dict):
        checks.known("lights", second, ("pin", "length", "order", "over"), "second")
        strips.append(_strip(checks, second, taken, "second"))
        _two(checks, *strips)
    elif second is not None:
        checks.wrong("lights", "second", f"second: expected {{ pin, length, order }}, got {second!r:.60}")
    return LightsWiring(
        strips=tuple(strips),
        max_current_ma=checks.whole("lights", lights, "max_current_ma", 1, 100_000),
        brightness=_share(checks, lights, "brightness", 0.01, 1.0),
        gamma=_share(checks, lights, "gamma", 1.0, 4.0),
    )


def _strip(checks: Checks, table: Table, taken: Mapping[str, int], entry: str) -> StripWiring:
    """Read one strip; ``entry`` is the key that contains it, or empty for [lights] itself."""
    pin = table.get("pin")
    number = re.fullmatch(r"D(\d|1\d|2[0-7])", pin) if isinstance(pin, str) else None
    if number is None:
        meant = alike(pin, PINS) if isinstance(pin, str) else None
        slip = f" ({meant}? there is {difference(str(pin), meant)})" if meant else ""
        checks.expected("lights", table, "pin", f"D0 to D27{slip}", entry)
    over = table.get("over", "spi" if pin == f"D{SPI_PIN}" else "gpio")
    if over not in OVER:
        checks.expected("lights", table, "over", f"one of {', '.join(OVER)}", entry)
    length = checks.whole("lights", table, "length", 1, MOST_PIXELS, line=entry)
    order = table.get("order")
    if order not in ORDERS:
        white = "; pixels with a white of their own (RGBW) are not supported" if "W" in str(order) else ""
        checks.expected("lights", table, "order", f"one of {', '.join(ORDERS)}{white}", entry)
    strip = StripWiring(str(pin), length, str(order), str(over))
    if number is not None:
        _own_pin(checks, strip, int(number.group(1)), taken, entry)
    return strip


def _own_pin(checks: Checks, strip: StripWiring, number: int, taken: Mapping[str, int], entry: str) -> None:
    """Record a mistake for a pin that the sensors use; over SPI also for sensors on any pin of that bus."""
    owner = f"{entry}: " if entry else ""
    bus = [name for name in taken if name.startswith(BUS)]
    if strip.over == "spi" and number != SPI_PIN:
        why = f"{strip.pin} can't be driven over SPI, expected D{SPI_PIN}"
        checks.wrong("lights", entry or "pin", f"{owner}pin: {why}")
        return
    if strip.over == "gpio" and number == SPI_PIN and bus:
        why = f'D{SPI_PIN} belongs to SPI 0, which the sensors use, expected another pin or over = "spi"'
        checks.wrong("lights", entry or "pin", f"{owner}pin: {why}")
    for name, used in taken.items():
        if used == number:
            why = f"{strip.pin} is the sensors' {name} already, expected its own"
            checks.wrong("lights", entry or "pin", f"{owner}pin: {why}")
        elif strip.over == "spi" and used in SPI_PINS and name not in bus:
            why = f"over SPI {strip.pin} takes pins 7 to 11, and the sensors' {name} is {used}, expected another there"
            checks.wrong("lights", entry or "pin", f"{owner}pin: {why}")


def _two(checks: Checks, first: StripWiring, second: StripWiring) -> None:
    if first.pin == second.pin:
        checks.wrong("lights", "second", f"second: pin {second.pin} is the first strip's already, expected its own")


def _share(checks: Checks, lights: Table, name: str, low: float, high: float) -> float:
    value = lights.get(name, 1.0)
    if not is_number(value) or not low <= value <= high:
        checks.expected("lights", lights, name, f"a number from {low:g} to {high:g}")
        return 1.0
    return float(value)
