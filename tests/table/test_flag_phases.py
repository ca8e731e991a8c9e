"""Time that is up, or would be: every phase that a game has, with gentle clocks and with strict ones."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_host.games.clocks import ClockSetting
from firmware_host.table import events as ev
from firmware_host.table import guide
from firmware_host.table.events import ANY
from firmware_host.table.subjects.proposals import ActionUndone
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.timekeeping import ClocksChosen
from lodestone.evening import Evening
from tests.sampling import cases, few
from tests.table.hosted_evenings import KINDS, Played

MAIN_S = 300
"""Far more than the road to any phase takes here."""
QUIET = ("lobby", "setup", "revealing", "placing", "clearing", "over")
"""Phases in which nobody thinks."""
PHASES = {
    "spokes": (*QUIET, "sealing", "resolving"),
    "coil": ("lobby", "setup", "over", "resolving"),
    "phalanx": ("lobby", "setup", "clearing", "over", "resolving"),
    "octiles": ("lobby", "setup", "over", "resolving", "half a turn"),
}
SEEDS = {"spokes": 1}
"""A game in which each of its phases comes soon."""


def test_each_phase_is_looked_at() -> None:
    assert set(PHASES) == set(KINDS)
    assert {phase for phases in PHASES.values() for phase in phases} == ANY | {"half a turn"}


def reached(game: str, phase: str, setting: ClockSetting) -> Played:
    """Return a game that has come to a phase; no time is up by then."""
    if phase == "lobby":
        lobby = Played.__new__(Played)
        lobby.evening, lobby.seed = Evening(game), 1
        lobby.say(ClocksChosen, setting=setting)
        return lobby
    played = Played(game, SEEDS.get(game, 3), clocks=setting)
    evening = played.evening
    for _ in played.deeds(80):
        if phase == "setup" and len(evening.table.ledger.moments) > 2 and evening.phase in {"sealing", "resolving"}:
            played.say(ActionUndone)
        elif phase == "over" and evening.phase == "resolving":
            played.say(Resigned, seat=1)
        half = evening.phase == "resolving" and evening.table.done_stages
        settled = evening.table.watch.verdict.kind != "settling"
        left = phase not in {"setup", "placing", "clearing"} or guide.tasks(evening.table)
        if settled and left and phase == ("half a turn" if half else evening.phase):
            return played
    raise AssertionError(f"{game}: {phase} never came")


def pass_time(evening: Evening) -> list[Any]:
    """Let more time pass than anybody has; return what was said about time that is up."""
    before = len(evening.entries)
    for _ in range(MAIN_S + 60):
        evening.at += 1
        evening.say(ev.Tick(at=evening.at))
    return [data for kind, data in evening.entries[before:] if kind == "flag"]


def goes_on(played: Played) -> None:
    """Play until one moment more has come."""
    moments = len(played.evening.table.ledger.moments)
    for _ in played.deeds(moments):
        pass
    assert len(played.evening.table.ledger.moments) > moments


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "phase", "strict"),
    few(
        cases(
            [(game, phase, strict) for game, phases in PHASES.items() for phase in phases for strict in (False, True)]
        ),
        13,
    ),
)
def test_the_end_of_time(game: str, phase: str, strict: bool) -> None:
    played = reached(game, phase, ClockSetting(main=MAIN_S, strict=strict))
    evening = played.evening
    table, here, actor = evening.table, evening.phase, evening.table.actor
    clocks = table.ledger.clocks
    stood = {} if clocks is None else clocks.left
    turns = table.ledger.round
    waited_for = set(turns.seats) - set(turns.commitments) if here == "sealing" and turns else set()
    flags = pass_time(evening)
    ledger = table.ledger
    if phase in QUIET:
        assert (flags, evening.phase) == ([], here)
        assert (ledger.clocks.left if ledger.clocks else {}) == stood
    elif phase == "sealing":
        assert {flag["seat"] for flag in flags} == waited_for
        drawn = "placing" if waited_for == set(ledger.all_seats) else "revealing"
        assert evening.phase == (drawn if strict else here)
        goes_on(played)
    elif not strict:
        assert [flag["seat"] for flag in flags] == [actor]
        assert (evening.phase, ledger.late) == (here, frozenset())
        goes_on(played)
    elif game == "spokes":
        (flag,) = flags
        assert (flag["seat"], flag["stint"], table.chosen_action is not None) == (actor, "act", True)
        number, step = len(ledger.moments), table.chosen_action
        goes_on(played)
        assert ledger.moments[number].actions == {actor: step}
    else:
        assert (flags, evening.phase, ledger.late) == ([], "over", {actor})
        assert actor not in evening.view()["result"]["winners"]  # type: ignore[index]
