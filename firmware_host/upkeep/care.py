"""Maintenance of the machine on the host's page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from firmware_host.archive.journal_events import JournalError
from firmware_host.table.errors import TableError
from firmware_host.text.refusal import Refused
from firmware_host.text.words import Text, say
from firmware_host.upkeep import power
from firmware_host.upkeep.asked_update import Updates
from firmware_host.upkeep.backup import PASSING, make_backup, passing_folder
from firmware_host.upkeep.log import log_text
from firmware_host.upkeep.warnings import warnings
from firmware_host.upkeep.wifi.asked import Wifi


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
        return power.power_offered()

    def switch(self, what: str) -> None:
        """Restart the machine or shut it down. Raise TableError."""
        if not self.power():
            raise TableError("no_power", say("only a Raspberry Pi that runs Lodestone as a service does this"))
        power.switch(what)
