"""Tables behind `lodestone table`, for tests of its protocol."""

from __future__ import annotations

from typing import Any

from tests.table.doors import Direct

PAIR = "./..../......../...........ww.../................ 2 2 2 resolve -"
ANSWERED = frozenset(
    (
        *("id", "ok", "time", "phase", "actor", "turn", "position", "committed", "undone", "journal", "asked"),
        *("lights", "tasks", "problem", "message", "stage", "proposal", "notices", "result", "masked", "suspects"),
    )
)
"""What every answer carries."""


class Table(Direct):
    """The service with shorter words."""

    def deed(self, what: str, **fields: Any) -> dict[str, Any]:
        return self.ask(do="request", what=what, **fields)

    def sense(self, at: float, **nodes: str) -> dict[str, Any]:
        return self.ask(do="sense", time=at, nodes=nodes)

    def tick(self, at: float) -> dict[str, Any]:
        return self.ask(do="tick", time=at)


def pair(kind: str = "presence") -> Table:
    """Return a table where D12 and D13 can push each other."""
    table = Table()
    table.ask(do="open", game="spokes", kind=kind, position=PAIR, seats=["Ann", "Bob"])
    sensed = "x" if kind == "presence" else "N"
    table.sense(0, D12=sensed, D13=sensed)
    table.tick(0.5)
    return table


def pushed() -> Table:
    """Return a table at which D12 has pushed D13."""
    table = pair()
    table.sense(1, D13="")
    table.sense(1.5, D14="x")
    assert table.tick(2)["committed"] == ["D12-D13-D14"]
    return table
