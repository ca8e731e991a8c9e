"""APA102 with a clock, SK6812 with a white of its own: their bytes and pulses, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_host.extensions.strips.apa102 import frame_bytes
from firmware_host.extensions.strips.simulated.sk6812_rgbw import SK6812
from hw.ports import Colour, LightsWiring, StripWiring
from lodestone.contracts import StripContract
from simulator.breadboard import Breadboard
from simulator.lights import StripError, connect_strips
from simulator.strips.ws2812 import NeoPixelWire
from tests.hw.test_lights import one, opened

WHITE = LightsWiring((StripWiring("D18", 2, "GRBW", "gpio", "sk6812-rgbw"),), max_current_ma=100_000)
CLOCKED = LightsWiring((StripWiring("D10", 2, "BGR", "spi", "apa102"),), max_current_ma=100_000)


def test_white_is_given_by_its_own_channel() -> None:
    driver, wire = opened(WHITE)
    driver.show([(255, 255, 255), (30, 200, 10)])
    assert wire.data == bytes([0, 0, 0, 255, 190, 20, 0, 10])
    assert wire.pixels() == [(255, 255, 255), (30, 200, 10)]


def test_white_of_its_own_leaves_more_light_under_a_limit() -> None:
    frame: list[Colour] = [(255, 255, 255)] * 2
    three, wire_three = opened(replace(LightsWiring(one(2)), max_current_ma=40))
    four, wire_four = opened(replace(WHITE, max_current_ma=40))
    three.show(frame)
    four.show(frame)
    assert wire_three.pixels() == [(85, 85, 85)] * 2
    assert wire_four.pixels() == frame


def test_a_pixel_of_four_channels_takes_its_own_pulses() -> None:
    """A SK6812 takes a 1 of 450 to 750 ns, and rests of 80 µs; the same bits as a WS2812B's suit both."""
    lights = LightsWiring((replace(WHITE.strips[0], pin="D10", over="spi"),))
    driver, wire = opened(lights)
    driver.show([(1, 2, 3), (4, 5, 6)])
    assert wire.pixels() == [(1, 2, 3), (4, 5, 6)]
    with pytest.raises(StripError, match="a pulse of 781 ns"):
        NeoPixelWire(1, "GRBW", SK6812).receive_pulses(bytes(250) + b"\xf8" * 32 + bytes(250), 6_400_000)


def test_the_bytes_of_a_strip_with_a_clock() -> None:
    """32 zeros; 0xFF and three colours a pixel; 32 zeros for a SK9822, and half a clock a pixel, in whole bytes."""
    assert frame_bytes([(1, 2, 3), (4, 5, 6)], "BGR") == bytes.fromhex("00000000 ff030201 ff060504 00000000 00")
    assert len(frame_bytes([(0, 0, 0)] * 33, "BGR")) == 4 + 4 * 33 + 4 + 3
    driver, wire = opened(CLOCKED)
    driver.show([(1, 2, 3), (4, 5, 6)])
    assert wire.data == bytes([3, 2, 1, 6, 5, 4])


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("000000 ff030201 ff060504 00000000 00", "begins with 24 zeros"),
        ("00000000 ff030201 000000", "56 bits for 2 pixels"),
        ("00000000 ff030201 ff060504 ff060504 00000000 00", "ones after the 64 bits of 2 pixels"),
        ("00000000 ff030201 ff060504 ffffffff", "ones after the 64 bits"),
        ("00000000 ff030201 ff060504 00000000", "an end of 32 bits"),
        ("00000000 ff030201 1f060504 00000000 00", "pixel 1 begins with 000"),
    ],
)
def test_a_strip_with_a_clock_refuses_what_is_no_frame(sent: str, words: str) -> None:
    bench = Breadboard()
    connect_strips(CLOCKED, bench)
    with pytest.raises(StripError, match=words):
        bench.spi(0, 0, 4_000_000).xfer2(list(bytes.fromhex(sent)))


def test_the_brightness_of_a_pixel_dims_its_colours() -> None:
    bench = Breadboard()
    wire = connect_strips(CLOCKED, bench)
    bench.spi(0, 0, 4_000_000).xfer2(list(bytes.fromhex("00000000 ef1f3e5d ff1f3e5d 00000000 00")))
    assert wire.data == bytes([0x1F * 15 // 31, 0x3E * 15 // 31, 0x5D * 15 // 31, 0x1F, 0x3E, 0x5D])


class TestStripOnTheNetwork(StripContract):
    strip = "wled"
