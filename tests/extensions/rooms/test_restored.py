"""A table whose folder comes from a backup a few moves old: the others have the rest of the game, and it goes on."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path
from random import Random

import pytest

from firmware_host.archive import dates
from firmware_host.games.seals import commitment
from tests.archive.test_dates import TEN_YEARS, TODAY, Machine
from tests.extensions.rooms.rooms import Place, nonce, play, play_for, settle, until
from tests.extensions.rooms.test_changed_programs import send
from tests.extensions.rooms.test_room import (
    FEW_ENTRIES,
    GAMES,
    are_over,
    assert_same,
    begin,
    guests,
    ledger_of,
    meet,
)
from tests.sampling import cases
from tests.sentences import is_in


def restore(place: Place, backup: Path) -> None:
    """End a table, and start it again with a former state of its folder."""
    place.kill()
    place.table.close()
    shutil.rmtree(place.folder)
    shutil.copytree(backup, place.folder)
    place.start()


BOARDS = dict(zip(("spokes", "phalanx", "coil", "octiles"), GAMES, strict=True))


@pytest.mark.parametrize(
    ("game", "victim", "after"),
    cases([*product(BOARDS, (0, 1), (1, 4, 9))], ("spokes", 1, 4)),
)
def test_a_table_restored_from_a_backup_goes_on(tmp_path: Path, game: str, victim: int, after: int) -> None:
    """Whatever it has forgotten of its own, too: its actions, seals, openings, lots."""
    _, places = meet(tmp_path, BOARDS[game])
    begin(places[0])
    people = guests(places, FEW_ENTRIES)
    play(people, lambda: all(len(one.room._log) >= 3 for one in places))
    play_for(people, 3 * after)
    known = len(places[victim].room._log)
    shutil.copytree(places[victim].folder, tmp_path / "backup")
    play(people, lambda: all(len(one.room._log) >= known + after for one in places))
    play_for(people, 2 * after)
    restore(places[victim], tmp_path / "backup")
    play(people, lambda: are_over(places))
    assert_same(places)


def test_an_action_that_the_others_are_only_laying_is_not_played_anew(tmp_path: Path) -> None:
    """Ada's action has come to Ben, whose hands have not laid it yet; Ada, restored, does not know it any more."""
    _, places = meet(tmp_path, BOARDS["coil"])
    ada, ben = places
    begin(ada)
    people = guests(places, FEW_ENTRIES)
    play(people, lambda: all(one.view["phase"] == "resolving" for one in places))
    until(lambda: len(ada.room._log) == len(ben.room._log), *places)
    known = len(ada.room._log)
    shutil.copytree(ada.folder, tmp_path / "backup")
    while known not in ben.room._entries:
        play_for(people[:1], 1)
        ben.table.wait(0.02)
    restore(ada, tmp_path / "backup")
    for _ in range(100):
        play_for(people[:1], 1)
        ben.table.wait(0.02)
    assert (len(ada.room._log), len(ben.room._log)) == (known, known)
    assert is_in("Go on when it stands", str(ada.view["message"])), ada.view["message"]
    play(people, lambda: are_over(places))
    assert_same(places)


@pytest.mark.parametrize("game", cases(list(BOARDS), "coil"))
def test_clocks_that_jump_between_backup_and_restore_decide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """An hour back, ten years on, then 1970; each time a table is put back behind what the others know."""
    machine = Machine(TODAY)
    monkeypatch.setattr(dates, "DATES", machine.dates)
    _, places = meet(tmp_path, BOARDS[game])
    begin(places[0])
    people = guests(places, FEW_ENTRIES)
    for number, system in enumerate((TODAY - 3600, TODAY + TEN_YEARS, 12.0)):
        play_for(people, 5)
        victim, backup = places[number % 2], tmp_path / f"backup {number}"
        shutil.copytree(victim.folder, backup)
        machine.system = system
        play_for(people, 5)
        restore(victim, backup)
    play(people, lambda: are_over(places))
    assert_same(places)


def test_a_seal_that_was_forgotten_is_taken_up_and_not_made_anew(tmp_path: Path) -> None:
    """The others know what this table has sealed in the running round: another seal would open nothing."""
    _, places = meet(tmp_path, GAMES[0])
    ada, ben = places
    begin(ada)
    until(lambda: all(one.view["phase"] == "sealing" for one in places), *places)
    shutil.copytree(ada.folder, tmp_path / "backup")
    people = guests(places, FEW_ENTRIES)
    play(people[:1], lambda: 1 in ledger_of(ada).round.commitments)
    until(lambda: 1 in ledger_of(ben).round.commitments, *places)
    sealed = ledger_of(ben).round.commitments[1]
    restore(ada, tmp_path / "backup")
    until(lambda: ledger_of(ada).round.commitments.get(1) == sealed, *places)
    play(people, lambda: are_over(places))
    assert_same(places)


def test_nobody_else_can_say_what_a_table_has_sealed(tmp_path: Path) -> None:
    """A round that names another seal than any of this table's, without its signature, stops the game."""
    _, places = meet(tmp_path, GAMES[0])
    ada, liar = places
    begin(ada)
    until(lambda: all(one.view["phase"] == "sealing" for one in places), *places)
    ledger, game = ledger_of(ada), ada.view["game"]["id"]
    turn, history = ledger.round.turn, ledger.round.history
    actions = {seat: ledger.game.random_action(ledger.now.position, seat, Random(seat)) for seat in (1, 2)}
    seals = {
        str(seat): [commitment(game, turn, seat, history, action, nonce(seat)), action, nonce(seat)]
        for seat, action in actions.items()
    }
    send(liar, "reveal", {"seals": seals, "position": "x"})
    settle(*places)
    assert not ada.room._stopped
    until(lambda: ada.room._stopped, *places)
    assert "seat 1 has not sealed here" in ada.room._stopped
