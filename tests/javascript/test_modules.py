"""What the scripts of the pages work out by themselves, tested by ``node --test``."""

from __future__ import annotations

import re

import pytest

from tests.javascript.node import HERE, STATIC, node

TESTS = sorted(path.name for path in HERE.glob("*.test.mjs"))


def test_there_are_tests() -> None:
    assert {f"{name}.test.mjs" for name in ("steps", "lines", "tiles", "arrows", "seal")} <= set(TESTS)


@pytest.mark.parametrize("name", TESTS)
def test_module(name: str) -> None:
    told = node("--test", "--test-reporter=tap", str(HERE / name))
    assert "# fail 0" in told
    assert "# pass 0" not in told


def test_no_line_is_wider_than_120_columns() -> None:
    """A sentence stands on one line, however long it is: catalogues name it whole."""
    folders = [STATIC]
    scripts = [path for folder in folders for path in folder.rglob("*.js") if path.parent.name != "vendor"]
    assert len(scripts) > 30
    wide = [
        f"{path.name}:{number}"
        for path in scripts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(re.sub(r'"(?:[^"\\]|\\.){60,}"', '"…"', line)) > 120
    ]
    assert wide == []
