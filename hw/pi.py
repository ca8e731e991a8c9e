"""The model of this Raspberry Pi and the package extra it needs: ``python -m hw.pi`` prints it for ``make setup``.

RPi.GPIO reaches the pins of a Pi 1 to 4 through ``/dev/gpiomem``; its scans take a tenth of the time of rpi-lgpio's.
Its edge detection fails on kernels from 6.6 on, but nothing here uses it. Where ``/dev/gpiomem`` is missing (Pi 5,
other kernels) rpi-lgpio replaces it through ``/dev/gpiochip*``. Never install both: each provides ``RPi.GPIO``.
"""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")
MODEL = Path("proc/device-tree/model")
REVISION = Path("proc/device-tree/system/linux,revision")
GPIOMEM = Path("dev/gpiomem")
PWM_PINS = ("D12", "D13", "D18", "D19")
"""Pins of a Pi 1 to 4 whose PWM the analogue sound uses, too (rpi_ws281x, README, "Limitations")."""
_PI5 = re.compile(r"Raspberry Pi (5|500|Compute Module 5)\b")


@dataclass(frozen=True)
class PackageChoice:
    """The packages to install on this machine."""

    model: str
    """Model name of the Raspberry Pi; empty on any other machine."""
    kernel: str
    extra: str
    """``pi``, ``pi-lgpio`` or ``pi5``; empty when none is needed."""
    gpio: str
    """The package that provides RPi.GPIO here; empty when none is needed."""
    why: str


def model(root: Path = ROOT) -> str:
    """Return the model of this Raspberry Pi; empty on any other machine."""
    try:
        text = (root / MODEL).read_text(encoding="utf-8", errors="replace").rstrip("\0\n ")
    except OSError:
        return ""
    return text if text.startswith("Raspberry Pi ") and "Pico" not in text else ""


def is_pi5(name: str) -> bool:
    """Return whether a model has the RP1 chip of the Pi 5, which RPi.GPIO and rpi_ws281x do not support."""
    return _PI5.match(name) is not None


def revision(root: Path = ROOT) -> str:
    """Return the revision code of this Raspberry Pi, such as ``a02082``; empty on any other machine."""
    try:
        return (root / REVISION).read_bytes().hex().lstrip("0")
    except OSError:
        return ""


CORE_CLOCKS = {
    "Raspberry Pi 3": ("core_freq=250",),
    "Raspberry Pi Zero 2": ("core_freq=250",),
    "Raspberry Pi Zero W": ("core_freq=250",),
    "Raspberry Pi Compute Module 3": ("core_freq=250",),
    "Raspberry Pi 4": ("core_freq=500", "core_freq_min=500"),
    "Raspberry Pi Compute Module 4": ("core_freq=500", "core_freq_min=500"),
}
"""Model → the lines of config.txt without which its SPI clock changes with the load: pixels misread their bits then."""


def core_clock(root: Path = ROOT) -> tuple[str, ...]:
    """Return the lines of config.txt by which the SPI clock of this Pi stays the same; empty where none is needed."""
    return next((lines for name, lines in CORE_CLOCKS.items() if model(root).startswith(name)), ())


def choose(root: Path = ROOT, kernel: str | None = None) -> PackageChoice:
    """Return the extra for this model and kernel, and the reason."""
    name, kernel = model(root), kernel or platform.release()
    if not name:
        return PackageChoice("", kernel, "", "", "this machine is no Raspberry Pi: the simulator needs no GPIO library")
    if is_pi5(name):
        return PackageChoice(
            name, kernel, "pi5", "rpi-lgpio", "its RP1 chip is out of reach for RPi.GPIO and rpi_ws281x"
        )
    if (root / GPIOMEM).exists():
        return PackageChoice(name, kernel, "pi", "RPi.GPIO", "/dev/gpiomem is there: the fast way to the pins")
    why = f"kernel {kernel} has no /dev/gpiomem: RPi.GPIO can't reach the pins without root"
    return PackageChoice(name, kernel, "pi-lgpio", "rpi-lgpio", why)


def gpio_packages() -> dict[str, str]:
    """Return name → version of the installed packages that provide RPi.GPIO; more than one is a mistake."""
    found = {}
    for package in ("RPi.GPIO", "rpi-lgpio"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def install_hint(choice: PackageChoice | None = None) -> str:
    """Return the command that installs the libraries for this machine."""
    choice = choice or choose()
    if not choice.extra:
        return "`make setup` on a Pi: it takes lodestone-board[pi] (Pi 1 to 4, Zero) or lodestone-board[pi5] (Pi 5)"
    hint = f"pip install 'lodestone-board[{choice.extra}]' (for this {choice.model}; `make setup` does it)"
    if choice.gpio == "rpi-lgpio" and sys.version_info >= (3, 13):
        hint = f"PYPI=1 {hint}, with gcc, swig and python3-dev from apt: lgpio has no ready wheel for this Python"
    return hint


def misfit(found: dict[str, str], choice: PackageChoice) -> str | None:
    """Return what is wrong with the installed GPIO libraries and the command that fixes it; None when they fit."""
    if len(found) > 1:
        keep = choice.gpio or "the one for your Pi"
        return (
            f"{' and '.join(f'{name} {version}' for name, version in found.items())} are both installed and own the "
            f"same module; remove one: pip uninstall RPi.GPIO rpi-lgpio, then pip install --force-reinstall {keep}"
        )
    if not found:
        return f"no GPIO library is installed: {install_hint(choice)}"
    (name,) = found
    if choice.gpio and name != choice.gpio and is_pi5(choice.model):
        return f"{name} does not work on a {choice.model} ({choice.why}): pip uninstall {name}, {install_hint(choice)}"
    return None


if __name__ == "__main__":
    print(choose().extra)
