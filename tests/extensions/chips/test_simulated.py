"""The simulated converters and expanders follow their datasheets, and detect faults of drivers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.extensions.chips.ads1115 import Ads1115
from firmware_host.extensions.chips.simulated.ads1115 import Ads1115Chip
from firmware_host.extensions.chips.simulated.expanders import Mcp23017Chip, Pcf8575Chip
from firmware_host.extensions.chips.simulated.mcp3008 import Mcp3008Chip
from hw.ports import HardwareError
from simulator.buses import ChipViolation, SimulatedI2c, SimulatedSpi
from tests.simulator.test_sensor_chips import Time

# -- MCP3008 -----------------------------------------------------------------------------------------------------------


def asked(chip: Mcp3008Chip, values: list[int], mode: int = 0) -> list[int]:
    return list(SimulatedSpi(chip, mode, 1_000_000).xfer2(values))


@pytest.mark.parametrize("mode", [0, 3])
@given(counts=st.integers(0, 1023), index=st.integers(0, 7), zeros=st.integers(0, 7))
def test_an_mcp3008_answers_ten_bits_after_its_null_bit(mode: int, counts: int, index: int, zeros: int) -> None:
    """For any place of the start bit, the null bit comes 6 clocks after it, then the result, highest bit first."""
    chip = Mcp3008Chip(lambda at: (counts + 0.5) / 1024 if at == index else 0.0)
    chip.set_clock(mode >> 1)
    command = (0b11000 | index) << (32 - 5 - zeros)
    answer = int.from_bytes(asked(chip, list(command.to_bytes(4, "big")), mode), "big")
    bits = [answer >> bit & 1 for bit in range(31, -1, -1)]
    null = zeros + 6
    assert bits[null] == 0
    told = bits[null + 1 : null + 11]
    assert int("".join(map(str, told)), 2) == counts
    assert bits[:null] == [1] * null, "DOUT floats until then"


def test_an_mcp3008_repeats_its_result_backwards() -> None:
    chip = Mcp3008Chip(lambda at: 0b1011001110 / 1024)
    answer = int.from_bytes(asked(chip, [1, 0x80, 0, 0, 0, 0]), "big")
    bits = f"{answer:048b}"
    assert bits[14:24] == "1011001110"
    assert bits[24:33] == "1011001110"[::-1][1:]
    assert set(bits[33:]) == {"0"}


@pytest.mark.parametrize(
    ("values", "hertz", "words"),
    [
        ([1, 0x80, 0], 2_000_000, "2000000 Hz"),
        ([1, 0x80, 0], 5_000, "5000 Hz"),
        ([1, 0x80], 1_000_000, "within a conversion"),
        ([1, 0x00, 0], 1_000_000, "difference"),
        ([1, 0xF0, 0], 1_000_000, "input 7 is measured, but nothing drives it"),
    ],
)
def test_an_mcp3008_catches_its_drivers_faults(values: list[int], hertz: int, words: str) -> None:
    chip = Mcp3008Chip(lambda at: None if at == 7 else 0.5)
    with pytest.raises(ChipViolation, match=words):
        SimulatedSpi(chip, 0, hertz).xfer2(values)


# -- ADS1115 -----------------------------------------------------------------------------------------------------------

START_0 = [0xC3, 0xE3]
"""Input 0 against ground, 4.096 V, one conversion at 860 per second, comparator off."""


def bus_with(inputs: Callable[[int], float | None]) -> tuple[SimulatedI2c, Time]:
    now = Time()
    return SimulatedI2c({0x48: Ads1115Chip(inputs, now)}, now.wait), now


def test_an_ads1115_wakes_as_its_datasheet_says() -> None:
    bus, _ = bus_with(lambda at: 0.5)
    assert list(bus.read_i2c_block_data(0x48, 1, 2)) == [0x85, 0x83]


def test_an_ads1115_is_busy_for_a_conversion() -> None:
    bus, now = bus_with(lambda at: 0.5)
    bus.write_i2c_block_data(0x48, 1, START_0)
    assert not bus.read_i2c_block_data(0x48, 1, 2)[0] & 0x80
    now.wait(1100)
    assert not bus.read_i2c_block_data(0x48, 1, 2)[0] & 0x80, "860 a second, 10 % slow"
    now.wait(200)
    assert bus.read_i2c_block_data(0x48, 1, 2)[0] & 0x80
    high, low = bus.read_i2c_block_data(0x48, 0, 2)
    assert high << 8 | low == 13200, "1.65 V of 4.096 V"


@given(level=st.integers(0, 255), index=st.integers(0, 3))
def test_an_ads1115_and_its_driver_agree_on_every_level(level: int, index: int) -> None:
    bus, now = bus_with(lambda at: (level + 0.5) / 256 if at == index else None)
    chip = Ads1115(bus, 0x48, now.wait)
    chip.start(index)
    assert chip.level() == level


def test_a_silent_or_stuck_ads1115_is_told() -> None:
    bus, now = bus_with(lambda at: 0.5)
    with pytest.raises(HardwareError, match=r"0x49 does not answer: .*Remote I/O"):
        Ads1115(bus, 0x49, now.wait).start(0)
    stuck = Ads1115(bus, 0x48, lambda _: None)
    bus._wait_us = lambda _: None
    stuck.start(0)
    with pytest.raises(HardwareError, match="0x48 does not finish"):
        stuck.level()


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ([0xC2, 0xE3], "continuous"),
        ([0x83, 0xE3], "difference"),
        ([0xC5, 0xE3], "full scale 2 does not hold"),
        ([0xF3, 0xE3], "input 3 is measured, but nothing drives it"),
    ],
)
def test_an_ads1115_catches_its_drivers_faults(config: list[int], words: str) -> None:
    bus, _ = bus_with(lambda at: None if at == 3 else 0.5)
    with pytest.raises(ChipViolation, match=words):
        bus.write_i2c_block_data(0x48, 1, config)


def test_an_ads1115_hurried_is_a_violation() -> None:
    bus, _ = bus_with(lambda at: 0.5)
    bus.write_i2c_block_data(0x48, 1, START_0)
    with pytest.raises(ChipViolation, match="before the conversion has ended"):
        bus.read_i2c_block_data(0x48, 0, 2)
    with pytest.raises(ChipViolation, match="while one is under way"):
        bus.write_i2c_block_data(0x48, 1, START_0)
    with pytest.raises(ChipViolation, match="no register 4"):
        bus.read_i2c_block_data(0x48, 4, 2)
    with pytest.raises(ChipViolation, match="register 0 can't be written"):
        bus.write_i2c_block_data(0x48, 0, [0, 0])


def test_a_pcf8575_is_read_port_by_port() -> None:
    """Ones make its pins inputs; what is written 0 tells nothing of a switch."""
    chip = Pcf8575Chip(lambda port: [0.0, None, None, None, None, None, None, 0.0] if port else [None] * 8)
    assert chip.read(3) == [0xFF, 0x7E, 0xFF]
    chip.write([0xFF, 0x7F])
    with pytest.raises(ChipViolation, match="P17 is read as an input, but pulled to ground"):
        chip.read(2)


def test_an_mcp23017_floats_until_it_pulls_up() -> None:
    """After power-up nothing holds its inputs high, and bits 7 must not be inputs."""
    chip = Mcp23017Chip(lambda _: [None] * 7)
    chip.write([0x12])
    with pytest.raises(ChipViolation, match="GPA7 is read as an input"):
        chip.read(2)
    chip.write([0x00, 0x7F, 0x7F])
    chip.write([0x12])
    with pytest.raises(ChipViolation, match="GPA0 is read, but it floats"):
        chip.read(2)
