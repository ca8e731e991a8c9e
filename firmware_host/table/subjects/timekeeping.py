"""Which clocks run, what people see of them, and what happens as time passes.

The arithmetic is in :mod:`firmware_host.games.clocks`. Before each event the time since the former one is counted on
the clocks that ran; after it is decided which run now. Nothing here is random: what is played for a late seat follows
from a seed in the entry that says that its time is up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmware_host.games.clocks import Clocks, ClockSetting
from firmware_host.table import view_form as form
from firmware_host.table.change import Change
from firmware_host.table.events import ANY, LOBBY, Event, event
from firmware_host.table.ledger import TIME, random_step, time_up_seed
from firmware_host.table.state import Table, choose
from firmware_host.table.subject import Subject, SubjectState
from firmware_host.table.subjects.resolving import ActionChosen, lead, leave_game
from firmware_host.table.subjects.rounds import may_open, open_seats, reveal_when_open, seal_at_random, table_seals
from firmware_host.table.subjects.seats import check_seat
from firmware_host.text.words import say


@dataclass(frozen=True)
class Running:
    """Which clocks run: those of ``seats``, since the last event; times in milliseconds.

    They are counted up to ``until``; their state was last journalled at ``kept``.
    """

    seats: frozenset[int] = frozenset()
    until: int = 0
    kept: int = 0


STATE = SubjectState(Running())


def running(table: Table) -> frozenset[int]:
    """Return the seats whose clocks run now: due seats, if nothing but thinking is going on.

    None runs while the host has paused the table, while the board is lost, is being mended, or asks what it can't see,
    nor once all pieces of an action lie on the board.
    """
    ledger, phase = table.ledger, table.phase
    if ledger.clocks is None or table.paused or table.board_lost is not None or phase not in {"sealing", "resolving"}:
        return frozenset()
    problem = table.watch.problem
    if table.watch.asking or (problem is not None and problem.kind == "repair"):
        return frozenset()
    due = frozenset(ledger.clocks.stints)
    if phase == "resolving" and (table.watch.verdict.kind == "settling" or _only_hands_are_missing(table, due)):
        return frozenset()
    return due


def _only_hands_are_missing(table: Table, due: frozenset[int]) -> bool:
    """Return whether no person has chosen the present action: people only move the pieces, and nobody thinks."""
    return any(table.is_late(seat) or (table.is_computer(seat) and table.chosen_action is not None) for seat in due)


def clocks_view(table: Table) -> form.ClocksView | None:
    """Return the clocks as people see them: their state, and which run since then; phones count on themselves."""
    ledger, setting = table.ledger, table.ledger.clock_setting
    if setting is None:
        return None
    clocks = ledger.clocks or Clocks.fresh(setting, ledger.all_seats)
    return {
        "words": setting.words,
        "main": setting.main,
        "increment": setting.increment,
        "delay": setting.delay,
        "strict": setting.strict,
        "at": STATE.of(table).until,
        "seats": [_seat(table, clocks, seat) for seat in ledger.all_seats],
    }


def _seat(table: Table, clocks: Clocks, seat: int) -> form.SeatClock:
    main = clocks.setting.main_of(seat)
    return {
        "seat": seat,
        "main": main,
        "left": clocks.left.get(seat),
        "used": clocks.used[seat],
        "delay": clocks.delay[seat],
        "runs": seat in STATE.of(table).seats,
        "late": table.is_late(seat) or seat in table_seals(table),
    }


KEPT_MS = 10_000
"""How often running clocks are journalled, milliseconds: a power cut loses no more time than this."""


def count(table: Table) -> None:
    """Count the time since the last event on the clocks that ran."""
    now, clocks = round(table.at * 1000), table.ledger.clocks
    if clocks is not None:
        ran = STATE.of(table)
        table.ledger.clocks = clocks.run(ran.seats, now - ran.until) if ran.seats else clocks
        STATE.put(table, replace(ran, until=now))


def set_running(table: Table) -> None:
    """Note which clocks run from now on."""
    if table.ledger.clocks is not None:
        STATE.put(table, replace(STATE.of(table), seats=running(table), until=round(table.at * 1000)))


def _is_due(table: Table) -> bool:
    """Return whether the time alone requires a change of the clocks."""
    clocks = table.ledger.clocks
    if clocks is None or table.paused:
        return False
    late = any(clocks.is_up(seat) and _is_told(table, seat) for seat in STATE.of(table).seats)
    return late or _kept_for_long(table) or _waits_for_step(table) or _all_drawn(table)


def _on_time(change: Change) -> None:
    """Do what is due."""
    table = change.table
    if table.ledger.clocks is None or table.paused:
        return
    for seat in sorted(STATE.of(table).seats):
        clocks = table.ledger.clocks
        if clocks.is_up(seat) and _is_told(table, seat) and seat in clocks.stints:
            _end_time(change, seat)
    if _all_drawn(table):
        reveal_when_open(change)
    if _waits_for_step(table):
        _choose_random_step(change)
    if _kept_for_long(table):
        _keep(change)


def _keep(change: Change) -> None:
    """Journal the state of the clocks."""
    if change.table.ledger.clocks is not None and not change.table.ledger.ended:
        change.enter(TIME, {})


def _is_told(table: Table, seat: int) -> bool:
    """Return whether the end of a seat's time needs an entry: without consequences only the first time."""
    clocks = table.ledger.clocks
    return clocks is not None and (clocks.setting.strict or seat not in clocks.flagged)


def _end_time(change: Change, seat: int) -> None:
    """Enter that the time of a seat is up, with the consequences of the clock's setting."""
    table, clocks = change.table, change.table.ledger.clocks
    assert clocks is not None  # noqa: S101 - one of its clocks runs
    turn, stint = clocks.stints[seat]
    if not clocks.setting.strict:
        change.enter("flag", {"seat": seat, "turn": turn})
        return
    seals = table.game.simultaneous(table.game.start(table.ledger.mode))
    if not seals or not clocks.may_be_played_for(seat, turn):
        leave_game(change, seat, by="time")
        return
    seed = time_up_seed(table.seed, table.ledger.game_id, (turn, stint), seat, len(clocks.outs.get(seat, ())))
    change.enter("flag", {"seat": seat, "turn": turn, "stint": stint, "seed": seed})
    if stint == "seal":
        seal_at_random(change, seat, seed)
    else:
        choose(table, None)
        change.follow_position()


def _waits_for_step(table: Table) -> bool:
    """Return whether a random step is to be chosen for the acting seat."""
    clocks = table.ledger.clocks
    if clocks is None or table.phase != "resolving" or table.chosen_action is not None or not table.in_order:
        return False
    return any(table.is_late(seat) for seat in clocks.stints)


def _choose_random_step(change: Change) -> None:
    table, clocks = change.table, change.table.ledger.clocks
    assert clocks is not None  # noqa: S101 - a seat is late
    for seat, stint in clocks.stints.items():
        out = clocks.out(seat, stint)
        if out is not None:
            action = random_step(table.ledger, seat, out.seed)
            lead(change, ActionChosen(at=table.at, seat=seat, action=action))


def _all_drawn(table: Table) -> bool:
    """Return whether the table opens all seals of a round itself: no phone holds any of them."""
    sealing = table.ledger.round if table.phase == "revealing" else None
    return sealing is not None and may_open(table) and open_seats(table) == set(sealing.seats)


def _kept_for_long(table: Table) -> bool:
    now = STATE.of(table)
    return bool(now.seats) and now.until - now.kept >= KEPT_MS


@event(LOBBY, say("choosing clocks"))
class ClocksChosen(Event):
    """In the lobby: the time control is chosen; None: no clocks."""

    setting: ClockSetting | None

    def happen(self, change: Change) -> None:
        table, setting = change.table, self.setting
        for seat in setting.odds if setting else ():
            check_seat(table.ledger, seat)
        if setting != table.ledger.clock_setting:
            change.enter("clocks", setting.to_dict() if setting else {})


@event(ANY, quiet=True)
class ClocksStopped(Event):
    """The program ends, or another game comes to the table: the state of the clocks is journalled."""

    def happen(self, change: Change) -> None:
        _keep(change)


def _note_kept(change: Change, _kind: str) -> None:
    """Note that an entry has brought the state of the clocks to the journal."""
    table = change.table
    if table.ledger.clocks is not None:
        STATE.put(table, replace(STATE.of(table), kept=round(table.at * 1000)))


def _begin_counting(table: Table) -> None:
    now = round(table.at * 1000)
    STATE.put(table, replace(STATE.of(table), until=now, kept=now))


def last_seconds(table: Table) -> tuple[int, ...]:
    """Return the seats whose last seconds run."""
    clocks = table.ledger.clocks
    return () if clocks is None else tuple(seat for seat in sorted(STATE.of(table).seats) if clocks.last(seat))


SUBJECT = Subject(
    entered=_note_kept,
    restored=_begin_counting,
    waits=_is_due,
    on_time=_on_time,
    pictured=lambda table: (STATE.of(table).seats, last_seconds(table)),
)
