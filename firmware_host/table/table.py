"""The table: one game in progress as a state machine fed with events.

:func:`handle` is the only entry, and :func:`restore` the only other way to a running game. An event changes the
table (:class:`firmware_host.table.state.Table`) within a transaction; then the board
is judged in a second one, and the clocks are set. What the world has to do comes back as effects. There are no clocks,
threads, files, sockets, pins or drawing here: the same events, with the same times, give the same evening, in a test in
milliseconds, and after a power cut from the journal.

An event that the phase does not list is the caller's error, raised as TableError, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.errors import InternalError, TableError
from firmware_host.table.events import AppendEntry, Effect, Failed, ShowView, not_now
from firmware_host.table.ledger import TIME, LedgerError
from firmware_host.table.state import Table, notice
from firmware_host.table.subject import subjects
from firmware_host.table.subjects import far, proposals, resolving, rounds, seats, timekeeping
from firmware_host.text.words import say

LOOK_AGAIN_S = 1.0
"""How long the board is not judged again without a change, after judging has failed, seconds."""
FAILED = "judging"
"""The notice that the board could not be judged."""
_FAILED = say(
    "An error in the program keeps the table from judging the board. Put the last piece back, or go on by phone; "
    "the program's log names the error."
)

_BY_TIME = {
    "setup": "sealing revealing resolving clearing over",
    "sealing": "revealing placing resolving over",
    "revealing": "sealing placing over",
    "placing": "sealing resolving clearing over",
    "resolving": "sealing clearing over",
    "clearing": "sealing resolving over",
    "over": "resolving",
}
"""What lies on the board for a moment counts: a position, an action, a step back by hand. Or a clock is up."""
_AT_ONCE, _UNSEALS = {"resolving": _BY_TIME["resolving"]}, {"revealing": "sealing"}
_BY_ALL = {
    **dict.fromkeys(("setup", "sealing", "placing", "clearing", "over"), "setup over"),
    "revealing": "sealing setup over",
    "resolving": "setup clearing over",
}
_LEAVES = {"setup": "over", "sealing": "revealing placing over", "revealing": "placing over", "placing": "over",
           "resolving": "sealing over"}  # fmt: skip
TRANSITIONS: Mapping[type[ev.Event], Mapping[str, str]] = {
    seats.GameStarted: {"lobby": "setup"},
    rounds.SealCommitted: {"sealing": "revealing"},
    rounds.SealOpened: {"revealing": "placing"},
    ev.Tick: _BY_TIME,
    resolving.Confirmed: _BY_TIME,
    **dict.fromkeys((resolving.SensorChanged, resolving.BoardChanged), _AT_ONCE),
    resolving.AnalysisFound: {"resolving": "clearing over"},
    **dict.fromkeys((proposals.Proposed, proposals.Agreed), _BY_ALL),
    **dict.fromkeys((resolving.Resigned, far.FarTablesChanged), _LEAVES),
    **dict.fromkeys((proposals.TurnVoided, seats.ComputerSeated, seats.SeatMoved), _UNSEALS),
    **dict.fromkeys((proposals.ActionUndone, proposals.GameResumed), dict.fromkeys(_BY_ALL, "setup")),
}
"""Event → phase → the phases to which it may lead. docs/architecture.md draws it."""


def transitions() -> Mapping[type[ev.Event], Mapping[str, str]]:
    """Return :data:`TRANSITIONS` with those of extensions; no other event changes the phase."""
    return {**TRANSITIONS, **{event: to for subject in subjects() for event, to in subject.leads.items()}}


def restore(table: Table, entries: Iterable[tuple[str, Mapping[str, Any]]], at: float) -> None:
    """Bring a journalled game to a new table; the board is then guided back to its position.

    Raise LedgerError naming the entry that does not follow.
    """
    for number, (kind, data) in enumerate(entries, 1):
        try:
            table.ledger.apply(kind, data)
        except Exception as error:
            raise LedgerError(f"entry {number} ({kind}) of game {table.ledger.game_id}: {error}") from error
    table.at = at
    for subject in subjects():
        subject.restored(table)
    if table.ledger.started:
        Change(table).set_up()


def handle(table: Table, event: ev.Event) -> list[Effect]:
    """Process an event; return the effects to carry out, in order. Raise TableError without any change."""
    tick = isinstance(event, ev.Tick)
    if tick and event.at < table.wakes_at:
        table.at = max(table.at, event.at)
        return []
    phase = table.phase
    if phase not in event.phases:
        raise TableError("wrong_phase", not_now(type(event), phase))
    if table.paused and event.by_player:
        raise TableError("paused", say("the host has paused the game"))
    table.at = max(table.at, event.at)
    before = table.picture()
    timekeeping.count(table)
    effects = _react(table, event)
    if not tick or table.at >= table.judges_again_at:
        effects = [*effects, *_judge(table)]
    timekeeping.set_running(table)
    news = [effect for effect in effects if not (isinstance(effect, AppendEntry) and effect.kind == TIME)]
    if not event.quiet or news or before != table.picture():
        effects = [*effects, ShowView()]
    idle = tick and not effects and not _waits(table) and table.ledger.clocks is None and FAILED not in table.notices
    table.wakes_at = table.watch.wakes_at(table.at) if idle else 0.0
    return effects


def _waits(table: Table) -> bool:
    """Return whether time alone changes something besides what the board says."""
    return any(subject.waits(table) for subject in subjects())


def _react(table: Table, event: ev.Event) -> list[Effect]:
    """Let the event change the table. Sensor reports are facts: they are kept even if a reaction fails."""
    if isinstance(event, ev.Tick) and not _waits(table):
        return []  # Nobody waits for time to pass, but perhaps the board.
    try:
        with Change(table) as change:
            event.happen(change)
            if isinstance(event, ev.Tick):
                for subject in subjects():
                    subject.on_time(change)
            _settle(change)
    except TableError as error:
        if isinstance(event, ev.Tick) and isinstance(error, InternalError):
            return [Failed(error.__cause__ or error)]  # Time goes on, and so does judging the board.
        if not isinstance(event, resolving.SensorChanged | resolving.BoardChanged) or error.code == "bad_node":
            raise
        table.watch.note(event.changes, table.at)
        return [Failed(error.__cause__ or error)]
    return change.effects


def _settle(change: Change) -> None:
    for subject in subjects():
        subject.settled(change)


def _judge(table: Table) -> list[Effect]:
    """Judge the board after an event. If that fails the event stands, and people see a notice."""
    try:
        with Change(table) as change:
            resolving.look(change)
            _settle(change)
    except TableError as error:
        table.judges_again_at = table.at + LOOK_AGAIN_S
        notice(table, FAILED, _FAILED)
        return [Failed(error.__cause__ or error)]
    if FAILED in table.notices:
        notice(table, FAILED, None)
    return change.effects
