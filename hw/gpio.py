"""Opening the pins of a Raspberry Pi: RPi.GPIO, or rpi-lgpio which answers to the same name.

The drivers never import a library; they get an object shaped like RPi.GPIO passed in (the simulator passes its own).
"""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import Any, Protocol

from hw.ports import HardwareError


class Gpio(Protocol):
    """The part of RPi.GPIO that drivers use. Pins are BCM numbers; ``output`` takes lists, too."""

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
        """Switch the library's own warnings."""
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
        """Let go of pins."""
        ...


def which_library() -> str:
    """Return the name and version of the package that provides RPi.GPIO, for messages; both is a mistake."""
    found = []
    for package in ("RPi.GPIO", "rpi-lgpio"):
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return " and ".join(found) or "none"


def open_gpio() -> Gpio:
    """Return RPi.GPIO (or its drop-in), numbered by BCM. Raise HardwareError saying what to install or do."""
    library = which_library()
    if " and " in library:
        raise HardwareError(
            f"both {library} are installed and own the same module; remove one: "
            "pip uninstall RPi.GPIO (Pi 5, newer kernels) or pip uninstall rpi-lgpio (others)"
        )
    try:
        gpio: Gpio = importlib.import_module("RPi.GPIO")
        gpio.setwarnings(False)
        gpio.setmode(gpio.BCM)
    except ImportError as error:
        raise HardwareError(
            "no GPIO library is installed: pip install 'lodestone[pi]' (Pi 1 to 4, Zero) or 'lodestone[pi5]' (Pi 5); "
            "without a Pi use --board sim"
        ) from error
    except Exception as error:  # rpi-lgpio lets lgpio.error through, which is a bare Exception.
        raise HardwareError(
            f"the pins can't be opened ({library}: {error}): run on a Pi, or use --board sim"
        ) from error
    return gpio
