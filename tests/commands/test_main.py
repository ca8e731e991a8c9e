"""The command starts with Lodestone's own packages, or says which other ones hide them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_host.__main__ import hidden_packages

LODESTONE = Path(sys.executable).parent / "lodestone"


def test_here_nothing_is_hidden() -> None:
    assert hidden_packages() == []


@pytest.mark.parametrize(("name", "file"), [("hw", "hw/__init__.py"), ("simulator", "simulator.py")])
def test_a_package_that_hides_ours_is_named_with_its_place_and_the_remedy(tmp_path: Path, name: str, file: str) -> None:
    other = tmp_path / file
    other.parent.mkdir(exist_ok=True)
    other.write_text("VERSION = 1\n")
    done = subprocess.run(
        [LODESTONE, "--version"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"package '{name}'" in done.stderr
    assert f"hidden by {tmp_path / file.split('/', maxsplit=1)[0]}" in done.stderr
    assert "environment of its own" in done.stderr
