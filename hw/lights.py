"""From the colours of a frame to the values sent: gamma, brightness, current limit, one or two strips.

Every frame passes through here, so pixels never draw more current than the board file allows.
"""

from __future__ import annotations

from collections.abc import Sequence

from hw.ports import Colour, LightsWiring, Strip

CHANNEL_MA = 20.0
"""Current of one colour channel of a WS2812B at full value."""
IDLE_MA = 1.0
"""Current of a dark WS2812B. It is not part of the limit, because software can't lower it."""


def drawn_ma(colours: Sequence[Colour]) -> float:
    """Return the current of these pixels in mA, without their idle current."""
    return sum(map(sum, colours)) * CHANNEL_MA / 255


def limit(colours: Sequence[Colour], max_current_ma: float) -> list[Colour]:
    """Return a frame scaled so that all pixels together stay within the limit."""
    drawn = drawn_ma(colours)
    if drawn <= max_current_ma:
        return list(colours)
    share = max_current_ma / drawn
    return [(int(red * share), int(green * share), int(blue * share)) for red, green, blue in colours]


def levels(brightness: float, gamma: float) -> tuple[int, ...]:
    """Return the sent value for each of the values 0 to 255. A value above 0 is sent as at least 1, to stay visible."""
    sent = [round(255 * brightness * (value / 255) ** gamma) for value in range(256)]
    return (0, *(max(1, value) for value in sent[1:]))


class BoardLights:
    """All pixels of a board as one strip, numbered continuously over its strips."""

    def __init__(self, lights: LightsWiring, strips: Sequence[Strip]) -> None:
        """``strips`` are open, in the order of ``lights.strips``."""
        self.length = lights.length
        self._strips = tuple(strips)
        self._max_current_ma = lights.max_current_ma
        self._levels = levels(lights.brightness, lights.gamma)

    def show(self, colours: Sequence[Colour]) -> None:
        """Send one frame, one colour per pixel. Raise HardwareError when a strip can't be driven."""
        if len(colours) != self.length:
            raise ValueError(f"a frame of {len(colours)} colours for {self.length} pixels")
        sent = self._levels
        frame = limit([(sent[red], sent[green], sent[blue]) for red, green, blue in colours], self._max_current_ma)
        begin = 0
        for strip in self._strips:
            strip.show(frame[begin : begin + strip.length])
            begin += strip.length

    def close(self) -> None:
        """Turn all pixels off and release the pins."""
        for strip in self._strips:
            strip.close()
