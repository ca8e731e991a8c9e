"""What players can agree on with their phones: taking back, sealing again, voiding a turn, calling a loop, ending a
decided game.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from firmware_host.games.caching import cached
from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Decision, Game
from firmware_host.table.errors import TableError
from firmware_host.table.proposal import OBJECTION_S, WORDS, Declined, Proposal
from firmware_host.table.queries.analysis import loop_called
from firmware_host.table.queries.seals import late
from firmware_host.table.queries.stages import sealed_by_people
from firmware_host.table.sealing import OPENING_BEGUN, why_not_resealed
from firmware_host.table.state import TableState
from firmware_host.text.words import say


def waiting(table: TableState, proposal: Proposal) -> tuple[int, ...]:
    """Return the seats that still have to agree: people who have not resigned. Computers agree to everything.

    Players whose phones delay the turn are not asked whether it is void.
    """
    resigned = table.ledger.resigned
    if proposal.what == "take-back" and table.ledger.now.kind == "resign":
        resigned = resigned - {table.ledger.now.seat}  # It is that seat's resignation that would not stand.
    unasked = {*proposal.agreed, *resigned, proposal.about}
    unasked |= late(table) if proposal.what == "void" else set()
    return tuple(
        seat for seat, sitting in sorted(table.ledger.sittings.items()) if not sitting.computer and seat not in unasked
    )


def proposed(table: TableState, what: str, by: int, about: int | None = None) -> Proposal:
    """Return the proposal of a seat. Raise TableError with the reason if it can't be proposed now."""
    if table.proposal is not None:
        words = say("another proposal is still waiting for an answer: {proposal}", proposal=table.proposal.words)
        raise TableError("bad_proposal", words)
    reason = can_propose(table, what)
    about = (about or by) if what == "reseal" else None
    if reason is None and about is not None:
        reason = why_not_anew(table, about) if about == by else why_seal_stands(table, about)
    if reason is not None:
        raise TableError("bad_proposal", reason)
    _check_pause(table, what, by, about)
    others = {about} if what == "reseal" else late(table) if what == "void" else set()
    due = table.at + OBJECTION_S if others - {by} else None
    proposal = Proposal(
        what, by, frozenset({by}), about=about, name=table.ledger.name(about or by), due=due, moment=table.ledger.now
    )
    known = table.foresight
    if what == "take-back" and table.ledger.now.kind == "reveal":
        return replace(proposal, turn=table.game.turn(table.ledger.moments[-2].position))
    if what == "decided":
        return replace(proposal, decision=decision(table))
    if what != "loop" or known is None:
        return proposal
    return replace(proposal, nodes=known.loop_nodes, ends=loop_called(table, known.loop_nodes).status.over)


def still_declined(table: TableState) -> tuple[Declined, ...]:
    """Return the proposals declined recently; once the game has moved on, or after a pause, they can be repeated."""
    now = len(table.ledger.moments)
    return tuple(one for one in table.declined if table.at < one.until and one.moments == now)


def _check_pause(table: TableState, what: str, by: int, about: int | None) -> None:
    """Raise TableError if a seat's same proposal was declined just now: nobody is worn down by repetition."""
    for one in still_declined(table):
        if (one.what, one.by, one.about) == (what, by, about):
            seconds = math.ceil(one.until - table.at)
            words = say("this has just been declined: you can ask again in {seconds} s", seconds=seconds)
            raise TableError("too_soon", words)


def open_proposal(table: TableState, what: str) -> Proposal:
    """Return the proposal that a seat answers. Raise TableError if it is not open."""
    if table.proposal is None or table.proposal.what != what:
        raise TableError("bad_proposal", say("{what} is not proposed now", what=repr(what[:40])))
    return table.proposal


def can_propose(table: TableState, what: str) -> str | None:
    """Return why this can't be proposed now, in words; None if it can."""
    reason = _REASONS.get(what)
    if reason is not None and table.phase == "over" and what != "take-back":
        return say("the game is over")
    if reason is None:
        return say("what: expected one of {known}, got {given}", known=", ".join(WORDS), given=repr(what[:40]))
    if table.phase == "clearing" and what != "take-back":
        return say("first the pieces that the lights show have to come off the board")
    return reason(table)


def _why_no_way_back(table: TableState) -> str | None:
    if table.end_stands:
        return say("the game is over, and the order of the stack has been shown")
    if len(table.ledger.moments) < 2:
        return say("nothing has been played yet that could be taken back")
    if sealed_by_people(table):
        return say("somebody has sealed already: the turn has to be played")
    return None


def _why_no_new_seal(table: TableState) -> str | None:
    begun = table.ledger.round is not None and table.ledger.round.begun
    return OPENING_BEGUN if begun else _why_not_void(table)


def _why_not_void(table: TableState) -> str | None:
    sealing = table.ledger.round
    return None if sealing is not None and sealing.commitments else say("nobody has sealed anything in this turn")


def why_seal_stands(table: TableState, seat: int) -> str | None:
    """Return why a seat can't seal again, in words; None if the other seats may agree to it."""
    if table.ledger.round is not None and table.is_computer(seat):
        return say("a computer never loses its seal")
    return why_not_anew(table, seat)


def why_not_anew(table: TableState, seat: int) -> str | None:
    """Return why a seat can't seal again after it reports its own seal as lost, in words; None if it can.

    A computer may report it, too: a new version of the program, or another level, can't find what was sealed.
    """
    sealing = table.ledger.round
    if sealing is None:
        return say("nothing is being sealed now")
    reason = why_not_resealed(sealing, seat)
    return say("{name}: {reason}", name=table.ledger.name(seat), reason=reason) if reason else None


def _why_no_loop(table: TableState) -> str | None:
    """Return why a loop can't be called by agreement: people decide only what no search has decided."""
    known = table.foresight
    if table.phase != "resolving":
        return say("nothing is being resolved that could be a loop")
    if known is None:
        return say("whether this is a loop is still being worked out")
    if known.rest_reachable:
        return say("this is no loop: the stones can still come to rest")
    if known.in_loop is not None:
        return say("this is no loop: steps lead out of it for good")
    return None if known.loop_nodes else say("no stones have been circling so far")


def decision(table: TableState) -> Decision | None:
    """Return the decided outcome while a game goes on; None if none is known."""
    ledger = table.ledger
    return None if not ledger.started or ledger.over else _decision(table.game, ledger.now.position)


@cached(8)
def _decision(game: Game[Any], position: Any) -> Decision | None:
    decisions = capabilities_of(game).decisions
    return decisions.decision(position) if decisions else None


def settled(table: TableState, known: Decision) -> dict[str, Any]:
    """Return the entry that ends a decided game. Raise TableError if it can't be ended any more."""
    game, decisions = table.game, capabilities_of(table.game).decisions
    if decisions is None or decision(table) != known:
        raise TableError("bad_proposal", say("the game is not decided any more"))
    after = decisions.settle(table.ledger.now.position).position
    return {"winner": known.winner, "position": game.text(after)}


def _why_undecided(table: TableState) -> str | None:
    return None if decision(table) else say("the game is not decided yet")


_REASONS: Mapping[str, Callable[[TableState], str | None]] = {
    "take-back": _why_no_way_back,
    "reseal": _why_no_new_seal,
    "void": _why_not_void,
    "loop": _why_no_loop,
    "decided": _why_undecided,
}


def back_to(table: TableState) -> int:
    """Return the moment to which a take-back leads: before the last action.

    What computers have done since a person's last action goes as well: they would do the same again at once. So does
    the end of a proved loop, which would be found again.
    """
    moments, last = table.ledger.moments, len(table.ledger.moments) - 1
    if moments[last].kind == "loop" and last > 1 and table.known_analysis.proves_loop(moments[last - 1].position):
        last -= 1
    for number in range(last, 0, -1):
        if moments[number].kind != "action":
            break
        if not any(table.is_computer(seat) for seat in moments[number].actions):
            return number - 1
    return last - 1
