"""The memory of the running program, byte by byte: before all have sealed no opening is in it.

The program runs as its users start it; phones live in another process (this one), as they do in play.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.seals import commitment
from tests.e2e.program import Program, eventually
from tests.sampling import is_sample

ROUNDS = 1 if is_sample() else 3


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path, "--board", "sim")
    running.start("--new")
    yield running
    running.stop()


def memory(process: int) -> Iterator[bytes]:
    """Yield everything that a process may write to: heap, stacks, buffers."""
    maps = Path(f"/proc/{process}/maps").read_text(encoding="utf-8").splitlines()
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as held:
        for line in maps:
            span, rights, *_, name = [*line.split(), ""]
            if "w" not in rights or name in {"[vvar]", "[vsyscall]"}:
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            try:
                held.seek(start)
                yield held.read(end - start)
            except OSError:  # Unmapped meanwhile.
                continue


def holds(program: Program, nonce: str) -> bool:
    """Tell whether a nonce is anywhere: as digits, in UTF-16, or as the bytes that they stand for."""
    assert program.process is not None
    forms = (nonce.encode(), nonce.encode("utf-16-le"), bytes.fromhex(nonce), bytes.fromhex(nonce)[::-1])
    files = [path.read_bytes() for path in sorted(program.data.rglob("*")) if path.is_file()]
    return any(form in part for part in (*memory(program.process.pid), *files) for form in forms)


class Phone:
    """A phone that keeps its opening to itself."""

    def __init__(self, program: Program, seat: int) -> None:
        self.program, self.seat = program, seat
        self.cookie = program.join(seat, f"P{seat}")
        self.action = self.nonce = ""

    def post(self, path: str, body: Any) -> None:
        status, answer = self.program.post(f"/api/{path}", body, Cookie=self.cookie)
        assert status == 200, answer

    def seal(self, view: Any, action: str) -> None:
        seal = view["seal"]
        self.action, self.nonce = action, secrets.token_hex(16)
        digest = commitment(seal["game"], seal["turn"], self.seat, seal["history"], action, self.nonce)
        self.post("seal", {"turn": seal["turn"], "commitment": digest})

    def open(self, turn: int) -> None:
        self.post("open", {"turn": turn, "action": self.action, "nonce": self.nonce})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_programs_memory_holds_no_opening_before_all_have_sealed(program: Program) -> None:
    phones = [Phone(program, seat) for seat in (1, 2)]
    program.start_game()
    for _ in range(ROUNDS):
        view = eventually(lambda: (v := program.state())["phase"] == "sealing" and v, "sealing")
        free = view["seal"]["nodes"]
        phones[0].seal(view, f"w{free[0]}")
        assert not holds(program, phones[0].nonce)
        phones[1].seal(view, f"b{free[len(free) // 2]}")
        for phone in phones:
            assert not holds(program, phone.nonce), "all have sealed, but nobody has opened"
        for phone in phones:
            phone.post("ready", {"turn": view["turn"]})
        phones[0].open(view["turn"])
        assert holds(program, phones[0].nonce), "opened: the search is not blind"
        assert not holds(program, phones[1].nonce)
        phones[1].open(view["turn"])
        if program.until_phase("placing", "sealing", "resolving")["phase"] == "placing":
            program.follow_the_lights("placing")
        if program.state()["phase"] != "sealing":
            break
