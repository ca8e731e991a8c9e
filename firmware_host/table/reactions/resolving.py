"""What a table does while one seat acts: choices of phones, changes of the board, and committed actions."""

from __future__ import annotations

from functools import partial

from firmware_host.table import events as ev
from firmware_host.table.change import Change, by_rules
from firmware_host.table.errors import TableError
from firmware_host.table.hypotheses import Done
from firmware_host.table.queries import stages
from firmware_host.table.reactions.analysis import end_proved_loop
from firmware_host.table.reactions.seals import reveal_when_open
from firmware_host.table.state import TableState
from firmware_host.table.watch import Arrived
from firmware_host.text.words import say

TIDIED = "tidied"
"""The confirmation on a phone that all is done off the board."""


def choose(change: Change, event: ev.ActionChosen) -> None:
    """Let the acting seat choose its next step; a step without moves is done at once."""
    table = change.state
    _check_actor(table, event.seat)
    if table.is_late(event.seat):
        raise TableError("time_up", say("your time is up: what is done in this turn is drawn by lot"))
    lead(change, event)


def lead(change: Change, event: ev.ActionChosen) -> None:
    """Lead the hands to a step, from any source."""
    table = change.state
    table.reason = None if event.reason is None else (event.seat, event.reason)
    if not event.action:  # A player who has chosen something may cancel the choice.
        table.wanted = None
        change.follow_position(table.done_stages)
        return
    done = stages.chosen(table, event.action)
    steps = stages.offered(table.game, table.ledger.now.position, table.done_stages)
    if any(step.action == event.action and not step.moves for step in steps):  # To choose it is to do it.
        if not table.in_order:
            raise TableError("bad_action", say("the board is not in order: put it right first, the lights show how"))
        _commit(change, Done((event.action,)))
        return
    table.wanted = event.action
    change.follow_position(table.done_stages if done is None else done)


def confirm(change: Change, event: ev.Confirmed) -> None:
    """Accept a player's confirmation of what lies on the board, where no sensor can show it."""
    table = change.state
    if event.action == TIDIED:
        table.tidying = None
        return
    if table.phase == "placing":
        if not table.in_order:
            raise TableError("bad_action", say("not all placed stones are on the board yet"))
        _arrive(change)
        return
    _check_actor(table, event.seat)
    done = table.watch.tracker.confirmed(event.action)
    if table.phase == "over" and done is not None and not done.undo:
        done = None
    if done is None:
        given = repr(event.action[:40])
        raise TableError("bad_action", say("the board is not as {action} leaves it", action=given))
    _commit(change, done)


def resign(change: Change, event: ev.Resigned) -> None:
    """Let a seat resign; the others go on if the rules let them."""
    leave_game(change, event.seat)


def leave_game(change: Change, seat: int, **why: str) -> None:
    """Remove a seat from the game, at its own wish or for another reason (``by``)."""
    table = change.state
    before, stage = table.actor, table.watch.stage
    after = by_rules(lambda: table.game.resign(table.ledger.now.position, seat))
    change.enter("resign", {"seat": seat, "position": table.game.text(after.position), **why})
    table.proposal = None
    change.note_result()
    if stage == "play" or table.ledger.over:
        if before != table.actor:
            table.wanted = None
        change.follow_position()
        reveal_when_open(change)


def sense(change: Change, event: ev.SensorChanged) -> None:
    """Note a change of one sensor; a step counts at once where the hands have turned elsewhere."""
    table = change.state
    _check_nodes(table, event)
    early = table.watch.sense(event.node, event.sensed, table.at)
    if early is not None and table.paused is None and not table.held and table.phase == "resolving":
        _commit(change, early)


def sense_many(change: Change, event: ev.BoardChanged) -> None:
    """Note all changes of one scan. No step counts early here."""
    table = change.state
    _check_nodes(table, event)
    for node, sensed in event.sensed_states:
        table.watch.sense(node, sensed, table.at, alone=False)


def look(change: Change) -> None:
    """Judge the board, and act on the result."""
    table = change.state
    if table.paused is not None or table.held or table.phase == "lobby":
        return
    if stages.lifted_again(table):
        change.follow_position(table.done_stages[:-1])
    found = table.watch.look(table.at)
    named = stages.named(table)
    if named is not None:
        _commit(change, Done((named,)))
    elif isinstance(found, Arrived):
        _arrive(change)
    elif found is not None and (table.phase == "resolving" or found.undo):
        _commit(change, found)


def _check_nodes(table: TableState, event: ev.SensorChanged | ev.BoardChanged) -> None:
    for node, _ in event.changes:
        if node not in table.watch.tracker.seen:
            raise TableError("bad_node", say("node: {node} is not on this board", node=repr(node)))


def _check_actor(table: TableState, seat: int) -> None:
    if seat != table.asked_seat:
        words = say("seat {actor} resolves this turn, not seat {seat}", actor=table.asked_seat, seat=seat)
        raise TableError("not_your_turn", words)


def _commit(change: Change, found: Done) -> None:
    """Commit steps and go on from the position after them; stages of an action only lie, and can be undone."""
    table = change.state
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
        steps = stages.offered(table.game, before, done)
        if any(step.partial and step.action == action for step in steps):
            done, table.tidying = (*done, action), None
            continue
        _act(change, table.actor, action)
        done = ()
    change.move_on(done, unsure=found.unsure)


def _act(change: Change, seat: int, action: str) -> None:
    table, before = change.state, change.state.ledger.now.position
    after = by_rules(partial(table.game.apply, before, {seat: action}))
    position, removed = table.game.text(after.position), list(after.removed)
    if table.reason is not None and table.reason[0] != seat:
        table.reason = None
    change.enter("action", {"seat": seat, "action": action, "position": position, "removed": removed})
    table.known_analysis.step(before, action, after.position)
    table.wanted = None  # The next action may begin with the same words and mean something else.
    table.tidying = stages.tidying(table, before, action)


def _arrive(change: Change) -> None:
    """Go on with play: the board has reached the stage's target."""
    table = change.state
    if table.watch.stage == "placing" and table.ledger.now.removed:
        change.clear()
        return
    change.follow_position()
    end_proved_loop(change)
