"""Buses are opened as drivers need them; if that fails, the message says what to do."""

from __future__ import annotations

import sys
import time
import types
from dataclasses import replace

import pytest

from firmware_host.boardfile.load import find_board, load_board
from hw.buses import ThisComputer
from hw.ports import HardwareError
from hw.registry import open_board
from simulator.buses import SimulatedGpio
from tests.schemes import Desk, opened
from tests.sentences import pattern


@pytest.mark.parametrize("microseconds", [10, 1300])
def test_a_wait_is_never_short(microseconds: int) -> None:
    began = time.perf_counter()
    ThisComputer().wait_us(microseconds)
    assert time.perf_counter() - began >= microseconds / 1e6


class SpiDev:
    """spidev.SpiDev as it is off a Pi, or (``there``) on one."""

    there = True

    def open(self, bus: int, device: int) -> None:
        if not self.there:
            raise FileNotFoundError(2, "No such file or directory")
        self.opened = (bus, device)

    def close(self) -> None:
        pass


def test_spi_is_opened_in_mode_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spidev", types.SimpleNamespace(SpiDev=SpiDev))  # type: ignore[arg-type]
    spi = ThisComputer().spi(1, 0, 500_000)
    assert isinstance(spi, SpiDev)
    assert (spi.opened, spi.__dict__["mode"], spi.__dict__["max_speed_hz"]) == ((1, 0), 0, 500_000)


@pytest.mark.parametrize(("bus", "line"), [(0, "dtparam=spi=on"), (1, "dtoverlay=spi1-2cs")])
def test_a_bus_that_is_off_is_told_with_the_line_that_switches_it_on(
    monkeypatch: pytest.MonkeyPatch, bus: int, line: str
) -> None:
    monkeypatch.setitem(sys.modules, "spidev", types.SimpleNamespace(SpiDev=SpiDev))  # type: ignore[arg-type]
    monkeypatch.setattr(SpiDev, "there", False)
    with pytest.raises(HardwareError, match=rf"/dev/spidev{bus}\.0 can't be opened.*{line}"):
        ThisComputer().spi(bus, 0, 500_000)


def test_i2c_is_opened_or_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def smbus(bus: int) -> tuple[str, int]:
        if bus:
            raise FileNotFoundError(2, "No such file or directory: '/dev/i2c-1'")
        return ("bus", bus)

    monkeypatch.setitem(sys.modules, "smbus2", types.SimpleNamespace(SMBus=smbus))  # type: ignore[arg-type]
    assert ThisComputer().i2c(0) == ("bus", 0)  # type: ignore[comparison-overlap]
    with pytest.raises(HardwareError, match=r"/dev/i2c-1 can't be opened.*i2c_arm=on"):
        ThisComputer().i2c(1)


def test_a_bus_that_fails_in_play_is_told_as_the_boards() -> None:
    class Broken(SpiDev):
        def xfer2(self, values: list[int]) -> list[int]:
            raise OSError(5, "Input/output error")

    gpio = SimulatedGpio()
    gpio.setmode(gpio.BCM)
    with pytest.raises(HardwareError, match=pattern("SPI bus of the shift") + "Input/output"):
        opened("74hc165-spi", "presence", 8, {"load": 5}, Desk(gpio, spi=Broken())).scan()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scheme": "9000"}, "scheme: expected one of .*74hc165, 74hc165-spi, .*direct"),
        ({"kind": "level"}, "scheme 74hc165 can't read kind level"),
    ],
)
def test_a_wiring_that_cant_carry_its_board_is_refused_before_any_pin(change: dict[str, str], words: str) -> None:
    board = replace(load_board(find_board("spokes-45")), **change)  # type: ignore[arg-type]
    with pytest.raises(HardwareError, match=words):
        open_board(board)
