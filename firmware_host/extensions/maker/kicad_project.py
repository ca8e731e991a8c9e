"""A project for KiCad in a folder of its own: schematic, symbols and netlist of a board, or of any parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firmware_host.extensions.maker import kicad
from firmware_host.extensions.maker.netlist import circuit_of
from firmware_host.text.words import Refused
from hw.ports import BoardDescription


def write(board: BoardDescription, folder: Path) -> list[Path]:
    """Write a board's project into a folder of its own in this one: schematic, netlist, symbols.

    Return the schematic and the netlist. Raise Refused without kiutils, HardwareError where no supply suffices, and
    OSError.
    """
    return write_project(board.name, kicad.boxes(circuit_of(board)), folder / board.name)


def write_project(name: str, parts: Sequence[kicad.Box], folder: Path) -> list[Path]:
    """Write schematic, netlist and symbols of these parts into a folder; return the first two."""
    try:
        from firmware_host.extensions.maker import kicad_sheet  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise Refused(kicad.MISSING) from error
    folder.mkdir(parents=True, exist_ok=True)
    netlist = folder / f"{name}.net"
    netlist.write_text(kicad.netlist_text(name, parts), encoding="utf-8")
    return [kicad_sheet.write(name, parts, folder), netlist]
