"""The phases of a table, and which events lead from one to another."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.table import events as ev
from firmware_host.table.subjects.seats import GameStarted
from firmware_host.table.table import TRANSITIONS
from firmware_host.table.table import transitions as all_transitions
from lodestone.evening import Evening
from tools.openapi import transitions

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
WAYS = [
    (event, phase, to) for event, ways in all_transitions().items() for phase, at in ways.items() for to in at.split()
]


def test_the_page_has_the_drawing() -> None:
    """Mended with: python -m tools.openapi"""
    assert "\n".join(transitions()) in PAGE.read_text(encoding="utf-8")


def test_an_event_leads_on_only_from_phases_that_take_it() -> None:
    assert [(event.__name__, phase) for event, phase, _ in WAYS if phase not in event.phases] == []
    assert {to for _, _, to in WAYS} <= ev.ANY


def test_every_phase_can_be_reached_and_only_the_lobby_is_left_for_good() -> None:
    def reached(start: str) -> set[str]:
        found, new = {start}, {start}
        while new:
            new = {to for _, phase, to in WAYS if phase in new} - found
            found |= new
        return found

    assert reached("lobby") == ev.ANY
    assert all(reached(phase) == ev.BEGUN for phase in ev.BEGUN)


def test_a_change_of_phase_that_is_not_in_the_table_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every evening of the tests compares its course with the table."""
    monkeypatch.setitem(TRANSITIONS, GameStarted, {})
    with pytest.raises(AssertionError, match="GameStarted leads from lobby to setup"):
        Evening().sit_and_start("Ann", "Ben")
