"""What each test costs in seconds of the processor, with all processes that it starts.

``pytest -p tests.costs --costs=FILE`` writes one JSON object a line: each test's ``call`` and ``fixtures`` (of the
worker alone), and ``others`` (its programs, browsers and engines, also while they only idle beside it); for each worker
what its ``start`` (imports of the test runner) and ``collection`` cost. ``python -m tests.costs FILE`` prints sums,
largest first.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TICKS = os.sysconf("SC_CLK_TCK")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", default="", help="write the processor time of each test to this file")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--costs"):
        config.pluginmanager.register(Costs(Path(config.getoption("--costs"))))


class Costs:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._others = 0.0
        self._shares = defaultdict[str, float](float)
        self._before = time.process_time()
        self._write(start=self._before)

    def _write(self, **line: Any) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"worker": os.environ.get("PYTEST_XDIST_WORKER", "main"), **line}) + "\n")

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        before = time.process_time()
        answer = yield
        self._write(collection=time.process_time() - before)
        return answer

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self) -> Iterator[None]:
        return (yield from self._timed("fixtures"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        return (yield from self._timed("call"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Iterator[None]:
        return (yield from self._timed("fixtures"))

    def _timed(self, share: str) -> Iterator[None]:
        before = time.process_time()
        try:
            return (yield)
        finally:
            self._shares[share] += time.process_time() - before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        started = time.monotonic()
        answer = yield
        wall = time.monotonic() - started
        # To look at all processes takes some milliseconds: those of quick tests are counted with the next one.
        others = others_of(os.getpid()) if wall > 0.02 else self._others
        # What has ended without being waited for has taken its time with it: a browser at the end of the last test.
        self._write(test=item.nodeid, wall=wall, others=max(0.0, others - self._others), **self._shares)
        self._shares.clear()
        self._others = others
        return answer

    def pytest_sessionfinish(self) -> None:
        self._write(whole=time.process_time(), others=others_of(os.getpid()))


def others_of(root: int) -> float:
    """Return the processor time of a process's descendants so far, in seconds, of those that have ended too."""
    children = defaultdict[int, list[int]](list)
    used: dict[int, float] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        process = int(entry)
        children[int(fields[1])].append(process)
        own, ended = sum(map(int, fields[11:13])), sum(map(int, fields[13:15]))
        used[process] = (ended if process == root else own + ended) / TICKS
    found, total = [root], 0.0
    while found:
        process = found.pop()
        total += used.get(process, 0.0)
        found += children[process]
    return total


def main(path: str) -> None:
    lines = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if "test" not in line:
            print(line)
    for depth in (1, 2, 3):
        sums = defaultdict[str, list[float]](lambda: [0.0] * 4)
        for line in lines:
            if "test" in line:
                file, _, rest = line["test"].partition("::")
                name = [file.rpartition("/")[0], file, f"{file}::{rest.partition('[')[0]}"][depth - 1]
                parts = [line.get("call", 0.0), line.get("fixtures", 0.0), line["others"], 1.0]
                sums[name] = [a + b for a, b in zip(sums[name], parts, strict=True)]
        print(f"\n{'all':>7} {'call':>7} {'fixt.':>7} {'others':>7} {'tests':>5}")
        for name, (*parts, count) in sorted(sums.items(), key=lambda one: -sum(one[1][:3]))[:150]:
            print(f"{sum(parts):7.2f} {' '.join(f'{part:7.2f}' for part in parts)} {count:5.0f} {name}")


if __name__ == "__main__":
    main(sys.argv[1])
