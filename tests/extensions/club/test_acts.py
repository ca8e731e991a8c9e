"""What an arbiter does at a club: all or nothing, and what is refused costs nothing. Without a broker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.club.club import Club, NotAgreed
from firmware_host.extensions.club.tournament import TYPED
from firmware_host.games.registry import GAMES
from firmware_host.text.words import Refused
from tests.extensions.club.clubs import HEAD, silent_club, undo
from tests.sentences import pattern, saying


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


def test_a_tournament_whose_game_is_not_installed_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that an arbiter can put right; it is not paired, no new one is begun, and the others go on."""
    with silent_club(tmp_path / "club") as club:
        for head in (HEAD, {**HEAD, "game": "phalanx"}):
            club.enter(club.create(head), ["Ann", "Ben", "Cid"])
        club.pair(1)
    monkeypatch.delitem(GAMES, "coil")  # type: ignore[arg-type]
    with silent_club(tmp_path / "club") as club:
        view = club.tournament_view(1)
        assert (view["title"], len(view["rounds"][0]["boards"])) == ("coil", 1)
        club.act(1, "result", {"round": 1, "board": 1, "points": [2, 0], "how": TYPED, "record": ""})
        before = club.tournament_view(1)
        for refused in (lambda: club.pair(1), lambda: club.create(HEAD)):
            with pytest.raises(Refused, match="coil"):
                refused()
        assert club.tournament_view(1) == before
        undo(club, 1)
        assert club.tournament_view(1)["rounds"][0]["boards"][0]["points"] is None
        club.pair(2)
    monkeypatch.undo()
    with silent_club(tmp_path / "club") as club:
        club.act(1, "result", {"round": 1, "board": 1, "points": [2, 0], "how": TYPED, "record": ""})
        club.pair(1)
        assert len(club.tournament_view(1)["rounds"]) == 2


def test_who_meets_again_does_so_once_an_arbiter_agrees(club: Club) -> None:
    """To just that: what was done since the question is asked for anew. Round robins repeat as they are planned."""
    club.enter(club.create(HEAD), ["Ann", "Ben"])
    club.pair(1)
    club.act(1, "result", {"round": 1, "board": 1, "points": [2, 0], "how": TYPED, "record": ""})
    with pytest.raises(NotAgreed) as question:
        club.pair(1)
    assert saying("Pair it with these again", players="Ben – Ann").search(str(question.value))
    asked = len(club.tournaments[1].acts)
    club.enter(1, ["Cid", "Dora"])
    club.act(1, "withdraw", {"player": 3})
    club.act(1, "withdraw", {"player": 4})
    with pytest.raises(NotAgreed):
        club.pair(1, asked)
    club.pair(1, len(club.tournaments[1].acts))
    assert len(club.tournaments[1].rounds) == 2
    club.enter(club.create({**HEAD, "system": "round-robin", "rounds": 2}), ["Ann", "Ben"])
    club.pair(2)
    club.act(2, "result", {"round": 1, "board": 1, "points": [2, 0], "how": TYPED, "record": ""})
    club.pair(2)


def test_an_undo_takes_back_what_was_asked(club: Club) -> None:
    """Two arbiters read the same question and say yes to it: the second takes nothing else back."""
    club.enter(club.create(HEAD), ["Ann", "Ben", "Cid"])
    club.act(1, "withdraw", {"player": 3})
    asked = club.tournament_view(1)["undo"]["act"]
    club.undo(1, asked)
    with pytest.raises(Refused, match=pattern("something else was done or undone")):
        club.undo(1, asked)
    assert [one["name"] for one in club.tournament_view(1)["players"]] == ["Ann", "Ben", "Cid"]
    for _ in range(3):
        undo(club, 1)
    with pytest.raises(Refused, match=pattern("there is nothing to undo")):
        undo(club, 1)


def test_a_form_begins_one_tournament(tmp_path: Path) -> None:
    """However often it is sent, also to a club that was begun anew meanwhile; without a name each is another."""
    with silent_club(tmp_path / "club") as club:
        assert [club.create({**HEAD, "form": "a"}) for _ in range(2)] == [1, 1]
    with silent_club(tmp_path / "club") as club:
        others: list[dict[str, Any]] = [{"form": "a"}, {"form": "b"}, {"form": "a", "rounds": 4}, {}, {}]
        assert [club.create({**HEAD, **other}) for other in others] == [1, 2, 3, 4, 5]
