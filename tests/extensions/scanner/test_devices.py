"""Several devices where the scanner may be: the right one is found, others are left alone, and all reasons are told."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from firmware_host.extensions.scanner.bank import SerialScannerBank
from firmware_host.extensions.scanner.link import Terms
from firmware_host.extensions.scanner.simulated import DevicePort, SimulatedScanner
from hw.ports import HardwareError
from tests.waiting import eventually

RIGHT, OTHER = "12345678", "deadbeef"
TERMS = Terms(45, "presence", 10, digest=RIGHT)


class Desk:
    """A folder of devices in place of ``/dev``."""

    def __init__(self, folder: Path, open_: ExitStack) -> None:
        self.folder, self._open = folder, open_

    def silent(self, name: str) -> DevicePort:
        """Plug in a device that never says anything; it keeps what is written into it."""
        port = DevicePort(self.folder, name)
        self._open.callback(port.close)
        return port

    def scanner(self, name: str, digest: str = RIGHT, stones: int = 0) -> SimulatedScanner:
        """Plug in a scanner that sees stones on all nodes or on none."""
        scanner = SimulatedScanner(45, "presence", lambda: [stones] * 45, digest=digest)
        self._open.callback(scanner.close)
        (self.folder / name).symlink_to((scanner.folder / "ttyACM0").resolve())
        return scanner

    def bank(self, device: str, patience_s: float | None = None) -> SerialScannerBank:
        bank = SerialScannerBank(f"{self.folder}/{device}", 115200, TERMS, patience_s=patience_s)
        self._open.callback(bank.close)
        return bank


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    for module in ("link", "bank"):
        monkeypatch.setattr(f"firmware_host.extensions.scanner.{module}.HELLO_PATIENCE_S", 0.7)
    with ExitStack() as open_:
        yield Desk(tmp_path, open_)


def lost(bank: SerialScannerBank) -> str:
    try:
        bank.scan()
    except HardwareError as error:
        return str(error)
    return ""


def test_a_scanner_behind_silent_devices_is_waited_for(desk: Desk) -> None:
    for number in range(3):
        desk.silent(f"ttyACM{number}")
    desk.scanner("ttyACM3")
    assert desk.bank("ttyACM*").device.endswith("ttyACM3")


def test_why_no_device_is_the_scanner_is_told_of_each(desk: Desk) -> None:
    desk.silent("ttyACM0")
    desk.silent("ttyACM1")
    with pytest.raises(HardwareError) as raised:
        desk.bank("ttyACM*")
    said = str(raised.value)
    assert said.index("ttyACM0: does not answer") < said.index("also tried")
    assert said.index("also tried") < said.index("ttyACM1: does not answer")


def test_the_device_with_the_board_file_s_configuration_is_taken(desk: Desk) -> None:
    desk.scanner("ttyACM0", OTHER, stones=1)
    desk.scanner("ttyACM1", RIGHT)
    bank = desk.bank("ttyACM*")
    assert bank.device.endswith("ttyACM1")
    assert not any(bank.scan())
    assert bank.complaint is None


def test_a_lonely_scanner_with_another_configuration_is_taken_and_told(desk: Desk) -> None:
    desk.silent("ttyACM0")
    desk.scanner("ttyACM1", OTHER)
    bank = desk.bank("ttyACM*")
    assert bank.device.endswith("ttyACM1")
    assert bank.complaint is not None


def test_no_other_device_is_written_to_when_a_uart_s_wire_falls_off(desk: Desk) -> None:
    """``/dev/serial1`` is often Bluetooth, and ``/dev/serial`` is a folder."""
    scanner = desk.scanner("serial0")
    (desk.folder / "serial").mkdir()
    beside = desk.silent("serial1")
    bank = desk.bank("serial0")
    scanner.to_host = lambda data: b""
    eventually(lambda: "it worked until" in lost(bank), lambda: lost(bank), 8.0)
    seen = set()
    end = time.monotonic() + 3
    while time.monotonic() < end:
        seen.add(lost(bank))
        time.sleep(0.05)  # Three rounds of looking for it again.
    assert not beside.read(), "not a byte"
    assert all("serial0" in one and "serial1" not in one for one in seen), seen


def test_only_devices_are_tried_beside_the_one_that_was_lost(desk: Desk) -> None:
    scanner = desk.scanner("ttyUSB0")
    (desk.folder / "ttyUSB1").write_text("no device")
    bank = desk.bank("ttyUSB0")
    os.remove(desk.folder / "ttyUSB0")
    scanner.unplug()
    eventually(lambda: "nothing is at" in lost(bank), lambda: lost(bank), 8.0)
    assert "ttyUSB1" not in lost(bank)
    desk.scanner("ttyUSB2")
    eventually(lambda: not lost(bank), lambda: lost(bank), 8.0)
    assert bank.device.endswith("ttyUSB2")


def test_what_became_of_the_last_good_device_is_told_first(desk: Desk) -> None:
    scanner = desk.scanner("ttyACM1")
    desk.silent("ttyACM0")
    bank = desk.bank("ttyACM*")
    scanner.to_host = lambda data: b""
    eventually(lambda: "also tried" in lost(bank), lambda: lost(bank), 8.0)
    said = lost(bank)
    assert said.startswith(f"scanner at {desk.folder}/ttyACM1: it worked until")
    assert "also tried: " in said
    assert "ttyACM0: does not answer" in said.partition("also tried: ")[2]
