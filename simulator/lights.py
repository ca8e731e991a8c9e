"""The strips of a board as their pixels receive them, and what the simulated parts of a kind of strip are.

Those parts are found by the entry points ``lodestone.simulated_strips`` (docs/adding-a-strip.md). A frame that is none
raises StripError, a RuntimeError as those of the libraries that drive real strips.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hw.plugins import Plugins
from hw.ports import ABSENT, Colour, LightsWiring, StripWiring
from simulator.breadboard import Breadboard


class StripError(RuntimeError):
    """What is on the wire is no frame for this strip."""


class CapturedWire:
    """The end of a strip's wire, where frames arrive as bytes: those of the pixels' channels and no others."""

    def __init__(self, length: int, order: str = "GRB") -> None:
        """Expect frames of ``length`` pixels with the bytes of their channels in ``order``."""
        self.length = length
        self.order = order
        self.frames = 0
        """Number of received frames."""
        self.data = bytes(len(order) * length)
        """Bytes of the last frame."""
        self.on_frame: Callable[[], None] | None = None
        self.broken_from: int | None = None
        """The first pixel that receives no data, because the pixel before it does not pass any on."""
        self.is_strict = True
        """Whether a frame of another length is an error; else the pixels take of it what is theirs."""
        self.dead = False
        """Whether every write fails, as when the library's driver fails."""
        self._red, self._green, self._blue = (order.index(letter) for letter in "RGB")
        self._white = order.find("W")

    @property
    def wires(self) -> tuple[CapturedWire, ...]:
        """This wire."""
        return (self,)

    def pixels(self) -> list[Colour]:
        """Return the colours of the pixels, decoded from the bytes; a white channel adds to all three."""
        each, data = len(self.order), self.data
        if self.broken_from is not None:
            data = data[: each * self.broken_from] + bytes(len(data) - each * self.broken_from)
        places, white = (self._red, self._green, self._blue), self._white
        found = []
        for at in range(0, len(data), each):
            more = data[at + white] if white >= 0 else 0
            red, green, blue = (min(255, data[at + place] + more) for place in places)
            found.append((red, green, blue))
        return found

    def receive(self, data: bytes) -> None:
        """Receive the bytes of one frame. Raise StripError for a wrong length, RuntimeError when ``dead``."""
        if self.dead:
            raise RuntimeError("NeoPixel write failed: the hardware does not answer")
        if not self.is_strict:
            data = (data + bytes(len(self.data)))[: len(self.data)]
        if len(data) != len(self.data):
            raise StripError(f"{len(data)} bytes for {self.length} pixels: expected {len(self.data)}")
        self.data = data
        self.frames += 1
        if self.on_frame is not None:
            self.on_frame()


@dataclass(frozen=True)
class SimulatedStrip:
    """The pixels of one kind of strip, written from their data sheet, never from the driver."""

    name: str
    """Name of the strip's scheme and of the entry point."""
    connect: Callable[[StripWiring, Breadboard], CapturedWire]
    """Connects a strip to the pins or the bus of a breadboard."""


SIMULATED_STRIPS = Plugins("lodestone.simulated_strips", "strip, simulated", SimulatedStrip)


class JoinedWires:
    """Several strips as one, with pixels numbered continuously and the interface of CapturedWire."""

    def __init__(self, wires: Sequence[CapturedWire]) -> None:
        """Join wires in this order."""
        self.wires = tuple(wires)
        self.length = sum(wire.length for wire in wires)

    def pixels(self) -> list[Colour]:
        """Return the colours of all pixels."""
        return [colour for wire in self.wires for colour in wire.pixels()]

    @property
    def frames(self) -> int:
        """Number of frames that have passed on all wires."""
        return self.wires[-1].frames

    @property
    def data(self) -> bytes:
        """Bytes of the last frame on all wires."""
        return b"".join(wire.data for wire in self.wires)

    @property
    def on_frame(self) -> Callable[[], None] | None:
        """Function called after each frame, when the last wire has received its part."""
        return self.wires[-1].on_frame

    @on_frame.setter
    def on_frame(self, call: Callable[[], None] | None) -> None:
        self.wires[-1].on_frame = call


Wires = CapturedWire | JoinedWires


def connect_strips(lights: LightsWiring, breadboard: Breadboard) -> Wires:
    """Connect all strips of a board; return their wires as one. Raise HardwareError for an unknown kind."""
    absent = SimulatedStrip("", lambda one, _: CapturedWire(one.length, one.order))
    parts = [absent if one.over == ABSENT else SIMULATED_STRIPS.get(one.scheme) for one in lights.strips]
    wires = [part.connect(one, breadboard) for part, one in zip(parts, lights.strips, strict=True)]
    return wires[0] if len(wires) == 1 else JoinedWires(wires)
