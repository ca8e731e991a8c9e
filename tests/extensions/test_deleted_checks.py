"""Without an extension's folder, and without any, all checks are green, and nothing is edited for that."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.extensions.amputated import ALL, NAMES, environment, without

CHECKS = (
    ("ruff", "check", "--quiet", "."),
    ("ruff", "format", "--quiet", "--check", "."),
    ("mypy", "--no-error-summary"),
    ("lint-imports",),
    ("pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "-m", "not thorough and not slow",
     "tests/text", "tests/games", "tests/table", "tests/sensing", "tests/boardfile", "tests/javascript"),
)  # fmt: skip
"""What ``make check`` does."""

pytestmark = pytest.mark.linux  # Copies of the repository share the libraries of this environment.


@pytest.mark.thorough
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("name", [*NAMES, ALL])
def test_the_checks_are_green_without_it(name: str, tmp_path: Path) -> None:
    copy = without(name, tmp_path)
    for command in (["git", "init", "-q"], ["git", "add", "-A"]):
        subprocess.run(command, cwd=copy, check=True)
    for check in CHECKS:
        run(copy, check)


def run(copy: Path, words: Sequence[str]) -> None:
    command = [str(Path(sys.executable).parent / words[0]), *words[1:]]
    done = subprocess.run(command, cwd=copy, env=environment(copy), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
