"""How soon hard positions are decided and in how much memory: each in a process of its own, as a table asks.

The positions are those of the vectors that are called hard: mostly one colour, chosen because they resist.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

LONG = True

VECTORS = Path(__file__).parent / "vectors" / "spokes_search.jsonl"
NAMED = 40
"""The first so many are printed one by one."""
MEGABYTE = 1 << 20


class Engine:
    """An engine in a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "firmware_host.services.engine"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask({"do": "games"})
        self.before = self.peak()

    def ask(self, request: Mapping[str, object]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def peak(self) -> int:
        """Return the most memory that was ever resident, bytes."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) << 10

    def close(self) -> None:
        self._process.communicate()


def outcomes(cells: str, **fields: object) -> tuple[dict[str, Any], float, int, int]:
    """Return the answer, seconds, peak bytes, and bytes above what the engine itself takes."""
    engine = Engine()
    began = time.perf_counter()
    answer = engine.ask({"do": "outcomes", "game": "spokes", "position": f"{cells} 2 9 1 resolve -", **fields})
    seconds, peak = time.perf_counter() - began, engine.peak()
    engine.close()
    return answer, seconds, peak, peak - engine.before


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    lines = [json.loads(line) for line in VECTORS.read_text().splitlines()]
    hard = [line["cells"] for line in lines if line["kind"] == "hard"]
    rows = _decisions(hard)
    rows += _largest(max((line for line in lines if line["kind"] == "exact"), key=lambda line: line["positions"]))
    shares = [outcomes(cells, seconds=0.2)[1] for cells in hard[:NAMED]]
    rows.append(("a budget of 0.2 s: the latest answer after", max(shares), "s"))
    return rows


def _decisions(hard: list[str]) -> list[tuple[str, float, str]]:
    rows: list[tuple[str, float, str]] = []
    words = {True: "rest reachable", False: "no rest", None: "not decided"}
    found = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # Each position has a process, and a core, of its own.
        answers = list(pool.map(partial(outcomes, seconds=5), hard))
    for number, (cells, (answer, seconds, peak, _)) in enumerate(zip(hard, answers, strict=True), 1):
        found.append((answer["rest_reachable"], seconds, peak))
        if number <= NAMED:
            rows.append(
                (f"{number:2} {cells}", seconds, f"s, {peak / MEGABYTE:.0f} MB: {words[answer['rest_reachable']]}")
            )
    for name, part in ((f"the first {NAMED}", found[:NAMED]), (f"all {len(found)}", found)):
        decided = sum(reachable is not None for reachable, _, _ in part)
        rows += [
            (f"{name}: decided", decided, f"of {len(part)}"),
            (f"{name}: mean time", sum(seconds for _, seconds, _ in part) / len(part), "s"),
            (f"{name}: most memory", max(peak for _, _, peak in part) / MEGABYTE, "MB"),
        ]
    return rows


def _largest(line: Mapping[str, Any]) -> list[tuple[str, float, str]]:
    answer, seconds, _, more = outcomes(line["cells"], max_positions=5_000_000, seconds=120)
    assert answer["exact"]
    assert (answer["rests"], answer["loops"]) == (line["rests"], line["loops"])
    return [
        (f"all ends of a graph of {line['positions']:,} positions", seconds, "s"),
        ("memory for it", more / line["positions"], "bytes a position"),
    ]
