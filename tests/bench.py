"""``make bench``: measured figures, with ratios to a reference in the same run.

Every ``tests/bench_*.py`` gives ``figures() -> list of (name, value, unit)``; this prints them all. A name says its
figure's bound, ``(at most: 20)`` or ``(at least: 5,000, compiled)``: those that miss it are named at the end, as is a
benchmark that fails, and the program exits with 1. What is said of the compiled form counts in that form only.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
import time
import traceback

import tests
from firmware_host.compile import COMPILED_FORM, form

_BOUND = re.compile(r"\(at (most|least): (?:[^()]* = )?([\d.,]*\d)(, compiled)?\)")


def main(wanted: list[str]) -> int:
    """Print the figures of every benchmark whose name contains one of the words given (none: all)."""
    print(form())
    missed: list[str] = []
    names = [module.name for module in pkgutil.iter_modules(tests.__path__) if module.name.startswith("bench_")]
    for name in names:
        if wanted and not any(word in name for word in wanted):
            continue
        began = time.perf_counter()
        print(f"\n{name.removeprefix('bench_')}", flush=True)
        try:
            figures = importlib.import_module(f"tests.{name}").figures()
        except Exception:  # noqa: BLE001 - the others are measured all the same
            traceback.print_exc()
            figures, missed = [], [*missed, f"{name.removeprefix('bench_')}: failed, see above"]
        for label, value, unit in figures:
            text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.3g}"
            print(f"  {label:<62} {text:>12} {unit}", flush=True)
            if misses(label, value):
                missed.append(f"{name.removeprefix('bench_')}: {label.strip()}: {text} {unit}")
        print(f"  ({time.perf_counter() - began:.1f} s)", flush=True)
    print("\nAll bounds are met." if not missed else "\nThese miss their bounds:")
    for line in missed:
        print(f"  {line}")
    return 1 if missed else 0


def misses(label: str, value: float) -> bool:
    """Return whether a figure misses the bound that its label says."""
    bound = _BOUND.search(label)
    if bound is None or (bound[3] and form() != COMPILED_FORM):
        return False
    limit = float(bound[2].replace(",", ""))
    return value > limit if bound[1] == "most" else value < limit


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
