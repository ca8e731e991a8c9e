"""All pixels of a board: gamma, brightness, current limit, SPI and a second strip, checked by captured bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw import buses, pi
from hw.buses import ThisComputer
from hw.lights import CHANNEL_MA, STRIPS, BoardLights, check_pi, drawn_ma, levels, open_lights
from hw.ports import Colour, HardwareError, LightsWiring, StripWiring
from hw.strips.ws2812 import SCHEME
from simulator.breadboard import Breadboard
from simulator.lights import StripError, Wires, connect_strips
from simulator.strips.ws2812 import NeoPixelWire, prepare_library

colours = st.tuples(*[st.integers(0, 255)] * 3)
DARK: Colour = (0, 0, 0)


def opened(lights: LightsWiring) -> tuple[BoardLights, Wires]:
    bench = Breadboard()
    wires = connect_strips(lights, bench)
    return open_lights(lights, bench), wires


def open_strip(strip: StripWiring) -> None:
    STRIPS.get(strip.scheme).open(strip, ThisComputer())


def one(length: int, *, over: str = "gpio", order: str = "GRB") -> tuple[StripWiring, ...]:
    return (StripWiring("D10" if over == "spi" else "D18", length, order, over),)


@given(st.lists(colours, min_size=1, max_size=60), st.integers(20, 3000))
def test_the_current_stays_under_the_limit(frame: list[Colour], most: int) -> None:
    driver, wire = opened(LightsWiring(one(len(frame)), max_current_ma=most))
    driver.show(frame)
    assert drawn_ma(wire.pixels()) <= most + 1e-9
    if drawn_ma(frame) <= most:
        assert wire.pixels() == frame


def test_a_white_pixel_draws_60_ma() -> None:
    assert drawn_ma([(255, 255, 255)]) == 3 * CHANNEL_MA == 60


def test_the_documented_bytes() -> None:
    """The measured vector: pixel 0 (255, 10, 0) at brightness 0.5 gives 05 7f 00."""
    wire = NeoPixelWire(45)
    neopixel = prepare_library()
    pixels = neopixel.NeoPixel(wire.pin(), 45, auto_write=False, brightness=0.5, pixel_order=neopixel.GRB)
    pixels[0] = (255, 10, 0)
    pixels.show()
    assert len(wire.data) == 135
    assert wire.data[:3] == bytes.fromhex("057f00")


def test_a_strip_that_fails_says_so_as_hardware() -> None:
    driver, wire = opened(LightsWiring(one(3)))
    wire.dead = True  # type: ignore[union-attr]
    with pytest.raises(HardwareError, match="the strip on D18 does not take its frame"):
        driver.show([(1, 1, 1)] * 3)
    driver.close()


def test_the_wire_refuses_what_is_no_frame() -> None:
    with pytest.raises(StripError, match="expected 9"):
        NeoPixelWire(3).receive(bytes(8))


def test_a_pin_that_is_not_there_is_named() -> None:
    with pytest.raises(HardwareError, match=r"no pin 'D99'|--board sim"):
        open_strip(StripWiring("D99", 3))


def test_the_pulses_over_spi_are_those_of_the_datasheet() -> None:
    """One pixel, green 0x80: a 1 is high for 625 ns, a 0 for 312 ns, a bit takes 1.25 µs; rests of 300 µs around it."""
    heard: list[tuple[bytes, int]] = []

    class Listening(NeoPixelWire):
        def receive_pulses(self, data: bytes, frequency: int) -> None:
            heard.append((data, frequency))
            super().receive_pulses(data, frequency)

    wire, bench = Listening(1), Breadboard()
    bench.on_pixel_bus = wire.bus()
    (strip,) = one(1, over="spi")
    SCHEME.open(strip, bench).show([(0, 0x80, 0)])
    data, frequency = heard[-1]
    assert frequency == 6_400_000
    assert data == bytes(240) + b"\xf0" + b"\xc0" * 23 + bytes(240)
    assert len(data) == SCHEME.spi_bytes(strip)
    assert 240 * 8 / frequency == pytest.approx(300e-6)
    assert wire.pixels() == [(0, 128, 0)]


def test_the_librarys_own_rest_is_too_short_for_todays_parts() -> None:
    """The driver sets 300 µs because 80 µs would not end a frame."""
    prepare_library()
    import neopixel_spi  # type: ignore[import-not-found,unused-ignore] # noqa: PLC0415

    pixels = neopixel_spi.NeoPixel_SPI(NeoPixelWire(2).bus(), 2, auto_write=False)
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
            NeoPixelWire(1).receive_pulses(data, 6_400_000)


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
    bench = Breadboard()
    wires = connect_strips(LightsWiring(TWO.strips[:1]), bench)
    shown: list[list[Colour]] = []
    wires.on_frame = lambda: shown.append(wires.pixels())
    with pytest.raises(HardwareError, match="SPI 0: no strip is soldered to it"):
        open_lights(TWO, bench)
    assert shown == [[DARK] * 3] * 2, "when it was opened, and when it was closed"


# -- on a Pi, as far as it can be tested without one ---------------------------------------------------------------


def test_two_strips_on_pins_of_their_own_need_a_pi_5(monkeypatch: pytest.MonkeyPatch) -> None:
    both = LightsWiring((StripWiring("D18", 3), StripWiring("D21", 3)))
    monkeypatch.setattr(pi, "model", lambda: "Raspberry Pi 4 Model B Rev 1.4")
    with pytest.raises(HardwareError, match=r"D18 and D21: on a Raspberry Pi 4.*put the other on D10 with over"):
        check_pi(both, pi.model())


def test_pins_that_cant_drive_pixels_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pi, "model", lambda: "Raspberry Pi Zero 2 W Rev 1.0")
    with pytest.raises(HardwareError, match=r"strip pin D5: a Raspberry Pi Zero 2 W .* on D12, D13, D18"):
        check_pi(LightsWiring((StripWiring("D5", 3),)), pi.model())


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
    monkeypatch.setattr(buses, "SPI_BUFSIZ", bufsiz)
    monkeypatch.delenv("SPI_BUFSIZE", raising=False)
    long = [SCHEME.spi_bytes(*one(length, over="spi")) for length in (150, 151)]
    assert long[0] <= 4096 < long[1]
    with pytest.raises(HardwareError, match=r"the strip takes 5016 bytes.*spidev\.bufsiz=32768"):
        open_strip(StripWiring("D10", 189, "GRB", "spi"))


@pytest.mark.parametrize("over", ["gpio", "spi"])
def test_off_a_pi_it_says_what_to_do(over: str) -> None:
    prepare_library()
    with pytest.raises(HardwareError, match="--board sim"):
        open_strip(StripWiring("D10" if over == "spi" else "D27", 3, "GRB", over))


def test_a_simulated_strip_works_where_a_real_one_was_looked_for_before() -> None:
    """Blinka remembers which computer it runs on: one test's real strip made every later simulated one fail."""
    program = (
        "import contextlib, importlib\n"
        "with contextlib.suppress(NotImplementedError):\n    importlib.import_module('board')\n"
        "with contextlib.suppress(NotImplementedError):\n    importlib.import_module('neopixel')\n"
        "from simulator.strips.ws2812 import prepare_library\nprepare_library()\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "BLINKA_OS_AGNOSTIC"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
