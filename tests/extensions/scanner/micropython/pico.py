"""A simulated Pico: the firmware in a real MicroPython, its pins on simulated chips, its USB on a pseudo terminal.

It does not test the RP2040's own ADC, pull-ups, USB and UART hardware, its speed, and MicroPython's port for it.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hw.ports import BoardDescription
from simulator.stones import World
from tests.extensions.scanner.microcontroller import Microcontroller

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[3] / "firmware_host/extensions/scanner/device"
ADC_PINS = (26, 27, 28)

WIRINGS: Mapping[str, Mapping[str, Any]] = {
    "74hc165": {"load": 2, "clock": 3, "data": 4},
    "4067": {"select": (2, 3, 4, 5), "common": (6, 7, 8)},
    "4067-polarity": {"select": (2, 3, 4, 5), "common": (6, 7, 8, 9, 10, 11), "enable": 12},
    "4067-level": {"select": (2, 3, 4, 5), "common": ADC_PINS},
    "matrix": {"rows": (2, 3, 4, 5, 6), "columns": (7, 8, 9, 10, 11, 12, 13, 14, 15)},
}
"""Chip (and kind) → pins for 45 nodes."""


def wiring_of(chip: str, kind: str) -> Mapping[str, Any]:
    return WIRINGS.get(f"{chip}-{kind}", WIRINGS[chip])


def need_micropython() -> None:
    """Fail with instructions if MicroPython for the tests is missing."""
    if shutil.which("node") is None or not (HERE / "node_modules").is_dir():
        pytest.fail("MicroPython for the tests is not installed: run tests/need-micropython")


def config_text(chip: str, kind: str, port: str = "usb", nodes: int = 45, **others: Any) -> str:
    lines = {
        "NODES": nodes,
        "KIND": kind,
        "CHIP": chip,
        "PINS": dict(wiring_of(chip, kind)),
        "SETTLE_US": 10,
        "AVERAGE": 4,
        "BOARD": "pico",
        "PORT": port,
        "UART": {"id": 0, "baud": 115200, "tx": 0, "rx": 1},
    } | others
    return "".join(f"{name} = {value!r}\n" for name, value in lines.items())


class Pico(Microcontroller):
    """One Pico with its sensors; ``board`` gives nodes and kind."""

    adc_pins = ADC_PINS
    adc_steps = 4096

    def __init__(
        self,
        board: BoardDescription,
        world: World,
        chip: str,
        *,
        port: str = "usb",
        config: str = "",
        wifi: str = "",
        firmware: Path = FIRMWARE,
    ) -> None:
        need_micropython()
        self._program = [str(firmware), config or config_text(chip, board.channel_kind, port, board.channels)]
        self._program.append(wifi)
        super().__init__(board, world, (chip, wiring_of(chip, board.channel_kind)))

    def program(self) -> tuple[Path, Sequence[str]]:
        return HERE, ["run.mjs", *self._program]
