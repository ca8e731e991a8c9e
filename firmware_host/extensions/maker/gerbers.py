"""What a workshop asks for, made from a circuit board by KiCad's command line: gerbers, drill file, places of parts.

First KiCad checks the board against its design rules and its schematic; a board in which it finds an error is not
written. ``kicad-cli`` is that of KiCad 8 or later.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from firmware_host.extensions.maker.parts_list import csv_text
from firmware_host.text.words import Refused

LAYERS = ("F.Cu", "B.Cu", "F.Paste", "F.Mask", "B.Mask", "F.SilkS", "B.SilkS", "Edge.Cuts")
NEEDED = (
    "--gerbers needs KiCad 8 or later: expected the command kicad-cli (on Debian 13: sudo apt install kicad); "
    "or open the circuit board in KiCad and choose File, Fabrication Outputs"
)
OLDEST = 8
STAMP = (2020, 1, 1, 0, 0, 0)
"""The time of the files in the archive."""


def write(circuit_board: Path) -> Iterator[tuple[Path, str]]:
    """Write a board's gerbers with its drill file as one archive, and the places of its parts, beside it.

    Yield each file with what it is. Raise Refused without kicad-cli or for a board with errors, and OSError.
    """
    tool = shutil.which("kicad-cli")
    if tool is None or int(_run(tool, "version").partition(".")[0] or 0) < OLDEST:
        raise Refused(NEEDED)
    stem = circuit_board.with_suffix("")
    with tempfile.TemporaryDirectory(dir=circuit_board.parent) as folder:
        made = Path(folder)
        report = made / "drc.json"
        _run(
            tool,
            "pcb",
            "drc",
            "--schematic-parity",
            "--severity-error",
            "--format",
            "json",
            "-o",
            report,
            circuit_board,
        )
        judged = json.loads(report.read_text(encoding="utf-8"))
        wrong = [one["description"] for what in WRONG for one in judged.get(what, []) if one["severity"] == "error"]
        if wrong:
            raise Refused(f"{circuit_board}: KiCad finds {len(wrong)} errors, the first one: {wrong[0]}")
        report.unlink()
        gerbers = made / "gerbers"
        gerbers.mkdir()
        _run(tool, "pcb", "export", "gerbers", "--layers", ",".join(LAYERS), "-o", f"{gerbers}/", circuit_board)
        _run(tool, "pcb", "export", "drill", "-o", f"{gerbers}/", circuit_board)
        archive = Path(f"{stem}-gerbers.zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for one in sorted(gerbers.iterdir()):
                packed.writestr(zipfile.ZipInfo(one.name, STAMP), one.read_bytes(), zipfile.ZIP_DEFLATED)
        yield archive, "gerbers and drill file, to be ordered as it is"
        places = Path(f"{stem}-places.csv")
        _run(
            tool, "pcb", "export", "pos", "--format", "csv", "--units", "mm", "--smd-only", "-o", places, circuit_board
        )
        places.write_text(rename_columns(places.read_text(encoding="utf-8")), encoding="utf-8", newline="")
        yield places, "places of the parts, for a workshop that fits them"


COLUMNS = {
    "Ref": "Designator",
    "Val": "Comment",
    "Package": "Footprint",
    "PosX": "Mid X",
    "PosY": "Mid Y",
    "Rot": "Rotation",
    "Side": "Layer",
}
"""KiCad's name of a column → the one that workshops such as JLCPCB look for."""


def rename_columns(places: str) -> str:
    """Return KiCad's file of places with the columns' names that workshops read."""
    heads, *rows = csv.reader(io.StringIO(places))
    return csv_text([[COLUMNS.get(one, one) for one in heads], *rows])


WRONG = ("violations", "unconnected_items", "schematic_parity")
"""Sections of a report."""


def _run(tool: str, *words: str | Path) -> str:
    done = subprocess.run([tool, *map(str, words)], capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        printed = (done.stderr or done.stdout).strip().splitlines()
        raise Refused(f"kicad-cli {words[0]} failed: {printed[-1] if printed else done.returncode}")
    return done.stdout
