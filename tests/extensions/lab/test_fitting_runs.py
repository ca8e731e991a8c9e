"""Anybody can fit the evaluations again: each tool plays, fits, and writes a file that says how it was made."""

from __future__ import annotations

import ast
import json
import sys
import tomllib
from pathlib import Path

import pytest

from firmware_host.extensions.lab import fit_coil, fit_octiles, fit_phalanx, fit_spokes
from firmware_host.games.octiles.player import worth


def alone(folder: Path) -> list[str]:
    return ["--workers", "1", "--samples", str(folder / "samples.jsonl")]


def test_octiles_keeps_the_modes_that_are_not_fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "worth.toml"
    before = worth.FILE.read_text(encoding="utf-8")
    file.write_text(before, encoding="utf-8")
    monkeypatch.setattr(worth, "FILE", file)
    assert fit_octiles.main(["--modes", "3", "--games", "2", "--rounds", "1", "--seed", "4", *alone(tmp_path)]) == 0
    made = file.read_text(encoding="utf-8")
    assert "# python -m firmware_host.extensions.lab.fit_octiles --modes 3 --games 2 --rounds 1 --seed 4\n" in made
    one, other = tomllib.loads(before), tomllib.loads(made)
    assert one.keys() == other.keys()
    assert {name for name, part in one.items() if part != other[name]} == {"players-3"}


def test_spokes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "weights.json"
    monkeypatch.setattr(
        sys, "argv", ["fit_spokes", "--games", "1", "1", "--width", "2", "--out", str(file), *alone(tmp_path)]
    )
    assert fit_spokes.main() == 0
    made = json.loads(file.read_text(encoding="utf-8"))
    assert made["made"].startswith(
        "python -m firmware_host.extensions.lab.fit_spokes --games 1 1 --width 2 --seed 1; round 1: 1 games"
    )
    assert any(fit_spokes.as_weights(made["weights"]).homes)


def test_coil_adds_up_the_games_of_several_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, samples = tmp_path / "passing.toml", tmp_path / "samples.jsonl"
    monkeypatch.setattr(fit_coil, "DATA", file)
    for games in (1, 2):
        nodes = ["--nodes", "20", "--main-nodes", "20"]
        asked = ["--games", str(games), *nodes, "--workers", "1", "--samples", str(samples)]
        monkeypatch.setattr(sys, "argv", ["fit_coil", *asked])
        fit_coil.main()
    assert len(samples.read_text().splitlines()) == 2 * 2, "after the pass, and courses of games"
    made = file.read_text(encoding="utf-8")
    assert made.startswith("# Made by: python -m firmware_host.extensions.lab.fit_coil\n")
    assert "# 2 games" in made
    found = tomllib.loads(made)
    assert [one["nodes"] for one in found["strength"]] == [20]
    assert found["main"].keys() == {"pace", "shift", "put", "turn"}
    assert "positions of 2 games, 20 random games an action" in made


def test_phalanx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "fitted.py"
    monkeypatch.setattr(fit_phalanx, "FILE", file)
    monkeypatch.setattr(fit_phalanx, "TESTED", 2)
    assert fit_phalanx.main(["--games", "2", "--nodes", "20", "--rounds", "1", "--seed", "3", *alone(tmp_path)]) == 0
    made = file.read_text(encoding="utf-8")
    assert (
        "Made by: python -m firmware_host.extensions.lab.fit_phalanx --games 2 --nodes 20 --seed 3 --rounds 1" in made
    )
    ast.parse(made)


def test_a_stopped_tool_plays_nothing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, samples = tmp_path / "fitted.py", tmp_path / "samples.jsonl"
    monkeypatch.setattr(fit_phalanx, "FILE", file)
    monkeypatch.setattr(fit_phalanx, "TESTED", 2)
    asked = ["--games", "12", "--nodes", "10", "--rounds", "2", *alone(tmp_path)]
    assert fit_phalanx.main(asked) == 0
    made, lines = file.read_text(encoding="utf-8"), samples.read_text().splitlines()
    assert len(lines) == 4, "two batches a round"
    samples.write_text("\n".join([*lines[:3], lines[3][:40]]))  # It was killed in the second round.
    assert fit_phalanx.main(asked) == 0
    assert file.read_text(encoding="utf-8") == made
    assert sorted(samples.read_text().splitlines()) == sorted(lines)
