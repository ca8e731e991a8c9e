"""docs/templates: each is installed beside the wheel into an empty environment, and its own tests pass there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "docs" / "templates"


def run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.thorough
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", sorted(path.name for path in TEMPLATES.iterdir()))
def test_it_works_in_an_empty_environment(tmp_path: Path, name: str) -> None:
    sources, theirs, home = tmp_path / "sources", tmp_path / "theirs", tmp_path / "home"
    shutil.copytree(ROOT, sources, ignore=shutil.ignore_patterns(".venv", ".git", "tests", "*.so", "build", "dist"))
    shutil.copytree(TEMPLATES / name, theirs)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "."]
    run(*pip, "--wheel-dir", tmp_path, cwd=sources)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, "pytest", "setuptools>=77", cwd=theirs)
    run(python, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--editable", ".", cwd=theirs)
    assert " passed" in run(python, "-m", "pytest", "-q", cwd=theirs)
    assert "every promise is kept" in run(home / "bin" / "lodestone", "selftest", "spokes", "--games", "1", cwd=theirs)
