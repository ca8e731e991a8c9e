"""The program is killed in the middle of a reveal: its folder tells nothing, phones open again, the record verifies."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.seals import commitment
from tests import forked
from tests.e2e.program import Program

NONCES = {1: "a1" * 16, 2: "b2" * 16}
PLACED = {1: "wD12", 2: "bC6"}


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path / "games", "--board", "sim").start("--new")
    yield running
    running.stop()


def post(program: Program, cookie: str, path: str, **body: Any) -> tuple[int, Any]:
    return program.post(f"/api/{path}", {"turn": 1, **body}, Cookie=cookie)


def unseal(program: Program, seat: int, cookie: str) -> tuple[int, Any]:
    return post(program, cookie, "open", action=PLACED[seat], nonce=NONCES[seat])


def on_disk(program: Program) -> bytes:
    """Return all that a reader of the data folder sees now, the write-ahead log included."""
    return b"".join(path.read_bytes() for path in sorted(program.data.rglob("*")) if path.is_file())


def lodestone(program: Program, *words: str) -> str:
    return forked.run(*words, "--data", str(program.data), check=True).stdout


def test_a_kill_between_two_openings_loses_nothing_and_tells_nothing(program: Program, tmp_path: Path) -> None:
    cookies = {seat: program.join(seat, f"P{seat}") for seat in (1, 2)}
    program.start_game()
    seal = program.until_phase("sealing")["seal"]
    game = seal["game"]
    for seat, cookie in cookies.items():
        digest = commitment(game, 1, seat, seal["history"], PLACED[seat], NONCES[seat])
        assert post(program, cookie, "seal", commitment=digest)[0] == 200
    assert unseal(program, 1, cookies[1])[1]["error"]["code"] == "wrong_phase", "not before all phones are awake"
    for cookie in cookies.values():
        assert post(program, cookie, "ready")[0] == 200
    for _ in range(2):  # Killed twice in the same turn.
        assert unseal(program, 1, cookies[1])[0] == 200
        assert program.state()["seats"][0]["opened"] is True
        program.stop(signal.SIGKILL)
        for secret in (NONCES[1], PLACED[1], *NONCES.values()):
            assert secret.encode() not in on_disk(program)
        program.start("--resume")
        view = program.until_phase("revealing")
        assert [seat["opened"] for seat in view["seats"]] == [False, False]
        assert view["seal"]["open"] is True, "phones that hold an opening send it again at once"
        assert post(program, cookies[2], "propose", what="reseal")[0] in {400, 409}
    for seat, cookie in cookies.items():
        assert unseal(program, seat, cookie)[0] == 200
    assert program.until_phase("placing")["board"] == {"D12": ["w"], "C6": ["b"]}
    assert NONCES[1].encode() in on_disk(program), "the search is not blind"
    program.stop(signal.SIGKILL)
    program.start("--resume")
    record = tmp_path / "game.jsonl"
    record.write_text(lodestone(program, "record", "export", game), encoding="ascii")
    told = forked.run("record", "verify", str(record), check=True).stdout
    assert "2 placements as they were sealed" in told
