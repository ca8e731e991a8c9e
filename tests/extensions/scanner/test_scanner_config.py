"""Configurations of a scanner fit its firmware."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from firmware_host.extensions.scanner.configuration import CHIPS, PYTHON_ON, ConfigError, configuration, plan_scanner
from firmware_host.extensions.scanner.device import boards
from firmware_host.extensions.scanner.microcontrollers import MICROCONTROLLERS
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
