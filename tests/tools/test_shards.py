"""The shards of the thorough run are all of it, each unit in one of them; what they show is written down."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
import yaml

from tests import shards
from tests.shards import OLD_DAYS, ROOT, Shards, Shown, cut, wanted


def every_unit(whole: Shards) -> Counter[str]:
    """Return how often each unit runs when all shards do."""
    return Counter(
        f"{part} {file}"
        for shard in range(1, whole.count + 1)
        for part, files in whole.of(shard).items()
        for file in files
    )


def test_the_shards_are_all_of_it_and_nothing_twice() -> None:
    ran = every_unit(Shards())
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")}
    once = {unit.partition(" ")[2] for unit in ran if unit.startswith(("main ", "pi "))}
    assert once == files
    assert set(ran.values()) == {1}
    assert {unit for unit in ran if unit.startswith("pi ")} == {f"pi {file}" for file in files if "tests/pi/" in file}
    assert ran["lint lint"] == 1


def test_the_tests_of_compiled_games_and_searches_run_in_plain_python_too() -> None:
    plain = {unit.removeprefix("plain ") for unit in every_unit(Shards()) if unit.startswith("plain ")}
    makefile = subprocess.run(
        ["make", "--no-print-directory", "--file=-", "told"], input="include Makefile\ntold:\n\t@echo $(COMPILED)\n",
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    games = {Path(folder).name for folder in makefile.stdout.split()} - {"searching"}
    assert {"coil", "octiles", "phalanx", "spokes"} <= games
    tests = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")}
    of_games = {file for file in tests for game in games if re.match(rf"tests/games/test_{game}.*\.py$", file)}
    assert of_games <= plain
    assert {file for file in tests if file.startswith("tests/searching/")} <= plain
    assert {"tests/services/test_engine.py", "tests/services/test_conformance.py"} <= plain


@pytest.mark.thorough
def test_pytest_finds_tests_in_these_files_only() -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-m", "", "-p", "no:cacheprovider"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = {line.partition(": ")[0] for line in told.splitlines() if re.match(r"tests/\S+: \d+$", line)}
    assert files
    assert files == {unit.partition(" ")[2] for unit in Shards().units() if unit.startswith(("main ", "plain ", "pi "))}


def test_no_shard_is_expected_to_take_more_than_forty_minutes_and_two_weeks_have_a_night_for_each() -> None:
    whole = Shards()
    assert whole.count <= OLD_DAYS
    assert max(whole.minutes_of(shard) for shard in range(1, whole.count + 1)) <= 40
    nights = {tuple(wanted("tonight", whole.count, date.fromordinal(740_000 + night))) for night in range(OLD_DAYS)}
    assert len(nights) == whole.count


def test_whoever_uses_a_large_tool_has_it_installed_first() -> None:
    for word, tool in ((r"(?m)^from tests(\.| import .*\b)kicad\b", "need-kicad"),
                       (r"(?m)^from tests\.e2e(\.| import .*\b)engines\b", "need-engines"),
                       (r"(?m)^from tools(\.| import .*\b)tab_site\b", "need-pyodide")):  # fmt: skip
        users = {
            unit for unit in Shards().units()
            if unit.startswith("main ") and re.search(word, (ROOT / unit.split()[1]).read_text(encoding="utf-8"))
        }  # fmt: skip
        assert users
        assert users == {unit for unit in Shards().units() if re.search(shards.LARGE[tool], unit)}


def test_the_largest_are_spread_and_what_belongs_together_stays() -> None:
    costs = {"main tests/a.py": 60.0, "main tests/b.py": 50.0, "main tests/c.py": 40.0, "main tests/d.py": 30.0,
             "pi tests/pi/test_pins.py": 20.0, "pi tests/pi/test_game.py": 20.0}  # fmt: skip
    found = cut(costs, 3)
    loads = Counter[int]()
    for shard, cost in found.values():
        loads[shard] += cost
    assert sorted(loads.values()) == [60, 80, 80]
    assert found["pi tests/pi/test_pins.py"][0] == found["pi tests/pi/test_game.py"][0]


@pytest.mark.parametrize("words", ["3", "0/12", "13/12", "3/11", "three"])
def test_a_shard_that_is_none_is_refused_with_those_that_are(words: str) -> None:
    with pytest.raises(ValueError, match=rf"SHARD={words}: say 1/12 to 12/12, tonight, or red"):
        wanted(words, 12, date(2030, 1, 1))


TEST = """
import os, time
from pathlib import Path
def test_it():
    time.sleep(0.01)  # longer than the limit of shorter runs
    with open("ran", "a") as file:
        file.write(Path(__file__).name + os.environ.get("LODESTONE_PURE", "") + "\\n")
    assert {holds}
"""
FILES = ("table/test_lights", "table/test_turns", "searching/test_playouts", "games/test_coil", "pi/test_pins")


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@b", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small project of the same layout, in git."""
    for file in FILES:
        path = tmp_path / f"tests/{file}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEST.format(holds=file != "table/test_turns"))
    for tool in (*shards.ALWAYS, *shards.LARGE):
        script = tmp_path / "tests" / tool
        script.write_text(f"#!/bin/sh\necho {tool} >>ran\n")
        script.chmod(0o755)
    (tmp_path / "firmware_host/games/coil").mkdir(parents=True)
    (tmp_path / "firmware_host/games/coil/__init__.py").write_text('COMPILED = ("rules",)\n')
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/testing.md").write_text(f"# Testing\n\n{shards.HEAD}| 1/9 | old |\n\nAnd more.\n")
    (tmp_path / "tests/shards.json").write_text('{"count": 3, "units": {}}')
    (tmp_path / "tests/conftest.py").write_text("from tests import sampling\nsampling.register()\n")
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\naddopts = '-p no:cacheprovider'\ntimeout = 0.001\n"
    )
    (tmp_path / "Makefile").write_text("lint:\n\t@echo lint >>ran\n")
    (tmp_path / ".gitignore").write_text("ran\n__pycache__\n.hypothesis\n")
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=first"]):
        git(tmp_path, *words)
    return tmp_path


@pytest.mark.thorough
def test_a_run_takes_each_unit_once_and_writes_down_what_it_has_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name)
    assert shards.main(["--cut=1"], folder) == 0
    assert shards.main(["1/1", "--workers=0"], folder) == 1
    ran = Counter((folder / "ran").read_text().split())
    assert ran == Counter([
        *shards.ALWAYS, "need-qemu", "lint", "test_pins.py", "test_lights.py", "test_turns.py", "test_playouts.py",
        "test_playouts.py1", "test_coil.py", "test_coil.py1",
    ])  # fmt: skip

    told = json.loads((folder / "docs/thorough.json").read_text())
    assert (told["1/1"]["tests"], told["1/1"]["failures"]) == (7, ["main tests/table/test_turns.py::test_it"])
    assert told["1/1"]["commit"] == git(folder, "rev-parse", "--short=8", "HEAD"), (
        "what is written makes no other commit"
    )
    page = (folder / "docs/testing.md").read_text()
    assert page == f"# Testing\n\n{Shards(folder).table()}\nAnd more.\n"
    assert Shards(folder).old(date.today()) == []
    assert set(json.loads((folder / "tests/shards.json").read_text())["units"]) == set(Shards(folder).units())


def test_a_part_of_a_shard_is_not_the_shard(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(Shards, "_call", lambda _, command, *_more: asked.append(list(command)) or 0)
    assert shards.main(["--workers=0", "--args=-k nothing"], folder) == 0
    assert any({"-k", "nothing", "tests/games/test_coil.py"} <= set(command) for command in asked)
    assert not (folder / "docs/thorough.json").exists()


def test_what_was_not_run_for_long_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shards, "OLD_COMMITS", 3)
    whole = Shards(folder)
    first = whole.commit()
    for _ in range(4):
        git(folder, "commit", "--allow-empty", "--quiet", "--message=more")
    today = date(2030, 5, 20)
    shown = {
        "1/3": Shown(1, 0, 1.0, whole.commit(), "2030-05-06", []),
        "2/3": Shown(1, 0, 1.0, first, "2030-05-20", []),
        "3/3": Shown(1, 0, 1.0, "0000000", "2030-05-05", []),
        "4/4": Shown(1, 0, 1.0, "0000000", "2030-05-05", []),
    }
    (folder / "docs/thorough.json").write_text(json.dumps({name: vars(one) for name, one in shown.items()}))
    assert whole.old(today) == ["2/3 (0 days, 4 commits)", "3/3 (15 days, 0 commits)"]
    (folder / "docs/thorough.json").unlink()
    assert shards.main(["--old"], folder) == 0
    assert "1/3 (never), 2/3 (never), 3/3 (never)" in capsys.readouterr().out


def test_a_run_counts_for_the_commit_that_it_began_with(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Shards(folder).commit()

    def work_goes_on(*_: object) -> int:
        git(folder, "commit", "--allow-empty", "--quiet", "--message=more")
        return 0

    monkeypatch.setattr(Shards, "_call", work_goes_on)
    assert Shards(folder).run(1, workers=0)
    assert Shards(folder).shown()["1/3"].commit == first != Shards(folder).commit()


def test_a_run_that_was_ended_says_so_beside_its_red_tests(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(_: Shards, command: list[str], *_more: object) -> int:
        for report in (word.removeprefix("--junitxml=") for word in command if word.startswith("--junitxml=")):
            Path(report).write_text('<a><testcase classname="tests.test_it" name="test_it"><failure/></testcase></a>')
            return 2
        return 0

    monkeypatch.setattr(Shards, "_call", ended)
    assert not Shards(folder).run(1, workers=0)
    assert Shards(folder).shown()["1/3"].failures == ["main tests/test_it.py::test_it", "main: pytest ended with 2"]


def test_what_was_red_is_run_by_itself_and_its_row_says_when_it_passed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Red at first: a test of the parts "main" and "plain", a benchmark, and a run that was ended."""
    mended, red = {"main tests/test_a.py::test_it[x, y]": ""}, ["plain tests/test_b.py::test_it", "bench bench_long"]
    shown = {
        "1/3": Shown(9, 0, 1.0, "0000000", "2030-05-06", [*mended, *red]),
        "2/3": Shown(9, 0, 1.0, "0000000", "2030-05-06", ["main: pytest ended with 2"], {"main tests/c.py::c": "aaa"}),
    }
    (folder / "docs/thorough.json").write_text(json.dumps({name: vars(one) for name, one in shown.items()}))
    asked: list[list[str]] = []

    def ran(_: Shards, command: list[str], env: dict[str, str] | None = None) -> int:
        asked.append(list(command))
        for report in (word.removeprefix("--junitxml=") for word in command if word.startswith("--junitxml=")):
            Path(report).write_text(
                '<a><testcase classname="tests.test_b" name="test_it"><failure/></testcase></a>'
                if env and "LODESTONE_PURE" in env
                else '<a><testcase classname="tests.test_a" name="test_it[x, y]"/></a>'
            )
            return int(env is not None and "LODESTONE_PURE" in env)
        return 1

    monkeypatch.setattr(Shards, "_call", ran)
    assert shards.main(["red", "--workers=0"], folder) == 1
    assert [command[-1] for command in asked] == [
        "tests/test_a.py::test_it[x, y]",
        "tests/test_b.py::test_it",
        "bench_long",
    ]
    first, second = (Shards(folder).shown()[name] for name in ("1/3", "2/3"))
    commit = Shards(folder).commit()
    assert (first.commit, first.failures, first.mended) == ("0000000", red, dict.fromkeys(mended, commit))
    assert (second.failures, second.mended) == (["main: pytest ended with 2"], {"main tests/c.py::c": "aaa"})
    assert f"| 1/3 | 9 | 0 | 1.0 | 0000000 | 2030-05-06 | 2 | 1 at {commit} |" in Shards(folder).table()


def test_a_red_test_that_is_gone_leaves_all_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pytest runs nothing then."""
    shown = Shown(9, 0, 1.0, "0000000", "2030-05-06", ["main tests/gone.py::test_it", "main tests/b.py::test_it"])
    (folder / "docs/thorough.json").write_text(json.dumps({"1/3": vars(shown)}))
    monkeypatch.setattr(Shards, "_call", lambda *_: 4)
    assert shards.main(["red", "--workers=0"], folder) == 1
    assert Shards(folder).shown() == {"1/3": shown}


def test_the_page_has_the_table_of_what_was_shown() -> None:
    assert Shards().table() in (ROOT / "docs/testing.md").read_text(encoding="utf-8")


def test_a_workflow_runs_the_shard_of_each_night_on_both_kinds_of_machine() -> None:
    told = yaml.safe_load((ROOT / ".github/workflows/thorough.yml").read_text(encoding="utf-8"))
    job = told["jobs"]["shard"]
    assert job["strategy"]["matrix"]["machine"] == ["ubuntu-24.04", "ubuntu-24.04-arm"]
    assert job["env"]["SHARD"].endswith("|| 'tonight' }}")
    (when,) = told[True]["schedule"]  # YAML reads the word "on" as true.
    assert when["cron"].endswith(" * * *")
