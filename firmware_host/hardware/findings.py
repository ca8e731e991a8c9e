"""The result of a check by stones for every node, in words for people at the board."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.hardware.check_wizard import CheckWizard
from firmware_host.hardware.records import Record
from firmware_host.hardware.report import BAD, OK, UNPROVEN
from firmware_host.text.words import Text, say
from hw.ports import BoardDescription, NodeWiring


@dataclass(frozen=True)
class Finding:
    """The result for one node."""

    node: str
    state: str
    """``ok``, ``bad`` or ``unproven``: see :mod:`firmware_host.hardware.report`."""
    words: Text


def findings(board: BoardDescription, wizard: CheckWizard) -> list[Finding]:
    """Return one finding per node, in the board file's order."""
    return [_of(board, wizard, wiring) for wiring in board.nodes.values()]


def _of(board: BoardDescription, wizard: CheckWizard, wiring: NodeWiring) -> Finding:
    name = wiring.name
    touches = (wizard.look.touch, wizard.stones.touch)
    if any(channel in touch.stuck for touch in touches for channel in wiring.channels):
        words = say("{node} feels a stone where none lies: its sensor is stuck, or something is on it.", node=name)
        return Finding(name, BAD, words)
    if any(channel in touch.restless for touch in touches for channel in wiring.channels):
        return Finding(name, BAD, say("{node} never keeps still: look for a loose contact.", node=name))
    key = f"pixel {wiring.pixel}" if board.lights.wired else f"node {board.sensor_words(wiring.channel)}"
    record = wizard.stones.learned.records.get(key)
    if record is None:
        return Finding(name, UNPROVEN, say("{node} was not tried with a stone.", node=name))
    return _by_stone(board, wiring, record)


def _by_stone(board: BoardDescription, wiring: NodeWiring, record: Record) -> Finding:
    name = wiring.name
    if record.channel is None:
        words = say("{node} did not answer alone: look at its sensor, its wires and its light.", node=name)
        return Finding(name, BAD, words)
    if record.channel != wiring.channel:
        other = board.sensor_words(record.channel) if record.channel in board.sensors() else f"{record.channel}"
        words = say("At the light of {node} the sensor of {other} answered: two wires are swapped.",
                    node=name, other=other)  # fmt: skip
        return Finding(name, BAD, words)
    if record.why:
        words = say(
            "{node} took the white stone for something else. Put a white stone there, marked side up; if that does not "
            "help, its sensor is mounted upside down or one of its switches is stuck.",
            node=name,
        )
        return Finding(name, BAD, words)
    return Finding(name, OK, say("{node} is in order.", node=name))
