"""Which clocks run, and what people see of them."""

from __future__ import annotations

from firmware_host.table import view_form as form
from firmware_host.table.clocks import Clocks
from firmware_host.table.state import TableState


def running(table: TableState) -> frozenset[int]:
    """Return the seats whose clocks run now: due seats, if nothing but thinking is going on.

    None runs while the host has paused the table, while the board is lost, is being mended, or asks what it can't see,
    nor once all pieces of an action lie on the board.
    """
    ledger, phase = table.ledger, table.phase
    if ledger.clocks is None or table.held or table.paused is not None or phase not in {"sealing", "resolving"}:
        return frozenset()
    problem = table.watch.problem
    if table.watch.asking or (problem is not None and problem.kind == "repair"):
        return frozenset()
    due = frozenset(ledger.clocks.stints)
    if phase == "resolving" and (table.watch.verdict.kind == "settling" or _only_hands_are_missing(table, due)):
        return frozenset()
    return due


def _only_hands_are_missing(table: TableState, due: frozenset[int]) -> bool:
    """Return whether no person has chosen the present action: people only move the pieces, and nobody thinks."""
    return any(table.is_late(seat) or (table.is_computer(seat) and table.wanted is not None) for seat in due)


def sealed_for(table: TableState) -> dict[int, str]:
    """Return the seats for which the table has sealed in this round, as their time was up → the seed of each."""
    sealing, clocks = table.ledger.round, table.ledger.clocks
    if sealing is None or clocks is None:
        return {}
    found = {seat: clocks.out(seat, (sealing.turn, "seal")) for seat in sealing.commitments}
    return {seat: out.seed for seat, out in found.items() if out is not None}


def shown(table: TableState) -> form.Clocks | None:
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
        "at": table.clocks_until,
        "seats": [_seat(table, clocks, seat) for seat in ledger.all_seats],
    }


def _seat(table: TableState, clocks: Clocks, seat: int) -> form.SeatClock:
    main = clocks.setting.main_of(seat)
    return {
        "seat": seat,
        "main": main,
        "left": clocks.left.get(seat),
        "used": clocks.used[seat],
        "delay": clocks.delay[seat],
        "runs": seat in table.clocks_of,
        "late": table.is_late(seat) or seat in sealed_for(table),
    }
