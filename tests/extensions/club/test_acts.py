"""What an arbiter does at a club: all or nothing, and what is refused costs nothing. Without a broker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.extensions.club.club import Club
from firmware_host.text.words import Refused
from tests.extensions.club.clubs import HEAD, silent_club
from tests.sentences import pattern


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with silent_club(tmp_path / "club") as opened:
        yield opened


def test_what_is_refused_costs_nothing(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has changed, so nothing is played again under the club's lock."""
    club.create(HEAD)
    club.enter(1, ["Ann", "Ben"])
    before = club.tournament_view(1)
    with monkeypatch.context() as patched:
        patched.setattr("firmware_host.extensions.club.club.fold", None)
        patched.setattr("firmware_host.extensions.club.tournament.fold", None)
        with pytest.raises(Refused, match=pattern("plays already")):
            club.enter(1, ["ANN"])
        with pytest.raises(Refused, match=pattern("there is no act")):
            club.act(1, "undo", {"act": 17})
    assert club.tournament_view(1) == before
    with pytest.raises(Refused, match=pattern("plays already")):
        club.enter(1, ["Cid", "Ann"])
    assert club.tournament_view(1) == before
    club.enter(1, ["Cid"])
    assert [one["name"] for one in club.tournament_view(1)["players"]] == ["Ann", "Ben", "Cid"]
