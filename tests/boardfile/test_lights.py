"""The sections [lights] and [drawing]: strips, brightness, sizes, and each mistake with its line and reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.boardfile.checks import Checks
from firmware_host.boardfile.load import BoardFileError, find_board, load_board
from firmware_host.boardfile.sections import read_lights
from hw.lights import STRIPS
from hw.ports import LightsWiring, Sizes, StripWiring
from tests.sampling import together

TEXT = find_board("spokes-45").read_text()
LIGHTS = 'pin = "D18"\nlength = 45\norder = "GRB"\n'


def write(tmp_path: Path, old: str, new: str) -> Path:
    assert old in TEXT
    path = tmp_path / "my.toml"
    path.write_text(TEXT.replace(old, new, 1))
    return path


def test_everything_has_a_usual_value() -> None:
    board = load_board(find_board("spokes-45"))
    assert board.lights == LightsWiring((StripWiring("D18", 45, "GRB", "gpio"),), 1500, 1.0, 1.0)
    assert board.sizes == Sizes()


def test_d10_is_driven_over_spi_by_itself(tmp_path: Path) -> None:
    board = load_board(write(tmp_path, 'pin = "D18"', 'pin = "D10"'))
    assert board.lights.strips == (StripWiring("D10", 45, "GRB", "spi"),)


def test_two_strips_and_how_bright(tmp_path: Path) -> None:
    new = (
        'pin = "D18"\nlength = 40\norder = "GRB"\nbrightness = 0.6\ngamma = 2.2\n'
        'second = { pin = "D10", length = 9, order = "RGB" }\n'
    )
    lights = load_board(write(tmp_path, LIGHTS, new)).lights
    assert lights.strips == (StripWiring("D18", 40, "GRB", "gpio"), StripWiring("D10", 9, "RGB", "spi"))
    assert (lights.length, lights.brightness, lights.gamma) == (49, 0.6, 2.2)


def test_the_second_strip_may_be_a_section(tmp_path: Path) -> None:
    new = '[lights.second]\npin = "D10"\nlength = 9\norder = "GRB"\n\n[drawing]\n'
    assert load_board(write(tmp_path, "[drawing]\n", new)).lights.length == 54


def test_pixels_need_not_follow_the_nodes(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    lines = []
    for line in TEXT.splitlines():
        found = line.partition("pixel = ")
        number = found[2][:2].strip()
        turned = (
            f"{found[0]}pixel = {44 - int(number):2}{found[2][2:]}" if "channel" in line and number.isdigit() else line
        )
        lines.append(turned)
    path.write_text("\n".join(lines))
    nodes = load_board(path).nodes
    assert (nodes["A1"].channel, nodes["A1"].pixel) == (0, 44)
    assert sorted(node.pixel for node in nodes.values()) == list(range(45))


@together(
    ("old", "new", "words", "at"),
    [
        (
            'order = "GRB"',
            'order = "GRB"\nbrightness = 0',
            "brightness: expected a number from 0.01 to 1, got 0",
            "brightness",
        ),
        (
            'order = "GRB"',
            'order = "GRB"\nbrightness = true',
            "brightness: expected a number from 0.01 to 1",
            "brightness",
        ),
        ('order = "GRB"', 'order = "GRB"\ngamma = 0.5', "gamma: expected a number from 1 to 4, got 0.5", "gamma"),
        ('order = "GRB"', 'order = "GRB"\nover = "radio"', "over: expected one of gpio, spi, got 'radio'", "over"),
        ('pin = "D18"', 'pin = "D18"\nover = "spi"', "pin: D18 can't be driven over SPI, expected D10", "pin"),
        ('pin = "D18"', "pin = 18", "pin: expected D0 to D27, got 18", "pin"),
        ('pin = "D18"', 'pin = "D19"', "pin: D19 is the sensors' inhibit already", "pin"),
        ('order = "GRB"', 'order = "GRB"\nsecond = "D10"', "second: expected { pin, length, order }", "second"),
        (
            'order = "GRB"',
            'order = "GRB"\nsecond = { pin = "D10" }',
            "second: length: expected a whole number",
            "second",
        ),
        (
            'order = "GRB"',
            'order = "GRB"\nsecond = { pin = "D18", length = 3, order = "GRB" }',
            "second: pin D18 is the first strip's already",
            "second",
        ),
        (
            'order = "GRB"',
            'order = "GRB"\nsecond = { pin = "D10", length = 3, order = "GRB", colour = 1 }',
            "colour: unknown, expected one of scheme, pin, address, length, order, over",
            "second",
        ),
        (
            "[drawing]",
            "[drawing]\nwindow_mm = 0",
            "window_mm: expected a number (mm) from 0.5 to 1000, got 0",
            "window_mm",
        ),
        ("[drawing]", '[drawing]\nhole_mm = "big"', "hole_mm: expected a number (mm) from 0", "hole_mm"),
        ("[drawing]", "[drawing]\nwindow_at = [3]", "window_at: expected [right, up] in mm", "window_at"),
    ],
)
def test_mistakes_are_refused_with_line_and_reason(tmp_path: Path, old: str, new: str, words: str, at: str) -> None:
    path = write(tmp_path, old, new)
    section = path.read_text().index("[drawing]" if old == "[drawing]" else "[lights]")
    before = path.read_text()[: path.read_text().index(f"\n{at} = ", section) + 1]
    with pytest.raises(BoardFileError) as caught:
        load_board(path)
    assert f"my.toml:{before.count(chr(10)) + 1}: {words}" in str(caught.value)


def noted(lights: dict[str, object], taken: dict[str, int]) -> list[str]:
    checks = Checks(Path("my.toml"), "[lights]\n", {})
    read_lights(checks, {"length": 3, "order": "GRB", "max_current_ma": 100, **lights}, taken)
    return [why for _, why in checks.mistakes]


def test_over_spi_the_bus_is_the_strips() -> None:
    assert noted({"pin": "D10"}, {"load": 5}) == []
    (why,) = noted({"pin": "D10"}, {"load": 5, "clock": 11})
    assert "over SPI D10 takes pins 7 to 11, and the sensors' clock is 11" in why


def test_two_strips_never_share_a_pin() -> None:
    second = {"scheme": "ws2812", "pin": "D11", "length": 3, "order": "GRB"}
    (why,) = noted({"pin": "D11", "second": second}, {})
    assert "second: pin D11 is the first strip's already" in why


def test_kinds_of_strips_are_known_by_name() -> None:
    (why,) = noted({"scheme": "ws2815", "pin": "D18"}, {})
    assert f"scheme: expected one of {', '.join(STRIPS.names())} (one just added: install its package" in why
    (why,) = noted({"pin": "D18", "order": "RGGB"}, {})
    assert why.startswith("order: expected one of GRB, ")


def test_sensors_that_speak_on_the_bus_would_garble_the_strip() -> None:
    (why,) = noted({"pin": "D10"}, {"SPI 0's clock": 11, "SPI 0's MOSI": 10, "SPI 0's MISO": 9})
    assert "D10 is the sensors' SPI 0's MOSI already" in why


def test_a_chain_that_only_listens_to_the_clock_may_share_it() -> None:
    chain = {"load": 5, "SPI 0's clock": 11, "SPI 0's MISO": 9}
    assert noted({"pin": "D10"}, chain) == []
    (why,) = noted({"pin": "D10", "over": "gpio"}, chain)
    assert "D10 belongs to SPI 0, which the sensors use" in why
