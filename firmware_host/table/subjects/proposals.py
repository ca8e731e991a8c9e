"""What players agree on, and what the host decides alone: taking back, sealing again, voiding a turn, calling a loop,
ending a decided game, pausing.

A proposal is about one moment of the game, and lapses with it: agreeing later would do something else. One refusal is
enough, and the same proposal is not made again at once. Computers agree to everything but a draw, on which they decide
by what they expect (:mod:`firmware_host.session.computers`). Where a phone is said to be
lost, its player has time to object; where a turn waits for phones, these can't prevent that it becomes void, except
by opening. A pause and its end are journalled: what the host paused is still paused after a restart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Decision, Game, bounded_cache
from firmware_host.table import view_form as form
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.events import ANY, BEGUN, PLAYING, Event, Seat, What, event, post
from firmware_host.table.ledger import OPENING_BEGUN, PAUSE, RESUME, why_not_resealed
from firmware_host.table.stages import sealed_by_people
from firmware_host.table.state import Table, choose, notice
from firmware_host.table.subject import Subject, SubjectState
from firmware_host.table.subjects.boardless import FIRST, without_board
from firmware_host.table.subjects.resolving import call_loop, loop_called, proved_loop, why_no_loop
from firmware_host.table.subjects.rounds import forget_sent, late
from firmware_host.text.words import Text, fill, say

OBJECTION_S = 20.0
"""How long the phone that is said to be lost may object, seconds: if it is in use, it shows the question at once.

A phone that a turn waits for has the same time to open its seal before that turn is void.
"""

PAUSE_S = 30.0
"""How long a seat waits before it repeats a declined proposal while the game has not moved on, seconds."""

LAPSED, LAPSED_S = "proposal", 8.0
"""The notice that a proposal has lapsed, and how long people see it, seconds."""
KINDS = ("take-back", "reseal", "void", "loop", "decided", "draw")
"""What can be proposed."""


def proposal_sentence(table: Table, proposal: Proposal) -> Text:
    """Return who proposes what."""
    words = _SENTENCES[proposal.what]
    if proposal.due is not None:
        words = _VOID_UNLESS_OPEN if proposal.about is None else _RESEAL_UNLESS_OBJECTED
    elif proposal.turn is not None:
        words = _TAKE_BACK_PLACEMENTS
    elif proposal.nodes:
        words = _LOOP_ENDS_GAME if proposal.ends else _LOOP_CLEARS
    return fill(
        words,
        by=table.ledger.name(proposal.by),
        name=proposal.name,
        seconds=round(OBJECTION_S),
        turn=proposal.turn or 0,
        nodes=", ".join(proposal.nodes),
        reason=proposal.decision.words if proposal.decision else "",
    )


_SENTENCES = {
    "take-back": say("{by} proposes to take back the last action."),
    "reseal": say("{by} proposes that {name} seals this turn again, as that seal is lost; all other seals stay valid."),
    "void": say("{by} proposes that all seal this turn again."),
    "loop": say("{by} proposes to call this a loop that nothing leads out of."),
    "decided": say("{by} proposes to end the game: {reason}."),
    "draw": say("{by} offers a draw."),
}
_RESEAL_UNLESS_OBJECTED = say(
    "{by} proposes that {name} seals this turn again, as that seal is lost; all other seals stay valid, "
    "unless {name} objects within {seconds} seconds."
)
_VOID_UNLESS_OPEN = say(
    "{by} proposes that all seal this turn again, unless every seal is open within {seconds} seconds."
)
_TAKE_BACK_PLACEMENTS = say("{by} proposes to take back the placements of turn {turn}: all seal that turn again.")
_LOOP_CLEARS = say("{by} proposes to call this a loop that nothing leads out of: the stones on {nodes} come off.")
_LOOP_ENDS_GAME = say(
    "{by} proposes to call this a loop that nothing leads out of: the stones on {nodes} come off and the game ends."
)


@dataclass(frozen=True)
class Proposal:
    """An open question to all: ``what`` one of KINDS, ``by`` the seat that asks, ``agreed`` the seats that agree.

    ``nodes`` are the nodes that a loop would clear, as known when it was asked, ``ends`` whether that ends the game:
    people agree to what they have read. ``decision`` is why the game's end can be proposed. ``about`` is the seat whose
    seal is lost: it is not asked.
    """

    what: str
    by: int
    agreed: frozenset[int]
    nodes: tuple[str, ...] = ()
    ends: bool = False
    decision: Decision | None = None
    about: int | None = None
    name: str = ""
    """The name of that seat's player."""
    turn: int | None = None
    """The turn whose placements are taken back, if the last moment was a reveal."""
    moment: object = None
    """The moment of the game that it is about. Once the game has moved on, agreeing would do something else."""
    due: float | None = None
    """When the time for objections ends: that seat may object to the loss of its seal; where the turn is to be void,
    phones that are waited for may open.
    """


@dataclass(frozen=True)
class DeclinedProposal:
    """A declined proposal: the seat, after how many moments, and until when it can't be repeated."""

    what: str
    by: int
    about: int | None
    moments: int
    until: float


@dataclass(frozen=True)
class Proposals:
    """The open proposal, those that were declined lately, and until when people see that one has lapsed."""

    open: Proposal | None = None
    declined: tuple[DeclinedProposal, ...] = ()
    lapsed_until: float | None = None


STATE = SubjectState(Proposals())
WHY_PAUSED: SubjectState[str | None] = SubjectState(None)
"""Why the program paused the game; None if the host did, or if the program has started since."""


def current(table: Table) -> Proposal | None:
    """Return the open proposal."""
    return STATE.of(table).open


def drop(table: Table) -> None:
    """Drop the open proposal: what it was about is decided otherwise."""
    _set(table, None)


def _set(table: Table, proposal: Proposal | None) -> None:
    STATE.put(table, replace(STATE.of(table), open=proposal))


class Decided(TypedDict):
    winner: Seat
    words: str


class ProposalView(TypedDict):
    what: form.What
    words: str
    by: Seat
    about: Seat | None
    agreed: Sequence[Seat]
    waiting: Sequence[Seat]


class ProposalsPart(TypedDict):
    decided: Decided | None
    proposal: ProposalView | None
    cannot: Mapping[str, str]
    can: Mapping[str, bool]


class DeclinedBefore(TypedDict):
    what: form.What
    about: Seat | None


class ProposalsOfSeat(TypedDict):
    declined: Sequence[DeclinedBefore]
    may_reseal: bool


def _view(table: Table) -> ProposalsPart:
    found, proposal, in_lobby = decision(table), current(table), table.phase == "lobby"
    reasons = {} if in_lobby else {what: can_propose(table, what) for what in KINDS}
    cannot = {what: why for what, why in reasons.items() if why is not None}
    may = not (in_lobby or table.paused or proposal or table.lesson)
    return {
        "decided": {"winner": found.winner, "words": found.words} if found else None,
        "proposal": _proposal_view(table, proposal) if proposal else None,
        "cannot": cannot,
        "can": {what: may and what not in cannot for what in KINDS},
    }


def _proposal_view(table: Table, proposal: Proposal) -> ProposalView:
    return {
        "what": proposal.what,
        "words": proposal_sentence(table, proposal),
        "by": proposal.by,
        "about": proposal.about,
        "agreed": sorted(proposal.agreed),
        "waiting": list(waiting(table, proposal)),
    }


def _seat_view(table: Table, seat: int) -> ProposalsOfSeat:
    return {
        "declined": [{"what": no.what, "about": no.about} for no in still_declined(table) if no.by == seat],
        "may_reseal": table.ledger.started and why_seal_stands(table, seat) is None,
    }


def waiting(table: Table, proposal: Proposal) -> tuple[int, ...]:
    """Return the seats that still have to agree: people who have not resigned. Computers are asked for a draw alone.

    Players whose phones delay the turn are not asked whether it is void.
    """
    unasked = {*proposal.agreed, *_without_say(table, proposal.what), proposal.about}
    unasked |= late(table) if proposal.what == "void" else set()
    return tuple(
        seat
        for seat, sitting in sorted(table.ledger.sittings.items())
        if seat not in unasked and (proposal.what == "draw" or not sitting.computer)
    )


def _without_say(table: Table, what: str) -> Set[int]:
    """Return the seats that have no say: they have resigned, but for the last one where that would be taken back."""
    now, resigned = table.ledger.now, table.ledger.resigned
    return resigned - {now.seat} if what == "take-back" and now.kind == "resign" else resigned


def _check_say(table: Table, what: str, seat: int) -> None:
    if seat in _without_say(table, what):
        raise TableError("bad_proposal", say("{name} has left the game", name=table.ledger.name(seat)))


def new_proposal(table: Table, what: str, by: int, about: int | None = None) -> Proposal:
    """Return the proposal of a seat. Raise TableError with the reason if it can't be proposed now."""
    if current(table) is not None:
        raise TableError("bad_proposal", say("another proposal is still waiting for an answer"))
    reason = can_propose(table, what)
    about = (about or by) if what == "reseal" else None
    if reason is None and about is not None:
        reason = why_not_anew(table, about) if about == by else why_seal_stands(table, about)
    if reason is not None:
        raise TableError("bad_proposal", reason)
    _check_say(table, what, by)
    _check_pause(table, what, by, about)
    others = {about} if what == "reseal" else late(table) if what == "void" else set()
    due = table.at + OBJECTION_S if others - {by} else None
    known, now, name = table.analysis, table.ledger.now, table.ledger.name(about or by)
    proposal = Proposal(what, by, frozenset({by}), about=about, name=name, due=due, moment=now)
    if what == "take-back" and now.kind == "reveal":
        return replace(proposal, turn=table.game.turn(table.ledger.moments[-2].position))
    if what == "decided":
        return replace(proposal, decision=decision(table))
    if what != "loop" or known is None:
        return proposal
    return replace(proposal, nodes=known.loop_nodes, ends=loop_called(table, known.loop_nodes).status.over)


def still_declined(table: Table) -> tuple[DeclinedProposal, ...]:
    """Return the proposals declined recently; once the game has moved on, or after a pause, they can be repeated."""
    now = len(table.ledger.moments)
    return tuple(one for one in STATE.of(table).declined if table.at < one.until and one.moments == now)


def _check_pause(table: Table, what: str, by: int, about: int | None) -> None:
    """Raise TableError if a seat's same proposal was declined just now: nobody is worn down by repetition."""
    for one in still_declined(table):
        if (one.what, one.by, one.about) == (what, by, about):
            seconds = math.ceil(one.until - table.at)
            words = say("this has just been declined: you can ask again in {seconds} s", seconds=seconds)
            raise TableError("too_soon", words)


def open_proposal(table: Table, what: str) -> Proposal:
    """Return the proposal that a seat answers. Raise TableError if it is not open."""
    proposal = current(table)
    if proposal is None or proposal.what != what:
        raise TableError("bad_proposal", say("{what} is not proposed now", what=repr(what[:40])))
    return proposal


def can_propose(table: Table, what: str) -> str | None:
    """Return why this can't be proposed now, in words; None if it can."""
    reason = _REASONS.get(what)
    if reason is not None and table.phase == "over" and what != "take-back":
        return say("the game is over")
    if reason is None:
        return say("what: expected one of {known}, got {given}", known=", ".join(KINDS), given=repr(what[:40]))
    if table.phase == "clearing" and what != "take-back":
        words = say("first the pieces that the lights show have to come off the board")
        return FIRST if without_board(table) else words
    return reason(table)


def _why_no_way_back(table: Table) -> str | None:
    if table.end_stands:
        return say("the game is over, and the order of the stack has been shown")
    if len(table.ledger.moments) < 2:
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
    """Return why a seat can't seal again, in words; None if the other seats may agree to it."""
    if table.ledger.round is not None and table.is_computer(seat):
        return say("a computer never loses its seal")
    return why_not_anew(table, seat)


def why_not_anew(table: Table, seat: int) -> str | None:
    """Return why a seat can't seal again after it reports its own seal as lost, in words; None if it can.

    A computer may report it, too: a new version of the program, or another level, can't find what was sealed.
    """
    sealing = table.ledger.round
    if sealing is None:
        return say("nothing is being sealed now")
    reason = why_not_resealed(sealing, seat)
    return say("{name}: {reason}", name=table.ledger.name(seat), reason=reason) if reason else None


def decision(table: Table) -> Decision | None:
    """Return the decided outcome while a game goes on; None if none is known."""
    ledger = table.ledger
    return None if not ledger.started or ledger.over else _decision(table.game, ledger.now.position)


@bounded_cache(8)
def _decision(game: Game[Any], position: Any) -> Decision | None:
    decisions = capabilities_of(game).decisions
    return decisions.decision(position) if decisions else None


def decision_entry(table: Table, known: Decision) -> dict[str, Any]:
    """Return the entry that ends a decided game. Raise TableError if it can't be ended any more."""
    game, decisions = table.game, capabilities_of(table.game).decisions
    if decisions is None or decision(table) != known:
        raise TableError("bad_proposal", say("the game is not decided any more"))
    after = decisions.settle(table.ledger.now.position).position
    return {"winner": known.winner, "position": game.text(after)}


def _why_no_draw(table: Table) -> str | None:
    if table.phase in {"sealing", "resolving"}:
        return None
    if table.phase == "revealing":
        return say("the seals are being opened")
    return FIRST if without_board(table) else say("first the board has to be put in order")


_REASONS: Mapping[str, Callable[[Table], str | None]] = {
    "take-back": _why_no_way_back,
    "reseal": _why_no_new_seal,
    "void": _why_not_void,
    "loop": why_no_loop,
    "decided": lambda table: None if decision(table) else say("the game is not decided yet"),
    "draw": _why_no_draw,
}


def back_to(table: Table) -> int:
    """Return the moment to which a take-back leads: before the last action.

    What computers have done since a person's last action goes as well: they would do the same again at once. So does
    the end of a proved loop, which would be found again.
    """
    moments, last = table.ledger.moments, len(table.ledger.moments) - 1
    if moments[last].kind == "loop" and last > 1 and proved_loop(table, moments[last - 1].position):
        last -= 1
    for number in range(last, 0, -1):
        if moments[number].kind != "action":
            break
        if not any(table.is_computer(seat) for seat in moments[number].actions):
            return number - 1
    return last - 1


@post("/api/propose", "Propose what all must agree to; `about`: who lost a seal", "what about")
@event(BEGUN, say("proposing"), by_player=True, line="propose seat what about")
class Proposed(Event):
    """A seat proposes something that all players must agree to.

    ``what`` is ``take-back`` (the last action), ``reseal`` (``about`` has lost the phone that holds its seal and seals
    again; None: the proposing seat), ``void`` (all seal the turn again), ``loop`` (the phase circles, and no search has
    decided whether it can end otherwise), ``decided`` (no play can change who wins), or ``draw``.
    """

    seat: Seat
    what: What
    about: Seat | None = None

    def happen(self, change: Change) -> None:
        """Ask all others; a person who plays against computers alone needs no agreement."""
        table = change.table
        _ask(change, new_proposal(table, self.what, self.seat, self.about))


def _ask(change: Change, proposal: Proposal) -> None:
    _set(change.table, proposal)
    _carry_out_when_agreed(change, proposal)


def _on_time(change: Change) -> None:
    """Do what all others have agreed to, once the objection time of its seat is over; forget old refusals."""
    table = change.table
    now = replace(STATE.of(table), declined=still_declined(table))
    STATE.put(table, now)
    if now.open is not None and now.open.due is not None and not table.paused:
        _carry_out_when_agreed(change, now.open)


@post("/api/agree", "Agree to the open proposal", "what")
@event(BEGUN, say("agreeing"), by_player=True, line="agree seat what")
class Agreed(Event):
    """A seat agrees to the open proposal."""

    seat: Seat
    what: What

    def happen(self, change: Change) -> None:
        table = change.table
        if self.what == "draw" and table.phase not in {"sealing", "revealing", "resolving"}:
            raise TableError("bad_proposal", _why_no_draw(table) or "")
        asked = open_proposal(table, self.what)
        _check_say(table, self.what, self.seat)
        _ask(change, replace(asked, agreed=asked.agreed | {self.seat}))


@post("/api/decline", "Decline the open proposal, or take it back", "what")
@event(BEGUN, say("declining"), by_player=True, line="decline seat what")
class Declined(Event):
    """A seat declines the open proposal, or its proposer withdraws it."""

    seat: Seat
    what: What

    def happen(self, change: Change) -> None:
        """Drop the proposal: one refusal is enough; its proposer withdraws it the same way.

        A phone that keeps a turn waiting can't prevent that the turn is void, except by opening its seal.
        """
        table = change.table
        gone = open_proposal(table, self.what)
        if self.seat != gone.by:
            _check_say(table, self.what, self.seat)
        if gone.what == "void" and self.seat != gone.by and self.seat in late(table):
            words = say("the others wait for your phone to open its seal; then nothing is void")
            raise TableError("bad_proposal", words)
        until, moments = table.at + PAUSE_S, len(table.ledger.moments)
        declined = (*still_declined(table), DeclinedProposal(gone.what, gone.by, gone.about, moments, until))
        STATE.put(table, replace(STATE.of(table), open=None, declined=declined))


def reseal(change: Change, seat: int) -> None:
    """Let one seat seal again; nothing happens if its phone has woken up meanwhile."""
    table = change.table
    sealing = table.ledger.round
    if sealing is not None and why_not_anew(table, seat) is None:
        change.enter("reseal", {"turn": sealing.turn, "seat": seat})
        change.follow_position()


def void(change: Change, by: str) -> None:
    """Let all seal the turn again: none of its seals counts any more, and no opening is shown."""
    table = change.table
    sealing = table.ledger.round
    if sealing is not None:
        change.enter("reseal", {"turn": sealing.turn, "by": by})
        change.follow_position()


def _carry_out_when_agreed(change: Change, proposal: Proposal) -> None:
    table = change.table
    due = proposal.due is None or table.at >= proposal.due
    if waiting(table, proposal) or not due or not table.writes:  # The table that writes the next entry carries it out.
        return
    drop(table)
    if proposal.what == "reseal":
        reseal(change, proposal.about or proposal.by)
    elif proposal.what == "void":
        void(change, "agreement")
    elif proposal.what == "loop":
        call_loop(change, proposal.nodes, "agreement")
    elif proposal.what == "draw":
        end_as_drawn(change)
    elif proposal.decision is not None:
        end_as_decided(change, proposal.decision)
    else:
        change.go_back("agreement", back_to(table))
        change.set_up()


def end_as_drawn(change: Change) -> None:
    """End the game as drawn: all have agreed."""
    table = change.table
    change.enter("draw", {"position": table.game.text(table.ledger.now.position)})
    choose(table, None)
    change.note_result()
    change.follow_position()


def end_as_decided(change: Change, known: Decision) -> None:
    """End a game whose winner no play can change. Raise TableError if the rules don't say so."""
    change.enter("decided", decision_entry(change.table, known))
    change.note_result()
    change.follow_position()


# -- the host's decisions ----------------------------------------------------------------------------------------------


@post("/api/host/pause", "Pause the game: nothing that players do counts")
@event(PLAYING | {"clearing"}, say("pausing"), line="pause")
class GamePaused(Event):
    """The host pauses the game: players' events are refused, and the board is not judged, also after a restart.

    ``reason`` is set if the program paused the game; the host has to read it before the game goes on.
    """

    reason: str | None = None

    def happen(self, change: Change) -> None:
        table = change.table
        WHY_PAUSED.put(table, self.reason)
        if not table.paused:
            change.enter(PAUSE, {})


@post("/api/host/continue", "Let the game go on")
@event(ANY, line="resume")
class GameResumed(Event):
    """The host resumes the game; the board is checked as after a restart."""

    def happen(self, change: Change) -> None:
        table = change.table
        if not table.paused:
            return
        change.enter(RESUME, {})
        WHY_PAUSED.put(table, None)
        forget_sent(table)
        if table.ledger.started:
            change.set_up()
        proposal = current(table)
        if proposal is not None and proposal.due is not None:  # Nobody could object meanwhile.
            _set(table, replace(proposal, due=table.at + OBJECTION_S))


@post("/api/host/take-back", "Take the last action back, at once")
@event(BEGUN, say("taking back"), line="take-back")
class ActionUndone(Event):
    """The host takes the last action back at once, in any state in which players could propose it."""

    def happen(self, change: Change) -> None:
        table = change.table
        _check_host_may(table, "take-back")
        drop(table)
        change.go_back("host", back_to(table))
        change.set_up()


def _check_host_may(table: Table, what: str) -> None:
    """Raise TableError if the host can't decide this, or not alone as other tables share it."""
    alone = say("other tables play along: a player proposes it, and all agree") if table.far is not None else None
    reason = alone or can_propose(table, what)
    if reason is not None:
        raise TableError("bad_proposal", reason)


@post("/api/host/void", "Declare the seals of this turn void: all seal again")
@event(PLAYING, say("voiding a turn"), line="void")
class TurnVoided(Event):
    """The host declares the seals of this turn void: all seal again."""

    def happen(self, change: Change) -> None:
        _check_host_may(change.table, "void")
        void(change, "host")


def _note_entry(change: Change, kind: str) -> None:
    """Drop what an entry decides, and a proposal about seals of a turn that has none to be sealed again."""
    proposal, sealing = current(change.table), change.table.ledger.round
    if proposal is None:
        return
    sealed = sealing is not None and sealing.commitments
    if kind in {"result", "resign"} or (proposal.what in {"reseal", "void"} and not sealed):
        drop(change.table)


def _settle(change: Change) -> None:
    """Drop a proposal about a moment that is gone, or that seals keep, and show a sentence about it for a while."""
    table, now = change.table, STATE.of(change.table)
    too_late = now.open is not None and now.open.what == "take-back" and sealed_by_people(table)
    if now.open is not None and (too_late or now.open.moment is not table.ledger.now):
        words = say("The game has gone on: the proposal of {name} is off.", name=table.ledger.name(now.open.by))
        notice(table, LAPSED, words)
        STATE.put(table, replace(now, open=None, lapsed_until=table.at + LAPSED_S))
    elif now.lapsed_until is not None and table.at >= now.lapsed_until:
        notice(table, LAPSED, None)
        STATE.put(table, replace(now, lapsed_until=None))
    elif now.open is not None and now.open.what == "loop" and table.analysis is not None and why_no_loop(table):
        drop(table)  # A search has decided the question that people were asked.


SUBJECT = Subject(
    entered=_note_entry,
    settled=_settle,
    pictured=STATE.of,
    view=_view,
    seat_view=_seat_view,
    waits=lambda table: STATE.of(table) != Proposals(),
    on_time=_on_time,
)
