"""The computer player of Coil: legal, deterministic, and blind to nothing that closes in one."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from firmware_host.games.coil.board import board
from firmware_host.games.coil.coil import GAME
from firmware_host.games.coil.flat import BLACK, WHITE
from firmware_host.games.coil.player import thinking
from firmware_host.games.coil.player.core import Core
from firmware_host.games.coil.player.thinking import black_chance
from firmware_host.games.coil.rules import Position, has_coil
from firmware_host.games.game import BadAction, GameOver
from firmware_host.games.thinking import LEVELS, Budget, ComputerPlayer, Strength, choose
from firmware_host.searching.tree import MonteCarloTree
from tests.sentences import sentence
from tools.peers import coil_rave

SMALL = Budget(30)
EVERY_LEVEL = pytest.mark.parametrize("level", GAME.strengths)


def position_of(size: int, seed: int, stones: int, *, contract: bool = False) -> Position | None:
    """Return a position of a random game of the main phase after some stones, None where it has ended before."""
    rng, position = Random(seed), GAME.start_with("2", {"size": size})
    if not contract:
        position = GAME.after(position, "pass")
    for _ in range(stones):
        offered = [action for action in GAME.legal(position) if action != "pass"]
        position = GAME.after(position, rng.choice(offered))
        if position.ending:
            return None
    return position


@cache
def positions(size: int, colour: str, count: int, closing: range) -> list[tuple[Position, list[int]]]:
    """Return positions in which a colour moves and so many cells close a coil, with these cells."""
    found, seed, cells = [], 0, board(size)
    while len(found) < count:
        seed += 1
        position = position_of(size, seed, Random(seed).randrange(len(cells.cells) * 2 // 3))
        if position is None or position.colour != colour:
            continue
        wins = [cell for cell in cells.members(position.empty) if has_coil(cells, position.black | 1 << cell)]
        if len(wins) in closing:
            found.append((position, wins))
    return found


# -- the core ----------------------------------------------------------------------------------------------------------


def test_the_core_decides_what_the_next_stone_decides() -> None:
    for colour, closing in (("b", range(1, 9)), ("w", range(1, 3)), ("w", range(1))):
        for position, wins in positions(4, colour, 8, closing):
            core = Core(4)
            core.begin(position)
            won = colour == "b" or len(wins) > 1
            assert core.known_winner() == (BLACK if won else WHITE if not position.empty else 0)
            if len(wins) == 1 and not won:
                assert [core.move_list[at] for at in range(core.list_moves())] == wins, "the only reply"


def test_random_games_are_won_by_who_has_won() -> None:
    cells, core = board(5), Core(5)
    core.begin(Position(core.size, 0, 0, "main", 2, 1))
    winners = set()
    for _ in range(60):
        core.reset()
        winner = core.playout()
        black = sum(1 << cell for cell in cells.cells if core.owner[cell] == BLACK)
        white = sum(1 << cell for cell in cells.cells if core.owner[cell] == WHITE)
        winners.add(winner)
        if winner == WHITE:
            assert black | white == cells.all
            assert not has_coil(cells, black)
        else:
            threats = [one for one in cells.members(cells.all & ~(black | white)) if has_coil(cells, black | 1 << one)]
            assert has_coil(cells, black) or len(threats) > 1
    assert winners == {BLACK, WHITE}


def test_both_forms_find_the_same() -> None:
    """The figures were found by the compiled form; these tests run again in plain Python."""
    core = Core(7)
    core.begin(Position(core.size, 0, 0, "main", 2, 1))
    core.seed(7)
    tree = MonteCarloTree(core)
    tree.search(150, lambda: False)
    seen = [(tree.move(child), tree.visits(child), tree.value(child)) for child in tree.children()]
    best = max(seen, key=lambda one: one[1])
    assert len(seen) == 127
    assert (sum(move * visits for move, visits, _ in seen), best) == FOUND


FOUND = (14696, (107, 34, 790513))

# -- choices -----------------------------------------------------------------------------------------------------------


def test_it_thinks() -> None:
    assert isinstance(GAME, ComputerPlayer)
    assert len(GAME.strengths) == LEVELS
    assert [strength.budget.nodes for strength in GAME.strengths] == sorted(
        {strength.budget.nodes for strength in GAME.strengths}
    )


@pytest.mark.parametrize("size", [3, 5, 8])
@pytest.mark.parametrize("contract", [True, False])
def test_choices_are_legal_ranked_and_the_same_again(size: int, contract: bool) -> None:
    for seed in range(2):
        position = position_of(size, seed, seed * 4, contract=contract)
        if position is None:
            continue
        thought = GAME.think(position, position.seat, SMALL, Random(seed))
        actions = [choice.action for choice in thought.choices]
        assert len(set(actions)) == len(actions) > 0
        assert set(actions) <= set(GAME.legal(position))
        values = [choice.value for choice in thought.choices]
        assert values == sorted(values, reverse=True)
        assert thought == GAME.think(position, position.seat, SMALL, Random(seed))
        for choice in thought.choices:
            after = GAME.after(position, choice.action)
            for action in choice.line:
                assert action in GAME.legal(after)
                after = GAME.after(after, action)


def test_a_value_is_the_same_chance_on_both_sides_of_the_pass() -> None:
    """Random games overrate Black: whoever passes too early has lost much, and White knows it, too."""
    budget = Budget(600)
    for stones, early in ((10, True), (20, False)):
        position = next(one for seed in range(99) if (one := position_of(7, seed, stones, contract=True)))
        thought = GAME.think(position, position.seat, budget, Random(1))
        chance = next(choice.value for choice in thought.choices if choice.action == "pass")
        after = GAME.after(position, "pass")
        white = GAME.think(after, after.seat, budget, Random(1)).choices[0].value
        assert abs(1 - white - chance) < 0.2
        assert (chance < 0.2) == early


@pytest.mark.slow
@EVERY_LEVEL
def test_black_closes_a_coil_when_it_can(level: Strength) -> None:
    take_wins(level, 8)


@pytest.mark.thorough
@EVERY_LEVEL
def test_every_level_takes_a_win_in_one_turn_on_two_hundred_positions(level: Strength) -> None:
    take_wins(level, 100)


def take_wins(level: Strength, count: int) -> None:
    """So many positions of each of two sizes."""
    for size in (4, 7):
        for number, (position, wins) in enumerate(positions(size, "b", count, range(1, 9))):
            rng = Random(number)
            thought = GAME.think(position, position.seat, level.budget, rng)
            action = choose(thought, level.spread, rng).action
            assert board(size).numbers[action] in wins
            assert thought.proved
            assert thought.choices[0].reasons == ("This closes a coil.",)


@pytest.mark.slow
@EVERY_LEVEL
def test_white_stops_a_coil_that_would_close(level: Strength) -> None:
    budget = Budget(min(level.budget.nodes, 20))
    for size in (4, 7):
        for number, (position, wins) in enumerate(positions(size, "w", 8, range(1, 3))):
            rng = Random(number)
            thought = GAME.think(position, position.seat, budget, rng)
            action = choose(thought, level.spread, rng).action
            assert board(size).numbers[action] in wins
            where = board(size).names[wins[0]]
            if len(wins) == 1:
                assert thought.choices[0].reasons == (sentence("This stops a coil that", node=where),)
            else:
                assert {choice.value for choice in thought.choices} == {0.0}


@EVERY_LEVEL
def test_nobody_closes_a_coil_in_phase_one(level: Strength) -> None:
    budget, tried = Budget(min(level.budget.nodes, 20)), 0
    for seed in range(8):
        position = position_of(4, seed, 12, contract=True)
        if position is None:
            continue
        thought = GAME.think(position, position.seat, budget, Random(seed))
        for choice in thought.choices:
            assert GAME.after(position, choice.action).ending != "coil"
        tried += 1
    assert tried > 1


def test_who_passes_when_black_can_not_be_stopped() -> None:
    """Two cells close a coil, and White can fill one of them only."""
    cells = board(5)
    for seed in range(400):
        position = position_of(5, seed, 14, contract=True)
        if position is None:
            continue
        if sum(has_coil(cells, position.black | 1 << cell) for cell in cells.members(position.empty)) > 1:
            best = GAME.think(position, position.seat, SMALL, Random(1)).choices[0]
            assert (best.action, best.value) == ("pass", 1.0)
            return
    pytest.fail("no such position")


def test_on_an_empty_board_it_is_too_early_to_pass() -> None:
    thought = GAME.think(GAME.start("2"), 1, Budget(100), Random(1))
    assert thought.choices[0].action != "pass"


def test_a_safe_white_knows_it() -> None:
    for seed in range(300):
        position = position_of(4, seed, 30)
        if position is not None and GAME.decision(position):
            thought = GAME.think(position, position.seat, SMALL, Random(seed))
            value = 1.0 if position.colour == "w" else 0.0
            assert {choice.value for choice in thought.choices} == {value}
            assert thought.proved
            return
    pytest.fail("no such position")


def test_who_does_not_act_is_refused() -> None:
    start = GAME.start("2")
    with pytest.raises(BadAction):
        GAME.think(start, 2, SMALL, Random(1))
    with pytest.raises(GameOver):
        GAME.think(GAME.resign(start, 1).position, 1, SMALL, Random(1))


def test_the_lowest_level_beats_random() -> None:
    won, games, level = 0, 4, GAME.strengths[0]
    for number in range(games):
        rng, position, own = Random(number), GAME.start_with("2", {"size": 4}), number % 2 + 1
        while not position.ending:
            if position.seat == own:
                action = choose(GAME.think(position, own, level.budget, rng), level.spread, rng).action
            else:
                action = GAME.random_action(position, position.seat, rng)
            position = GAME.after(position, action)
        won += position.winner == own
    assert won >= 3


def test_black_s_chance_grows_with_what_is_found_and_keeps_its_bounds() -> None:
    for games in (1, 16, 100, 5000, 10**6):
        chances = [black_chance(found / 20, games) for found in range(21)]
        assert chances == sorted(chances)
        assert 0 < chances[0] < chances[-1] < 1


def test_the_better_the_players_are_the_less_is_found_for_black_worth() -> None:
    """White holds more of what random games give to Black: good players pass later."""
    for found in (0.5, 0.6, 0.7, 0.8, 0.9):
        chances = [black_chance(found, level.budget.nodes) for level in GAME.strengths]
        assert chances == sorted(chances, reverse=True)
        assert chances[0] > chances[-1]


def test_stones_are_compared_with_the_pass_even_without_time() -> None:
    """Once only the pass was left, which loses."""
    budget = Budget(24_000, out_of_time=lambda: True)
    choices = GAME.think(GAME.start("2"), 1, budget, Random(1)).choices
    assert len(choices) > 2
    assert choices[0].action != "pass"


def test_a_search_ends_early_just_where_the_choice_is_clear() -> None:
    budget, ended = Budget(240), []
    for seed in range(16):
        position = position_of(4, seed, 6 + seed)
        if position is None:
            continue
        thought = GAME.think(position, position.seat, budget, Random(seed))
        first, clear = thought.choices[0].value, 1 - thinking.CLEAR
        if not thought.proved and thought.nodes < budget.nodes:
            ended.append(thought.nodes)
            assert thought.nodes >= budget.nodes / 3 or not clear < first < 1 - clear
    assert min(ended) < budget.nodes / 3 <= max(ended)


@pytest.mark.thorough
def test_the_peer_plays_by_the_rules_and_closes_what_it_can() -> None:
    rng, position = Random(2), GAME.start_with("2", {"size": 4})
    while not position.ending:
        action = coil_rave.choose(GAME, position, position.seat, rng, nodes=60)
        GAME.check(position, position.seat, action)
        position = GAME.after(position, action)
    for position, wins in positions(4, "b", 12, range(1, 9)):
        action = coil_rave.choose(GAME, position, position.seat, rng, nodes=200)
        assert board(4).numbers[action] in wins


def test_time_stops_it_with_an_answer() -> None:
    for position in (GAME.start("2"), GAME.after(GAME.start("2"), "pass")):
        thought = GAME.think(position, position.seat, Budget(10**9, out_of_time=lambda: True), Random(1))
        assert thought.choices[0].action in GAME.legal(position)
