"""Which form of the stores of positions runs: flat memory where the search is compiled, else plain Python objects."""

from __future__ import annotations

from firmware_host.games.spokes import flat
from firmware_host.games.spokes.search.store import Graph, PositionStore

COMPILED = not flat.__file__.endswith((".py", ".pyc"))
"""The search was compiled when the program was installed; else the same text runs in plain Python, slower."""


def new_store() -> PositionStore:
    """Return an empty store of positions."""
    if COMPILED:
        from firmware_host.games.spokes.search.packed import PackedStore  # noqa: PLC0415 - needs librt

        return PackedStore()
    return PositionStore()


def new_graph() -> Graph:
    """Return an empty graph."""
    if COMPILED:
        from firmware_host.games.spokes.search.packed import PackedGraph  # noqa: PLC0415 - needs librt

        return PackedGraph()
    return Graph()
