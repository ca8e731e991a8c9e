"""The strip on each Pi: the real Blinka and neopixel libraries with a simulated model, up to their last layer.

Only a real Pi can test the layers below: PWM, PIO, the kernel's SPI and the wire.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from simulator.strips.ws2812 import NeoPixelWire
from tests.sampling import cases, few

FRAME = "100020110121120222"
"""Three pixels (0, 16, 32), (1, 17, 33), (2, 18, 34) in the order GRB."""
MEANT = [(0, 16, 32), (1, 17, 33), (2, 18, 34)]


def opened(*arguments: str) -> dict[str, Any]:
    call = [sys.executable, "-m", "tests.hw.pretend_pi", *arguments]
    run = subprocess.run(call, capture_output=True, text=True, check=True, timeout=200)
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


PINS = [
    ("RASPBERRY_PI_5", "D18", "pio"),
    ("RASPBERRY_PI_5", "D5", "pio"),
    ("RASPBERRY_PI_4B", "D18", "ws281x"),
    ("RASPBERRY_PI_4B", "D12", "ws281x"),
    ("RASPBERRY_PI_ZERO_2_W", "D21", "ws281x"),
    ("RASPBERRY_PI_ZERO_2_W", "D13", "ws281x"),
]


@pytest.mark.parametrize(("board", "pin", "by"), few(cases(PINS, PINS[1], PINS[2]), 1))
def test_a_pin_of_its_own(board: str, pin: str, by: str) -> None:
    assert opened(board, pin, "3", "gpio") == {"by": by, "pin": int(pin[1:]), "bytes": FRAME}


@pytest.mark.parametrize("board", few(["RASPBERRY_PI_5", "RASPBERRY_PI_4B"], 1))
def test_over_spi(board: str) -> None:
    came = opened(board, "D10", "3", "spi")
    assert (came["by"], came["pin"], came["hz"]) == ("spidev", [0, 0], 6_400_000)
    wire = NeoPixelWire(3)
    wire.receive_pulses(bytes.fromhex(came["bytes"]), came["hz"])
    assert wire.pixels() == MEANT


def test_without_root_it_says_so_and_knows_a_way() -> None:
    why = opened("RASPBERRY_PI_4B", "D18", "3", "gpio", "no-root")["refused"]
    assert 'requires running with sudo, please try again: run as root, or use D10 with over = "spi"' in why


def test_a_pin_that_no_pi_has() -> None:
    assert "no pin 'D99'" in opened("RASPBERRY_PI_4B", "D99", "3", "gpio")["refused"]
