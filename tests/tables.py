"""A whole running table in one process: real rules, real drivers over simulated chips, a real journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from firmware_host.analysis.questions import Analyser
from firmware_host.archive.journal import Journal
from firmware_host.boardfile.load import find_board, load_board
from firmware_host.games.registry import game
from firmware_host.session.runtime import Runtime
from firmware_host.session.table_setup import Setting, SuspendedGame
from firmware_host.table.hypotheses import Timings
from hw.ports import BoardDescription
from simulator.board import SimulatedBoard
from simulator.hand import Hand
from tests.boards import Clock, opened
from tests.chance import Drawn

KEY = b"k" * 32


@cache
def described_board(name: str, kind: str | None) -> BoardDescription:
    """Return the simulated board of a shipped board file, which is read once a process: nobody can change it."""
    return load_board(find_board(name), backend="sim", kind=kind)


class RunningTable:
    """A runtime stepped by hand, on a clock of its own."""

    def __init__(
        self,
        folder: Path,
        *,
        board: str = "spokes-45",
        kind: str | None = None,
        mode: str = "2",
        resume: bool = False,
        timings: Timings | None = None,
        rules: Mapping[str, bool] | None = None,
        draw: Callable[[int], str] | None = None,
        analyser: Analyser | None = None,
    ) -> None:
        self.clock = Clock()
        self.clock.now = 100.0
        self.description = described_board(board, kind)
        self.parts = SimulatedBoard(self.description, self.clock, seed=1)
        self.board = opened(self.parts, self.description)
        self.journal = Journal(folder / "journal.sqlite")
        setting = Setting(
            game(self.description.game, rules),
            self.board,
            KEY,
            "test",
            timings=timings or Timings(),
            computer_pause=0.0,
            draw=draw or Drawn(),
        )
        self.runtime = Runtime(setting, self.journal, analyser=analyser, clock=self.clock)
        self.hand = Hand(self.parts.world, sleep=self.wait)
        if resume:
            last = self.journal.unfinished_game()
            assert last is not None
            self.runtime.resume(SuspendedGame.read(self.journal, last.id))
        else:
            self.runtime.new_lobby(mode)

    def wait(self, seconds: float) -> None:
        """Let the loop run for a while."""
        for _ in range(max(1, round(seconds * self.description.scan_hz))):
            self.clock.now += 1 / self.description.scan_hz
            self.runtime.step()

    @property
    def view(self) -> dict[str, object]:
        return dict(self.runtime.view(None)[1])

    def pixel(self, node: str) -> tuple[int, int, int]:
        return self.parts.wire.pixels()[self.description.nodes[node].pixel]

    def close(self) -> None:
        self.board.close()
        self.journal.close()
