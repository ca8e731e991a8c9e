"""What is going on, in one sentence for everybody."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from firmware_host.games.offers import HasTiles
from firmware_host.table import guide
from firmware_host.table.opening import awake, may_open
from firmware_host.table.pieces import how_it_works, noun
from firmware_host.table.staging import leads_to, staged_words
from firmware_host.table.watch import Problem

if TYPE_CHECKING:
    from firmware_host.table.table import Table

MOST_TARGETS = 8
"""So many nodes can be named in one sentence."""


def message(table: Table) -> str:
    """Return one sentence that says what is going on, for everybody."""
    if table.paused is not None:
        return f"Play stands still: {table.paused}"
    problem = table.watch.problem
    if problem is not None and table.phase in {"resolving", "placing"}:
        return problem_text(table, problem)
    return _MESSAGES[table.phase](table)


def problem_text(table: Table, problem: Problem) -> str:
    """Return what is wrong on the board, in a sentence that says what to do first."""
    lit = {node: lamp for node, lamp in guide.lamps(table).items() if lamp.meaning in _MENDING}
    words = list(dict.fromkeys(lamp.words for lamp in lit.values()))
    more = len(problem.fixes) - 1
    first = words[0] if words else f"look at {', '.join(problem.nodes)}"
    if problem.kind == "repair":
        start = "The board differs from the game" if table.phase != "setup" else "Set the board up"
        return f"{start}: {first}" + (f" ({more} more to follow)." if more > 0 else ".")
    return f"Wrong {noun(table.game, problem.nodes)}: {'; '.join(words)}."


_MENDING = frozenset({"wrong", "return", "remove"})


def _names(table: Table, seats: list[int]) -> str:
    return " and ".join(table.ledger.name(seat) for seat in seats)


def _lobby(table: Table) -> str:
    waiting = [seat for seat in table.ledger.all_seats if seat not in table.ledger.sittings]
    if waiting:
        return f"Waiting for {len(waiting)} more player{'s' if len(waiting) > 1 else ''}: scan a code to join."
    return "All seats are taken. Press start."


def _setup(table: Table) -> str:
    problem = table.watch.problem
    return problem_text(table, problem) if problem else "The board is being looked at."


def _sealing(table: Table) -> str:
    sealing = table.ledger.round
    waiting = [seat for seat in sealing.seats if seat not in sealing.commitments] if sealing else []
    return f"Turn {_turn(table)}: choose and seal a placement. Waiting for {_names(table, waiting)}."


def _revealing(table: Table) -> str:
    sealing = table.ledger.round
    waiting = [seat for seat in sealing.seats if seat not in sealing.actions] if sealing else []
    if not may_open(table):
        asleep = [seat for seat in waiting if seat not in awake(table)]
        return f"All have sealed. Waiting for the phone of {_names(table, asleep)} to wake up."
    return f"All have sealed. Waiting for the phone of {_names(table, waiting)} to open its seal."


def _placing(table: Table) -> str:
    todo = [f"{table.ledger.name(seat)} {move.target}" for seat, move in table.watch.missing_pieces()]
    if table.watch.unseen_stacks() and len(todo) < len(table.watch.placements):
        return "Put all stones down, also those on one node; then tap that stack or confirm on a phone."
    return f"Put the stones down where the lights breathe: {', '.join(todo)}." if todo else "All stones lie."


def _resolving(table: Table) -> str:
    name = table.ledger.name(table.actor or 0)
    if table.watch.asking:
        return f"{name}: {_asking(table)}."
    verdict = table.watch.verdict
    if verdict.lifted and verdict.live:
        return _holding(table, name)
    if table.is_computer(table.actor):
        step = next((s for s in table.watch.tracker.steps if leads_to(s, table.wanted)), None)
        return f"{name} (computer): {step.words}." if step else f"{name} (computer) is thinking."
    if verdict.kind == "settling" and verdict.live and not verdict.back:
        return f"{name}: {verdict.live[0].words}."
    if table.done_stages:
        return f"{name}: {staged_words(table)}. Go on with what is lit, or take it back."
    first = f"{_capital(table.tidying)}. " if table.tidying else ""
    return f"{first}{name} {table.game.prompt(table.ledger.now.position)}."


def _asking(table: Table) -> str:
    choices, tracker = table.watch.verdict.choices, table.watch.tracker
    if all(step.partial for step in choices):
        wells = " or ".join(dict.fromkeys(move.target for step in choices for move in step.moves if move.target))
        new = f"say on the phone how the new tile lies in {wells}, or lay it elsewhere"
        return "say on the phone how it lies" if tracker.differing else new
    tap = "" if isinstance(table.game, HasTiles) else "tap the stack, or "
    return f"{tap}say on the phone what was done"


def _holding(table: Table, name: str) -> str:
    """Say where that may go which was lifted; a tile that others may cover goes off the board."""
    game, verdict = table.game, table.watch.verdict
    held = ", ".join(verdict.lifted)
    if all(step.partial for step in verdict.live):
        works = [how_it_works(game, verdict.live, well).partition(", once")[0] for well in verdict.lifted]
        return f"{name} has taken out what lay on {held}: {'; '.join(works)}."
    targets = list(dict.fromkeys(m.target for step in verdict.live for m in step.moves if m.target))
    shown = ", ".join(targets) if len(targets) <= MOST_TARGETS else "any of the lit nodes"
    told = f"{name} holds the {noun(game, verdict.lifted)} of {held}: it may go to {shown}"
    rounds = [node for node in verdict.lifted for step in verdict.live if node in step.tap_twice and node in targets]
    return f"{told}; where it stood, tapped twice, means round the loop." if rounds else f"{told}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _clearing(table: Table) -> str:
    removal = table.game.removal
    return removal.message if removal else "Take the stones that the lights show off the board."


def _over(table: Table) -> str:
    status = table.ledger.now.status
    won = _names(table, list(status.winners))
    return f"The game is over: {won} {'have' if len(status.winners) > 1 else 'has'} won." if won else "A draw."


def _turn(table: Table) -> int:
    return table.game.turn(table.ledger.now.position)


_MESSAGES: Mapping[str, Callable[[Table], str]] = {
    "lobby": _lobby,
    "setup": _setup,
    "sealing": _sealing,
    "revealing": _revealing,
    "placing": _placing,
    "resolving": _resolving,
    "clearing": _clearing,
    "over": _over,
}
