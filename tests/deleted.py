"""Which of our extensions somebody has deleted: what pages, lists and tests say of those is no mistake."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTENSIONS = ROOT / "firmware_host/extensions"
TESTS = ROOT / "tests/extensions"
_ANNOUNCED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
_OURS = _ANNOUNCED["lodestone.extensions"].items()
LACKING = [name for name, at in _OURS if at.startswith("firmware_host.") and not (EXTENSIONS / name).is_dir()]
"""Their names."""
SHARED = (ROOT / "firmware_host/link", ROOT / "tests/link")
"""What extensions share, and nothing else uses: it goes with all of them."""


def is_deleted(path: Path) -> bool:
    """Return whether a path leads into a folder of an extension, of its tests or of both, that somebody has deleted."""
    known = path.resolve()
    shared = [path for path in SHARED if not path.is_dir()]
    gone = [inside / name for inside in (EXTENSIONS, TESTS) for name in LACKING]
    return any(known.is_relative_to(folder) for folder in (*gone, *shared))
