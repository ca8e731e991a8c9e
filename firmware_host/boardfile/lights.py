"""The section [lights] of a board file: one or two strips, their brightness, and the current limit of all pixels."""

from __future__ import annotations

import re
from collections.abc import Mapping

from firmware_host.boardfile.checks import MOST_PIXELS, Checks, Table, is_number
from firmware_host.boardfile.text import alike, difference
from hw.lights import GPIO, SPI, STRIPS, StripScheme
from hw.ports import HardwareError, LightsWiring, StripWiring, no_lights

KEYS = ("scheme", "pin", "length", "order", "over")
USUAL = StripWiring().scheme
PINS = tuple(f"D{number}" for number in range(28))


def read_lights(checks: Checks, lights: Table, taken: Mapping[str, int]) -> LightsWiring:
    """Read [lights]; record mistakes in ``checks``. ``taken`` maps names of the sensors' pins to BCM numbers.

    A board file without this section has no lights: people play by phones and screens.
    """
    if not lights and "lights" not in checks.data:
        nodes = checks.data.get("nodes")
        return no_lights(len(nodes) if isinstance(nodes, dict) else 0)
    checks.known("lights", lights, (*KEYS, "second", "max_current_ma", "brightness", "gamma"))
    strips = [_strip(checks, lights, taken, "")]
    second = lights.get("second")
    if isinstance(second, dict):
        checks.known("lights", second, KEYS, "second")
        strips.append(_strip(checks, {"scheme": strips[0].scheme, **second}, taken, "second"))
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
    scheme = _scheme(checks, table, entry)
    pin = table.get("pin")
    number = re.fullmatch(r"D(\d|1\d|2[0-7])", pin) if isinstance(pin, str) else None
    if number is None:
        meant = alike(pin, PINS) if isinstance(pin, str) else None
        slip = f" ({meant}? there is {difference(str(pin), meant)})" if meant else ""
        checks.expected("lights", table, "pin", f"D0 to D27{slip}", entry)
    on_bus = number is not None and int(number.group(1)) in scheme.spi_pins
    over = table.get("over", SPI if on_bus or GPIO not in scheme.over else GPIO)
    if over not in scheme.over:
        checks.expected("lights", table, "over", f"one of {', '.join(scheme.over)}", entry)
    length = checks.whole("lights", table, "length", 1, MOST_PIXELS, line=entry)
    order = table.get("order")
    if order not in scheme.orders:
        checks.expected("lights", table, "order", f"one of {', '.join(scheme.orders)}{_white(order)}", entry)
    strip = StripWiring(str(pin), length, str(order), str(over), scheme.name)
    if number is not None:
        _own_pin(checks, strip, scheme, taken, entry)
    return strip


def _scheme(checks: Checks, table: Table, entry: str) -> StripScheme:
    """Return the kind of strip, the usual one where it is a mistake."""
    name = table.get("scheme", USUAL)
    if name not in STRIPS.names():
        checks.expected("lights", table, "scheme", f"one of {', '.join(STRIPS.names())}", entry)
    else:
        try:
            return STRIPS.get(name)
        except HardwareError as error:
            checks.wrong("lights", entry or "scheme", str(error))
    return STRIPS.get(USUAL)


def _white(order: object) -> str:
    """Return the words on schemes that take an order of four letters, if that is one."""
    able = [name for name, one in STRIPS.usable().items() if order in one.orders]
    return f"; with {order} the scheme is {' or '.join(able)}" if able else ""


def _own_pin(checks: Checks, strip: StripWiring, scheme: StripScheme, taken: Mapping[str, int], entry: str) -> None:
    """Record a mistake for a pin that the sensors use; over SPI also for sensors on any pin of that bus."""
    key, owner = entry or "pin", f"{entry}: " if entry else ""
    number, bus = int(strip.pin[1:]), scheme.bus(strip)
    if strip.over == SPI and bus is None:
        able = " or ".join(f"D{pin}" for pin in scheme.spi_pins)
        checks.wrong("lights", key, f"{owner}pin: {strip.pin} can't be driven over SPI, expected {able}")
        return
    theirs = [name for name in taken if name.startswith(f"SPI {scheme.spi_pins.get(number)}'s ")]
    if strip.over == GPIO and theirs:
        first = theirs[0].partition("'")[0]
        why = f'{strip.pin} belongs to {first}, which the sensors use, expected another pin or over = "spi"'
        checks.wrong("lights", key, f"{owner}pin: {why}")
    own = scheme.pins(strip) if bus is not None else ()
    for name, used in taken.items():
        if used == number:
            checks.wrong("lights", key, f"{owner}pin: {strip.pin} is the sensors' {name} already, expected its own")
        elif used in own and name not in theirs:
            takes = f"over SPI {strip.pin} takes pins {min(own)} to {max(own)}"
            why = f"{takes}, and the sensors' {name} is {used}, expected another there"
            checks.wrong("lights", key, f"{owner}pin: {why}")
    if bus is not None and theirs and "clock" in scheme.inputs:
        why = f"a strip with a clock shares SPI {bus} with nothing, and the sensors use it, expected another bus"
        checks.wrong("lights", key, f"{owner}pin: {why}")


def _two(checks: Checks, first: StripWiring, second: StripWiring) -> None:
    if not re.fullmatch(r"D\d+", first.pin) or not re.fullmatch(r"D\d+", second.pin):
        return  # A mistake that is recorded already.
    theirs, own = (set(STRIPS.get(one.scheme).pins(one)) for one in (first, second))
    if theirs & own:
        checks.wrong("lights", "second", f"second: pin {second.pin} is the first strip's already, expected its own")


def _share(checks: Checks, lights: Table, name: str, low: float, high: float) -> float:
    value = lights.get(name, 1.0)
    if not is_number(value) or not low <= value <= high:
        checks.expected("lights", lights, name, f"a number from {low:g} to {high:g}")
        return 1.0
    return float(value)
