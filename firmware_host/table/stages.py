"""Actions in several stages (a tile, then a runner): what lies so far, what comes next, what was put back.

Stages are not final: none of them is journalled, and lifting the stone of the last stage undoes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, GameError, Step, bounded_cache
from firmware_host.games.positions import next_steps, occupancy_after, position_after, whole
from firmware_host.table.errors import TableError
from firmware_host.table.hypotheses import Done, Earlier
from firmware_host.table.sensor_model import NOTHING
from firmware_host.table.state import Stages, Table


def before(table: Table, done: Stages) -> Earlier | None:
    """Return the state to which hands can go back: the stage before, or the position before the last action."""
    if not done:
        return earlier(table)
    game, position = table.game, table.ledger.now.position
    steps = next_steps(game, position, done[:-1])
    last = next(step for step in steps if step.action == done[-1])
    instead, follow = open_to_hands(table, table.actor, steps), partial(table.next_steps.after, position, done[:-1])
    return Earlier(occupancy_after(game, position, done[:-1]), last, lambda: instead, follow)


def earlier(table: Table) -> Earlier | None:
    """Return the position before the last step while it may be taken back by hand."""
    ledger = table.ledger
    if len(ledger.moments) < 2 or ledger.now.kind != "action" or table.end_stands:
        return None
    if sealed_by_people(table):
        return None
    if table.is_computer(ledger.now.seat):
        return None
    if table.far is not None and (table.actor != ledger.now.seat or table.is_far(ledger.now.seat)):
        return None  # Another table may have gone on already: now all have to agree.
    before = ledger.moments[-2].position
    (action,) = ledger.now.actions.values()
    last = whole(table.game, before, action)
    if last is None or not last.moves:
        return None  # It has no moves: no hand can take it back.
    return Earlier(table.game.occupancy(before), last, cache(partial(_instead, table.game, before, action)))


def sealed_by_people(table: Table) -> bool:
    """Return whether a person has sealed in this turn: then it has to be played.

    A computer seals at once. That seal becomes void when the last step is taken back, and the computer seals again.
    """
    sealing = table.ledger.round
    return sealing is not None and any(not table.is_computer(seat) for seat in sealing.commitments)


def _instead(game: Game[Any], position: Any, action: str) -> list[Step]:
    """Return the steps that an action replaced; for an action in stages those with the same first stage."""
    steps = next_steps(game, position)
    if capabilities_of(game).stages is None:
        return steps
    first = next((step for step in steps if step.partial and action.startswith(step.action)), None)
    if first is None:
        return []
    steps = next_steps(game, position, (first.action,))
    return [replace(step, moves=(*first.moves, *step.moves), touches=first.touches | step.touches) for step in steps]


def leads_to(step: Step, action: str | None) -> bool:
    """Return whether a step is an action, or a stage of it."""
    return action is not None and (step.action == action or (step.partial and action.startswith(step.action)))


def open_to_hands(table: Table, seat: int | None, steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps of a seat that hands may do: where it is played for, those to the action chosen for it.

    Until one has been chosen, nothing is to be moved for a computer, another table, or a player whose time is up.
    """
    return [step for step in steps if leads_to(step, table.chosen_action)] if table.is_played_for(seat) else steps


def are_open_to_hands(table: Table, position: Any, stages: Stages, found: Done) -> bool:
    """Return whether hands may do a second action, or stage, after the first one of ``found``.

    What was chosen for a seat that is played for is the action that comes first: nothing has been chosen for the next.
    """
    if len(found.actions) < 2:
        return True
    first, later = found.actions
    game, seat = table.game, table.game.actor(position)
    if any(step.partial and step.action == first for step in next_steps(game, position, stages)):
        return not table.is_played_for(seat) or (table.chosen_action or "").startswith(later)
    return not table.is_played_for(game.actor(position_after(game, position, first)[0]))


def chosen_step(table: Table) -> Step | None:
    """Return the next step towards the action that the actor has chosen; None if no legal step leads there."""
    return next((step for step in table.watch.tracker.steps if leads_to(step, table.chosen_action)), None)


def stages_after(table: Table, action: str) -> Stages | None:
    """Return the stages that are done once an action, or a stage, is chosen; None if they stay as they are.

    A stage chosen in place of the last one counts at once if the board looks the same (a turned tile whose rotation no
    sensor reads); else the lights lead to it. Raise TableError for an impossible choice.
    """
    _check(table, action)
    return lies_instead(table, action)


def lies_instead(table: Table, action: str | None) -> Stages | None:
    """Return the stages that are done where the first step of an action seems to lie instead of the last stage."""
    step = instead(table, action)
    if step is None or table.watch.tracker.mismatch(step.after):
        return None
    return (*table.done_stages[:-1], step.action)


def laid_instead(table: Table) -> Stages | None:
    """Return the same for the chosen action, if hands have touched a well where that step lays something."""
    step = instead(table, table.chosen_action)
    targets = {move.target for move in step.moves} if step is not None else set()
    touches = table.watch.tracker.evidence.touches
    touched = not targets.isdisjoint(touches.replaced.union(touches.first))
    return lies_instead(table, table.chosen_action) if touched else None


def instead(table: Table, action: str | None) -> Step | None:
    """Return the first step of an action that does not continue the last stage; None if it does."""
    game, position, done = table.game, table.ledger.now.position, table.done_stages
    if not done or done[-1] == action or any(leads_to(step, action) for step in next_steps(game, position, done)):
        return None
    return next((step for step in next_steps(game, position, done[:-1]) if leads_to(step, action)), None)


def _check(table: Table, action: str) -> None:
    """Raise TableError with the reason unless this is a legal action, or a stage of one."""
    position, done = table.ledger.now.position, table.done_stages
    for stages in (done, done[:-1]):
        if any(step.partial and step.action == action for step in next_steps(table.game, position, stages)):
            return
    try:
        table.game.check(position, table.actor or 0, action)
    except GameError as error:
        raise TableError("bad_action", error.message) from error


def lifted_again(table: Table) -> bool:
    """Return whether something that the last stage laid is off the board again."""
    done = table.done_stages
    if not done or table.phase != "resolving":
        return False
    tracker = table.watch.tracker
    laid = _laid(table.game, table.ledger.now.position, done)
    return any(tracker.sensed[node] == NOTHING and node not in tracker.masked for node in laid)


@bounded_cache(16)
def _laid(game: Game[Any], position: Any, done: Stages) -> tuple[str, ...]:
    """Return the nodes on which the last stage has laid something."""
    was, now = (occupancy_after(game, position, stages) for stages in (done[:-1], done))
    return tuple(node for node in now if now[node] != was.get(node))


def answered_stage(table: Table) -> str | None:
    """Return the stage chosen on the phone that answers the question which sensors can't decide."""
    if not table.watch.asking:
        return None
    choices = [one.step for one in table.watch.asked]
    return next((step.action for step in choices if step.partial and leads_to(step, table.chosen_action)), None)


def tidying(table: Table, position: Any, action: str) -> str | None:
    """Return what has to be done off the board after an action, in words."""
    staged = capabilities_of(table.game).stages
    return staged.tidying(position, action) if staged else None


def staged_words(table: Table) -> str:
    """Return what the last stage has laid, in words; empty if no stage is done."""
    done = table.done_stages
    steps = next_steps(table.game, table.ledger.now.position, done[:-1]) if done else []
    return next((step.words for step in steps if step.action == done[-1]), "")


def ending_of(game: Game[Any], position: Any, before: Any, done: Done) -> str:
    """Return what some actions end: ``game``, ``turn`` (others act next, all do, or pieces are cleared), or nothing.

    ``before`` is the position before the last action, to which ``done.undo`` goes back.
    """
    now, ends = before if done.undo else position, ""
    for action in done.actions:
        now, ends = position_after(game, now, action)
    return ends
