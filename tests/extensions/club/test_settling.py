"""Results follow from records and acts, whatever came when, was struck since, or was cut off. Without a broker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.extensions.club.club import Club
from firmware_host.extensions.club.known_records import KnownRecords
from firmware_host.extensions.club.store import ArchiveError
from firmware_host.extensions.club.tournament import FORFEIT, RECORD, TYPED
from firmware_host.text.words import Refused
from tests.extensions.club.clubs import HEAD, begin, board_of, meet, met_at, silent_club, take_record
from tests.sampling import cases
from tests.sentences import pattern

TABLE, OTHER = "aa" * 32, "bb" * 32


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with silent_club(tmp_path / "club") as opened:
        yield opened


def give(club: Club, number: int, points: list[int], how: str = FORFEIT, place: int = 1) -> None:
    """Let the arbiter enter the result of a board."""
    round_ = len(club.tournaments[number].rounds)
    club.act(number, "result", {"round": round_, "board": place, "points": points, "how": how, "record": ""})


def assign(club: Club, number: int, place: int, table: str) -> None:
    """Let the arbiter assign a board of the first round."""
    club.act(number, "assign", {"round": 1, "board": place, "table": table})


def failing(*_: Any) -> None:
    raise ArchiveError("no database")


def test_a_result_can_be_struck_once_others_have_its_table(club: Club) -> None:
    """Fewer tables than boards: the board is open again, without a table; the others stay where they play."""
    number = begin(club, "Ann", "Ben", "Cid", "Dora")
    assign(club, number, 1, TABLE)
    take_record(club, *met_at(club, number), table=TABLE)
    assign(club, number, 2, TABLE)
    club.strike(number, 1, 1)
    assert (board_of(club, number).points, board_of(club, number).table) == (None, "")
    assert [one.board for one in club._told[TABLE]] == [2]
    with pytest.raises(Refused, match=pattern("at that table others")):
        assign(club, number, 1, TABLE)


def test_an_end_is_taken_back_once_others_have_its_table(club: Club) -> None:
    """They have played there already, and the game before is played on with another end."""
    number = begin(club, "Ann", "Ben", "Cid", "Dora")
    assign(club, number, 1, TABLE)
    take_record(club, *met_at(club, number), 1, table=TABLE, game="g1", entries=40)
    assign(club, number, 2, TABLE)
    take_record(club, *met_at(club, number, 2), 1, table=TABLE, game="g2")
    assert [board_of(club, number, place).points for place in (1, 2)] == [(2, 0), (2, 0)]
    later = take_record(club, *met_at(club, number), 2, table=TABLE, game="g1", entries=60)
    assert (board_of(club, number).points, board_of(club, number).record) == ((0, 2), later)
    assert board_of(club, number, 2).points == (2, 0)


@pytest.mark.parametrize("why", ["changed", "other names"])
def test_a_game_that_others_have_played_on_is_struck(club: Club, why: str) -> None:
    """Its record does not count by itself, and the end that has counted was taken back."""
    number = begin(club, "Ann", "Ben")
    first, second = met_at(club, number)
    take_record(club, first, second, 1, game="g1", entries=40)
    said: dict[str, Any] = {"changed": True} if why == "changed" else {"seats": {1: ("Eve", False), 2: (second, False)}}
    take_record(club, first, second, 2, game="g1", entries=60, **said)
    assert board_of(club, number).points is None


def test_what_was_cut_off_is_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill after the record is kept, before its result is: the first, and one that replaces it."""
    with silent_club(tmp_path / "club") as club:
        number = begin(club, "Ann", "Ben")
        names = met_at(club, number)
    for winner, points in ((1, (2, 0)), (2, (0, 2))):
        with silent_club(tmp_path / "club") as club, monkeypatch.context() as patched:
            patched.setattr(Club, "_settle", lambda _: None)
            take_record(club, *names, winner, game="g1", entries=10 * winner)
            assert board_of(club, number).points != points
        with silent_club(tmp_path / "club") as club:
            club.step(None)
            assert board_of(club, number).points == points


def test_what_the_archive_has_not_taken_is_tried_again(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """The record is kept, the result not: it is entered by itself later, and no more often than some seconds apart."""
    number = begin(club, "Ann", "Ben")
    names = met_at(club, number)
    for winner, points in ((1, (2, 0)), (2, (0, 2))):
        with monkeypatch.context() as patched:
            tried = []
            patched.setattr(club.archive, "add_acts", lambda acts, tried=tried: tried.append(acts) or failing())
            take_record(club, *names, winner, game="g1", entries=10 * winner)
            for _ in range(5):
                club.step(None)
            assert len(tried) == 1
        club._settle_at = 0.0  # The time has come.
        club.step(None)
        assert board_of(club, number).points == points
        assert club._settle_at is None


def test_what_an_arbiter_has_done_is_done_although_what_follows_fails(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The strike is kept, so it is not refused; the record that now counts does so a moment later."""
    number = begin(club, "Ann", "Ben")
    give(club, number, [2, 0])
    take_record(club, *met_at(club, number), 2)
    add, taken = club.archive.add_acts, []
    with monkeypatch.context() as patched:
        patched.setattr(
            club.archive, "add_acts", lambda acts: taken.append(add(acts)) if acts[0].kind == "undo" else failing()
        )
        club.strike(number, 1, 1)
    assert (len(taken), board_of(club, number).points) == (1, None)
    club._settle_at = 0.0
    club.step(None)
    assert board_of(club, number).points == (0, 2)


def test_one_refusal_keeps_no_other_result_waiting(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is due to a board and is not possible: the others get theirs."""
    number = begin(club, "Ann", "Ben", "Cid", "Dora")

    def due(_: KnownRecords, __: object, ___: object, place: int) -> list[Any]:
        return [("undo", {"act": 1})] if place == 1 else []

    monkeypatch.setattr(KnownRecords, "replacing", due)
    take_record(club, *met_at(club, number, 2))
    assert board_of(club, number, 2).points == (2, 0)
    assert club._settle_at is None


@pytest.mark.parametrize("take_back", ["strike", "undo"])
def test_who_came_late_and_played_has_the_result_of_the_game(club: Club, take_back: str) -> None:
    """A forfeit was typed in, then they have played: with the forfeit taken back the record counts at once."""
    number = begin(club, "Ann", "Ben")
    give(club, number, [2, 0])
    take_record(club, *met_at(club, number), 2)
    assert board_of(club, number).how == FORFEIT
    if take_back == "strike":
        club.strike(number, 1, 1)
    else:
        club.act(number, "undo", {"act": board_of(club, number).act})
    assert (board_of(club, number).points, board_of(club, number).how) == ((0, 2), RECORD)


def test_an_end_that_was_taken_back_never_counts(club: Club) -> None:
    """Neither when its record comes later, nor when that of the game played on is struck, nor by hand before that."""
    number = begin(club, "Ann", "Ben")
    names = met_at(club, number)
    give(club, number, [2, 0])
    last = take_record(club, *names, 2, game="g1", entries=50)
    early = take_record(club, *names, 1, game="g1", entries=40)
    assert {one["digest"]: one["remarks"] for one in club.record_views(9)} == {last: [], early: ["played-on"]}
    club.strike(number, 1, 1)
    assert board_of(club, number).record == last
    club.strike(number, 1, 1)
    assert board_of(club, number).points is None
    club.enter(number, ["Zoe"])
    assert board_of(club, number).points is None
    club.assign_record(number, 1, 1, early, 1)  # The arbiter has struck the later one, and knows why.
    assert board_of(club, number).points == (2, 0)
    club.step(None)
    assert board_of(club, number).record == early


def test_the_record_of_a_game_that_was_played_on_is_the_one_to_name(club: Club) -> None:
    """An earlier one would be replaced at once."""
    number = begin(club, "Ann", "Ben")
    early = take_record(club, "Anne", "Benny", 1, game="g1", entries=40)
    last = take_record(club, "Anne", "Benny", 2, game="g1", entries=50)
    with pytest.raises(Refused, match=pattern("the end of this game was taken back")):
        club.assign_record(number, 1, 1, early, 1)
    club.assign_record(number, 1, 1, last, 1)
    assert board_of(club, number).points == (0, 2)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"given": True}, "given"),
        ({"changed": True}, "changed"),
        ({"seats": {1: ("Ann", False), 2: ("Ben", True)}}, "computer"),
    ],
)
def test_what_is_no_whole_game_of_two_people_counts_by_hand_alone(club: Club, said: dict[str, Any], why: str) -> None:
    """The arbiter sees why, and can name it; a game of the same two that is one counts by itself."""
    number = begin(club, "Ann", "Ben")
    record = take_record(club, "Ann", "Ben", 1, game="g1", **said)
    assert board_of(club, number).points is None
    assert [one["remarks"] for one in club.record_views(5)] == [[why]]
    whole = take_record(club, *met_at(club, number), game="g2")
    assert board_of(club, number).record == whole
    club.assign_record(number, 1, 1, record, 1, "correct")
    assert board_of(club, number).record == record


def test_a_record_named_by_hand_follows_its_game(club: Club) -> None:
    """Its seats were mixed up, and are put right; then the end is taken back, and who sat where is still so."""
    number = begin(club, "Ann", "Ben")
    record = take_record(club, "Anne", "Robert", 1, game="g1", entries=40)
    club.assign_record(number, 1, 1, record, 2)
    assert board_of(club, number).points == (0, 2)
    club.assign_record(number, 1, 1, record, 1, "correct")
    assert board_of(club, number).points == (2, 0)
    later = take_record(club, "Anne", "Robert", 2, game="g1", entries=50)
    assert (board_of(club, number).points, board_of(club, number).record) == ((0, 2), later)
    club.strike(number, 1, 1)
    assert board_of(club, number).points is None


def test_the_tournament_that_was_paired_last_gets_the_result(club: Club) -> None:
    """One that was begun with a mistake, and begun anew, takes no results of the day; nor does the number decide."""
    wrong = begin(club, "Ann", "Ben")
    right = begin(club, "Ann", "Ben", rounds=5)
    take_record(club, *met_at(club, right), 1, game="g1")
    assert (board_of(club, wrong).points, board_of(club, right).points) == (None, (2, 0))
    early, late = club.create(HEAD), club.create(HEAD)
    for number in (early, late):
        club.enter(number, ["Cid", "Dora"])
    for number in (late, early):
        club.pair(number)
    take_record(club, *met_at(club, early), 1, game="g2")
    assert (board_of(club, late).points, board_of(club, early).points) == (None, (2, 0))


def test_an_ended_tournament_takes_nothing_and_holds_nothing(club: Club) -> None:
    """No records, no tables; nobody is told of its boards. The end can be undone."""
    meet(club, TABLE)
    number = begin(club, "Ann", "Ben")
    club.assign_free(number)
    other = begin(club, "Cid", "Dora")
    with pytest.raises(Refused, match=pattern("no board is without a table")):
        club.assign_free(other)
    club.act(number, "end", {})
    assert [one.first for one in club._told[TABLE]] == []
    club.assign_free(other)
    assert board_of(club, other).table == TABLE
    take_record(club, *met_at(club, number), table=TABLE)
    view = club.tournament_view(number)
    assert (view["ended"], view["over"], board_of(club, number).points) == (True, True, None)
    assert {name: value for name, _, value in club.figures()}["lodestone_club_open_boards"] == 1
    club.act(number, "undo", {"act": club.tournaments[number].acts[-1].number})
    assert board_of(club, number).points == (2, 0)


def test_a_wrong_result_of_an_earlier_round_is_put_right(club: Club) -> None:
    """The next round is paired and played by a record; it stays, and the standings are what they ought to be."""
    number = begin(club, "Ann", "Ben", "Cid", "Dora")
    for place in (1, 2):
        give(club, number, [2, 0], TYPED, place)
    wrong = board_of(club, number)
    club.pair(number)
    take_record(club, *met_at(club, number))
    before = [(one.first, one.second, one.points) for one in club.tournaments[number].rounds[1].boards]
    correction = {"round": 1, "board": 1, "points": [0, 2], "how": TYPED, "record": ""}
    told: list[Any] = []
    club.listen(lambda changed: told.extend(changed.results))
    club.act(number, "correct", correction)
    assert told == [{"tournament": number, **correction}]
    assert board_of(club, number, 1, 1).points == (0, 2)
    assert [(one.first, one.second, one.points) for one in club.tournaments[number].rounds[1].boards] == before
    now = next(b for b in club.tournaments[number].rounds[1].boards if wrong.second in {b.first, b.second})
    assert club.tournaments[number].points()[wrong.second] == 2 + now.of(wrong.second)


def random_step(club: Club, number: int, rng: Random, fail: Callable[[bool], None]) -> None:
    """Let something happen to a tournament: at a table, by the arbiter, or to the database."""
    place = rng.choice((1, 2))
    names = list(met_at(club, number, place))
    rng.shuffle(names)
    what = rng.choice(["record", "record", "record", "give", "correct", "strike", "assign", "undo", "fail", "end"])
    fail(what == "fail")
    try:
        if what in {"record", "fail"}:
            take_record(
                club, names[0], names[1], rng.choice((1, 2, None)), table=rng.choice((TABLE, OTHER)),
                game=rng.choice(("g1", "g2")), entries=rng.randrange(10, 90), changed=rng.random() < 0.2,
            )  # fmt: skip
        elif what == "give":
            give(club, number, rng.choice(([2, 0], [0, 2])), place=place)
        elif what == "correct":
            data = {"round": 1, "board": place, "points": rng.choice(([2, 0], [1, 1])), "how": TYPED, "record": ""}
            club.act(number, "correct", data)
        elif what == "strike":
            club.strike(number, 1, place)
        elif what == "assign":
            assign(club, number, place, rng.choice((TABLE, OTHER, "")))
        elif what == "end" and rng.random() < 0.3:
            club.act(number, "end", {})
        elif (last := club.tournaments[number].last_undoable()) is not None and last.kind not in {"pair", "enter"}:
            club.act(number, "undo", {"act": last.number})
    except (Refused, ArchiveError):
        pass
    fail(False)


@pytest.mark.parametrize("seed", cases(range(40), 8))
def test_nothing_is_left_to_follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """After anything that may happen, and a step, a restart finds the same, and nothing more follows from it."""
    rng = Random(seed)
    monkeypatch.setattr("firmware_host.extensions.club.club.AGAIN_S", 0.0)
    with silent_club(tmp_path / "club") as club:
        number = begin(club, "Ann", "Ben", "Cid", "Dora")
        add = club.archive.add_acts

        def fail(down: bool) -> None:
            club.archive.add_acts = failing if down else add  # type: ignore[method-assign]

        for _ in range(30):
            random_step(club, number, rng, fail)
        club.step(None)
        assert club._settle_at is None
        view = club.tournament_view(number)
    with silent_club(tmp_path / "club") as club:
        club.step(None)
        assert club.tournament_view(number) == view
        for place in (1, 2):
            board = board_of(club, number, place)
            old = club._records.get(board.record)
            if old is not None and board.how == RECORD and not club.tournaments[number].ended:
                last = club._known.last_of(old)
                assert last is old or last.digest in club._known.used
