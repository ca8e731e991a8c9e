"""What tests run in the emulated Pi again and again: a board is opened there, and wired from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hw.ports import BoardDescription
from tests.pi.machine import Pi, Session
from tests.pi.wiring import WiredBoard
from tests.waiting import eventually

MAPPED = "[int(line.split('-')[0], 16) for line in open('/proc/self/maps') if '/dev/mem' in line]"
"""Expression for the virtual addresses at which RPi.GPIO has mapped the pins' registers."""
DEVICE, DIALOUT, CHANNELS = "/dev/ttyACM0", 20, 127
"""Of the scanner on the Pi's own USB: path, group, number of sensors."""
PATIENCE_S = 300.0


def until(look: Callable[[], object], what: str) -> None:
    """Wait until something is true; fail saying what was waited for."""
    eventually(look, what, PATIENCE_S, pause=0.3)


def give(gadget: Session) -> None:
    """Wait for the scanner's device, and give it to its group as Debian's udev rules do."""
    until(lambda: gadget.run(f"os.path.exists('{DEVICE}')"), "the device appears")
    gadget.run(f"os.chown('{DEVICE}', 0, {DIALOUT})\nos.chmod('{DEVICE}', 0o660)")


def open_bank(session: Session, board: BoardDescription) -> None:
    """Open the sensors of a board as the program does, on the Pi's own pins and ports: ``bank``."""
    session.run(
        f"""
from hw.buses import ThisComputer
from hw.ports import *
from hw.registry import open_bank
from hw.ports import Sizes
bank = open_bank({board!r}, ThisComputer())
"""
    )


@contextmanager
def wired(pi: Pi, session: Session, board: BoardDescription) -> Iterator[WiredBoard]:
    """Let the simulator's chips answer every write of RPi.GPIO to the pins, as long as this lasts."""
    parts = WiredBoard(board, pi.pins)
    mapped = session.run(MAPPED)
    assert mapped, "RPi.GPIO has not mapped the pins yet: set one up first"
    pi.debugger.watch(mapped, parts.on_write)
    try:
        yield parts
    finally:
        pi.debugger.release()
