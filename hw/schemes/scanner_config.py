"""The configuration of a scanner's firmware, made from a board file.

``config.h`` is for the Arduino sketch, ``config.py`` for MicroPython.

The pins are an example: the microcontroller's first free ones. The owner edits them for a different wiring.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from hw.ports import BoardDescription
from hw.scheme import count

CHIPS = ("74hc165", "4067", "matrix", "direct")
"""Chips by which a microcontroller can read sensors."""
_MULTIPLEXED = 16


class ConfigError(ValueError):
    """A microcontroller can't read these sensors; the message says why, and what is possible."""


@dataclass(frozen=True)
class Microcontroller:
    """Pins of a microcontroller, in the order in which examples use them."""

    digital: tuple[int, ...]
    analogue: tuple[int, ...]
    first_analogue: int | None = None
    """Number of the pin A0; None where no pin has such a name."""

    def name(self, pin: int) -> str:
        """Return the name printed on the board for a pin: ``7``, ``A0``."""
        if self.first_analogue is None or pin < self.first_analogue:
            return str(pin)
        return f"A{pin - self.first_analogue}"


_ARDUINO = (*range(2, 13), *range(14, 20))
MICROCONTROLLERS: Mapping[str, Microcontroller] = {
    "nano": Microcontroller(_ARDUINO, tuple(range(14, 22)), 14),
    "uno": Microcontroller(_ARDUINO, tuple(range(14, 20)), 14),
    "pico": Microcontroller((*range(2, 23), 0, 1, 26, 27, 28), (26, 27, 28)),
    "esp32": Microcontroller((4, 5, 13, 14, 16, 17, 18, 19, 21, 22, 23, 25, 26, 27, 32, 33), (32, 33, 34, 35, 36, 39)),
}
PYTHON_ON = ("pico", "esp32")
"""Microcontrollers on which MicroPython runs."""

Wires = dict[str, int | tuple[int, ...]]


def configuration(board: BoardDescription, on: str, chip: str | None, *, python: bool) -> str:
    """Return the text of ``config.py`` or ``config.h``; ``chip`` None takes the board's scheme, else the usual chip.

    Raise ConfigError when the microcontroller ``on`` can't read the board's sensors with that chip.
    """
    kind = board.channel_kind
    if chip is None:
        chip = board.scheme if board.scheme in CHIPS else "4067" if kind == "level" else "74hc165"
    if python and on not in PYTHON_ON:
        raise ConfigError(f"MicroPython runs on {' and '.join(PYTHON_ON)}, not on {on}: expected a file config.h")
    if python and chip == "direct":
        raise ConfigError("the firmware for MicroPython reads 74hc165, 4067 and matrix, not direct")
    if kind == "level" and chip != "4067":
        raise ConfigError(f"linear sensors (kind level) hang on 4067s, not on {chip}")
    if kind == "polarity" and chip == "matrix":
        raise ConfigError("a matrix is for reeds, which feel no pole: take kind presence, or 74hc165 or 4067")
    wires = _wires(MICROCONTROLLERS[on], on, chip, kind, board.channels * (2 if kind == "polarity" else 1))
    write = _python if python else _header
    return write(board, kind, chip, wires, MICROCONTROLLERS[on])


def _wires(machine: Microcontroller, on: str, chip: str, kind: str, inputs: int) -> Wires:
    numbers = _numbers(chip, inputs)
    common = numbers.pop("common", 0) if kind == "level" else 0
    measured = machine.analogue[:common]
    spare = [pin for pin in machine.digital if pin not in measured]
    needed = sum(numbers.values())
    if len(measured) < common or needed > len(spare):
        pins = f"{common} pins with an ADC and {needed} others" if common else f"{needed} pins"
        has = f"{len(machine.analogue)} and {len(spare)}" if common else f"{len(spare)}"
        raise ConfigError(f"{inputs} inputs by {chip} take {pins}, a {on} has {has}: take fewer nodes, or 74hc165")
    wires: Wires = {}
    for name, number in numbers.items():
        taken = tuple(spare.pop(0) for _ in range(number))
        wires[name] = taken[0] if name in {"load", "clock", "data"} else taken
    return wires | ({"common": measured} if common else {})


def _numbers(chip: str, inputs: int) -> dict[str, int]:
    """Return name of a list of pins → number of pins that a chip needs."""
    if chip == "74hc165":
        return {"load": 1, "clock": 1, "data": 1}
    if chip == "4067":
        return {"select": 4, "common": count(inputs, _MULTIPLEXED)}
    if chip == "matrix":
        columns = math.isqrt(inputs - 1) + 1
        return {"rows": count(inputs, columns), "columns": columns}
    return {"inputs": inputs}


def _header(board: BoardDescription, kind: str, chip: str, wires: Wires, machine: Microcontroller) -> str:
    lines = [f"NODES {board.channels}", f"KIND KIND_{kind.upper()}", f"CHIP CHIP_{chip.upper()}"]
    for name, pins in wires.items():
        if isinstance(pins, int):
            lines.append(f"PIN_{name.upper()} {machine.name(pins)}")
        else:
            lines.append(f"PINS_{name.upper()} {', '.join(machine.name(pin) for pin in pins)}")
    lines += ["SETTLE_US 10", "AVERAGE 4", "BAUD 115200"]
    about = f"// The sensors of {board.name}. What each line means says hw/arduino/lodestone_scanner/config.h.\n"
    return about + "#pragma once\n\n" + "".join(f"#define {line}\n" for line in lines)


def _python(board: BoardDescription, kind: str, chip: str, wires: Wires, machine: Microcontroller) -> str:
    name = next(name for name, known in MICROCONTROLLERS.items() if known is machine)
    values = {"NODES": board.channels, "KIND": kind, "CHIP": chip, "PINS": wires}
    # A Pico and a Pico W differ only for the firmware, which finds out by itself.
    values |= {"BOARD": "esp32" if name == "esp32" else "", "SETTLE_US": 10, "AVERAGE": 4, "PORT": "usb", "UART": {}}
    about = f'"""The sensors of {board.name}. What each line means says hw/scanner/config.py."""\n\n'
    return about + "".join(f"{key} = {value!r}\n" for key, value in values.items())
