"""Every event in every phase is taken, or refused by its name."""

from __future__ import annotations

from dataclasses import fields

import pytest

from firmware_host.games.clocks import ClockSetting
from firmware_host.table import events as ev
from firmware_host.table.errors import InternalError, TableError
from firmware_host.table.table import handle
from tests.table.every_event import EVENTS, one_of
from tests.table.test_flag_phases import MAIN_S, reached

PHASES = [("spokes", phase) for phase in sorted(ev.ANY)]


def refusal(table: object, event: type[ev.Event]) -> TableError | None:
    try:
        handle(table, one_of(event))  # type: ignore[arg-type]
    except TableError as error:
        return error
    return None


@pytest.mark.parametrize(("game", "phase"), [*PHASES, ("octiles", "lobby"), ("octiles", "resolving")])
def test_an_event_is_taken_or_refused_by_its_name(game: str, phase: str) -> None:
    table = reached(game, phase, ClockSetting(main=MAIN_S)).evening.table
    for event in (event for event in EVENTS if phase not in event.phases):
        error = refusal(table, event)
        assert error is not None
        assert error.code == "wrong_phase"
        assert event.title in error.message
        assert table.phase == phase
    for event in (event for event in EVENTS if phase in event.phases):  # Its values are nothing that a table knows.
        assert not isinstance(refusal(table, event), InternalError)


def test_every_event_says_what_happens() -> None:
    assert set(EVENTS) == set(ev.Event.__subclasses__())
    assert [event for event in EVENTS if event.happen is ev.Event.happen] == []


def test_an_event_that_may_be_refused_has_a_name() -> None:
    with pytest.raises(TypeError, match="needs a name"):
        ev.event(ev.PLAYING)(type("Nameless", (ev.Event,), {"__module__": __name__}))


def test_requests_and_lines_name_fields_of_their_event_and_no_two_are_alike() -> None:
    for event in EVENTS:
        known = {field.name for field in fields(event)} - {"at"}
        assert {name for request in event.requests for name in request.fields.split()} <= known
        assert {*event.line.split()[1:], *event.always} <= known
    for names in (
        [request.path for event in EVENTS for request in event.requests],
        [event.line.split()[0] for event in EVENTS if event.line],
    ):
        assert len(set(names)) == len(names) > 0
