"""What is said of a well that its nine sensors can't read: which sensor, and what to look at."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.debounce import Unread
from firmware_host.games.game import Stack
from firmware_host.tile_codes import MIDDLE, Suspicion, TileCodes, parted
from hw.ports import BoardDescription

UNREAD_S = 2.0
"""So long a well must show no whole tile before a word is said: hands at work take less."""


def flapping_words(board: BoardDescription, channels: Sequence[int]) -> str:
    """Return why a node is given up whose contacts flap."""
    which = f"flapping (channel {channels[0]})"
    if board.sensors()[channels[0]][1] is not None:
        which = f"flapping: {' and '.join(sensor_words(board, channel) for channel in channels)}"
    return f"{which}: look for a loose wire or joint"


def without_words(board: BoardDescription, channel: int) -> str:
    """Return the word on a sensor that is done without."""
    return (
        f"{sensor_words(board, channel)} is done without, as the other eight tell what it should read: "
        "look for a loose wire or joint, or a magnet that is lost."
    )


def sensor_words(board: BoardDescription, channel: int) -> str:
    """Return a sensor's name with its channel: ``b3, ring sensor 4 (channel 87)``."""
    return f"{board.sensor_words(channel)} (channel {channel})"


def faults_of(codes: TileCodes, found: Unread, expected: Stack, coming: str = "") -> list[Suspicion]:
    """Return every single sensor that, if it alone were wrong, would explain what is read.

    What may lie there is the tile that was read there last: none is changed without the well being seen empty. Else it
    is what is expected there (no tile: nothing), or the tile that is to be laid now (``coming``), in any turning.
    """
    if found.before:
        return [one for one in codes.explain(found.bits) if one.sight == found.before]
    sight = expected[-1] if len(expected) == 1 else ""
    known = len(expected) < 2 and (not sight or parted(sight) is not None)
    return [
        one
        for one in codes.explain(found.bits)
        if (known and one.sight == sight) or (coming and one.sight and _name(one.sight) == coming)
    ]


def unread_words(board: BoardDescription, found: Unread, faults: Sequence[Suspicion]) -> str:
    """Return the word on a node that shows no whole tile; ``faults`` are what :func:`faults_of` finds.

    A single sensor is named only where it alone can be wrong.
    """
    node = board.nodes[found.node]
    begins = f"{found.node} reads no whole tile"
    if sum(found.bits) == found.bits[MIDDLE]:
        which = sensor_words(board, node.channels[MIDDLE])
        return f"{begins}: only {which} feels something. A round piece has no place there; or the sensor is stuck."
    if len(faults) == 1:
        return f"{begins}: {_fault_words(faults[0], sensor_words(board, node.channels[faults[0].place]))}"
    if faults:
        which = ", or ".join(sensor_words(board, node.channels[fault.place]) for fault in faults)
        return f"{begins}: wrong may be {which}. Look whether the tile lies flat and has all its magnets."
    if all(found.bits[:MIDDLE]):
        channels = [str(channel) for channel in node.ring[:MIDDLE]]
        return f"{begins}: its whole ring feels something. Look at what reads the channels {', '.join(channels)}."
    felt = sum(found.bits)
    return f"{begins}: {felt} of nine sensors feel something. Look whether one tile lies there alone, flat and whole."


def _fault_words(fault: Suspicion, which: str) -> str:
    if not fault.sight:
        return f"only {which} feels something. Look whether something lies there; or the sensor is stuck."
    if fault.reads:
        where = f"where tile {_name(fault.sight)} has no magnet"
        return f"{which} feels something {where}. Look whether it lies flat and alone; or the sensor is stuck."
    return (
        f"{which} feels nothing where tile {_name(fault.sight)} has a magnet. "
        "Look whether it lies flat and has all its magnets; or the sensor is dead."
    )


def _name(sight: str) -> str:
    tile = parted(sight)
    return tile[0] if tile is not None else sight
