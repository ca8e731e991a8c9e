"""A Pico on the bench: the firmware in a real MicroPython, its pins on simulated chips, its USB on a pseudo terminal.

What it can't show: the RP2040's own ADC, pull-ups, USB and UART hardware, its speed, and MicroPython's port for it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hw.ports import BoardDescription
from simulator.scanner import DevicePort
from simulator.scheme import solder
from simulator.soldering import Bench, adc_inputs
from simulator.stones import World

HERE = Path(__file__).parent
FIRMWARE = HERE.parent.parent / "hw" / "scanner"
RESET = 3
ADC_PINS = (26, 27, 28)
ADC_STEPS = 4096

WIRINGS: Mapping[str, Mapping[str, Any]] = {
    "74hc165": {"load": 2, "clock": 3, "data": 4},
    "4067": {"select": (2, 3, 4, 5), "common": (6, 7, 8)},
    "4067-polarity": {"select": (2, 3, 4, 5), "common": (6, 7, 8, 9, 10, 11), "enable": 12},
    "4067-level": {"select": (2, 3, 4, 5), "common": ADC_PINS},
    "matrix": {"rows": (2, 3, 4, 5, 6), "columns": (7, 8, 9, 10, 11, 12, 13, 14, 15)},
    "matrix-polarity": {"rows": tuple(range(2, 12)), "columns": tuple(range(12, 21))},
}
"""For each chip (and kind) some pins that hold 45 nodes."""


def wiring_of(chip: str, kind: str) -> Mapping[str, Any]:
    return WIRINGS.get(f"{chip}-{kind}", WIRINGS[chip])


def need_micropython() -> None:
    """Tell how to get what these tests run on, where it is missing."""
    if shutil.which("node") is None or not (HERE / "node_modules").is_dir():
        pytest.fail("MicroPython for the tests is not installed: run tests/need-micropython")


def config_text(chip: str, kind: str, port: str = "usb", nodes: int = 45, **others: Any) -> str:
    lines = {
        "NODES": nodes,
        "KIND": kind,
        "CHIP": chip,
        "PINS": dict(wiring_of(chip, kind)),
        "SETTLE_US": 10,
        "PORT": port,
        "UART": {"id": 0, "baud": 115200, "tx": 0, "rx": 1},
    } | others
    return "".join(f"{name} = {value!r}\n" for name, value in lines.items())


class Pico:
    """One Pico with its sensors; ``board`` tells nodes and kind. It runs at once; its device is ``device``."""

    def __init__(
        self,
        board: BoardDescription,
        world: World,
        chip: str,
        *,
        port: str = "usb",
        config: str = "",
        firmware: Path = FIRMWARE,
    ) -> None:
        need_micropython()
        self.world = world
        self.folder = Path(tempfile.mkdtemp(prefix="lodestone-pico-"))
        self.pattern = f"{self.folder}/ttyACM*"
        self.violations: list[str] = []
        """What chips and pins had to say against the firmware."""
        self.stderr = ""
        self.resets = 0
        """How often the firmware has reset the machine."""
        self._program = [str(firmware), config or config_text(chip, board.channel_kind, port, board.channels)]
        self._lock = threading.Lock()
        self._bench = Bench()
        self._analogue = _solder_pico(board, chip, world, self._bench)
        self._bench.gpio()
        self._process: subprocess.Popen[bytes] | None = None
        self._port: DevicePort | None = None
        self._threads: list[threading.Thread] = []
        self.plug()

    def plug(self, name: str = "ttyACM0") -> None:
        """Give it power, and a device name."""
        self._port = DevicePort(self.folder, name)
        self._start()

    def unplug(self) -> None:
        """Pull the cable."""
        self._kill()
        if self._port is not None:
            self._port.close()
            self._port = None

    def reboot(self) -> None:
        """Press its reset button, its line staying as it is (a UART)."""
        self._kill()
        self._start()

    def exit_status(self, seconds: float) -> int:
        """Wait until the firmware has ended by itself."""
        assert self._process is not None
        return self._process.wait(seconds)

    def close(self) -> None:
        self.unplug()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- one run -----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        assert self._port is not None
        self._bench.pins.cleanup()
        (asked, questions), (answers, told) = os.pipe(), os.pipe()
        ours = (questions, answers, self._port.master)
        process = self._process = subprocess.Popen(
            ["node", "run.mjs", *self._program, *map(str, ours)], cwd=HERE, pass_fds=ours, stderr=subprocess.PIPE
        )
        os.close(questions)
        os.close(answers)
        self._threads = [
            threading.Thread(target=self._serve, args=(asked, told), daemon=True),
            threading.Thread(target=self._listen, args=(process,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _kill(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            threads = self._threads
        if process is not None:
            process.kill()
            process.wait()
            for thread in threads:
                thread.join(timeout=5)

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        with process.stderr as stream:
            for line in stream:
                self.stderr = (self.stderr + line.decode("utf-8", "replace"))[-4000:]
        status = process.wait()
        with self._lock:
            if status == RESET and self._process is process:  # As a Pico does, it starts again.
                self.resets += 1
                self._start()

    def _serve(self, asked: int, told: int) -> None:
        with open(asked, encoding="ascii") as questions, open(told, "wb", buffering=0) as answers:
            for question in questions:
                with contextlib.suppress(BrokenPipeError):
                    answers.write(f"{self._answer(question.rstrip())}\n".encode())

    def _answer(self, question: str) -> str:
        answer: int | None = None
        try:
            for deed in question.split(";"):
                what, *values = deed.split()
                answer = self._do(what, *map(int, values))
        except Exception as error:  # noqa: BLE001 - whatever the bench has against it, the firmware is told
            self.violations.append(f"{type(error).__name__}: {error}")
            return f"!{error}".replace("\n", " ")
        return str(answer)

    def _do(self, what: str, pin: int, value: int = 0) -> int | None:
        pins = self._bench.pins
        if what == "out":
            pins.setup(pin, pins.OUT, initial=value)
        elif what == "in":
            pins.setup(pin, pins.IN, pull_up_down=pins.PUD_UP if value else pins.PUD_OFF)
        elif what == "write":
            pins.output(pin, value)
        elif what == "wait":
            self._bench.wait_us(pin)
        elif what == "read":
            return pins.input(pin)
        else:
            share = self._analogue[pin]()
            if share is None:
                raise RuntimeError(f"GP{pin} is measured, but nothing drives it")
            return min(ADC_STEPS - 1, int(share * ADC_STEPS))
        return None


def _solder_pico(board: BoardDescription, chip: str, world: World, bench: Bench) -> dict[int, Any]:
    """Solder the chips to a Pico's pins; return what drives its ADC pins."""
    wired = replace(board, scheme=chip, pins=wiring_of(chip, board.channel_kind), options={})
    if board.kind != "level":
        solder(wired, world, bench)
        return {}
    behind: Sequence[Any] = adc_inputs(wired, world, bench, len(ADC_PINS))
    return {pin: lambda index=index: behind[0](index) for index, pin in enumerate(ADC_PINS)}
