"""A simulated microcontroller: firmware under Node, its pins on simulated chips, its line on a pseudo terminal."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.scanner.simulated import DevicePort
from firmware_host.link.simulated import adc_inputs
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard, connect
from simulator.stones import World
from tests.schemes import is_there

RESET = 3
DRIVEN = frozenset({"out", "in", "write", "wait"})
"""What pins do without an answer: it is done, too, while readings get none."""


class Microcontroller:
    """One microcontroller with its sensors. It runs at once; the path of its port is ``device``."""

    adc_pins: tuple[int, ...]
    """ADC pins of the multiplexers' commons, for linear sensors."""
    adc_steps: int

    def __init__(self, board: BoardDescription, world: World, wiring: tuple[str, Mapping[str, Any]]) -> None:
        """Connect a board's sensors to a chip on these pins; only the nodes and kind of ``board`` matter."""
        self.world = world
        self.folder = Path(tempfile.mkdtemp(prefix="lodestone-scanner-"))
        self.pattern = f"{self.folder}/ttyACM*"
        self.violations: list[str] = []
        """Misuses of chips and pins by the firmware."""
        self.ripple = 0
        """Error of the ADC, alternately positive and negative, in its own steps."""
        self.stuck = False
        """Whether readings get no answer, so that the firmware hangs."""
        self.stderr = ""
        self.resets = 0
        """Number of resets by the firmware."""
        self.has_wifi = True
        self._door: socket.socket | None = None
        self._connections: dict[int, socket.socket] = {}
        self._lock = threading.Lock()
        self.bench = Breadboard()
        self._analogue = self._solder(board, *wiring)
        self.bench.gpio()
        self._process: subprocess.Popen[bytes] | None = None
        self._port: DevicePort | None = None
        self._threads: list[threading.Thread] = []
        self.plug()

    def program(self) -> tuple[Path, Sequence[str]]:
        """Return a folder, and the arguments for Node in it."""
        raise NotImplementedError

    def _solder(self, board: BoardDescription, chip: str, pins: Mapping[str, Any]) -> dict[int, Callable[[], Any]]:
        """Connect the chips; return the functions that drive the ADC pins."""
        wired = replace(board, scheme=chip, pins=pins, options={})
        if board.kind != "level":
            if not is_there(chip):
                pytest.skip(f"the extension with the simulated {chip} is deleted")
            connect(wired, self.world, self.bench)
            return {}
        behind: Sequence[Any] = adc_inputs(wired, self.world, self.bench, len(self.adc_pins))
        return {pin: lambda index=index: behind[0](index) for index, pin in enumerate(self.adc_pins)}

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
        """Press its reset button, without a change of its line (a UART)."""
        self._kill()
        self._start()

    def exit_status(self, seconds: float) -> int:
        """Wait until the firmware has ended by itself."""
        assert self._process is not None
        return self._process.wait(seconds)

    @property
    def address(self) -> str:
        """Its address in the Wi-Fi, once it listens."""
        return "" if self._door is None else f"tcp://127.0.0.1:{self._door.getsockname()[1]}"

    def lose_wifi(self) -> None:
        """End every connection, and let it join nothing until ``has_wifi`` is true again."""
        self.has_wifi = False
        for connection in list(self._connections.values()):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.unplug()
        if self._door is not None:
            self._door.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- one run -----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        assert self._port is not None
        self.bench.pins.cleanup()
        (asked, questions), (answers, told) = os.pipe(), os.pipe()
        ours = (questions, answers, self._port.master)
        folder, program = self.program()
        process = self._process = subprocess.Popen(
            ["node", *program, *map(str, ours)], cwd=folder, pass_fds=ours, stderr=subprocess.PIPE
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
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        with process.stderr as stream:
            for line in stream:
                self.stderr = (self.stderr + line.decode("utf-8", "replace"))[-4000:]
        status = process.wait()
        with self._lock:
            if status in {RESET, -signal.SIGUSR2} and self._process is process:  # As a Pico does, it starts again.
                self.resets += 1
                self._start()

    def _serve(self, asked: int, told: int) -> None:
        with open(asked, encoding="ascii") as questions, open(told, "wb", buffering=0) as answers:
            for question in questions:
                if not question.endswith("\n"):  # Killed in the middle of it.
                    return
                with contextlib.suppress(BrokenPipeError):
                    answers.write(f"{self._answer(question.rstrip())}\n".encode())

    def _answer(self, question: str) -> str:
        answer: int | str | None = None
        stuck = self.stuck
        try:
            for deed in question.split(";"):
                what, *values = deed.split()
                if stuck and what not in DRIVEN:
                    return "stuck"
                radio = getattr(self, f"_radio_{what}", None)
                answer = radio(*values) if radio else self._do(what, *map(float if what == "wait" else int, values))
        except Exception as error:  # noqa: BLE001 - whatever the bench has against it, the firmware is told
            self.violations.append(f"{type(error).__name__}: {error} at {question[:200]!r}")
            return f"!{error}".replace("\n", " ")
        return str(answer)

    # -- its radio: micropython/network.py and socket.py -------------------------------------------------------------

    def _radio_join(self, _: str) -> None:
        pass

    def _radio_joined(self, _: str) -> int:
        return int(self.has_wifi)

    def _radio_listen(self, _: str) -> None:
        if self._door is None:  # A restarted microcontroller keeps its address, and the host that calls it.
            self._door = socket.create_server(("127.0.0.1", 0))
            self._door.setblocking(False)

    def _radio_accept(self, _: str) -> int:
        assert self._door is not None
        try:
            connection, _address = self._door.accept()
        except BlockingIOError:
            return -1
        connection.setblocking(False)
        if not self.has_wifi:
            connection.close()
            return -1
        self._connections[connection.fileno()] = connection
        return connection.fileno()

    def _radio_receive(self, number: str, most: str) -> str:
        try:
            return f"x{self._connections[int(number)].recv(int(most)).hex()}"
        except BlockingIOError:
            return "wait"
        except OSError:
            return "broken"

    def _radio_send(self, number: str, data: str) -> int:
        try:
            return self._connections[int(number)].send(bytes.fromhex(data))
        except OSError:
            return -1

    def _radio_hangup(self, number: str) -> None:
        self._connections.pop(int(number)).close()

    def _do(self, what: str, pin: Any, value: Any = 0) -> int | str | None:
        pins = self.bench.pins
        if what == "out":
            pins.setup(pin, pins.OUT, initial=value)
        elif what == "in":
            pins.setup(pin, pins.IN, pull_up_down=pins.PUD_UP if value else pins.PUD_OFF)
        elif what == "write":
            pins.output(pin, value)
        elif what == "wait":
            self.bench.wait_us(pin)
        elif what == "read":
            return pins.input(pin)
        else:
            share = self._analogue[pin]()
            if share is None:
                raise RuntimeError(f"pin {pin} is measured, but nothing drives it")
            self.ripple = -self.ripple
            return min(self.adc_steps - 1, int(share * self.adc_steps) + self.ripple)
        return None
