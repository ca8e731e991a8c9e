"""All pixels of a board: gamma, brightness, current limit, SPI and a second strip, checked by captured bytes."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw import neopixel_strip, pi
from hw.lights import CHANNEL_MA, BoardLights, drawn_ma, levels, limit
from hw.neopixel_strip import NeoPixelStrip, SpiStrip, assemble, open_lights, open_strip, spi_bytes
from hw.ports import Colour, HardwareError, LightsWiring, Strip, StripWiring
from simulator.lights import SpiWire, Wires, capture_all, join
from simulator.strip import StripError, prepare_library

colours = st.tuples(*[st.integers(0, 255)] * 3)
DARK: Colour = (0, 0, 0)


def opened(lights: LightsWiring) -> tuple[BoardLights, Wires]:
    wires = capture_all(lights)
    waiting = iter(wires)

    def open_one(wiring: StripWiring) -> Strip:
        wire = next(waiting)
        if isinstance(wire, SpiWire):
            return SpiStrip(wire.bus(), wiring.length, wiring.order)
        return NeoPixelStrip(wire.pin(), wiring.length, wiring.order)

    return assemble(lights, open_one), join(wires)


def one(length: int, *, over: str = "gpio", order: str = "GRB") -> tuple[StripWiring, ...]:
    return (StripWiring("D10" if over == "spi" else "D18", length, order, over),)


@given(st.lists(colours, max_size=60), st.integers(20, 3000))
def test_the_current_stays_under_the_limit(frame: list[Colour], most: int) -> None:
    sent = limit(frame, most)
    assert drawn_ma(sent) <= most + 1e-9
    if drawn_ma(frame) <= most:
        assert sent == frame


def test_a_white_pixel_draws_60_ma() -> None:
    assert drawn_ma([(255, 255, 255)]) == 3 * CHANNEL_MA == 60


@pytest.mark.parametrize("over", ["gpio", "spi"])
@given(frame=st.lists(colours, min_size=1, max_size=60), order=st.sampled_from(["GRB", "RGB", "BGR"]))
def test_both_libraries_send_what_is_meant(over: str, frame: list[Colour], order: str) -> None:
    strips = one(len(frame), over=over, order=order)
    driver, wire = opened(LightsWiring(strips, max_current_ma=100_000))
    driver.show(frame)
    assert wire.pixels() == frame
    driver.close()
    assert wire.pixels() == [DARK] * len(frame)


def test_the_pulses_over_spi_are_those_of_the_datasheet() -> None:
    """One pixel, green 0x80: a 1 is high for 625 ns, a 0 for 312 ns, a bit takes 1.25 µs; rests of 300 µs around it."""
    heard: list[tuple[bytes, int]] = []

    class Listening(SpiWire):
        def hear(self, data: bytes, frequency: int) -> None:
            heard.append((data, frequency))
            super().hear(data, frequency)

    wire = Listening(1)
    SpiStrip(wire.bus(), 1).show([(0, 0x80, 0)])
    data, frequency = heard[-1]
    assert frequency == 6_400_000
    assert data == bytes(240) + b"\xf0" + b"\xc0" * 23 + bytes(240)
    assert len(data) == spi_bytes(1)
    assert 240 * 8 / frequency == pytest.approx(300e-6)
    assert wire.pixels() == [(0, 128, 0)]


def test_the_librarys_own_rest_is_too_short_for_todays_parts() -> None:
    """The driver sets 300 µs because 80 µs would not end a frame."""
    prepare_library()
    import neopixel_spi  # type: ignore[import-not-found,unused-ignore] # noqa: PLC0415

    pixels = neopixel_spi.NeoPixel_SPI(SpiWire(2).bus(), 2, auto_write=False)
    with pytest.raises(StripError, match="a rest of 80 µs"):
        pixels.show()


def test_the_simulated_line_refuses_pulses_that_are_no_bits() -> None:
    rest = bytes(250)
    for data, words in (
        (rest + b"\xff\xc0" + rest, "neither a 0 nor a 1"),
        (rest + b"\x80" + rest, "neither a 0 nor a 1"),
        (rest + b"\xc0" * 8 + bytes(10) + b"\xc0" * 16 + rest, "rests in the middle"),
        (b"\xc0" * 24 + rest, "does not rest low"),
        (rest + b"\xc0" * 23 + rest, "23 bits for 1 pixels: expected 24"),
    ):
        with pytest.raises(StripError, match=words):
            SpiWire(1).hear(data, 6_400_000)


def test_brightness_and_gamma_reach_the_wire() -> None:
    driver, wire = opened(LightsWiring(one(3), brightness=0.5, gamma=2.0))
    driver.show([(255, 128, 0), (1, 0, 0), (0, 0, 64)])
    half = round(255 * 0.5 * (128 / 255) ** 2)
    assert wire.pixels() == [(128, half, 0), (1, 0, 0), (0, 0, round(127.5 * (64 / 255) ** 2))]


@given(st.floats(0.01, 1.0), st.floats(1.0, 4.0))
def test_levels_never_fall_and_never_vanish(brightness: float, gamma: float) -> None:
    sent = levels(brightness, gamma)
    assert sent[0] == 0
    assert sent[1] >= 1
    assert list(sent) == sorted(sent)
    assert sent[255] <= 255


def test_as_they_are_unless_the_board_says_otherwise() -> None:
    assert levels(1.0, 1.0) == tuple(range(256))


TWO = LightsWiring(
    (StripWiring("D18", 3, "GRB"), StripWiring("D10", 2, "RGB", "spi")),
    max_current_ma=100_000,
)


def test_a_second_strip_goes_on_where_the_first_ends() -> None:
    driver, wire = opened(TWO)
    frame = [(index, index + 1, index + 2) for index in range(5)]
    driver.show(frame)
    assert driver.length == TWO.length == wire.length == 5
    assert wire.pixels() == frame
    assert wire.data == bytes([1, 0, 2, 2, 1, 3, 3, 2, 4]) + bytes([3, 4, 5, 4, 5, 6])


def test_the_limit_holds_for_both_strips_together() -> None:
    driver, wire = opened(replace(TWO, max_current_ma=100))
    driver.show([(255, 255, 255)] * 5)
    assert 90 < drawn_ma(wire.pixels()) <= 100


def test_one_call_a_frame_when_both_strips_have_theirs() -> None:
    driver, wire = opened(TWO)
    seen: list[list[Colour]] = []
    wire.on_frame = lambda: seen.append(wire.pixels())
    driver.show([(9, 9, 9)] * 5)
    assert seen == [[(9, 9, 9)] * 5]


def test_a_frame_of_the_wrong_length_is_refused() -> None:
    driver, _ = opened(TWO)
    with pytest.raises(ValueError, match="4 colours for 5 pixels"):
        driver.show([DARK] * 4)


def test_when_the_second_strip_fails_the_first_is_darkened() -> None:
    wire = capture_all(TWO)[0]

    def open_one(wiring: StripWiring) -> Strip:
        if wiring.over == "spi":
            raise HardwareError("no SPI here")
        strip = NeoPixelStrip(wire.pin(), wiring.length, wiring.order)
        strip.show([(1, 1, 1)] * 3)
        return strip

    with pytest.raises(HardwareError, match="no SPI here"):
        assemble(TWO, open_one)
    assert wire.pixels() == [DARK] * 3


# -- on a Pi, as far as it can be tested without one ---------------------------------------------------------------


def test_two_strips_on_pins_of_their_own_need_a_pi_5(monkeypatch: pytest.MonkeyPatch) -> None:
    both = LightsWiring((StripWiring("D18", 3), StripWiring("D21", 3)))
    monkeypatch.setattr(pi, "model", lambda: "Raspberry Pi 4 Model B Rev 1.4")
    with pytest.raises(HardwareError, match=r"D18 and D21: on a Raspberry Pi 4.*put the other on D10 with over"):
        open_lights(both)


def test_pins_that_cant_drive_pixels_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pi, "model", lambda: "Raspberry Pi Zero 2 W Rev 1.0")
    with pytest.raises(HardwareError, match=r"strip pin D5: a Raspberry Pi Zero 2 W .* on D12, D13, D18"):
        open_lights(LightsWiring((StripWiring("D5", 3),)))


def test_a_revision_that_the_library_does_not_know_has_a_message_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def show(self: object) -> None:
        raise RuntimeError("ws2811_init failed with code -3 (Hardware revision is not supported)")

    class Pixels(list[tuple[int, int, int]]):
        pass

    Pixels.show = show  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "board", SimpleNamespace(D18=18))
    monkeypatch.setitem(sys.modules, "neopixel", SimpleNamespace(NeoPixel=lambda *_, **__: Pixels()))
    monkeypatch.setattr(pi, "model", lambda: "Raspberry Pi 3 Model B Rev 1.2")
    monkeypatch.setattr(pi, "revision", lambda: "a52082")
    with pytest.raises(HardwareError) as refused:
        open_strip(StripWiring("D18", 3))
    assert "does not know this Raspberry Pi 3 Model B Rev 1.2 (revision a52082)" in str(refused.value)
    assert 'connect the strip to D10, with over = "spi"' in str(refused.value)
    assert "run as root" not in str(refused.value)


def test_a_long_strip_over_spi_says_what_the_kernel_must_allow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bufsiz = tmp_path / "bufsiz"
    bufsiz.write_text("4096\n")
    monkeypatch.setattr(neopixel_strip, "SPI_BUFSIZ", bufsiz)
    monkeypatch.delenv("SPI_BUFSIZE", raising=False)
    assert spi_bytes(150) <= 4096 < spi_bytes(151)
    with pytest.raises(HardwareError, match=r"189 pixels take 5016 bytes.*spidev\.bufsiz=32768"):
        open_strip(StripWiring("D10", 189, "GRB", "spi"))


@pytest.mark.parametrize("over", ["gpio", "spi"])
def test_off_a_pi_it_says_what_to_do(over: str) -> None:
    prepare_library()
    with pytest.raises(HardwareError, match="--board sim"):
        open_strip(StripWiring("D10" if over == "spi" else "D27", 3, "GRB", over))
