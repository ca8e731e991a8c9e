"""What ``lodestone log --bundle`` writes."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from firmware_host.commands.cli import main


def bundle(folder: Path, target: Path) -> dict[str, Any]:
    """Return name → content of a bundle."""
    assert main(["log", "--data", str(folder), "--bundle", str(target)]) == 0
    with zipfile.ZipFile(target) as packed:
        return {
            name: json.loads(packed.read(name)) if name.endswith(".json") else packed.read(name).decode()
            for name in packed.namelist()
        }
