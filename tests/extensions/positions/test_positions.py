"""Positions set up by hand at a table: what its sensors tell, a game begun in one, its best actions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.analysis.engine_process import AnalysisProcess
from firmware_host.extensions.positions.positions import Positions
from firmware_host.table.errors import TableError
from firmware_host.table.state import FarTables
from firmware_host.table.subjects.far import FarTablesChanged
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.tables import SimulatedTable
from tests.e2e.program import eventually

SPOKES = {"C2": ("w",), "D3": ("w",)}
FIRST = {"seat": "1"}


@pytest.fixture(params=["level", "presence"])
def table(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path, kind=request.param)
    yield here
    here.close()


def sit(table: SimulatedTable) -> None:
    for seat, name in ((1, "Ann"), (2, "Bob")):
        table.runtime.submit(SeatTaken(at=table.runtime.now(), seat=seat, name=name, claim=name))


def test_what_is_laid_in_any_order_is_followed_as_far_as_sensors_tell(table: SimulatedTable) -> None:
    for node, piece in (("D3", "w"), ("A1", "b"), ("C2", "w")):
        table.hand.put(node, piece)
        table.wait(0.5)
    table.hand.lift("A1")
    table.wait(0.5)
    told = Positions(table.runtime).lying()
    assert told == ({"C2": ["w"], "D3": ["w"]} if table.runtime.table().kind == "level" else {"C2": None, "D3": None})


def test_a_game_begins_where_the_stones_lie(table: SimulatedTable) -> None:
    sit(table)
    for node, (piece,) in SPOKES.items():
        table.hand.put(node, piece)
        table.wait(0.5)
    Positions(table.runtime).play("2", SPOKES, {"seat": "2"}, None)
    table.wait(1.5)
    assert (table.view["phase"], table.view["resolver"]) == ("resolving", 2), "nothing is to be laid any more"
    assert table.view["board"] == {"C2": ["w"], "D3": ["w"]}
    with pytest.raises(TableError, match="the board is in use"):
        Positions(table.runtime).lying()


def test_what_does_not_lie_yet_is_asked_for_by_light(table: SimulatedTable) -> None:
    sit(table)
    Positions(table.runtime).play("2", SPOKES, FIRST, None)
    table.wait(0.5)
    assert table.view["phase"] == "setup"
    assert {task["node"] for task in table.view["tasks"]} <= {"C2", "D3"}


def test_what_is_no_position_is_explained_and_changes_nothing(table: SimulatedTable) -> None:
    sit(table)
    for lying, words in (({"D3": ("w",) * 5}, "D3: at most 4 pieces"), ({"D3": ("z",)}, "no piece z")):
        with pytest.raises(TableError, match=words):
            Positions(table.runtime).play("2", lying, FIRST, None)
    assert table.view["phase"] == "lobby"


def test_it_is_looked_into_by_the_search_beside_the_table(tmp_path: Path) -> None:
    search = AnalysisProcess()
    table = SimulatedTable(tmp_path, kind="presence", analyser=search)
    positions = Positions(table.runtime)
    lying = {"C2": ("w",), "D3": ("w",)}

    def best() -> object:
        table.wait(0.1)
        return positions.look_into("2", lying, FIRST)

    eventually(lambda: best() is not None, "the search has an answer")
    found = positions.look_into("2", lying, FIRST)
    assert found is not None
    assert found["choices"][0]["action"] == "C2-D3-3"

    sit(table)
    positions.play("2", lying, FIRST, None)
    table.wait(0.5)
    with pytest.raises(TableError, match="a game is still being played"):
        positions.look_into("2", lying, FIRST)
    table.close()
    search.close()


def test_a_refusal_leaves_the_table_as_it_was(tmp_path: Path) -> None:
    """Neither an end that could still be taken back nor a seat is lost to a game that can't begin."""
    table = SimulatedTable(tmp_path, game="octiles", seats=("Ann", "Bob"))
    game = table.runtime.table().game
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=1))
    before = (table.runtime.table().phase, table.runtime.table().ledger.game_id)
    with pytest.raises(TableError, match="seats still open: 3, 4"):
        Positions(table.runtime).play("4", dict(game.occupancy(game.start("4"))), FIRST, None)
    assert (table.runtime.table().phase, table.runtime.table().ledger.game_id) == before
    table.close()


def test_a_mode_with_open_seats_takes_nobody_the_seat(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, game="octiles", mode="4")
    game, runtime = table.runtime.table().game, table.runtime
    for seat, name in ((1, "Ann"), (3, "Cem")):
        runtime.submit(SeatTaken(at=runtime.now(), seat=seat, name=name, claim=name))
    with pytest.raises(TableError, match="seats still open: 2"):
        Positions(runtime).play("2", dict(game.occupancy(game.start("2"))), FIRST, None)
    assert (runtime.table().ledger.mode, sorted(runtime.table().ledger.sittings)) == ("4", [1, 3])
    table.close()


def test_several_tables_begin_as_the_rules_say(table: SimulatedTable) -> None:
    runtime = table.runtime
    runtime.submit(FarTablesChanged(at=runtime.now(), far=FarTables({2: "Other"}, writes=True)))
    sit(table)
    with pytest.raises(TableError, match="begins as its rules say"):
        Positions(runtime).play("2", SPOKES, FIRST, None)
    with pytest.raises(TableError, match="begins as its rules say"):
        runtime.submit(
            GameStarted(at=runtime.now(), position="./..../......../................/................ 2 1 1 place -")
        )
    assert table.view["phase"] == "lobby"
