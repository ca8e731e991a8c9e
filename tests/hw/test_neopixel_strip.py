"""The strip with the real Adafruit library, checked by the bytes that it sends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.neopixel_strip import NeoPixelStrip, open_strip
from hw.ports import HardwareError, StripWiring
from simulator.strip import CapturedWire, StripError, prepare_library


def strip(length: int, order: str = "GRB") -> tuple[NeoPixelStrip, CapturedWire]:
    wire = CapturedWire(length, order)
    return NeoPixelStrip(wire.pin(), length, order), wire


def test_the_documented_bytes() -> None:
    """The measured vector: pixel 0 (255, 10, 0) at brightness 0.5 gives 05 7f 00."""
    wire = CapturedWire(45)
    neopixel = prepare_library()
    pixels = neopixel.NeoPixel(wire.pin(), 45, auto_write=False, brightness=0.5, pixel_order=neopixel.GRB)
    pixels[0] = (255, 10, 0)
    pixels.show()
    assert len(wire.data) == 135
    assert wire.data[:3] == bytes.fromhex("057f00")


colours = st.tuples(*[st.integers(0, 255)] * 3)


@given(st.lists(colours, min_size=1, max_size=50), st.sampled_from(["GRB", "RGB", "BGR"]))
def test_frames_come_out_as_they_went_in(frame: list[tuple[int, int, int]], order: str) -> None:
    driver, wire = strip(len(frame), order)
    driver.show(frame)
    assert wire.pixels() == frame


def test_it_begins_dark_and_ends_dark() -> None:
    driver, wire = strip(3)
    assert wire.frames == 1
    driver.show([(1, 2, 3)] * 3)
    driver.close()
    assert wire.data == bytes(9)


def test_a_frame_of_the_wrong_length_is_refused() -> None:
    driver, _ = strip(3)
    with pytest.raises(ValueError, match="2 colours"):
        driver.show([(0, 0, 0)] * 2)


def test_a_strip_that_fails_says_so_as_hardware() -> None:
    driver, wire = strip(3)
    wire.length = 4  # The strip no longer accepts the driver's frames.
    with pytest.raises(HardwareError, match="does not take its frame"):
        driver.show([(1, 1, 1)] * 3)
    driver.close()


def test_a_pin_that_is_not_there_is_named() -> None:
    with pytest.raises(HardwareError, match=r"no pin 'D99'|--board sim"):
        open_strip(StripWiring("D99", 3))


def test_the_wire_refuses_what_is_no_frame() -> None:
    with pytest.raises(StripError, match="expected 9"):
        CapturedWire(3).receive(bytes(8))


def test_two_strips_do_not_mix() -> None:
    one, wire_one = strip(2)
    other, wire_other = strip(2)
    one.show([(9, 9, 9)] * 2)
    other.show([(1, 1, 1)] * 2)
    assert wire_one.pixels() == [(9, 9, 9)] * 2
    assert wire_other.pixels() == [(1, 1, 1)] * 2
