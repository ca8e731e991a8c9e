"""Opening the pins of a Raspberry Pi: RPi.GPIO, or rpi-lgpio, which provides a module of the same name.

Drivers never import a library; they get an object shaped like RPi.GPIO (the simulator passes its own).
"""

from __future__ import annotations

import importlib
from typing import Any, Protocol

from hw import pi
from hw.ports import HardwareError


class Gpio(Protocol):
    """The part of RPi.GPIO that drivers use. Pins are BCM numbers; ``output`` also takes lists."""

    BCM: int
    IN: int
    OUT: int
    HIGH: int
    LOW: int
    PUD_UP: int

    def setmode(self, mode: int) -> None:
        """Choose how pins are numbered."""
        ...

    def setwarnings(self, flag: bool) -> None:
        """Switch the library's warnings on or off."""
        ...

    def setup(self, channel: Any, direction: int, pull_up_down: int = ..., initial: int = ...) -> None:
        """Make pins inputs or outputs."""
        ...

    def input(self, channel: int) -> int:
        """Return the level of a pin."""
        ...

    def output(self, channel: Any, value: Any) -> None:
        """Set the level of one pin or of a list of pins."""
        ...

    def cleanup(self, channel: Any = ...) -> None:
        """Release pins: make them inputs again."""
        ...


def which_library() -> str:
    """Return the name and version of the package that provides RPi.GPIO, for messages."""
    return " and ".join(f"{name} {version}" for name, version in pi.installed().items()) or "none"


def open_gpio() -> Gpio:
    """Return RPi.GPIO (or its drop-in), numbered by BCM. Raise HardwareError saying what to install or do."""
    library = which_library()
    wrong = pi.misfit(pi.installed(), pi.choose())
    if wrong is not None and library != "none":
        raise HardwareError(f"{wrong}; without a Pi use --board sim or --sim")
    try:
        gpio: Gpio = importlib.import_module("RPi.GPIO")
        gpio.setwarnings(False)
        gpio.setmode(gpio.BCM)
    except ImportError as error:
        raise HardwareError(f"{wrong or error}; without a Pi use --board sim or --sim") from error
    except Exception as error:  # rpi-lgpio lets lgpio.error through, which is a bare Exception.
        raise HardwareError(
            f"the pins can't be opened ({library}: {error}): run on a Pi, or use --board sim or --sim"
        ) from error
    return gpio
