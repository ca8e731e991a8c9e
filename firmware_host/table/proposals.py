"""What players can agree on with their phones: taking back, sealing anew, voiding a turn, calling a loop, ending a
decided game.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from firmware_host.games.game import Decision
from firmware_host.games.offers import Decides
from firmware_host.table.errors import TableError
from firmware_host.table.opening import late
from firmware_host.table.outlook import loop_called
from firmware_host.table.sealing import OPENING_BEGUN, why_not_resealed
from firmware_host.table.staging import sealed_by_people
from firmware_host.text.words import fill, say

if TYPE_CHECKING:
    from firmware_host.table.table import Table

OBJECTION_S = 20.0
"""How long a phone that is said to be lost may object: one that is in somebody's hand shows the question at once.

So long, too, a phone that a turn waits for may still open its seal before that turn is void.
"""

PAUSE_S = 30.0
"""How long a seat waits before it proposes again what was declined, while the game stands where it stood."""

WORDS = {
    "take-back": say("to take back the last action"),
    "reseal": say("that {name} seals this turn again, as that seal is lost; all other seals stay valid"),
    "void": say("that all seal this turn again"),
    "loop": say("to call this a loop that nothing leads out of"),
    "decided": say("to end the game"),
}
_SAID_TO_BE_LOST = say(
    "that {name} seals this turn again, as that seal is lost; all other seals stay valid, "
    "unless {name} objects within {seconds} seconds"
)
_VOID_UNLESS_OPEN = say("that all seal this turn again, unless every seal is open within {seconds} seconds")
_PLACEMENTS = say("to take back the placements of turn {turn}: all seal that turn again")
_COME_OFF = say("{what}: the stones on {nodes} come off")
_COME_OFF_AT_THE_END = say("{what}: the stones on {nodes} come off and the game ends")


@dataclass(frozen=True)
class Proposal:
    """An open question to all: ``what`` a key of WORDS, ``by`` the seat that asks, ``agreed`` the seats that do.

    ``nodes`` are those that a loop would clear, as known when it was asked, ``ends`` tells whether that ends the game:
    people agree to what they have read. ``decision`` is what makes the end of the game worth proposing. ``about`` is
    the seat whose seal is lost: nobody asks it.
    """

    what: str
    by: int
    agreed: frozenset[int]
    nodes: tuple[str, ...] = ()
    ends: bool = False
    decision: Decision | None = None
    about: int | None = None
    name: str = ""
    """What that seat is called."""
    turn: int | None = None
    """Whose placements are taken back, where the last thing that happened was a reveal."""
    moment: object = None
    """The moment of the game that it is about. Once the game has moved on, agreeing would do something else."""
    due: float | None = None
    """Until then that seat may object, where somebody else says that its seal is lost; until then phones that are
    waited for may open, where the turn is to be void.
    """

    @property
    def words(self) -> str:
        """Say what is proposed."""
        if self.about is not None:
            lost = WORDS["reseal"] if self.due is None else _SAID_TO_BE_LOST
            return fill(lost, name=self.name, seconds=round(OBJECTION_S))
        if self.due is not None:
            return fill(_VOID_UNLESS_OPEN, seconds=round(OBJECTION_S))
        if self.turn is not None:
            return fill(_PLACEMENTS, turn=self.turn)
        if self.decision:
            return say("{what}: {reason}", what=WORDS[self.what], reason=self.decision.words)
        if not self.nodes:
            return WORDS[self.what]
        return fill(
            _COME_OFF_AT_THE_END if self.ends else _COME_OFF, what=WORDS[self.what], nodes=", ".join(self.nodes)
        )

    def with_vote(self, seat: int) -> Proposal:
        """Return the proposal with one more seat that agrees."""
        return replace(self, agreed=self.agreed | {seat})

    def waiting(self, table: Table) -> tuple[int, ...]:
        """Return the seats that still have to agree: people who have not resigned. Computers agree to everything.

        Whether a turn is void nobody is asked whose phone keeps the others waiting.
        """
        unasked = {*self.agreed, *table.ledger.resigned, self.about}
        unasked |= late(table) if self.what == "void" else set()
        return tuple(
            seat
            for seat, sitting in sorted(table.ledger.sittings.items())
            if not sitting.computer and seat not in unasked
        )


def proposed(table: Table, what: str, by: int, about: int | None = None) -> Proposal:
    """Return what a seat proposes. Raise TableError saying why it can't be proposed now."""
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


@dataclass(frozen=True)
class Declined:
    """What a seat has proposed in vain, after how many moments, and until when it is not repeated."""

    what: str
    by: int
    about: int | None
    moments: int
    until: float


def still_declined(table: Table) -> tuple[Declined, ...]:
    """Return what was declined a moment ago; once the game has moved on, or after a pause, it can be asked again."""
    now = len(table.ledger.moments)
    return tuple(one for one in table.declined if table.at < one.until and one.moments == now)


def _check_pause(table: Table, what: str, by: int, about: int | None) -> None:
    """Raise TableError where a seat has proposed this in vain just now: nobody is worn down by being asked."""
    for one in still_declined(table):
        if (one.what, one.by, one.about) == (what, by, about):
            seconds = math.ceil(one.until - table.at)
            words = say("this has just been declined: you can ask again in {seconds} s", seconds=seconds)
            raise TableError("too_soon", words)


def open_proposal(table: Table, what: str) -> Proposal:
    """Return the proposal that somebody answers. Raise TableError when it is not open."""
    if table.proposal is None or table.proposal.what != what:
        raise TableError("bad_proposal", say("{what} is not proposed now", what=repr(what[:40])))
    return table.proposal


def can_propose(table: Table, what: str) -> str | None:
    """Return None when this can be proposed now, else why not, in words."""
    reason = _REASONS.get(what)
    if reason is None:
        return say("what: expected one of {known}, got {given}", known=", ".join(WORDS), given=repr(what[:40]))
    if table.phase == "clearing" and what != "take-back":
        return say("first the pieces that the lights show have to come off the board")
    return reason(table)


def _why_no_way_back(table: Table) -> str | None:
    ledger = table.ledger
    if ledger.over:
        return say("the game is over")
    if len(ledger.moments) < 2:
        return say("nothing has been played yet that could be taken back")
    if sealed_by_people(table):
        return say("somebody has sealed already: the turn has to be played")
    return None


def _why_no_new_seal(table: Table) -> str | None:
    begun = table.ledger.round is not None and table.ledger.round.begun
    return OPENING_BEGUN if begun else _why_not_void(table)


def _why_not_void(table: Table) -> str | None:
    sealing = table.ledger.round
    return None if sealing is not None and sealing.commitments else say("nobody has sealed anything in this turn")


def why_seal_stands(table: Table, seat: int) -> str | None:
    """Return why a seat can't seal anew, in words; None where all others may agree to it."""
    if table.ledger.round is not None and table.is_computer(seat):
        return say("a computer never loses its seal")
    return why_not_anew(table, seat)


def why_not_anew(table: Table, seat: int) -> str | None:
    """Return why a seat can't seal anew, in words, if it says itself that its seal is lost; None where it can.

    A computer may, too: a new version of the program, or another level, does not find what was sealed.
    """
    sealing = table.ledger.round
    if sealing is None:
        return say("nothing is being sealed now")
    reason = why_not_resealed(sealing, seat)
    return say("{name}: {reason}", name=table.ledger.name(seat), reason=reason) if reason else None


def _why_no_loop(table: Table) -> str | None:
    """Return why a loop can't be called by agreement: only what no search has decided is left to people."""
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


def decision(table: Table) -> Decision | None:
    """Return what no play can change any more, while a game goes on and its rules can tell."""
    game, ledger = table.game, table.ledger
    if not isinstance(game, Decides) or not ledger.started or ledger.over:
        return None
    return game.decided(ledger.now.position)


def settled(table: Table, known: Decision) -> dict[str, Any]:
    """Return the entry that ends a decided game. Raise TableError where it can't be ended any more."""
    game = table.game
    if not isinstance(game, Decides) or decision(table) != known:
        raise TableError("bad_proposal", say("the game is not decided any more"))
    after = game.settle(table.ledger.now.position).position
    return {"winner": known.winner, "position": game.text(after)}


def _why_undecided(table: Table) -> str | None:
    return None if decision(table) else say("the game is not decided yet")


_REASONS: Mapping[str, Callable[[Table], str | None]] = {
    "take-back": _why_no_way_back,
    "reseal": _why_no_new_seal,
    "void": _why_not_void,
    "loop": _why_no_loop,
    "decided": _why_undecided,
}
