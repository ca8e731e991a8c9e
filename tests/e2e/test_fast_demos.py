"""Whole games of computers in the whole program, as fast as its threads can, come to their end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.program import Program, eventually

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1900)]
PATIENCE_S = 1800.0


@pytest.mark.parametrize("options", [[], ["--kind", "presence"]], ids=["usual", "presence"])
@pytest.mark.parametrize("game", ["phalanx", "spokes", "coil", "octiles"])
def test_a_demonstration_ends(tmp_path: Path, game: str, options: list[str]) -> None:
    if game == "octiles" and options:
        pytest.skip("its boards read tiles")
    program = Program(tmp_path, "--demo", "--game", game, *options, "--pause", "0.005").start()
    try:
        eventually(lambda: program.state()["phase"] == "over", "the end", PATIENCE_S)
    finally:
        program.stop()
