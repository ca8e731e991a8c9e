"""The configuration of a scanner's firmware, made from a board file.

``config.h`` is for the Arduino sketch, ``config.py`` for MicroPython.

The pins are the microcontroller's first free ones, the same as in the board's wiring tables and its circuit. The owner
edits them for a different wiring.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from firmware_host.extensions.scanner.device.digest import CHIPS, digest
from firmware_host.extensions.scanner.microcontrollers import MICROCONTROLLERS, Microcontroller, Uart
from firmware_host.extensions.scanner.wireless import is_wireless
from hw.pins import number
from hw.ports import BoardDescription, HardwareError
from hw.scheme import count
from hw.sensor_parts import LINEAR, PARTS, SUPPLY_V

USUAL = "usual"
"""The value of ``chip`` in a board file for 4067 with linear sensors, 74hc165 with switches."""
UARTS = ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0")
"""Names of the Pi's serial port on GPIO 14 and 15."""
PYTHON_ON = ("pico", "pico-w", "pico-2", "pico-2-w", "esp32", "esp32-wrover")
"""Microcontrollers on which MicroPython runs."""
WITH_RADIO = ("pico-w", "pico-2-w", "esp32", "esp32-wrover")
"""Microcontrollers whose firmware can report over Wi-Fi."""
BAUD = 115200
"""The usual rate of the line."""
BAUDS = (57600, BAUD, 230400, 250000, 500000, 1000000)
"""Rates to propose."""
BAUD_ERROR = 0.025
"""Largest error of a rate: at double speed an ATmega328P bears 3.5 % (its data sheet, asynchronous reception)."""
SETTLE_US, MATRIX_SETTLE_US = 10, 30
"""Settling time, µs. A matrix has only the microcontroller's pull-ups, up to 80 kΩ: 150 pF reach 2.0 V in 11 µs."""
_MULTIPLEXED = 16
_LARGEST_DIVIDER = 4095


class ConfigError(HardwareError):
    """A microcontroller can't read these sensors; the message says why, and what is possible."""


Wires = dict[str, int | tuple[int, ...]]


@dataclass(frozen=True)
class Plan:
    """What a microcontroller reads a board's sensors by."""

    name: str
    machine: Microcontroller
    chip: str
    pins: Wires
    uart: Uart | None
    """The microcontroller's serial port where it hangs on the Pi's UART; None for USB and Wi-Fi."""
    wireless: bool
    """Whether it reports over Wi-Fi."""


def plan_scanner(board: BoardDescription, on: str | None = None, chip: str | None = None) -> Plan:
    """Return the plan of a board: ``on`` and ``chip`` are the board file's where they are None.

    Raise ConfigError when the microcontroller can't read the board's sensors with that chip.
    """
    name, read_by = _machine_and_chip(board, on, chip)
    machine = MICROCONTROLLERS[name]
    uart = machine.uart if board.options.get("device") in UARTS else None
    wires = _wires(machine, uart, read_by, board.channel_kind, board.switches)
    if wires is None:
        raise ConfigError(_too_few(machine, name, uart, read_by, board.channel_kind, board.switches))
    return Plan(name, machine, read_by, wires, uart, is_wireless(board.options.get("device")))


def _machine_and_chip(board: BoardDescription, on: str | None, chip: str | None) -> tuple[str, str]:
    """Return the microcontroller's name and the chip. Raise ConfigError where that chip can't read the board's kind."""
    kind, own = board.channel_kind, board.options
    name = on or str(own.get("microcontroller", ""))
    if name not in MICROCONTROLLERS:
        raise ConfigError(f"microcontroller: expected one of {', '.join(MICROCONTROLLERS)}, got {name!r}")
    named = chip or (board.scheme if board.scheme in CHIPS else str(own.get("chip", USUAL)))
    read_by = ("4067" if kind == "level" else "74hc165") if named == USUAL else named
    if kind == "level" and read_by != "4067":
        raise ConfigError(f"linear sensors (kind level) hang on 4067s, not on {read_by}")
    if kind == "polarity" and read_by == "matrix":
        raise ConfigError("a matrix is for reeds, which feel no pole: take kind presence, or 74hc165 or 4067")
    return name, read_by


def digest_of(board: BoardDescription) -> str:
    """Return the digest of the configuration that a board's scanner must have, which a board file may name itself.

    It is empty where no microcontroller of this board file can read these sensors.
    """
    if named := str(board.options.get("configuration", "")):
        return named
    try:
        plan = plan_scanner(board)
    except ConfigError:
        return ""
    return digest(board.channels, board.channel_kind, plan.chip, dict(plan.pins))


def lines_for(plan: Plan) -> str:
    """Return the lines of a board file whose papers show a plan."""
    return f'scheme = "serial", microcontroller = "{plan.name}" and chip = "{plan.chip}"'


def configuration(board: BoardDescription, on: str | None, chip: str | None, *, python: bool) -> str:
    """Return the text of ``config.py`` or ``config.h``; ``on`` and ``chip`` None take the board file's.

    Raise ConfigError when the microcontroller ``on`` can't read the board's sensors with that chip.
    """
    name, read_by = _machine_and_chip(board, on, chip)
    if python and name not in PYTHON_ON:
        listed = f"{', '.join(PYTHON_ON[:-1])} and {PYTHON_ON[-1]}"
        raise ConfigError(f"MicroPython runs on {listed}, not on {name}: expected a file config.h")
    if python and read_by == "direct":
        raise ConfigError("the firmware for MicroPython reads 74hc165, 4067 and matrix, not direct")
    plan = plan_scanner(board, name, read_by)
    if not python and plan.uart:
        raise ConfigError("the sketch speaks over USB only: expected a file config.py, or the USB port as device")
    if plan.wireless and (not python or name not in WITH_RADIO):
        raise ConfigError(
            f"Wi-Fi needs the firmware for MicroPython on {', '.join(WITH_RADIO)}: expected a file config.py for one "
            "of them, or the USB port as device"
        )
    return (_python if python else _header)(board, plan)


def _wires(machine: Microcontroller, uart: Uart | None, chip: str, kind: str, inputs: int) -> Wires | None:
    """Return the pins by name; None where the microcontroller has too few."""
    numbers = _numbers(chip, inputs)
    common = numbers.pop("common", 0) if kind == "level" else 0
    measured = machine.analogue[:common]
    spare = _spare(machine, uart, measured)
    if len(measured) < common or sum(numbers.values()) > len(spare):
        return None
    wires: Wires = {}
    for name, needed in numbers.items():
        taken = tuple(spare.pop(0) for _ in range(needed))
        wires[name] = taken[0] if name in {"load", "clock", "data"} else taken
    return wires | ({"common": measured} if common else {})


def _spare(machine: Microcontroller, uart: Uart | None, measured: tuple[int, ...]) -> list[int]:
    talking = {uart.sends, uart.receives} if uart else set()
    return [pin for pin in machine.digital if pin not in measured and pin not in talking]


def _too_few(machine: Microcontroller, name: str, uart: Uart | None, chip: str, kind: str, inputs: int) -> str:
    """Return why a microcontroller has too few pins, and what is possible."""
    numbers = _numbers(chip, inputs)
    common = numbers.pop("common", 0) if kind == "level" else 0
    needed, spare = sum(numbers.values()), len(_spare(machine, uart, machine.analogue[:common]))
    pins = f"{common} pins with an ADC and {needed} others" if common else f"{needed} pins"
    has = f"{len(machine.analogue)} and {spare}" if common else f"{spare}"
    takes = inputs * PARTS[LINEAR[0]].ma if kind == "level" else 0.0
    fitting = [
        one
        for one, known in MICROCONTROLLERS.items()
        if _wires(known, None, chip, kind, inputs) and (known.volts <= SUPPLY_V or takes <= known.feeds_ma)
    ]
    others = " or ".join(fitting) or ("fewer nodes" if kind == "level" else "fewer nodes, or 74hc165")
    return f"{inputs} inputs by {chip} take {pins}, a {name} has {has}: take {others}"


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


def _settle_us(plan: Plan) -> int:
    return MATRIX_SETTLE_US if plan.chip == "matrix" else SETTLE_US


def _baud(board: BoardDescription, plan: Plan) -> int:
    """Return the rate of the sketch's line. Raise ConfigError for one that the microcontroller can't make."""
    baud, clock = number(board.options, "baud") if "baud" in board.options else BAUD, plan.machine.uart_clock_hz
    if clock and not _can_make(clock, baud):
        others = ", ".join(str(one) for one in BAUDS if _can_make(clock, one))
        raise ConfigError(
            f"a {plan.name} can't send at {baud} baud (its clock makes {_rate(clock, baud):.0f}): {others} work"
        )
    return baud


def _can_make(clock: int, baud: int) -> bool:
    return abs(_rate(clock, baud) - baud) <= BAUD_ERROR * baud


def _rate(clock: int, baud: int) -> float:
    """Return the rate that Arduino's core makes of an AVR's clock (HardwareSerial.cpp, ``begin``)."""
    divider = (clock // 4 // baud - 1) // 2
    if (clock, baud) == (16_000_000, 57600) or divider > _LARGEST_DIVIDER:
        return clock / (16 * ((clock // 8 // baud - 1) // 2 + 1))
    return clock / (8 * (max(divider, 0) + 1))


def _header(board: BoardDescription, plan: Plan) -> str:
    kind, machine = board.channel_kind, plan.machine
    lines = [f"NODES {board.channels}", f"KIND KIND_{kind.upper()}", f"CHIP CHIP_{plan.chip.upper()}"]
    for name, pins in plan.pins.items():
        if isinstance(pins, int):
            lines.append(f"PIN_{name.upper()} {machine.name(pins)}")
        else:
            lines.append(f"PINS_{name.upper()} {', '.join(machine.name(pin) for pin in pins)}")
    lines += [f"SETTLE_US {_settle_us(plan)}", "AVERAGE 4", f"BAUD {_baud(board, plan)}"]
    about = f"// The sensors of {board.name}. What each line means is told in config.h of the firmware.\n"
    return about + "#pragma once\n\n" + "".join(f"#define {line}\n" for line in lines)


def _python(board: BoardDescription, plan: Plan) -> str:
    values = {"NODES": board.channels, "KIND": board.channel_kind, "CHIP": plan.chip, "PINS": plan.pins}
    # Picos differ only for the firmware, which finds out by itself.
    board_name = plan.name.replace("-", " ") if plan.name.startswith("esp32") else ""
    values |= {"BOARD": board_name, "SETTLE_US": _settle_us(plan), "AVERAGE": 4}
    uart = plan.uart
    pins = {"id": uart.number, "baud": board.options["baud"], "tx": uart.sends, "rx": uart.receives} if uart else {}
    values |= {"PORT": "uart" if uart else "wifi" if plan.wireless else "usb", "UART": pins}
    values |= {"CODE": board.options["code"] if plan.wireless else ""}
    about = f'"""The sensors of {board.name}. What each line means is told in config.py of the firmware."""\n\n'
    return about + "".join(f"{key} = {value!r}\n" for key, value in values.items())
