"""Boards of any size in every scheme, for tests that hold for all of them."""

from __future__ import annotations

from hw.ports import BoardDescription, NodeWiring
from hw.schemes import SCHEMES, inputs_of

SELECT = (5, 6, 13, 19)
REST = (2, 3, 4, 12, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 0, 1, 7)
ON_PINS = tuple(name for name in SCHEMES if name != "serial")


def described(scheme: str, kind: str, count: int) -> BoardDescription:
    """Return a board of so many nodes in a row, n0, n1, …, channels in that order."""
    nodes = {f"n{index}": NodeWiring(f"n{index}", index, index, 10.0 * index, 0.0) for index in range(count)}
    inputs = inputs_of(scheme, kind, count)
    options = {name: option.default for name, option in SCHEMES[scheme].options.items()}
    return BoardDescription("test", "spokes", "sim", kind, scheme, nodes, _pins(scheme, inputs), options=options)


def _pins(scheme: str, inputs: int) -> dict[str, int | tuple[int, ...]]:
    if scheme.startswith("74hc165"):
        return {"load": 5} if scheme.endswith("spi") else {"load": 5, "clock": 6, "data": 13, "inhibit": 19}
    if scheme == "4067":
        return {"select": SELECT, "common": REST[: -(-inputs // 16)], "enable": 11}
    if scheme == "matrix":
        columns = min(inputs, max(1, round(inputs**0.5)))
        pins = tuple(range(100))  # A Pi has 27: a matrix beyond 182 inputs is for counting only.
        rows = -(-inputs // columns)
        return {"rows": pins[:rows], "columns": pins[rows : rows + columns]}
    if scheme == "direct":
        return {"inputs": tuple(range(inputs))}
    return {"select": SELECT} if inputs > 4 else {}
