"""The arena among players, files and helpers that fail: each fault costs a game or is told in a sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.analysis import engine_process
from firmware_host.commands.cli import main
from firmware_host.extensions.lab.arena.match import Match
from firmware_host.extensions.lab.arena.referee import dismiss, play, try_players
from firmware_host.extensions.lab.arena.results import ResultsFile
from firmware_host.extensions.lab.arena.run import run
from firmware_host.games import registry
from firmware_host.text.words import Refused
from tests.extensions.lab.test_arena import PLAYER, nim
from tests.games.nim import Nim
from tests.sampling import few


@pytest.fixture(autouse=True)
def _nim(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "GAMES", {**registry.GAMES, "nim": Nim()})
    yield
    dismiss()


def program(folder: Path, answer: str) -> str:
    """Return a player that answers each request with the JSON object ``answer``, an expression."""
    path = folder / "program.py"
    path.write_text(PLAYER[: PLAYER.index("    print")] + f"    print(json.dumps({answer}), flush=True)\n")
    return f"engine:{sys.executable} {path}"


def phalanx(a: str, **fields: Any) -> Match:
    return Match("phalanx", "2", a, "random", **{"longest": 20, **fields})


# -- players -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nodes", few(["10**400", "-5", "True", "'many'", "None", "1e9"], 2))
def test_nodes_that_are_no_count_are_not_counted(nodes: str, tmp_path: Path) -> None:
    match = phalanx(program(tmp_path, f'{{"id": asked["id"], "ok": True, "action": action, "nodes": {nodes}}}'))
    found = run(ResultsFile(tmp_path / "results.jsonl", match), 1)
    assert not found.faults
    assert found.used["a"]["nodes_a_move"] == 0


def test_an_answer_of_another_shape_is_named(tmp_path: Path) -> None:
    number = phalanx(program(tmp_path, '{"id": asked["id"], "ok": True, "action": 7}'), seconds=1)
    with pytest.raises(Refused, match="does not play: action: expected a text, got 7"):
        try_players(number)
    refusal = phalanx(program(tmp_path, '{"id": asked["id"], "ok": False, "error": {"message": "tired"}}'), seconds=1)
    with pytest.raises(Refused, match=r"does not play: it refuses: .*tired"):
        try_players(refusal)


def test_an_answer_without_the_id_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_process, "GRACE_S", 3.0)
    silent = phalanx(program(tmp_path, '{"ok": True, "action": action}'), seconds=1)
    with pytest.raises(Refused, match=r'expected an answer with "id": 1, got b.{"ok": true'):
        try_players(silent)


@pytest.mark.parametrize(
    ("body", "words"),
    [("return 7", "expected an action, got 7"), ("return None", "got None"), ("raise SystemExit(3)", "SystemExit: 3")],
)
def test_a_peer_that_returns_no_text_or_exits_loses(body: str, words: str, tmp_path: Path) -> None:
    peer = tmp_path / "odd.py"
    peer.write_text(f"def choose(game, position, seat, rng):\n    {body}\n")
    result = play(Match("phalanx", "2", f"peer:{peer}", "random"), 0, 0)
    assert (result["score"], result["reason"]) == (0.0, "fault")
    assert words in result["fault"]


def test_a_peer_that_exits_while_it_is_loaded_is_refused(tmp_path: Path) -> None:
    peer = tmp_path / "gone.py"
    peer.write_text("raise SystemExit(3)\n")
    with pytest.raises(Refused, match="can't be loaded: SystemExit: 3"):
        try_players(nim(f"peer:{peer}"))


def test_an_opening_that_can_not_be_found_later_is_refused(tmp_path: Path) -> None:
    """The trial plays the first opening only."""
    with pytest.raises(Refused, match="ask for fewer"):
        run(ResultsFile(tmp_path / "results.jsonl", nim(opening=100)), 2)


# -- calls -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["--seconds", "nan"], "--seconds: expected seconds from 0.001 to 1000000000, got 'nan'"),
        (["--seconds", "-1"], "--seconds: expected seconds"),
        (["--seconds", "0"], "--seconds: expected seconds"),
        (["--seconds", "inf"], "--seconds: expected seconds"),
        (["--test", "nan", "nan"], "--test: expected a difference in Elo from -2000 to 2000, got 'nan'"),
        (["--test", "0", "inf"], "--test: expected a difference in Elo"),
        (["--test", "0", "100000"], "--test: expected a difference in Elo"),
    ],
)
def test_numbers_that_are_none(call: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["arena", "nim", "random", "random", *call])
    assert refused.value.code == 2
    assert words in capsys.readouterr().err


# -- files -------------------------------------------------------------------------------------------------------------


WHOLE: dict[str, Any] = {
    "opening": 0,
    "team": 0,
    "score": 1.0,
    "reason": "last",
    "actions": 3,
    "repeats": 0,
    "passes": 0,
    "fault": None,
    "used": {side: {"moves": 1, "nodes": 1, "seconds": 0.5} for side in ("a", "b")},
}
MISSING = object()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[(field, MISSING) for field in WHOLE if field != "actions"],
        ("opening", []),
        ("opening", -1),
        ("opening", True),
        ("team", 2),
        ("score", None),
        ("score", 5),
        ("reason", 7),
        ("repeats", "x"),
        ("passes", {}),
        ("fault", 7),
        ("used", None),
        ("used", {"a": {}, "b": {}}),
        ("used", {**WHOLE["used"], "b": {"moves": 1, "nodes": 1, "seconds": "x"}}),
        ("used", {**WHOLE["used"], "b": {"moves": 1, "nodes": 10**400, "seconds": 0}}),
    ],
)
def test_a_damaged_line_is_named(field: str, value: Any, tmp_path: Path) -> None:
    out, match = tmp_path / "results.jsonl", nim()
    row = {"match": match.key, **WHOLE, field: value}
    if value is MISSING:
        del row[field]
    out.write_text(json.dumps({"match": match.key, **WHOLE, "team": 1}) + "\n" + json.dumps(row) + "\n")
    with pytest.raises(Refused, match=rf"results.jsonl, line 2: {field}: expected .*Remove the line"):
        ResultsFile(out, match)


@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b"\xff\xfe", b"\x00" * 40, b'{"match":', b'{"score": NaN}', b'{"a": 1, "a": 2}']
)
def test_a_line_that_is_no_json_is_named(line: bytes, tmp_path: Path) -> None:
    out, match = tmp_path / "results.jsonl", nim()
    out.write_bytes(json.dumps({"match": match.key, **WHOLE}).encode() + b"\n" + line + b"\n")
    with pytest.raises(Refused, match=r"line 2: expected a JSON object.*Remove the line"):
        ResultsFile(out, match)


def test_a_file_that_can_no_longer_be_written_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    results = ResultsFile(folder / "results.jsonl", nim())
    (folder / "results.jsonl").unlink()
    folder.rmdir()
    with pytest.raises(Refused, match=r"--out: .*can't be written: No such file"):
        run(results, 1)


# -- helpers -----------------------------------------------------------------------------------------------------------


HANGING = """
import json, os, sys, time
sys.stdin.readline()
open(PIDS, "a").write(f"{os.getpid()}\\n")
time.sleep(600)
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("how", "workers"),
    [(signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGKILL, False), (signal.SIGTERM, True)],
)
def test_programs_that_hang_end_with_the_arena(how: signal.Signals, workers: bool, tmp_path: Path) -> None:
    """``workers``: its processes get the signal, in the middle of a game; the program plays the games again."""
    hanging = tmp_path / "hanging.py"
    pids = tmp_path / "pids"
    hanging.write_text(PLAYER.split("for line")[0] + HANGING.replace("PIDS", repr(str(pids))))
    starting = tmp_path / "starting.py"  # The trial before the match gets an answer.
    starting.write_text(
        f"import os\nif os.path.exists({str(tmp_path / 'tried')!r}):\n    exec(open({str(hanging)!r}).read())\n"
        f"open({str(tmp_path / 'tried')!r}, 'w').close()\n" + PLAYER.replace("ACTION", "action")
    )
    words = ["arena", "phalanx", f"engine:{sys.executable} {starting}", "random", "--opening", "0", "--workers", "2"]
    with subprocess.Popen(
        [sys.executable, "-m", "firmware_host.commands.cli", *words, "--out", str(tmp_path / "out")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as arena:
        _until(lambda: pids.exists() and len(pids.read_text().splitlines()) == 2)
        children = Path(f"/proc/{arena.pid}/task/{arena.pid}/children").read_text().split()
        for pid in map(int, children) if workers else [arena.pid]:
            os.kill(pid, how)
        if workers:
            _until(lambda: len(pids.read_text().splitlines()) == 4)
            _until(lambda: [_runs(pid) for pid in map(int, pids.read_text().split())] == [False, False, True, True])
            arena.send_signal(how)
        arena.wait(60)
    for pid in map(int, pids.read_text().split()):
        _until(lambda pid=pid: not _runs(pid))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _until(true: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it takes too long"
        threading.Event().wait(0.05)
