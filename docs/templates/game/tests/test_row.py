"""Three in a row: what every game promises, and a game by hand on a simulated board."""

from typing import Any

from lodestone.contracts import GameContract


class TestRow(GameContract):
    game = "row"


def test_a_whole_game(lodestone: Any) -> None:
    table = lodestone.table("row", seats=["Ann", "Bob"])
    for seat, node in ((1, "A1"), (2, "B1"), (1, "A2"), (2, "B2"), (1, "A3")):
        table.wait_for(phase="resolving", actor=seat)
        table.hand.put(node, "b" if seat == 1 else "w")
    table.wait_for(phase="over")
    assert table.view["result"]["winners"] == [1]
    assert {table.lights[node] for node in ("A1", "A2", "A3")} == {"won"}
