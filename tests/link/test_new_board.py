"""The magnets of tiles on a new board: which patterns are chosen, and that a shipped board has them."""

from __future__ import annotations

import itertools

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.link.new_board import PATTERNS, choose, rings
from hw.tile_codes import RING, TileCodes, magnets


def test_a_shipped_board_has_the_patterns_in_the_order_of_its_tiles() -> None:
    tiles = load_board(find_board("octiles-189")).tiles
    assert {name: tile.ring for name, tile in tiles.items()} == dict(zip(map(str, range(1, 19)), PATTERNS, strict=True))


def test_thirty_patterns_differ_from_their_turnings() -> None:
    found = rings()
    assert len(found) == 30
    turned = {ring[turn:] + ring[:turn] for ring in found for turn in range(RING)}
    assert len(turned) == 240
    assert all(len({"".join(ring)[turn:] + "".join(ring)[:turn] for turn in range(RING)}) < RING for ring in (
        "".join(signs) for signs in itertools.product("01", repeat=RING) if "".join(signs) not in turned
    )), "all others look the same in some other turning"  # fmt: skip


def test_the_patterns_are_those_that_the_rule_chooses() -> None:
    assert choose() == PATTERNS
    numbers = [sum(magnets(ring)) for ring in PATTERNS]
    assert numbers == [4] * 15 + [6] * 3, "none less than four, and as few as can be"
    assert not any(sum(magnets(ring)) == 4 for ring in rings() if ring not in PATTERNS)


def test_no_other_three_of_six_magnets_stack_less_confusingly() -> None:
    """Counted independently of the choice: by the decoder's result for every stack of two tiles."""

    def confusing(patterns: tuple[str, ...]) -> int:
        codes = TileCodes({str(number): ring for number, ring in enumerate(patterns)})
        feels = [(number, codes.bits(f"{number}r{turn}")) for number in range(len(patterns)) for turn in range(RING)]
        return sum(
            one != other and codes.decode([a | b for a, b in zip(below, above, strict=True)]) != "?"
            for (one, below), (other, above) in itertools.combinations(feels, 2)
        )

    four = PATTERNS[:15]
    six = [ring for ring in rings() if sum(magnets(ring)) == 6]
    ours = confusing(PATTERNS)
    for other in (six[:3], six[-3:], six[2:8:2]):
        assert ours <= confusing((*four, *other))
    assert ours == 1160, "of 9792 stacks: build.md says so"


def test_more_tiles_than_patterns_are_refused() -> None:
    assert len(choose(26)) == 26
    with pytest.raises(ValueError, match="at most 26 tiles, got 27"):
        choose(27)
