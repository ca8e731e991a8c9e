"""``lodestone hardware check``: a report on every pin, sensor and pixel."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from firmware_host.hardware.check_wizard import LookWizard
from firmware_host.hardware.map_wizard import HELP, MapWizard
from firmware_host.hardware.opening import Opened
from firmware_host.hardware.report import (
    Item,
    Report,
    failed,
    line_items,
    merged,
    pin_items,
    pixel_items,
    rest_items,
    stone_items,
)
from firmware_host.hardware.terminal import Front
from firmware_host.hardware.wizard import Patience
from firmware_host.text.refusal import Refused
from hw.ports import BoardDescription, HardwareError, line_of

Print = Callable[[str], None]


def run(board: Opened, *, stones: bool, as_json: bool, patience: Patience) -> int:
    """Check an opened board and print the report; return 0, or 1 when something is bad. Raise Refused."""

    def say(line: str) -> None:
        print(line, file=sys.stderr if as_json else sys.stdout, flush=True)

    if stones and not board.description.lights.wired:
        raise Refused("--stones: this board has no lights to lead stones by: lodestone hardware map names the places")
    try:
        items = _look(board, say)
        if stones:
            items += _ask(board, say, patience, to_errors=as_json)
        report = Report(board.description, merged(items))
    except HardwareError as error:
        report = failed(board.description, str(error))
    return tell(report, as_json=as_json)


def tell(report: Report, *, as_json: bool) -> int:
    """Print a report; return the exit code."""
    print(report.json() if as_json else report.text())
    return 0 if report.good else 1


def not_opened(description: BoardDescription, why: str, *, as_json: bool) -> int:
    """Print the report of a board that can't be opened; return the exit code."""
    return tell(failed(description, why), as_json=as_json)


def _look(board: Opened, say: Print) -> list[Item]:
    """Show all colours while the empty board is watched; return the findings."""
    description, parts = board.description, board.parts
    look = ", and look at the lights (red, green, blue, white)" if description.lights.wired else ""
    say(f"Checking {description.name}: take everything off the board{look}.")
    wizard, period, shown = LookWizard(description), 1.0 / description.scan_hz, None
    while not wizard.done:
        wizard.feed(parts.sensors.scan(), time.monotonic())
        if wizard.colour != shown:
            shown = wizard.colour
            parts.strip.show([shown] * parts.strip.length)
        time.sleep(period)
    touch = wizard.touch
    line = line_items(line_of(parts.sensors))
    return [*line, *pin_items(description), *rest_items(description, touch), *pixel_items(description)]


def _ask(board: Opened, say: Print, patience: Patience, *, to_errors: bool) -> list[Item]:
    """Ask for a stone at each lit pixel, whose node's sensor must answer; return the findings."""
    description = board.description
    wizard = MapWizard(description, "pixels", patience)
    wizard.learned.pixels = sorted(wiring.pixel for wiring in description.nodes.values())
    say(HELP)
    front = Front(board)
    if to_errors:
        front.out = sys.stderr
    front.run(wizard)
    return stone_items(description, wizard)
