"""Clocks in the table protocol: how time is kept is said at the opening, and what follows is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service import Table
from tests.table.doors import Refused

STRICT = {"main": 5, "strict": True}


def opened(game: str = "spokes", **clocks: Any) -> Table:
    table = Table()
    table.ask(do="open", game=game, clocks=clocks)
    table.tick(0.5)
    return table


def test_without_them_no_time_is_kept() -> None:
    table = Table()
    table.ask(do="open", game="coil")
    assert "journal" in table.tick(30)
    assert table.ask(do="look", view=True)["view"]["clocks"] is None


def test_in_a_game_of_turns_time_that_is_up_ends_the_game() -> None:
    table = opened("coil", **STRICT)
    answer = table.tick(8)
    assert answer["phase"] == "over"
    assert [(one["kind"], one.get("by")) for one in answer["journal"]] == [("resign", "time"), ("result", None)]
    assert answer["result"]["words"] == "Player 1 has run out of time."


def test_a_placement_is_drawn_and_all_is_revealed() -> None:
    table = opened(**STRICT)
    table.deed("seal", seat=1, action="wC1")
    answer = table.tick(8)
    assert answer["phase"] == "placing"
    assert [one["kind"] for one in answer["journal"]] == ["flag", "seal", "opening", "opening", "reveal"]
    reveal = answer["journal"][-1]
    assert reveal["actions"]["1"] == "wC1"
    assert reveal["clock"]["left"]["2"] <= 0


def test_a_gentle_clock_and_odds() -> None:
    table = opened("coil", main=5, odds={"2": 60})
    assert [one["kind"] for one in table.tick(8)["journal"]] == ["flag"]
    seats = table.ask(do="look", view=True)["view"]["clocks"]["seats"]
    assert [seat["main"] for seat in seats] == [5, 60]


@pytest.mark.parametrize(
    "wrong",
    [
        {"main": "much"},
        {"main": -1},
        {"increment": 601},
        {"odds": {"3": 5}},
        {"odds": [5]},
        {"hours": 1},
        {"strict": 1},
    ],
)
def test_what_no_clock_can_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused, match=r"clocks|strict|odds|main") as refused:
        Table().ask(do="open", game="coil", clocks=wrong)
    assert refused.value.code == "bad_request"
