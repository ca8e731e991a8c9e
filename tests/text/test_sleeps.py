"""A test waits for conditions (``tests/waiting.py``); where one sleeps it says why."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
NO_TIME_PASSES = "clock"
"""A test's own clock."""


def test_every_sleep_says_why() -> None:
    silent, count = [], 0
    for path in sorted((ROOT / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if ".sleep(" not in text or path.name == "waiting.py":
            continue
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sleep":
                if ast.unparse(node.func.value).rpartition(".")[2] == NO_TIME_PASSES:
                    continue
                count += 1
                if "# " not in lines[node.lineno - 1]:
                    silent.append(f"{path.relative_to(ROOT)}:{node.lineno}: {lines[node.lineno - 1].strip()}")
    assert not silent, "wait for a condition, tests.waiting.eventually, or say why not"
    assert count > 20
