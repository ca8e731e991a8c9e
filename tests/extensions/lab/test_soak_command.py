"""``lodestone soak``: evenings follow from their seeds, add up over runs, and what goes wrong is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firmware_host.commands.cli import main
from firmware_host.extensions.lab import soak
from firmware_host.extensions.lab.soak import soak_text
from lodestone.soaking import FAULTS, play_evening

SHORT = ["soak", "--turns", "2", "--workers", "1", "--game", "phalanx", "--kind", "presence"]
CLEAN = {"games": 1, "turns": 2, "steps": 3, "faults": {}, "wrong": [], "stuck": [], "crashed": ""}


@pytest.mark.slow
def test_evenings_are_played_once_and_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "evenings.jsonl"
    assert main([*SHORT, "--evenings", "1", "--out", str(out)]) == 0
    first = out.read_text()
    assert main([*SHORT, "--evenings", "2", "--out", str(out)]) == 0
    assert out.read_text().startswith(first)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["turns"] for row in rows] == [2, 2]
    told = capsys.readouterr().out
    assert "1 of 1 evenings: 1 games, 2 turns" in told
    assert "2 of 2 evenings" in told
    again = play_evening("phalanx", "presence", "2", 1, 2, FAULTS, True)
    assert {**again, "key": rows[0]["key"]} == rows[0]


def test_what_goes_wrong_is_named() -> None:
    rows = [CLEAN, {**CLEAN, "wrong": ["seed 3: b2"], "faults": {"lost": 2}}]
    rows += [{**CLEAN, "crashed": f"seed {number}: KeyError"} for number in range(7)]
    told = soak_text(rows, 20)
    assert "9 of 20 evenings: 9 games, 18 turns, 27 steps" in told
    assert "broken: lost 2" in told
    assert "committed though nobody did it: 1\n    seed 3: b2\n" in told
    assert "crashes: 7" in told
    assert told.endswith("and 2 more")


def test_an_evening_that_crashes_is_a_result() -> None:
    row = play_evening("phalanx", "presence", "9", 1, 2, FAULTS, False)
    assert row["crashed"].startswith("phalanx, presence, 9 players, seed 1: ")
    assert json.loads(json.dumps(row))["turns"] == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["--game", "chess"], "--game: game: expected one of"),
        (["--mode", "7"], "--kind, --mode: no game has such tables"),
        (["--game", "coil", "--kind", "coded"], "no game has such tables"),
        (["--fault", "flood"], "--fault: expected some of none,"),
    ],
)
def test_what_can_not_be_played_is_told(
    call: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["soak", *call, "--out", str(tmp_path / "x")]) == 1
    assert words in capsys.readouterr().err


def test_ctrl_c_is_told_to_who_has_started_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(soak, "complete", stopped)
    assert main([*SHORT, "--evenings", "1", "--out", str(tmp_path / "x")]) == 130
    assert "the same command goes on" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"bytes without a line feed", b"\x00" * 32])
def test_a_file_without_results_is_kept(tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine"
    file.write_bytes(content)
    assert main([*SHORT, "--evenings", "1", "--out", str(file)]) == 1
    assert f"{file} is there already, and has no results" in capsys.readouterr().err
    assert file.read_bytes() == content
