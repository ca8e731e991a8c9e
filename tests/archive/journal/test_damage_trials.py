"""However its files are damaged, a journal never loses a committed event silently: one of two copies is enough."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from firmware_host.archive.journal import Journal, JournalError
from tests.archive.journal.damage import COPY, HARMS, WAL, Left, left_behind
from tests.sampling import few


def try_out(tmp_path: Path, moments: list[Left], trials: int, seed: int, files: tuple[str, ...]) -> Counter[str]:
    """Damage these files in many ways; return how often a loss was told, and how often nothing was lost."""
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for trial in range(trials):
        left = moments[trial % len(moments)]
        harm = HARMS[trial // len(moments) % len(HARMS)]
        changed = {name: left.harmed(name, harm, rng) for name in files}
        path = left.lay(tmp_path / f"{seed}-{trial}", changed.get(WAL), changed.get(COPY))
        where = f"trial {trial}: {harm.__name__} of {files} of {len(left.entries)} events"
        verified = _verified(path)
        journal = Journal(path)
        kept = journal.entries("g1")
        journal.verify()
        assert kept == left.entries[: len(kept)], where
        if len(kept) < len(left.entries):
            assert len(journal.faults) == 1, where
            assert "lost" in journal.faults[0] or "nothing is left" in journal.faults[0], where
            assert not verified, f"{where}: verified before it was opened to play"
        seen["lost and told" if len(kept) < len(left.entries) else "all there"] += 1
        seen["told"] += len(journal.faults)
        journal.append("g1", "action", {"n": -1}, "2026-11-21T11:00:00.000+00:00")
        journal.close()
        assert _verified(path), f"{where}: what goes on from there is a journal again"
    return seen


def _verified(path: Path) -> bool:
    try:
        reader = Journal(path, writer=False)
    except JournalError:
        return False
    try:
        reader.verify()
    except JournalError:
        return False
    finally:
        reader.close()
    return True


@pytest.mark.parametrize("file", few([WAL, COPY], 1))
def test_damage_to_one_of_two_copies_loses_nothing(tmp_path: Path, file: str) -> None:
    moments = left_behind(tmp_path / "live", [7, 31, 33, 45, 64, 79])
    seen = try_out(tmp_path, moments, 30, seed=1, files=(file,))
    assert seen["all there"] == 30
    assert seen["told"] > 5


def test_damage_to_both_never_loses_anything_in_silence(tmp_path: Path) -> None:
    moments = left_behind(tmp_path / "live", [7, 31, 33, 45, 64, 79])
    seen = try_out(tmp_path, moments, 60, seed=8, files=(WAL, COPY))
    assert seen["lost and told"] > 0
    assert seen["all there"] > 15


@pytest.mark.thorough
def test_nor_does_one_that_holds_a_whole_evening(tmp_path: Path) -> None:
    """As a program left it that did not move its log into the main file: all 90 events are in the log alone."""
    moments = left_behind(tmp_path / "live", [30, 90], checkpoints=False)
    assert try_out(tmp_path, moments, 12, seed=2, files=(WAL,))["all there"] == 12
    assert try_out(tmp_path, moments, 12, seed=3, files=(WAL, COPY))["told"] > 6


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_nor_does_it_in_a_thousand_trials(tmp_path: Path) -> None:
    moments = left_behind(tmp_path / "live", [*range(3, 31, 3), 31, 32, 33, 40, 47, 63, 64, 65, 70, 95, 241])
    seen = try_out(tmp_path, moments, 350, seed=4, files=(WAL,))
    seen += try_out(tmp_path, moments, 350, seed=5, files=(COPY,))
    assert seen["all there"] == 700
    seen += try_out(tmp_path, moments, 350, seed=6, files=(WAL, COPY))
    long = left_behind(tmp_path / "long", [100, 241], checkpoints=False)
    seen += try_out(tmp_path, long, 300, seed=7, files=(WAL, COPY))
    print(f"more than a thousand damaged files: {dict(seen)}")
    assert seen["lost and told"] > 100
