"""A change of a table as a transaction: all of it takes effect, or none of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

from firmware_host.games.game import GameError
from firmware_host.games.positions import next_steps, occupancy_after, untidying
from firmware_host.table import stages
from firmware_host.table.errors import InternalError, TableError
from firmware_host.table.events import AppendEntry, Effect
from firmware_host.table.hypotheses import Earlier
from firmware_host.table.ledger import result_entry
from firmware_host.table.stages import ending_of
from firmware_host.table.state import Stages, Table, choose, lay, tidy
from firmware_host.table.subject import subjects

R = TypeVar("R")


class Change:
    """What one event changes in a table; use it in a ``with`` statement.

    If the statement ends with an exception the state is as before: a refusal (TableError) is passed on, any other
    exception becomes an InternalError. Saving references to the parts of the state is enough, because they are replaced
    and never changed in place: their attributes are annotated as read-only (``Mapping``, ``Sequence``, ``frozenset``),
    which mypy checks.
    """

    def __init__(self, table: Table) -> None:
        """Begin a change of a table."""
        self.table = table
        self.effects: list[Effect] = []
        """The effects to carry out after a successful change, in order."""
        parts = (table, table.ledger, table.watch, table.watch.tracker)
        self._before = [(part, vars(part).copy()) for part in parts]

    def __enter__(self) -> Self:
        """Change nothing yet."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Keep what has changed, or undo it after an exception."""
        if error is None:
            return
        self.undo()
        if isinstance(error, Exception) and not isinstance(error, TableError):
            raise InternalError from error

    def undo(self) -> None:
        """Bring the state back to what it was when the change began."""
        for part, before in self._before:
            now = vars(part)
            now.clear()
            now.update(before)
        self.effects = []

    # -- journal entries -----------------------------------------------------------------------------------------

    def enter(self, kind: str, data: Mapping[str, Any]) -> None:
        """Add an entry: apply it to the ledger, and have it journalled before anything after it is shown."""
        ledger = self.table.ledger
        ledger.apply(kind, data)
        if ledger.clocks is not None:
            data = {**data, "clock": ledger.clocks.to_dict()}
        self.effects.append(AppendEntry(kind, data))
        for subject in subjects():
            subject.entered(self, kind)

    def note_result(self) -> None:
        """Add the entry of the result once the game is over."""
        ledger = self.table.ledger
        if ledger.over and not ledger.ended:
            self.enter("result", result_entry(ledger.now.status))

    def go_back(self, by: str, to: int = -2) -> None:
        """Undo the last moment, or all after another one; the board is judged afterwards."""
        table = self.table
        moments = table.ledger.moments
        to %= len(moments)
        data = {"to": to, "by": by, "position": table.game.text(moments[to].position)}
        choose(table, None)
        tidy(table, untidying(table.game, [moment.position for moment in moments[to:]]))
        self.enter("correction", data)

    # -- what the watch expects ----------------------------------------------------------------------------------

    def move_on(self, done: Stages = (), *, unsure: bool = False) -> None:
        """Continue from a changed position: end the game, have pieces cleared, or follow the next steps.

        ``unsure``: only a piece's absence said that the last action was done.
        """
        self.note_result()
        if self.table.ledger.now.removed:
            self.clear(stages.earlier(self.table))
        else:
            self.follow_position(done, unsure=unsure)

    def clear(self, earlier: Earlier | None = None) -> None:
        """Have the pieces that the rules have removed taken off the board."""
        table, now = self.table, self.table.ledger.now
        after = table.game.occupancy(now.position)
        table.watch.clear(now.placed, after, table.at, earlier=earlier, over=table.ledger.over)

    def set_up(self) -> None:
        """Have the board brought to the present position before anything else counts."""
        table = self.table
        choose(table, None)
        lay(table, ())
        table.watch.aim("setup", table.game.occupancy(table.ledger.now.position), table.at)

    def follow_position(self, done: Stages = (), *, unsure: bool = False) -> None:
        """Watch for the legal steps of the present position (none while players seal), with some stages done."""
        table = self.table
        if table.ledger.lot_due is not None:  # There are no steps yet: they depend on what is drawn.
            self.set_up()
            return
        position, led = table.ledger.now.position, table.is_played_for(table.actor)
        acting = table.ledger.round is None and not table.ledger.over
        steps = next_steps(table.game, position, done) if acting else []
        leading = [step for step in steps if stages.leads_to(step, table.chosen_action)]
        lay(table, done)
        lies = done[-1:] == (table.chosen_action,)  # It stays chosen: a player who lifts it again is led back to it.
        if not leading and not lies and stages.instead(table, table.chosen_action) is None:
            choose(table, None)
        table.watch.follow(
            occupancy_after(table.game, position, done),
            stages.open_to_hands(table, table.actor, steps),
            table.at,
            earlier=stages.before(table, done),
            follow=partial(table.next_steps.after, position, done),
            allowed=partial(stages.are_open_to_hands, table, position, done),
            ending=partial(ending_of, table.game, position, table.ledger.moments[-2:][0].position),
            unsure=unsure,
            bound=led,
            named=leading[0].action if leading else None,
            over=table.ledger.over,
        )


def by_rules(ask: Callable[[], R]) -> R:
    """Return what the rules answer. Raise TableError if they refuse."""
    try:
        return ask()
    except GameError as error:
        raise TableError("bad_action", error.message) from error
