"""A turn of Octiles in two stages: every turn begins as some tile step says, and tile and runner make the turn."""

from __future__ import annotations

import gc
from random import Random

import pytest

from firmware_host.games.capabilities import HasStages, HasTiles
from firmware_host.games.game import BadAction
from firmware_host.games.octiles import GAME
from firmware_host.games.octiles.rules import Position
from tests.games.octiles_positions import greedy_action
from tests.sentences import sentence


def positions(mode: str, seed: int, most: int = 40) -> list[Position]:
    rng, found = Random(seed), []
    position = GAME.start_with(mode, {"seed": seed})
    while not GAME.status(position).over and len(found) < most:
        found.append(position)
        seat = position.seat
        position = GAME.apply(position, {seat: greedy_action(position, seat, rng)}).position
    return found


def test_a_long_game_leaves_the_turns_of_few_positions_behind() -> None:
    """The turns of a position take half a megabyte: a program that plays all day keeps those that it may need again."""

    def kept_after(some: list[Position]) -> int:
        for position in some:
            for step in GAME.stage(position, ())[:3]:
                GAME.stage(position, (step.action,))
        gc.collect()
        return sum(isinstance(one, list) for one in gc.get_objects())

    game = positions("2", 5, 80)
    few = kept_after(game[:10])
    assert kept_after(game) < few + 200


def test_the_game_offers_tiles_and_stages() -> None:
    assert isinstance(GAME, HasStages)
    assert isinstance(GAME, HasTiles)
    assert len(GAME.tiles) == 18
    assert all(sorted(edge for line in lines for edge in line) == list(range(8)) for lines in GAME.tiles.values())


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["2", "3", "4"])
def test_the_stages_together_are_just_the_legal_turns(mode: str) -> None:
    for position in positions(mode, 5):
        offered = GAME.actions(position)[position.seat]
        first = GAME.stage(position, ())
        if offered == ["pass"]:
            assert [(step.action, step.moves, step.partial) for step in first] == [("pass", (), False)]
            continue
        assert all(step.partial for step in first)
        after = {step.action: GAME.stage(position, (step.action,)) for step in first}
        assert [step.action for steps in after.values() for step in steps] == list(offered)
        assert not any(step.partial for steps in after.values() for step in steps)


@pytest.mark.slow
def test_each_stage_lies_on_what_the_one_before_has_left() -> None:
    for position in positions("2", 7):
        now = GAME.occupancy(position)
        whole = {step.action: step for step in GAME.steps(position)}
        for tile in GAME.stage(position, ()):
            assert GAME.board_after(position, (tile.action,)) == tile.after
            well = tile.action.partition("r")[0]
            assert tile.after[well][0].startswith(f"{GAME.supply(position).piece}r")
            taken = [move.pieces for move in tile.moves if move.target is None]
            assert taken == ([now[well]] if well in now else []), "a covered tile is taken out first"
            for step in GAME.stage(position, (tile.action,)):
                assert step.after == whole[step.action].after
                assert (*tile.moves, *step.moves) == whole[step.action].moves
                (move,) = step.moves
                assert step.line[0] == move.source
                assert step.line[-1] == move.target
                assert well in step.line, "the line crosses the new tile"
                assert bool(step.tap_twice) == (move.source == move.target)


@pytest.mark.slow
def test_a_covered_tile_goes_under_the_stack_and_the_next_one_is_on_top() -> None:
    seen = 0
    for position in positions("2", 11, 60):
        for action in GAME.actions(position)[position.seat]:
            words = GAME.tidying(position, action)
            after = GAME.apply(position, {position.seat: action}).position
            covered = {*GAME.occupancy(position).items()} - {*GAME.occupancy(after).items()}
            tiles = [stack[0].partition("r")[0] for node, stack in covered if node.islower()]
            assert words == (sentence("goes to the bottom of", tile=tiles[0]) if tiles else None)
            if tiles:
                assert str(after.stack[-1]) == tiles[0]
                seen += 1
            assert GAME.supply(after).left == len(after.stack)
    assert seen > 20


def test_stages_that_do_not_follow_are_refused() -> None:
    position = GAME.start_with("2", {"seed": 1})
    for done in (("c3r9",), ("zz",), ("",), ("a2r0", "A2-B2")):
        with pytest.raises(BadAction):
            GAME.board_after(position, done)
        with pytest.raises(BadAction):
            GAME.stage(position, done)
