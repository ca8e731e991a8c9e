"""A scanner on a real ttyACM: Linux's own driver for USB serial lines, and a cable that is pulled."""

from __future__ import annotations

import pytest

from hw.ports import BoardDescription
from tests.pi.machine import Pi, PiError, Session
from tests.pi.sessions import CHANNELS, DEVICE, DIALOUT, give, open_bank, until
from tests.schemes import described

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

USER = 1000


def board() -> BoardDescription:
    made = described("serial", "presence", CHANNELS)
    return type(made)(**{**vars(made), "options": {**made.options, "device": DEVICE}})


def scan(session: Session) -> object:
    """Return readings, or the words of a HardwareError."""
    return session.run("try:\n    it = list(bank.scan())\nexcept HardwareError as error:\n    it = str(error)\nit")


def test_readings_come_without_root_and_after_the_cable_was_pulled(pi: Pi, gadget: Session) -> None:
    with pi.python("", USER, [DIALOUT]) as session:
        open_bank(session, board())
        assert session.run("bank.device") == DEVICE
        gadget.run("scanner.readings[3] = 1")
        until(lambda: scan(session) == [int(channel == 3) for channel in range(CHANNELS)], "the stone is read")
        gadget.run("scanner.unplug()")
        until(lambda: isinstance(scan(session), str), "the loss is told")
        until(lambda: not gadget.run(f"os.path.exists('{DEVICE}')"), "the device vanishes")
        told = str(scan(session))
        assert "unplugged" in told or "is it plugged in?" in told, told
        gadget.run("scanner.readings[3] = 0\nscanner.readings[8] = 1\nscanner.plug()")
        give(gadget)
        until(lambda: scan(session) == [int(channel == 8) for channel in range(CHANNELS)], "it reads again by itself")
        gadget.run("scanner.readings[8] = 0")
        session.run("bank.close()")


def test_without_the_group_it_says_which(pi: Pi, gadget: Session) -> None:
    with pi.python("", USER) as session, pytest.raises(PiError, match=r"sudo adduser .USER dialout"):
        open_bank(session, board())
