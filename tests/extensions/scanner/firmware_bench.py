"""The bench for tests of every scanner: a microcontroller on simulated chips, with the host's driver on its port."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from typing import Any

from firmware_host.extensions.scanner.bank import SerialScannerBank
from firmware_host.extensions.scanner.link import FrameReader, Terms
from firmware_host.extensions.scanner.wireless import SILENCE_S
from hw.ports import BoardDescription, HardwareError
from lodestone.boards import Clock
from simulator.stones import World
from tests.extensions.scanner import scanner_vectors
from tests.extensions.scanner.microcontroller import Microcontroller
from tests.hw.test_every_scheme import AT_REST, agrees
from tests.sampling import some
from tests.schemes import described
from tests.waiting import eventually

PATIENCE_S = 60.0
"""Maximum wait for the firmware's answer on a busy machine; no test measures it."""

Made = Callable[[BoardDescription, World], Microcontroller]


class Bench:
    """A microcontroller with its stones, and the driver on its port."""

    def __init__(self, made: Made, kind: str, count: int, *, changes: bool = False, code: str = "") -> None:
        """With ``code`` the firmware is in the Wi-Fi."""
        self.clock = Clock()
        self.kind, self.count = kind, count
        board = described("serial", kind, count)
        self.world = World(list(board.nodes), kind, self.clock)
        self.machine = made(board, self.world)
        try:
            terms = Terms(count, kind, 20, least_silence_s=SILENCE_S) if code else Terms(count, kind, 10, changes)
            device = self._address() if code else self.machine.pattern
            self.bank = SerialScannerBank(device, 115200, terms, code=code, patience_s=PATIENCE_S)
        except BaseException:
            self.machine.close()
            raise

    def _address(self) -> str:
        return eventually(
            lambda: self.machine.address, lambda: (self.machine.violations, self.machine.stderr), pause=0.005
        )

    def lay(self, stacks: dict[int, str]) -> None:
        """Clear the board, lay these stones, and let the contacts come to rest."""
        for node, pieces in self.world.stones().items():
            self.world.lift("hand", node, pieces)
            self.world.drop("hand")
        for index, stack in stacks.items():
            for piece in stack:
                self.world.put(f"n{index}", piece)
        self.clock.now += AT_REST

    def lost(self) -> str:
        try:
            self.bank.scan()
        except HardwareError as error:
            return str(error)
        return ""

    def reads(self, stacks: dict[int, str]) -> bool:
        try:
            return agrees(list(self.bank.scan()), self.kind, stacks, self.count)
        except HardwareError:  # Also a busy machine that was silent for too long.
            return False

    def reads_at_once(self, stacks: dict[int, str]) -> bool:
        """Tell whether the next readings are these at once; silence of a busy machine is no reading."""
        self.until(lambda: not self.lost())
        return self.reads(stacks) or bool(self.lost())

    def until(self, what: Callable[[], Any], seconds: float = PATIENCE_S) -> None:
        eventually(
            what,
            lambda: (self.lost(), self.bank.counters, self.machine.violations, self.machine.stderr),
            seconds,
            pause=0.005,
        )

    def close(self) -> None:
        self.bank.close()
        self.machine.close()


def every_node_alone_is_told_from_every_other(at: Bench) -> None:
    for index in some(range(at.count)):
        at.lay({index: "b"})
        at.until(lambda index=index: at.reads({index: "b"}))  # type: ignore[misc]


def what_lies_there_is_read(at: Bench, stacks: dict[int, str]) -> None:
    at.lay(stacks)
    at.until(lambda: at.reads(stacks))
    for _ in range(3):
        time.sleep(0.01)  # Several rounds of the scanner show the same.
        try:
            readings = list(at.bank.scan())
        except HardwareError:  # A busy machine was silent for too long.
            continue
        assert agrees(readings, at.kind, stacks, at.count)


def changes_tell_as_much_as_snapshots(at: Bench, boards: list[dict[int, str]]) -> None:
    for stacks in boards:
        at.lay(stacks)
        at.until(lambda stacks=stacks: at.reads(stacks))  # type: ignore[misc]
    _nothing_was_lost(at)


def a_closed_port_is_free_for_the_next(at: Bench) -> None:
    at.lay({7: "w"})
    at.bank.close()
    assert "closed" in at.lost()
    at.bank = SerialScannerBank(at.machine.pattern, 115200, Terms(at.count, at.kind, 10), patience_s=PATIENCE_S)
    at.until(lambda: at.reads({7: "w"}))
    assert at.bank.counters.troubles == 0
    _nothing_was_lost(at)


def _nothing_was_lost(at: Bench) -> None:
    """Allow losses by opening the port in the middle of a frame, again after a long silence of a busy machine."""
    counters = at.bank.counters
    assert counters.losses or (counters.gaps == 0 and counters.dropped <= 1), counters


def unplugged_and_back_under_another_name(at: Bench) -> None:
    at.machine.unplug()
    at.until(at.lost)
    at.lay({5: "w"})
    at.machine.plug("ttyACM2")
    at.until(lambda: at.reads({5: "w"}))
    assert at.bank.device.endswith("ttyACM2")


def a_reset_on_a_uart_is_survived(at: Bench) -> None:
    at.machine.reboot()
    at.lay({5: "w"})
    at.until(lambda: at.reads({5: "w"}))
    assert at.bank.counters.reboots + at.bank.counters.losses >= 1


def answers_as_the_page_says(machine: Microcontroller) -> None:
    with open(next(machine.folder.glob("ttyACM*")), "r+b", buffering=0) as terminal:
        reader = FrameReader()
        while not list(reader.feed(terminal.read(4096) or b"")):  # Its hello.
            pass

        def say(data: bytes) -> Iterator[bytes]:
            terminal.write(data)
            while select.select([terminal], [], [], PATIENCE_S)[0]:
                yield terminal.read(4096) or b""

        for _, data, wanted in scanner_vectors.rows("to-scanner"):
            scanner_vectors.answers(say, wanted, scanner_vectors.hexadecimal(data))
