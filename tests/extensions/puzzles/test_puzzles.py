"""Puzzles of all games: proved again by the rules alone, many, mixed, and no two of them alike."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.commands.cli import main
from firmware_host.extensions.puzzles import making, store
from firmware_host.extensions.puzzles.check import WrongPuzzle, check, look
from firmware_host.extensions.puzzles.puzzle import GRADES, WHO, Puzzle, kinds_of, pose
from firmware_host.extensions.puzzles.view import MAX_ACTIONS, puzzle_view, solution
from firmware_host.games.game import Game
from firmware_host.games.registry import GAMES
from firmware_host.text.words import Refused
from tests.sampling import cases, few, together

POSED = sorted(name for name, game in GAMES.items() if kinds_of(game))
KINDS = [(name, kind) for name in POSED for kind in kinds_of(GAMES[name])]
ONE_EACH = {name: (name, kind) for name, kind in reversed(KINDS)}.values()
"""The first kind of each game."""
LEAST = 100


def puzzles_of(name: str, kind: str) -> list[Puzzle]:
    return [puzzle for puzzle in store.shipped_puzzles(GAMES[name]) if puzzle.kind == kind]


def some_puzzle(name: str, kind: str) -> tuple[Game[Any], Puzzle]:
    return GAMES[name], puzzles_of(name, kind)[0]


@pytest.mark.parametrize("name", POSED)
def test_there_are_enough_of_all_kinds_grades_and_modes(name: str) -> None:
    game, found = GAMES[name], store.shipped_puzzles(GAMES[name])
    assert len(found) >= LEAST
    kinds = Counter(puzzle.kind for puzzle in found)
    assert set(kinds) == set(kinds_of(game))
    assert min(kinds.values()) >= 5
    assert len({puzzle.grade for puzzle in found}) >= 3
    modes = {mode for kind in kinds_of(game).values() for mode in kind.modes}
    assert {game.parse(puzzle.position).mode for puzzle in found} == modes
    assert all(1 <= puzzle.grade <= GRADES and puzzle.ends > 1 for puzzle in found)


@pytest.mark.parametrize("name", few(POSED, 2))
def test_no_two_are_alike(name: str) -> None:
    found = store.shipped_puzzles(GAMES[name])
    assert len({puzzle.id for puzzle in found}) == len(found)
    assert len({making.looks(GAMES[name], puzzle) for puzzle in found}) == len(found)


@pytest.mark.parametrize(("name", "kind"), cases(KINDS, *ONE_EACH))
def test_a_sample_of_each_kind_is_proved_again_by_the_rules(name: str, kind: str) -> None:
    check(GAMES[name], puzzles_of(name, kind)[0])


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_all_are_proved_again_by_the_rules(name: str, kind: str) -> None:
    for puzzle in puzzles_of(name, kind):
        check(GAMES[name], puzzle)


@pytest.mark.parametrize(("name", "kind"), cases(KINDS, *ONE_EACH))
def test_a_wrong_answer_does_not_pass_the_check(name: str, kind: str) -> None:
    """The check finds an answer that is not the best one, and a count of ends that is not so."""
    game, puzzle = some_puzzle(name, kind)
    with pytest.raises(WrongPuzzle, match=puzzle.id if kinds_of(game)[kind].claim.form == WHO else "puzzle"):
        check(game, dataclasses.replace(puzzle, answer=wrong_answer(game, puzzle)))
    if kinds_of(game)[kind].claim.form != WHO:
        with pytest.raises(WrongPuzzle, match="ends"):
            check(game, dataclasses.replace(puzzle, ends=puzzle.ends + 1))


def wrong_answer(game: Game[Any], puzzle: Puzzle) -> tuple[str, ...]:
    """Return actions that end the turn otherwise than the answer does."""
    if kinds_of(game)[puzzle.kind].claim.form == WHO:
        return (str(3 - int(puzzle.answer[0])),)
    right = puzzle_view(game, puzzle, puzzle.answer)["board"]
    for seed in range(200):
        way = random_way(game, puzzle, Random(seed))
        told = puzzle_view(game, puzzle, way)
        if told["state"] == "wrong" and (told["board"] != right or puzzle.replies):
            return way
    raise AssertionError(f"{puzzle} has no wrong answer")


def random_way(game: Game[Any], puzzle: Puzzle, rng: Random) -> tuple[str, ...]:
    way: list[str] = []
    position = game.parse(puzzle.position)
    while puzzle_view(game, puzzle, way)["state"] == "open" and len(way) < MAX_ACTIONS:
        way.append(game.random_action(position, puzzle.seat, rng))
        position = game.apply(position, {puzzle.seat: way[-1]}).position
    return tuple(way)


@together(("name", "kind"), KINDS)
def test_a_try_is_answered(name: str, kind: str) -> None:
    game, puzzle = some_puzzle(name, kind)
    asked = puzzle_view(game, puzzle, ())
    assert asked["state"] == "open"
    assert asked["words"] == asked["asked"] == kinds_of(game)[kind].asked
    assert asked["steps"] or asked["choices"]
    told = solution(game, puzzle)
    assert puzzle_view(game, puzzle, told["actions"])["state"] == "solved"
    assert len(told["words"]) == len(told["actions"])
    wrong = puzzle_view(game, puzzle, wrong_answer(game, puzzle))
    assert wrong["state"] == "wrong"
    assert wrong["words"] != asked["words"]
    assert "{" not in wrong["words"]
    assert not wrong["steps"]
    if puzzle.replies:
        assert "The reply to that" in wrong["words"]
        assert wrong["lights"] or {"end", "pass"} & set(puzzle.replies)


@given(st.dates())
def test_the_puzzle_of_a_day_follows_from_the_date(day: date) -> None:
    for name in POSED:
        game = GAMES[name]
        puzzle = store.today(game, day)
        assert puzzle is not None
        assert puzzle == store.today(game, day)
        later = [store.today(game, day + timedelta(days=7 * week)) for week in range(4) if day.year < 9999]
        assert len({one.id for one in later if one}) == len(later)


@pytest.mark.parametrize("name", POSED)
def test_weeks_begin_easily_and_end_hard(name: str) -> None:
    monday = date(2026, 11, 23)
    looked = []
    for day in range(7):
        puzzle = store.today(GAMES[name], monday + timedelta(days=day))
        assert puzzle is not None
        looked.append(puzzle.looked)
    assert looked == sorted(looked)
    assert looked[0] < looked[-1]


@pytest.mark.parametrize("name", few(POSED, 2))
def test_a_seed_makes_the_same_puzzles_again(name: str) -> None:
    game = GAMES[name]
    kind, form = next(iter(kinds_of(game).items()))
    mode = form.modes[0]
    one, other = (list(islice(pose(game, kind, mode, Random(5)), 2)) for _ in range(2))
    assert one == other


@pytest.mark.thorough
def test_making_stops_in_time_and_goes_on_with_what_is_known() -> None:
    name, kind = KINDS[0]
    game, late = GAMES[name], lambda: False
    (made,) = making.make(game, 1, 3, [], late, kind)
    (other,) = making.make(game, 1, 3, [made], late, kind)
    assert making.looks(game, made) != making.looks(game, other)
    assert list(making.make(game, 8, 3, [], lambda: True)) == []


@pytest.mark.slow
def test_making_goes_on_where_it_was_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = POSED[-1] if "octiles" not in POSED else "octiles"

    def made(out: str, *options: str) -> list[str]:
        asked = ["puzzles", "make", name, "--workers", "1", "--seconds", "100000", "--data", str(tmp_path)]
        assert main([*asked, "--out", str(tmp_path / out), *options]) == 0
        return (tmp_path / out).read_text().splitlines()

    whole = made("whole.jsonl", "--count", "3")
    assert len(whole) == 3
    games = (tmp_path / "whole.games.jsonl").read_text()
    assert made("whole.jsonl", "--count", "3") == whole
    assert "0 puzzles more, 3 of this seed were there" in capsys.readouterr().out
    assert (tmp_path / "whole.games.jsonl").read_text() == games, "nothing is searched again"
    # Killed after the second puzzle, in the middle of a line.
    lines = games.splitlines(keepends=True)
    second = [at for at, line in enumerate(lines) if line.startswith('{"key": "taken')][1]
    (tmp_path / "part.games.jsonl").write_text("".join(lines[: second + 1]) + '{"key": "0.')
    (tmp_path / "part.jsonl").write_text("".join(f"{line}\n" for line in whole[:2]))
    assert made("part.jsonl", "--count", "3") == whole


def test_tiles_that_show_the_same_lines_look_the_same() -> None:
    for name in POSED:
        game = GAMES[name]
        start = game.start(game.modes[0])
        assert look(game, start) == look(game, game.parse(game.text(start)))


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_makes_checks_and_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = POSED[0]
    assert (
        main(
            ["puzzles", "make", name, "--count", "1", "--kind", KINDS[0][1], "--workers", "1", "--data", str(tmp_path)]
        )
        == 0
    )
    (made,) = store.read(GAMES[name], store.own_file(tmp_path, GAMES[name]))
    check(GAMES[name], made)
    capsys.readouterr()
    assert main(["puzzles", "show", name, made.id, "--data", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert made.position in shown
    assert f"answer: {' '.join(made.answer)}" in shown
    assert main(["puzzles", "show", name, "--data", str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(store.shipped_puzzles(GAMES[name])) + 1
    assert main(["puzzles", "today", "--date", "2026-11-22"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(POSED)


def test_the_check_tells_which_puzzle_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, kind = KINDS[0]
    game, puzzle = some_puzzle(name, kind)
    bad = dataclasses.replace(puzzle, answer=wrong_answer(game, puzzle))
    monkeypatch.setattr(store, "shipped_puzzles", lambda _: ())
    store.append(store.own_file(tmp_path, game), [puzzle, bad])
    assert main(["puzzles", "check", name, "--data", str(tmp_path)]) == 1
    assert f"puzzle {bad.id} of {name}" in capsys.readouterr().out


def test_a_torn_line_costs_no_other_puzzle(tmp_path: Path) -> None:
    """A power cut may leave the beginning of a line; the next puzzle is a line of its own all the same."""
    game, puzzle = some_puzzle(*KINDS[0])
    path = store.own_file(tmp_path, game)
    for _ in range(2):
        store.append(path, [puzzle])
        with path.open("ab") as file:
            file.write(b'{"id":')
    store.append(path, [puzzle])
    assert store.read_good(game, path) == [puzzle] * 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["make", "nogame"], "expected one of"),
        (["show", POSED[0], "zzz"], "that of 0"),
        (["check", POSED[0], "--kind", "riddle"], "--kind: expected one of"),
    ],
)
def test_what_can_not_be_done_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert main(["puzzles", *arguments, "--data", str(tmp_path)]) == 1
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seat": "one"}, "seat: expected int"),
        ({"kind": "riddle"}, "kind: expected one of"),
        ({"id": "0"}, "id: expected"),
        ({"answer": None}, "answer: expected list"),
        ({"answer": []}, "answer: expected at least one"),
        ({"answer": [1]}, "answer, replies: expected"),
        ({"answer": ["nonsense"]}, "answer: "),
        ({"replies": {"a1": 1}}, "answer, replies: expected"),
        ({"position": "\ud800"}, "position: "),
        ({"position": "nowhere"}, "position: "),
        ({"seat": 9}, "seat: expected one of"),
        ({"seat": True}, "seat: expected int"),
        ({"looked": 10**400}, "looked: expected 0 to"),
        ({"ends": -1}, "ends: expected 0 to"),
    ],
)
def test_a_line_that_is_no_puzzle_is_named(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    game, puzzle = some_puzzle(*KINDS[0])
    path = tmp_path / "some.jsonl"
    path.write_text(store.line(puzzle) + "\n" + json.dumps({**json.loads(store.line(puzzle)), **change}) + "\n")
    with pytest.raises(Refused, match=rf"some\.jsonl, line 2: {told}"):
        store.read(game, path)
    assert store.read_good(game, path) == [puzzle]
    path.write_text("nothing\n")
    with pytest.raises(Refused, match="line 1: expected a JSON object"):
        store.read(game, path)
    assert store.read(game, tmp_path / "none.jsonl") == []
