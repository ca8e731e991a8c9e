"""The section ``[nodes]`` of a board file: each node's sensors, its pixel and its place."""

from __future__ import annotations

from collections.abc import Mapping
from math import dist

from firmware_host.boardfile.checks import MOST_PIXELS, Checks, Table
from firmware_host.boardfile.sensors import Sensing
from hw.ports import CODED, LightsWiring, NodeWiring
from hw.tile_codes import MIDDLE, PLACES

SECTION = "nodes"
MOST_CHANNELS = 512
APART_MM = 1.0
"""Minimum distance of two nodes; closer ones are probably a copied line that was not changed."""
KEYS = ("channel", "channels", "pixel", "x", "y", "well")


def read_nodes(checks: Checks, lights: LightsWiring, kind: str) -> dict[str, NodeWiring]:
    """Return the nodes of a board with these lights; record mistakes in ``checks``."""
    table = checks.section(SECTION)
    if not table and SECTION in checks.data:
        checks.wrong(SECTION, "", "there are no nodes, expected at least one")
    nodes: dict[str, NodeWiring] = {}
    owners: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for name, entry in table.items():
        if not isinstance(entry, dict):
            checks.wrong(SECTION, name, f"{name}: expected {{ channel, pixel, x, y }}, got {entry!r}")
            continue
        checks.known(SECTION, entry, KEYS, name)
        channels = _channels(checks, name, entry, kind)
        for number in channels:
            _own(checks, name, "channel", number, owners[0])
        pixel = _pixel(checks, name, entry, lights, owners[1]) if lights.wired else len(nodes)
        x, y = _place(checks, name, entry, nodes)
        ring = channels if len(channels) == PLACES else ()
        well = entry.get("well", bool(ring))
        if not isinstance(well, bool) or (ring and not well):
            checks.expected(SECTION, entry, "well", "true" if ring else "true or false", name)
        nodes[name] = NodeWiring(name, channels[MIDDLE] if ring else (*channels, 0)[0], pixel, x, y, ring, bool(well))
    _without_gaps(checks, owners[0])
    return nodes


def check_coded(checks: Checks, sensing: Sensing, nodes: dict[str, NodeWiring]) -> None:
    """Check a board's nodes with nine sensors: kind ``coded`` needs one, and at most one sensor of each is broken."""
    if sensing.kind == CODED and not checks.mistakes and not any(node.ring for node in nodes.values()):
        checks.wrong("sensors", "kind", "kind: coded: no node has nine channels, expected one or more")
    owners = {channel: node.name for node in nodes.values() for channel in node.ring}
    found: dict[str, int] = {}
    for channel in sensing.disabled_channels:
        owner = owners.get(channel)
        if owner is None:
            why = f"deaf: channel {channel} is none of nine of a node: no other can make it good"
            checks.wrong("sensors", "deaf", why)
        elif owner in found:
            why = f"deaf: channels {found[owner]} and {channel} are both {owner}'s: one of nine can be made good"
            checks.wrong("sensors", "deaf", why)
        else:
            found[owner] = channel


def _channels(checks: Checks, name: str, entry: Table, kind: str) -> tuple[int, ...]:
    """Return a node's channels: one, or nine; empty after a mistake."""
    if "channels" not in entry:
        before = len(checks.mistakes)
        channel = checks.whole(SECTION, entry, "channel", 0, MOST_CHANNELS - 1, line=name)
        return (channel,) if len(checks.mistakes) == before else ()
    if "channel" in entry:
        checks.wrong(SECTION, name, f"{name}: expected channel or channels, got both")
    elif kind != CODED:
        checks.wrong(SECTION, name, f'{name}: channels: nine sensors are read with kind = "coded", got {kind!r}')
    else:
        value = entry["channels"]
        whole = isinstance(value, list) and all(type(one) is int and 0 <= one < MOST_CHANNELS for one in value)
        if whole and len(value) == PLACES:
            return tuple(value)
        what = "a list of nine channels: the ring clockwise from north, then the middle"
        checks.expected(SECTION, entry, "channels", what, name)
    return ()


def _pixel(checks: Checks, name: str, entry: Table, lights: LightsWiring, owners: dict[int, str]) -> int:
    """Return a node's pixel; a pixel beyond the strips, or one of another node, is a mistake."""
    before = len(checks.mistakes)
    pixels = MOST_PIXELS if checks.noted("lights", "length") else lights.length
    if entry.get("pixel") == pixels:
        why = f"pixels are counted from 0, and those of [lights] end at {pixels - 1} (length = {pixels})"
        found = f"{name}: pixel: expected a whole number from 0 to {pixels - 1}, got {pixels}: {why}"
        checks.wrong(SECTION, name, found)
        return 0
    pixel = checks.whole(SECTION, entry, "pixel", 0, max(0, pixels - 1), line=name)
    if len(checks.mistakes) == before:
        _own(checks, name, "pixel", pixel, owners)
    return pixel


def _place(checks: Checks, name: str, entry: Table, nodes: Mapping[str, NodeWiring]) -> tuple[float, float]:
    """Return a node's place (x, y) in mm; the place of another node is a mistake."""
    before = len(checks.mistakes)
    x, y = (checks.real(SECTION, entry, axis, None, line=name) for axis in "xy")
    if len(checks.mistakes) == before:
        other = next((one for one in nodes.values() if dist((x, y), (one.x, one.y)) < APART_MM), None)
        if other is not None and not checks.noted(SECTION, other.name):
            where = checks.line(SECTION, other.name)
            why = f"x = {x:g}, y = {y:g} is where {other.name} lies (line {where})"
            checks.wrong(SECTION, name, f"{name}: {why}, expected a place of its own")
    return x, y


def _own(checks: Checks, name: str, what: str, number: int, owners: dict[int, str]) -> None:
    """Record the node that owns a number; a number with an owner is a mistake."""
    if number not in owners:
        owners[number] = name
    elif owners[number] == name:
        checks.wrong(SECTION, name, f"{name}: {what} {number} is given twice, expected nine different ones")
    else:
        other = owners[number]
        where = checks.line(SECTION, other)
        checks.wrong(SECTION, name, f"{name}: {what} {number} is {other}'s (line {where}), expected its own")


def _without_gaps(checks: Checks, owners: dict[int, str]) -> None:
    highest = max(owners, default=-1)
    if not checks.mistakes and highest >= len(owners):
        name = owners[highest]
        checks.wrong(SECTION, name, f"{name}: channel {highest}: expected 0 to {len(owners) - 1}, without gaps")
