"""Copies of the repository without an extension's folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import cache_from_source
from pathlib import Path

from tests.deleted import SHARED

ROOT = Path(__file__).parents[2]
FOLDER = Path("firmware_host/extensions")
NAMES = sorted(path.name for path in (ROOT / FOLDER).iterdir() if (path / "extension.py").exists())
ALL = "all"


def without(name: str, folder: Path) -> Path:
    """Return a copy of the repository's files without an extension, or without all and what only they use.

    Folders are deleted, no more.
    """
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    compiled = [str(path.relative_to(ROOT)) for path in (ROOT / "firmware_host").rglob("*.so")]
    for path in (*filter(None, listed.split("\0")), *compiled, "firmware_host/compiled.hashes"):
        if (ROOT / path).is_file():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, folder / path)
            if path.endswith(".py") and (compiled_text := Path(cache_from_source(ROOT / path))).exists():
                known = folder / compiled_text.relative_to(ROOT)  # Else all of it would be compiled for one game.
                known.parent.mkdir(exist_ok=True)
                shutil.copy2(compiled_text, known)
    for one in NAMES if name == ALL else [name]:
        shutil.rmtree(folder / FOLDER / one)
        shutil.rmtree(folder / "tests/extensions" / one)
    for path in SHARED if name == ALL else ():
        shutil.rmtree(folder / path.relative_to(ROOT))
    return folder


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder)}
