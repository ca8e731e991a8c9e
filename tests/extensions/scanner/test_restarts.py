"""A scanner that restarts by itself: each time in the log, told when it comes too often, never called silent."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from firmware_host.extensions.scanner.link import RESTARTS, RESTARTS_S
from lodestone.tables import SimulatedTable
from tests.extensions.scanner.test_scanner_link import Line

BOOT_S = 0.06
"""Shorter than a microcontroller takes, longer than a period."""


def test_each_restart_is_logged_and_too_many_are_told(caplog: pytest.LogCaptureFixture) -> None:
    line = Line()
    line.run(1.0)
    with caplog.at_level(logging.WARNING):
        for _ in range(RESTARTS):
            assert line.link.complaint is None
            line.end.reboot()
            line.run(2.0)
    assert line.link.counters.reboots == RESTARTS
    assert caplog.text.count("has restarted by itself") == RESTARTS
    assert "check its supply" in str(line.link.complaint)
    line.run(RESTARTS_S + 5)
    assert line.link.complaint is None, "of late it has not"


def test_a_scanner_that_restarts_when_it_is_asked_to_scan_is_not_called_silent() -> None:
    """Its hello has the number 0 again and again: it is no frame that came twice."""
    line = Line()
    line.run(1.0)
    due: list[float] = []

    def brown_out(*_: Any) -> bytes:
        due.append(line.clock() + BOOT_S)
        line.end.take = lambda data: b""  # type: ignore[method-assign]
        line.end.due = lambda: b""  # type: ignore[method-assign]
        return b""

    def boot() -> None:
        del line.end.take, line.end.due
        line.end.reboot()

    line.end._configure = brown_out  # type: ignore[method-assign]
    line.end.reboot()
    reasons = set()
    end = line.clock() + 10
    while line.clock() < end:
        line.run(0.005)
        if due and line.clock() >= due[0]:
            due.clear()
            boot()
        if (reason := line.link.loss(line.clock())) is not None:
            reasons.add(str(reason).partition(" (")[0])
            line._outgoing = line.link.open(line.clock())
            due.clear()
            if "take" in vars(line.end):
                boot()
    assert reasons == {"restarts again and again"}
    assert line.link.counters.reboots > 20
    assert line.link.complaint is not None


def test_a_hello_that_came_twice_is_no_restart() -> None:
    line = Line()
    line.to_host = lambda data: data + data
    line.run(2.0)
    assert line.link.counters.reboots == 0
    assert line.link.counters.doubled > 0


def test_a_table_tells_of_a_scanner_that_restarts_in_play() -> None:
    table = SimulatedTable(board="spokes-45-serial", seats=["Ann", "Bob"])
    try:
        bank: Any = table.board.sensors
        while hasattr(bank, "bank"):
            bank = bank.bank
        for _ in range(6):
            bank.end.reboot()
            table.wait(1)
        view: Any = table.view
        assert any("has restarted by itself" in str(one) for one in view["notices"]), view["notices"]
        assert view["standstill"] is None
    finally:
        table.close()
