"""``make test-thorough``: every test that there is, each in its most thorough form, in shards for one night each.

``SHARD=3/12`` runs the third of twelve, ``SHARD=tonight`` the one whose turn it is, no ``SHARD`` all of them, and
``SHARD=red`` once more what was red in any: who has mended a test need not wait for its shard. There are units to run:
a file of tests that is run in one way (:data:`PARTS`), or all checks of ``make lint``. A unit has its shard and its
cost in ``tests/shards.json``. A run corrects the costs that it measures. Shards stay until ``make shards`` cuts anew:
no test slips from a shard that runs tomorrow into one that ran yesterday. What is not listed yet has a shard by its
name: no file is ever in none. What a shard has shown is written to ``docs/thorough.json``, and from there to the table
of ``docs/testing.md``.

No plug-in for pytest does this (pytest-split cuts the tests of one run of pytest): there are four ways to run here, and
what needs the same large tool stays in one shard.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any
from zlib import crc32

from tests.bench import long_ones

ROOT = Path(__file__).parents[1]
PARTS = ("lint", "main", "plain", "pi", "bench")
"""Ways to run: ``make lint``; the tests; those of compiled games and searches in plain Python; those of a Pi; long
benchmarks."""
COMMANDS = {"lint": ["make", "lint"], "bench": [sys.executable, "-m", "tests.bench"]}
"""Those that are no runs of pytest."""
THOROUGH = ("-m", "", "--hypothesis-profile=thorough", "--timeout=1800")
"""What makes tests thorough. A hundred times the work, on a busy machine too, takes longer than what ends a hang in
``make test``."""
ALWAYS = ("need-chromium", "need-micropython", "need-avr", "need-mosquitto")
LARGE = {
    "need-pyodide": r"^main .*/test_in_a_tab\.py",
    "need-kicad": r"^main .*/test_(kicad|circuit_boards|legs)\.py",
    "need-engines": r"^main .*/test_(engines|in_a_tab)\.py",
    "need-qemu": r"^pi (?!.*userland)",
    "need-userland": r"^pi .*userland",
}
"""Tools that only some units need, and which. A shard without them does not install them."""
TOGETHER = ("need-kicad", "need-qemu")
"""Units that need one of these are in the same shard: it takes a gigabyte, or minutes to start."""
OLD_COMMITS, OLD_DAYS = 300, 14
HEAD = "| shard | tests | skipped | minutes | commit | date | red | mended since |\n|---|---|---|---|---|---|---|---|\n"


@dataclass(frozen=True)
class Shown:
    """What a shard has shown when it was run last."""

    tests: int
    skipped: int
    minutes: float
    commit: str
    date: str
    failures: Sequence[str]
    mended: Mapping[str, str] = field(default_factory=dict)
    """What was red, and the commit at which it passed by itself."""


class Shards:
    """All that there is to run in a folder, and how it is cut."""

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._cut_file = root / "tests/shards.json"
        self._shown_file = root / "docs/thorough.json"
        listed = json.loads(self._cut_file.read_text(encoding="utf-8"))
        self.count: int = listed["count"]
        self._units: dict[str, tuple[int, float]] = {name: (one[0], one[1]) for name, one in listed["units"].items()}

    def units(self) -> list[str]:
        """Return the names of all units: ``main tests/table/test_lights.py``."""
        every = sorted(str(path.relative_to(self._root)) for path in self._root.glob("tests/**/test_*.py"))
        compiled = [
            path.parent.name
            for path in self._root.glob("firmware_host/**/__init__.py")
            if re.search(r"^COMPILED\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        ]
        in_plain = re.compile(
            rf"tests/(searching/.*|games/test_({'|'.join(compiled)}).*|services/test_(engine|conformance)\.py)"
        )
        return [
            "lint lint",
            *(f"main {file}" for file in every if not file.startswith("tests/pi/")),
            *(f"plain {file}" for file in every if in_plain.fullmatch(file)),
            *(f"pi {file}" for file in every if file.startswith("tests/pi/")),
            *(f"bench {name}" for name in long_ones(self._root / "tests")),
        ]

    def shard_of(self, unit: str) -> int:
        """Return the number of the one shard that a unit belongs to, from 1."""
        return self._units[unit][0] if unit in self._units else crc32(_block(unit).encode()) % self.count + 1

    def of(self, shard: int) -> dict[str, list[str]]:
        """Return what a shard runs: part → files."""
        mine = defaultdict[str, list[str]](list)
        for unit in self.units():
            if self.shard_of(unit) == shard:
                part, _, file = unit.partition(" ")
                mine[part].append(file)
        return mine

    def cut(self, count: int) -> None:
        """Cut all units anew into so many shards, by what they cost; what is new costs as much as the mean."""
        costs = {unit: self._units[unit][1] for unit in self.units() if unit in self._units}
        mean = sum(costs.values()) / max(len(costs), 1)
        self._units = cut({unit: costs.get(unit, mean) for unit in self.units()}, count)
        self.count = count
        self._save_cut()

    def minutes_of(self, shard: int) -> float:
        """Return how long a shard is expected to take on two cores."""
        return sum(cost for number, cost in self._units.values() if number == shard) / 60

    def _save_cut(self) -> None:
        lines = [f"{json.dumps(name)}: {json.dumps(self._units[name])}" for name in sorted(self._units)]
        text = f'{{"count": {self.count}, "units": {{\n' + ",\n".join(lines) + "\n}}\n"
        self._cut_file.write_text(text, encoding="utf-8")

    def run(self, shard: int, workers: int, more: Sequence[str] = ()) -> bool:
        """Run a shard, and return whether nothing failed. With ``more`` words for pytest nothing is written down."""
        began, commit, mine = time.monotonic(), self.commit(), self.of(shard)
        units = [f"{part} {file}" for part, files in mine.items() for file in files]
        tools = [*ALWAYS, *(tool for tool, needed in LARGE.items() if any(re.search(needed, unit) for unit in units))]
        failures = [tool for tool in tools if self._call([f"tests/{tool}"])]
        counted, costs = [0, 0], dict[str, float]()
        for part in PARTS:
            if part not in mine:
                continue
            print(f"shard {shard}/{self.count}: {part}, {len(mine[part])} files", flush=True)
            if part in COMMANDS:
                for name in mine[part]:
                    started = time.monotonic()
                    failures += [f"{part} {name}"] * bool(self._call(_command(part, name)))
                    costs[f"{part} {name}"] = time.monotonic() - started
                continue
            with tempfile.TemporaryDirectory() as folder:
                told = self._pytest(part, mine[part], workers, Path(folder), more)
            failures += told.failures
            counted = [counted[0] + told.tests, counted[1] + told.skipped]
            costs |= told.costs
        if not more:
            minutes = round((time.monotonic() - began) / 60, 1)
            today = date.today().isoformat()
            self._write_down(shard, Shown(counted[0], counted[1], minutes, commit, today, failures), costs)
        return not failures

    def run_red(self, workers: int) -> bool:
        """Run once more what was red in any shard, and return whether nothing is red now.

        What names no test ("pytest ended with 2", a tool that is missing) stays until the whole shard is run.
        """
        commit, shown = self.commit(), self.shown()
        red = {name for one in shown.values() for name in one.failures}
        passed = set[str]()
        for part in PARTS:
            names = [name.partition(" ")[2] for name in sorted(red) if name.startswith(f"{part} ")]
            if part in COMMANDS:
                passed |= {f"{part} {name}" for name in names if not self._call(_command(part, name))}
            elif names:
                with tempfile.TemporaryDirectory() as folder:
                    passed |= self._pytest(part, names, workers, Path(folder), ()).passed
        for name, one in shown.items():
            mended = {test: commit for test in one.failures if test in passed}
            left = [test for test in one.failures if test not in passed]
            self._save_shown(name, replace(one, failures=left, mended={**one.mended, **mended}))
        return red <= passed

    def _call(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> int:
        return subprocess.run(command, cwd=self._root, env=env, check=False).returncode

    def _pytest(self, part: str, files: Sequence[str], workers: int, folder: Path, more: Sequence[str]) -> Ran:
        report, costs = folder / "report.xml", folder / "costs"
        costs.touch()
        at_once = () if part == "pi" else (f"--numprocesses={workers}", "--dist=worksteal")
        command = [sys.executable, "-m", "pytest", "--quiet", *THOROUGH, *at_once, "-p", "tests.costs"]
        command += [f"--costs={costs}", f"--junitxml={report}", *more, *files]
        env = {**os.environ, **({"LODESTONE_PURE": "1"} if part == "plain" else {})}
        ended = self._call(command, env)
        failures, passed, tests, skipped = list[str](), set[str](), 0, 0
        if report.exists():
            for case in ET.parse(report).iter("testcase"):
                found = {child.tag for child in case}
                tests += 1
                skipped += "skipped" in found
                name = f"{part} {case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
                if found & {"failure", "error"}:
                    failures.append(name)
                elif "skipped" not in found:
                    passed.add(name)
        if ended > 1 or (ended and not failures):  # More than red tests: it was ended, or could not begin.
            failures.append(f"{part}: pytest ended with {ended}")
        spent = defaultdict[str, float](float)
        for line in map(json.loads, costs.read_text(encoding="utf-8").splitlines()):
            if "test" in line:
                of_cores = (line.get("call", 0.0) + line.get("fixtures", 0.0) + line["others"]) / 2
                spent[f"{part} {line['test'].partition('::')[0]}"] += line["wall"] if part == "pi" else of_cores
        return Ran(tests, skipped, failures, passed - {*failures}, spent)

    def commit(self) -> str:
        """Return the commit that is checked out; with a + if something was changed since."""

        def git(*words: str) -> str:
            done = subprocess.run(["git", *words], cwd=self._root, capture_output=True, text=True, check=False)
            return done.stdout.strip()

        changed = git("status", "--porcelain", "--", ".", *(f":!{name}" for name in WRITTEN))
        return git("rev-parse", "--short=8", "HEAD") + "+" * bool(changed)

    def shown(self) -> dict[str, Shown]:
        """Return what each shard of today's cut has shown: ``3/12`` → when it was run last."""
        try:
            told = json.loads(self._shown_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        names = [f"{shard}/{self.count}" for shard in range(1, self.count + 1)]
        return {name: Shown(**told[name]) for name in names if name in told}

    def _write_down(self, shard: int, shown: Shown, costs: Mapping[str, float]) -> None:
        for unit, cost in costs.items():
            self._units[unit] = (self.shard_of(unit), round(cost, 1))
        self._save_cut()
        self._save_shown(f"{shard}/{self.count}", shown)

    def _save_shown(self, name: str, shown: Shown) -> None:
        ordered = sorted({**self.shown(), name: shown}.items(), key=lambda one: int(one[0].partition("/")[0]))
        told = {name: asdict(one) for name, one in ordered}
        self._shown_file.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        self.write_table()

    def write_table(self) -> None:
        """Bring the table of docs/testing.md up to date."""
        page = self._root / "docs/testing.md"
        text = page.read_text(encoding="utf-8")
        before, _, rest = text.partition(HEAD)
        page.write_text(before + self.table() + re.sub(r"\A(\|.*\n)*", "", rest), encoding="utf-8")

    def table(self) -> str:
        """Return the table: a line for each shard, those that were never run, too."""
        shown, lines = self.shown(), [HEAD]
        for shard in range(1, self.count + 1):
            one = shown.get(f"{shard}/{self.count}")
            cells = (
                ["", "", f"({self.minutes_of(shard):.0f} expected)", "", "", "not run yet", ""]
                if one is None
                else [
                    f"{one.tests:,}",
                    one.skipped,
                    one.minutes,
                    one.commit,
                    one.date,
                    len(one.failures) or "",
                    _mended(one),
                ]
            )
            lines.append(f"| {shard}/{self.count} | {' | '.join(map(str, cells))} |\n")
        return "".join(lines)

    def old(self, today: date) -> list[str]:
        """Return the shards that nobody has run for long: never, or not for so many commits or days."""
        shown, found = self.shown(), list[str]()
        for name in (f"{shard}/{self.count}" for shard in range(1, self.count + 1)):
            if name not in shown:
                found.append(f"{name} (never)")
                continue
            days = (today - date.fromisoformat(shown[name].date)).days
            commits = self._commits_since(shown[name].commit.rstrip("+"))
            if days > OLD_DAYS or commits > OLD_COMMITS:
                found.append(f"{name} ({days} days, {commits} commits)")
        return found

    def _commits_since(self, commit: str) -> int:
        """Return how many commits there are since; 0 where git does not know it, as in a shallow clone."""
        command = ["git", "rev-list", "--count", f"{commit}..HEAD"]
        done = subprocess.run(command, cwd=self._root, capture_output=True, text=True, check=False)
        return int(done.stdout) if done.returncode == 0 else 0


WRITTEN = ("tests/shards.json", "docs/thorough.json", "docs/testing.md")
"""What a run writes: it makes no commit another one."""


@dataclass(frozen=True)
class Ran:
    """What one call of pytest has told; the seconds that each unit took of a machine with two cores."""

    tests: int
    skipped: int
    failures: list[str]
    passed: set[str]
    costs: Mapping[str, float]


def _command(part: str, name: str) -> list[str]:
    return [*COMMANDS[part], *([name] if part == "bench" else [])]


def _mended(shown: Shown) -> str:
    """Return how many red tests pass since, and at which commits."""
    return ", ".join(f"{count} at {commit}" for commit, count in Counter(shown.mended.values()).items())


def _block(unit: str) -> str:
    """Return the name of what a unit can't be cut from: of its large tool, or its own."""
    return next((tool for tool in TOGETHER if re.search(LARGE[tool], unit)), unit)


def cut(costs: Mapping[str, float], count: int) -> dict[str, tuple[int, float]]:
    """Return unit → shard and cost: the largest block first, each to the shard that has least so far."""
    blocks = defaultdict[str, list[str]](list)
    for unit in costs:
        blocks[_block(unit)].append(unit)
    sums = {name: sum(costs[unit] for unit in units) for name, units in blocks.items()}
    loads = [(0.0, shard) for shard in range(1, count + 1)]
    heapq.heapify(loads)
    found: dict[str, tuple[int, float]] = {}
    for name in sorted(blocks, key=lambda name: (-sums[name], name)):
        load, shard = heapq.heappop(loads)
        found |= {unit: (shard, round(costs[unit], 1)) for unit in blocks[name]}
        heapq.heappush(loads, (load + sums[name], shard))
    return found


def wanted(words: str, count: int, today: date) -> list[int]:
    """Return the numbers of the shards that are asked for. Raise ValueError, saying what can be asked for."""
    if words == "all":
        return list(range(1, count + 1))
    if words == "tonight":
        return [today.toordinal() % count + 1]
    asked = re.fullmatch(r"(\d+)/(\d+)", words)
    if asked is None or not 1 <= int(asked[1]) <= count or int(asked[2]) != count:
        raise ValueError(f"SHARD={words}: say 1/{count} to {count}/{count}, tonight, or red (make shards cuts anew)")
    return [int(asked[1])]


def main(words: Sequence[str], root: Path = ROOT) -> int:
    """Run shards, cut them anew, or say which are old; return the exit code."""
    parser = argparse.ArgumentParser(prog="tests.shards")
    parser.add_argument("shard", nargs="?", default="all")
    parser.add_argument("--workers", type=int, default=(os.cpu_count() or 1) + 2)
    parser.add_argument("--args", default="", help="more words for pytest; then nothing is written down")
    parser.add_argument("--cut", type=int, help="cut anew into so many shards: at most one a night for OLD_DAYS")
    parser.add_argument("--old", action="store_true", help="say which were not run for long")
    told: Any = parser.parse_args(words)
    shards = Shards(root)
    if told.cut:
        shards.cut(told.cut)
        shards.write_table()
        print("minutes expected on two cores:", *(f"{shards.minutes_of(one + 1):.0f}" for one in range(shards.count)))
        return 0
    if told.old:
        say_old(shards.old(date.today()))
        return 0
    if told.shard == "red":
        return 0 if shards.run_red(told.workers) else 1
    try:
        asked = wanted(told.shard, shards.count, date.today())
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    failed = [one for one in asked if not shards.run(one, told.workers, shlex.split(told.args))]
    return 1 if failed else 0


def say_old(names: Iterable[str]) -> None:
    """Say which shards are old; nothing, if none is."""
    if told := ", ".join(names):
        print(f"Not run for {OLD_COMMITS} commits or {OLD_DAYS} days (make test-thorough SHARD=…): {told}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
