"""Lists of games."""

from dataclasses import replace

from firmware_host.archive.journal import Journal
from tests.archive.journal.journals import AT, HEAD, refusal


def begin(journal: Journal, game: str, *names: str) -> None:
    journal.append(game, "game", HEAD | {"id": game}, "2026-11-21T10:00:00+00:00")
    for seat, name in enumerate(names, 1):
        journal.append(game, "seat", {"seat": seat, "name": name, "claim": "secret", "computer": False}, AT)


def start(journal: Journal, game: str, at: str = "2026-11-21T10:05:00+00:00") -> None:
    journal.append(game, "start", {"position": "p"}, at)


def test_games_are_listed_with_their_state(journal: Journal) -> None:
    assert journal.games() == []
    assert journal.unfinished_game() is None
    begin(journal, "lobby", "Ada")
    begin(journal, "done", "Ada", "Grace")
    start(journal, "done")
    journal.append("done", "reveal", {"turn": 1, "actions": {}, "position": "p", "removed": []}, AT)
    journal.append("done", "reveal", {"turn": 2, "actions": {}, "position": "p", "removed": []}, AT)
    journal.append("done", "result", {"reason": "filled", "winners": [2], "scores": [1, 2], "tiebreak": [0, 0]}, AT)
    begin(journal, "left", "Ada", "Grace")
    start(journal, "left")
    journal.abandon("left")
    lobby, done, left = journal.games()
    assert (lobby.state, lobby.names, lobby.started) == ("lobby", ("Ada",), "2026-11-21T10:00:00+00:00")
    assert (done.state, done.reason, done.winners, done.turns, done.events) == ("finished", "filled", (2,), 2, 7)
    assert (done.game, done.mode, done.names) == ("spokes", "2", ("Ada", "Grace"))
    assert done.started == "2026-11-21T10:05:00+00:00"
    assert (left.state, left.turns) == ("abandoned", 0)
    assert (lobby.ended, done.ended) == (None, AT)
    assert left.ended is not None
    assert journal.unfinished_game() is None


def test_what_is_known_of_a_game_is_not_read_again_until_something_is_added(journal: Journal) -> None:
    for game in ("one", "two"):
        begin(journal, game, "Ada", "Grace")
        start(journal, game)
    known = {summary.id: replace(summary, mode="as it was known") for summary in journal.games()}
    assert [summary.mode for summary in journal.games(known)] == ["as it was known"] * 2
    journal.append("two", "moved", {"seat": 1, "claim": "c"}, AT)
    assert [summary.mode for summary in journal.games(known)] == ["as it was known", "2"]


def test_a_game_that_is_taken_up_again_is_the_one_to_resume(journal: Journal) -> None:
    for game in ("one", "two"):
        begin(journal, game, "Ada", "Grace")
        start(journal, game)
    journal.append("one", "taken-up", {}, AT)
    last = journal.unfinished_game()
    assert last is not None
    assert (last.id, last.state, last.started) == ("one", "unfinished", "2026-11-21T10:05:00+00:00")


def test_the_game_played_last_is_the_one_to_resume(journal: Journal) -> None:
    for game in ("one", "two", "three"):
        begin(journal, game, "Ada", "Grace")
    start(journal, "one")
    start(journal, "two")
    assert journal.unfinished_game() == journal.games()[1]
    journal.append("two", "abandoned", {}, AT)
    last = journal.unfinished_game()
    assert last is not None
    assert (last.id, last.state) == ("one", "unfinished")


def test_names_follow_who_leaves_and_which_mode_is_played(journal: Journal) -> None:
    begin(journal, "g1", "Ada", "Grace")
    journal.append("g1", "mode", {"mode": "4"}, AT)
    for seat, name in ((3, "Edsger"), (4, "Barbara")):
        journal.append("g1", "seat", {"seat": seat, "name": name, "claim": "c", "computer": True}, AT)
    journal.append("g1", "left", {"seat": 1}, AT)
    assert journal.games()[0].seats == {2: "Grace", 3: "Edsger", 4: "Barbara"}
    journal.append("g1", "mode", {"mode": "2"}, AT)
    summary = journal.games()[0]
    assert (summary.mode, summary.seats) == ("2", {2: "Grace"})


def test_entries_that_tell_no_game_are_named_not_raised(journal: Journal) -> None:
    assert "game: expected a text, found nothing" in refusal(lambda: journal.append("g1", "game", {"id": "g1"}, AT))
    assert journal.games() == []
