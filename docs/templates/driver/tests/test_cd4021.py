"""The CD4021: what every scheme promises, and a table that reads its stones by it."""

from typing import Any

from lodestone.contracts import SchemeContract


class TestCd4021(SchemeContract):
    scheme = "cd4021"


def test_a_stone_is_read_through_the_chips(lodestone: Any) -> None:
    table = lodestone.table("coil", scheme="cd4021", kind="presence", seats=["Ann", "Bob"])
    table.wait_for(phase="resolving")
    table.hand.put("a1", "b")
    table.wait_for(committed=["a1"])
