"""``sk6812-rgbw``: SK6812 with a white channel of their own, driven as WS2812B are, with four bytes a pixel.

What red, green and blue have in common is given by the white channel alone. One channel then makes the white that takes
three on other strips: a white pixel draws 20 mA rather than 60, and no colour more than 40, so that the same current
limit leaves most pictures brighter.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from hw.lights import ORDERS, Pixel
from hw.ports import Colour
from hw.strips.ws2812 import NeoPixels


class WhiteNeoPixels(NeoPixels):
    """Strips of red, green, blue and white."""

    name = "sk6812-rgbw"
    part = "SK6812 RGBW"
    legs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    orders = tuple(f"{order}W" for order in ORDERS)

    def pixel(self, colour: Colour) -> Pixel:
        white = min(colour)
        red, green, blue = colour
        return red - white, green - white, blue - white, white


SCHEME = WhiteNeoPixels()
