"""What happens to a table happens as a whole or not at all, whatever fails in a game."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.errors import InternalError, TableError
from firmware_host.table.events import AppendEntry, Failed
from firmware_host.table.state import Table
from firmware_host.table.subjects.rounds import STATE, SealOpened
from firmware_host.table.table import handle
from firmware_host.table.view import public_view
from tests.sampling import few
from tests.table.fragile import DYING, SCENES, FragileEvening, Sudden, happenings


def values(table: Table, *, but: tuple[str, ...] = ()) -> object:
    """Return all that a table remembers, as text: what was changed in place is found as well."""
    tracker = table.watch.tracker
    parts = (table, table.ledger, table.watch, tracker, tracker.evidence, tracker.evidence.boards)
    but = (*but, "_after")  # Of the possible boards: found at the first question, and kept.
    return [{n: repr(v) for n, v in vars(part).items() if n not in but} for part in parts]


def attempt(evening: FragileEvening, event: ev.Event) -> tuple[str, list[tuple[str, Any]]]:
    """Let an event happen; return how it went, and the entries that it made."""
    try:
        effects = handle(evening.table, event)
    except TableError as error:
        return error.code, []
    failed = any(isinstance(effect, Failed) for effect in effects)
    return "failed" if failed else "", [(e.kind, e.data) for e in effects if isinstance(e, AppendEntry)]


@pytest.mark.slow
@pytest.mark.parametrize("scene", few(SCENES, 5))
def test_whatever_fails_in_a_game_is_refused_as_a_whole(scene: str) -> None:
    evening = SCENES[scene]()
    table, breaker = evening.table, evening.breaker
    assert scene.startswith(table.phase)
    before, tried = Change(table), 0
    for event in happenings(evening):
        breaker.called.clear()
        well = attempt(evening, event)
        called = breaker.called.copy()
        public_view(table)
        before.undo()
        for method in sorted(called):
            was = values(table, but=("at",))
            breaker.armed = method
            went, entries = attempt(evening, event)
            breaker.armed = None
            tried += 1
            if went == "internal":
                assert values(table, but=("at",)) == was, f"{event}, {method}"
            evening.entries += entries
            told, known = vars(evening.folded()), vars(table.ledger)
            assert {n: repr(v) for n, v in told.items()} == {n: repr(v) for n, v in known.items()}
            del evening.entries[len(evening.entries) - len(entries) :]
            for later in (0.5, 3.0):  # Play goes on.
                assert attempt(evening, ev.Tick(at=table.at + later))[0] == ""
            before.undo()
            assert attempt(evening, event) == well, f"{event}, {method}"
            before.undo()
    assert tried or scene == "over", "after the end no event asks the rules"


def test_an_opening_that_can_not_be_revealed_is_not_in_the_ledger_either() -> None:
    evening = SCENES["revealing"]()
    sealing, journal = evening.table.ledger.round, list(evening.entries)
    assert sealing is not None
    last = SealOpened(at=evening.at, seat=2, turn=sealing.turn, action="wC3", nonce="0123456789abcdef" * 2)
    calls = 0
    apply: Any = evening.game.apply

    def second_fails(*given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise Sudden("apply")
        return apply(*given)

    broken: Any = evening.game
    broken.apply = second_fails
    with pytest.raises(InternalError) as refused:
        evening.say(last)
    assert isinstance(refused.value.__cause__, Sudden)
    assert (evening.table.ledger.round, evening.entries) == (sealing, journal)
    assert set(STATE.of(evening.table).openings) == {1}
    evening.say(last)
    assert evening.phase == "placing", "the phone sends it again, and the turn is revealed"


def test_what_sensors_report_is_known_though_judging_it_fails() -> None:
    evening = FragileEvening("phalanx").begin(DYING).lay()
    step = next(step for step in evening.table.watch.tracker.steps if [move.source for move in step.moves] == ["C4"])
    (move,) = step.moves
    assert move.source
    assert move.target
    evening.breaker.armed = "apply"
    evening.carry(move.source, move.target)
    evening.wait(2.0)
    assert evening.done() == []
    assert evening.table.watch.tracker.sensed[move.target]
    assert any("judging the board" in text for text in evening.view()["notices"])
    evening.breaker.armed = None
    evening.wait(2.0)
    assert evening.done() == [step.action], "once the game works again the board counts as it lies"
    assert evening.view()["notices"] == []
