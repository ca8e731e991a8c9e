"""``lodestone hardware calibrate``: run the wizard, show the margins, write the board file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firmware_host.boardfile.load import BoardFileError
from firmware_host.hardware.boardfile import write_calibration
from firmware_host.hardware.calibrate_wizard import HELP, CalibrateWizard
from firmware_host.hardware.opening import Opened
from firmware_host.hardware.plot import svg_plot, terminal_plot
from firmware_host.hardware.terminal import Progress, lead
from firmware_host.hardware.wizard import Patience
from firmware_host.text.refusal import Refused
from hw.registry import SCHEMES


@dataclass(frozen=True)
class Job:
    """The nodes to calibrate (None: all), the board file to write, and the file for a drawing."""

    target: Path
    nodes: Sequence[str] | None
    svg: str | None
    resume: bool = False


def run(board: Opened, job: Job, patience: Patience) -> int:
    """Calibrate a board; return 0 when every node was measured, else 1. Raise Refused."""
    description = board.description
    if description.kind != "level":
        converters = ", ".join(name for name, scheme in SCHEMES.usable().items() if scheme.measures_levels)
        raise Refused(
            f"{description.name}: kind {description.kind!r} through {description.scheme} has nothing to calibrate, "
            f"expected 'level' or a converter ({converters}); see lodestone hardware check"
        )
    for node in job.nodes or ():
        if node not in description.nodes:
            raise Refused(f"--nodes: {node!r} is not a node of {description.name}")
    progress = Progress(job.target, "calibrate")
    wizard = CalibrateWizard(description, job.nodes, patience)
    if job.resume:
        try:
            wizard.resume(progress.load())
        except ValueError as error:
            raise progress.useless(str(error)) from error
    print(f"Calibrating {description.name}. Take everything off the board.\n{HELP}", flush=True)
    finished = lead(board, progress, wizard)
    if wizard.measured:
        print(terminal_plot(wizard.measured))
    if not finished or wizard.stopped:
        print(f"Stopped. What is known so far is in {progress.path}: go on with --resume.")
        return 1
    _write(board, job, wizard)
    progress.forget()
    ambiguous_stacks = [node for node, one in wizard.measured.items() if not one.levels.stacks]
    if ambiguous_stacks:
        print(f"Stacks can't be told from stones at {', '.join(ambiguous_stacks)}: the table asks there.")
    for node, why in wizard.failed.items():
        print(f"not calibrated: {node}: {why}")
    return 1 if wizard.failed else 0


def _write(board: Opened, job: Job, wizard: CalibrateWizard) -> None:
    try:
        if wizard.measured:
            levels = {node: one.levels for node, one in wizard.measured.items()}
            write_calibration(board.path, job.target, levels)
            print(f"{job.target}: {len(levels)} nodes calibrated.")
        if job.svg is not None:
            drawing = svg_plot(board.description.name, wizard.measured, board.description.bands)
            Path(job.svg).write_text(drawing, encoding="utf-8")
            print(f"{job.svg}: the margins, drawn.")
    except BoardFileError as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"{job.svg}: can't be written: {error.strerror}") from error
