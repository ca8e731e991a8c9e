"""An evening that is played again from its lines: the same game, without names and secrets."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.games.positions import is_dealt
from firmware_host.games.registry import find as find_games
from firmware_host.link.evening_log import FILE, FOLDER, LARGEST, evening_text
from firmware_host.services.table_protocol import TableSession
from firmware_host.table.errors import TableError
from firmware_host.text.words import Refused
from lodestone.tables import NONCE, SimulatedTable
from tests.sampling import few


def played_again(lines: list[str]) -> list[dict[str, Any]]:
    session = TableSession()
    return [json.loads(session.answer_line(line)) for line in lines]


def counted(answers: list[dict[str, Any]]) -> list[str]:
    """Return the actions that count in the end."""
    actions: list[str] = []
    for answer in answers:
        assert answer["ok"], answer
        if answer["undone"]:
            del actions[-len(answer["undone"]) :]
        actions += answer["committed"]
    return actions


def play(table: SimulatedTable, turns: int, random: Random) -> None:
    """Set up, then seal what is sealed, and make steps on phones with hands that follow the lights."""
    table.set_up()
    for _ in range(turns):
        here = table.runtime.table()
        if here.ledger.over:
            return
        game, position = here.game, here.ledger.now.position
        if table.view["phase"] == "sealing":
            sealing = here.ledger.round
            assert sealing is not None
            table.seal({seat: random.choice(game.actions(position)[seat]) for seat in sealing.seats})
        elif here.actor is not None:
            table.choose(here.actor, random.choice(game.actions(position)[here.actor]))
        table.follow()


@pytest.mark.parametrize("game", few(sorted(find_games()[0]), 2))
def test_a_game_is_the_same_again(game: str, tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, game=game, seats=["Alexandra", "Konstantin"])
    try:
        play(table, 5, Random(game))
        table.power_cut()
        play(table, 4, Random(game))
        table.record(tmp_path / "evening.jsonl")
        position = table.runtime.table().game.text(table.runtime.table().ledger.now.position)
    finally:
        table.close()
    text = (tmp_path / "evening.jsonl").read_text()
    for secret in ("Alexandra", "Konstantin", NONCE, "claim"):
        assert secret not in text
    lines = text.splitlines()
    assert any(json.loads(line)["do"] == "restart" for line in lines)
    answers = played_again(lines)
    assert counted(answers)
    assert answers[-1]["position"] == position


def test_a_seal_is_in_it_once_all_are_open(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, game="spokes", seats=["A", "B"])
    try:
        here = table.runtime.table()
        actions = [here.game.actions(here.ledger.now.position)[seat][7] for seat in (1, 2)]
        with pytest.raises(TableError):  # The second seat has sealed nothing that could be opened.
            table.seal({1: actions[0]})
        assert actions[0] not in (tmp_path / FOLDER / FILE).read_text()
        table.seal({1: actions[0], 2: actions[1]})
        assert actions[0] in (tmp_path / FOLDER / FILE).read_text()
    finally:
        table.close()


@pytest.mark.parametrize("game", sorted(find_games()[0]))
def test_only_a_shuffled_game_shows_its_seed(game: str, tmp_path: Path) -> None:
    """In others the table draws from it for seats whose time is up, and nobody may know that before."""
    table = SimulatedTable(tmp_path, game=game, seats=["A", "B"])
    try:
        seed = int(str(table.runtime.table().seed), 16)
        assert (str(seed) in (tmp_path / FOLDER / FILE).read_text()) == is_dealt(table.runtime.table().game)
    finally:
        table.close()


def test_a_hidden_stack_stays_hidden(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, game="octiles", seats=["A", "B"])
    try:
        game = table.runtime.table().ledger.game_id
        with pytest.raises(Refused, match="hidden until it is over"):
            evening_text(tmp_path, lambda known: known == game)
    finally:
        table.close()


def test_without_a_game_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no game has begun"):
        evening_text(tmp_path, lambda _: False)
    table = SimulatedTable(tmp_path, game="coil")
    try:
        with pytest.raises(Refused, match="no game has begun"):
            table.record(tmp_path / "x")
    finally:
        table.close()


def test_a_disk_that_is_full_ends_the_file_and_not_the_game(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("")
    table = SimulatedTable(tmp_path, game="spokes", seats=["A", "B"])
    try:
        assert table.view["phase"] != "lobby"
    finally:
        table.close()


@pytest.mark.parametrize(
    "lines",
    [
        "5\n",
        "[]\n",
        "{}\n",
        "",
        '"text"\n',
        '{"id": "GAME"}\n5\n',
        '{"id": "GAME"}\n[]\n',
        '{"id": "GAME"}\n{"time": null}\n',
        '{"id": "GAME"}\n{"time": "1"}\n',
        '{"id": "GAME"}\n{"time": true}\n',
        '{"id": "GAME"}\n{"time": 1e999}\n',
        '{"id": "GAME"}\n{"time": NaN}\n',
        '{"id": "GAME", "time": 0}\n' + "[" * 100_000 + "\n",
        '{"id": ["GAME"], "time": 0}\n',
        "\xff\xfe",
    ],
)
def test_whatever_the_file_has_the_game_goes_on(tmp_path: Path, lines: str) -> None:
    """What can't be gone on with is no evening any more; the next game begins one."""
    table = SimulatedTable(tmp_path, game="coil", seats=["A", "B"])
    try:
        game = table.runtime.table().ledger.game_id
        (tmp_path / FOLDER / FILE).write_bytes(lines.replace("GAME", game).encode("latin-1"))
        table.power_cut()
        play(table, 1, Random(1))
        assert (tmp_path / FOLDER / FILE).read_bytes() == lines.replace("GAME", game).encode("latin-1")
        with pytest.raises(Refused, match="no game has begun"):
            evening_text(tmp_path, lambda _: False)
    finally:
        table.close()


def _write_far_too_much(path: Path) -> None:
    path.touch()
    os.truncate(path, LARGEST + 1)


def test_a_line_that_a_power_cut_has_torn_is_left_out(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, game="coil", seats=["A", "B"])
    try:
        whole = evening_text(tmp_path, lambda _: False)
        with (tmp_path / FOLDER / FILE).open("a") as file:
            file.write('{"do": "tick", "ti')
        assert evening_text(tmp_path, lambda _: False) == whole
    finally:
        table.close()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, _write_far_too_much], ids=["folder", "pipe", "too long"])
def test_what_is_no_file_or_far_too_long_is_neither_read_nor_waited_for(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    table = SimulatedTable(tmp_path, game="coil", seats=["A", "B"])
    try:
        (tmp_path / FOLDER / FILE).unlink()
        make(tmp_path / FOLDER / FILE)
        table.power_cut()
        play(table, 1, Random(1))
        with pytest.raises(Refused, match="evening"):
            evening_text(tmp_path, lambda _: False)
        table.close()
        table = SimulatedTable(tmp_path, game="coil", seats=["A", "B"])
        assert evening_text(tmp_path, lambda _: False), "the next game is noted"
    finally:
        table.close()
