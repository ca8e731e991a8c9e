"""Lots: what several tables seal before play draws the stack, and is opened piece by piece."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_host.analysis.questions import text_and_moves
from firmware_host.archive.verify import GameReplay, InvalidRecord
from firmware_host.games.registry import game
from firmware_host.games.seals import chain_of, link_before, lot_of
from firmware_host.table.errors import TableError
from firmware_host.table.ledger import Ledger, LedgerError
from firmware_host.table.state import FarTables, Table
from firmware_host.table.subjects.far import FarTablesChanged
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from firmware_host.table.table import handle
from tests.attached import proof_of
from tests.sentences import pattern, sentence

OCTILES: Any = game("octiles")
GAME = "octiles-1"
CHAINS = {1: chain_of(GAME, "ab" * 32, 18), 2: chain_of(GAME, "cd" * 32, 18)}
ORDER = [14, 18, 7, 6, 10, 13, 9, 16, 8, 5, 15, 11, 1, 3, 17, 2, 12, 4]
"""What these lots draw; tests/extensions/proof/proof_check.test.mjs has it, too."""
LOTS = {str(seat): chain[0] for seat, chain in CHAINS.items()}


def begun(**start: Any) -> Ledger:
    ledger = Ledger(OCTILES, GAME, "2")
    for seat, name in ((1, "Ada"), (2, "Ben")):
        ledger.apply("seat", {"seat": seat, "name": name, "claim": "", "computer": False})
    text = OCTILES.text(OCTILES.start_by_lot("2"))
    ledger.apply("start", {"position": text, "lots": LOTS, **start})
    return ledger


def opening(ledger: Ledger, number: str | None = None) -> dict[str, Any]:
    """Return the entry by which the table whose turn it is opens its next number, or another one."""
    seat = ledger.lot_due
    assert seat is not None
    number = number or CHAINS[seat][ledger.drawn + 1]
    _, moments = ledger.after_opening(seat, number)
    return {"seat": seat, "number": number, "position": OCTILES.text(moments[-1].position)}


def draw(ledger: Ledger) -> None:
    while ledger.lot_due:
        ledger.apply("lot", opening(ledger))


def act(ledger: Ledger, pick: int = 0) -> None:
    seat = OCTILES.actor(ledger.now.position)
    offered = OCTILES.actions(ledger.now.position)[seat]
    action = offered[pick % len(offered)]
    after = OCTILES.apply(ledger.now.position, {seat: action}).position
    ledger.apply("action", {"seat": seat, "action": action, "position": OCTILES.text(after)})
    draw(ledger)


def test_a_chain_proves_each_number_by_the_one_before() -> None:
    """And its length is that of the stack."""
    chain = CHAINS[1]
    assert len(chain) == 19
    assert [link_before(GAME, number) for number in chain[1:]] == list(chain[:-1])


def test_lots_draw_the_stack() -> None:
    """One for the first tile, one more for each that is seen after it."""
    ledger = begun()
    assert ledger.lot_due == 1
    draw(ledger)
    tops = [ledger.now.position.stack[0]]
    while len(tops) < 6:
        act(ledger)
        tops.append(ledger.now.position.stack[0])
    assert tops == ORDER[:6]
    assert ledger.drawn == 6


def test_all_moments_follow_from_each_other() -> None:
    """So a search that is told the start and the moves comes to the same position."""
    ledger = begun()
    draw(ledger)
    for pick in (0, 5, 1, 7, 3):
        act(ledger, pick)
    text, moves = text_and_moves(OCTILES, ledger.moments)
    now = OCTILES.parse(text)
    for move in moves:
        now = OCTILES.apply(now, {seat: action for seat, action in move if action}).position
    assert repr(now) == repr(ledger.now.position)


def test_what_was_taken_back_comes_again() -> None:
    """Nothing is drawn twice, so nobody takes back to get another tile."""
    ledger = begun()
    draw(ledger)
    for _ in range(3):
        act(ledger)
    ledger.apply("correction", {"to": 1, "by": "agreement", "position": OCTILES.text(ledger.moments[1].position)})
    assert (ledger.drawn, ledger.lot_due) == (4, None)
    for _ in range(3):
        act(ledger, 9)
    assert [moment.position.stack[0] for moment in ledger.moments] == ORDER[:5]


def test_nobody_acts_before_the_lot_is_drawn() -> None:
    """Not even as the tile would allow that stands on top meanwhile."""
    ledger = begun()
    action = OCTILES.actions(ledger.now.position)[1][0]
    after = OCTILES.apply(ledger.now.position, {1: action}).position
    with pytest.raises(LedgerError, match=sentence("the tables draw the next")):
        ledger.apply("action", {"seat": 1, "action": action, "position": OCTILES.text(after)})


def test_nothing_is_due_when_the_game_is_over() -> None:
    """Not even if the last action has uncovered a tile."""
    ledger = begun()
    after = OCTILES.resign(ledger.now.position, 1).position
    ledger.apply("resign", {"seat": 1, "position": OCTILES.text(after)})
    assert ledger.lot_due is None


@pytest.mark.parametrize(
    ("lots", "why"),
    [
        ({}, sentence("not sealed as they have")),
        ({"1": "x", "2": CHAINS[2][0]}, sentence("not sealed as they have")),
        ({"1": CHAINS[1][0], "3": CHAINS[2][0]}, sentence("not sealed as they have")),
        ({"1": CHAINS[1][0], "2": CHAINS[1][0]}, sentence("two tables have sealed the")),
    ],
)
def test_what_is_sealed_has_to_be_a_seal_of_each_table(lots: dict[str, str], why: str) -> None:
    with pytest.raises(LedgerError, match=why):
        begun(lots=lots)


def test_a_given_position_says_how_its_stack_lies() -> None:
    """So nothing is drawn for it."""
    with pytest.raises(LedgerError, match=pattern("not sealed as they have")):
        begun(given=True)


@pytest.mark.parametrize("number", ["0" * 64, CHAINS[1][0], CHAINS[1][2], CHAINS[2][1], "x", ""])
def test_only_the_next_number_opens(number: str) -> None:
    """Not one that is open, not a later one, not another table's, and nothing else."""
    ledger = begun()
    with pytest.raises(LedgerError, match=sentence("the lot that the table", name="Ada")):
        ledger.after_opening(1, number)
    with pytest.raises(LedgerError, match=sentence("has no lot to draw", name="Ben")):
        ledger.after_opening(2, CHAINS[2][1])


def test_a_record_has_either_lots_or_a_deal() -> None:
    header = {"game": "octiles", "rules": {}, "id": GAME, "mode": "2", "started": "x", "seats": {
        "1": {"name": "Ada", "computer": False}, "2": {"name": "Ben", "computer": False}}}  # fmt: skip
    text = OCTILES.text(OCTILES.start_by_lot("2"))
    GameReplay(header).feed("start", {"position": text, "lots": LOTS})
    with pytest.raises(InvalidRecord, match="nothing else says how the stack lies"):
        GameReplay(header).feed("start", {"position": text, "lots": LOTS, "seed": "0" * 32})
    with pytest.raises(InvalidRecord, match=pattern("no stack whose order")):
        GameReplay({**header, "game": "spokes"}).feed("start", {"position": "x", "lots": LOTS})


def test_the_proof_has_what_was_sealed_and_what_was_opened() -> None:
    """From the start on: nothing of it tells what comes next."""
    ledger, proof = begun(), proof_of(OCTILES, GAME, "2")
    proof.feed([("start", {"position": "x", "lots": LOTS}, "t")])
    for _ in range(2):
        entry = opening(ledger)
        ledger.apply("lot", entry)
        proof.feed([("lot", entry, "t")])
    shown = proof.to_dict()["lots"]
    assert shown["sealed"] == [{"seat": seat, "commitment": LOTS[str(seat)]} for seat in (1, 2)]
    assert shown["opened"] == [{"seat": seat, "number": CHAINS[seat][1]} for seat in (1, 2)]
    assert shown["pieces"] == [str(tile) for tile in range(1, 19)]
    first = lot_of(GAME, 1, {seat: CHAINS[seat][1] for seat in (1, 2)})
    assert shown["pieces"][first % 18] == str(ORDER[0])


class Dealt(type(OCTILES)):  # type: ignore[misc]
    """A shuffled game that one table deals, and no lots can draw."""

    start_by_lot = None


def test_a_game_that_only_one_table_can_deal_is_not_begun_between_tables() -> None:
    """Its table would know what the others don't."""
    table = Table(Dealt(), GAME, "2", kind="coded")
    for seat, name in ((1, "Ada"), (2, "Ben")):
        handle(table, SeatTaken(at=0.0, seat=seat, name=name, claim=name))
    handle(table, FarTablesChanged(at=0.0, far=FarTables({2: "Ben's"}, writes=True)))
    with pytest.raises(TableError, match=sentence("one table deals everything", game="Octiles")):
        handle(table, GameStarted(at=0.0))
