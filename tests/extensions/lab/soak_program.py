"""``make soak``: the program for an hour, or for HOURS, and what it takes of the machine minute by minute.

Computers play the four games in turn with a simulated hand. Meanwhile phones sit down, look at pages and leave, and
every few minutes somebody attacks the panel. Each line is written when the attack is over and its connections are
closed: memory (the program's own, not that of its searches), open files, threads, and the journal's size. After the
first ten minutes nothing but the journal may grow: at most 1 MB an hour.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import linear_regression

from tests.e2e.program import Program
from tests.floods import Attack, all_pages, attacked, dribble, unread, unread_streams
from tests.waiting import eventually

BOARDS = (("spokes-45", "2"), ("go-9x9", "2"), ("hexhex-7", "2"), ("octiles-53", "2"))
LONGEST_GAME_S = 240.0
ATTACKS: tuple[tuple[Attack, int, int], ...] = (
    (all_pages, 20, 4), (unread, 590, 2), (dribble, 800, 2), (unread_streams, 232, 1)
)  # fmt: skip
ATTACK_S = 20.0
QUIET_S = 70.0
"""From an attack's end to the next: longer than a connection may stall or idle."""
WARM_MINUTES = 10.0
MOST_MB_AN_HOUR = 1.0


class Soaked(Program):
    """The installed command as a process of its own, not the fork of a test's."""

    def begin(self) -> None:
        """Start it with a simulated hand that moves everybody's pieces."""
        command = [str(Path(sys.executable).parent / "lodestone"), "play", "--new", "--board", "sim", "--hands", "all"]
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
        process = Path(f"/proc/{self.child.pid}")
        lines = (process / "smaps_rollup").read_text(encoding="ascii").splitlines()
        pss = next(float(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return {
            "memory": pss / 1024,
            "files": float(len(list((process / "fd").iterdir()))),
            "threads": float(len(list((process / "task").iterdir()))),
            "journal": sum(path.stat().st_size for path in self.data.glob("journal.sqlite*")) / 1e6,
        }


class Evening:
    """Games in turn, and phones that come and go."""

    def __init__(self, program: Soaked) -> None:
        self.games = 0
        self.failed = 0
        self._program = program
        self._stop = threading.Event()
        self._chance = Random(5)
        self._threads = [threading.Thread(target=self._repeat, args=(each,)) for each in (self._game, self._visitor)]

    def begin(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, what: Callable[[], None]) -> None:
        while not self._stop.wait(0.05):
            try:
                what()
            except (OSError, AssertionError, KeyError, ValueError):
                self.failed += 1  # Under attack an answer may take too long: the next one counts.
                self._stop.wait(1.0)

    def _game(self) -> None:
        """Play one game; the next one begins on another board."""
        board, mode = BOARDS[self.games % len(BOARDS)]
        program = self._program
        assert program.as_host("new", board=board, mode=mode, rules=[])[0] == 200
        for seat in program.state()["seats"]:
            number = seat["seat"]
            if seat["taken"]:
                program.as_host("dismiss", seat=number)
            cookie = program.join(number, f"Guest {self._chance.randrange(50)}")
            program.post("/api/leave", {}, Cookie=cookie)
            assert program.as_host("computer", seat=number)[0] == 200
        assert program.as_host("start")[0] == 200
        end = time.monotonic() + LONGEST_GAME_S
        while not self._stop.wait(0.5) and time.monotonic() < end and program.state()["phase"] != "over":
            pass
        self.games += 1

    def _visitor(self) -> None:
        """Look at the pages as a phone does: page, stream, some requests, gone."""
        link = http.client.HTTPConnection("127.0.0.1", self._program.port, timeout=20)
        stream = http.client.HTTPConnection("127.0.0.1", self._program.port, timeout=20)
        try:
            stream.request("GET", "/api/events")
            stream.getresponse().read(200)
            for path in ("/play", "/words.js", "/script/play.js", "/api/state", "/api/tickets"):
                link.request("GET", path)
                link.getresponse().read()
            self._stop.wait(self._chance.random() * 3)
        finally:
            link.close()
            stream.close()


def main() -> int:
    """Run for HOURS (1); return 1 if something has grown."""
    hours = float(os.environ.get("HOURS", "1"))
    ends = time.monotonic() + hours * 3600
    rows: list[tuple[float, dict[str, float]]] = []
    with tempfile.TemporaryDirectory(prefix="lodestone-soak-") as folder:
        program = Soaked(Path(folder))
        program.begin()
        evening = Evening(program)
        evening.begin()
        began = time.monotonic()
        print("minutes  memory MB  files  threads  journal MB  games  after", flush=True)
        try:
            for number in range(1 << 30):
                attack, connections, addresses = ATTACKS[number % len(ATTACKS)]
                with attacked(attack, program.port, connections, addresses):
                    time.sleep(ATTACK_S)  # The attack goes on for so long.
                time.sleep(QUIET_S)  # So long the program is left alone.
                row = program.sizes()
                minutes = (time.monotonic() - began) / 60
                rows.append((minutes, row))
                print(
                    f"{minutes:7.1f} {row['memory']:10.1f} {row['files']:6.0f} {row['threads']:8.0f} "
                    f"{row['journal']:11.2f} {evening.games:6}  {attack.__name__}",
                    flush=True,
                )
                if time.monotonic() > ends:
                    break
        finally:
            evening.end()
            program.end()
    return _judged(rows, evening)


def _judged(rows: list[tuple[float, dict[str, float]]], evening: Evening) -> int:
    late = [(minutes, row) for minutes, row in rows if minutes > WARM_MINUTES]
    print(json.dumps({"games": evening.games, "requests without an answer": evening.failed}))
    if len(late) < 8:
        print("too short to judge what grows: ten minutes and eight rows at least")
        return 0
    slope = linear_regression([minutes / 60 for minutes, _ in late], [row["memory"] for _, row in late]).slope
    print(f"memory after the first ten minutes: {slope:+.2f} MB an hour (at most {MOST_MB_AN_HOUR})")
    return int(slope > MOST_MB_AN_HOUR)


if __name__ == "__main__":
    sys.exit(main())
