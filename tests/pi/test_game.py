"""A whole game on the emulated Pi: from chips on its pins through the installed program to the bytes of the strip."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board, load_board
from tests.pi.machine import Pi, PiError, Session
from tests.pi.sessions import wired

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1800)]

BOARD = "hexhex-7"
FIRST, THEN = ("g6", "g8", "f6"), ("a1", "f7", "a3", "h6", "a5", "h7")
"""Stones before and after the second player chooses to play Black on; the last one closes a coil."""
COIL = ("f6", "f7", "g6", "g8", "h6", "h7")
DARK = "m1"
"""A node without a stone."""
PATIENCE_S = 600.0


class Table:
    """The program in the Pi, and phones in a process of their own."""

    def __init__(self, program: Session, phones: Session, board: str) -> None:
        self._program, self.phones = program, phones
        phones.run("from pathlib import Path\nfrom tests.pi.guest.table import *\nphones = Phones()")
        phones.run(f"Path('/tmp/board.toml').write_text({board!r})")

    def open(self) -> None:
        """Start the program; wait until it answers."""
        self._program.begin("from tests.pi.guest.table import play\nplay(['--new', '--board', '/tmp/board.toml'])")
        self.wait(lambda: self.phones.run("phones.answered()"), "the program answers")

    def view(self) -> Any:
        return self.phones.run(
            "v = phones.get('/api/state')\n"
            "{'phase': v['phase'], 'stones': len(v['board']), 'result': v.get('result'), 'said': v['message']}"
        )

    def wait(self, look: Callable[[], Any], what: str) -> Any:
        """Return what is seen at last. Raise PiError with the program's end if it has ended."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                answer = look()
            except PiError:
                self._ended()
                raise
            if answer:
                return answer
            self._ended()
            assert time.monotonic() < end, f"waited in vain: {what}"
            time.sleep(0.3)  # Each look costs the emulated Pi time.

    def _ended(self) -> None:
        if not self._program.answers.empty():
            raise PiError(f"the program has ended: {self._program.result()}")


def test_from_the_pins_to_the_frames_of_the_strip(pi: Pi, tmp_path: Path) -> None:
    """The board file is the shipped one, scanned less often: the Pi stands still at each of the chain's edges."""
    text = re.sub(r"(?m)^scan_hz = .*", "scan_hz = 2", find_board(BOARD).read_text(encoding="utf-8"))
    file = tmp_path / "board.toml"
    file.write_text(text, encoding="utf-8")
    board = load_board(file)
    with pi.python("RPi.GPIO") as program, pi.python("") as phones:
        # RPi.GPIO maps the registers with the first pin; from then on they can be watched.
        program.run("import RPi.GPIO as pins\npins.setmode(pins.BCM)\npins.setup(26, pins.IN)\npins.cleanup(26)")
        with wired(pi, program, board) as parts:
            table = Table(program, phones, text)
            table.open()
            phones.run("phones.sit_down('Ann', 'Bob')")
            table.wait(lambda: table.view()["phase"] == "resolving", "the game begins")

            def put(node: str) -> None:
                stones = table.view()["stones"]
                parts.put(node)
                table.wait(lambda: table.view()["stones"] == stones + 1, f"{node} counts: {table.view()['said']}")

            for node in FIRST:
                put(node)
            phones.run("phones.post('Bob', 'confirm', action='pass')")
            for node in THEN:
                put(node)
            over = table.wait(lambda: (now := table.view())["phase"] == "over" and now, "the end")
            assert (over["result"]["reason"], over["result"]["winners"]) == ("coil", [2])
            lit = [board.nodes[node].pixel for node in COIL]
            table.wait(
                lambda: phones.run(f"all(any(phones.pixel(at)) for at in {lit})"), "the coil shines on the strip"
            )
            assert phones.run(f"phones.pixel({board.nodes[DARK].pixel}) == bytes(3)"), "a free node stays dark"
            print(f"{pi.debugger.stops} writes to the pins")
            assert pi.debugger.stops > 0
