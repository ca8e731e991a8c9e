"""What the script of the page works out by itself, tested by ``node --test``."""

from __future__ import annotations

from pathlib import Path

from tests.javascript.node import node


def test_proof_check() -> None:
    told = node("--test", "--test-reporter=tap", str(Path(__file__).parent / "proof_check.test.mjs"))
    assert "# fail 0" in told
    assert "# pass 0" not in told
