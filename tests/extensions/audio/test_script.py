"""Which tones a change has, tested by ``node --test``."""

from __future__ import annotations

from pathlib import Path

from tests.javascript.node import node


def test_tones() -> None:
    told = node("--test", "--test-reporter=tap", str(Path(__file__).parent / "tones.test.mjs"))
    assert "# fail 0" in told
    assert "# pass 0" not in told
