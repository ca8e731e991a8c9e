"""``make bench``: measured figures, with ratios to a reference in the same run.

Every ``tests/bench_*.py`` gives ``figures() -> list of (name, value, unit)``; this prints them all.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import time

import tests
from firmware_host.compile import form


def main(wanted: list[str]) -> int:
    """Print the figures of every benchmark whose name contains one of the words given (none: all)."""
    print(form())
    names = [module.name for module in pkgutil.iter_modules(tests.__path__) if module.name.startswith("bench_")]
    for name in names:
        if wanted and not any(word in name for word in wanted):
            continue
        began = time.perf_counter()
        print(f"\n{name.removeprefix('bench_')}", flush=True)
        for label, value, unit in importlib.import_module(f"tests.{name}").figures():
            text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.3g}"
            print(f"  {label:<62} {text:>12} {unit}", flush=True)
        print(f"  ({time.perf_counter() - began:.1f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
