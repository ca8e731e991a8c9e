"""The program is killed after a computer has sealed by a real search: the same placement opens, and nothing told it."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.seals import commitment
from tests.e2e.program import Program, eventually

NONCE = "a1" * 16
PLACED = "wD12"


@pytest.mark.thorough
@pytest.mark.parametrize(("level", "then"), [(1, 1), (5, 5), (5, 2)])
def test_the_same_placement_opens_after_a_kill_also_at_another_level(tmp_path: Path, level: int, then: int) -> None:
    program = Program(tmp_path / "games", "--board", "sim").start("--new")
    try:
        ann = program.join(1, "Ann")
        assert program.as_host("computer", seat=2, level=level)[0] == 200
        program.start_game()
        eventually(lambda: program.state()["seats"][1]["sealed"], "the computer has sealed")
        assert program.as_host("computer", seat=2, level=then)[0] == 200
        told = [program.fetch("/api/state", Cookie=cookie) for cookie in (ann, program.be_host())]
        told.append(program.fetch("/api/proof"))
        told.append(program.stop(signal.SIGKILL).encode())
        told += [path.read_bytes() for path in program.data.rglob("*") if path.is_file()]

        program.start("--resume")
        program.until_phase("sealing")
        seal = program.get("/api/state", Cookie=ann)["seal"]
        digest = commitment(seal["game"], 1, 1, seal["history"], PLACED, NONCE)
        for path, body in (("seal", {"commitment": digest}), ("ready", {})):
            assert program.post(f"/api/{path}", {"turn": 1, **body}, Cookie=ann)[0] == 200
        opening: dict[str, Any] = {"turn": 1, "action": PLACED, "nonce": NONCE}
        eventually(lambda: program.post("/api/open", opening, Cookie=ann)[0] == 200, "all phones are awake")
        program.until_phase("placing")
        shown = program.get("/api/proof")["turns"][0]["seals"]
        assert len(shown) == 2, "nobody has sealed anew"
        found = next(one for one in shown if one["seat"] == 2)
        opened = commitment(seal["game"], 1, 2, seal["history"], found["action"], found["nonce"])
        assert opened == seal["commitments"]["2"]
        for text in told:
            assert found["nonce"].encode() not in text
            assert f'"{found["action"]}"'.encode() not in text
    finally:
        program.stop()
