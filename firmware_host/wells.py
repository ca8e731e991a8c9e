"""What is said of a well that its nine sensors can't read: which sensor, and what to look at."""

from __future__ import annotations

from collections.abc import Collection, Sequence

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


def fault_of(codes: TileCodes, found: Unread, expected: Stack) -> Suspicion | None:
    """Return the one sensor that keeps the tile that is expected there from being read; None unless there is one."""
    sight = expected[-1] if len(expected) == 1 else ""
    return codes.fault(found.bits, sight) if len(expected) < 2 and (not sight or parted(sight)) else None


def unread_words(
    board: BoardDescription, codes: TileCodes, found: Unread, expected: Stack, deaf: Collection[int] = ()
) -> str:
    """Return the word on a node that shows no whole tile, where these pieces are expected on it.

    A single sensor is named only where it alone keeps the expected tile from being read.
    """
    node = board.nodes[found.node]
    begins = f"{found.node} reads no whole tile"
    if sum(found.bits) == found.bits[MIDDLE]:
        which = sensor_words(board, node.channels[MIDDLE])
        return f"{begins}: only {which} feels something. A round piece has no place there; or the sensor is stuck."
    fault = fault_of(codes, found, expected)
    if fault is not None and not deaf:
        sight = fault.sight
        which = sensor_words(board, node.channels[fault.place])
        if not sight:
            return f"{begins}: only {which} feels something. Look whether something lies there; or the sensor is stuck."
        if fault.reads:
            where = f"where tile {_name(sight)} has no magnet"
            return f"{begins}: {which} feels something {where}. Look whether it lies flat; or the sensor is stuck."
        return (
            f"{begins}: {which} feels nothing where tile {_name(sight)} has a magnet. "
            "Look whether it lies flat and has all its magnets; or the sensor is dead."
        )
    if all(found.bits[:MIDDLE]):
        channels = [str(channel) for channel in node.ring[:MIDDLE]]
        return f"{begins}: its whole ring feels something. Look at what reads the channels {', '.join(channels)}."
    felt = sum(found.bits)
    return f"{begins}: {felt} of nine sensors feel something. Look whether one tile lies there alone, flat and whole."


def _name(sight: str) -> str:
    tile = parted(sight)
    return tile[0] if tile is not None else sight
