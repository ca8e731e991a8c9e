"""The contract of every installed kind of strip, ours or another package's (docs/adding-a-strip.md)."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.games.registry import game as find_game
from hw.lights import STRIPS, BoardLights, StripScheme, open_lights
from hw.pins import HEADER
from hw.ports import BoardDescription, Colour, HardwareError, LightsWiring, StripWiring
from lodestone.contracts import StripContract
from simulator.breadboard import Breadboard
from simulator.lights import SIMULATED_STRIPS, Wires, connect_strips
from tests.deleted import LACKING

FOUND = STRIPS.usable()
EACH = pytest.mark.parametrize("name", FOUND)
colours = st.tuples(*[st.integers(0, 255)] * 3)


def wired(name: str, length: int, over: str = "", order: str = "") -> LightsWiring:
    """Return lights of one strip, as its kind is usually wired."""
    scheme = FOUND[name]
    over = over or scheme.over[0]
    pins = {"spi": f"D{next(iter(scheme.spi_pins), 0)}", "network": "wled.local"}
    pin = pins.get(over, "D18")
    strip = StripWiring(pin, length, order or scheme.orders[0], over, name)
    return LightsWiring((strip,), max_current_ma=100_000)


def opened(lights: LightsWiring) -> tuple[BoardLights, Wires]:
    bench = Breadboard()
    wires = connect_strips(lights, bench)
    return open_lights(lights, bench), wires


def board_with(name: str, folder: Path) -> BoardDescription:
    """Return the shipped board with a strip of this kind, from a board file."""
    strip = wired(name, 45).strips[0]
    path = folder / "my.toml"
    text = find_board("spokes-45").read_text(encoding="utf-8")
    old = 'pin = "D18"\nlength = 45\norder = "GRB"\n'
    assert old in text
    where = "address" if strip.over == "network" else "pin"
    new = f'scheme = "{name}"\n{where} = "{strip.pin}"\nlength = 45\norder = "{strip.order}"\n'
    path.write_text(text.replace(old, new), encoding="utf-8")
    return load_board(path, backend="sim")


def test_all_that_is_announced_can_be_used_and_simulated() -> None:
    assert list(FOUND) == STRIPS.names()
    assert set(FOUND) <= set(SIMULATED_STRIPS.usable())
    assert len(FOUND) >= (1 if LACKING else 4)


def test_loading_every_kind_loads_no_library_of_a_pi() -> None:
    code = (
        "import sys; from hw.lights import STRIPS; assert 'hw.strips' not in sys.modules; STRIPS.usable(); "
        "print({'RPi', 'lgpio', 'spidev', 'smbus2', 'neopixel', 'neopixel_spi', 'board', 'gpiod'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


@EACH
def test_it_says_what_a_board_file_may_say(name: str) -> None:
    scheme = FOUND[name]
    assert isinstance(scheme, StripScheme)
    assert scheme.part
    assert scheme.over
    assert set(scheme.over) <= {"gpio", "spi", "network"}
    assert all({"R", "G", "B"} <= set(order) == set(order) and len(set(order)) == len(order) for order in scheme.orders)
    assert all(len(scheme.pixel((255, 9, 0))) == len(order) for order in scheme.orders)
    strip = wired(name, 5).strips[0]
    assert scheme.lines(strip).keys() == scheme.inputs.keys()
    assert set(scheme.lines(strip).values()) <= set(scheme.pins(strip)) <= set(HEADER)
    assert 0 < scheme.frame_us(strip) < scheme.frame_us(replace(strip, length=50)) < 20_000


@EACH
def test_the_kits_contract_holds(name: str) -> None:
    contract = StripContract()
    contract.strip = name  # type: ignore[misc]
    contract.test_frames_come_out_as_they_went_in()
    contract.test_any_length_is_carried()


@EACH
@given(frame=st.lists(colours, min_size=1, max_size=40), most=st.integers(20, 3000))
def test_its_channels_draw_no_more_than_the_limit(name: str, frame: list[Colour], most: int) -> None:
    scheme = FOUND[name]
    driver, wire = opened(replace(wired(name, len(frame)), max_current_ma=most))
    driver.show(frame)
    assert sum(wire.data) * scheme.channel_ma / 255 <= most + 1e-6
    if sum(sum(scheme.pixel(colour)) for colour in frame) * scheme.channel_ma / 255 <= most:
        assert wire.pixels() == frame, "nothing is dimmed that need not be"


@EACH
def test_a_frame_that_cant_be_sent_is_named(name: str) -> None:
    driver, wire = opened(wired(name, 3))
    with pytest.raises(ValueError, match="2 colours for 3 pixels"):
        driver.show([(0, 0, 0)] * 2)
    wire.dead = True  # type: ignore[union-attr]
    with pytest.raises(HardwareError, match="does not take its frame"):
        driver.show([(1, 1, 1)] * 3)
    driver.close()


@EACH
@pytest.mark.parametrize("sensors", ["74hc165", "74hc165-spi"])
def test_a_new_board_file_with_it_is_taken(name: str, sensors: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    board_text = pytest.importorskip("firmware_host.link.new_board").board_text
    text = board_text("mine", "spokes", find_game("spokes").layout(), "A board", scheme=sensors, lights=name)
    path.write_text(text, encoding="utf-8")
    (strip,) = load_board(path).lights.strips
    assert (strip.scheme, strip.length, strip.order) == (name, 45, FOUND[name].orders[0])


@EACH
def test_a_board_with_it_can_be_used(name: str, tmp_path: Path) -> None:
    board = board_with(name, tmp_path)
    assert [strip.scheme for strip in board.lights.strips] == [name]
