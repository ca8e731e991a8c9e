"""``lodestone hardware map``: run the wizard, and write its results into the board file."""

from __future__ import annotations

from pathlib import Path

from firmware_host.boardfile.load import BoardFileError
from firmware_host.hardware.boardfile import write_wiring
from firmware_host.hardware.map_wizard import HELP, MapWizard
from firmware_host.hardware.opening import Opened
from firmware_host.hardware.terminal import Progress, lead
from firmware_host.hardware.wizard import Patience
from firmware_host.text.refusal import Refused


def run(board: Opened, target: Path, what: str | None, patience: Patience, *, resume: bool) -> int:
    """Map a board; return 0 when the board file is written, 1 when results are missing. Raise Refused.

    ``what`` is None for the usual: both where there are lights, or as the resumed map was begun.
    """
    progress = Progress(target, "map")
    if not board.description.lights.wired and what == "pixels":
        raise Refused("--what pixels: this board has no lights, expected channels")
    usual = "both" if board.description.lights.wired else "channels"
    wizard = MapWizard(board.description, what or usual, patience)
    if resume:
        try:
            wizard.resume(progress.load())
            if what not in {None, wizard.learned.what}:
                raise ValueError(f"it was begun with --what {wizard.learned.what}, not with --what {what}")
        except ValueError as error:
            raise progress.useless(str(error)) from error
    print(f"Mapping {board.description.name}. Take everything off the board.\n{HELP}", flush=True)
    finished = lead(board, progress, wizard)
    if not finished or wizard.stopped:
        print(f"Stopped. What is known so far is in {progress.path}: go on with --resume.")
        return 1
    wiring = wizard.wiring()
    for line in wiring.notes:
        print(f"note: {line}")
    if wiring.open:
        for line in wiring.open:
            print(f"open: {line}")
        print(f"Nothing is written to {target}. Mend what is named, then go on with --resume.")
        return 1
    try:
        write_wiring(board.path, target, wiring.nodes)
    except BoardFileError as error:
        raise Refused(str(error)) from error
    progress.forget()
    before = board.description.nodes
    moved = sum((one.ring or one.channel, one.pixel) != wiring.nodes[name] for name, one in before.items())
    print(f"{target}: written; {moved} of {len(before)} nodes have changed.")
    return 0
