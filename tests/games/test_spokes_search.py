"""The search: decisions, loops, configurations, ways back and stores, against vectors and plain enumerations."""

from __future__ import annotations

import hashlib
import itertools
import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.spokes import board, notation, rules
from firmware_host.games.spokes.flat import Clock, Leftovers, size
from firmware_host.games.spokes.rules import Cells
from firmware_host.games.spokes.search import proofs
from firmware_host.games.spokes.search.exclusions import Exclusions
from firmware_host.games.spokes.search.explore import Approach, Configurations, Explorer, Retreat
from firmware_host.games.spokes.search.forms import COMPILED, new_store
from firmware_host.games.spokes.search.proofs import decide, shorten
from firmware_host.games.spokes.search.store import PositionStore
from tests.sampling import together

VECTORS = Path(__file__).parents[1] / "vectors" / "spokes_search.jsonl"
LARGEST = 250_000 if COMPILED else 3_000
QUICK = 20_000
"""Graphs that are small enough for a test, in positions."""
FOREVER = Clock(None)


@cache
def vectors(kind: str) -> tuple[dict[str, Any], ...]:
    """Every position with what an independent program proved about it, by complete enumeration where it could."""
    lines = map(json.loads, VECTORS.read_text().splitlines())
    return tuple(line for line in lines if line["kind"] == kind)


def digest(cells: tuple[Cells, ...]) -> str:
    return hashlib.sha256("\n".join(sorted(map(notation.cells_text, cells))).encode()).hexdigest()


def some_cells(seed: int, most: int, share: float = 0.8) -> Cells:
    """A board of single stones, mostly white, and some blocks."""
    rng = Random(seed)
    nodes = rng.sample(range(45), rng.randrange(3, most))
    return rules.from_counts({n: rng.choice([(1, 0) if rng.random() < share else (0, 1), (1, 1)]) for n in nodes})


def successors(cells: Cells) -> list[Cells]:
    """The cells after every step."""
    return [rules.after(cells, act) for act in rules.legal_steps(cells)]


def everything(cells: Cells, most: int) -> dict[Cells, list[Cells]] | None:
    """Every position that can be reached, with its successors, by the rules alone."""
    later = {cells: successors(cells)}
    waiting = [cells]
    while waiting:
        for found in later[waiting.pop()]:
            if found not in later:
                later[found] = successors(found)
                waiting.append(found)
        if len(later) > most:
            return None
    return later


def assert_a_way(way: list[Cells]) -> None:
    for before, after in itertools.pairwise(way):
        assert after in successors(before)


# -- what another program proved ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=() if line["positions"] <= QUICK else pytest.mark.thorough, id=line["cells"])
        for line in vectors("exact")
        if line["positions"] <= LARGEST
    ],
)
def test_graphs_are_those_of_the_oracle(line: dict[str, Any]) -> None:
    cells = notation.parse_cells(line["cells"])
    survey = proofs.Survey(cells, 1_000_000, 1_000_000, None)
    found = proofs.outcomes(cells, 1_000_000)
    assert (found.exact, found.positions) == (True, line["positions"])
    assert (len(found.rests), digest(found.rests)) == (line["rests"], line["rests_sha256"])
    assert (len(found.loops), digest(found.loops)) == (line["loops"], line["loops_sha256"])
    mine = next((loop for loop in survey.loops if loop.first == 0), None)
    assert (mine is not None) == line["in_loop"]
    charged = cells[0] | cells[1]
    assert [board.NODES[n] for n in board.members(mine.nodes & charged if mine else 0)] == line["loop_nodes"]


@pytest.mark.thorough
def test_what_was_proved_is_never_contradicted_and_nearly_all_is_decided() -> None:
    decided = 0
    lines = vectors("hard")[:: 2 if COMPILED else 8]
    for line in lines:
        found = decide(notation.parse_cells(line["cells"]), Leftovers(), FOREVER, 40_000)
        if found.rest_reachable is not None and line["rest_reachable"] is not None:
            assert found.rest_reachable == line["rest_reachable"], line["cells"]
        if found.rest_reachable:
            assert found.way[0] == notation.parse_cells(line["cells"])
            assert_a_way(found.way)
            assert rules.at_rest(found.way[-1])
        decided += found.rest_reachable is not None
    assert decided > 0.8 * len(lines), "they were chosen to be hard; a larger budget decides more"


# -- each part against the rules ---------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 100_000), st.integers(5, 8))
def test_configurations_are_all_that_are_at_rest(seed: int, free: int) -> None:
    """With blocks on all but a few nodes everything can be tried."""
    rng = Random(seed)
    middle = rng.randrange(45)
    nodes = sorted(range(45), key=lambda n: (n != middle, middle not in board.NEIGHBOURS[n], rng.random()))[:free]
    blocks = board.ALL & ~sum(1 << node for node in nodes)
    expected: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for signs in itertools.product((".", "w", "b"), repeat=free):
        white = sum(1 << node for node, sign in zip(nodes, signs, strict=True) if sign == "w")
        black = sum(1 << node for node, sign in zip(nodes, signs, strict=True) if sign == "b")
        if rules.at_rest((white, black, blocks, ())):
            expected.setdefault((white.bit_count(), black.bit_count()), set()).add((white, black))
    for white, black in itertools.product(range(free + 1), range(3)):
        search = Configurations(blocks, white, black, 10_000, FOREVER)
        assert search.run()
        assert set(search.found) == expected.get((white, black), set())


@pytest.mark.parametrize("share", [1.0, 0.8])
@together("seed", range(12))
def test_nothing_that_happens_is_excluded(seed: int, share: float) -> None:
    """All positions of small graphs are allowed, and from what can reach a rest the way there is, backwards."""
    cells = some_cells(seed, 12, share)
    later = everything(cells, 3_000)
    if later is None:
        return
    mixed = bool(cells[0] and cells[1])
    ahead = Exclusions(cells[2], FOREVER, mixed=mixed)
    ahead.add(*Leftovers().pair(cells))
    assert ahead.run()
    assert all(ahead.allow(*Leftovers().pair(found)) for found in later)
    for rest in [found for found, after in later.items() if not after][:3]:
        behind = ahead.behind(*Leftovers().pair(rest))
        assert behind is not None
        before = {rest}
        while more := {found for found, after in later.items() if found not in before and before & set(after)}:
            before |= more
        assert all(behind.allow(*Leftovers().pair(found)) for found in before)


@pytest.mark.parametrize("number", [2, 40, 57, 168])
def test_rests_that_cannot_be_reached_are_excluded_without_a_search(number: int) -> None:
    """Each of these exhausted five seconds of search both ways."""
    cells = notation.parse_cells(vectors("hard")[number]["cells"])
    found = decide(cells, Leftovers(), FOREVER, proofs.DECIDING)
    assert found.rest_reachable is False
    assert found.dive.store.count < 2 * proofs.LONG_DIVE


def test_configurations_stop_at_their_limit() -> None:
    search = Configurations(0, 14, 0, 50, FOREVER)
    assert not search.run()
    assert len(search.found) == 50


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 100_000))
def test_backwards_is_forwards_turned_round(seed: int) -> None:
    """Going back from all rests of a small graph meets exactly the positions of it that can reach one."""
    cells = some_cells(seed, 9)
    later = everything(cells, 300)
    if later is None:
        return
    leftovers = Leftovers()
    back = Retreat(new_store(), FOREVER, cells[2])
    reach = {here for here, after in later.items() if not after}
    for rest in reach:
        back.add(*leftovers.pair(rest))
    back.until(new_store(), 30_000)
    if not back.exact:
        return
    grown = -1
    while grown != len(reach):
        grown = len(reach)
        reach |= {here for here, after in later.items() if reach & set(after)}
    met = {leftovers.cells(back.store.a(n), back.store.b(n)): n for n in range(back.store.count)}
    assert set(met) & set(later) == reach
    for here in reach:
        way = [leftovers.cells(back.store.a(n), back.store.b(n)) for n in back.way(met[here])]
        assert_a_way(way)
        assert rules.at_rest(way[-1])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 100_000))
def test_breadth_first_ways_are_the_shortest(seed: int) -> None:
    cells = some_cells(seed, 9)
    later = everything(cells, 400)
    if later is None:
        return
    leftovers = Leftovers()
    graph = Explorer(new_store(), leftovers, FOREVER, *leftovers.pair(cells))
    assert graph.all(10_000)
    assert graph.store.count == len(later)
    distance, layer = {cells: 0}, [cells]
    while layer:
        layer = list(dict.fromkeys(after for here in layer for after in later[here] if after not in distance))
        distance.update(dict.fromkeys(layer, 1 + max(distance.values())))
    for number in range(graph.store.count):
        way = [leftovers.cells(graph.store.a(n), graph.store.b(n)) for n in graph.way(number)]
        assert_a_way(way)
        assert len(way) - 1 == distance[way[-1]]


def test_long_ways_are_shortened() -> None:
    """A dive finds a way of thousands of steps; nobody would follow it."""
    cells = notation.parse_cells("./xw.w/.w.w.www/.wxwx..w.w.www.w/w...w.w.w.w.w.w.")
    leftovers = Leftovers()
    way = decide(cells, leftovers, FOREVER, 20_000).way
    assert len(way) > 1000
    explorer = Explorer(new_store(), leftovers, FOREVER, *leftovers.pair(cells))
    short = shorten(explorer, way)
    assert len(short) < 60
    assert (short[0], short[-1]) == (way[0], way[-1])
    assert_a_way(short)


def test_an_approach_gives_up_where_there_is_nothing_more() -> None:
    cells = notation.parse_cells("w/.x../w.w.wxxw/.w.w.w....wxw.../w.w.w.w.w.....w.")
    leftovers = Leftovers()
    approach = Approach(new_store(), leftovers, FOREVER, leftovers.pair(cells), [(1, 1)])
    approach.goal = new_store()
    assert approach.until_goal(1_000) == -1
    assert approach.store.count == 3


@given(st.integers(0, board.ALL))
def test_sizes_are_counted(nodes: int) -> None:
    assert size(nodes) == nodes.bit_count()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000))
def test_stacks_keep_their_place_in_a_pair(seed: int) -> None:
    rng = Random(seed)
    leftovers = Leftovers()
    for _ in range(20):
        pairs = {n: rng.choice([(1, 0), (0, 1), (1, 1), (2, 0), (2, 2), (1, 3)]) for n in rng.sample(range(45), 6)}
        cells = rules.from_counts(pairs)
        assert leftovers.cells(*leftovers.pair(cells)) == cells


# -- stores ------------------------------------------------------------------------------------------------------------


def packed() -> PositionStore:
    module = pytest.importorskip("firmware_host.games.spokes.search.packed", exc_type=ImportError)
    store: PositionStore = module.PackedStore()
    return store


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2**61 - 1), st.integers(0, 2**45 - 1)), max_size=60))
def test_both_stores_do_the_same(keys: list[tuple[int, int]]) -> None:
    plain, flat = PositionStore(), packed()
    for mark, (a, b) in enumerate(keys):
        assert plain.add(a, b, mark) == flat.add(a, b, mark)
    for a, b in [*keys, (1, 2)]:
        number = plain.find(a, b)
        assert flat.find(a, b) == number
        if number >= 0:
            assert (flat.a(number), flat.b(number), flat.mark(number)) == (a, b, plain.mark(number))


@pytest.mark.slow
def test_both_stores_grow() -> None:
    rng = Random(1)
    count = 60_000
    keys = [(rng.getrandbits(45), rng.getrandbits(45)) for _ in range(count)]
    for store in (PositionStore(), packed()):
        for mark, (a, b) in enumerate(keys):
            assert store.add(a, b, mark) == -1 - mark
        for number in range(0, count, 7):
            store.set_flag(number, number % 5)
        for number, (a, b) in enumerate(keys):
            assert store.find(a, b) == number == store.mark(number)
            assert store.flag(number) == (number % 5 if number % 7 == 0 else 0)
        assert store.find(1, 1) == -1
        assert store.fresh().count == 0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-1, 2**31 - 1), max_size=80))
def test_both_lists_do_the_same(deeds: list[int]) -> None:
    lists = [store.numbers() for store in (PositionStore(), packed())]
    expected: list[int] = []
    for deed in deeds:
        if deed >= 0:
            expected.append(deed)
            for numbers in lists:
                numbers.append(deed)
        elif expected:
            last = expected.pop()
            assert [numbers.pop() for numbers in lists] == [last, last]
    for numbers in lists:
        assert [numbers.at(index) for index in range(numbers.size)] == expected
        if len(expected) > 2:
            numbers.put(0, 7)
            numbers.cut(2)
            assert [numbers.at(index) for index in range(numbers.size)] == [7, expected[1]]


# -- time and room -----------------------------------------------------------------------------------------------------

UNDECIDED = "./w.w./.w.wxw.w/.w.w.w..wx..w..w/w.w.xw.ww.wwx.w."
"""Rests are there that nothing excludes, and none can be reached."""
DENSE = "w/xx../w.w.w.w./.w.w.w.w.www..ww/w.w.w.w.w.w.w.w."


@pytest.mark.parametrize("looks", [0, 1, 3, 20, 100])
def test_nothing_goes_on_long_after_time_is_over(looks: int) -> None:
    """Whatever it is at when time runs out, a search looks at the clock again a few times only."""
    asked = 0

    def out_of_time() -> bool:
        nonlocal asked
        asked += 1
        return asked > looks

    found = proofs.outcomes(notation.parse_cells(DENSE), out_of_time=out_of_time)
    assert not found.exact
    assert asked <= looks + 3


def test_too_many_arrangements_of_stacks_make_a_search_inexact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_host.games.spokes.flat.MAX_STACKS", 5)
    found = proofs.outcomes(rules.from_counts({0: (2, 0), 20: (2, 0), 33: (2, 2)}))
    assert not found.exact
    assert found.rest_reachable is not False
