"""Rounds of seals at a table: who has sealed, whose phones are ready, and when all open together.

Seals themselves are in :mod:`firmware_host.games.seals`. What can go wrong is the order: a phone that opens early
tells its placement to a room in which somebody may still change, and one that is lost after others have opened would
let its player choose with their knowledge. Therefore no phone is asked to open before every phone that holds a seal
has reported ready, and openings stay in memory until the last one has arrived. Then all are journalled together with
the reveal. Until then the journal says only that phones have begun to open: after a restart they send their openings
again, and from then on no single seat can seal again, only all together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from firmware_host.games.seals import commitment
from firmware_host.table.change import Change, by_rules
from firmware_host.table.errors import TableError
from firmware_host.table.events import REVEALING, SEALING, Event, Seat, Whole, Word, event, post
from firmware_host.table.ledger import Opening, Round, random_placement
from firmware_host.table.state import Table
from firmware_host.table.subject import Subject, SubjectState
from firmware_host.text.words import fill, list_of, say, say_many


@dataclass(frozen=True)
class SealState:
    """What phones have sent for the present seals: which are ``ready`` to open them, and the ``openings`` by seat.

    Before the last opening of a round has come they are nowhere else.
    """

    ready: frozenset[int] = frozenset()
    openings: Mapping[int, Opening] = field(default_factory=dict)


STATE = SubjectState(SealState())


def table_seals(table: Table) -> dict[int, str]:
    """Return the seats for which the table has sealed in this round, as their time was up → the seed of each."""
    sealing, clocks = table.ledger.round, table.ledger.clocks
    if sealing is None or clocks is None:
        return {}
    found = {seat: clocks.out(seat, (sealing.turn, "seal")) for seat in sealing.commitments}
    return {seat: out.seed for seat, out in found.items() if out is not None}


def open_seats(table: Table) -> set[int]:
    """Return the seats whose seals of this round are open, or can be opened by the table without a phone."""
    sealing = table.ledger.round
    if sealing is None:
        return set()
    return {*sealing.actions, *STATE.of(table).openings, *(table_seals(table) if sealing.is_sealed else ())}


def ready_phones(table: Table) -> list[int]:
    """Return the seats whose phones are ready, or that need none."""
    sealing = table.ledger.round
    if sealing is None:
        return []
    said = STATE.of(table).ready | open_seats(table)
    return [seat for seat in sealing.seats if seat in said or table.is_computer(seat)]


def may_open(table: Table) -> bool:
    """Return whether openings are requested: all have sealed, and all are ready or one has been opened already.

    While the host has paused the table they stay on the phones.
    """
    sealing = table.ledger.round
    if sealing is None or not sealing.is_sealed or table.paused:
        return False
    return sealing.begun or len(ready_phones(table)) == len(sealing.seats)


def late(table: Table) -> frozenset[int]:
    """Return the people whose phones a sealed round waits for: not awake, or asked but not yet opened."""
    sealing = table.ledger.round
    if sealing is None or not sealing.is_sealed:
        return frozenset()
    done = open_seats(table) if may_open(table) else set(ready_phones(table))
    return frozenset(seat for seat in sealing.seats if seat not in done and not table.is_computer(seat))


@post("/api/seal", "Seal the placement of this turn; final", "turn commitment game history")
@event(SEALING, say("sealing"), by_player=True)
class SealCommitted(Event):
    """A seat seals its placement: ``commitment`` is 64 hex digits, and final.

    ``game`` and ``history`` are those that it was made for: one that was made on an old page could never be opened.
    """

    seat: Seat
    turn: Whole
    commitment: Word
    game: Word | None = None
    history: Word | None = None

    def happen(self, change: Change) -> None:
        table, sealing = change.table, _round(change)
        if not {self.game, self.history} <= {None, sealing.game, sealing.history}:
            raise TableError("bad_seal", say("that seal is of another game or turn: choose your placement again"))
        if sealing.check_commitment(self.seat, self.turn, self.commitment):
            change.enter("seal", {"seat": self.seat, "turn": self.turn, "commitment": self.commitment})
            if not table.is_computer(self.seat):
                change.follow_position()  # From the first person's seal on the last step can't be taken back by hand.


@post("/api/ready", "Say that this phone is awake and holds its opening", "turn")
@event(REVEALING, say("getting ready to open"), by_player=True)
class SealReady(Event):
    """A phone reports, after all have sealed, that it is awake and holds its seat's opening.

    Phones send openings only when all are ready: a lost phone is noticed before any opening has left its phone.
    """

    seat: Seat
    turn: Whole

    def happen(self, change: Change) -> None:
        """Note that a phone is ready and holds its opening. Raise TableError for an unexpected seat or turn."""
        _round(change).check_turn(self.seat, self.turn)
        now = STATE.of(change.table)
        STATE.put(change.table, replace(now, ready=now.ready | {self.seat}))


@post("/api/open", "Open the seal when all have sealed", "turn action nonce")
@event(REVEALING, say("opening a seal"), by_player=True)
class SealOpened(Event):
    """A seat opens its seal after all have sealed. ``nonce`` is 32 hex digits."""

    seat: Seat
    turn: Whole
    action: Word
    nonce: Word

    def happen(self, change: Change) -> None:
        """Keep an opening in memory; journal and reveal all with the last one. Raise TableError for a wrong opening.

        An opening that comes before all phones are ready is refused without a look at it.
        """
        table, sealing = change.table, _round(change)
        sealing.check_turn(self.seat, self.turn)
        if not may_open(table):
            raise TableError("wrong_phase", say("not all phones are awake yet; keep your placement to yourself"))
        is_new = sealing.check_opening(self.seat, self.turn, self.action, self.nonce)
        if not is_new or self.seat in STATE.of(table).openings:
            return
        by_rules(lambda: table.game.check(table.ledger.now.position, self.seat, self.action))
        receive(table, self.seat, Opening(self.action, self.nonce))
        reveal_when_open(change)
        if self.seat in STATE.of(table).openings and not sealing.begun:
            change.enter("opens", {"turn": sealing.turn})


def reveal_when_open(change: Change) -> None:
    """Journal all openings and what they reveal once the last one is there."""
    table, sealing = change.table, change.table.ledger.round
    if sealing is None or not sealing.seats or open_seats(table) != set(sealing.seats):
        return
    before = table.ledger.now.position
    drawn = {seat: random_placement(table.ledger, seat, seed) for seat, seed in table_seals(table).items()}
    sent = {**STATE.of(table).openings, **drawn}
    actions = {**sealing.actions, **{seat: opening.action for seat, opening in sent.items()}}
    after = by_rules(lambda: table.game.apply(before, actions))
    for seat, opening in sorted(sent.items()):
        data = {"seat": seat, "turn": sealing.turn, "action": opening.action, "nonce": opening.nonce}
        change.enter("opening", data)
    data = {
        "turn": sealing.turn,
        "actions": {str(seat): action for seat, action in sorted(actions.items())},
        "position": table.game.text(after.position),
        "removed": list(after.removed),
    }
    change.enter("reveal", data)
    change.note_result()
    table.watch.aim("placing", table.ledger.now.placed, table.at, table.game.placements(before, actions))
    table.watch.answered = not all(table.is_computer(seat) or table.is_far(seat) for seat in table.ledger.all_seats)


def seal_at_random(change: Change, seat: int, seed: str) -> None:
    """Seal for a seat whose time is up; the table opens that seal when phones open theirs."""
    table, sealing = change.table, _round(change)
    drawn = random_placement(table.ledger, seat, seed)
    digest = commitment(sealing.game, sealing.turn, seat, sealing.history, drawn.action, drawn.nonce)
    change.enter("seal", {"seat": seat, "turn": sealing.turn, "commitment": digest})
    change.follow_position()


def mark_not_ready(change: Change, seat: int) -> None:
    """Note that a seat's phone opens nothing any more."""
    now = STATE.of(change.table)
    STATE.put(change.table, replace(now, ready=now.ready - {seat}))


def receive(table: Table, seat: int, opening: Opening) -> None:
    """Keep an opening that fits its seal, until the last one has come."""
    now = STATE.of(table)
    STATE.put(table, replace(now, openings={**now.openings, seat: opening}))


def forget_sent(table: Table) -> None:
    """Forget all that phones have sent for the present seals: they send it again."""
    STATE.put(table, SealState())


def _forget_void(change: Change, _kind: str) -> None:
    """Forget what phones have sent for seals that no longer exist; after another seal all phones send it again."""
    table, sealing, now = change.table, change.table.ledger.round, STATE.of(change.table)
    if now != SealState():
        lying = sealing.commitments if sealing is not None and sealing.is_sealed else {}
        openings = {seat: one for seat, one in now.openings.items() if seat in lying}
        STATE.put(table, SealState(now.ready.intersection(lying), openings))


def _round(change: Change) -> Round:
    sealing = change.table.ledger.round
    assert sealing is not None  # noqa: S101 - phase "sealing" or "revealing"
    return sealing


# -- sentences ---------------------------------------------------------------------------------------------------------


def sealing_sentence(table: Table) -> str:
    """Return whose placements are awaited."""
    waiting = _yet_to_seal(table)
    return say(
        "Turn {turn}: choose and seal a placement. Waiting for {names}.",
        turn=table.game.turn(table.ledger.now.position),
        names=_names(table, waiting),
    )


def _yet_to_seal(table: Table) -> list[int]:
    sealing = table.ledger.round
    return [seat for seat in sealing.seats if seat not in sealing.commitments] if sealing else []


def _waited_for(table: Table) -> list[int]:
    """Return the seats whose phones still have to wake up or, once all are awake, to open."""
    sealing, done = table.ledger.round, open_seats(table) if may_open(table) else ready_phones(table)
    return [seat for seat in sealing.seats if seat not in done] if sealing else []


def revealing_sentence(table: Table) -> str:
    """Return whose phones are awaited."""
    waiting = _waited_for(table)
    if not may_open(table):
        return say_many(
            "All have sealed. Waiting for the phone of {names} to wake up.",
            "All have sealed. Waiting for the phones of {names} to wake up.",
            len(waiting),
            names=_names(table, waiting),
        )
    return say_many(
        "All have sealed. Waiting for the phone of {names} to open its seal.",
        "All have sealed. Waiting for the phones of {names} to open their seals.",
        len(waiting),
        names=_names(table, waiting),
    )


def own_messages(table: Table) -> dict[int, str]:
    """Return seat → the sentence for its own phone, if the one for everybody would name its reader."""
    if table.board_lost is not None or table.paused or table.lesson is not None:
        return {}
    if table.phase == "sealing":
        waiting = _yet_to_seal(table)
        last = _OWN_LAST_SEAL if len(waiting) == 1 else _OWN_SEAL
        return {seat: fill(last, turn=table.game.turn(table.ledger.now.position)) for seat in waiting}
    if table.phase == "revealing":
        return dict.fromkeys(_waited_for(table), _OWN_OPENING)
    return {}


_OWN_SEAL = say("Turn {turn}: choose and seal your placement.")
_OWN_LAST_SEAL = say("Turn {turn}: choose and seal your placement. All others have sealed.")
_OWN_OPENING = say("All have sealed. The phones open their seals.")


def _names(table: Table, seats: list[int]) -> str:
    return list_of(table.ledger.name(seat) for seat in seats)


SUBJECT = Subject(entered=_forget_void)
