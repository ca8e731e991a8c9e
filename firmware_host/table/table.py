"""The table: one game in progress as a state machine fed with events.

This module holds which event is allowed in which phase, and what reacts to it. It has no clocks, threads, files,
sockets, pins or drawing. :meth:`Table.handle` is the only entry; an event that the phase does not list is the
caller's error, raised as TableError, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.effects import Effect, Failed, Journal, Show
from firmware_host.table.errors import InternalError, TableError
from firmware_host.table.ledger import TIME, LedgerError
from firmware_host.table.phases import ALLOWED, PLAYER_EVENTS, QUIET, not_now
from firmware_host.table.reactions import (
    analysis,
    clocks,
    computers,
    host,
    lobby,
    proposals,
    resolving,
    seals,
    sensor_faults,
)
from firmware_host.table.reactions.hints import HANDLERS as HINTS
from firmware_host.table.state import TableState
from firmware_host.text.words import say

Handler = Callable[[Change, Any], None]

LOOK_AGAIN_S = 1.0
"""How long the board is not judged again without a change, after judging has failed, seconds."""
FAILED = "judging"
"""The notice that the board could not be judged."""
_FAILED = say(
    "An error in the program keeps it from judging the board. Put the last piece back, or go on by phone; "
    "the program's log names the error."
)


class Table(TableState):
    """The state of a table, and the way in for events."""

    _look_again = 0.0
    _wakes_at = 0.0
    """Until then a tick changes nothing unless something else happens first."""

    def open(self, entries: Iterable[tuple[str, Mapping[str, Any]]], at: float) -> None:
        """Resume a journalled game; the board is then guided back to its position.

        Raise LedgerError naming the entry that does not follow.
        """
        for number, (kind, data) in enumerate(entries, 1):
            try:
                self.ledger.apply(kind, data)
            except Exception as error:
                raise LedgerError(f"entry {number} ({kind}) of game {self.ledger.game_id}: {error}") from error
        self.at = at
        self.clocks_until = self.clocks_kept = round(at * 1000)
        self.watch.mask(self.ledger.masked, at)
        if self.ledger.started:
            Change(self).set_up()

    def handle(self, event: ev.Event) -> list[Effect]:
        """Process an event; return the effects to carry out, in order. Raise TableError without any change."""
        tick = isinstance(event, ev.Tick)
        if tick and event.at < self._wakes_at:
            self.at = max(self.at, event.at)
            return []
        phase = self.phase
        if phase not in ALLOWED[type(event)]:
            raise TableError("wrong_phase", not_now(type(event), phase))
        if self.held and isinstance(event, PLAYER_EVENTS):
            raise TableError("held", say("the host has paused the game"))
        self.at = max(self.at, event.at)
        before = self.picture()
        clocks.count(self)
        effects = self._react(event)
        if not tick or self.at >= self._look_again:
            effects = [*effects, *self._judge()]
        clocks.set_running(self)
        news = [effect for effect in effects if not (isinstance(effect, Journal) and effect.kind == TIME)]
        if not isinstance(event, QUIET) or news or before != self.picture():
            effects = [*effects, Show()]
        idle = tick and not effects and not self._waits and self.ledger.clocks is None and FAILED not in self.notices
        self._wakes_at = self.watch.wakes_at(self.at) if idle else 0.0
        return effects

    @property
    def _waits(self) -> bool:
        """Return whether time alone changes something besides what the board says."""
        return self.proposal is not None or bool(self.declined) or self.lapsed_until is not None or clocks.is_due(self)

    def _react(self, event: ev.Event) -> list[Effect]:
        """Let the event change the table. Sensor reports are facts: they are kept even if a reaction fails."""
        if isinstance(event, ev.Tick) and not self._waits:
            return []  # Nobody waits for time to pass, but perhaps the board.
        try:
            with Change(self) as change:
                HANDLERS[type(event)](change, event)
                change.drop_lapsed_proposal()
        except TableError as error:
            if isinstance(event, ev.Tick) and isinstance(error, InternalError):
                return [Failed(error.__cause__ or error)]  # Time goes on, and so does judging the board.
            if not isinstance(event, ev.SensorChanged | ev.BoardChanged) or error.code == "bad_node":
                raise
            self.watch.note(event.changes, self.at)
            return [Failed(error.__cause__ or error)]
        return change.effects

    def _judge(self) -> list[Effect]:
        """Judge the board after an event. If that fails the event stands, and people see a notice."""
        try:
            with Change(self) as change:
                resolving.look(change)
                change.drop_lapsed_proposal()
        except TableError as error:
            self._look_again = self.at + LOOK_AGAIN_S
            self.notices = {**self.notices, FAILED: _FAILED}
            return [Failed(error.__cause__ or error)]
        if FAILED in self.notices:
            self.notices = {what: text for what, text in self.notices.items() if what != FAILED}
        return change.effects


def _on_time(change: Change, event: ev.Tick) -> None:
    proposals.on_time(change, event)
    clocks.on_time(change)


HANDLERS: Mapping[type[ev.Event], Handler] = {
    ev.Tick: _on_time,
    ev.ClocksStopped: clocks.keep,
    ev.SensorChanged: resolving.sense,
    ev.BoardChanged: resolving.sense_many,
    ev.BoardLost: sensor_faults.lose_board,
    ev.BoardBack: sensor_faults.regain_board,
    ev.SensorMasked: sensor_faults.mask,
    ev.SensorUnmasked: sensor_faults.unmask,
    ev.Noticed: sensor_faults.notice,
    **lobby.HANDLERS,
    **host.HANDLERS,
    **computers.HANDLERS,
    ev.SealCommitted: seals.seal,
    ev.SealReady: seals.ready,
    ev.SealOpened: seals.take,
    ev.ActionChosen: resolving.choose,
    ev.Confirmed: resolving.confirm,
    ev.Resigned: resolving.resign,
    ev.Proposed: proposals.propose,
    ev.Agreed: proposals.agree,
    ev.Declined: proposals.decline,
    **HINTS,
    ev.Foreseen: analysis.learn,
}
