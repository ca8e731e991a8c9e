"""The command line: what is refused, with which words, and that nothing has changed then."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_host.archive.data_folder import Listening, save_address
from firmware_host.boardfile.load import find_board, load_board
from firmware_host.commands.cli import main, parser_of_verbs
from firmware_host.services import engine, table_protocol
from tests import forked
from tests.parsers import options_of
from tests.sampling import some

LODESTONE = str(Path(sys.executable).parent / "lodestone")


def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return forked.run(*words, given=stdin)


def refused(*words: str) -> str:
    done = run(*words)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_the_installed_command_is_the_one_that_is_tested() -> None:
    for words in some((["play", "--mode", "7"], ["--version"], ["juggle"]), 3):
        done = subprocess.run([LODESTONE, *words], capture_output=True, text=True, timeout=200, check=False)
        forked_one = run(*words)
        assert (done.returncode, done.stdout, done.stderr) == (
            forked_one.returncode,
            forked_one.stdout,
            forked_one.stderr,
        )


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("lodestone 0.")
    assert "play" in run("--help").stdout
    assert run("--help").stdout.split("\n\n")[1].startswith("Lodestone plays games on sensor boards")
    assert run("juggle").returncode == 2


def test_engine_speaks_the_protocol() -> None:
    answers = run("engine", stdin='{"do": "games", "id": 1}\nrubbish\n').stdout.splitlines()
    assert json.loads(answers[0])["games"]["spokes"] == ["2", "4", "2v2"]
    assert json.loads(answers[1])["error"]["code"] == "bad_json"


def test_a_program_that_runs_for_hours_holds_nothing_of_what_other_verbs_need() -> None:
    text = "import sys; from firmware_host.commands.cli import main; main(['table']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], input="", capture_output=True, text=True, check=True)
    assert "firmware_host.commands.cli" in done.stdout
    held = [name for name in done.stdout.split() if name.startswith("firmware_host.extensions.")]
    assert [name for name in held if name.endswith((".command", ".commands", "_command", ".soak", ".kicad"))] == []
    assert run("board", "--help").returncode == 0


@pytest.mark.parametrize("words", [["engine"], ["table"]])
def test_ctrl_c_ends_any_verb_without_a_traceback(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    for module, name in ((engine, "serve"), (table_protocol, "serve")):
        monkeypatch.setattr(module, name, stopped)
    assert main(words) == 130
    assert capsys.readouterr().err == "lodestone: stopped\n"


def test_a_taken_port_is_refused_and_nothing_is_begun(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = refused("play", "--host", "127.0.0.1", "--port", str(port), "--data", str(tmp_path / "games"))
    assert f"port {port}" in message
    assert "--port" in message
    assert not (tmp_path / "games").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--mode", "7"], "expected one of 2, 4, 2v2"),
        (["--board", "nowhere"], "expected sim, a file, or one of go-9x9, hexhex-7, "),
        (["--board", "nowhere.toml"], "no such file"),
        (["--port", "80", "--host", "1.1.1.1"], "port 80: Cannot assign requested address. Choose another with --host"),
        (
            ["--game", "octiles", "--kind", "polarity"],
            "octiles-189 is wired with nine sensors in a well: it can't be 'polarity', only 'coded' (leave --kind out)",
        ),
        (["--board", "spokes-45", "--kind", "level"], "--kind is for simulated boards"),
        (["--board", "spokes-45"], "--board sim"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, words: list[str], reason: str) -> None:
    assert reason in refused(
        "play", "--data", str(tmp_path), *(["--port", "0"] if "--port" not in words else []), *words
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["play", "--port", "99999"], "--port: expected a whole number from 0 to 65535, got '99999'\n"),
        (["play", "--port", "-1"], "--port: expected a whole number from 0 to 65535, got '-1'\n"),
        (["play", "--port", "abc"], "--port: expected a whole number from 0 to 65535, got 'abc'\n"),
        (["host", "--port", "0"], "--port: expected a whole number from 1 to 65535, got '0'\n"),
        (["card", "--pdf", "c.pdf", "--port", "99999"], "--port: expected a whole number from 1 to 65535, got '99999'"),
        *((["play", "--demo", "--pause", one], f"--pause: expected seconds from 0 to 3600, got '{one}'\n")
          for one in ("inf", "1e12", "nan", "-1", "")),
        (["replay", "x", "--pace", "0"], "--pace: expected seconds from 0.05 to 60, got '0'\n"),
        (["replay", "x", "--pace", "nan"], "--pace: expected seconds from 0.05 to 60, got 'nan'\n"),
        (["hardware", "monitor", "--seconds", "nan"], "--seconds: expected seconds from 0 to "),
        (["hardware", "monitor", "--seconds", "-1"], "--seconds: expected seconds from 0 to "),
        (["play", "--seed", "1.5"], "--seed: expected a whole number, got '1.5'\n"),
        (["selftest", "coil", "--games", "0"], "--games: expected a whole number from 1, got '0'\n"),
        (["arena", "coil", "a", "b", "--opening", "-1"], "--opening: expected a whole number from 0, got '-1'"),
        (["puzzles", "today", "--date", "2026-02-30"], "--date: expected a day of the calendar as YYYY-MM-DD, got"),
    ],
)  # fmt: skip
def test_numbers_that_cannot_be_are_wrong_usage_in_words(words: list[str], reason: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert reason in done.stderr


@pytest.mark.parametrize("given", ["", "a b", "http://games.example", "games.example:80", "*", "ü x", "::", "::1",
                                   "999.1.1.1", "1.2.3.4.5", "ü" * 64])  # fmt: skip
@pytest.mark.parametrize(
    "words", [["play", "--host"], ["play", "--name"], ["host", "--host"], ["replay", "x", "--name"]]
)
def test_a_host_is_an_address_or_a_name(words: list[str], given: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, given])
    assert ended.value.code == 2
    expected = "expected an IPv4 address such as 127.0.0.1, or a name, got"
    assert f"{words[-1]}: {expected} {given[:40]!r}\n" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["10.42.0.1", "table", "spiele.müller.example", "localhost", "my_pi.local"])
def test_such_hosts_are_taken(given: str) -> None:
    assert parser_of_verbs().parse_args(["play", "--host", given, "--name", given]).host == given


def test_every_number_has_bounds_and_words() -> None:
    bare = [(verb, option.dest) for verb, _, option in options_of(parser_of_verbs()) if option.type in {int, float}]
    assert bare == []


def test_a_wrong_board_file_is_refused_with_line_and_reason(tmp_path: Path) -> None:
    board = tmp_path / "mine.toml"
    board.write_text(find_board("spokes-45").read_text().replace("channel =  1,", "channel =  0,"))
    message = refused("play", "--board", str(board), "--data", str(tmp_path))
    assert f"{board}:" in message
    assert "B1: channel 0 is A1's" in message


def test_a_board_may_be_for_a_game_that_is_not_installed_until_it_is_played(tmp_path: Path) -> None:
    board = tmp_path / "mine.toml"
    board.write_text(find_board("spokes-45-74hc165-spi").read_text().replace('game = "spokes"', 'game = "juggling"'))
    assert load_board(board).game == "juggling"
    message = refused("play", "--sim", "--board", str(board), "--data", str(tmp_path))
    assert f"{board}: the board 'spokes-45-74hc165-spi' is for the game 'juggling', which is not installed" in message


def test_records_of_nothing(tmp_path: Path) -> None:
    assert "no games have been played yet" in refused("record", "--data", str(tmp_path), "list")
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"rubbish": true}\n')
    assert "line 1" in refused("record", "verify", str(broken))


def test_an_unusable_folder_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert str(file) in refused("play", "--port", "0", "--data", str(file / "games"))


def test_the_hosts_link_is_that_of_the_table_that_was_opened_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_address(tmp_path, Listening("10.1.2.3", 8301))
    assert main(["host", "--data", str(tmp_path)]) == 0
    assert "Host: http://10.1.2.3:8301/host#" in capsys.readouterr().out
    assert main(["host", "--data", str(tmp_path), "--port", "8302"]) == 0
    assert "Host: http://10.1.2.3:8302/host#" in capsys.readouterr().out


def test_no_hosts_link_is_made_for_a_table_that_never_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["host", "--data", str(tmp_path / "none")]) == 1
    assert "no table has been opened yet" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("behind", [True, False])
def test_the_folder_of_records_may_stand_before_or_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], behind: bool
) -> None:
    data = ["--data", str(tmp_path)]
    assert main(["record", "list", *data] if behind else ["record", *data, "list"]) == 1
    assert str(tmp_path) in capsys.readouterr().err


def test_a_record_that_is_not_there_is_said_to_be_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "verify", "games/none.jsonl"]) == 1
    assert "games/none.jsonl: there is no such file" in capsys.readouterr().err


# -- make --------------------------------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]


def make(*words: str) -> subprocess.CompletedProcess[str]:
    # What make was called with that runs these tests, as ARGS, is not for this one.
    own = {
        name: value for name, value in os.environ.items() if name not in {"ARGS", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
    }
    words = ("make", "-C", str(ROOT), *words)
    return subprocess.run(words, env=own, capture_output=True, text=True, timeout=200, check=False)


@pytest.mark.thorough
def test_make_adds_nothing_to_a_refusal(tmp_path: Path) -> None:
    """What is wrong has been said; "Error 1" says it less well."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/lodestone").symlink_to(LODESTONE)
    done = make("-o", "ready", "play", "COMPILING=:", f"VENV={tmp_path}", f"ARGS=--port 99999 --data {tmp_path}")
    assert "got 99999" in done.stderr
    assert "***" not in done.stderr
    broken = tmp_path / "bin/lodestone"
    broken.unlink()
    assert make("-o", "ready", "play", "COMPILING=:", f"VENV={tmp_path}").returncode != 0, (
        "what says nothing itself is told"
    )


def test_make_says_once_which_python_it_needs(tmp_path: Path) -> None:
    old = tmp_path / "python3.9"
    old.write_text("#!/bin/sh\n[ $1 = --version ] && echo Python 3.9.2 || exit 1\n")
    old.chmod(0o755)
    done = make(f"PYTHON={old}", f"VENV={tmp_path}", f"{tmp_path}/.python")
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert f"Lodestone needs Python 3.11 or newer; {old} is Python 3.9.2" in line
    assert "Error 1" not in line


def test_make_bench_players_measures_the_players_alone() -> None:
    done = make("--dry-run", "-o", "setup", "bench", "players")
    assert done.returncode == 0, done.stderr
    assert [
        line.rpartition("tests.bench")[2].split() for line in done.stdout.splitlines() if "tests.bench" in line
    ] == [["player"]]


@pytest.mark.thorough
def test_make_is_silent_when_play_is_ended(tmp_path: Path) -> None:
    words = ["make", "-C", str(ROOT), "-o", "ready", "play", "COMPILING=:", f"ARGS=--port 0 --data {tmp_path}"]
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"}, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        told = []
        for line in process.stdout:
            told.append(line)
            if "end with Ctrl-C" in line:
                os.killpg(process.pid, signal.SIGINT)
    assert "end with Ctrl-C" in "".join(told)
    assert ":0/" not in "".join(told), "the port that was free is told"
    assert "***" not in "".join(told)
