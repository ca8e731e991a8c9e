"""The panel's scripts import one another without a circle."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMPORTED = re.compile(r"""^(?:import|export)\b[^;]*?["'](\.[^"']+\.js)["']""", re.MULTILINE)


def test_no_script_imports_itself_in_the_end() -> None:
    scripts = sorted((ROOT / "web_panel/static").rglob("*.js"))
    imports = {
        path: {(path.parent / name).resolve() for name in IMPORTED.findall(path.read_text(encoding="utf-8"))}
        for path in scripts
    }
    assert any(imports.values())
    order = list(TopologicalSorter(imports).static_order())  # It raises CycleError, naming the circle.
    assert set(order) >= set(scripts)
