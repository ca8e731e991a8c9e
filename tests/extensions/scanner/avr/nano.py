"""A simulated Arduino Nano: the compiled sketch on a simulated ATmega328P, its UART on a pseudo terminal.

It does not test the ADC's accuracy, pull-ups and levels, the USB chip, and the boot loader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hw.ports import BoardDescription
from simulator.stones import World
from tests.extensions.scanner.avr import compile as compiler
from tests.extensions.scanner.microcontroller import Microcontroller

HERE = Path(__file__).parent
ADC_PINS = (14, 15, 16)
LED = 13

WIRINGS: Mapping[str, Mapping[str, Any]] = {
    "74hc165": {"load": 2, "clock": 3, "data": 4},
    "4067": {"select": (2, 3, 4, 5), "common": (6, 7, 8)},
    "4067-polarity": {"select": (2, 3, 4, 5), "common": (6, 7, 8, 9, 10, 11), "enable": 12},
    "4067-level": {"select": (2, 3, 4, 5), "common": ADC_PINS},
    "matrix": {"rows": (2, 3, 4, 5, 6), "columns": (7, 8, 9, 10, 11, 12, 14, 15, 16)},
    "direct": {"inputs": tuple(range(2, 13))},
    "direct-polarity": {"inputs": (*range(2, 13), 14, 15, 16, 17, 18)},
}
"""Chip (and kind) → pins of a Nano."""
COUNTS = {"direct": 11, "direct-polarity": 8}
"""Chip (and kind) → number of nodes, where it is not 45."""


def wiring_of(chip: str, kind: str) -> Mapping[str, Any]:
    return WIRINGS.get(f"{chip}-{kind}", WIRINGS[chip])


def count_of(chip: str, kind: str) -> int:
    return COUNTS.get(f"{chip}-{kind}", COUNTS.get(chip, 45))


def need_avr() -> None:
    """Skip a test that needs a compiler and a simulated ATmega328P, naming the missing tools."""
    if compiler.missing():
        pytest.skip(compiler.missing())


def config_text(chip: str, kind: str, nodes: int, pins: Mapping[str, Any], **others: int) -> str:
    lines = [f"NODES {nodes}", f"KIND KIND_{kind.upper()}", f"CHIP CHIP_{chip.upper()}"]
    for name, value in pins.items():
        several = not isinstance(value, int)
        lines.append(f"PIN{'S' * several}_{name.upper()} {', '.join(map(str, value)) if several else value}")
    lines += [f"{name} {value}" for name, value in ({"SETTLE_US": 10, "AVERAGE": 4, "BAUD": 115200} | others).items()]
    return "#pragma once\n" + "".join(f"#define {line}\n" for line in lines)


class Nano(Microcontroller):
    """One Nano with its sensors; ``board`` gives nodes and kind."""

    adc_pins = ADC_PINS
    adc_steps = 1024

    def __init__(self, board: BoardDescription, world: World, chip: str, *, config: str = "") -> None:
        kind, pins = board.channel_kind, wiring_of(chip, board.channel_kind)
        self._image = compiler.compiled(config or config_text(chip, kind, board.channels, pins))
        self.lit: list[int] = []
        """States of the LED, in order."""
        super().__init__(board, world, (chip, pins))

    def program(self) -> tuple[Path, Sequence[str]]:
        image = self.folder / "flash.bin"
        image.write_bytes(self._image)
        self.bench.pins._driven[LED] = self.lit.append
        wired = [",".join(map(str, pins)) for pins in (self.bench.pins._driven, self.bench.pins._sensed)]
        return HERE, ["run.mjs", str(image), ":".join(wired)]
