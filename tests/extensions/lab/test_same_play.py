"""What was measured counts as long as the play is the same, however the code has changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firmware_host.extensions.lab import same_play
from firmware_host.extensions.lab.arena import versions
from firmware_host.games.registry import GAMES
from tests.games.nim import Nim


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_player_plays_what_was_measured(name: str) -> None:
    """Where that is meant to change: ``python -m ….lab.same_play``, and ``make ladder`` measures anew."""
    kept = json.loads(versions.SAME.read_text(encoding="utf-8"))
    assert {key: kept[key]["play"] for key in same_play.versions(name)} == same_play.play_hashes(name)


def test_a_version_that_plays_alike_counts_as_the_first_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "same_play.json"
    monkeypatch.setattr(same_play, "GAMES", {"nim": Nim()})
    monkeypatch.setattr(same_play, "game", lambda _: Nim())
    monkeypatch.setattr(same_play, "SAME", kept)
    monkeypatch.setattr(versions, "SAME", kept)
    version = "1" * 16
    monkeypatch.setattr(same_play, "versions", lambda _: {"nim": version})
    try:
        assert same_play.update() == ["nim"], "nothing was known"
        play = json.loads(kept.read_text())["nim"]["play"]
        version = "2" * 16
        assert same_play.update() == []
        assert json.loads(kept.read_text()) == {"nim": {"play": play, "versions": ["1" * 16, "2" * 16]}}
        assert versions.alike()["2" * 16] == "1" * 16
        monkeypatch.setattr(same_play, "NODES", 1)
        monkeypatch.setattr(same_play, "ACTIONS", 1)
        version = "3" * 16
        assert same_play.update() == ["nim"], "another play"
        assert json.loads(kept.read_text())["nim"]["versions"] == ["3" * 16]
    finally:
        versions.alike.cache_clear()
