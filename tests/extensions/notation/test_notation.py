"""Games as text: written of records and read back exactly; other programs' moves; refusals that name what is taken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_host.archive.format import RecordError
from firmware_host.archive.journal import Journal
from firmware_host.archive.records import export, play_again
from firmware_host.extensions.notation import forms
from firmware_host.extensions.notation.forms import ForeignGame, ForeignStep
from firmware_host.extensions.notation.notation import WrittenGame, of_record, read, write
from firmware_host.games.octiles.board import WELL
from firmware_host.games.octiles.rules import LAID_BEFORE
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from tests.archive.records.recorder import Recorder
from tests.archive.records.test_every_game import ways_to_play

MODES = [(name, mode, rules) for name, rules in ways_to_play() for mode in GAMES[name].modes]


def record_of(name: str, mode: str, rules: Mapping[str, bool], seed: int, most: int = 300) -> list[str]:
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, f"{name}-0a1b", mode, seed=seed, game=name, rules=rules)
        recorder.finish(corrected=True, most=most)
        lines = list(export(journal, recorder.id))
        journal.close()
    return lines


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**6), st.sampled_from(MODES))
def test_what_is_written_of_a_record_is_read_back_exactly(seed: int, way: tuple[str, str, Mapping[str, bool]]) -> None:
    name, mode, rules = way
    lines = record_of(name, mode, rules, seed)
    written = of_record(lines)
    text = write(written)
    assert read(text) == written
    assert write(read(text)) == text
    *_, (_, replay) = play_again(lines)
    done = [dict(act.actions) for act in written.acts]
    assert done == [dict(moment.actions) for moment in replay.ledger.moments[1:]], "the same actions as in the record"


def test_it_is_for_people_to_read() -> None:
    lines = write(of_record(record_of("spokes", "2", {}, 4))).splitlines()
    assert lines[:5] == ["[Lodestone 1]", "[Game spokes]", "[Mode 2]", "[Player1 Ada]", "[Player2 Grace]"]
    turns = [line for line in lines if line[:1].isdecimal()]
    assert [int(line.partition(".")[0]) for line in turns] == list(range(1, len(turns) + 1)), "a line a turn"
    assert " & " in turns[0]


def test_names_may_hold_anything() -> None:
    written = of_record(record_of("coil", "2", {}, 4, most=5))
    odd = WrittenGame(**{**vars(written), "players": {1: "a]b\\c", 2: "Zoë [x]"}})
    assert read(write(odd)) == odd


GAME = """[Lodestone 1]
[Game coil]
[Mode 2]
[Start {start}]

1. g7
2. {second}
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: expected .Lodestone 1. first; also taken: moves of boardspace.net's Octiles"),
        ("[Lodestone 1]\n[Game chess]\n[Mode 2]\n[Start x]", "chess"),
        ("[Lodestone 1]\n[Game coil]\n[Mode 2]", "Start: the header needs it"),
        (GAME.replace("{second}", "g7"), "line 7: turn 2: g7: .*g7 is not empty"),
        (GAME.replace("{second}", "g8 & g9"), "turn 2: g8 & g9: expected 1 actions joined by &, found 2"),
        (GAME.replace("{second}", "g8 &"), "turn 2: g8 &: & stands between two actions"),
        (GAME.replace("{second}", "& g8"), "turn 2: & g8: & stands between two actions"),
        (GAME.replace("{second}", "g8 & & h8"), "turn 2: g8 & & h8: & stands between two actions"),
        (GAME.replace("{second}", "*ends"), r"\*ends: expected \*resigns:SEAT"),
        (GAME.replace("2. {second}", "3. g8"), "line 7: expected turn 2, found 3"),
        (GAME.replace("{second}", "*resigns:1 g8"), "the game is over before it"),
        ("[:add [9 9]]", "line 1: .*there is no place .9 9."),
        ("[:jump [1 1]] [:add [1 1]]", "expected :add, :move to a place"),
        ("[:move [1 1] [8 0]]", r"\[:move \[1 1\] \[8 0\]\]: "),
        ("Move c 3 7 5 A 3", "line 1: expected Move, Dropb"),
        ("Move c 3 7 5 A 3 F 6", "c3r5:A3-F6: "),
        ("Jump x\nMove c 3 7 5 A 3 B 4", "line 1: expected Move, Dropb"),
    ],
)
def test_refusals_name_the_line_and_what_is_taken(text: str, words: str) -> None:
    start = find_game("coil").text(find_game("coil").start("2"))
    with pytest.raises(RecordError, match=words):
        read(text.replace("{start}", start))


# -- other programs ----------------------------------------------------------------------------------------------------


def site_text(written: WrittenGame, *, steps: bool) -> str:
    """Write a game of Octiles as boardspace.net does, from its rules of text: a command a line, or in its SGF."""
    game = find_game("octiles")
    position = game.parse(written.start or "")
    lines: list[str] = []
    for act in written.acts:
        ((seat, action),) = act.actions
        tile = game.supply(position).piece  # type: ignore[attr-defined]
        position = game.apply(position, {seat: action}).position
        if action == "pass":
            lines.append("Done")
            continue
        laid, _, run = action.partition(":")
        (well, turned), (source, target) = laid.split("r"), run.split("-")
        at, here, there = (" ".join(place) for place in (well, source, target))
        number = len(lines)
        if steps:
            lines += [
                f"; P{seat - 1}[{number} Pick {tile}]", f"; P{seat - 1}[{number} Dropb {at} {tile} 0]",
                f"; P{seat - 1}[{number} Rotate {at} {tile} {turned}]", f"; P{seat - 1}[{number} Pickb {here} 100]",
                f"; P{seat - 1}[{number} Dropb {there} 100 0]", f"; P{seat - 1}[{number} Done]",
            ]  # fmt: skip
        else:
            lines.append(f"{number} Move {at} {tile} {turned} {here} {there}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("mode", "seed", "steps"), [("2", 1, False), ("2", 5, False), ("2", 1, True), ("2", 5, True), ("4", 2, True)]
)
def test_games_of_octiles_on_boardspace_net_are_read(mode: str, seed: int, steps: bool) -> None:
    """A list of moves alone does not tell how many play: there are two."""
    written = of_record(record_of("octiles", mode, {}, seed, most=40))
    acts = tuple(act for act in written.acts if not act.kind)
    found = read(site_text(WrittenGame(**{**vars(written), "acts": acts}), steps=steps))
    assert (found.mode, found.acts) == (mode, acts)
    assert read(write(found)) == found


def test_a_game_of_three_on_boardspace_net_tells_how_its_first_tiles_lay() -> None:
    """No move names them: they follow from the moves as far as these can tell, and lines say the rest."""
    written = of_record(record_of("octiles", "3", {}, 2, most=60))
    acts = tuple(act for act in written.acts if not act.kind)
    text = site_text(WrittenGame(**{**vars(written), "acts": acts}), steps=True)
    faces = find_game("octiles").parse(written.start or "").faces
    laid = [(well, *divmod(faces[WELL[well]], 8)) for well in LAID_BEFORE]
    told = [f"Laid {well[0]} {well[1]} {tile} {turned}\n" for well, tile, turned in laid]
    with pytest.raises(RecordError, match="the moves allow 2 ways in which the two tiles lay before play: say it by"):
        read(text)
    found = read(told[0] + text), read("".join(told) + text)
    assert {(one.mode, one.acts) for one in found} == {("3", acts)}
    assert found[1].start == written.start
    with pytest.raises(RecordError, match="too few moves to tell which tiles lay before play: say it by lines such as"):
        read("\n".join(text.splitlines()[:18]))
    assert read(f"SU[octiles 3 4711]\n{''.join(told)}{acts_alone(text)}").acts == acts, "the SGF tells how many play"
    with pytest.raises(RecordError, match="the moves allow no way in which the two tiles lay"):
        read(f"Laid c 1 {laid[1][1]} 0\nLaid d 1 {laid[0][1]} 0\n{text}")
    with pytest.raises(RecordError, match=r"line 1: expected Move, .*Laid or Resign with its places, found 'Laid a 2"):
        read(f"Laid a 2 1 0\n{text}")


def acts_alone(text: str) -> str:
    """Return the commands of a text without who gives them."""
    return "\n".join(line[line.index("[") + 1 : -1] for line in text.splitlines())


def test_actions_of_phalanx_core_are_read() -> None:
    """Places from the upper left corner; White's first turn has four actions; any hoplite of a line may be named."""
    found = read(
        "[:move [6 6] [5 7]] [:move [7 6] [4 7]]\n(:add (3 7))\n"
        "[:add [3 1]] [:add [3 2]] [:add [4 2]] [:add [4 1]]\n[:add [2 7]]"
    )
    told = [action for act in found.acts for _, action in act.actions]
    assert told == ["G3-F2", "H3-E2", "+D2", "+D8", "+D7", "+E7", "+E8", "+C2"]
    assert found.turns == (1, 1, 1, 2, 2, 2, 2, 3)
    assert read(write(found)) == found


@pytest.mark.parametrize(
    ("turns", "words"),
    [
        ("1. *resigns:2 *draw", "the game is over before it"),
        ("1. *draw *draw", "the game is over before it"),
        ("1. *draw:now", "expected *resigns:SEAT"),
        ("1. *resigns:1 & x", "x"),
        ("1. *resigns:" + "1" * 5000, "expected *resigns:SEAT"),
        ("1" * 5000 + ". *draw", "expected a turn such as"),
    ],
)
def test_a_word_that_ends_a_game_stands_alone_and_last(turns: str, words: str) -> None:
    game = find_game("phalanx")
    head = f"[Lodestone 1]\n[Game phalanx]\n[Mode 2]\n[Start {game.text(game.start('2'))}]\n"
    assert read(f"{head}1. *draw\n").result == "draw agreed"
    with pytest.raises(RecordError, match=re.escape(words)):
        read(f"{head}{turns}\n")


def test_places_far_outside_of_the_board_are_refused() -> None:
    with pytest.raises(RecordError):
        read(f"[:move [{'9' * 5000} 1] [1 1]]\n")


def test_a_game_of_others_reads_texts_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed game with the members of ``ReadsForeign`` is asked, and named where nothing reads a text."""
    coil = find_game("coil")

    class Reading(type(coil)):  # type: ignore[misc]
        foreign = "places between hyphens (-g7-)"

        def read_foreign(self, text: str) -> ForeignGame | None:
            if "-" not in text:
                return None
            steps = [ForeignStep(1, place, lambda _, place=place: place) for place in text.strip("-").split("-")]
            return ForeignGame(coil, coil.start("2"), steps)

    monkeypatch.setattr(forms, "GAMES", {**GAMES, "coil": Reading()})
    assert [act.actions for act in read("-g7-g8-").acts] == [((1, "g7"),), ((2, "g8"),)]
    with pytest.raises(RecordError, match=r"also taken: places between hyphens \(-g7-\), moves of boardspace.net"):
        read("g7")
