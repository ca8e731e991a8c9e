"""Dates where the machine has no clock: from the host's phone; and clocks that jump in the middle of a game."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firmware_host.archive import dates, journal_events
from firmware_host.archive.dates import BEHIND_S, Dates
from firmware_host.archive.records import export, verify_lines
from firmware_host.table.subjects.resolving import Resigned
from lodestone.tables import SimulatedTable
from tests.web_panel.table import Phone, host_phone, panel

TODAY = datetime(2026, 11, 28, 20, 15, tzinfo=UTC).timestamp()
TEN_YEARS = 10 * 365.25 * 86400


class Machine:
    """A system's clock, a steady one, and whether a time server has set the first."""

    def __init__(self, system: float) -> None:
        self.system, self.steady, self.synchronised = system, 50.0, False
        self.dates = Dates(lambda: self.system, lambda: self.steady, lambda: self.synchronised)

    def wait(self, seconds: float) -> None:
        self.system += seconds
        self.steady += seconds

    @property
    def day(self) -> str:
        return f"{self.dates.now():%Y-%m-%d %H:%M}"


def test_a_machine_of_1970_has_the_phones_date_and_goes_on_from_it() -> None:
    machine = Machine(12.0)
    assert machine.day == "1970-01-01 00:00"
    machine.dates.learn(TODAY)
    assert machine.day == "2026-11-28 20:15"
    machine.wait(3600)
    assert machine.day == "2026-11-28 21:15"
    machine.dates.learn(TODAY + 3600 + 60)
    assert machine.day == "2026-11-28 21:16", "the newest phone"


def test_a_time_server_is_believed_before_any_phone() -> None:
    machine = Machine(12.0)
    machine.dates.learn(TODAY)
    machine.system, machine.synchronised = TODAY - 86400, True
    assert machine.day == "2026-11-27 20:15"
    machine.dates.learn(TODAY)
    assert machine.day == "2026-11-27 20:15"


def test_a_system_that_has_a_clock_keeps_it() -> None:
    machine = Machine(TODAY)
    for phone in (TODAY + BEHIND_S / 2, TODAY - TEN_YEARS / 10, 0.0, -1.0, 1e12, float("nan"), float("inf")):
        machine.dates.learn(phone)
        assert machine.day == "2026-11-28 20:15", phone
    machine.system += TEN_YEARS
    assert machine.day == "2036-11-28 08:15"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path)
    yield here
    here.close()


def test_the_hosts_page_tells_the_date(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(12.0)
    monkeypatch.setattr(dates, "DATES", machine.dates)
    app = panel(table)
    body = {"now": round(TODAY * 1000)}
    assert Phone(app).post("host/clock", body)[1]["error"]["code"] == "not_host"
    assert machine.day.startswith("1970")
    assert host_phone(app).post("host/clock", body) == (200, {"ok": True})
    assert machine.day == "2026-11-28 20:15"
    assert journal_events.utc_now() == "2026-11-28T20:15:00.000+00:00"


@pytest.mark.parametrize("system", [12.0, TODAY], ids=["1970", "today"])
@pytest.mark.parametrize("jump", [TEN_YEARS, -TEN_YEARS / 2], ids=["ten years on", "five years back"])
def test_a_jump_of_the_clock_in_a_game_moves_nothing(
    table: SimulatedTable, monkeypatch: pytest.MonkeyPatch, system: float, jump: float
) -> None:
    """A time server is reached, or lost its mind, between two seals: the game goes on, and its record verifies."""
    machine = Machine(system)
    monkeypatch.setattr(dates, "DATES", machine.dates)
    table.begin(["Ann", "Bob"])
    table.seal({1: "wD12", 2: "bD13"})
    table.follow()
    before = table.view["phase"]
    machine.system = max(0.0, machine.system + jump)
    table.wait(5)
    assert table.view["phase"] == before
    assert not table.view["paused"]
    table.runtime.submit(Resigned(at=table.clock.now, seat=2))
    table.wait_for(phase="over")
    entries = table.journal.entries(table.runtime.view(None)[1]["game"]["id"])
    assert [one.seq for one in entries] == sorted(one.seq for one in entries)
    start = next(one for one in entries if one.kind == "start")
    assert start.at[:4] == f"{datetime.fromtimestamp(system, UTC):%Y}"
    assert entries[-1].at[:4] == f"{datetime.fromtimestamp(machine.system, UTC):%Y}"
    assert verify_lines(export(table.journal, table.journal.games()[-1].id)).state == "won by seat 1 (resigned)"
