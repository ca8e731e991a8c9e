"""The computer player of Spokes: its ends against the rules' own, wins that no level misses, ways that never circle."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.games.game import BadAction, GameOver
from firmware_host.games.spokes import GAME, notation, rules
from firmware_host.games.spokes.player import placing, resolving
from firmware_host.games.spokes.player.ends import EndSearch, Pairs, after_placements
from firmware_host.games.spokes.player.evaluator import WIN
from firmware_host.games.spokes.player.search_context import SearchContext
from firmware_host.games.spokes.rules import Position
from firmware_host.games.spokes.search import proofs
from firmware_host.games.spokes.search.proofs import worth
from firmware_host.games.spokes.search.store import Graph
from firmware_host.games.thinking import LEVELS, Budget, ComputerPlayer, Thought, choose
from firmware_host.searching import matrix
from tests.forms import printed
from tests.sampling import cases, few, is_sample

LEVEL = range(LEVELS)
COMPILED = not hasattr(EndSearch.look, "__code__")


def random_positions(phase: str, count: int, seed: int = 0, mode: str = "2") -> list[Position]:
    """Return positions of random games, at most one of each phase."""
    rng, found = Random(seed), []
    while len(found) < count:
        now = GAME.start(mode)
        for _ in range(400):
            if now.phase == "over":
                break
            if now.phase == phase and rng.random() < 0.3:
                found.append(now)
            now = GAME.apply(now, {seat: GAME.random_action(now, seat, rng) for seat in GAME.actions(now)}).position
    return found[:count]


@cache
def winning_positions(count: int) -> tuple[Position, ...]:
    """Return positions that the resolver wins in this phase, by the slow search."""
    found: list[Position] = []
    for seed in range(10_000):
        for now in random_positions("resolve", 12, seed):
            outcomes = proofs.outcomes(now.cells, 2_000, 2_000)
            if outcomes.exact and best_worth(now, outcomes)[0] == 1:
                found.append(now)
        if len(found) >= count:
            break
    return tuple(found[:count])


def best_worth(now: Position, outcomes: proofs.Outcomes) -> tuple[int, int, int]:
    rests = [worth(now, cells) for cells in outcomes.rests]
    return max(rests + [worth(now, cells, loop=True) for cells in outcomes.loops])


def think(now: Position, level: int, seed: int = 0) -> Thought:
    seat = now.resolver if now.phase == "resolve" else now.active[0]
    budget = GAME.strengths[level].budget
    return GAME.think(now, seat, budget if COMPILED else replace(budget, nodes=min(budget.nodes, 10_000)), Random(seed))


def resolved(now: Position, level: int) -> tuple[Position, tuple[int, ...], int]:
    """Resolve a phase; return the position after it, the winners, and the number of steps."""
    rng, steps, seen = Random(level), 0, set()
    while now.phase == "resolve":
        assert now not in seen, f"circles: {notation.text(now)}"
        seen.add(now)
        steps += 1
        choice = choose(think(now, level), GAME.strengths[level].spread, rng)
        transition = GAME.apply(now, {now.resolver: choice.action})
        now = transition.position
    return now, transition.status.winners, steps


def test_spokes_thinks_at_as_many_levels_as_there_are() -> None:
    assert isinstance(GAME, ComputerPlayer)
    assert len(GAME.strengths) == LEVELS


@pytest.mark.slow
def test_the_ends_are_those_that_the_rules_search_finds() -> None:
    compared = 0
    for now in random_positions("resolve", 150 if COMPILED else 40):
        outcomes = proofs.outcomes(now.cells, 2_000, 2_000)
        if not outcomes.exact:
            continue
        compared += 1
        context = SearchContext(now, Budget(0, evaluation=0))
        value = context.ends.look(*context.leftovers.pair(now.cells), context.resolver, 5_000)
        graph = context.ends.graph
        rests = {
            context.leftovers.cells(graph.a(number), graph.b(number))
            for number in range(graph.count)
            if graph.first(number) == graph.last(number)
        }
        assert rests == set(outcomes.rests)
        best = best_worth(now, outcomes)[0]
        assert (value == WIN, value == 0) == (best == 1, best == -1)
        if value < WIN:
            loops = {
                rules.clear_nodes(context.leftovers.cells(graph.a(number), graph.b(number)), nodes)
                for number, nodes in context.ends.loops.items()
            }
            assert loops == set(outcomes.loops)
    assert compared > 30


@pytest.mark.slow
@pytest.mark.parametrize("level", few(LEVEL, 2))
def test_every_level_takes_a_win_in_this_phase(level: int) -> None:
    take_wins(level, 15 if COMPILED else 6)


@pytest.mark.thorough
@pytest.mark.parametrize("level", LEVEL)
def test_every_level_takes_a_win_on_many_positions(level: int) -> None:
    take_wins(level, 200)


def take_wins(level: int, count: int) -> None:
    """Lower levels see some steps ahead: what can be won sooner they take."""
    for now in winning_positions(count):
        if not resolving.Look(now, GAME.strengths[level].budget, None).wins:
            assert level < 3
            continue
        thought = think(now, level)
        assert thought.choices[0].value == 1.0
        assert thought.choices[0].reasons
        _, winners, _ = resolved(now, level)
        assert winners == (now.resolver,)


@pytest.mark.parametrize("level", LEVEL)
def test_every_level_takes_a_placement_that_wins_whatever_is_placed(level: int) -> None:
    """One node is empty, both stones make a block there and the board is full: who leads has won."""
    full = {node: (1, 1) for node in range(29) if node != 13}
    homes = {29: (1, 1), 30: (1, 1), 31: (1, 1)}
    cells = rules.from_counts({**full, **homes})
    ahead = Position(cells, "2", 20, 1, "place")
    mine = GAME.think(ahead, 1, GAME.strengths[level].budget, Random(1))
    theirs = GAME.think(ahead, 2, GAME.strengths[level].budget, Random(1))
    assert mine.choices[0].value == 1.0
    assert mine.proved
    assert theirs.choices[0].value < 1.0


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="these positions take seconds in plain Python")
@pytest.mark.parametrize("level", cases([2, 3], 3))
def test_sure_wins_are_looked_for_within_bounds(level: int) -> None:
    """Late in a game each of some thousand pairs of placements has thousands of positions."""
    late = notation.parse("./.x.w/.w.w.w.w/.w..wx.x.wx.x.xb/..w...w.w....... 2 13 1 place -")
    assert think(late, level).nodes < 150_000


def test_no_level_takes_steps_of_a_phase_by_chance() -> None:
    """Steps towards several ends in turn circle."""
    assert all(strength.spread == 0 for strength in GAME.strengths)


@pytest.mark.parametrize("mode", ["4", "2v2"])
def test_among_several_a_placement_that_wins_whatever_is_placed_is_taken(mode: str) -> None:
    full = {node: (1, 1) for node in range(29) if node != 13}
    cells = rules.from_counts({**full, **{29: (1, 1), 30: (1, 1)}})
    ahead = Position(cells, mode, 9, 1, "place")
    for level in LEVEL:
        thought = GAME.think(ahead, 1, GAME.strengths[level].budget, Random(1))
        assert thought.choices[0].value == 1.0
        assert thought.proved


def test_among_several_few_nodes_still_look_at_what_follows_a_placement() -> None:
    """A fourth of a small budget is less than the pairs of placements and joint replies."""
    compared = 0
    for now in random_positions("place", 12, seed=6, mode="4"):
        found = []
        for nodes in (1, 10_000):
            context, rng = SearchContext(now, Budget(0, evaluation=1)), Random(1)
            offered = context.placements()
            samples = [[rng.choice(offered) for _ in range(3)] for _ in range(8)]
            found.append((placing._worths(context, 0, offered, samples, nodes), context.ends.nodes_searched))
        (few, _), (all_known, looked) = found
        if looked <= placing.EACH * len(few) * 8:
            assert few == all_known
            compared += 1
    assert compared >= 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "mode"), cases([(level, mode) for level in (0, 4) for mode in rules.MODES], (0, "4"), (4, "2v2"))
)
def test_phases_come_to_their_end_without_circling(mode: str, level: int) -> None:
    for now in random_positions("resolve", 20 if COMPILED else 4, seed=5, mode=mode):
        after, _, steps = resolved(now, level)
        assert after.phase != "resolve"
        assert steps <= 60


LARGE = (
    "./xw.w/.wxww.ww/.w...wx..w.w.w.w/wxw.w...w.w.w.w. 2v2 7 3 resolve -",
    "./.www/xwww.www/x.x....x.x.x..xw/w.w.w.w.w.w.w.w. 2v2 8 4 resolve -",
    "./xwww/xw.w.w.w/xw.wxw.www.w.w.w/b.w..w.w.w.w.w.w 4 8 4 resolve -",
)
"""Phases of more positions than are looked at, where no end is reached by steps that raise the sum of the nodes."""


@pytest.mark.parametrize(("text", "level"), cases([(text, level) for text in LARGE for level in LEVEL], (LARGE[0], 4)))
def test_large_phases_come_to_their_end(text: str, level: int) -> None:
    after, _, steps = resolved(notation.parse(text), level)
    assert after.phase != "resolve"
    assert steps <= 60


def test_ways_to_a_rest_agree_where_no_search_ends() -> None:
    """From one position a way leads to the next, and from there another one back."""
    now, seen = notation.parse(LARGE[2]), set()
    while not rules.at_rest(now.cells):
        assert now.cells not in seen
        seen.add(now.cells)
        now = replace(now, cells=(resolving.way_to_rest(SearchContext(now, Budget(0))) or [])[1])


@pytest.mark.slow
@pytest.mark.parametrize("seed", cases(range(3), 0))
def test_stones_of_one_colour_come_to_rest_too(seed: int) -> None:
    """Their graph is too large to be known."""
    rng = Random(seed)
    nodes = rng.sample(range(29), 11 if COMPILED else 7)
    cells = (sum(1 << node for node in nodes), 0, 0, ())
    if rules.at_rest(cells):
        return
    now = Position(cells, "2", 3, 1, "resolve")
    while now.phase == "resolve":
        thought = think(now, 2)
        now = GAME.apply(now, {1: thought.choices[0].action}).position
        assert now.turn == 3 or now.phase != "resolve"


@pytest.mark.thorough
def test_the_line_leads_to_the_end_that_is_announced() -> None:
    for start in random_positions("resolve", 3 if is_sample() else 10, seed=3):
        now, choice = start, think(start, 4).choices[0]
        for action in (choice.action, *choice.line):
            assert now.phase == "resolve"
            now = GAME.apply(now, {now.resolver: action}).position
        assert now.phase != "resolve"


def after_next(now: Position, rested: rules.Cells) -> float:
    """Return what the turn after a rest is worth to the resolver of the phase, from the matrix of all pairs."""
    following = replace(now, cells=rested, phase="place", resolver=rules.next_resolver(now))
    context = SearchContext(following, Budget(0, evaluation=1))
    offered, team = context.placements(), 0 if now.resolver == 1 else 1
    values = Pairs(context.ends, rested, context.resolver, team, 20_000).matrix(offered, offered)
    _, theirs = matrix.solve(values, len(offered), len(offered), 400)
    return max(matrix.means(values, theirs, len(offered))) / WIN


@pytest.mark.slow
def test_the_strongest_resolver_chooses_by_what_the_next_turn_makes_of_an_end() -> None:
    compared = 0
    for now in random_positions("resolve", 60, seed=21):
        outcomes = proofs.outcomes(now.cells, 2_000, 2_000)
        rests = [rest for rest in outcomes.rests if rules.ending(replace(now, cells=rest), loop=False) is None]
        if now.turn < 12 or len(rests) not in range(2, 9) or len(rests) < len(outcomes.rests) or outcomes.loops:
            continue
        after, _, _ = resolved(now, 4)
        worths = {rest: after_next(now, rest) for rest in rests}
        assert worths[after.cells] > max(worths.values()) - 0.02
        compared += 1
        if compared == (2 if is_sample() or not COMPILED else 6):
            return
    raise AssertionError(compared)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="takes a minute")
def test_a_choice_between_ends_takes_the_nodes_that_there_are() -> None:
    """The best ends are looked at more closely, the more nodes there are."""
    budget, spent = GAME.strengths[4].budget, []
    for now in random_positions("resolve", 10, seed=22):
        few, many = (
            GAME.think(now, now.resolver, replace(budget, nodes=n), Random(0)).nodes for n in (20_000, 200_000)
        )
        spent.append((many, few))
    assert sum(many > 3 * few for many, few in spent) >= 3, spent


@pytest.mark.slow
@pytest.mark.parametrize("mode", cases(rules.MODES, "2v2"))
def test_all_that_is_ranked_is_legal_and_ordered(mode: str) -> None:
    for now in random_positions("place", 3, seed=2, mode=mode):
        for level in (0, 3) if mode != "2" else (0, 4):
            for seat in now.active:
                thought = GAME.think(now, seat, replace(GAME.strengths[level].budget, nodes=3_000), Random(4))
                offered = set(GAME.actions(now)[seat])
                assert {choice.action for choice in thought.choices} <= offered
                assert all(0 <= choice.value <= 1 for choice in thought.choices)
                assert thought.nodes > 0


def test_the_strongest_level_mixes_its_placements() -> None:
    now = next(now for now in random_positions("place", 40, seed=8) if now.turn > 6)
    thought = GAME.think(now, 1, replace(GAME.strengths[4].budget, nodes=100_000), Random(1))
    assert 0.9 < sum(choice.share for choice in thought.choices) <= 1.001
    assert len(thought.choices) == len(GAME.actions(now)[1])


@given(st.integers(2, 7), st.randoms(use_true_random=False))
def test_a_mix_wins_from_what_looks_best_on_average_and_risks_little(size: int, rng: Random) -> None:
    """What it may lose to the best answer, it wins from the model at least: both count a half."""
    values = [rng.randrange(WIN + 1) for _ in range(size * size)]
    model = placing.likely_shares(values, size)
    means = [sum(values[column::size]) for column in range(size)]
    assert abs(sum(model) - matrix.ONE) <= size
    assert model[means.index(min(means))] == max(model)
    plain, _ = matrix.solve(values, size, size, placing.ROUNDS, placing.NEAR)
    mine, theirs = placing.solve(values, size)
    assert abs(sum(theirs) - matrix.ONE) <= 3 * size
    gained = against(values, mine, model) - against(values, plain, model)
    lost = least(values, plain) - least(values, mine)
    assert gained >= -0.01
    assert lost <= gained + 0.01


def against(values: list[int], mine: list[int], theirs: list[int]) -> float:
    """Return the expected score of a mix against another."""
    size = len(mine)
    total = sum(
        one * other * values[row * size + column] for row, one in enumerate(mine) for column, other in enumerate(theirs)
    )
    return total / (sum(mine) * sum(theirs) * WIN)


def least(values: list[int], mine: list[int]) -> float:
    size = len(mine)
    return min(against(values, mine, [int(at == column) for at in range(size)]) for column in range(size))


@pytest.mark.slow
def test_what_is_found_does_not_depend_on_the_random_numbers_at_the_strongest_level() -> None:
    now = random_positions("place", 3, seed=6)[-1]
    assert think(now, 4, seed=1) == think(now, 4, seed=2)
    assert think(now, 0, seed=1) == think(now, 0, seed=1)


def test_who_does_not_act_is_refused() -> None:
    placing, resolving = random_positions("place", 1)[0], random_positions("resolve", 1)[0]
    with pytest.raises(BadAction, match="seat 3 does not place"):
        GAME.think(placing, 3, Budget(10), Random(0))
    with pytest.raises(BadAction, match="resolves this turn"):
        GAME.think(resolving, 3 - resolving.resolver, Budget(10), Random(0))
    with pytest.raises(GameOver):
        GAME.think(replace(placing, phase="over"), 1, Budget(10), Random(0))


def test_time_that_is_over_still_leaves_a_legal_action() -> None:
    for now in (random_positions("place", 1)[0], *random_positions("resolve", 5)):
        seat = now.resolver if now.phase == "resolve" else 1
        thought = GAME.think(now, seat, Budget(10_000, out_of_time=lambda: True), Random(0))
        assert thought.choices[0].action in GAME.actions(now)[seat]


# Tall stacks: each step is a move of excess, and a rest is far away.
TALL = (
    "./(bbw)(bbbw)(bb)./(bbwww)..(bbw).x../(bbw)(bbwww).(bww)(bbbww).b...x.(bwww).(bbww)./"
    "(bbbww)..(bbbwww).....(bbbwww).(bbwww)(bbbw).(bbbwww). 2 9 1 resolve -"
)


def test_the_search_for_a_way_to_a_rest_ends_with_the_time() -> None:
    """Without a limit it takes a hundred times as long."""
    began = time.thread_time()
    out_of_time = lambda: time.thread_time() - began > 0.1  # noqa: E731 - it is passed on
    budget = replace(GAME.strengths[0].budget, nodes=10, out_of_time=out_of_time)
    thought = GAME.think(GAME.parse(TALL), 1, budget, Random(0))
    assert thought.choices
    assert time.thread_time() - began < 3


def test_pairs_are_worth_what_the_board_after_both_is_worth() -> None:
    for now in random_positions("place", 5, seed=9):
        context = SearchContext(now, Budget(0, evaluation=9))
        offered = context.placements()[::6]
        values = Pairs(context.ends, now.cells, context.resolver, 1, 100_000).matrix(offered, offered)
        assert context.ends.complete
        for row, one in enumerate(offered):
            for column, other in enumerate(offered):
                a, b = context.leftovers.pair(after_placements(now.cells, [one, other]))
                value = context.ends.look(a, b, context.resolver, 100_000)
                assert values[row * len(offered) + column] == (value if context.resolver == 1 else WIN - value)


def test_an_evaluation_is_fair_to_both_sides() -> None:
    for form in range(2):
        for now in random_positions("place", 5, seed=form):
            context = SearchContext(now, Budget(0, evaluation=form))
            a, b = context.leftovers.pair(now.cells)
            assert abs(context.evaluator.chance(a, b, 0) + context.evaluator.chance(a, b, 1) - WIN) <= 1


_ASK = """
import json, sys
from random import Random
from dataclasses import replace
from firmware_host.games.spokes import GAME, notation
for text in sys.argv[1:]:
    now = notation.parse(text)
    seat = now.resolver if now.phase == "resolve" else now.active[0]
    found = [
        [[choice.action, choice.value, choice.share, list(choice.line)] for choice in
        GAME.think(now, seat, replace(GAME.strengths[level].budget, nodes=500, width=width), Random(7)).choices]
        for level, width in ((0, 4), (4, 8))
    ]
    print(json.dumps(found))
"""


@pytest.mark.thorough
def test_both_forms_think_alike() -> None:
    """The compiled form where there is one, and the same text in plain Python."""
    texts = [
        notation.text(now)
        for phase, mode in (("place", "2"), ("resolve", "2"), ("resolve", "4"), ("place", "2v2"))
        for now in random_positions(phase, 3, seed=11, mode=mode)[-1:]
    ]
    answers = printed(_ASK, *texts, plain=False)
    assert len(answers.splitlines()) == len(texts)
    assert answers == printed(_ASK, *texts)


def test_a_graph_of_plain_objects_holds_what_flat_memory_holds() -> None:
    for now in random_positions("resolve", 10, seed=12):
        context = SearchContext(now, Budget(0, evaluation=1))
        ends = context.ends
        plain = EndSearch(Graph(), context.leftovers, context.evaluator, ends.stacked, context.clock)
        start = context.leftovers.pair(now.cells)
        assert plain.look(*start, context.resolver, 700) == ends.look(*start, context.resolver, 700)
        for number in range(ends.graph.count):
            assert (ends.graph.a(number), ends.graph.b(number)) == (plain.graph.a(number), plain.graph.b(number))
            assert ends.graph.parent(number) == plain.graph.parent(number)
        plain.spread()
        ends.spread()
        assert [plain.graph.label(at) for at in range(plain.graph.count)] == [
            ends.graph.label(at) for at in range(ends.graph.count)
        ]
