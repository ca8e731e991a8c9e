"""Kinds of strips, and all strips of a board as one: from the colours of a frame to the values sent.

A kind of strip is a scheme, as a wiring of sensors is: an object that is found by its name among the entry points
``lodestone.strips`` (docs/adding-a-strip.md). A frame goes three steps: gamma and brightness; the values of the pixels'
own channels, which a kind with a white channel makes of three colours; and the limit. All frames of all strips pass
here, so pixels never draw more current than the board file allows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Protocol

from hw import pi
from hw.buses import Computer
from hw.pins import SPI_PINS
from hw.plugins import Plugins
from hw.ports import ABSENT, Colour, HardwareError, LightsWiring, StripWiring

CHANNEL_MA = 20.0
"""Current of one colour channel at full value, of WS2812B, SK6812 and APA102 alike."""
IDLE_MA = 1.0
"""Current of a dark pixel. It is not part of the limit, because software can't lower it."""
ORDERS = ("GRB", "RGB", "BRG", "GBR", "RBG", "BGR")
GPIO, SPI, NETWORK = "gpio", "spi", "network"
PI_PINS = (*pi.PWM_PINS, "D21", "D10")
"""Pins that can drive pixels without a clock (PWM, PCM or SPI) on a Pi 1 to 4."""

Pixel = tuple[int, ...]
"""The values of a pixel's channels, 0 to 255: red, green, blue and, where it has one, white."""


class PixelStrip(Protocol):
    """An open strip."""

    length: int

    def show(self, pixels: Sequence[Pixel]) -> None:
        """Send one frame. Raise HardwareError when the strip does not take it."""
        ...

    def close(self) -> None:
        """Turn all pixels off and release the pins."""
        ...


class StripScheme(ABC):
    """One kind of strip. An instance has no state; importing its module must not open any device."""

    name: str
    """Name in board files (``scheme``) and of the entry point."""
    part: str
    """What its pixels are called in lists of parts: ``WS2812B``."""
    orders: tuple[str, ...] = ORDERS
    """Possible orders of a pixel's bytes, with a letter for each of its channels; the usual one first."""
    over: tuple[str, ...] = (GPIO, SPI)
    """Ways of sending that a board file can choose: a data pin of any kind, an SPI bus, or the network."""
    spi_pins: ClassVar[Mapping[int, int]] = MappingProxyType({10: 0})
    """Data pin (BCM) → the SPI bus whose output it is, for those buses that can drive the strip."""
    inputs: ClassVar[Mapping[str, str]] = MappingProxyType({"data": "DIN"})
    """``data``, and ``clock`` for a strip that has one → the name of the input on its first pixel."""
    outputs: ClassVar[Mapping[str, str]] = MappingProxyType({"data": "DOUT"})
    """Name of a line, as in :attr:`inputs` → the output by which a pixel hands it on."""
    legs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Name of a single pixel's pin → its number: VDD, GND, inputs and outputs; empty where makers' numbers differ."""
    corner: str = ""
    """Name of the pin at a single pixel's cut corner; empty where makers differ."""
    controller: str = ""
    """What drives its pixels in place of the Pi, if anything does: ``WLED controller``."""
    channel_ma: float = CHANNEL_MA
    idle_ma: float = IDLE_MA

    @abstractmethod
    def frame_us(self, strip: StripWiring) -> float:
        """Return the time that a frame takes on the wire, µs."""

    @abstractmethod
    def open(self, strip: StripWiring, computer: Computer) -> PixelStrip:
        """Open a strip, dark. Raise HardwareError saying what is missing and what to do."""

    def spi_bytes(self, strip: StripWiring) -> int:  # noqa: ARG002 - most kinds bear gaps
        """Return the number of bytes over SPI that must come without a gap; 0 where a gap does no harm."""
        return 0

    def pixel(self, colour: Colour) -> Pixel:
        """Return the values of the channels that make a colour."""
        return colour

    def bus(self, strip: StripWiring) -> int | None:
        """Return the SPI bus that drives a strip; None where none does."""
        return self.spi_pins.get(int(strip.pin[1:])) if strip.over == SPI else None

    def lines(self, strip: StripWiring) -> dict[str, int]:
        """Return the lines from the Pi to a strip, as in :attr:`inputs` → pin (BCM)."""
        if not is_wired(strip):
            return {}
        bus = self.bus(strip)
        clock = {} if bus is None or "clock" not in self.inputs else {"clock": SPI_PINS[bus]["clock"]}
        return {"data": int(strip.pin[1:])} | clock

    def pins(self, strip: StripWiring) -> tuple[int, ...]:
        """Return all pins (BCM) that a strip takes: its own, or those of its whole bus."""
        if not is_wired(strip):
            return ()
        bus = self.bus(strip)
        return (int(strip.pin[1:]),) if bus is None else tuple(SPI_PINS[bus].values())


def is_wired(strip: StripWiring) -> bool:
    """Return whether a strip hangs on the Pi's own pins."""
    return strip.over in {GPIO, SPI}


STRIPS: Plugins[StripScheme] = Plugins("lodestone.strips", "strip", StripScheme)  # type: ignore[type-abstract]


def levels(brightness: float, gamma: float) -> tuple[int, ...]:
    """Return the sent value for each of the values 0 to 255. A value above 0 is sent as at least 1, to stay visible."""
    sent = [round(255 * brightness * (value / 255) ** gamma) for value in range(256)]
    return (0, *(max(1, value) for value in sent[1:]))


def drawn_ma(pixels: Sequence[Pixel], channel_ma: float = CHANNEL_MA) -> float:
    """Return the current of these pixels in mA, without their idle current."""
    return sum(map(sum, pixels)) * channel_ma / 255


class BoardLights:
    """All pixels of a board as one strip, numbered continuously over its strips."""

    def __init__(self, lights: LightsWiring, strips: Sequence[PixelStrip]) -> None:
        """``strips`` are open, in the order of ``lights.strips``."""
        self.length = lights.length
        self._strips = tuple(zip(strips, (STRIPS.get(one.scheme) for one in lights.strips), strict=True))
        self._max_current_ma = lights.max_current_ma
        self._levels = levels(lights.brightness, lights.gamma)

    def show(self, colours: Sequence[Colour]) -> None:
        """Send one frame, one colour per pixel. Raise HardwareError when a strip can't be driven."""
        if len(colours) != self.length:
            raise ValueError(f"a frame of {len(colours)} colours for {self.length} pixels")
        sent, begin, drawn = self._levels, 0, 0.0
        frames: list[list[Pixel]] = []
        for strip, scheme in self._strips:
            own = colours[begin : begin + strip.length]
            frames.append([scheme.pixel((sent[red], sent[green], sent[blue])) for red, green, blue in own])
            drawn += drawn_ma(frames[-1], scheme.channel_ma)
            begin += strip.length
        if drawn > self._max_current_ma:
            share = self._max_current_ma / drawn
            frames = [[tuple(int(value * share) for value in pixel) for pixel in frame] for frame in frames]
        for (strip, _), frame in zip(self._strips, frames, strict=True):
            strip.show(frame)

    def close(self) -> None:
        """Turn all pixels off and release the pins."""
        for strip, _ in self._strips:
            strip.close()


class AbsentStrip:
    """The strip of a board without lights: it accepts frames and shows nothing."""

    def __init__(self, length: int) -> None:
        """``length`` is the number of pixels in a frame."""
        self.length = length

    def show(self, pixels: Sequence[Pixel]) -> None:
        """Ignore a frame."""

    def close(self) -> None:
        """Do nothing."""


def open_lights(lights: LightsWiring, computer: Computer) -> BoardLights:
    """Open every strip of a board. If one raises HardwareError, close the others and raise it again."""
    opened: list[PixelStrip] = []
    try:
        for strip in lights.strips:
            absent = strip.over == ABSENT
            opened.append(AbsentStrip(strip.length) if absent else STRIPS.get(strip.scheme).open(strip, computer))
    except HardwareError:
        for one in opened:
            one.close()
        raise
    return BoardLights(lights, opened)


def check_pi(lights: LightsWiring, model: str) -> None:
    """Raise HardwareError for strips that this Pi can't drive; a Pi 5 and unknown models are not checked."""
    if not model or pi.is_pi5(model):
        return
    over_gpio = [strip for strip in lights.strips if strip.over == GPIO]
    if len(over_gpio) > 1:
        raise HardwareError(
            f"strips on {over_gpio[0].pin} and {over_gpio[1].pin}: on a {model} only one strip can be on a pin of its "
            'own; put the other on D10 with over = "spi" (a Pi 5 drives both)'
        )
    for strip in over_gpio:
        if strip.pin not in PI_PINS:
            raise HardwareError(
                f"strip pin {strip.pin}: a {model} can drive pixels on {', '.join(PI_PINS)} only (a Pi 5 on any)"
            )
