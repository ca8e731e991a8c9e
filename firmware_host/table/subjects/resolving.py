"""What a table does while one seat acts: choices of phones, changes of the board, committed actions, ends of a phase.

A choice on a phone leads the hands, and counts only where there is nothing to do by hand. What the hands have done
comes from the watch (:mod:`firmware_host.table.watch`) as actions to commit, in stages where a game has them. What a
search has found about the phase is kept while its position stands, and ends it where it is proved to be a loop. A
board that is lost, and sensors that are ignored, stop or limit that judging.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from firmware_host.games.capabilities import ENDLESS, capabilities_of
from firmware_host.games.game import Analysis, GameError, Transition
from firmware_host.games.positions import next_steps
from firmware_host.table import stages
from firmware_host.table.change import Change, by_rules
from firmware_host.table.errors import TableError
from firmware_host.table.events import ANY, BEGUN, PLAYING, RESOLVING, Event, Seat, Word, event, not_now, post
from firmware_host.table.hypotheses import NO_ACTION, Done
from firmware_host.table.known_analysis import carry_over, known_of, learn
from firmware_host.table.state import Table, choose, lose_board, notice, tidy, wish_to_resign
from firmware_host.table.subject import Subject
from firmware_host.table.subjects.company import explain
from firmware_host.table.subjects.rounds import reveal_when_open
from firmware_host.table.watch import Arrived
from firmware_host.text.words import say

TIDIED, PLACED = "tidied", "placed"
"""The confirmations on a phone that all is done off the board, and that all pieces lie which hands put down."""


@post("/api/choose", "Choose the next step", "action")
@event(RESOLVING, say("choosing a step"), by_player=True, line="choose seat action")
class ActionChosen(Event):
    """The acting seat chooses its next step: the lights guide hands to it (a computer's choice is binding).

    An empty ``action`` cancels the choice. ``reason`` explains a computer's choice in a sentence, if it can.
    """

    seat: Seat
    action: Word
    reason: str | None = None

    def happen(self, change: Change) -> None:
        """Let the acting seat choose its next step; a step without moves is done at once."""
        table = change.table
        _check_actor(table, self.seat)
        if table.is_late(self.seat):
            raise TableError("time_up", say("your time is up: what is done in this turn is drawn by lot"))
        lead(change, self)


def lead(change: Change, event: ActionChosen) -> None:
    """Lead the hands to a step, from any source."""
    table = change.table
    explain(table, event.seat, event.reason)
    if not event.action:  # A player who has chosen something may cancel the choice.
        choose(table, None)
        change.follow_position(table.done_stages)
        return
    done = stages.stages_after(table, event.action)
    steps = next_steps(table.game, table.ledger.now.position, table.done_stages)
    if any(step.action == event.action and not step.moves for step in steps):  # To choose it is to do it.
        if table.watch.asking:
            raise TableError("bad_action", say("first say what was done: the question is on the phone"))
        if not table.in_order:
            raise TableError("bad_action", say("the board is not in order: put it right first, the lights show how"))
        _commit(change, Done((event.action,)))
        return
    done = table.done_stages if done is None else done
    if (event.action, done) == (table.chosen_action, table.done_stages):
        return  # The same again says nothing new: what hands have done since, and when, still counts.
    choose(table, event.action)
    change.follow_position(done)


@post("/api/confirm", "Say that this step lies on the board", "action")
@event(BEGUN, say("confirming"), by_player=True, line="confirm seat action")
class Confirmed(Event):
    """The acting seat confirms that this action lies on the board, any seat that stones do: no sensor may show it."""

    seat: Seat
    action: Word

    def happen(self, change: Change) -> None:
        """Accept a player's confirmation of what lies on the board, where no sensor can show it."""
        table = change.table
        if self.action == TIDIED:
            tidy(table, None)
            return
        if table.phase == "placing":
            if not table.in_order:
                raise TableError("bad_action", say("not all placed stones are on the board yet"))
            _arrive(change)
            return
        if self.action == PLACED and table.watch.built_stacks():
            table.watch.trust_hands()
            return
        if not table.watch.asking and table.phase not in {"resolving", "over"}:
            raise TableError("wrong_phase", not_now(Confirmed, table.phase))
        _check_actor(table, self.seat)
        if table.watch.asking and self.action == NO_ACTION:
            table.watch.lead_back()
            return
        done = table.watch.confirm(self.action)
        if done is None or (table.phase == "over" and not done.undo):
            given = repr(self.action[:40])
            raise TableError("bad_action", say("the board does not show {action} yet", action=given))
        _commit(change, done)


@post("/api/resign", "Resign")
@event(PLAYING, say("resigning"), by_player=True, line="resign seat")
class Resigned(Event):
    """A seat resigns."""

    seat: Seat

    def happen(self, change: Change) -> None:
        """Let a seat resign; the others go on if the rules let them.

        Where another table writes the next entry, it is told (:mod:`firmware_host.session.loop`), and writes it.
        """
        far = change.table.far
        if far is None or far.writes:
            leave_game(change, self.seat)
        else:
            wish_to_resign(change.table, self.seat)


def leave_game(change: Change, seat: int, **why: str) -> None:
    """Remove a seat from the game, at its own wish or for another reason (``by``)."""
    table = change.table
    before, stage = table.actor, table.watch.stage
    after = by_rules(lambda: table.game.resign(table.ledger.now.position, seat))
    change.enter("resign", {"seat": seat, "position": table.game.text(after.position), **why})
    change.note_result()
    if stage == "play" or table.ledger.over:
        if before != table.actor:
            choose(table, None)
        change.follow_position(table.done_stages if before == table.actor else ())
        reveal_when_open(change)


@event(ANY, quiet=True)
class SensorChanged(Event):
    """A node's debounced reading has changed; ``sensed`` as in :mod:`firmware_host.table.sensor_model`."""

    node: str
    sensed: str

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return (node, sensed state) of the changed node."""
        return ((self.node, self.sensed),)

    def happen(self, change: Change) -> None:
        """Note a change of one sensor; a step counts at once where the hands have turned elsewhere."""
        table = change.table
        _check_nodes(table, self)
        early = table.watch.sense(self.node, self.sensed, table.at)
        if early is not None and table.phase == "resolving" and not _is_judged_later(table):
            _commit(change, early)


@event(ANY, quiet=True)
class BoardChanged(Event):
    """Several nodes changed with one scan, (node, sensed state) each: no board was seen between before and after."""

    sensed_states: tuple[tuple[str, str], ...]

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return (node, sensed state) of each changed node."""
        return self.sensed_states

    def happen(self, change: Change) -> None:
        """Note all changes of one scan. No step counts early here."""
        table = change.table
        _check_nodes(table, self)
        for node, sensed in self.sensed_states:
            table.watch.sense(node, sensed, table.at, alone=False)


def look(change: Change) -> None:
    """Judge the board, and act on the result."""
    table = change.table
    if table.phase == "lobby" or table.ledger.lot_due is not None or _is_judged_later(table):
        return
    if stages.lifted_again(table):
        change.follow_position(table.done_stages[:-1])
    chosen = stages.laid_instead(table) if table.phase == "resolving" else None
    if chosen is not None:
        change.follow_position(chosen)
    found = table.watch.look(table.at)
    named = stages.answered_stage(table)
    if named is not None:
        _commit(change, Done((named,)))
    elif isinstance(found, Arrived):
        _arrive(change)
    elif found is not None and (table.phase == "resolving" or found.undo):
        _commit(change, found)


def _is_judged_later(table: Table) -> bool:
    return table.board_lost is not None or table.paused or table.waits_for_tables is not None


def _check_nodes(table: Table, event: SensorChanged | BoardChanged) -> None:
    for node, _ in event.changes:
        if node not in table.watch.tracker.sensed:
            raise TableError("bad_node", say("node: {node} is not on this board", node=repr(node)))


def _check_actor(table: Table, seat: int) -> None:
    if seat != table.answering_seat:
        words = say("seat {actor} resolves this turn, not seat {seat}", actor=table.answering_seat, seat=seat)
        raise TableError("not_your_turn", words)


def _commit(change: Change, found: Done) -> None:
    """Commit steps and go on from the position after them; stages of an action only lie, and can be undone."""
    table = change.table
    done = table.done_stages
    if found.undo and done:
        done = done[:-1]
    elif found.undo:
        change.go_back("hand")
    for number, action in enumerate(found.actions):
        ledger, before = table.ledger, table.ledger.now.position
        cleared_first = number > 0 and bool(ledger.now.removed)
        if table.actor is None or ledger.over or ledger.round is not None or cleared_first:
            break
        steps = next_steps(table.game, before, done)
        if any(step.partial and step.action == action for step in steps):
            done = (*done, action)
            tidy(table, None)
            continue
        enter_action(change, table.actor, action)
        done = ()
    change.move_on(done, unsure=found.unsure)
    end_proved_loop(change)  # The last step may have brought a position about for the third time.


def enter_action(change: Change, seat: int, action: str) -> None:
    """Add the entry of an action. Raise TableError if the rules refuse it."""
    table, before = change.table, change.table.ledger.now.position
    after = by_rules(partial(table.game.apply, before, {seat: action}))
    position, removed = table.game.text(after.position), list(after.removed)
    change.enter("action", {"seat": seat, "action": action, "position": position, "removed": removed})
    carry_over(table, before, action, after.position)
    choose(table, None)  # The next action may begin with the same words and mean something else.
    tidy(table, stages.tidying(table, before, action))


def _arrive(change: Change) -> None:
    """Go on with play: the board has reached the stage's target."""
    table = change.table
    if table.watch.stage == "placing" and table.ledger.now.removed:
        change.clear()
        return
    change.follow_position()
    end_proved_loop(change)


# -- what searches find ------------------------------------------------------------------------------------------------


def open_question(table: Table) -> str | None:
    """Return the text of the position that a search should look at now, None if none needs one."""
    if not is_awaited(table):
        return None
    position = table.ledger.now.position
    known = known_of(table, position)
    return table.game.text(position) if known is None or not known.is_settled else None


def is_awaited(table: Table) -> bool:
    """Return whether the present position is being resolved, or will be as soon as its stones lie on the board."""
    ledger = table.ledger
    return ledger.started and not ledger.over and not table.game.simultaneous(ledger.now.position)


def loop_called(table: Table, nodes: Sequence[str]) -> Transition[Any]:
    """Return the transition if the present position is called a loop of these nodes. Raise TableError if it is none."""
    search = capabilities_of(table.game).analysis
    if search is None:
        raise TableError("bad_action", say("{game} knows no loops that could be called", game=table.game.title))
    try:
        return search.call_loop(table.ledger.now.position, nodes)
    except GameError as error:
        raise TableError("bad_action", error.message) from error


def why_no_loop(table: Table) -> str | None:
    """Return why a loop can't be called by agreement: people decide only what no search has decided."""
    known = table.analysis
    if table.phase != "resolving":
        return say("nothing is being resolved that could be a loop")
    if known is None:
        return say("whether this is a loop is still being worked out")
    if known.rest_reachable:
        return say("this is no loop: the stones can still come to rest")
    if known.in_loop is not None:
        return say("this is no loop: steps lead out of it for good")
    return None if known.loop_nodes else say("no stones have been circling so far")


@event(ANY, quiet=True)
class AnalysisFound(Event):
    """A search answers: its analysis of a position, given as text, after ``seconds`` of search.

    The answer is dropped if play has moved on meanwhile.
    """

    position: str
    analysis: Analysis
    seconds: float

    def happen(self, change: Change) -> None:
        """Keep a search's answer while its position stands."""
        table = change.table
        position = table.ledger.now.position if table.ledger.started else None
        if not is_awaited(table) or table.game.text(position) != self.position:
            return
        if self.analysis.in_loop:
            loop_called(table, self.analysis.loop_nodes)  # Refused before anything has changed.
        learn(table, table.ledger.now.position, self.analysis, self.seconds)
        end_proved_loop(change)


def proved_loop(table: Table, position: Any) -> tuple[Sequence[str], str] | None:
    """Return the nodes of the loop that ends the phase at a position by what is known of it, and by what; None: none.

    By ``proof`` the position is in a loop; ``endless``: nothing can come to rest any more, and the rules end it.
    """
    known, search = known_of(table, position), capabilities_of(table.game).analysis
    if known is None or search is None:
        return None
    if known.in_loop:
        return known.loop_nodes, "proof"
    nodes = search.circling(position) if known.rest_reachable is False else ()
    return (nodes, ENDLESS) if nodes else None


def end_proved_loop(change: Change) -> None:
    """End the phase if it is proved to be a loop, or to circle for ever."""
    table = change.table
    resolves = table.phase == "resolving" and not table.paused and table.writes
    found = proved_loop(table, table.ledger.now.position) if resolves else None
    if found is not None:
        call_loop(change, *found)


def call_loop(change: Change, nodes: Sequence[str], by: str) -> None:
    """End the phase as a loop of these nodes: by ``proof``, ``endless`` or ``agreement``."""
    table = change.table
    after = loop_called(table, nodes).position
    change.enter("loop", {"nodes": list(nodes), "position": table.game.text(after), "by": by})
    choose(table, None)
    change.move_on()


# -- parts of the board that fail --------------------------------------------------------------------------------------


@event(ANY, line="lose-board", always={"reason": say("The board does not answer: {error}", error="lose-board")})
class BoardLost(Event):
    """The sensors have stopped answering; ``reason`` is shown."""

    reason: str

    def happen(self, change: Change) -> None:
        lose_board(change.table, self.reason)


@event(ANY, line="regain-board")
class BoardBack(Event):
    """The sensors answer again."""

    def happen(self, change: Change) -> None:
        table = change.table
        lose_board(table, None)
        table.watch.begin_anew(table.at)


@event(ANY)
class Noticed(Event):
    """A part has a fault, and play goes on: ``text`` says what is wrong and what to do; None: the fault is over.

    ``what`` is the kind of fault (``lights``, ``scans``).
    """

    what: str
    text: str | None

    def happen(self, change: Change) -> None:
        notice(change.table, self.what, self.text)


SUBJECT = Subject()
