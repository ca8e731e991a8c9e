"""A player's account without root: which groups it needs, and what it is told without them."""

from __future__ import annotations

import pytest

from tests.pi.machine import Pi, PiError
from tests.pi.sessions import open_bank
from tests.schemes import described

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

USER, GPIO = 1000, 997
BOARD = described("direct", "presence", 4)


@pytest.fixture
def gpio_group(pi: Pi) -> Pi:
    """Give the pins to their group, as the udev rules of a Pi do."""
    with pi.python() as root:
        root.run(f"import os\nos.chown('/dev/gpiochip0', 0, {GPIO})\nos.chmod('/dev/gpiochip0', 0o660)")
    return pi


def test_a_member_of_the_group_reads_the_pins(gpio_group: Pi) -> None:
    with gpio_group.python("rpi-lgpio", USER, [GPIO]) as session:
        assert session.run("import os\nos.getuid()") == USER
        open_bank(session, BOARD)
        assert len(session.run("list(bank.scan())")) == 4


@pytest.mark.parametrize("library", ["rpi-lgpio", "RPi.GPIO"])
def test_anybody_else_is_refused_in_words(gpio_group: Pi, library: str) -> None:
    with gpio_group.python(library, USER) as session:
        session.run("from hw.board import open_board\nfrom hw.ports import *\nfrom hw.ports import Sizes")
        with pytest.raises(PiError, match=r"HardwareError: the .*pins .*can't be"):
            session.run(f"open_board({BOARD!r})")
