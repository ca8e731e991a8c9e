"""The simulator's chips on the pins of the emulated Pi instead of its simulated pins: real drivers, real registers."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping

from hw.pins import pin_list
from hw.ports import BoardDescription
from lodestone.boards import Clock
from simulator.breadboard import Breadboard, connect
from simulator.buses import ChipViolation, PinError, SimulatedGpio
from simulator.stones import World
from tests.pi.qtest import PINS, Qtest

AT_REST_S = 10.0
"""No contact bounces any more."""
SETTLED_US = 1000.0


class WiredBoard:
    """A board whose sensors lie on the emulated Pi's pins; after a move in ``world`` call :meth:`settle`."""

    def __init__(self, description: BoardDescription, pins: Qtest) -> None:
        """Solder the chips and give the inputs their levels."""
        self.description, self._pins = description, pins
        self.clock = Clock()
        names = [node.name for node in sorted(description.nodes.values(), key=lambda one: one.channels)]
        sensors = [sensor for _, sensor in sorted(description.sensors().items())]
        self.world = World(names, description.kind, self.clock, sensors=sensors)
        self.bench = Breadboard()
        connect(description, self.world, self.bench)
        self._gpio: SimulatedGpio = self.bench.gpio()
        self._outputs: dict[int, int] = {}
        self._inputs: dict[int, int] = {}
        self._own = {pin for name in description.pins for pin in pin_list(description.pins, name)}
        self._lock = threading.Lock()
        self.settle()

    def put(self, node: str) -> None:
        """Put a stone on a node while the Pi scans."""
        with self._lock:
            self.world.put(node, "b")
        self.settle()

    def settle(self) -> None:
        """Let contacts come to rest, and the Pi's writes and the stones reach the chips and pins."""
        self.clock.now += AT_REST_S
        self.react()

    def react(self) -> None:
        """Tell the chips what the Pi's outputs are now, and drive its inputs as the chips answer."""
        with self._lock:
            for pin, level in self._pins.outputs().items():
                if pin in self._own and self._outputs.get(pin) != level:
                    self._write(pin, level)
            self.bench.wait_us(SETTLED_US)
            answers = self._answers()
            self._pins.drive({pin: level for pin, level in answers.items() if self._inputs.get(pin) != level})
            self._inputs = {**self._inputs, **answers}

    def on_write(self, offset: int, value: int) -> None:
        """Do the Pi's write to a register of its pins, and let the chips answer."""
        self._pins.write(PINS + offset, value)
        self.react()

    def _write(self, pin: int, level: int) -> None:
        if pin in self._outputs:
            self._gpio.output(pin, level)
        else:  # Until the program opened the board it was an input.
            self._gpio.cleanup(pin)
            self._inputs.pop(pin, None)
            self._gpio.setup(pin, self._gpio.OUT, initial=level)
        self._outputs[pin] = level

    def _answers(self) -> Mapping[int, int]:
        """Return the levels at the inputs; without an answer of a chip a pull-up holds them high."""
        answers = {}
        for pin in self._own - set(self._outputs):
            if pin not in self._inputs:
                with contextlib.suppress(PinError):
                    self._gpio.setup(pin, self._gpio.IN, pull_up_down=self._gpio.PUD_UP)
            answers[pin] = self._inputs.get(pin, 1)
            with contextlib.suppress(ChipViolation):  # No driver reads now: a chip may be in the middle of a change.
                answers[pin] = self._gpio.input(pin)
        return answers
