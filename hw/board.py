"""The back end ``gpio``: a real board on a Pi's pins."""

from __future__ import annotations

from hw.gpio import open_gpio
from hw.neopixel_strip import open_lights
from hw.ports import BoardDescription, HardwareError, OpenBoard
from hw.shift_register import ShiftRegisterBank


def open_board(description: BoardDescription) -> OpenBoard:
    """Open sensors and lights. Raise HardwareError naming the part and what to do."""
    if description.kind == "level":
        raise HardwareError(f"{description.name}: scheme 74hc165 can't read kind level; use presence or polarity")
    gpio = open_gpio()
    try:
        sensors = ShiftRegisterBank(gpio, description.pins, len(description.nodes), description.kind)
    except Exception as error:  # lgpio.error (a pin in use by another program) is a bare Exception.
        gpio.cleanup(list(description.pins.values()))
        raise HardwareError(f"the sensors' pins {dict(description.pins)} can't be set up: {error}") from error
    try:
        strip = open_lights(description.lights)
    except HardwareError:
        sensors.close()
        raise
    return OpenBoard(sensors, strip, description)
