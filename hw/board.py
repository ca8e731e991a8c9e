"""The back end ``gpio``: a real board on a Pi's pins."""

from __future__ import annotations

from hw.banks import open_bank
from hw.buses import ThisComputer
from hw.gpio import open_gpio
from hw.neopixel_strip import open_lights
from hw.ports import BoardDescription, HardwareError, OpenBoard
from hw.schemes import listed


def open_board(description: BoardDescription) -> OpenBoard:
    """Open sensors and lights. Raise HardwareError naming the part and what to do."""
    try:
        sensors = open_bank(description, ThisComputer())
    except HardwareError:
        raise
    except Exception as error:  # lgpio.error (a pin in use by another program) is a bare Exception.
        open_gpio().cleanup([pin for name in description.pins for pin in listed(description.pins, name)])
        raise HardwareError(f"the sensors' pins {dict(description.pins)} can't be set up: {error}") from error
    try:
        strip = open_lights(description.lights)
    except HardwareError:
        sensors.close()
        raise
    return OpenBoard(sensors, strip, description)
