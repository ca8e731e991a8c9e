"""Which form of the search runs, and its store of positions."""

from __future__ import annotations

from firmware_host.games.spokes import kernel
from firmware_host.games.spokes.search.seen import PlainSeen, Seen

COMPILED = not kernel.__file__.endswith(".py")
"""The search was compiled when the program was installed; else the same text runs in plain Python, slower."""


def new_seen() -> Seen:
    """Return an empty store of positions."""
    if COMPILED:
        from firmware_host.games.spokes.search.packed import PackedSeen  # noqa: PLC0415 - needs librt

        return PackedSeen()
    return PlainSeen()
