"""Records of games in which a host had a hand: colours, seats that moved, what was taken back, a game taken up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.archive.records import export, show_text, verify_lines
from firmware_host.games.seals import commitment
from firmware_host.session.table_setup import SuspendedGame
from firmware_host.table import events as ev
from firmware_host.table.subjects.proposals import ActionUndone
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady
from firmware_host.table.subjects.seats import GameStarted, SeatColoured, SeatMoved, SeatNamed, SeatTaken
from lodestone.tables import SimulatedTable

NONCE = "0123456789abcdef0123456789abcdef"
CLAIMS = ("first-claim", "second-claim", "claim-of-the-other-phone")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SimulatedTable]:
    opened = SimulatedTable(tmp_path)
    yield opened
    opened.close()


def say(table: SimulatedTable, event: type[ev.Event], **fields: Any) -> None:
    table.runtime.submit(event(at=table.clock.now, **fields))


def play_a_little(table: SimulatedTable) -> str:
    """Play until the host has taken a placement back; return the game's id."""
    for seat, name in ((1, "Ann"), (2, "Bob")):
        say(table, SeatTaken, seat=seat, name=name, claim=CLAIMS[seat - 1])
    say(table, SeatColoured, seat=1, colour=2)
    say(table, SeatNamed, seat=1, name="Anna")
    say(table, GameStarted, seed=1)
    table.wait(0.3)
    say(table, SeatMoved, seat=2, claim=CLAIMS[2])
    info: Any = table.view["seal"]
    for seat, action in {1: "wD12", 2: "wD13"}.items():
        digest = commitment(info["game"], info["turn"], seat, info["history"], action, NONCE)
        say(table, SealCommitted, seat=seat, turn=1, commitment=digest)
    for seat in (1, 2):
        say(table, SealReady, seat=seat, turn=1)
    for seat, action in {1: "wD12", 2: "wD13"}.items():
        say(table, SealOpened, seat=seat, turn=1, action=action, nonce=NONCE)
    say(table, ActionUndone)
    return str(info["game"])


def test_what_a_host_did_is_in_the_record_and_verifies(table: SimulatedTable) -> None:
    game = play_a_little(table)
    lines = list(export(table.journal, game))
    assert "not finished" in str(verify_lines(lines))
    header, *events = map(json.loads, lines)
    assert header["seats"] == {
        "1": {"name": "Anna", "computer": False, "colour": 2},
        "2": {"name": "Bob", "computer": False, "colour": 1},
    }
    assert [event["data"] for event in events if event["kind"] == "moved"] == [{"seat": 2}]
    assert [event["data"]["by"] for event in events if event["kind"] == "correction"] == ["host"]
    assert not [claim for claim in CLAIMS if claim in "".join(lines)], "claims stay in the journal"


def test_it_is_told_in_words(table: SimulatedTable) -> None:
    told = show_text(table.journal, play_a_little(table)).splitlines()
    assert told[0] == "Spokes, mode 2: Anna (orange), Bob (blue)"
    assert "  Bob continues on another phone." in told
    assert [line for line in told if line.startswith("  Taken back by the host: ")]


def test_a_game_that_was_taken_up_again_is_recorded_as_one_that_never_stopped(table: SimulatedTable) -> None:
    game = play_a_little(table)
    before = list(export(table.journal, game))
    runtime = table.runtime
    runtime.change(runtime.setting, "4")
    entries = [(entry.kind, entry.data) for entry in table.journal.entries(game)]
    runtime.change(runtime.setting, SuspendedGame(game, entries))
    assert table.journal.entries(game)[-1].kind == "taken-up"
    assert list(export(table.journal, game)) == before


def test_a_seat_that_moves_after_the_end_belongs_to_the_record(table: SimulatedTable) -> None:
    game = play_a_little(table)
    say(table, Resigned, seat=1)
    assert table.view["phase"] == "over"
    say(table, SeatMoved, seat=2, claim="yet-another")
    lines = list(export(table.journal, game))
    assert json.loads(lines[-1])["kind"] == "moved"
    assert "won by seat 2" in str(verify_lines(lines))
