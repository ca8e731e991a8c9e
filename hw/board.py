"""The back end ``gpio``: a real board on a Pi's pins."""

from __future__ import annotations

from pathlib import Path

from hw import pi
from hw.buses import Computer, ThisComputer, open_gpio
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


def open_board(description: BoardDescription, *, computer: Computer | None = None) -> OpenBoard:
    """Open sensors and lights, by default on this computer. Raise HardwareError naming the part and what to do."""
    computer = computer or ThisComputer()
    try:
        sensors = open_bank(description, computer)
    except HardwareError:
        raise
    except Exception as error:  # lgpio.error (a pin in use by another program) is a bare Exception.
        open_gpio().cleanup([pin for name in description.pins for pin in pin_list(description.pins, name)])
        raise HardwareError(
            f"the sensors' pins {dict(description.pins)} can't be set up: {error}{taken_by_spi(description)}"
        ) from error
    try:
        check_pi(description.lights, pi.model())
        strip = open_lights(description.lights, computer)
    except HardwareError:
        sensors.close()
        raise
    return OpenBoard(sensors, strip, description)
