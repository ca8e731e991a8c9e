"""Simulated tiles: the readings of their nine sensors, through the drivers of every scheme that can carry them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw.ports import BoardDescription
from hw.tile_codes import RING, TileCodes, sensed_tile
from lodestone.boards import Clock, simulated
from simulator.board import SimulatedBoard
from simulator.hand import Hand
from simulator.stones import Impossible
from simulator.tiles import CLOSES, LEAK, SUPPLY, Pieces
from tests.schemes import FOUND as SCHEMES
from tests.schemes import described as in_a_row
from tests.schemes import there
from tests.sensing.wells import PLAIN, bench, described, small
from tests.waiting import eventually

BOARD = described()
RINGS = {name: tile.ring for name, tile in BOARD.tiles.items()}
CODES = TileCodes(RINGS)
tiles = st.sampled_from(list(RINGS))
turns = st.integers(0, RING - 1)
wells = st.sampled_from([name for name, node in BOARD.nodes.items() if node.ring])


def bits_of(board: BoardDescription, readings: list[int], node: str) -> list[int]:
    return [readings[channel] for channel in board.nodes[node].channels]


@settings(max_examples=40, deadline=None)
@given(
    laid=st.dictionaries(wells, tiles, min_size=1, max_size=5), turn=turns, runner=st.sampled_from(["B3", "A2", "F4"])
)
def test_every_tile_is_read_where_it_lies_and_disturbs_nobody(laid: dict[str, str], turn: int, runner: str) -> None:
    parts, clock, scan = bench()
    scan()
    sensed_states: dict[str, str] = {}
    for well, tile in laid.items():
        if tile in {sensed.partition("r")[0] for sensed in sensed_states.values()}:
            continue
        sensed_states[well] = sensed_tile(tile, turn)
        parts.world.put(well, sensed_states[well])
        clock.sleep(1)
    parts.world.put(runner, "y")
    scan()
    readings = scan()
    for name, node in BOARD.nodes.items():
        if node.ring:
            assert CODES.decode(bits_of(BOARD, readings, name)) == sensed_states.get(name, "")
        else:
            assert readings[node.channel] == (name == runner)


SCHEMES_OF_189 = [
    ("74hc165", {"load": 5, "clock": 6, "data": 13}),
    ("74hc165-spi", {"load": 5}),
    ("4067", {"select": (5, 6, 13, 19), "common": (2, 3, 4, 12, 14, 15, 16, 17, 20, 21, 22, 23)}),
    ("mcp3008", {"select": (5, 6, 13, 19)}),
    ("serial", {}),
]


@pytest.mark.parametrize(("scheme", "pins"), there(SCHEMES_OF_189), ids=[one for one, _ in there(SCHEMES_OF_189)])
def test_every_scheme_that_carries_189_channels_reads_tiles(scheme: str, pins: dict[str, object]) -> None:
    """A converter measures the magnets' fields; a neighbour's field stays below its threshold."""
    options = {name: option.default for name, option in SCHEMES[scheme].options.items()}
    board = replace(BOARD, scheme=scheme, pins=pins, options=options)
    clock = Clock()
    parts = SimulatedBoard(board, clock)
    assert parts.description.scheme == scheme, "it fits as it is"
    sensors = parts.sensors()
    try:
        assert (sensors.channels, sensors.kind) == (189, "presence")
        parts.world.put("b3", "7r5")
        parts.world.put("b4", "18r1")
        parts.world.put("B4", "r")
        clock.now += 1
        readings = list(sensors.scan())
        felt = sum(CODES.bits("7r5")) + sum(CODES.bits("18r1")) + 1
        if scheme == "serial":  # The scanner reports on its own thread.
            eventually(lambda: sum(sensors.scan()) >= felt)
            readings = list(sensors.scan())
        assert CODES.decode(bits_of(board, readings, "b3")) == "7r5"
        assert CODES.decode(bits_of(board, readings, "b4")) == "18r1"
        assert CODES.decode(bits_of(board, readings, "a3")) == ""
        assert readings[board.nodes["B4"].channel] == 1
    finally:
        sensors.close()


def test_a_small_direct_or_matrix_board_reads_tiles_too() -> None:
    ways = ("direct", {"inputs": tuple(range(20))}), ("matrix", {"rows": (0, 1), "columns": tuple(range(2, 12))})
    for scheme, pins in there(ways):
        options = {name: option.default for name, option in SCHEMES[scheme].options.items()}
        board = small(scheme=scheme, pins=pins, options=options)
        parts, _, scan = bench(board)
        parts.world.put("c3", "12r3")
        scan()
        assert CODES.decode(bits_of(board, scan(), "c3")) == "12r3"
        assert parts.description.scheme == scheme


@given(tile=tiles, turn=turns, by=st.integers(0, 20))
def test_a_hand_turns_a_tile(tile: str, turn: int, by: int) -> None:
    parts, _, scan = bench(small())
    world = parts.world
    world.take("hand", sensed_tile(tile, turn))
    world.turn("hand", by)
    world.place("hand", "b3")
    scan()
    assert world.stones() == {"b3": [sensed_tile(tile, turn + by)]}
    assert CODES.decode(bits_of(small(), scan(), "b3")) == sensed_tile(tile, turn + by)


def test_a_tile_on_a_tile_adds_its_magnets_and_one_may_be_drawn_from_below() -> None:
    parts, _, scan = bench(small())
    world = parts.world
    world.put("b3", "1r0")
    world.put("b3", "5r4")
    scan()
    felt = bits_of(small(), scan(), "b3")
    both = [one | other for one, other in zip(CODES.bits("1r0"), CODES.bits("5r4"), strict=True)]
    assert felt == both
    assert CODES.decode(felt) == "?"
    hand = Hand(world, sleep=lambda _: None)
    hand.lift("b3", ["1r0"])
    scan()
    assert CODES.decode(bits_of(small(), scan(), "b3")) == "5r4"
    hand.drop()
    assert (world.supply["1"], world.supply["5"]) == (1, 0)


def test_a_tile_is_lifted_by_its_name_however_somebody_has_turned_it() -> None:
    parts, *_ = bench(small())
    parts.world.put("b3", "3r6")
    assert parts.world.lift("hand", "b3", ["3r0"]) == ["3r6"]


def test_there_is_one_of_each_tile_and_as_many_runners_as_the_board_says() -> None:
    parts, *_ = bench(small())
    world = parts.world
    world.put("b3", "7")
    assert world.stones() == {"b3": ["7r0"]}
    with pytest.raises(Impossible, match="there is no tile 7 in the supply"):
        world.put("c3", "7r1")
    with pytest.raises(Impossible, match="expected b or y or r or g or a tile such as 7r5, got 'w'"):
        world.put("c3", "w")
    assert world.supply["g"] == BOARD.supply["g"]
    assert [world.is_piece(piece) for piece in ("18r7", "19r0", "7r8", "y", "w")] == [True, False, False, True, False]
    with pytest.raises(Impossible, match="holds nothing"):
        world.turn("hand", 1)


def test_boards_without_tiles_have_the_stones_that_they_always_had() -> None:
    world = simulated().world
    assert world.supply == dict(SUPPLY)
    with pytest.raises(Impossible, match="expected w or b, got '7r5'"):
        world.put("A1", "7r5")


def test_one_of_nine_sensors_breaks_by_itself() -> None:
    parts, _, scan = bench(small())
    world, board = parts.world, small()
    world.put("b3", "7r0")
    scan()
    whole = bits_of(board, scan(), "b3")
    for fault, says in (("stuck-on", 1), ("stuck-off", 0)):
        for place, name in [*((place, f"b3/{place}") for place in range(RING)), (RING, "b3/middle")]:
            world.set_fault(fault, name)
            expected = [says if at == place else bit for at, bit in enumerate(whole)]
            assert bits_of(board, scan(), "b3") == expected
            assert world.snapshot()["feels"]["b3"] == sum(bit << at for at, bit in enumerate(expected))
            world.clear_faults(name)
    assert bits_of(board, scan(), "b3") == whole
    for wrong in ("b3/8", "b3/", "B3/0", "b3/north"):
        with pytest.raises(Impossible, match="is not on this board"):
            world.set_fault("stuck-on", wrong)


def test_a_magnet_that_falls_out_is_missing_in_every_turning() -> None:
    parts, _, scan = bench(small())
    world, board = parts.world, small()
    world.lose_magnet("9", 0)
    for turn in range(RING):
        world.put("b3", f"9r{turn}")
        scan()
        felt = bits_of(board, scan(), "b3")
        assert [at for at in range(RING) if CODES.bits(f"9r{turn}")[at] != felt[at]] == [turn]
        world.lift("hand", "b3")
        world.drop("hand")


def test_contacts_of_a_well_chatter_each_by_itself() -> None:
    parts, clock, _ = bench(small(), seed=3)
    parts.world.put("b3", "1r0")
    seen = set()
    for _ in range(50):
        clock.now += 0.0001
        seen.add(tuple(parts.world.contacts()[:9]))
    assert len(seen) > 3, "not all at once"


def test_a_tile_without_a_ring_is_felt_in_the_middle() -> None:
    board = described(PLAIN)
    parts, _, scan = bench(board)
    for number, (name, node) in enumerate(list(board.nodes.items())):
        if node.well:
            parts.world.put(name, f"{number % 18 + 1}r3") if parts.world.supply[str(number % 18 + 1)] else None
    lying = parts.world.stones()
    assert len(lying) > 10
    for _ in range(10):  # Switches that sleep measure later.
        readings = scan()
    assert {name for name, node in board.nodes.items() if readings[node.channel]} == set(lying)


def test_fields_of_neighbours_stay_far_below_what_closes_a_contact() -> None:
    pieces = Pieces.of(BOARD)
    worst = max(
        share
        for name in RINGS
        for share, magnet in zip(pieces.shares([f"{name}r0"]), pieces.magnets(f"{name}r0"), strict=True)
        if not magnet
    )
    assert 0 < worst <= 2 * LEAK < CLOSES / 5


def test_stones_stay_what_they_were_on_boards_of_any_size() -> None:
    parts = SimulatedBoard(in_a_row("74hc165", "presence", 60), Clock())
    assert parts.world.supply == {"w": 59, "b": 59}
