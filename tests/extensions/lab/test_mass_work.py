"""Mass work: the same results wherever units are done, each counted once, whoever is killed meanwhile."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.commands.cli import main
from firmware_host.extensions.lab import fit_phalanx, ladder, same_play
from firmware_host.games.registry import GAMES
from firmware_host.link import mass_work
from firmware_host.link.mass_work import (
    LeftOut,
    RowsFile,
    Workers,
    add_workers,
    complete,
    work,
    workers_of,
)
from firmware_host.platform import cores
from firmware_host.text.words import Refused
from tests.extensions.lab.cluster import DaskCluster, dask_cluster
from tests.extensions.lab.units import begun, deadly, draw, failing, hold
from tests.sampling import is_sample
from tests.waiting import eventually

UNITS = [(f"draw {seed}", (seed,)) for seed in range(12)]
ALONE = Workers()
TWICE = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskCluster]:
    with dask_cluster(1 if is_sample() else 2, **TWICE) as running:
        yield running


@pytest.fixture(params=["processes", pytest.param("cluster", marks=pytest.mark.thorough)])
def two(request: pytest.FixtureRequest) -> Workers:
    """Two processes of this machine, and two workers of a cluster."""
    if request.param == "processes":
        return Workers(2)
    return Workers(1, request.getfixturevalue("cluster").address)


class Beside:
    """Work that is done beside the test, in a thread."""

    def __init__(
        self, function: Callable[..., Any], units: list[tuple[Any, tuple[Any, ...]]], workers: Workers
    ) -> None:
        self.results: list[tuple[Any, Any]] = []
        self.error: Refused | None = None
        self._what = function, units, workers
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        function, units, workers = self._what
        try:
            for one in work(function, units, workers):
                self.results.append(one)
        except Refused as error:
            self.error = error

    def end(self) -> None:
        self._thread.join()


# -- who works ---------------------------------------------------------------------------------------------------------


def test_the_same_units_have_the_same_results_wherever_they_are_done(two: Workers) -> None:
    alone = dict(work(draw, UNITS, Workers()))
    assert list(alone) == [key for key, _ in UNITS]
    done = list(work(draw, UNITS, two))
    assert len(done) == len(UNITS)
    assert dict(done) == alone


@pytest.mark.slow
def test_a_killed_worker_costs_its_unit_only(two: Workers, tmp_path: Path) -> None:
    beside = Beside(hold, [(number, (tmp_path, number)) for number in range(6)], two)
    try:
        eventually(lambda: begun(tmp_path, 0) and begun(tmp_path, 1))
        os.kill(begun(tmp_path, 0)[0], signal.SIGKILL)
        eventually(lambda: len(begun(tmp_path, 0)) == 2)
    finally:
        (tmp_path / "go").touch()
        beside.end()
    assert beside.error is None
    assert sorted(beside.results) == [(number, {"number": number}) for number in range(6)]
    assert [len(begun(tmp_path, number)) for number in range(6)] == [2, 1, 1, 1, 1, 1]


@pytest.mark.slow
def test_a_unit_that_ends_its_process_again_and_again_is_left_out_and_named(two: Workers, tmp_path: Path) -> None:
    beside = Beside(deadly, [(f"unit {number}", (tmp_path, number, 2)) for number in range(6)], two)
    beside.end()
    assert isinstance(beside.error, LeftOut)
    assert "again: unit 2. It takes too much memory" in str(beside.error)
    assert beside.error.keys == ("unit 2",)
    assert sorted(key for key, _ in beside.results) == [f"unit {number}" for number in (0, 1, 3, 4, 5)]
    if two.scheduler is None:
        assert [len(begun(tmp_path, number)) for number in range(6)] == [1, 1, 3, 1, 1, 1]
    else:  # Then once more with nothing beside it. What waited at its worker, or was not fetched yet, is begun again.
        assert len(begun(tmp_path, 2)) == 2 * 2


@pytest.mark.thorough
def test_where_nothing_can_be_done_it_ends(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="ended before anything was done") as refused:
        list(work(deadly, [(number, (tmp_path, number, number)) for number in range(9)], Workers(2)))
    assert not isinstance(refused.value, LeftOut)
    # Three units are given up, and one beside them was on its way, perhaps for the last time, too.
    assert sum(len(begun(tmp_path, number)) for number in range(9)) <= mass_work.MAX_ENDS * (3 + 1)


def test_what_a_unit_raises_is_told(two: Workers) -> None:
    with pytest.raises(ValueError, match="no result for 0"):
        list(work(failing, [(0, (0,))], two))


def test_once_it_is_enough_no_more_is_begun(two: Workers, tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    done: list[Any] = []
    units = ((number, (tmp_path, number)) for number in range(1000))
    for key, _ in work(hold, units, two, enough=lambda: len(done) >= 3):
        done.append(key)
    assert len(done) == 3
    assert not begun(tmp_path, 20)


@pytest.mark.thorough
def test_workers_that_come_later_work_too_and_a_scheduler_that_ends_is_told(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    with dask_cluster(1) as growing:
        beside = Beside(hold, [(number, (first, number)) for number in range(2)], Workers(1, growing.address))
        try:
            eventually(lambda: begun(first, 0))
            growing.add_worker()
            eventually(lambda: begun(first, 1))
        finally:
            (first / "go").touch()
            beside.end()
        assert beside.error is None
        assert begun(first, 0) != begun(first, 1)
        beside = Beside(hold, [(number, (second, number)) for number in range(4)], Workers(1, growing.address))
        try:
            eventually(lambda: begun(second, 0))
            growing.end_scheduler()
            beside.end()
        finally:
            (second / "go").touch()
    assert isinstance(beside.error, Refused)
    assert "the Dask scheduler has ended" in str(beside.error)


@pytest.mark.thorough
def test_another_version_on_a_worker_is_told(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mass_work, "_version", lambda: "0.0.1")
    with pytest.raises(Refused, match=r"a worker has Lodestone \d.*, here it is 0\.0\.1: install one on all"):
        list(work(draw, UNITS, Workers(1, cluster.address)))


def test_a_worker_that_lacks_a_module_is_told(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("def one():\n    return 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        function = importlib.import_module("only_here").one
        with pytest.raises(Refused, match="worker can't import what it needs: No module named 'only_here'"):
            list(work(function, [(0, ())], Workers(1, cluster.address)))
    finally:
        sys.modules.pop("only_here", None)


@pytest.mark.thorough
def test_nothing_of_dask_is_imported_without_a_scheduler() -> None:
    program = (
        "import sys\n"
        "from firmware_host.commands.cli import main\n"
        "from firmware_host.link.mass_work import Workers, work\n"
        "from tests.extensions.lab.units import draw\n"
        "if __name__ == '__main__':\n"
        "    assert len(list(work(draw, [(n, (n,)) for n in range(3)], Workers(2)))) == 3\n"
        "    print([name for name in sys.modules if name.partition('.')[0] in {'dask', 'distributed'}])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_options_say_who_works() -> None:
    parser = argparse.ArgumentParser()
    add_workers(parser)
    assert workers_of(parser.parse_args([])) == Workers(cores())
    assert workers_of(parser.parse_args(["--workers", "3"])) == Workers(3)
    assert workers_of(parser.parse_args(["--scheduler", "tcp://x:1"])).scheduler == "tcp://x:1"


# -- what was done -----------------------------------------------------------------------------------------------------


def completed(path: Path, seeds: range, workers: Workers = ALONE) -> list[Any]:
    units = {f"draw {seed}": (seed,) for seed in seeds}
    return list(complete(RowsFile(path), draw, units, workers, title="drawing", unit="draw"))


def test_what_a_file_holds_is_not_done_again(tmp_path: Path) -> None:
    out = tmp_path / "new folder" / "rows.jsonl"
    first = completed(out, range(4))
    kept = out.read_text()
    assert completed(out, range(7), Workers(2))[:4] == first
    assert out.read_text().startswith(kept)
    assert len(out.read_text().splitlines()) == 7
    whole = out.read_text()
    assert completed(out, range(7)) == completed(tmp_path / "again", range(7))
    assert out.read_text() == whole


def test_joined_files_add_up_and_a_unit_done_twice_counts_once(tmp_path: Path) -> None:
    one, other, both = (tmp_path / name for name in ("one", "other", "both"))
    completed(one, range(4))
    completed(other, range(2, 6))
    both.write_text(one.read_text() + other.read_text())
    assert len(RowsFile(both).rows) == 6
    assert completed(both, range(6)) == completed(tmp_path / "alone", range(6))
    assert len(both.read_text().splitlines()) == 8


def test_half_a_line_of_a_killed_run_is_done_again(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    completed(out, range(3))
    out.write_text(out.read_text()[:-9])
    assert len(RowsFile(out).rows) == 2
    completed(out, range(3))
    assert len(out.read_text().splitlines()) == len(RowsFile(out).rows) == 3


@pytest.mark.parametrize("line", ["half", '{"number": 3}', '{"key": 3}', "[]"])
def test_a_damaged_line_is_named(line: str, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    completed(out, range(2))
    out.write_text(f"{out.read_text()}{line}\n")
    with pytest.raises(Refused, match=r"--out: .*rows\.jsonl, line 3: .*Remove the line to go on"):
        RowsFile(out)


# -- who uses it -------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_ladder_on_a_cluster_measures_the_same(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladder, "GAMES", {"phalanx": GAMES["phalanx"]})
    monkeypatch.setattr(same_play, "SAME", tmp_path / "same_play.json")
    monkeypatch.setattr(same_play, "GAMES", {})
    found = []
    for name, who in (("alone", ["--workers", "1"]), ("cluster", ["--scheduler", cluster.address])):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(ladder, "KEPT", tmp_path / name)
        monkeypatch.setattr(ladder, "PAGE", tmp_path / name / "strength.md")
        assert ladder.main(["--games", "4", "--pair", "level:1,random", *who]) == 0
        rows = [json.loads(line) for line in (tmp_path / name / "phalanx.jsonl").read_text().splitlines()]
        for row in rows:
            for side in ("a", "b"):
                del row["used"][side]["seconds"]
        found.append(sorted(rows, key=lambda row: (row["opening"], row["team"])))
    assert found[0] == found[1]
    assert len(found[0]) == 4


@pytest.mark.thorough
def test_soaking_on_a_cluster_gives_the_same(cluster: DaskCluster, tmp_path: Path) -> None:
    found = []
    for name, who in (("alone", ["--workers", "1"]), ("cluster", ["--scheduler", cluster.address])):
        asked = ["soak", "--evenings", "4", "--turns", "2", "--kind", "presence", *who]
        assert main([*asked, "--out", str(tmp_path / name)]) == 0
        found.append(sorted((tmp_path / name).read_text().splitlines()))
    assert found[0] == found[1]
    assert len(found[0]) == 4


@pytest.mark.thorough
def test_puzzles_made_on_a_cluster_are_the_same(cluster: DaskCluster, tmp_path: Path) -> None:
    pytest.importorskip("firmware_host.extensions.puzzles")
    found = []
    for name, who in (("alone", ["--workers", "1"]), ("cluster", ["--scheduler", cluster.address])):
        out = tmp_path / f"{name}.jsonl"
        asked = ["puzzles", "make", "octiles", "--count", "3", "--seconds", "100000", "--data", str(tmp_path / name)]
        assert main([*asked, *who, "--out", str(out)]) == 0
        found.append(sorted(out.read_text().splitlines()))
    assert found[0] == found[1]
    assert len(found[0]) == 3


@pytest.mark.thorough
def test_a_player_learns_the_same_on_a_cluster(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for name, who in (("alone", ["--workers", "1"]), ("cluster", ["--scheduler", cluster.address])):
        monkeypatch.setattr(fit_phalanx, "FILE", tmp_path / f"{name}.py")
        asked = ["--games", "20", "--nodes", "10", "--rounds", "1", "--samples", str(tmp_path / name)]
        assert fit_phalanx.main([*asked, *who]) == 0
        found.append((tmp_path / f"{name}.py").read_text())
    assert found[0] == found[1]
