"""An evening between far tables is played again from the lines of one of them: the same game, without secrets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from firmware_host.link.evening_log import FILE, FOLDER, evening_text
from firmware_host.link.trust import Invitation
from tests.extensions.rooms.rooms import Place, nonce, play, play_for, settle, until
from tests.extensions.rooms.test_room import GAMES, begin, guests, meet
from tests.link.test_evening_log import counted, played_again

ENTRIES = 12
SHORT = [pytest.param(GAMES[2], id="coil")]
LONG = [
    pytest.param(boards, id=next(iter(boards[0].values())), marks=pytest.mark.thorough)
    for boards in (GAMES[0], GAMES[1], GAMES[3])
]


def assert_same_again(place: Place, folder: Path) -> None:
    """Fail unless the lines lead to the position that the table has, and tell no secret."""
    place.table.record(folder / "evening.jsonl")
    text = (folder / "evening.jsonl").read_text()
    lines = text.splitlines()
    answers = played_again(lines)
    assert counted(answers)
    table = place.table.runtime.table()
    assert answers[-1]["position"] == table.game.text(table.ledger.now.position)
    invitation = Invitation.parse(place.link)
    assert invitation.secret is not None
    secrets = [place.room.identity.private().hex(), invitation.secret.hex(), invitation.read_key.hex(), place.link]
    for secret in ("Ada", "Ben", '"Table', "claim of", nonce(1), nonce(2), *secrets):
        assert secret not in text, secret


@pytest.mark.parametrize("boards", [*SHORT, *LONG])
def test_a_game_between_two_tables_is_the_same_again(boards: Sequence[dict[str, str]], tmp_path: Path) -> None:
    """One of the tables is killed in between; both have all that was done at either."""
    _, places = meet(tmp_path, boards)
    begin(places[1])
    settle(*places)
    people = guests(places)
    play(people, lambda: all(len(one.room._log) > ENTRIES / 2 for one in places))
    places[1].kill()
    play_for(people, 30)
    places[1].start()
    play(people, lambda: all(len(one.room._log) > ENTRIES for one in places))
    until(lambda: len({len(one.room._log) for one in places}) == 1, *places)
    for place in places:
        assert_same_again(place, tmp_path)
    lines = [json.loads(line) for line in (places[1].folder / FOLDER / FILE).read_text().splitlines()]
    assert {"open", "restart", "far"} <= {line["do"] for line in lines}


def test_the_last_evening_is_not_one_of_before(tmp_path: Path) -> None:
    """Another game than the last one is not what was asked for."""
    _, places = meet(tmp_path, GAMES[2])
    for place in places:
        (place.folder / FOLDER).mkdir(exist_ok=True)
        (place.folder / FOLDER / FILE).write_text('{"id": "coil-1", "do": "open", "time": 0.0}\n')
    begin(places[1])
    until(lambda: all(one.view["phase"] != "lobby" for one in places), *places)
    for place in places:
        assert "Far table 2" in evening_text(place.folder, lambda known: known == "coil-1")
