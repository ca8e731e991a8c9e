"""What the scripts of the pages work out by themselves, tested by ``node --test``."""

from __future__ import annotations

import pytest

from tests.javascript.node import HERE, node

TESTS = sorted(path.name for path in HERE.glob("*.test.mjs"))


def test_there_are_tests() -> None:
    assert {f"{name}.test.mjs" for name in ("steps", "lines", "tiles", "arrows", "seal", "proof_check")} <= set(TESTS)


@pytest.mark.parametrize("name", TESTS)
def test_module(name: str) -> None:
    told = node("--test", "--test-reporter=tap", str(HERE / name))
    assert "# fail 0" in told
    assert "# pass 0" not in told
