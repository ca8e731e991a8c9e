"""A tournament is what its acts make of it: points, ties, undo, and what is refused."""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.extensions.club.pairing import rounds_of
from firmware_host.extensions.club.tournament import FORFEIT, MAX_PLAYERS, ROUND_ROBIN, SWISS, TYPED, Tournament, fold
from firmware_host.link.glicko import Rating
from firmware_host.text.words import Refused
from tests.extensions.club.clubs import AT, do, pair, play_round, tournament
from tests.sentences import pattern


def ratings(what: Tournament) -> dict[int, Rating]:
    return {number: Rating() for number in what.players}


@given(st.integers(2, 14), st.integers(1, 6), st.sampled_from([SWISS, ROUND_ROBIN]), st.integers(0, 2**32))
def test_points_and_ties(players: int, rounds: int, system: str, seed: int) -> None:
    """Each round gives away two halves a board and a bye; standings are in order; the fold is the same."""
    rng = Random(seed)
    planned = min(rounds, (players - 1) // 2 or 1) if system == SWISS else 0
    what = tournament(players, system, planned)
    for _ in range(planned or rounds_of(players)):
        what = play_round(pair(what), rng)
    assert what.is_over
    table = what.standings(ratings(what))
    assert sum(one.points for one in table) == 2 * sum(len(one.boards) + (one.bye is not None) for one in what.rounds)
    assert [one.place for one in table] == sorted(one.place for one in table)
    for one in table:
        opponents = [board.other(one.player) for r in what.rounds for board in r.boards
                     if one.player in {board.first, board.second}]  # fmt: skip
        points = what.points()
        idle = sum(r.bye == one.player for r in what.rounds)
        assert one.buchholz == sum(points[other] for other in opponents) + idle * one.points
        assert one.played == len(opponents)
    again = fold(1, what.acts)
    assert again.rounds == what.rounds
    assert again.standings(ratings(again)) == table


@given(st.data())
def test_an_undo_takes_back_one_act(data: st.DataObject) -> None:
    """Whatever happens, taking all back by hand, last first, leads to the beginning; the fold agrees each time."""
    rng = Random(data.draw(st.integers(0, 2**32)))
    what = tournament(data.draw(st.integers(4, 9)))
    for _ in range(data.draw(st.integers(1, 3))):
        what = pair(what)
        open_boards = [place for place, board in enumerate(what.rounds[-1].boards, 1) if board.points is None]
        if data.draw(st.booleans()):
            what = do(what, "assign", round=len(what.rounds), board=rng.choice(open_boards), table="ab" * 32)
        if data.draw(st.booleans()):
            what = do(what, "result", round=len(what.rounds), board=rng.choice(open_boards), points=[0, 2],
                      how=FORFEIT, record="")  # fmt: skip
        if len(what.players) > 4 and data.draw(st.booleans()):
            staying = [number for number, one in what.players.items() if not one.withdrawn]
            if len(staying) > 4:
                what = do(what, "withdraw", player=rng.choice(staying))
        what = play_round(what, rng)
    for act in [one for one in reversed(what.acts) if one.kind != "create"]:
        by_hand = what.last_undoable()
        assert by_hand is None or by_hand.number <= act.number
        what = do(what, "undo", act=act.number)
        again = fold(1, what.acts)
        assert (again.rounds, again.players) == (what.rounds, what.players)
    assert what.last_undoable() is None
    assert not what.players
    assert not what.rounds


def test_an_undo_that_makes_no_sense_is_refused() -> None:
    """A player who is paired can't be taken out, nor a round with results; nothing has changed then."""
    what = play_round(pair(tournament(4)), Random(1))
    before = fold(1, what.acts)
    for act in [one for one in what.acts if one.kind in {"enter", "pair"}]:
        with pytest.raises(Refused, match="without that"):
            do(what, "undo", act=act.number)
    assert (what.rounds, what.undone) == (before.rounds, before.undone)
    with pytest.raises(Refused, match="can't be undone"):
        do(what, "undo", act=1)


def test_a_record_counts_once() -> None:
    """Not for another board, and not again after the arbiter has struck it."""
    what = pair(tournament(4))
    digest = "ab" * 32
    result = {"round": 1, "points": [2, 0], "how": "record", "record": digest}
    what = do(what, "result", board=1, **result)
    with pytest.raises(Refused, match="counted already"):
        do(what, "result", board=2, **result)
    what = do(what, "undo", act=what.rounds[0].boards[0].act)
    assert what.rounds[0].boards[0].points is None
    with pytest.raises(Refused, match="counted already"):
        do(what, "result", board=1, **result)


def test_a_round_robin_goes_on_without_one_who_left() -> None:
    """The others win without playing, which counts points and no rating."""
    what = play_round(pair(tournament(4, ROUND_ROBIN, 0)), Random(2))
    what = do(what, "withdraw", player=4)
    what = pair(what)
    forfeits = [board for board in what.rounds[1].boards if 4 in {board.first, board.second}]
    assert [(board.how, board.of(4)) for board in forfeits] == [(FORFEIT, 0)]
    rested = forfeits[0].other(4)
    assert what.ratings_after(ratings(what))[rested].deviation == what.ratings_after(ratings(what))[4].deviation


def test_what_does_not_follow_is_refused() -> None:
    """With a sentence each, and nothing has changed."""
    what = tournament(4)
    refused = [
        ("enter", {"player": 9, "name": "PLAYER 1"}, "plays already"),
        ("enter", {"player": 9, "name": ""}, "a player's name"),
        ("enter", {"player": 1, "name": "Zoe"}, "a player 1 already"),
        ("withdraw", {"player": 17}, "no player 17"),
        ("return", {"player": 1}, "has not withdrawn"),
        ("assign", {"round": 1, "board": 1, "table": ""}, "no board 1 in round 1"),
        ("pair", {"round": 1, "pairs": [[1, 2]], "bye": None}, "each player once"),
        ("pair", {"round": 2, "pairs": [[1, 2], [3, 4]], "bye": None}, "not the next"),
    ]
    for kind, data, why in refused:
        with pytest.raises(Refused, match=why):
            do(what, kind, **data)
    paired = pair(what)
    with pytest.raises(Refused, match="results of round 1 are missing: 2"):
        pair(paired)
    with pytest.raises(Refused, match="no result"):
        do(paired, "result", round=1, board=1, points=[2, 2], how=FORFEIT, record="")
    for head, why in (
        ({"mode": "3"}, "a mode for two players"),
        ({"game": "chess"}, "chess"),
        ({"system": "knockout"}, "rounds"),
        ({"rounds": 0}, "rounds"),
        ({"name": " "}, "name"),
    ):
        with pytest.raises(Refused, match=why):
            Tournament(1).apply(replace(what.acts[0], data={**what.acts[0].data, **head}, at=AT))
    assert len(what.acts) == 5 + 1  # pair changed the same tournament: one that is refused has not.


def test_what_an_arbiter_types_counts_as_played() -> None:
    """Draws as well; it can be undone, and stands in the ratings as a record does."""
    what = pair(tournament(2))
    before = {number: Rating() for number in what.players}
    for wrong in ([2, 2], [0, 0], [2, 1]):
        with pytest.raises(Refused, match="this is no result"):
            do(what, "result", round=1, board=1, points=wrong, how=TYPED, record="")
    typed = do(what, "result", round=1, board=1, points=[1, 1], how=TYPED, record="")
    assert [(one.points, one.played) for one in typed.standings(before)] == [(1, 1), (1, 1)]
    assert typed.ratings_after(before)[1].deviation < before[1].deviation
    last = typed.last_undoable()
    assert last is not None
    assert last.kind == "result"
    undone = do(typed, "undo", act=last.number)
    assert undone.rounds[0].boards[0].points is None
    won = do(undone, "result", round=1, board=1, points=[2, 0], how=TYPED, record="")
    assert [one.points for one in won.standings(before)] == [2, 0]


def test_who_rests_gets_half_a_point() -> None:
    """In the next round only; who has rested may still get a bye, and opponents' points count as their own."""
    what = do(tournament(5), "rest", player=3)
    with pytest.raises(Refused, match=pattern("is not paired in the next")):
        do(what, "rest", player=3)
    what = pair(what)
    assert what.rounds[0].resting == [3]
    assert what.rounds[0].bye is None
    assert 3 not in {number for board in what.rounds[0].boards for number in (board.first, board.second)}
    assert what.points()[3] == 1
    what = pair(play_round(what, Random(1)))
    assert what.rounds[1].resting == []
    assert 3 in {
        what.rounds[1].bye,
        *(number for board in what.rounds[1].boards for number in (board.first, board.second)),
    }
    line = next(one for one in what.standings({number: Rating() for number in what.players}) if one.player == 3)
    assert line.buchholz >= line.points - 2 * (what.rounds[1].bye == 3)
    assert fold(1, what.acts).rounds == what.rounds
    with pytest.raises(Refused, match=pattern("a round robin nobody rests")):
        do(tournament(4, ROUND_ROBIN), "rest", player=1)


def test_the_largest_tournament_is_folded_in_no_time() -> None:
    """Each act costs as much as the one before it: a club begins with all of them, and an undo plays them again."""
    what = tournament(MAX_PLAYERS)
    pairs = [[number, number + 1] for number in range(1, MAX_PLAYERS, 2)]
    what = do(what, "pair", round=1, pairs=pairs, bye=None, records=0)
    for place in range(1, len(pairs) + 1):
        what = do(what, "assign", round=1, board=place, table=f"{place:064x}")
    what = play_round(what, Random(1))
    began = time.thread_time()
    again = fold(1, what.acts)
    assert time.thread_time() - began < 3, "about 0.05 s; 17 s once"
    assert again.used_records() == what.used_records()
    assert len(again.used_records()) == len(pairs)


def test_a_table_has_one_open_board_of_a_round() -> None:
    """Another one when the first has a result or goes elsewhere. A result can be undone all the same: a board whose
    table others have had since has none."""
    one, other = "ab" * 32, "cd" * 32
    what = do(pair(tournament(6)), "assign", round=1, board=1, table=one)
    with pytest.raises(Refused, match=pattern("at that table others")):
        do(what, "assign", round=1, board=2, table=one)
    for table in (one, other, one, "", one):
        what = do(what, "assign", round=1, board=1, table=table)
    what = do(what, "result", round=1, board=1, points=[2, 0], how=TYPED, record="")
    what = do(what, "assign", round=1, board=2, table=one)
    with pytest.raises(Refused, match=pattern("at that table others")):
        do(what, "assign", round=1, board=3, table=one)
    assert [board.table for board in what.rounds[0].boards] == [one, one, ""]
    reopened = do(what, "undo", act=what.rounds[0].boards[0].act)
    assert [board.table for board in reopened.rounds[0].boards] == ["", one, ""]
    with pytest.raises(Refused, match=pattern("at that table others")):
        do(reopened, "assign", round=1, board=1, table=one)
    assert fold(1, reopened.acts).rounds == reopened.rounds
    what = fold(1, what.acts)
    what = do(what, "assign", round=1, board=2, table=other)
    what = do(what, "assign", round=1, board=3, table=one)
    assert [board.table for board in what.rounds[0].boards] == [one, other, one]


def test_a_correction_stands_in_place_of_a_result() -> None:
    """In any round: what was paired since stays, points follow, and it can be undone; each record keeps its board."""
    digest = "ab" * 32
    what = pair(tournament(4))
    place = {"round": 1, "board": 1}
    typed = {"how": TYPED, "record": ""}
    with pytest.raises(Refused, match="no result yet"):
        do(what, "correct", **place, points=[2, 0], **typed)
    what = do(what, "result", **place, points=[2, 0], how="record", record=digest, seat=1, hand=False)
    what = pair(do(what, "result", round=1, board=2, points=[2, 0], **typed))
    first, second = what.rounds[0].boards[0].first, what.rounds[0].boards[0].second
    boards = [(board.first, board.second) for board in what.rounds[1].boards]
    with pytest.raises(Refused, match="without that"):
        do(what, "undo", act=what.rounds[0].boards[0].act)
    what = do(what, "correct", **place, points=[0, 2], **typed)
    assert (what.points()[first], what.points()[second]) == (0, 2)
    assert [(board.first, board.second) for board in what.rounds[1].boards] == boards
    assert what.ratings_after(ratings(what))[second].points > 1500
    with pytest.raises(Refused, match="has this result already"):
        do(what, "correct", **place, points=[0, 2], **typed)
    with pytest.raises(Refused, match="counted already"):
        do(what, "correct", round=1, board=2, points=[0, 2], how="record", record=digest)
    what = do(what, "correct", **place, points=[1, 1], how="record", record=digest, seat=2, hand=True)
    assert (what.rounds[0].boards[0].points, what.rounds[0].boards[0].record) == ((1, 1), digest)
    for points in ((0, 2), (2, 0)):
        last = what.last_undoable()
        assert last is not None
        assert last.kind == "correct"
        what = do(what, "undo", act=last.number)
        assert what.rounds[0].boards[0].points == points
    assert fold(1, what.acts).rounds == what.rounds


def test_a_tournament_that_has_ended_goes_no_further() -> None:
    """Nothing is paired or assigned in it any more; its results can be put right; the end can be undone."""
    what = do(pair(tournament(4)), "assign", round=1, board=1, table="ab" * 32)
    what = do(what, "end")
    assert what.is_over
    assert not list(what.open_pairings({"ab" * 32}))
    for kind, data in (
        ("end", {}),
        ("enter", {"player": 5, "name": "Zoe"}),
        ("rest", {"player": 1}),
        ("assign", {"round": 1, "board": 1, "table": ""}),
        ("pair", {"round": 2, "pairs": [[1, 3], [2, 4]], "bye": None, "records": 0}),
    ):
        with pytest.raises(Refused, match="the tournament has ended"):
            do(what, kind, **data)
    with pytest.raises(Refused, match="the tournament has ended"):
        pair(what)
    what = do(what, "result", round=1, board=1, points=[2, 0], how=TYPED, record="")
    what = do(what, "undo", act=what.rounds[0].boards[0].act)
    last = what.last_undoable()
    assert last is not None
    assert last.kind == "end"
    what = do(what, "undo", act=last.number)
    assert not what.is_over
    assert len(list(what.open_pairings({"ab" * 32}))) == 1
