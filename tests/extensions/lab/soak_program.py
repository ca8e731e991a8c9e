"""``make soak``: the program for an hour, or for HOURS, and what it takes of the machine minute by minute.

People and computers play the four games in turn, several in a row, with a simulated hand; others look at pages, learn
and leave. Each round somebody attacks the panel, and then asks for everything that docs/openapi.json describes. Each
line is written when that is over and its connections are closed: memory (the program's own, not that of its searches,
and not what it shares with other programs), open files, threads, the journal's size. After the first ten minutes
nothing but the journal may grow: memory at most by 1 MB an hour. Also told is the slope from when each game has been
played with each number of people: until then things are used for the first time. At the end the types are named of
which the program holds ever more objects; with TRACE=1, which takes memory itself and so judges nothing, also the lines
that have allocated them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression
from typing import Any

from tests.e2e.program import Program
from tests.extensions.lab.soak_people import ROUND, Evening
from tests.floods import Attack, all_pages, attacked, dribble, unread, unread_streams
from tests.waiting import eventually

ATTACKS: tuple[tuple[Attack, int, int], ...] = (
    (all_pages, 20, 4), (unread, 590, 2), (dribble, 800, 2), (unread_streams, 232, 1)
)  # fmt: skip
ATTACK_S = 20.0
QUIET_S = 70.0
"""From an attack's end to the next: longer than a connection may stall or idle."""
WARM_MINUTES = 10.0
MAX_MB_AN_HOUR = 1.0
FEWEST_ROWS = 8
NAMED = 15
"""So many of what grows most are named."""


@dataclass(frozen=True)
class Row:
    """What the program had at one time: ``sizes`` (MB, numbers), and the counts of :func:`.soak_counts.held`."""

    minutes: float
    sizes: Mapping[str, float]
    counts: Mapping[str, Mapping[str, float]]
    games: int


class Soaked(Program):
    """The program as a process of its own, not the fork of a test's, which counts what it holds."""

    def begin(self) -> None:
        """Start it with a simulated hand that moves everybody's pieces."""
        self._counts = self.data / "counts.json"
        module = "tests.extensions.lab.soak_counts"
        command = [sys.executable, "-m", module, str(self._counts), "play", "--new", "--board", "sim", "--hands", "all"]
        options = ["--pause", "0.01", "--port", str(self.port), "--data", str(self.data)]
        self.log = (self.data / "printed").open("wb")
        self.child = subprocess.Popen([*command, *options], stdout=self.log, stderr=self.log, start_new_session=True)
        eventually(self._has_started, lambda: f"the program starts: {(self.data / 'printed').read_text()}")

    def _has_started(self) -> bool:
        assert self.child.poll() is None, f"it has ended: {(self.data / 'printed').read_text()}"
        with suppress(OSError):
            self.get("/api/state")
            return True
        return False

    def end(self) -> None:
        """Stop it."""
        self.child.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.child.wait(30)
        if self.child.poll() is None:
            self.child.kill()
        self.log.close()

    def sizes(self) -> dict[str, float]:
        """Return memory in MB, open files, threads, and the journal in MB."""
        assert self.child.poll() is None, f"the program has ended with {self.child.returncode}: {self._last_words()}"
        process = Path(f"/proc/{self.child.pid}")
        lines = (process / "smaps_rollup").read_text(encoding="ascii").splitlines()
        own = sum(float(line.split()[1]) for line in lines if line.startswith(("Anonymous:", "SwapPss:")))
        return {
            "memory": own / 1024,
            "files": float(len(list((process / "fd").iterdir()))),
            "threads": float(len(list((process / "task").iterdir()))),
            "journal": sum(path.stat().st_size for path in self.data.glob("journal.sqlite*")) / 1e6,
        }

    def _last_words(self) -> str:
        return (self.data / "printed").read_text(encoding="utf-8", errors="replace")[-500:]

    def counts(self) -> Any:
        """Return what the program counts."""
        self._counts.unlink(missing_ok=True)
        self.child.send_signal(signal.SIGUSR1)
        eventually(self._counts.exists, "the program counts its objects")
        return json.loads(self._counts.read_text(encoding="utf-8"))


def main() -> int:
    """Run for HOURS (1); return 1 if something has grown, or the program has failed to answer."""
    ends = time.monotonic() + float(os.environ.get("HOURS", "1")) * 3600
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="lodestone-soak-") as folder:
        program = Soaked(Path(folder))
        program.begin()
        evening = Evening(program)
        evening.begin()
        began = time.monotonic()
        print("minutes  memory MB  files  threads  journal MB  games  deeds  sums and attack", flush=True)
        try:
            while time.monotonic() < ends:
                attack, connections, addresses = ATTACKS[len(rows) % len(ATTACKS)]
                with attacked(attack, program.port, connections, addresses):
                    time.sleep(ATTACK_S)  # The attack goes on for so long.
                quiet = time.monotonic() + QUIET_S
                evening.sweep.once()
                time.sleep(max(0.0, quiet - time.monotonic()))  # So long nobody attacks.
                sizes = program.sizes()
                rows.append(Row((time.monotonic() - began) / 60, sizes, program.counts(), evening.games))
                _print(rows[-1], evening, attack)
        finally:
            evening.end()
            program.end()
            print((Path(folder) / "printed").read_text(encoding="utf-8").count("Traceback"), "tracebacks printed")
    return _judged(rows, evening)


def _print(row: Row, evening: Evening, attack: Attack) -> None:
    sizes, sums = row.sizes, {name: round(value, 1) for name, value in row.counts["sums"].items()}
    print(
        f"{row.minutes:7.1f} {sizes['memory']:10.1f} {sizes['files']:6.0f} {sizes['threads']:8.0f} "
        f"{sizes['journal']:11.2f} {evening.games:6} {evening.acted:6}  {sums} {attack.__name__}",
        flush=True,
    )


def _judged(rows: Sequence[Row], evening: Evening) -> int:
    sweep = evening.sweep
    print(json.dumps({
        "games": evening.games, "deeds of people": evening.acted, "requests without an answer": evening.failed,
        "paths answered": len(sweep.paths) - len(sweep.never()), "never": sweep.never(), "broken": sweep.broken,
    }))  # fmt: skip
    late = [row for row in rows if row.minutes > WARM_MINUTES]
    if len(late) > 1:
        for what in ("sums", "types", "lines"):
            _name(what, late)
    if len(late) < FEWEST_ROWS:
        print(f"too short to judge what grows: {WARM_MINUTES:g} minutes and {FEWEST_ROWS} rows at least")
        return int(bool(sweep.broken))
    slope = _slope(late)
    print(f"memory after the first ten minutes: {slope:+.2f} MB an hour (at most {MAX_MB_AN_HOUR})")
    if len(used := [row for row in late if row.games >= ROUND]) > 1:
        print(f"memory from minute {used[0].minutes:.0f} on, when all was played once: {_slope(used):+.2f} MB an hour")
    print(f"memory in the last third: {_slope(late[-max(2, len(late) // 3) :]):+.2f} MB an hour")
    return int(bool(sweep.broken) or (slope > MAX_MB_AN_HOUR and not os.environ.get("TRACE")))


def _slope(rows: Sequence[Row]) -> float:
    """Return by how much memory grows, MB an hour."""
    return linear_regression([row.minutes / 60 for row in rows], [row.sizes["memory"] for row in rows]).slope


def _name(what: str, late: Sequence[Row]) -> None:
    """Print what of one kind of counts has grown most, by the hour, with its first count and its last."""
    hours = [row.minutes / 60 for row in late]
    grown = []
    for name in {name for row in late for name in row.counts[what]}:
        counts = [row.counts[what].get(name, 0.0) for row in late]
        grown.append((linear_regression(hours, counts).slope, name, counts[0], counts[-1]))
    for slope, name, first, last in sorted(grown, reverse=True)[:NAMED]:
        print(f"{what}: {slope:+12.1f} an hour, {first:.1f} to {last:.1f}  {name}")


if __name__ == "__main__":
    sys.exit(main())
