"""The arena: games follow from the seed, add up over runs, and are counted by a referee who believes no player."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.commands.cli import main
from firmware_host.extensions.lab import arena_command
from firmware_host.extensions.lab.arena import players
from firmware_host.extensions.lab.arena import run as arena_run
from firmware_host.extensions.lab.arena.match import Course, Match, open_course
from firmware_host.extensions.lab.arena.referee import dismiss, play, score, try_players
from firmware_host.extensions.lab.arena.results import ResultsFile
from firmware_host.extensions.lab.arena.run import run
from firmware_host.games import registry
from firmware_host.games.game import Status
from firmware_host.link import mass_work
from firmware_host.link.mass_work import Workers
from firmware_host.text.words import Refused
from tests.extensions.lab.cluster import dask_cluster
from tests.games.nim import Nim
from tests.sampling import cases, together

PLAYER = """
import json, sys
from random import Random
from firmware_host.games.registry import game
for line in sys.stdin:
    asked = json.loads(line)
    found = game(asked["game"])
    action = found.random_action(found.parse(asked["position"]), asked["seat"], Random(asked["seed"]))
    print(json.dumps({"id": asked["id"], "ok": True, "action": ACTION, "nodes": 7}), flush=True)
"""


@pytest.fixture(autouse=True)
def _nim(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "GAMES", {**registry.GAMES, "nim": Nim()})
    yield
    dismiss()


def nim(a: str = "level:3", b: str = "random", **fields: Any) -> Match:
    return Match("nim", "2", a, b, **{"opening": 1, **fields})


# -- games -------------------------------------------------------------------------------------------------------------


def test_a_game_follows_from_seed_opening_and_side() -> None:
    for opening in range(5):
        for team in (0, 1):
            one, again = (play(nim(), opening, team) for _ in range(2))
            for result in (one, again):
                for side in ("a", "b"):
                    del result[side]["seconds"]
            assert one == again
    assert {open_course(Nim(), nim(seed=seed), 0).position.left for seed in range(20)} == {9, 10, 11}


def test_the_exact_player_wins_what_can_be_won() -> None:
    for opening in range(20):
        game = Nim()
        lost = open_course(game, nim(), opening).position
        first = play(nim("level:3", "level:3"), opening, 0)
        # One action has been done, so seat 2 is to move; a multiple of four is lost for it.
        assert first["score"] == (1.0 if lost.left % 4 == 0 else 0.0)
        assert first["reason"] == "last"
        assert first["a"]["moves"] + first["b"]["moves"] == first["actions"]
        assert first["a"]["nodes"] > 0


def test_what_is_not_legal_loses_and_is_told(tmp_path: Path) -> None:
    cheat = tmp_path / "cheat.py"
    cheat.write_text("def choose(game, position, seat, rng):\n    return 'take4' if position.left < 8 else 'take1'\n")
    for team in (0, 1):
        result = play(nim(f"peer:{cheat}", "random"), 0, team)
        assert (result["score"], result["reason"]) == (0.0, "fault")
        assert "take4" in result["fault"]


def test_what_crashes_loses_and_the_match_goes_on(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def choose(game, position, seat, rng):\n    raise RuntimeError('out of ideas')\n")
    assert play(nim("random", f"peer:{broken}"), 0, 0)["score"] == 1.0
    with pytest.raises(Refused, match="out of ideas"):
        try_players(nim(f"peer:{broken}", "random"))


def test_threads_of_a_process_play_one_after_the_other(tmp_path: Path) -> None:
    """They share the players: an engine answers one question at a time, and a search has one board."""
    peer = tmp_path / "alone.py"
    peer.write_text(
        "import time\n"
        "playing = []\n"
        "def choose(game, position, seat, rng):\n"
        "    playing.append(seat)\n"
        "    time.sleep(0.01)\n"
        "    if len(playing) > 1:\n"
        "        raise RuntimeError('two games at once')\n"
        "    return playing.pop() and 'take1'\n"
    )
    match = nim(f"peer:{peer}", f"peer:{peer}")
    with ThreadPoolExecutor(2) as threads:
        results = list(threads.map(lambda opening: play(match, opening, 0), range(4)))
    assert [result["fault"] for result in results] == [None] * 4


def test_a_game_without_an_end_is_left_as_a_draw() -> None:
    result = play(Match("phalanx", "2", "random", "random", longest=30), 0, 0)
    assert (result["score"], result["reason"], result["actions"]) == (0.5, "unfinished", 30)


def test_repeated_positions_and_passes_are_counted(tmp_path: Path) -> None:
    idle = tmp_path / "idle.py"
    idle.write_text("def choose(game, position, seat, rng):\n    return 'end'\n")
    result = play(Match("phalanx", "2", f"peer:{idle}", f"peer:{idle}", opening=0), 0, 0)
    assert result["passes"] == result["actions"] > 0


@pytest.mark.parametrize(("mode", "sides"), [("2", 2), ("4", 4), ("2v2", 2)])
def test_any_number_of_seats(mode: str, sides: int) -> None:
    match = Match("spokes", mode, "random", "random", opening=1)
    assert len(match.teams) == sides
    moves = [play(match, 0, team) for team in range(sides)]
    for result in moves:
        assert result["reason"] in match.open_game().endings
        assert result["a"]["moves"] > 0
        assert result["b"]["moves"] > result["a"]["moves"] * (sides - 2) / 2


def test_shared_wins_are_shared() -> None:
    teams = ((1,), (2,), (3,))
    assert score(Status(over=True, winners=(2,)), (2,), teams) == 1.0
    assert score(Status(over=True, winners=(2,)), (1,), teams) == 0.0
    assert score(Status(over=True, winners=(1, 2)), (1,), teams) == 0.5
    assert score(Status(over=True), (1,), teams) == pytest.approx(1 / 3)
    assert score(Status(over=False), (1,), teams[:2]) == 0.5


# -- players -----------------------------------------------------------------------------------------------------------


@together(
    ("named", "words"),
    [
        ("level:4", "expected a number from 1 to 3"),
        ("level:", "expected a number from 1 to 3"),
        ("level:٣", "expected a number from 1 to 3"),
        ("strong", "expected level:NUMBER, random, peer:NAME or engine:COMMAND"),
        ("peer:nobody", "there is no file"),
        ("level:3:nodes", "expected some of nodes=NUMBER, depth=NUMBER"),
        ("level:3:speed=2", "expected some of nodes=NUMBER, depth=NUMBER"),
        ("level:3:nodes=0", "nodes: expected a whole number from 1, got '0'"),
        ("level:3:nodes=-5", "nodes: expected a whole number from 1, got '-5'"),
        ("level:3:width=-1", "width: expected a whole number from 0, got '-1'"),
        ("level:3:depth=1.5", "depth: expected a whole number from 0, got '1.5'"),
        ("level:3:seconds=long", "seconds: expected a number from 0, got 'long'"),
        ("level:3:spread=nan", "spread: expected a number from 0, got 'nan'"),
        ("level:3:spread=-1", "spread: expected a number from 0, got '-1'"),
        ("level:3:spread=inf", "spread: expected a number from 0, got 'inf'"),
        ("peer:coil_rave:nodes=many", "expected a number of nodes"),
        ("peer:spokes_greedy:nodes=5", "expected a number of nodes"),
        ("engine:", "there is no such program"),
        ("engine:no-such-program --fast", "there is no such program"),
        ("engine:'", "No closing quotation"),
    ],
)
def test_players_and_limits_that_there_are_not(named: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        try_players(nim(named))


def test_a_level_with_other_limits_is_another_player() -> None:
    limited = nim("level:3:nodes=7,spread=0.5", "level:3")
    first, second = try_players(limited)
    assert first.startswith("7 ")
    assert first != second == try_players(nim("level:3:nodes=1000000"))[0].replace("1000000", second.split()[0], 1)
    timed = try_players(nim("level:3:seconds=0.5", "level:3"))[0]
    assert timed.startswith(f"{players.MAX_NODES} ")
    assert timed.split()[5] == "0.5"
    smaller = [players.contestant(f"peer:coil_rave:nodes={nodes}", registry.game("coil"), limited) for nodes in (3, 40)]
    assert smaller[0].mark != smaller[1].mark


def test_a_game_from_outside_is_another_version_when_a_module_beside_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/adding-a-game.md has it: a game is a module, and another one builds on it."""
    base, derived = tmp_path / "outside_base.py", tmp_path / "outside_derived.py"
    base.write_text("from tests.games.nim import Nim\nclass Base(Nim):\n    most = 3\n")
    derived.write_text("from outside_base import Base\nclass Derived(Base):\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        game = importlib.import_module("outside_derived").Derived()
        before = players.LevelPlayer(game, "1", game.modes[0]).mark
        base.write_text(f"# A comment.\n{base.read_text()}")
        assert players.LevelPlayer(game, "1", game.modes[0]).mark == before
        base.write_text(base.read_text().replace("3", "4"))
        assert players.LevelPlayer(game, "1", game.modes[0]).mark != before
    finally:
        for name in ("outside_base", "outside_derived"):
            sys.modules.pop(name, None)


def test_a_peer_beside_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "somewhere" / "tools" / "peers"
    folder.mkdir(parents=True)
    (folder / "last.py").write_text(
        "def choose(game, position, seat, rng):\n    return game.actions(position)[seat][-1]\n"
    )
    (folder / "empty.py").write_text("")
    monkeypatch.setattr(players, "PEERS", folder)
    monkeypatch.setattr(players.importlib, "import_module", lambda name: _module(folder, name))
    assert players.peers() == ["empty", "last"]
    assert (
        players.contestant("peer:last", Nim(), nim()).choose(Course(Nim(), Nim().start("2")), 1, Random(1)).action
        == "take3"
    )
    with pytest.raises(Refused, match="has no choose"):
        players.contestant("peer:empty", Nim(), nim())
    with pytest.raises(Refused, match="there are empty, last"):
        players.contestant("peer:other", Nim(), nim())


def _module(folder: Path, name: str) -> Any:
    spec = players.importlib.util.spec_from_file_location(name, folder / f"{name.rpartition('.')[2]}.py")
    assert spec is not None
    assert spec.loader is not None
    module = players.importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _engine(tmp_path: Path, action: str) -> str:
    program = tmp_path / "program.py"
    program.write_text(PLAYER.replace("ACTION", action))
    return f"engine:{sys.executable} {program}"


def test_any_program_that_speaks_play(tmp_path: Path) -> None:
    match = Match("phalanx", "2", _engine(tmp_path, "action"), "random", longest=20)
    assert try_players(match) == ("", "")
    result = play(match, 0, 0)
    assert result["fault"] is None
    assert result["a"]["nodes"] == 7 * result["a"]["moves"] > 0
    match = Match("phalanx", "2", _engine(tmp_path, "5"), "random", seconds=1)
    with pytest.raises(Refused, match="expected a text, got 5"):
        try_players(match)


@pytest.mark.parametrize(
    ("game", "mode"), cases([("spokes", "2"), ("phalanx", "2"), ("coil", "2"), ("octiles", "3")], ("octiles", "3"))
)
def test_our_engine_plays_as_the_level_does(game: str, mode: str) -> None:
    """It knows what came before, and of a stack what a seat knows: from there on every action is the same."""
    match = Match(game, mode, "level:5:nodes=300", f"engine:{sys.executable} -m firmware_host engine", seed=4)
    played = match.open_game()
    course, engine = open_course(played, match, 0), players.contestant(match.b, played, match)
    asked: list[dict[str, Any]] = []
    child = engine._child  # type: ignore[attr-defined]
    answer_of = child.ask

    def ask(request: dict[str, Any], seconds: float) -> Any:
        asked.append({**request, "nodes": 300})
        return answer_of(asked[-1], seconds)

    child.ask = ask
    try:
        for number in range(12):
            chosen = {}
            for seat in sorted(played.actions(course.position)):
                seed = Random(number).getrandbits(62)
                level = players.contestant(match.a, played, match).choose(course, seat, Random(seed))
                chosen[seat] = engine.choose(course, seat, Random(number)).action
                assert chosen[seat] == level.action
            if course.go_on(chosen).status.over:
                break
    finally:
        engine.close()
    assert [one["new_game"] for one in asked] == [True] + [False] * (len(asked) - 1)
    if game == "octiles":  # The program can't know more than the seat: the same stack whatever lies hidden in it.
        hidden = asked[0]["position"].split(" ")[2].split(",")[1:]
        assert hidden[: course.start.unseen] == sorted(hidden[: course.start.unseen], key=int)


# -- results -----------------------------------------------------------------------------------------------------------


def test_what_was_played_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, match = tmp_path / "new folder" / "results.jsonl", nim()
    assert run(ResultsFile(out, match), 6).tally.games == 6
    first = out.read_text()
    found = run(ResultsFile(out, match), 10)
    assert found.tally.games == 10
    assert out.read_text().startswith(first)
    assert len(out.read_text().splitlines()) == 10
    monkeypatch.setattr(arena_run, "play", lambda *_: pytest.fail("nothing is left to play"))
    assert run(ResultsFile(out, match), 10) == found


def test_files_add_up_and_other_matches_stay_apart(tmp_path: Path) -> None:
    one, other, both = (tmp_path / name for name in ("one", "other", "both"))
    run(ResultsFile(one, nim(seed=1)), 4)
    run(ResultsFile(other, nim(seed=1)), 8)
    run(ResultsFile(other, nim(seed=2)), 4)
    run(ResultsFile(other, nim(seed=1, marks=("a newer version", ""))), 2)
    both.write_text(one.read_text() + other.read_text())
    assert len(both.read_text().splitlines()) == 4 + 8 + 4 + 2
    assert len(ResultsFile(both, nim(seed=1)).rows) == 8
    assert len(ResultsFile(both, nim(seed=2)).rows) == 4


def test_matches_share_a_file(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    one, other = ResultsFile(out, nim(seed=1)), ResultsFile(out, nim(seed=2))
    for games in (2, 4, 6):
        run(one, games)
        run(other, games)
    assert len(ResultsFile(out, one.match).rows) == len(ResultsFile(out, other.match).rows) == 6


def test_half_a_line_of_a_run_that_was_killed_loses_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    run(ResultsFile(out, nim()), 3)
    out.write_text(out.read_text() + '{"match": "00')
    assert run(ResultsFile(out, nim()), 5).tally.games == 5
    assert len(ResultsFile(out, nim()).rows) == 5
    out.write_text("half\n" + out.read_text())
    with pytest.raises(Refused, match="line 1: expected a JSON object"):
        ResultsFile(out, nim())


def test_a_sequential_test_stops_early_and_looks_at_whole_openings_only(tmp_path: Path) -> None:
    results = ResultsFile(tmp_path / "results.jsonl", nim())
    found = run(results, 2000, test=(0, 200))
    assert found.decision == "stronger"
    assert found.tally.games < 200
    assert found.tally.games % 2 == 0
    del results.rows[2, 0]
    assert len(results.whole()) == 4


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_says_who_is_stronger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["arena", "nim", "level:3", "random", "--opening", "1", "--workers", "1", "--games", "40"]
    call += ["--out", str(tmp_path / "x.jsonl")]
    assert main(call) == 0
    said = capsys.readouterr().out
    assert "nim, mode 2: level:3 against random, 40 games (seed 1)" in said
    assert "Elo +" in said
    assert main([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["games"] == 40 == found["won"] + found["drawn"] + found["lost"]
    assert found["elo_95"][0] < found["elo"] < found["elo_95"][1]
    assert found["a"]["nodes_a_move"] > 1 > found["b"]["nodes_a_move"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["chess", "random", "random"], "game: expected one of"),
        (["nim", "random", "random", "--mode", "7"], "7"),
        (["nim", "random", "random", "--rule", "flying"], "flying"),
        (["nim", "random", "random", "--test", "50", "0"], "expected LOW below HIGH"),
        (["nim", "random", "random", "--opening", "100"], "ask for fewer"),
        (["nim", "level:9", "random"], "expected a number from 1 to 3"),
        (["nim", "random", "random", "--out", "/dev/null/x"], "can't be read and written"),
        (["nim", "random", "random", "--scheduler", "tcp://127.0.0.1:1"], "--scheduler: "),
    ],
)
def test_a_wrong_call_is_refused_in_a_sentence(
    call: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LODESTONE_DATA", str(tmp_path))
    monkeypatch.setattr(mass_work, "PATIENCE_S", 0.5)
    assert main(["arena", *call]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said


def test_without_dask_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Refused, match=r"pip install 'lodestone-board\[cluster\]'"):
        run(ResultsFile(tmp_path / "x", nim()), 2, workers=Workers(1, "tcp://127.0.0.1:8786"))


@pytest.mark.thorough
def test_many_processes_play_the_same_games(tmp_path: Path) -> None:
    match = Match("phalanx", "2", "random", "random", longest=50)
    alone = run(ResultsFile(tmp_path / "one", match), 6)
    together = ResultsFile(tmp_path / "two", match)
    assert run(together, 6, workers=Workers(2)).tally == alone.tally
    assert set(together.rows) == {(opening, team) for opening in range(3) for team in (0, 1)}


@pytest.mark.thorough
def test_a_dask_cluster_plays_the_same_games(tmp_path: Path) -> None:
    match = replace(Match("phalanx", "2", "random", "random"), longest=50)
    alone = run(ResultsFile(tmp_path / "one", match), 4)
    with dask_cluster(1) as cluster:
        found = run(ResultsFile(tmp_path / "two", match), 4, workers=Workers(1, cluster.address))
    assert found.tally == alone.tally


def test_a_match_that_is_stopped_before_its_first_game_has_no_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(arena_command, "run", stopped)
    call = ["arena", "coil", "random", "random", "--out", str(tmp_path / "games.jsonl")]
    assert main(call) == 130
    told = capsys.readouterr()
    assert "the same command goes on" in told.err
    assert ", 0 games (seed 1)" in told.out
    assert "Elo" not in told.out
    assert "score" not in told.out
