"""Configurations of a scanner fit its firmware."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions import scanner
from firmware_host.extensions.scanner.configuration import CHIPS, PYTHON_ON, ConfigError, configuration, plan_scanner
from firmware_host.extensions.scanner.device import boards
from firmware_host.extensions.scanner.microcontrollers import MICROCONTROLLERS
from firmware_host.extensions.scanner.scheme import ScannerScheme
from hw.ports import BoardDescription
from tests.extensions.scanner.avr import compile as compiler
from tests.extensions.scanner.avr.nano import need_avr
from tests.sampling import together
from tests.schemes import described

KINDS = ("presence", "polarity", "level")
WAYS = [(on, chip, kind) for on in MICROCONTROLLERS for chip in CHIPS for kind in KINDS]


def written(on: str, chip: str, kind: str, *, python: bool) -> str:
    """Return a configuration for the most of 45, 36, 8, 6 nodes that the pins carry; empty if no firmware reads it."""
    for count in (45, 36, 8, 6):
        try:
            return configuration(described("serial", kind, count), on, chip, python=python)
        except ConfigError as error:
            if " inputs by " not in str(error):
                return ""
    raise AssertionError((on, chip, kind))


FIRMWARE = Path(scanner.__file__).parent
OTHER: dict[str, Any] = {"baud": 57600, "code": "ab" * 16, "microcontroller": "esp32", "chip": "4067"}
"""Option of a board file that a firmware has, too → another value than its usual one."""
NOT_IN_FIRMWARE = {"device", "configuration"}
"""Options of the host alone: its port, and the digest that it expects."""


def with_options(**options: Any) -> BoardDescription:
    board = described("serial", "presence", 8)
    return replace(board, options={**board.options, **options})


def header(board: BoardDescription) -> dict[str, str]:
    """Return the definitions of a board's ``config.h``."""
    return dict(re.findall(r"^#define (\w+) (.+)$", configuration(board, None, None, python=False), re.MULTILINE))


def script(board: BoardDescription) -> dict[str, Any]:
    """Return the values of a board's ``config.py``."""
    values: dict[str, Any] = {}
    exec(configuration(board, None, None, python=True), values)
    return values


def test_every_option_of_the_board_file_that_a_firmware_has_is_the_same_there() -> None:
    assert OTHER.keys() | NOT_IN_FIRMWARE == ScannerScheme.options.keys(), "say where a new option goes"
    usual = with_options(microcontroller="nano")
    assert header(usual)["BAUD"] == str(ScannerScheme.options["baud"].default)
    assert header(with_options(microcontroller="nano", baud=OTHER["baud"]))["BAUD"] == str(OTHER["baud"])
    assert header(with_options(microcontroller="nano", chip=OTHER["chip"]))["CHIP"] == "CHIP_4067"
    assert script(with_options(device="/dev/serial0", baud=OTHER["baud"]))["UART"]["baud"] == OTHER["baud"]
    assert script(with_options(chip=OTHER["chip"]))["CHIP"] == OTHER["chip"]
    assert script(with_options(microcontroller=OTHER["microcontroller"]))["BOARD"] == OTHER["microcontroller"]
    wireless = script(with_options(device="tcp://scanner.local", microcontroller="esp32", code=OTHER["code"]))
    assert wireless["CODE"] == OTHER["code"]
    defined = re.findall(
        r"^#define (\w+) ", (FIRMWARE / "arduino/lodestone_scanner/config.h").read_text(), re.MULTILINE
    )
    assert set(defined) == set(header(usual)), "what the firmware has, the board file's configuration has"


@pytest.mark.parametrize("on", ["nano", "uno"])
def test_a_rate_that_a_clock_can_t_make_is_refused(on: str) -> None:
    for baud in (1200, 9600, 19200, 38400, 57600, 76800, 115200, 250000, 500000, 1000000, 2000000):
        assert header(with_options(microcontroller=on, baud=baud))["BAUD"] == str(baud)
    for baud in (230400, 460800, 921600, 4000000):
        with pytest.raises(ConfigError, match=f"{on} can't send at {baud} baud .*: 57600, 115200, 250000, 500000"):
            configuration(with_options(microcontroller=on, baud=baud), None, None, python=False)
        assert header(with_options(microcontroller="pico", baud=baud))["BAUD"] == str(baud), "USB has no rate"


@together(("on", "chip", "kind"), [way for way in WAYS if way[0] in PYTHON_ON])
def test_micropython_finds_no_pin_that_its_board_has_not(on: str, chip: str, kind: str) -> None:
    values: dict[str, Any] = {}
    exec(written(on, chip, kind, python=True), values)
    if chip == "direct" or (kind == "level" and chip != "4067") or (kind == "polarity" and chip == "matrix"):
        assert "PINS" not in values
        return
    _, usable, only_read, measuring, _ = boards.choose_board(values["BOARD"] or "pico", "")
    pins = [pin for value in values["PINS"].values() for pin in (value if isinstance(value, tuple) else (value,))]
    assert len(set(pins)) == len(pins)
    for name, value in values["PINS"].items():
        allowed = measuring if kind == "level" and name == "common" else usable
        assert set(value if isinstance(value, tuple) else (value,)) <= set(allowed), only_read


@pytest.mark.thorough
@pytest.mark.parametrize(("on", "chip", "kind"), [way for way in WAYS if way[0] in ("nano", "uno")])
def test_the_sketch_compiles_with_it(on: str, chip: str, kind: str) -> None:
    need_avr()
    text = written(on, chip, kind, python=False)
    assert not text or compiler.compiled(text)


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.parametrize(("on", "chip", "kind"), [way for way in WAYS if way[0] in PYTHON_ON])
def test_a_compiler_takes_the_sketch_for_other_boards_with_it(on: str, chip: str, kind: str) -> None:
    text = written(on, chip, kind, python=False)
    if text:
        defines = {"esp32": ("ARDUINO_ARCH_ESP32",), "esp32-wrover": ("ARDUINO_ARCH_ESP32", "BOARD_HAS_PSRAM")}
        compiler.checked(text, *defines.get(on, ("ARDUINO_ARCH_RP2040",)))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_wrover_keeps_the_pins_of_its_memory(chip: str, kind: str) -> None:
    """16 and 17 are its PSRAM's select and clock (ESP32-WROVER data sheet, 3.2)."""
    for device in ("/dev/ttyACM0", "/dev/serial0"):
        for nodes in (8, 36, 45):
            board = described("serial", kind, nodes)
            with suppress(ConfigError):
                plan = plan_scanner(replace(board, options={**board.options, "device": device}), "esp32-wrover", chip)
                used = [
                    pin for value in plan.pins.values() for pin in (value if isinstance(value, tuple) else (value,))
                ]
                used += [plan.uart.sends, plan.uart.receives] if plan.uart else []
                assert not {16, 17} & set(used)
                assert len(set(used)) == len(used)
    assert boards.BOARDS["esp32 wrover"][0] == tuple(pin for pin in boards.BOARDS["esp32"][0] if pin not in {16, 17})
