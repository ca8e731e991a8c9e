"""KiCad's own command line, where ``tests/need-kicad`` has found or installed it, and what it says of a file."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

parse = importlib.import_module("kiutils.utils.sexpr").parse_sexp


def tool() -> str:
    """Return kicad-cli 8 or later; skip the test where there is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    store = Path(os.environ.get("LODESTONE_KICAD") or cache / "lodestone-kicad")
    for found in (shutil.which("kicad-cli"), store / "kicad-cli"):
        if found and Path(found).exists():
            done = subprocess.run([found, "version"], check=False, capture_output=True, text=True, timeout=60)
            if done.returncode == 0 and int(done.stdout.split(".")[0]) >= 8:
                return str(found)
    pytest.skip("no kicad-cli 8 or later here: tests/need-kicad")


def run(folder: Path, *words: str | Path) -> None:
    """Run kicad-cli with KiCad's own libraries of footprints, as a fresh KiCad has them."""
    settings = folder / "settings"
    for version in ("8.0", "9.0", "10.0"):
        (settings / version).mkdir(parents=True, exist_ok=True)
        rows = "".join(
            f'  (lib (name "{name}")(type "KiCad")(uri "${{KICAD{version[:-2]}_FOOTPRINT_DIR}}/{name}.pretty")'
            '(options "")(descr ""))\n'
            for name in sorted(LIBRARIES)
        )
        (settings / version / "fp-lib-table").write_text(f"(fp_lib_table\n{rows})\n", encoding="utf-8")
    done = subprocess.run(
        [tool(), *map(str, words)],
        check=False,
        cwd=folder,
        env=os.environ | {"KICAD_CONFIG_HOME": str(settings)},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr


LIBRARIES = {
    "Capacitor_THT",
    "Connector_PinHeader_2.54mm",
    "Diode_THT",
    "Fuse",
    "LED_SMD",
    "Module",
    "Package_DIP",
    "Package_SO",
    "Package_TO_SOT_THT",
    "Resistor_THT",
}
"""KiCad's libraries of footprints that our schematics name."""


def report(path: Path) -> dict[str, Any]:
    """Return a report in JSON."""
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return told


def parts(tree: list[Any], word: str) -> Iterator[list[Any]]:
    """Yield the lists that begin with this word."""
    yield from (one for one in tree if isinstance(one, list) and one and one[0] == word)


def value(tree: list[Any], *words: str) -> str:
    """Return the text at the end of a way of words."""
    for word in words:
        tree = next(parts(tree, word), ["", ""])
    return str(tree[1])


def symbol_pins(library: str, symbol: str) -> dict[str, str]:
    """Return number → name of the pins of a symbol in KiCad's own libraries; skip the test where these are not."""
    tree = parse(shared(f"symbols/{library}.kicad_sym").read_text(encoding="utf-8"))
    [found] = [one for one in parts(tree, "symbol") if one[1] == symbol]
    if base := value(found, "extends"):
        [found] = [one for one in parts(tree, "symbol") if one[1] == base]
    pins = [pin for unit in parts(found, "symbol") for pin in parts(unit, "pin")]
    return {value(pin, "number"): value(pin, "name") for pin in pins}


def shared(pattern: str) -> Path:
    """Return a file of KiCad's own libraries, ``symbols/LED.kicad_sym``; skip the test where they are not."""
    inside = Path(tool()).parent / "root"
    for root in (inside, Path("/")):
        for found in (root / "usr/share/kicad").glob(pattern):
            return found
    pytest.skip("KiCad's libraries of footprints and symbols are not here: tests/need-kicad")
