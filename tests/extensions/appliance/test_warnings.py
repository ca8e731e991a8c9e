"""What the machine reports becomes words; the readers are fed with files."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_host.extensions.appliance import systemd
from firmware_host.extensions.appliance.care import MachineFiles, temperature, throttle_bits, warnings
from firmware_host.table.errors import TableError
from tests.sentences import sentence


@pytest.fixture
def places(tmp_path: Path) -> MachineFiles:
    """A machine on which all is well."""
    zone = tmp_path / "thermal" / "thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "temp").write_text("48312\n")
    (tmp_path / "throttled").write_text("0\n")
    return MachineFiles(
        tmp_path / "thermal", tmp_path / "throttled", str(tmp_path / "no"), tmp_path / "sync", lambda _: 10**9
    )


def test_nothing_is_said_where_all_is_well(places: MachineFiles, tmp_path: Path) -> None:
    assert warnings(tmp_path, places) == []
    assert temperature(places) == 48.312


@pytest.mark.parametrize(
    ("bits", "said"),
    [
        ("50005", "too low now"),
        ("10000", sentence("too low at some time")),
        ("80008", "slows itself down"),
        ("0", None),
        ("", None),
        ("rubbish", None),
    ],
)
def test_the_firmware_bits(places: MachineFiles, tmp_path: Path, bits: str, said: str | None) -> None:
    places.throttle_bits.write_text(f"{bits}\n")
    found = warnings(tmp_path, places)
    assert [str(said) in words for words in found] == ([True] if said else [])


def test_without_the_file_the_firmware_tool_is_asked(places: MachineFiles, tmp_path: Path) -> None:
    places.throttle_bits.unlink()
    assert throttle_bits(places) == 0
    tool = tmp_path / "vcgencmd"
    tool.write_text('#!/bin/sh\n[ "$1" = get_throttled ] && echo throttled=0x50005\n')
    tool.chmod(0o755)
    assert throttle_bits(dataclasses.replace(places, vcgencmd=str(tool))) == 0x50005


def broken(_: Path) -> int:
    raise OSError(5, "Input/output error")


@pytest.mark.parametrize(("free", "said"), [(lambda _: 5 << 20, ["5 MB are left"]), (broken, [])])
def test_the_disk(places: MachineFiles, tmp_path: Path, free: Callable[[Path], int], said: list[str]) -> None:
    found = warnings(tmp_path, dataclasses.replace(places, free=free))
    assert len(found) == len(said)
    assert all(part in words for part, words in zip(said, found, strict=True))


def test_heat(places: MachineFiles, tmp_path: Path) -> None:
    (places.thermal / "thermal_zone0" / "temp").write_text("81900")
    assert "hot (82 °C)" in warnings(tmp_path, places)[0]


def test_the_clock(places: MachineFiles, tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    journal.touch()
    os.utime(journal, (time.time() + 7200, time.time() + 7200))
    assert "behind what was saved" in warnings(tmp_path, places)[0]
    journal.unlink()
    places.timesync.mkdir()
    assert "No time server" in warnings(tmp_path, places)[0]
    (places.timesync / "synchronized").touch()
    assert warnings(tmp_path, places) == []


# -- restart and shutdown ----------------------------------------------------------------------------------------------


def machine(root: Path, *, answer: str = "exit 0") -> dict[str, str]:
    """Return the environment of a service on a Pi whose systemctl notes what it is told."""
    for name in ("run/systemd/system", "proc/device-tree", "bin"):
        (root / name).mkdir(parents=True)
    (root / "proc/device-tree/model").write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    tool = root / "bin/systemctl"
    tool.write_text(f'#!/bin/sh\necho "$@" >> {root}/told\n{answer}\n')
    tool.chmod(0o755)
    return {"INVOCATION_ID": "1", "PATH": str(root / "bin")}


def test_only_a_service_on_a_pi_is_switched(tmp_path: Path) -> None:
    service = machine(tmp_path)
    assert systemd.power_offered(tmp_path, service)
    assert not systemd.power_offered(tmp_path, {"PATH": service["PATH"]}), "started by hand"
    assert not systemd.power_offered(tmp_path, {**service, "PATH": "/none"})
    (tmp_path / "proc/device-tree/model").unlink()
    assert not systemd.power_offered(tmp_path, service), "no Pi"


def test_systemctl_is_told_and_its_refusal_is_said(tmp_path: Path) -> None:
    service = machine(tmp_path / "one")
    systemd.switch("restart", service)
    systemd.switch("shutdown", service)
    assert (tmp_path / "one" / "told").read_text() == "--no-ask-password reboot\n--no-ask-password poweroff\n"
    with pytest.raises(TableError, match="restart, shutdown"):
        systemd.switch("poweroff", service)
    with pytest.raises(TableError, match="Access denied"):
        systemd.switch("restart", machine(tmp_path / "two", answer="echo Access denied >&2; exit 1"))
