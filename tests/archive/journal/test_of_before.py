"""Journals as earlier versions wrote them, cut off in the middle of a game: each is resumed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from firmware_host.games.registry import GAMES
from lodestone.tables import SimulatedTable
from tests.sampling import cases

BEFORE = Path(__file__).parent / "before"
JOURNALS = [(version.name, game) for version in sorted(BEFORE.iterdir()) for game in GAMES]


@pytest.mark.parametrize(("version", "game"), cases(JOURNALS))
def test_a_journal_of_before_is_resumed(version: str, game: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as database:
        database.executescript((BEFORE / version / f"{game}.sql").read_text(encoding="utf-8"))
        entries = database.execute("SELECT kind, data FROM event ORDER BY seq").fetchall()
    kinds, written = [kind for kind, _ in entries], [json.loads(data) for _, data in entries]
    assert kinds[0] == "game"
    with closing(SimulatedTable(tmp_path, board=written[0]["board"], resume=True)) as table:
        ledger = table.runtime.table().ledger
        assert ledger.game_id.startswith(game)
        positions = [data["position"] for data in written if "position" in data]
        assert ledger.game.text(ledger.now.position) == positions[-1]
        seated = {data["seat"]: data["name"] for data in written if "claim" in data}
        assert {seat: sitting.name for seat, sitting in ledger.sittings.items()} == seated
        assert [moment.kind for moment in ledger.moments].count("action") == kinds.count("action")
        assert table.view["phase"] in {"setup", "resolving"}, "the lights guide the board back"
