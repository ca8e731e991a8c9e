"""What these schemes promise beyond those of every scheme (tests/hw/test_every_scheme.py, test_scheme_contract.py)."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.chips.ads1115 import readings_a_second
from firmware_host.extensions.chips.i2c import metres as metres_of
from firmware_host.extensions.chips.mcp3008 import Mcp3008
from firmware_host.extensions.chips.simulated.expanders import Mcp23017Chip
from firmware_host.link.adc import AdcBank
from firmware_host.link.supplies import load_ma
from hw.circuit import HALL, SWITCH, V33
from hw.ports import HardwareError, NodeLevels, complaint_of
from hw.registry import open_board
from lodestone.contracts import SchemeContract
from simulator.breadboard import Breadboard
from simulator.buses import SimulatedSpi
from simulator.strips.ws2812 import prepare_library
from tests.boardfile.test_tiles import TEXT, loaded, refused
from tests.hw.test_every_scheme import AT_REST, agrees, built
from tests.schemes import FOUND, described


@pytest.mark.parametrize("count", [4, 45, 127, 189])
def test_converters_are_asked_once_a_sensor(count: int) -> None:
    board = built("mcp3008", "level", count)
    board.sensors().scan()
    assert sum(spi.transfers for spi in board.breadboard.opened if isinstance(spi, SimulatedSpi)) == count
    assert len(board.breadboard.opened) == (2 if count > 128 else 1), "a second chip hangs on the second chip select"


@pytest.mark.parametrize(
    ("board", "words"),
    [("spokes-45-mcp3008", "pip install spidev"), ("spokes-45-ads1115", "pip install smbus2")],
)
def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, board: str, words: str) -> None:
    prepare_library()  # Adafruit's asks once what computer this is: before a board that is none of the simulator's.
    monkeypatch.setitem(sys.modules, "spidev", None)
    monkeypatch.setitem(sys.modules, "smbus2", None)
    with pytest.raises(HardwareError, match=words):
        open_board(load_board(find_board(board)))


def test_a_converter_whose_bus_fails_is_told() -> None:
    class Broken:
        def xfer2(self, values: list[int]) -> list[int]:
            raise OSError(5, "Input/output error")

        def close(self) -> None:
            pass

    with pytest.raises(HardwareError, match="MCP3008 can't be read"):
        Mcp3008(Broken()).level()


def test_an_ads1115_reads_as_often_as_its_bus_lets_it() -> None:
    assert (readings_a_second(400_000), readings_a_second(100_000)) == (593, 372)
    assert "`dtparam=i2c_arm=on,i2c_arm_baudrate=400000`" in FOUND["ads1115"].setup


class Given:
    """A converter with given results."""

    inputs = 4

    def __init__(self) -> None:
        self.levels = [128] * 4

    def start(self, index: int) -> None:
        self.index = index

    def level(self) -> int:
        return self.levels[self.index]

    def close(self) -> None:
        pass


def told(bank: AdcBank, given: Given, at: int, levels: Sequence[int]) -> list[int]:
    """Return what a bank tells of one input's levels, one after another."""
    seen = []
    for level in levels:
        given.levels[at] = level
        seen.append(bank.scan()[at])
    return seen


def test_what_a_converter_tells_of_poles_does_not_chatter_and_heeds_calibration() -> None:
    given_levels = Given()
    measured = {"n2": NodeLevels(rest=100, north=30, south=170, stack=60)}
    bank = AdcBank(replace(described("mcp3008", "polarity", 3), calibration=measured), Breadboard(), [given_levels])
    seen = told(bank, given_levels, 0, (143, 144, 143, 141, 140, 139, 112, 115, 117))
    assert seen == [0, 1, 1, 1, 1, 0, 2, 2, 0]
    given_levels.levels[2] = 100
    assert bank.scan()[2] == 0, "it rests at 100"
    given_levels.levels[2] = 40
    assert bank.scan()[2] == 1, "it lies face down: north is below rest"
    assert given_levels.levels[1] == 128


def test_a_converter_sees_stones_that_its_calibration_has_found_weak() -> None:
    given_levels = Given()
    measured = {"n2": NodeLevels(rest=128, north=142, south=116, stack=135)}
    bank = AdcBank(replace(described("mcp3008", "polarity", 3), calibration=measured), Breadboard(), [given_levels])
    seen = told(bank, given_levels, 2, (133, 134, 142, 132, 131, 122, 116, 124, 126))
    assert seen == [0, 1, 1, 1, 0, 2, 2, 2, 0], "half of the weaker pole's 12 steps"


@pytest.mark.parametrize(("scheme", "each_ma"), [("mcp23017", 0.115), ("pcf8575", 0.3)])
def test_the_pull_ups_of_expanders_are_in_the_sum(scheme: str, each_ma: float) -> None:
    circuit = FOUND[scheme].circuit(described(scheme, "presence", 45))
    switches = sum(pole.kind in {SWITCH, HALL} for pole in circuit.poles)
    assert load_ma(circuit, V33) >= switches * each_ma


@pytest.mark.parametrize(("chips", "metres"), [(1, 1.8), (4, 1.5), (8, 1.1)])
def test_a_bus_at_400_khz_bears_about_a_metre_of_wire(chips: int, metres: float) -> None:
    assert round(metres_of(chips), 1) == metres
    farads = (100 * metres_of(chips) + 10 * (chips + 1)) * 1e-12
    rise = 1800 * farads * (math.log(1 / 0.3) - math.log(1 / 0.7))  # From 0.3 to 0.7 of the supply.
    assert rise == pytest.approx(300e-9, rel=0.01)


@pytest.mark.parametrize("scheme", ["ads1115", "mcp23017", "pcf8575"])
def test_the_wiring_of_a_bus_says_how_long_it_may_be(scheme: str) -> None:
    board = described(scheme, FOUND[scheme].kinds[0], 45)
    assert "m of wire" in FOUND[scheme].notes_of(board)
    assert ("a reference of its own" in FOUND[scheme].notes_of(board)) == (scheme == "ads1115")


def test_an_mcp23017_that_restarts_by_itself_is_set_up_again() -> None:
    """A dip of the supply: it answers as before, but nothing pulls its inputs up any more."""
    board = built("mcp23017", "presence", 20)
    sensors = board.sensors()
    board.world.put("n3", "w")
    board.world._clock.now += AT_REST  # type: ignore[attr-defined]
    assert agrees(list(sensors.scan()), "presence", {3: "w"}, 20)
    for chip in board.breadboard.on_i2c[1].values():
        assert isinstance(chip, Mcp23017Chip)
        chip.restart()
    board.world.put("n17", "b")
    board.world._clock.now += AT_REST  # type: ignore[attr-defined]
    scans = [list(sensors.scan()) for _ in range(round(2 * board.description.scan_hz))]
    assert agrees(scans[-1], "presence", {3: "w", 17: "b"}, 20)
    assert all(chip._values["GPPU", 0] for chip in board.breadboard.on_i2c[1].values())  # type: ignore[attr-defined]


@pytest.mark.parametrize("scan_hz", [2, 50, 400])
def test_all_chips_are_looked_at_within_two_seconds_whatever_the_rate(scan_hz: int) -> None:
    board = built("mcp23017", "presence", 112, scan_hz=scan_hz)
    sensors = board.sensors()
    chips = board.breadboard.on_i2c[1].values()
    for chip in chips:
        assert isinstance(chip, Mcp23017Chip)
        chip.restart()
    for _ in range(2 * scan_hz):
        sensors.scan()
    assert [chip._values["GPPU", 0] for chip in chips] == [0x7F] * 8  # type: ignore[attr-defined]


def test_a_chip_that_restarts_again_and_again_is_told() -> None:
    board = built("mcp23017", "presence", 20)
    sensors = board.sensors()
    (first, _) = board.breadboard.on_i2c[1].values()
    told = []
    for _ in range(3):
        assert isinstance(first, Mcp23017Chip)
        first.restart()
        told.append(complaint_of(sensors))
        for _ in range(board.description.scan_hz):
            sensors.scan()
    assert told == [None] * 3
    assert "chip 0x20 has restarted by itself 3 times" in str(complaint_of(sensors))
    for _ in range(601 * board.description.scan_hz):
        sensors.scan()
    assert complaint_of(sensors) is None, "ten minutes later"


def test_189_channels_fit_on_one_converter_and_are_too_slow_on_another(tmp_path: Path) -> None:
    begin, end = TEXT.index("scheme = "), TEXT.index("\n[lights]")
    pins = "pins = { select = [5, 6, 13, 19] }\n"
    loaded(tmp_path, TEXT[:begin] + f'scheme = "mcp3008"\nkind = "coded"\nscan_hz = 20\n{pins}' + TEXT[end:])
    slow = f'scheme = "ads1115"\nkind = "coded"\nscan_hz = 4\n{pins}'
    assert "reads 189 inputs at most 3 times a second" in refused(tmp_path, TEXT[:begin] + slow + TEXT[end:])


class TestSchemeOfConverters(SchemeContract):
    scheme = "mcp3008"
