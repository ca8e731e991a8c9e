"""The care of the machine on the host's page: its warnings, a backup, the log, updates, Wi-Fi, restart and shutdown.

Warnings are about the disk, the temperature, the voltage and the clock. They come from files and commands of Raspberry
Pi OS (:class:`MachineFiles`); on a machine without them there are none.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from firmware_host.archive.journal_events import JournalError
from firmware_host.extensions.appliance import systemd
from firmware_host.extensions.appliance.backup import PASSING, make_backup, passing_folder
from firmware_host.extensions.appliance.hotspot import Wifi
from firmware_host.extensions.appliance.update import Updates
from firmware_host.link.evidence import log_text
from firmware_host.table.errors import TableError
from firmware_host.text.words import Refused, Text, say


@dataclass(frozen=True)
class Care:
    """The maintenance functions of an open table."""

    data: Path
    version: str
    updates: Updates
    wifi: Wifi | None = None

    def warnings(self) -> list[Text]:
        """Return the machine's warnings, in words."""
        return warnings(self.data)

    def log(self) -> str:
        """Return the log, without secrets. Raise TableError."""
        try:
            return log_text(self.data)
        except OSError as error:
            raise TableError("no_journal", say("the log can't be read: {reason}", reason=str(error))) from error

    @contextmanager
    def backup(self) -> Iterator[Path]:
        """Make a backup without secrets, as others may read the network. It is deleted at the end of the block.

        Raise TableError.
        """
        try:
            with passing_folder(self.data, PASSING) as folder:
                target = folder / "backup.zip"
                make_backup(self.data, target, self.version, with_secrets=False)
                yield target
        except (OSError, JournalError, Refused) as error:
            raise TableError("no_journal", error.words if isinstance(error, Refused) else str(error)) from error

    def power(self) -> bool:
        """Return whether the host may restart the machine and shut it down."""
        return systemd.power_offered()

    def switch(self, what: str) -> None:
        """Restart the machine or shut it down. Raise TableError."""
        if not self.power():
            raise TableError("no_power", say("only a Raspberry Pi that runs Lodestone as a service does this"))
        systemd.switch(what)


SCARCE_BYTES = 200 << 20
"""Minimum free space, bytes: with less, a few evenings and their backups may not fit."""
HOT_C = 80.0
"""The temperature at which a Raspberry Pi slows down (documentation of ``temp_limit`` and ``temp_soft_limit``)."""
UNDER_VOLTAGE, CAPPED, THROTTLED, SOFT_LIMIT = 1, 2, 4, 8
"""Bits of ``get_throttled`` for now; the same bits 16 places higher: since the start."""


@dataclass(frozen=True)
class MachineFiles:
    """The files and commands that report the machine's state."""

    thermal: Path = Path("/sys/class/thermal")
    throttle_bits: Path = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")
    vcgencmd: str = "vcgencmd"
    timesync: Path = Path("/run/systemd/timesync")
    free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free
    clock: Callable[[], float] = time.time


def warnings(data: Path, places: MachineFiles | None = None) -> list[Text]:
    """Return the machine's warnings for the host, the most urgent first; empty if all is well."""
    places = places or MachineFiles()
    bits = throttle_bits(places)
    found = [_power(bits), _heat(temperature(places), bits), _disk(data, places), _clock(data, places)]
    return [words for words in found if words is not None]


def throttle_bits(places: MachineFiles) -> int:
    """Return the firmware's bits of ``get_throttled``; 0 on a machine that does not report them."""
    with suppress(OSError, ValueError):
        return int(places.throttle_bits.read_text(encoding="ascii").strip(), 16)
    with suppress(OSError, ValueError, IndexError, subprocess.SubprocessError):
        printed = subprocess.run(  # noqa: S603 - the firmware's own tool
            [places.vcgencmd, "get_throttled"], capture_output=True, text=True, timeout=2, check=True
        ).stdout
        return int(printed.split("=")[1], 16)  # throttled=0x50005
    return 0


def temperature(places: MachineFiles) -> float | None:
    """Return the temperature of the hottest zone in °C; None on a machine that does not report it."""
    found = []
    with suppress(OSError):
        for zone in sorted(places.thermal.glob("thermal_zone*/temp")):
            with suppress(OSError, ValueError):
                found.append(int(zone.read_text(encoding="ascii")) / 1000)
    return max(found, default=None)


def _power(bits: int) -> Text | None:
    if bits & UNDER_VOLTAGE:
        return say(
            "The supply's voltage is too low now: the Pi may stop at any moment. Use its own supply and a short cable."
        )
    if bits & UNDER_VOLTAGE << 16:
        return say(
            "The supply's voltage has been too low at some time since the start. Use the Pi's own supply and a short "
            "cable."
        )
    return None


def _heat(hottest: float | None, bits: int) -> Text | None:
    slowed = bits & (CAPPED | THROTTLED | SOFT_LIMIT) and not bits & UNDER_VOLTAGE
    if hottest is not None and hottest >= HOT_C:
        return say(
            "The machine is hot ({degrees} °C) and slows down. Give it air or a heat sink.", degrees=round(hottest)
        )
    if slowed:
        return say("The machine slows itself down because it is too hot. Give it air or a heat sink.")
    return None


def _disk(data: Path, places: MachineFiles) -> Text | None:
    try:
        free = places.free(data)
    except OSError:
        return None
    if free >= SCARCE_BYTES:
        return None
    return say("The disk is nearly full: {free} MB are left. Download a backup and make room.", free=free >> 20)


def _clock(data: Path, places: MachineFiles) -> Text | None:
    """Return a clock warning: a Pi without a battery starts with an old date, before its files were written."""
    written = []
    for path in (Path(__file__), data / "journal.sqlite", data / "journal.sqlite-wal"):
        with suppress(OSError):
            written.append(path.stat().st_mtime)
    if written and places.clock() < max(written) - 60:
        return say(
            "The clock is wrong: it is behind what was saved before. Connect the machine to a network for a moment."
        )
    if places.timesync.is_dir() and not (places.timesync / "synchronized").exists():
        return say("No time server has set the clock since the start: the dates of games may be wrong.")
    return None
