"""Lodestone's drivers on the pins of a Raspberry Pi 3B that QEMU emulates: real libraries, Linux and registers."""

from __future__ import annotations

import pytest

from tests.pi.machine import Pi
from tests.pi.sessions import open_bank, wired
from tests.schemes import described, there

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

LIBRARIES = ("RPi.GPIO", "rpi-lgpio")
CHIPS = there(["74hc165", "4067", "matrix"])


def test_the_device_tree_names_the_pi_and_its_extra_is_chosen(pi: Pi) -> None:
    with pi.python() as session:
        choice = session.run("from hw import pi\n[*vars(pi.choose()).values()]")
        assert choice[0] == "Raspberry Pi 3 Model B"
        assert (choice[2], choice[3]) == ("pi-lgpio", "rpi-lgpio"), "Debian's kernel has no /dev/gpiomem"
        assert session.run("pi.gpio_packages()") == {"RPi.GPIO": "0.7.1a4"}
        assert session.run("import RPi.GPIO\nRPi.GPIO.RPI_INFO['TYPE']") == "Pi 3 Model B"
        detected = "from adafruit_blinka.agnostic import board_id\nboard_id"
        assert session.run(detected) == "RASPBERRY_PI_3B", "Blinka's detection, which the strip depends on"


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_line_is_driven_and_read(pi: Pi, library: str) -> None:
    with pi.python(library) as session:
        session.run("from hw.buses import open_gpio\ngpio = open_gpio()")
        session.run("gpio.setup(6, gpio.OUT, initial=gpio.HIGH)\ngpio.setup(13, gpio.IN)")
        assert pi.pins.outputs().get(6) == 1
        session.run("gpio.output(6, gpio.LOW)")
        assert pi.pins.outputs().get(6) == 0
        for level in (1, 0, 1):
            pi.pins.drive({13: level})
            assert session.run("gpio.input(13)") == level
        session.run("gpio.cleanup([6, 13])")
        assert 6 not in pi.pins.outputs(), "a released pin is an input again"


def test_gpiod_drives_and_reads_a_line(pi: Pi) -> None:
    """Blinka reaches a strip's pin by it."""
    with pi.python("") as session:
        session.run(
            """
import gpiod
from gpiod.line import Direction, Value
chip = gpiod.Chip("/dev/gpiochip0")
wanted = {18: gpiod.LineSettings(Direction.OUTPUT, output_value=Value.ACTIVE), 17: gpiod.LineSettings(Direction.INPUT)}
lines = chip.request_lines(wanted, "test")
"""
        )
        assert session.run("[chip.get_info().label, chip.get_info().num_lines]") == ["pinctrl-bcm2835", 54]
        assert pi.pins.outputs().get(18) == 1
        session.run("lines.set_value(18, Value.INACTIVE)")
        assert pi.pins.outputs().get(18) == 0
        for level in (1, 0):
            pi.pins.drive({17: level})
            assert session.run("lines.get_value(17).value") == level


@pytest.mark.parametrize("library", LIBRARIES)
def test_stones_on_direct_lines(pi: Pi, library: str) -> None:
    board = described("direct", "presence", 21)
    pins = board.pins["inputs"]
    assert not isinstance(pins, int)
    with pi.python(library) as session:
        pi.pins.drive(dict.fromkeys(pins, 1))
        open_bank(session, board)
        for stones in ({3}, {0, 7, 20}, set(), set(range(21))):
            pi.pins.drive({pin: int(channel not in stones) for channel, pin in enumerate(pins)})
            assert session.run("list(bank.scan())") == [int(channel in stones) for channel in range(21)]
        session.run("bank.close()")


@pytest.mark.parametrize("scheme", CHIPS)
def test_stones_behind_chips_that_answer_every_edge(pi: Pi, scheme: str) -> None:
    """Chips written from their data sheets hang on the Pi's registers; a driver's misuse of them is an error."""
    board = described(scheme, "presence", 18)
    with pi.python() as session:
        open_bank(session, board)
        with wired(pi, session, board) as parts:
            for stones in ((), (3,), (0, 7, 8, 17)):
                for stone in stones:
                    parts.world.put(f"n{stone}", "b")
                parts.settle()
                assert session.run("list(bank.scan())") == [int(channel in stones) for channel in range(18)]
                for stone in stones:
                    parts.world.lift("hand", f"n{stone}")
                    parts.world.drop("hand")
            assert pi.debugger.stops > 0
