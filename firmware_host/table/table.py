"""The table: one game in progress as a state machine fed with events.

May live here: which event is allowed in which phase, what it changes, what is journalled. May not: clocks, threads,
files, sockets, pins, drawing. :meth:`Table.handle` is the only way in; an event that the phase does not list is the
caller's error, raised as TableError, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

from firmware_host.games.game import Foresight, Game, GameError
from firmware_host.table import agreeing, computers, foreseeing, hosted, opening, seats, staging, upkeep
from firmware_host.table import events as ev
from firmware_host.table.ahead import StepsAhead
from firmware_host.table.dealing import Seed
from firmware_host.table.effects import Effect, Journal, Show
from firmware_host.table.errors import TableError
from firmware_host.table.hypotheses import Done, Earlier
from firmware_host.table.ledger import Ledger, LedgerError, result_entry
from firmware_host.table.outlook import Outlook
from firmware_host.table.phases import ALLOWED, QUIET, not_now
from firmware_host.table.proposals import Declined, Proposal
from firmware_host.table.senses import senses_of
from firmware_host.table.timing import Timings
from firmware_host.table.watch import Arrived, Watch
from firmware_host.text.words import say

R = TypeVar("R")

TIDIED = "tidied"
"""What is confirmed on a phone when all is done beside the board."""


class Table:
    """One game, from the lobby to the cleared board. ``kind`` is the board's kind of sensing."""

    def __init__(
        self,
        game: Game[Any],
        game_id: str,
        mode: str,
        *,
        kind: str,
        timings: Timings | None = None,
        blurred: Collection[str] = (),
        seed: Seed = 0,
    ) -> None:
        """Open the lobby. At ``blurred`` nodes levels don't tell stacks; a shuffled game is dealt from ``seed``.

        Raise GameError for an unknown mode.
        """
        self.game = game
        self.kind = kind
        self.seed = seed
        self.ledger = Ledger(game, game_id, mode)
        self.watch = Watch(senses_of(game, kind, blurred), game.layout(), timings or Timings())
        self.outlook = Outlook()
        self.proposal: Proposal | None = None
        self.lapsed_until: float | None = None
        self.declined: tuple[Declined, ...] = ()
        self.awake: set[int] = set()
        """The seats whose phones have said that they are ready to open the seals that lie."""
        self.openings: dict[int, opening.Opening] = {}
        """The openings that have come of the round that is being revealed, by seat; nowhere else before the last."""
        self.wanted: str | None = None
        self.reason: tuple[int, str] | None = None
        """The seat of a computer and why it does what it does, while nobody else has done anything after it."""
        self.thinking: int | None = None
        """The seat for which a computer has been thinking for a while."""
        self.done_stages: staging.Stages = ()
        """The stages of the present action that lie on the board; nothing of them is journalled."""
        self.tidying: str | None = None
        """What is to be done beside the board after the last action, in words."""
        self.paused: str | None = None
        self.held = False
        """Whether the host has paused the game."""
        self.held_because: str | None = None
        """Why the program itself has; None where the host did."""
        self.asks: dict[str, int] = {}
        """Phones that ask the host for a seat: their codes, and which seat."""
        self.notices: dict[str, str] = {}
        self.channels: Mapping[str, int] = {}
        self.at = 0.0
        self._effects: list[Effect] = []
        self._ahead = StepsAhead(game)

    # -- where the game stands -----------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        """Return one of the phases of :mod:`firmware_host.table.phases`."""
        if not self.ledger.started:
            return "lobby"
        if self.watch.stage != "play":
            return self.watch.stage
        if self.ledger.over:
            return "over"
        sealing = self.ledger.round
        if sealing is None:
            return "resolving"
        return "revealing" if sealing.sealed else "sealing"

    @property
    def actor(self) -> int | None:
        """Return the seat that resolves this turn, None in the lobby and at the end."""
        return self.game.actor(self.ledger.now.position) if self.ledger.started and not self.ledger.over else None

    @property
    def foresight(self) -> Foresight | None:
        """Return what is known of how the phase being resolved will end, None for nothing (yet)."""
        return self.outlook.at(self.ledger.now.position) if self.phase == "resolving" else None

    @property
    def in_order(self) -> bool:
        """Tell whether the board, as far as it is seen, is as the position says (or as the stage wants it)."""
        return not self.watch.tracker.mismatch(self.watch.target)

    def is_computer(self, seat: int | None) -> bool:
        """Tell whether a computer sits there."""
        sitting = self.ledger.sittings.get(seat or 0)
        return sitting is not None and sitting.computer

    # -- the way in ----------------------------------------------------------------------------------------------

    def open(self, entries: Iterable[tuple[str, Mapping[str, Any]]], at: float) -> None:
        """Take up a journalled game where it was; the board is then guided back to its position.

        Raise LedgerError naming the entry that does not follow.
        """
        for number, (kind, data) in enumerate(entries, 1):
            try:
                self.ledger.apply(kind, data)
            except (GameError, LedgerError, KeyError, TypeError, AttributeError) as error:
                raise LedgerError(f"entry {number} ({kind}) of game {self.ledger.game_id}: {error}") from error
        self.at = at
        self.watch.mask(self.ledger.masked, at)
        if self.ledger.started:
            self.set_up()

    def handle(self, event: ev.Event) -> list[Effect]:
        """Let an event happen; return what the world must do, in order. Raise TableError and change nothing."""
        phase = self.phase
        if phase not in ALLOWED[type(event)]:
            raise TableError("wrong_phase", not_now(type(event), phase))
        hosted.check_held(self, event)
        self.at = max(self.at, event.at)
        self._effects = []
        before = self._picture()
        _REACTIONS[type(event)](self, event)
        self._look()
        agreeing.drop_lapsed(self)
        if not isinstance(event, QUIET) or self._effects or before != self._picture():
            self._effects.append(Show())
        return self._effects

    def _picture(self) -> tuple[object, ...]:
        """Return what a quiet event may change for people."""
        return (
            self.phase,
            self.watch.picture(),
            self.paused,
            self.foresight,
            self.proposal,
            self.declined,
            self.done_stages,
            self.lapsed_until,
        )

    # -- sealing -------------------------------------------------------------------------------------------------

    def _seal(self, event: ev.SealCommitted) -> None:
        sealing = self.ledger.round
        assert sealing is not None  # noqa: S101 - phase "sealing"
        if sealing.check_commitment(event.seat, event.turn, event.commitment):
            self.enter("seal", {"seat": event.seat, "turn": event.turn, "commitment": event.commitment})
            if not self.is_computer(event.seat):
                self.follow_position()  # From the first person's seal on the last step can't be taken back by hand.

    # -- resolving -----------------------------------------------------------------------------------------------

    def _choose(self, event: ev.ActionChosen) -> None:
        self._check_actor(event.seat)
        self.reason = None if event.reason is None else (event.seat, event.reason)
        if not event.action:  # Whoever has chosen something may have chosen nothing again.
            self.wanted = None
            self.follow_position(self.done_stages)
            return
        stages = staging.chosen(self, event.action)
        steps = staging.offered(self.game, self.ledger.now.position, self.done_stages)
        if any(step.action == event.action and not step.moves for step in steps):  # To choose it is to do it.
            if not self.in_order:
                raise TableError(
                    "bad_action", say("the board is not in order: put it right first, the lights show how")
                )
            self._commit(Done((event.action,)))
            return
        self.wanted = event.action
        self.follow_position(self.done_stages if stages is None else stages)

    def _confirm(self, event: ev.Confirmed) -> None:
        if event.action == TIDIED:
            self.tidying = None
            return
        if self.phase == "placing":
            if self.watch.tracker.mismatch(self.watch.target):
                raise TableError("bad_action", say("not all placed stones are on the board yet"))
            self._arrive()
            return
        self._check_actor(event.seat)
        done = self.watch.tracker.confirmed(event.action)
        if done is None:
            given = repr(event.action[:40])
            raise TableError("bad_action", say("the board is not as {action} leaves it", action=given))
        self._commit(done)

    def _check_actor(self, seat: int) -> None:
        if seat != self.actor:
            words = say("seat {actor} resolves this turn, not seat {seat}", actor=self.actor, seat=seat)
            raise TableError("not_your_turn", words)

    def _commit(self, done: Done) -> None:
        """Write steps down and go on from the position after them; stages of an action only lie, and may go again."""
        stages = self.done_stages
        if done.undo and stages:
            stages = stages[:-1]
        elif done.undo:
            self.go_back("hand")
        for number, action in enumerate(done.actions):
            seat, ledger, before = self.actor, self.ledger, self.ledger.now.position
            cleared_first = number > 0 and bool(ledger.now.removed)
            if seat is None or ledger.over or ledger.round is not None or cleared_first:
                break
            steps = staging.offered(self.game, before, stages)
            if any(step.partial and step.action == action for step in steps):
                stages, self.tidying = (*stages, action), None
                continue
            after = self.by_rules(partial(self.game.apply, before, {seat: action}))
            data = {
                "seat": seat,
                "action": action,
                "position": self.game.text(after.position),
                "removed": list(after.removed),
            }
            if self.reason is not None and self.reason[0] != seat:
                self.reason = None
            self.enter("action", data)
            self.outlook.step(before, action, after.position)
            self.wanted = None  # The next one may begin with the same words and mean something else.
            stages, self.tidying = (), staging.tidying(self, before, action)
        self.move_on(stages)

    def move_on(self, stages: staging.Stages = ()) -> None:
        """The position has changed: the game is over, or stones are to be cleared, or it goes on."""
        self.note_result()
        if self.ledger.now.removed:
            self._clear(staging.earlier(self))
            return
        self.follow_position(stages)

    def _clear(self, earlier: Earlier | None = None) -> None:
        """Have what the rules have removed taken off the board."""
        now = self.ledger.now
        self.watch.clear(now.placed, self.game.occupancy(now.position), self.at, earlier)

    def go_back(self, by: str) -> None:
        """Undo the last moment; the board is looked at afterwards."""
        back_to = self.ledger.moments[-2]
        data = {"to": len(self.ledger.moments) - 2, "by": by, "position": self.game.text(back_to.position)}
        self.reason = None
        self.wanted, self.tidying = None, staging.untidying(self.game, back_to.position, self.ledger.now.position)
        self.enter("correction", data)

    # -- the board -----------------------------------------------------------------------------------------------

    def _sense(self, event: ev.SensorChanged) -> None:
        if event.node not in self.watch.tracker.seen:
            raise TableError("bad_node", say("node: {node} is not on this board", node=repr(event.node)))
        early = self.watch.sense(event.node, event.sight, self.at)
        if early is not None and self.paused is None and not self.held and self.phase == "resolving":
            self._commit(early)

    def _tick(self, _event: ev.Tick) -> None:
        """Time has passed: the board is looked at, as after every event; who had time to object has had it."""
        agreeing.on_time(self)

    def _look(self) -> None:
        if self.paused is not None or self.held or self.phase in {"lobby", "over"}:
            return
        if staging.lifted_again(self):
            self.follow_position(self.done_stages[:-1])
        found = self.watch.look(self.at)
        named = staging.named(self)
        if named is not None:
            self._commit(Done((named,)))
        elif isinstance(found, Arrived):
            self._arrive()
        elif found is not None and (self.phase == "resolving" or found.undo):
            self._commit(found)

    def _arrive(self) -> None:
        """The board is as the stage wanted it: play goes on."""
        if self.watch.stage == "placing" and self.ledger.now.removed:
            self._clear()
            return
        self.follow_position()
        foreseeing.end_proved_loop(self)

    def set_up(self) -> None:
        """Have the board brought to the present position before anything else counts."""
        self.wanted = None
        self.done_stages = ()
        self.watch.aim("setup", self.game.occupancy(self.ledger.now.position), self.at)

    def follow_position(self, done: staging.Stages = ()) -> None:
        """Watch for the legal steps of the present position (none while players seal), some stages being done."""
        position = self.ledger.now.position
        acting = self.ledger.round is None and not self.ledger.over
        steps = staging.offered(self.game, position, done) if acting else []
        leading = [step for step in steps if staging.leads_to(step, self.wanted)]
        self.done_stages = done
        lies = done[-1:] == (self.wanted,)  # It stays chosen: whoever takes it up again is led back to it.
        if not leading and not lies and staging.instead(self, self.wanted) is None:
            self.wanted = None
        self.watch.follow(
            staging.lying(self.game, position, done),
            leading if self.is_computer(self.actor) else steps,  # Until it has named one nothing is to be moved.
            self.at,
            earlier=staging.before(self, done),
            then=partial(self._ahead.after, position, done),
            bound=self.is_computer(self.actor),
        )
        self.watch.tracker.named = leading[0].action if leading and not self.is_computer(self.actor) else None

    # -- leaving ---------------------------------------------------------------------------------------

    def _resign(self, event: ev.Resigned) -> None:
        before, stage = self.actor, self.watch.stage
        after = self.by_rules(lambda: self.game.resign(self.ledger.now.position, event.seat))
        self.enter("resign", {"seat": event.seat, "position": self.game.text(after.position)})
        self.proposal = None
        self.note_result()
        if stage == "play" or self.ledger.over:
            if before != self.actor:
                self.wanted = None
            self.follow_position()
            opening.reveal_when_open(self)

    # -- writing -------------------------------------------------------------------------------------------------

    def enter(self, kind: str, data: Mapping[str, Any]) -> None:
        """Write an entry down: fold it in here, and have it journalled before anything after it is shown."""
        self.ledger.apply(kind, data)
        self._effects.append(Journal(kind, data))
        opening.forget_void(self)
        agreeing.drop_outlived(self)

    def note_result(self) -> None:
        """Write the result down once the game is over."""
        if not self.ledger.over or self.ledger.ended:
            return
        self.proposal = None
        self.enter("result", result_entry(self.ledger.now.status))

    def by_rules(self, ask: Callable[[], R]) -> R:
        """Return what the rules answer. Raise TableError where they refuse."""
        try:
            return ask()
        except GameError as error:
            raise TableError("bad_action", error.message) from error


_REACTIONS: Mapping[type[ev.Event], Callable[[Table, Any], None]] = {
    ev.Tick: Table._tick,
    ev.SensorChanged: Table._sense,
    ev.BoardChanged: upkeep.sense_many,
    ev.BoardLost: upkeep.lose_board,
    ev.BoardBack: upkeep.regain_board,
    ev.SensorMasked: upkeep.mask,
    ev.SensorUnmasked: upkeep.unmask,
    ev.Noticed: upkeep.notice,
    **seats.REACTIONS,
    **hosted.REACTIONS,
    **computers.REACTIONS,
    ev.SealCommitted: Table._seal,
    ev.SealReady: opening.ready,
    ev.SealOpened: opening.take,
    ev.ActionChosen: Table._choose,
    ev.Confirmed: Table._confirm,
    ev.Resigned: Table._resign,
    ev.Proposed: agreeing.propose,
    ev.Agreed: agreeing.agree,
    ev.Declined: agreeing.decline,
    ev.GuidanceChosen: foreseeing.choose_guidance,
    ev.Foreseen: foreseeing.foresee,
}
