"""Repair plans: least total way, off before on, never across colours that sensors show."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.games.game import Layout, PieceMove
from firmware_host.searching.assignment import assign, distances
from firmware_host.table.sensor_model import PossibleBoards, SensorModel
from firmware_host.table.watch import Fix, plan

POLES = {"w": "N", "b": "S"}
ROW = Layout(
    nodes={name: (float(i), 0.0) for i, name in enumerate("abcdef")},
    lines=tuple(itertools.pairwise("abcdef")),
)
WAYS = distances(tuple(ROW.nodes), ROW.lines)


def fixes(kind: str, target: dict[str, tuple[str, ...]], seen: dict[str, str]) -> list[Fix]:
    model = SensorModel(kind, POLES)
    sensed_states = {node: seen.get(node, "") for node in ROW.nodes}
    differing = [node for node, sensed in sensed_states.items() if not model.fits(node, target.get(node), sensed)]
    return plan(target, sensed_states, differing, model, WAYS)


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_assignment_is_the_cheapest(rows: int, columns: int, data: st.DataObject) -> None:
    cost = [[data.draw(st.integers(0, 9)) for _ in range(columns)] for _ in range(rows)]
    pairs = assign(cost)
    assert len(pairs) == min(rows, columns)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    wide = cost if rows <= columns else [list(line) for line in zip(*cost, strict=True)]
    cheapest = min(
        sum(line[column] for line, column in zip(wide, order, strict=True))
        for order in itertools.permutations(range(len(wide[0])), len(wide))
    )
    assert sum(cost[row][column] for row, column in pairs) == cheapest


def test_distances_run_along_the_lines() -> None:
    assert WAYS["a", "f"] == 5
    assert WAYS["c", "b"] == 1
    islands = distances(("a", "b"), ())
    assert islands["a", "b"] == 2


def test_nothing_to_mend() -> None:
    assert fixes("presence", {"a": ("w",)}, {"a": "x"}) == []


def test_a_stone_beside_its_node_is_moved_there() -> None:
    assert fixes("presence", {"a": ("w",)}, {"b": "x"}) == [Fix("b", "a", ("w",))]


def test_pairs_have_the_least_total_way() -> None:
    found = fixes("presence", {"a": ("w",), "d": ("w",)}, {"b": "x", "e": "x"})
    assert set(found) == {Fix("b", "a", ("w",)), Fix("e", "d", ("w",))}


def test_never_across_colours_that_are_known() -> None:
    found = fixes("polarity", {"a": ("w",), "f": ("b",)}, {"b": "S", "e": "N"})
    assert set(found) == {Fix("b", "f", ("b",)), Fix("e", "a", ("w",))}


def test_off_before_on() -> None:
    found = fixes("presence", {"a": ("w",)}, {"c": "x", "e": "x"})
    assert found == [Fix("e", None), Fix("c", "a", ("w",))]


def test_two_stones_of_wrong_colour_are_taken_off_first() -> None:
    found = fixes("polarity", {"a": ("w",), "b": ("b",)}, {"a": "S", "b": "N"})
    assert found[0].source in {"a", "b"}
    assert found[0].target is None, "the place of the other stone is not free yet"


def test_a_stack_that_lacks_a_stone_gets_it() -> None:
    assert fixes("level", {"a": ("b", "w")}, {"a": "N"}) == [Fix(None, "a", ("b",))]
    assert fixes("level", {"a": ("w", "w")}, {"a": "N"}) == [Fix(None, "a", ("w",))]


@given(
    st.sampled_from(["presence", "polarity"]),
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("wb")),
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("wb")),
)
def test_doing_the_first_fix_again_and_again_mends_any_board(
    kind: str, target_stones: dict[str, str], lying: dict[str, str]
) -> None:
    model = SensorModel(kind, POLES)
    target = {node: (piece,) for node, piece in target_stones.items()}
    board = dict(lying)
    for _ in range(40):
        seen = {
            node: next(iter(model.sensed_states(node, (board[node],) if node in board else None))) for node in ROW.nodes
        }
        todo = fixes(kind, target, seen)
        if not todo:
            break
        first = todo[0]
        stone = board.pop(first.source) if first.source else None
        if first.target is not None:
            assert first.target not in board, "a stone is never put onto another one"
            board[first.target] = stone or first.pieces[0]
    assert set(board) == set(target)
    if kind == "polarity":
        assert {node: (piece,) for node, piece in board.items()} == target


def test_what_may_have_come_from_a_stack_is_not_taken_off_to_make_room() -> None:
    model, target = SensorModel("polarity", POLES), {"a": ("b",), "c": ("b", "b")}
    seen, came = {"a": "N", "c": "S", "d": "S"}, {"d": PieceMove(("b",), "c", "d")}
    todo = plan(target, seen, ["a", "d"], model, WAYS, came=came)
    assert [(fix.source, fix.target) for fix in todo] == [("a", None), ("d", "c")]


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_of_two_pieces_that_come_down_in_one_scan_either_may_be_the_one_that_was_lifted(order: str) -> None:
    boards = PossibleBoards(SensorModel("presence", POLES), {"a": ("w",)}, 2).with_change("a", "", at=1.0)
    for node in order:
        boards = boards.with_change(node, "x", at=2.0)
    found = {(board.at("a"), board.at("b")) for board in boards.now() or ()}
    assert found == {(("w",), ("w",)), (("w",), ("b",)), (("b",), ("w",))}
