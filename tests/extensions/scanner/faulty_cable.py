"""Whole games over a cable that is often bad, pulled or silent (see lodestone/soaking.py)."""

from __future__ import annotations

from pathlib import Path
from random import Random

from lodestone.soaking import Account, FaultyTable, Mishaps, People, Stuck, WrongAction
from tests.extensions.scanner.cable import CABLE_FAULTS, Cable


class CableMishaps(Mishaps):
    """Faults of the cable at random moments."""

    table: CableTable

    def mend(self) -> None:
        super().mend()
        if self.table.cable.fault == "unplugged":
            self.table.cable.end.reboot()
        self.table.cable.fault = ""

    def _break(self) -> None:
        if self.kind == "reboot":
            self.table.cable.end.reboot()
        elif self.kind in CABLE_FAULTS:
            self.table.cable.fault = self.kind


class CableTable(FaultyTable):
    """A running table whose sensors are at the other end of a cable."""

    def __init__(self, folder: Path, *, kind: str, mode: str, seed: int, changes: bool) -> None:
        super().__init__(folder, kind=kind, mode=mode, kinds=("none",), seed=seed, game="spokes")
        self.cable = Cable(self.parts.world, self.clock, Random(seed + 1), changes=changes)
        self.board.sensors.close()
        self.board.sensors = self.cable
        self.mishaps = CableMishaps(self, ("none", *CABLE_FAULTS, "bad-cable"), self.random)


def cable_evening(folder: Path, turns: int, *, kind: str, mode: str, seed: int, changes: bool) -> Account:
    """Play this number of turns over a bad cable and return the result."""
    table = CableTable(folder, kind=kind, mode=mode, seed=seed, changes=changes)
    where = f"serial {kind}, {mode} players, seed {seed}"
    try:
        People(table).play(turns)
    except WrongAction as error:
        table.account.wrong.append(f"{where}, {table.mishaps and table.mishaps.kind}: {error}")
    except Stuck as error:
        table.account.stuck.append(f"{where}, {table.mishaps and table.mishaps.kind}: {error}")
    finally:
        counters = table.cable.link.counters
        table.account.noticed.update(
            {"frames dropped": counters.dropped, "scanner lost": counters.losses, "scanner rebooted": counters.reboots}
        )
        table.close()
    return table.account
