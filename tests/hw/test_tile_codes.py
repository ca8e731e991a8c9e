"""Magnet patterns that encode a tile and its turning: no single fault makes one tile look like another."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.boardfile.load import find_board, load_board
from hw.tile_codes import (
    MIDDLE,
    PLACES,
    RING,
    TileCodes,
    magnets,
    mask,
    problems,
    sensed_tile,
    split_sensed,
)
from tests.sampling import together

TILES = {name: tile.ring for name, tile in load_board(find_board("octiles-189")).tiles.items()}
CODES = TileCodes(TILES)
SENSED = [sensed_tile(tile, turn) for tile in TILES for turn in range(RING)]
FEELS = [(sensed, CODES.bits(sensed)) for sensed in ["", *SENSED]]
places = st.integers(0, PLACES - 1)
any_bits = st.tuples(*[st.integers(0, 1)] * PLACES)
any_sensed = st.sampled_from(["", *SENSED])


def changed(bits: tuple[int, ...], place: int, reading: int) -> tuple[int, ...]:
    return (*bits[:place], reading, *bits[place + 1 :])


# -- what is no code -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("patterns", "culprit", "why"),
    [
        ({"1": "1101000"}, "1", "expected eight signs"),
        ({"1": "1101000x"}, "1", "expected eight signs"),
        ({"1": "10101010"}, "1", "looks the same when it is turned"),
        ({"1": "00000000"}, "1", "looks the same when it is turned"),
        ({"1": "11010000", "2": "00110100"}, "2", "is tile 1's, turned"),
        ({"7r5": "11010000"}, "7r5", "does not end like a turning"),
        ({"a b": "11010000"}, "a b", "letters and digits"),
    ],
)
def test_patterns_that_can_not_be_told_apart_are_named(patterns: dict[str, str], culprit: str, why: str) -> None:
    found = list(problems(patterns))
    assert [name for name, _ in found] == [culprit]
    assert why in found[0][1]
    with pytest.raises(ValueError, match=culprit):
        TileCodes(patterns)


# -- reading ---------------------------------------------------------------------------------------------------------


@together("sensed", SENSED)
def test_every_tile_is_read_in_every_turning(sensed: str) -> None:
    tile, turn = split_sensed(sensed) or ("", 0)
    straight = magnets(TILES[tile])
    lying = CODES.bits(sensed)
    assert all(lying[(place + turn) % RING] == straight[place] for place in range(RING)), "clockwise by so many places"
    assert lying[MIDDLE] == straight[MIDDLE]
    assert sum(lying) % 2 == 0
    assert CODES.decode(lying) == sensed


def test_no_single_fault_of_any_tile_is_taken_for_another() -> None:
    """Every tile in every turning (and the empty well) with each sensor dead or stuck is read correctly, or noticed."""
    looked = noticed = 0
    for (sensed, bits), place, says in itertools.product(FEELS, range(PLACES), (0, 1)):
        seen = CODES.decode(changed(bits, place, says))
        looked += 1
        if says == bits[place]:
            assert seen == sensed, "a broken sensor that happens to be right disturbs nobody"
        else:
            noticed += 1
            assert seen == "?"
            fault = CODES.fault(changed(bits, place, says), sensed)
            assert fault is not None
            assert (fault.place, fault.reads) == (place, bool(says)), "and the sensor is named where the tile is known"
    assert looked == 145 * 9 * 2
    assert noticed == looked // 2


def test_a_sensor_known_to_be_broken_is_made_good() -> None:
    for (sensed, bits), place, says in itertools.product(FEELS, range(PLACES), (0, 1)):
        assert CODES.decode(changed(bits, place, says), {place}) == sensed


def test_two_broken_sensors_of_one_well_never_read_as_another_tile_when_both_are_known() -> None:
    sure = 0
    for (sensed, bits), pair in itertools.product(FEELS, itertools.combinations(range(PLACES), 2)):
        for says in itertools.product((0, 1), repeat=2):
            seen = CODES.decode(changed(changed(bits, pair[0], says[0]), pair[1], says[1]), pair)
            assert seen in {sensed, "?"}
            sure += seen == sensed
    assert sure > 0, "some are still told"


def test_magnets_that_are_lost_make_no_tile_of_four_another_tile() -> None:
    for sensed, bits in FEELS[1:]:
        lying = [place for place in range(PLACES) if bits[place]]
        for number in range(1, len(lying) + 1):
            for lost in itertools.combinations(lying, number):
                left = [bit and place not in lost for place, bit in enumerate(bits)]
                seen = CODES.decode([int(bit) for bit in left])
                if len(lying) == 4:
                    assert seen == ("" if number == 4 else "?"), f"{sensed} without {lost}"
                elif number < 4:
                    assert seen != "", f"{sensed} without {lost} is not nothing"


@given(sensed=any_sensed, place=places)
def test_a_fault_is_explained_by_the_tile_that_lies_there_among_others(sensed: str, place: int) -> None:
    bits = CODES.bits(sensed)
    wrong = changed(bits, place, 1 - bits[place])
    found = CODES.explain(wrong)
    assert any((one.sensed, one.place) == (sensed, place) for one in found)
    for one in found:
        mended = changed(wrong, one.place, int(not one.reads))
        assert CODES.decode(mended) == one.sensed
    assert CODES.explain(bits) == ()


@given(bits=any_bits, ignored=st.sets(places, max_size=3))
def test_whatever_is_read_is_a_tile_that_would_read_so_or_unreadable(bits: tuple[int, ...], ignored: set[int]) -> None:
    seen = CODES.decode(bits, ignored)
    if seen != "?":
        lying = CODES.bits(seen)
        assert all(lying[place] == bits[place] for place in range(PLACES) if place not in ignored)
    elif not ignored:
        assert mask(bits) not in {mask(found) for _, found in FEELS}
