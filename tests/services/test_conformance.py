"""Test vectors: our own always, the shared ones where they are beside the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_host.games.registry import GAMES
from firmware_host.services.engine import answer_line

OWN = Path(__file__).parents[1] / "vectors"
SHARED = Path(__file__).parents[3] / "shared"


@pytest.mark.parametrize("game", sorted(GAMES))
def test_shared_vectors_agree(game: str) -> None:
    tool, vectors = SHARED / "tools" / "conformance", SHARED / "vectors" / f"{game}.jsonl"
    if not tool.exists() or not vectors.exists():
        pytest.skip("the shared vectors are not beside this checkout (../shared): only our own were run")
    engine = f"{Path(sys.executable).parent / 'lodestone'} engine"
    done = subprocess.run([str(tool), engine, str(vectors)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failed" in done.stdout


@pytest.mark.parametrize("game", sorted(path.stem for path in OWN.glob("*.jsonl") if path.stem in GAMES))
def test_own_vectors_agree(game: str) -> None:
    path = OWN / f"{game}.jsonl"
    lines = path.read_text().splitlines()
    assert lines
    for number, line in enumerate(lines, 1):
        case = json.loads(line)
        answer = json.loads(answer_line(json.dumps(case["request"])))
        assert_holds(case["expect"], answer, f"{path.name}:{number}")


def assert_holds(expected: object, got: object, where: str) -> None:
    if isinstance(expected, dict):
        assert isinstance(got, dict), where
        for key, value in expected.items():
            assert key in got, f"{where}: {key} is missing in {got}"
            assert_holds(value, got[key], f"{where}: {key}")
    else:
        assert got == expected, where
