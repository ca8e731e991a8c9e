"""Messages about a well that can't be read: the sensor at fault, and what to check."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from firmware_host.games.game import Stack
from firmware_host.sensing.debounce import Unread
from firmware_host.text.words import listed, say
from hw.ports import BoardDescription, NodeWiring
from hw.tile_codes import MIDDLE, Suspicion, TileCodes, parted

UNREAD_S = 2.0
"""Time for which a well must be unreadable before a message; hands at work take less."""


def flapping_words(board: BoardDescription, channels: Sequence[int]) -> str:
    """Return the reason for masking a node with flapping contacts."""
    if board.sensors()[channels[0]][1] is None:
        return say("flapping (channel {channel}): look for a loose wire or joint", channel=channels[0])
    which = listed(sensor_words(board, channel) for channel in channels)
    return say("flapping: {sensors}: look for a loose wire or joint", sensors=which)


def without_words(board: BoardDescription, channel: int) -> str:
    """Return the message about an ignored sensor."""
    return say(
        "{sensor} is ignored, as the other eight show what it should read: "
        "look for a loose wire or joint, or a magnet that is lost.",
        sensor=sensor_words(board, channel),
    )


def sensor_words(board: BoardDescription, channel: int) -> str:
    """Return a sensor's name with its channel: ``b3, ring sensor 4 (channel 87)``."""
    node, place = board.sensors()[channel]
    if place is None:
        return say("{node} (channel {channel})", node=node, channel=channel)
    if place == MIDDLE:
        return say("{node}, middle sensor (channel {channel})", node=node, channel=channel)
    return say("{node}, ring sensor {place} (channel {channel})", node=node, place=place, channel=channel)


def faults_of(codes: TileCodes, found: Unread, expected: Stack, coming: str = "") -> list[Suspicion]:
    """Return every single wrong sensor that would explain the readings.

    The tile in question is the last one that was read there, because a tile can't be exchanged without an empty well in
    between. Else it is the expected tile (or none), or the next tile to be laid (``coming``), in any turning.
    """
    if found.before:
        return [one for one in codes.explain(found.bits) if one.sensed == found.before]
    sensed = expected[-1] if len(expected) == 1 else ""
    known = len(expected) < 2 and (not sensed or parted(sensed) is not None)
    return [
        one
        for one in codes.explain(found.bits)
        if (known and one.sensed == sensed) or (coming and one.sensed and _name(one.sensed) == coming)
    ]


def unread_words(board: BoardDescription, found: Unread, faults: Sequence[Suspicion]) -> str:
    """Return the message about a node that shows no whole tile; ``faults`` is the result of :func:`faults_of`.

    It blames a single sensor only if no other one can be wrong.
    """
    node = board.nodes[found.node]
    return say("{node} reads no whole tile: {why}", node=found.node, why=_unread(board, node, found, faults))


def _unread(board: BoardDescription, node: NodeWiring, found: Unread, faults: Sequence[Suspicion]) -> str:
    if sum(found.bits) == found.bits[MIDDLE]:
        which = sensor_words(board, node.channels[MIDDLE])
        return say(
            "only {sensor} detects something. A round piece does not belong there; or the sensor is stuck.",
            sensor=which,
        )
    if len(faults) == 1:
        return _fault_words(faults[0], sensor_words(board, node.channels[faults[0].place]))
    if faults:
        may_be = [sensor_words(board, node.channels[fault.place]) for fault in faults]
        which = reduce(lambda first, last: say("{first}, or {last}", first=first, last=last), may_be)
        return say("{sensors} may be wrong. Check that the tile lies flat and has all its magnets.", sensors=which)
    if all(found.bits[:MIDDLE]):
        channels = [str(channel) for channel in node.ring[:MIDDLE]]
        return say(
            "its whole ring detects something. Check what reads the channels {channels}.", channels=", ".join(channels)
        )
    return say(
        "{count} of nine sensors detect something. Check that one tile lies there alone, flat and whole.",
        count=sum(found.bits),
    )


def _fault_words(fault: Suspicion, which: str) -> str:
    if not fault.sensed:
        return say(
            "only {sensor} detects something. Check whether something lies there; or the sensor is stuck.", sensor=which
        )
    if fault.reads:
        return say(
            "{sensor} detects something where tile {tile} has no magnet. "
            "Check that it lies flat and alone; or the sensor is stuck.",
            sensor=which,
            tile=_name(fault.sensed),
        )
    return say(
        "{sensor} detects nothing where tile {tile} has a magnet. "
        "Check that it lies flat and has all its magnets; or the sensor is dead.",
        sensor=which,
        tile=_name(fault.sensed),
    )


def _name(sensed: str) -> str:
    tile = parted(sensed)
    return tile[0] if tile is not None else sensed
