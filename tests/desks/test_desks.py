"""The whole program on desks that are not Linux: without what macOS or Windows lacks (``site/absent.py``)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_host.archive.journal import Journal
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from tests.archive.journal.journals import AT, HEAD
from tests.e2e.program import Program
from tests.forked import Separate
from tests.sampling import cases
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.linux  # It takes away what Linux has.

SITE = Path(__file__).parent / "site"
ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "docs/templates"
DESKS = ("macos", "windows")
SHORT = 6
"""So many actions are enough to tell that a game is played, and goes on after a kill."""


def environment(desk: str) -> dict[str, str]:
    return {**os.environ, "LODESTONE_DESK": desk, "PYTHONPATH": str(SITE)}


def run(desk: str, words: Sequence[str], told: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(
        command, input=told, env=environment(desk), capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


class DeskProgram(Program):
    """``lodestone play`` on another desk, where simulated hands move the computers' pieces at once."""

    def __init__(self, desk: str, data: Path, *options: str) -> None:
        super().__init__(data, "--hands", "computer", "--pause", "0", *options)
        self.desk = desk

    def run(self, *words: str) -> Any:
        return Separate(environment(self.desk), self.data.parent / "printed", *words)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE_S)


Begin = Callable[[str, str], DeskProgram]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    begun: list[DeskProgram] = []

    def begin(desk: str, game: str) -> DeskProgram:
        begun.append(DeskProgram(desk, tmp_path / "data", "--game", game))
        begun[-1].start()
        seat_computers(begun[-1], game)
        return begun[-1]

    yield begin
    for one in begun:
        one.kill()


def seat_computers(program: Program, game: str) -> None:
    for seat in find_game(game).seats(find_game(game).modes[0]):
        status, answer = program.as_host("computer", seat=seat, level=1)
        assert status == 200, answer
    program.start_game()


def done(program: Program) -> int:
    return len(program.state()["log"])


ALL = [(desk, game) for desk in DESKS for game in GAMES]
FIRST = [("windows", "phalanx")]


@pytest.mark.parametrize(("desk", "game"), cases(ALL, *FIRST))
def test_a_game_goes_on_after_a_kill(desk: str, game: str, begin: Begin) -> None:
    """Two computers play, simulated hands move the pieces; the program is killed in between."""
    begun = begin(desk, game)
    eventually(lambda: done(begun) >= SHORT, "the first actions")
    begun.kill()
    begun.start("--resume")
    before = done(begun)
    eventually(lambda: done(begun) > before + 1 or begun.state()["phase"] == "over", "the game goes on")


@pytest.mark.thorough
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(("desk", "game"), ALL)
def test_a_whole_game(desk: str, game: str, begin: Begin) -> None:
    begun = begin(desk, game)
    eventually(lambda: begun.state()["phase"] == "over", "the game's end", 2400)
    assert begun.state()["result"]
    begun.kill()
    verified = run(desk, ["-m", "firmware_host", "record", "list", "--data", str(begun.data)])
    assert verified.returncode == 0, verified.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("desk", DESKS)
def test_services_answer(desk: str) -> None:
    lines = [
        {"do": "status", "game": "coil", "position": find_game("coil").text(find_game("coil").start("2"))},
        {"do": "stop"},
    ]
    told = "".join(json.dumps(line) + "\n" for line in lines)
    engine = run(desk, ["-m", "firmware_host", "engine"], told)
    assert [json.loads(line)["ok"] for line in engine.stdout.splitlines()] == [True, True], engine.stderr
    table = run(desk, ["-m", "firmware_host", "table"], '{"do": "open", "game": "spokes", "mode": "2"}\n')
    assert json.loads(table.stdout)["ok"], table.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("desk", DESKS)
def test_a_game_is_held_against_its_contract(desk: str) -> None:
    done = run(desk, ["-m", "firmware_host", "selftest", "coil"])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("desk", DESKS)
@pytest.mark.parametrize("name", sorted(path.name for path in TEMPLATES.iterdir()))
def test_the_kits_templates_pass_their_own_tests(name: str, desk: str, tmp_path: Path) -> None:
    """They are found as installed packages are, by what a distribution beside them says."""
    theirs = tmp_path / name
    shutil.copytree(TEMPLATES / name, theirs)
    project = tomllib.loads((theirs / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = theirs / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    lines = (
        line
        for group, found in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{one} = {where}" for one, where in found.items()))
    )
    (installed / "entry_points.txt").write_text("\n".join(lines))
    paths = os.pathsep.join([str(SITE), str(theirs)])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={theirs}", str(theirs)],
        cwd=theirs, env={**environment(desk), "PYTHONPATH": paths}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("desk", ["windows", pytest.param("macos", marks=pytest.mark.thorough)])
def test_games_are_restored_into_a_missing_an_empty_and_a_used_folder(desk: str, tmp_path: Path) -> None:
    data, file = tmp_path / "games", tmp_path / "all.zip"
    with closing(Journal(data / "journal.sqlite")) as journal:
        journal.append("g1", "game", HEAD, AT)
        journal.append("g1", "start", {}, AT)
    made = run(desk, ["-m", "firmware_host", "backup", str(file), "--data", str(data)])
    assert made.returncode == 0, made.stderr
    (tmp_path / "empty").mkdir()
    for name, options in (("missing", []), ("empty", []), ("games", ["--replace"])):
        words = ["restore", str(file), "--data", str(tmp_path / name), *options]
        done = run(desk, ["-m", "firmware_host", *words])
        assert done.returncode == 0, done.stderr
        with closing(Journal(tmp_path / name / "journal.sqlite", writer=False)) as journal:
            assert journal.length == 2
    (kept,) = tmp_path.glob("games.before-*")
    assert (kept / "journal.sqlite").is_file()
    assert {path.name for path in tmp_path.iterdir()} == {"all.zip", "empty", "games", "missing", kept.name}
    with closing(Journal(data / "journal.sqlite")):
        done = run(desk, ["-m", "firmware_host", "restore", str(file), "--data", str(data), "--replace"])
        assert "another program" in done.stderr


@pytest.mark.parametrize("desk", DESKS)
def test_what_a_desk_lacks_is_really_away(desk: str, tmp_path: Path) -> None:
    """Without this all of the above would prove nothing."""
    (tmp_path / "firmware_host").mkdir()
    probe = tmp_path / "probe.py"
    probe.write_text("import os\nprint(hasattr(os, 'fdatasync'), hasattr(os, 'getpid'))\n")
    told = run(desk, ["-c", f"exec(compile(open({str(probe)!r}).read(), 'probe', 'exec'), {{'__name__': 'hw.probe'}})"])
    assert told.stdout.split() == ["False", "True"], told.stderr
