"""The command starts with Lodestone's own packages, or says which other ones hide them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_host import __main__
from firmware_host.__main__ import hidden_packages
from firmware_host.commands import cli
from firmware_host.games.registry import game as find_game
from tests import forked

LODESTONE = Path(sys.executable).parent / "lodestone"


def test_here_nothing_is_hidden() -> None:
    assert hidden_packages() == []


@pytest.mark.parametrize(("name", "file"), [("hw", "hw/__init__.py"), ("simulator", "simulator.py")])
def test_a_package_that_hides_ours_is_named_with_its_place_and_the_remedy(tmp_path: Path, name: str, file: str) -> None:
    other = tmp_path / file
    other.parent.mkdir(exist_ok=True)
    other.write_text("VERSION = 1\n")
    done = subprocess.run(
        [LODESTONE, "--version"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"package '{name}'" in done.stderr
    assert f"hidden by {tmp_path / file.split('/', maxsplit=1)[0]}" in done.stderr
    assert "environment of its own" in done.stderr


def test_a_game_is_held_against_its_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["selftest", "coil", "--games", "1"]) == 0
    assert capsys.readouterr().out.startswith("mode 2, seed 0: ")
    assert cli.main(["selftest", "juggling"]) == 1
    assert "juggling" in capsys.readouterr().err


def test_a_broken_promise_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(type(find_game("coil")), "turn", lambda self, position: -1)
    assert cli.main(["selftest", "coil"]) == 1
    assert "lodestone: coil, mode 2, seed 0: turn" in capsys.readouterr().err


def test_an_evening_is_recorded_and_played_again(tmp_path: Path) -> None:
    evening = tmp_path / "evening.jsonl"
    lines = '{"do": "open", "game": "coil"}\n{"do": "tick", "time": 1}\n{"do": "juggle"}\n'
    first, again = (forked.run("table", *words, given=given) for words, given in (
        (("--record", str(evening)), lines), ((), lines)))  # fmt: skip
    assert evening.read_text() == lines
    assert first.stdout == again.stdout
    refused = forked.run("table", "--record", str(evening), given=lines)
    assert refused.returncode == 1
    assert "is there already" in refused.stderr
    assert evening.read_text() == lines


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("board power spokes-45 >&-", 0),
        ("record list --data {data} >&-", 1),
        ("record list --data {data} 2>&-", 1),
        ("engine <&-", 0),
        ("table <&- >&- 2>&-", 0),
    ],
)
def test_a_closed_stream_is_one_from_which_nothing_comes_and_to_which_nothing_goes(
    tmp_path: Path, words: str, code: int
) -> None:
    line = f"{LODESTONE} {words.format(data=tmp_path)}"
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr, "rror" in done.stderr) == (code, False, False)


def test_ctrl_c_while_the_program_is_imported_ends_it_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(__main__, "hidden_packages", stopped)
    assert __main__.main() == 130
    assert capsys.readouterr().err == "lodestone: stopped\n"
