"""Spokes: properties, differential tests against the slow reference, and each ruling by name."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.game import BadAction, BadPosition, GameError, GameOver
from firmware_host.games.registry import UnknownGame, game
from firmware_host.games.spokes import board, notation, rules
from firmware_host.games.spokes.rules import Cells
from firmware_host.games.spokes.search import proofs
from tests.games import spokes_reference as slow
from tests.sampling import together
from tests.sentences import pattern

SPOKES = game("spokes")
EMPTY = "./..../......../................/................"
thorough = settings(max_examples=150, deadline=None)


@st.composite
def any_cells(draw: st.DrawFn) -> Cells:
    """Any board at all: mostly single stones, some blocks, a few stacks of up to four."""
    found = {}
    kinds = [(1, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (3, 0), (2, 1), (1, 2), (2, 2), (3, 1), (4, 0)]
    for node in draw(st.sets(st.integers(0, 44), max_size=26)):
        found[node] = draw(st.sampled_from(kinds[: draw(st.sampled_from([3, 4, 12]))]))
    return rules.from_counts(found)


def reference(cells: Cells) -> slow.Board:
    return slow.parse(notation.cells_text(cells))


def stones(cells: Cells) -> tuple[int, int]:
    pairs = rules.counts(cells).values()
    return sum(w for w, _ in pairs), sum(b for _, b in pairs)


def turned(node: int) -> int:
    """Return the node a quarter turn clockwise."""
    first, last = next((first, last) for first, last in board.GROUPS if first <= node < last)
    count = last - first
    return first + (node - first + count // 4) % count


def turn(cells: Cells) -> Cells:
    return rules.from_counts({turned(node): pair for node, pair in rules.counts(cells).items()})


def at(text: str) -> Any:
    return SPOKES.parse(text)


def actions(text: str) -> list[str]:
    return next(iter(SPOKES.actions(at(text)).values()))  # type: ignore[return-value]


# -- the board ---------------------------------------------------------------------------------------------------------


def test_the_board_has_45_nodes_and_76_lines() -> None:
    assert len(board.NODES) == 45
    assert len(set(map(frozenset, board.LINES))) == 76


def test_lines_straight_on_and_across_are_the_references() -> None:
    for one in slow.LABELS:
        assert {board.NODES[n] for n in board.NEIGHBOURS[board.INDEX[one]]} == set(slow.neighbours(one))
        for other in slow.neighbours(one):
            key = board.INDEX[one], board.INDEX[other]
            onward = board.STRAIGHT.get(key)
            assert (None if onward is None else board.NODES[onward]) == slow.straight_on(one, other)
            assert {board.NODES[n] for n in board.ACROSS[key]} == set(slow.across(one, other))


# -- properties --------------------------------------------------------------------------------------------------------


@thorough
@given(any_cells())
def test_steps_and_boards_after_them_are_the_references(cells: Cells) -> None:
    ours = {act.text: notation.cells_text(rules.after(cells, act)) for act in rules.legal_steps(cells)}
    theirs = {step: slow.text(after) for step, after in slow.steps(reference(cells)).items()}
    assert ours == theirs


@thorough
@given(any_cells())
def test_stones_are_conserved(cells: Cells) -> None:
    for act in rules.legal_steps(cells):
        assert stones(rules.after(cells, act)) == stones(cells)


@thorough
@given(any_cells())
def test_a_quarter_turn_changes_nothing(cells: Cells) -> None:
    here = {rules.after(cells, act) for act in rules.legal_steps(cells)}
    there = {rules.after(turn(cells), act) for act in rules.legal_steps(turn(cells))}
    assert {turn(after) for after in here} == there


@pytest.mark.slow
@thorough
@given(any_cells(), st.sampled_from(["2", "4", "2v2"]), st.integers(1, 99))
def test_texts_round_trip(cells: Cells, mode: str, number: int) -> None:
    if min(rules.supply(cells)) < 0:
        return
    here = rules.Position(cells, mode, number, 1, "resolve")
    assert SPOKES.parse(SPOKES.text(here)) == here


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000), st.sampled_from([0.5, 0.8, 1.0]))
def test_rests_and_loops_are_the_references(seed: int, share: float) -> None:
    rng = Random(seed)
    nodes = rng.sample(range(45), rng.randrange(3, 11))
    cells = rules.from_counts({n: rng.choice([(1, 0) if rng.random() < share else (0, 1), (1, 1)]) for n in nodes})
    theirs = slow.endings(reference(cells), 250)
    if theirs is None:
        return
    ours = proofs.outcomes(cells)
    assert ours.exact
    assert {notation.cells_text(rest) for rest in ours.rests} == theirs[0]
    assert {notation.cells_text(loop) for loop in ours.loops} == theirs[1]
    assert ours.rest_reachable == bool(theirs[0])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 100_000), st.sampled_from(["2", "4", "2v2"]))
def test_random_games_keep_the_rules(seed: int, mode: str) -> None:
    rng = Random(seed)
    here = SPOKES.start(mode)
    for _ in range(400):
        assert SPOKES.parse(SPOKES.text(here)) == here
        if here.phase == "over":
            assert SPOKES.actions(here) == {}
            assert SPOKES.status(here).winners
            return
        offered = SPOKES.actions(here)
        before = sum(stones(here.cells))
        chosen = {seat: rng.choice(list(offered[seat])) for seat in offered}
        for seat, action in chosen.items():
            SPOKES.check(here, seat, action)
        done = SPOKES.apply(here, chosen)
        placed = len(chosen) if here.phase == "place" else 0
        assert sum(map(len, done.placed.values())) == before + placed
        if done.removed:
            assert done.status.reason == "loop"
        else:
            assert SPOKES.occupancy(done.position) == done.placed
        here = done.position


# -- rulings -----------------------------------------------------------------------------------------------------------


def test_r1_a_colour_needs_a_stone_for_every_player() -> None:
    cells = "x/xxxx/xxxxxxxx/xxxxxxxxxxxxxxxx/wwwwwwwwwwwww..."  # 42 white, 29 black on the board
    text = cells.replace("x/", "./", 1) + " 2 30 1 place -"
    assert set(actions(text)) == {"wA1", "bA1"}
    full = cells.replace("x/", "./", 1).replace("...", "ww.") + " 2 30 1 place -"
    assert set(actions(full)) == {"bA1"}
    with pytest.raises(BadAction, match=pattern("enough white stones left")):
        SPOKES.apply(at(full), {1: "wA1", 2: "bA1"})


def test_r2_excess_that_can_never_settle_is_inert() -> None:
    text = "(ww)/xxxx/......../......ww......../................ 2 5 1 resolve -"
    assert actions(text) == ["D7-D8-D9", "D8-D7-D6"]


def test_r2_a_move_that_leads_nowhere_is_not_offered() -> None:
    # D1's excess may only go over D2, towards the empty D3, not to D16, which is shut in and has no way back.
    text = "./..../x......./(bww)w............xw/xx.............x 2 5 1 resolve -"
    assert actions(text) == ["D1/D2"]


def test_r3_no_push_against_the_other_colour() -> None:
    text = "./..../......../wwb............./................ 2 5 1 resolve -"
    assert not [step for step in actions(text) if step.startswith("D1-D2")]


def test_r4_no_push_against_a_block_or_off_the_board() -> None:
    assert not [
        s for s in actions(f"./..../......../wwx............./{'.' * 16} 2 5 1 resolve -") if s.startswith("D1-D2")
    ]
    outwards = f"./..../......../w.............../w{'.' * 15} 2 5 1 resolve -"
    assert actions(outwards) == ["1-D1-C1"]


def test_r5_a_pair_that_nothing_moves_is_at_rest() -> None:
    assert rules.at_rest(notation.parse_cells("./..../......../xwwx............/.xx............."))  # no C above D2, D3


def test_perpendicular_where_the_own_colour_stands_straight_on() -> None:
    text = "./..../......../www............./................ 2 5 1 resolve -"
    assert [step for step in actions(text) if step.startswith("D1-D2")] == ["D1-D2-2"]


def test_a_stone_is_pushed_through_the_centre() -> None:
    text = "w/w.../......../................/................ 2 5 1 resolve -"
    assert "B1-A1-B3" in actions(text)


def test_r6_r7_the_example_of_the_rules() -> None:
    """White on D16, D1, D3, everything around blocked: D1 goes to D2 and back for ever; all three are removed."""
    text = "./..../xx....../w.wx..........xw/xxx............x 2 5 1 resolve -"
    found = proofs.outcomes(at(text).cells)
    assert found.rest_reachable is False
    loops = [notation.cells_text(cells) for cells in found.loops]
    assert loops == ["./..../xx....../...x..........x./xxx............x"]


def test_r7_the_loop_ends_the_game_and_clears_its_stones() -> None:
    text = "x/..../w.w.w.w./...x.wx...x...w./....w.......w... 2 9 1 place -"
    done = SPOKES.apply(at(text), {1: "wD3", 2: "wB4"})
    assert done.removed == ("B4", "C7", "13")
    assert set(done.placed) - set(SPOKES.occupancy(done.position)) == set(done.removed)
    assert (done.status.reason, done.status.winners) == ("loop", (1,))


def test_r8_gates_are_next_to_homes_by_lines() -> None:
    gates = "./..../......../xxxxxxxx......../........x......x"
    here = at(f"{gates} 2 9 1 place -")
    done = SPOKES.apply(here, {1: "wD12", 2: "wB4"})
    assert done.status.reason == "blocked"
    open_gate = at(f"{gates.replace('x......x', 'x.......')} 2 9 1 place -")
    assert SPOKES.apply(open_gate, {1: "wD12", 2: "wB4"}).status.over is False


def test_r9_a_full_board_ends_the_game() -> None:
    text = "./xxxx/xxxxxxxx/xxxxxxxxxxxxxxx./................ 2 9 1 place -"
    done = SPOKES.apply(at(text), {1: "wA1", 2: "bD16"})
    assert done.status.reason == "full"


def test_r10_a_resigned_player_is_passed_over_and_cant_win() -> None:
    here = SPOKES.start("4")
    left = SPOKES.resign(here, 1).position
    assert left.resolver == 2
    assert sorted(SPOKES.actions(left)) == [2, 3, 4]
    for seat in (2, 3):
        done = SPOKES.resign(left, seat)
        left = done.position
    assert (done.status.over, done.status.reason, done.status.winners) == (True, "resigned", (4,))
    with pytest.raises(GameOver):
        SPOKES.resign(left, 4)


def test_r10_a_partner_plays_on_alone() -> None:
    left = SPOKES.resign(SPOKES.start("2v2"), 1).position
    assert sorted(SPOKES.actions(left)) == [2, 3, 4]
    done = SPOKES.resign(left, 2)
    assert done.status.winners == (3, 4)


def test_filled_homes_end_the_game_but_most_stones_win() -> None:
    text = "./..../......../................/wxwxwxwxxxxxxxx. 2 9 1 place -"
    done = SPOKES.apply(at(text), {1: "wB1", 2: "wB3"})
    assert (done.status.reason, done.status.scores, done.status.winners) == ("filled", (12, 14), (2,))


def test_ties_go_to_the_sector_then_to_the_higher_seat() -> None:
    over = at("./w.../......../................/w.......w....... 2 9 1 over -")
    assert SPOKES.status(over).winners == (1,)
    even = at("w/..../......../................/w.......w....... 2 9 1 over -")
    assert SPOKES.status(even).winners == (2,)
    teams = at(f"./..../......../................/{'.' * 16} 2v2 9 1 over -")
    assert SPOKES.status(teams).winners == (3, 4)


# -- placements and stacks ---------------------------------------------------------------------------------------------


def test_two_on_one_node_make_a_block_or_a_double() -> None:
    start = SPOKES.start("2")
    assert SPOKES.text(SPOKES.apply(start, {1: "wC1", 2: "bC1"}).position).startswith("./..../x")
    assert SPOKES.text(SPOKES.apply(start, {1: "wC1", 2: "wC1"}).position).startswith("./..../(ww)")


@pytest.mark.parametrize(
    ("placed", "cell"),
    [("wwww", "(wwww)"), ("wwwb", "(bwww)"), ("wwbb", "(bbww)"), ("wbbb", "(bbbw)")],
)
def test_four_on_one_node(placed: str, cell: str) -> None:
    done = SPOKES.apply(SPOKES.start("4"), {seat: f"{colour}A1" for seat, colour in enumerate(placed, 1)})
    assert SPOKES.text(done.position).split("/")[0] == cell
    assert done.position.phase == "resolve"


@pytest.mark.parametrize(
    ("seat", "action", "words"),
    [
        (1, "w5", "is a home"),
        (1, "wD12", "not empty"),
        (1, "wE1", pattern("a colour and a node such")),
        (1, "D12", "expected a colour"),
        (1, "wD0", pattern("a colour and a node such")),
        (3, "wD1", "seat 3"),
    ],
)
def test_wrong_placements_are_refused(seat: int, action: str, words: str) -> None:
    here = at("./..../......../...........w..../................ 2 2 2 place -")
    with pytest.raises(BadAction, match=words):
        SPOKES.check(here, seat, action)


@together(
    ("text", "words"),
    [
        ("", "6 fields"),
        (f"{EMPTY} 3 1 1 place -", "mode"),
        (f"{EMPTY} 2 0 1 place -", "turn"),
        (f"{EMPTY} 2 1 3 place -", "resolver"),
        (f"{EMPTY} 2 1 1 think -", "phase"),
        (f"{EMPTY} 2 1 1 place 2,1", "resigned"),
        (f"{EMPTY} 2 1 1 place 1,2", "at least one"),
        (f"{EMPTY} 4 1 1 place 1", "resolver"),
        ("./..../......../................ 2 1 1 place -", "5 groups"),
        ("q/..../......../................/................ 2 1 1 place -", "group A"),
        ("./...../......../................/................ 2 1 1 place -", "group B"),
        ("(w)/..../......../................/................ 2 1 1 place -", "not a stack"),
        ("(wb)/..../......../................/................ 2 1 1 place -", "group A"),
        (f"{EMPTY}  2 1 1 place -", "6 fields"),
    ],
)
def test_wrong_positions_are_refused_by_field(text: str, words: str) -> None:
    with pytest.raises(BadPosition, match=words):
        SPOKES.parse(text)


def test_unknown_things_are_named() -> None:
    with pytest.raises(UnknownGame, match=r"expected one of .*spokes"):
        game("chess")
    with pytest.raises(GameError, match="mode"):
        SPOKES.start("3")


# -- the budget --------------------------------------------------------------------------------------------------------


def test_positions_in_no_loop_are_forgotten_again() -> None:
    finder, rng = proofs.LoopFinder(), Random(3)
    for _ in range(2 * proofs.FREE):
        nodes = rng.sample(range(45), 6)
        finder.nodes((sum(1 << node for node in nodes[:3]), sum(1 << node for node in nodes[3:]), 0, ()))
    assert len(finder._without) <= proofs.FREE


def test_a_search_never_outruns_its_budget() -> None:
    cells = notation.parse_cells("./w.w./.w.wxw.w/.w.w.w..wx..w..w/w.w.xw.ww.wwx.w.")
    found = proofs.outcomes(cells, 5000, 5000)
    assert not found.exact
    assert 5000 <= found.positions < 5100, "the steps of the last position looked at may go beyond"
    assert found.rest_reachable is not False, "what was not explored is not denied"
    assert proofs.LoopFinder(5000).nodes(cells) == 0, "no loop is called that is not proved"
    ticks = iter(range(1_000_000))
    assert proofs.outcomes(cells, 10**9, 10**9, lambda: next(ticks) > 10).exact is False
