"""``make bench``: measured figures, with ratios to a reference in the same run.

Every ``tests/bench_*.py`` gives ``figures() -> list of (name, value, unit)``; this prints them all. A name says its
figure's bound, ``(at most: 20)`` or ``(at least: 5,000, compiled)``: those that miss it are named at the end, as is a
benchmark that fails, and the program exits with 1. What is said of the compiled form counts in that form only.

Each benchmark says how busy the machine was before and after it (the load of the last minute). What misses a bound is
measured once more, by itself: it counts if it misses it again. What takes minutes says ``LONG = True`` and is left to
``make bench-long``, or to whoever names it.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import time
import traceback
from pathlib import Path

from firmware_host.compile import COMPILED_FORM, form

_BOUND = re.compile(r"\(at (most|least): (?:[^()]* = )?([\d.,]*\d)(, compiled)?\)")


FOLDER = Path(__file__).parent
LONG = re.compile(r"^LONG = True$", re.MULTILINE)
"""What stands in a benchmark that takes minutes."""
LONG_ONLY = "--long"
Figures = list[tuple[str, float, str]]


def main(wanted: list[str]) -> int:
    """Print the figures of the benchmarks that are asked for; return the exit code."""
    print(form())
    names = asked(wanted)
    if not names:
        print(f"no benchmark has {' or '.join(wanted)} in its name")
        return 2
    missed, took = list[str](), dict[str, float]()
    for name in names:
        began = time.perf_counter()
        missed += missing(name)
        took[name.removeprefix("bench_")] = time.perf_counter() - began
    longest = ", ".join(
        f"{name} {seconds:.0f} s" for name, seconds in sorted(took.items(), key=lambda one: -one[1])[:3]
    )
    print(f"\n{sum(took.values()) / 60:.1f} minutes; the longest: {longest}")
    print("All bounds are met." if not missed else "These miss their bounds:")
    for line in missed:
        print(f"  {line}")
    return 1 if missed else 0


def missing(name: str) -> list[str]:
    """Run a benchmark, once more by itself if a bound is missed; return what misses its bound both times."""
    found, short = measured(name), name.removeprefix("bench_")
    if found is None:
        return [f"{short}: failed, see above"]
    again = {label for label, value, _ in found if misses(label, value)}
    if not again:
        return []
    print("  once more, by itself, as bounds were missed:", flush=True)
    return [
        f"{short}: {label.strip()}: {shown(value)} {unit}"
        for label, value, unit in measured(name) or found
        if label in again and misses(label, value)
    ]


def asked(wanted: list[str]) -> list[str]:
    """Return the benchmarks with one of these words in their names, or so called; without a word all but long ones."""
    names = sorted(modules(FOLDER))
    if wanted in ([], [LONG_ONLY]):
        long = long_ones(FOLDER)
        return [name for name in names if (name in long) == bool(wanted)]
    return [name for name in names if any(word == name or (word in name and word not in names) for word in wanted)]


def long_ones(folder: Path) -> list[str]:
    """Return the benchmarks of a folder that take minutes."""
    return sorted(name for name, path in modules(folder).items() if LONG.search(path.read_text(encoding="utf-8")))


def modules(folder: Path) -> dict[str, Path]:
    """Return the benchmarks of a folder and of those in it, by name."""
    return {path.stem: path for path in folder.rglob("bench_*.py")}


def measured(name: str) -> Figures | None:
    """Run a benchmark and print its figures; return None if it fails."""
    began, load = time.perf_counter(), os.getloadavg()[0]
    print(f"\n{name.removeprefix('bench_')}", flush=True)
    try:
        found: Figures | None = importlib.import_module(_module(name)).figures()
    except Exception:  # noqa: BLE001 - the others are measured all the same
        traceback.print_exc()
        found = None
    for label, value, unit in found or ():
        print(f"  {label:<62} {shown(value):>12} {unit}", flush=True)
    took = time.perf_counter() - began
    print(f"  ({took:.1f} s; load {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end)", flush=True)
    return found


def _module(name: str) -> str:
    path = modules(FOLDER)[name].relative_to(FOLDER.parent).with_suffix("")
    return ".".join(path.parts)


def shown(value: float) -> str:
    """Return a figure as it is printed."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.3g}"


def misses(label: str, value: float) -> bool:
    """Return whether a figure misses the bound that its label says."""
    bound = _BOUND.search(label)
    if bound is None or (bound[3] and form() != COMPILED_FORM):
        return False
    limit = float(bound[2].replace(",", ""))
    return value > limit if bound[1] == "most" else value < limit


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
