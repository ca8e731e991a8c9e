"""The rows of docs/verified.md about hands: ``python -m tests.hands.report [BOARDS [ACTIONS]]``.

BOARDS for each family of disorder, in all its phases; ACTIONS by strange hands for each game and kind of sensing; and
evenings with strangers. Without numbers it takes hours. Each fault is printed, and returns 1.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from tests.bench_hands import ROWS, follow
from tests.hands.account import Account, Lost
from tests.hands.disorder import FAMILIES
from tests.hands.evening import ACTIONS, SENSED, run
from tests.hands.race import race
from tests.hands.test_stranger import play

FIRST = 50_000
"""The first seed: other boards than those of the tests."""
Job = tuple[str, str, str, int]
R = TypeVar("R")


def main(boards: int = 2_000, actions: int = 20_000) -> int:
    """Print all rows; return whether anything was wrong."""
    faults: list[str] = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        print("| disorder, then obedience | phase | boards |", " | ".join(ROWS), "|")
        print("|---|---|---|" + "---|" * len(ROWS))
        for family in FAMILIES:
            for phase, (count, found) in follow(pool, family, boards, FIRST).items():
                kinds = [sum(fault.kind == kind for fault in found) for kind in ROWS]
                print(f"| {family} | {phase} | {count} |", " | ".join(map(str, kinds)), "|", flush=True)
                faults += _told(fault.text for fault in found)
        print("\n| game | sensing | actions by strange hands | faults | strangers' evenings | their actions | faults |")
        print("|---|---|---|---|---|---|---|")
        for name, modes, kinds_of in SENSED:
            for kind in kinds_of:
                faults += _hands(pool, name, modes, kind, actions)
        games = [(mode, kind, seed) for mode in "234" for kind in ("presence", "coded") for seed in range(20)]
        ends = list(pool.map(_race, games))
        print(f"\nOctiles to its natural end: {sum(ended for _, ended in ends)} of {len(ends)} games")
        faults += _told(fault for account, _ in ends for fault in account.faults)
    return bool(faults)


def _told(faults: Iterable[str]) -> list[str]:
    """Print faults where a row has some, beside the table; return them."""
    found = list(faults)
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr, flush=True)
    return found


def _hands(pool: ProcessPoolExecutor, name: str, modes: tuple[str, ...], kind: str, actions: int) -> list[str]:
    """Print the row of a game and a kind of sensing; return its faults."""
    total = Account()
    for first in itertools.count(FIRST, 40):
        jobs: list[Job] = [(name, modes[seed % len(modes)], kind, seed) for seed in range(first, first + 40)]
        for job, account in zip(jobs, pool.map(_run, jobs), strict=True):
            total.add(account)
            total.faults[len(total.faults) - len(account.faults) :] = [f"{job}: {fault}" for fault in account.faults]
        if total.actions >= actions:
            break
    jobs = [(name, modes[seed % len(modes)], kind, seed) for seed in range(FIRST, FIRST + actions // ACTIONS)]
    strange = list(pool.map(_stranger, jobs))
    wrong = [text for _, text in strange if text]
    counts = total.actions, len(total.faults), len(jobs), sum(count for count, _ in strange), len(wrong)
    print(f"| {name} | {kind} |", " | ".join(map(str, counts)), "|", flush=True)
    return _told(total.faults + wrong)


def _run(job: Job) -> Account:
    return run(*job)


def _stranger(job: Job) -> tuple[int, str]:
    try:
        return play(*job), ""
    except Lost as lost:
        return 0, f"stranger {job}: {lost}"


def _race(job: tuple[str, str, int]) -> tuple[Account, bool]:
    return race(*job)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
