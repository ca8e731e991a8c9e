"""The whole mapping wizard over boards with any wiring, and with the usual faults of a workbench."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.workshop.mapping import MapWizard
from firmware_host.link.results import write_wiring
from hw.ports import KINDS
from tests.extensions.workshop.workshop import NAMES, PATIENCE, Workshop, rewired, small_board, wiring_of

COUNT = len(NAMES)
orders = st.permutations(range(COUNT))
seeds = st.integers(0, 10_000)
whole_wizards = settings(deadline=None, phases=[Phase.explicit, Phase.generate])
"""Settings without shrinking: a wizard takes a tenth of a second, too long for hundreds of runs."""


@settings(whole_wizards, max_examples=20)
@given(channels=orders, pixels=orders, seed=seeds, kind=st.sampled_from(KINDS))
def test_any_wiring_is_learned(channels: list[int], pixels: list[int], seed: int, kind: str) -> None:
    board = small_board(kind)
    real = rewired(board, channels, pixels)
    shop = Workshop(real, seed)
    wizard = MapWizard(board, patience=PATIENCE)
    shop.run(wizard)
    wiring = wizard.wiring()
    assert wiring.nodes == wiring_of(real)
    assert wiring.notes == wiring.open == ()
    assert not shop.world.stones(), "everything is off the board again"


@settings(whole_wizards, max_examples=10)
@given(order=orders, seed=seeds)
def test_channels_alone_and_pixels_alone(order: list[int], seed: int) -> None:
    board = small_board()
    for what, real in (
        ("channels", rewired(board, order, range(COUNT))),
        ("pixels", rewired(board, range(COUNT), order)),
    ):
        shop = Workshop(real, seed)
        wizard = MapWizard(board, what, PATIENCE)
        shop.run(wizard)
        assert wizard.wiring().nodes == wiring_of(real)
        assert sum("put a stone" in line for line in shop.told) == COUNT, "one stone a node is enough"


@settings(whole_wizards, max_examples=15)
@given(channels=orders, pixels=orders, seed=seeds, rounds=st.lists(st.integers(1, 900), max_size=4))
def test_interrupted_anywhere_and_resumed(channels: list[int], pixels: list[int], seed: int, rounds: list[int]) -> None:
    board = small_board()
    real = rewired(board, channels, pixels)
    shop = Workshop(real, seed)
    wizard = MapWizard(board, patience=PATIENCE)
    for steps in rounds:
        for _ in range(steps):
            if not wizard.is_done:
                shop.step(wizard)
        kept = json.loads(json.dumps(wizard.saved_state()))
        for node in list(shop.world.stones()):  # A person who continues later clears the board first.
            shop.hand.take_off(node)
        wizard = MapWizard(board, patience=PATIENCE)
        wizard.resume(kept)
    shop.run(wizard)
    assert wizard.wiring().nodes == wiring_of(real)


@pytest.mark.thorough
@settings(whole_wizards, max_examples=15)
@given(channels=orders, pixels=orders, seed=seeds, dead=st.sampled_from(NAMES), kind=st.sampled_from(KINDS))
def test_one_dead_sensor_is_named_and_its_wiring_found_all_the_same(
    channels: list[int], pixels: list[int], seed: int, dead: str, kind: str
) -> None:
    board = small_board(kind)
    real = rewired(board, channels, pixels)
    shop = Workshop(real, seed)
    shop.world.set_fault("stuck-off", dead)
    wizard = MapWizard(board, patience=PATIENCE)
    shop.run(wizard)
    wiring = wizard.wiring()
    assert wiring.nodes == wiring_of(real), "the last one left"
    assert any(f"no sensor answered at {dead}" in note for note in wiring.notes)


@pytest.mark.thorough
@settings(whole_wizards, max_examples=10)
@given(channels=orders, pixels=orders, seed=seeds, stuck=st.sampled_from(NAMES), kind=st.sampled_from(KINDS))
@example([6, 7, 5, 2, 3, 0, 4, 1], [2, 4, 5, 3, 6, 1, 7, 0], 1381, "C1", "polarity")
def test_a_stuck_sensor_is_named_at_once_and_disturbs_nobody(
    channels: list[int], pixels: list[int], seed: int, stuck: str, kind: str
) -> None:
    board = small_board(kind)
    real = rewired(board, channels, pixels)
    shop = Workshop(real, seed)
    shop.world.set_fault("stuck-on", stuck)
    shop.rest()
    wizard = MapWizard(board, patience=PATIENCE)
    shop.run(wizard)
    assert f"channel {real.nodes[stuck].channel} (" in shop.told[0]
    assert "stuck" in shop.told[0]
    assert wizard.wiring().nodes == wiring_of(real)


def test_a_flapping_contact_is_left_out() -> None:
    board = small_board()
    shop = Workshop(board)
    shop.world.set_fault("flapping", "B3")
    wizard = MapWizard(board, patience=PATIENCE)
    shop.run(wizard)
    assert "channel 3 (B3 in the board file) never keeps still" in shop.text
    assert wizard.wiring().nodes == wiring_of(board)


def test_two_dead_sensors_leave_the_map_open_until_they_are_mended() -> None:
    board = small_board()
    real = rewired(board, [7, 6, 5, 4, 3, 2, 1, 0], [1, 0, 3, 2, 5, 4, 7, 6])
    shop = Workshop(real)
    for node in ("B2", "C1"):
        shop.world.set_fault("stuck-off", node)
    wizard = MapWizard(board, patience=PATIENCE)
    shop.run(wizard)
    wiring = wizard.wiring()
    assert wiring.nodes == {}
    assert wiring.open == ("B2: its channel and its pixel are not known", "C1: its channel and its pixel are not known")
    shop.world.clear_faults()
    again = MapWizard(board, patience=PATIENCE)
    again.resume(wizard.saved_state())
    shop.told.clear()
    shop.run(again)
    assert "4 without an answer are asked again" in shop.told[0]
    assert sum("put a stone" in line for line in shop.told) == 4
    assert again.wiring().nodes == wiring_of(real)


@pytest.mark.parametrize("dead", [("B2",), ("B2", "C1")])
def test_a_person_can_name_the_place_over_a_dead_sensor(dead: tuple[str, ...]) -> None:
    board = small_board()
    shop = Workshop(board)
    for node in dead:
        shop.world.set_fault("stuck-off", node)
    wizard = MapWizard(board, patience=PATIENCE)
    for node in dead:
        shop.run(wizard, until=lambda pixel=board.nodes[node].pixel: pixel in wizard.lights)  # type: ignore[misc]
        wizard.say(f"= {node}", shop.clock.now)
    shop.run(wizard)
    wiring = wizard.wiring()
    assert "put a stone on B2" not in shop.text, "what was told is not asked"
    if len(dead) == 1:
        assert wiring.nodes == wiring_of(board)
        assert any("no sensor answered at B2: it gets channel 2" in note for note in wiring.notes)
    else:
        assert wiring.nodes == {}, "which channel is whose nobody knows"
        assert wiring.open == ("B2: its channel is not known", "C1: its channel is not known")
        shop.world.clear_faults()
        again = MapWizard(board, patience=PATIENCE)
        again.resume(json.loads(json.dumps(wizard.saved_state())))
        shop.told.clear()
        shop.run(again)
        assert sum("put a stone" in line for line in shop.told) == 2, "mended, their names are asked for"
        assert again.wiring().nodes == wiring_of(board)


@pytest.mark.parametrize("what", ["channels", "both"])
def test_a_dead_chip_is_named_and_none_of_its_channels_is_guessed(what: str) -> None:
    whole = load_board(find_board("spokes-45"), backend="sim")
    names = [name for name, node in whole.nodes.items() if 8 <= node.channel < 16]
    moved = {name: 8 + (at + 3) % 8 for at, name in enumerate(names)}
    channels = [moved.get(name, node.channel) for name, node in whole.nodes.items()]
    real = rewired(whole, channels, [node.pixel for node in whole.nodes.values()])
    shop = Workshop(real)
    for name in names:
        shop.world.set_fault("stuck-off", name)
    wizard = MapWizard(whole, what, PATIENCE)
    shop.run(wizard, seconds=900.0)
    wiring = wizard.wiring()
    assert wiring.nodes == {}
    assert [line.partition(":")[0] for line in wiring.open] == names
    assert wiring.cause.startswith("chip 2 of 6 detects nothing anywhere")
    shop.world.clear_faults()
    again = MapWizard(whole, what, PATIENCE)
    again.resume(wizard.saved_state())
    shop.run(again, seconds=900.0)
    assert again.wiring().nodes == wiring_of(real), "mended, it is learned"


def test_two_channels_that_touch_are_noticed_and_named() -> None:
    def touching(readings: list[int]) -> list[int]:
        readings[2] = readings[5] = readings[2] | readings[5]
        return readings

    board = small_board()
    shop = Workshop(board, bend=touching)
    wizard = MapWizard(board, patience=PATIENCE)
    shop.run(wizard)
    wiring = wizard.wiring()
    assert "channels 2 and 5 answer together" in shop.text
    assert wiring.nodes == {}
    assert len(wiring.open) == 2
    assert any(note.startswith("node B2: channels 2 and 5") for note in wiring.notes)


def test_one_channel_for_two_places_is_noticed_and_named() -> None:
    def joined(readings: list[int]) -> list[int]:
        readings[2] |= readings[5]
        readings[5] = 0
        return readings

    board = small_board()
    shop = Workshop(board, bend=joined)
    wizard = MapWizard(board, patience=PATIENCE)
    shop.run(wizard)
    wiring = wizard.wiring()
    assert "channel 2 answers here, and it has answered for pixel 2 already" in shop.text
    assert wiring.nodes == {}, "which place it belongs to is not known"
    assert any(note.startswith("node B2: channel 2 answers for node C1, too") for note in wiring.notes)


def test_swapped_poles_are_told() -> None:
    def swapped(readings: list[int]) -> list[int]:
        readings[4] = {1: 2, 2: 1}.get(readings[4], readings[4])
        return readings

    board = small_board("polarity")
    shop = Workshop(board, bend=swapped)
    wizard = MapWizard(board, patience=PATIENCE)
    shop.run(wizard)
    wiring = wizard.wiring()
    assert wiring.nodes == wiring_of(board)
    assert any("node B4: channel 4 sees a white stone as black" in note for note in wiring.notes)


def test_a_stone_too_many_is_taken_off_and_tried_again() -> None:
    board = small_board()
    shop = Workshop(board)
    wizard = MapWizard(board, patience=PATIENCE)
    shop.run(wizard, until=lambda: len(wizard.learned.records) == 3)
    shop.run(wizard, until=lambda: 3 in wizard.lights and not shop.world.stones())
    shop.hand.put("C3", "b")
    shop.run(wizard, until=lambda: "answer together" in shop.text)
    shop.hand.take_off("C3")
    shop.run(wizard)
    assert wizard.wiring().nodes == wiring_of(board)


def test_undo_asks_for_the_last_step_again() -> None:
    board = small_board()
    shop = Workshop(board)
    wizard = MapWizard(board, patience=PATIENCE)
    wizard.say("u", 0.0)
    shop.run(wizard, until=lambda: len(wizard.learned.records) == 4)
    for _ in range(2):
        wizard.say("u", shop.clock.now)
    assert len(wizard.learned.records) == 2
    shop.run(wizard)
    assert "there is nothing to undo" in shop.text
    assert shop.text.count("pixel 2 is lit") == 2
    assert wizard.wiring().nodes == wiring_of(board)


def test_what_does_not_fit_is_not_resumed() -> None:
    board = small_board()
    for kept in (
        None,
        [],
        {"board": "another", "what": "both"},
        {"board": board.name, "what": "all"},
        {"board": board.name, "what": "both", "records": [["pixel 99", 1, "", ""]]},
        {"board": board.name, "what": "both", "records": [["pixel 1", 99, "", ""]]},
        {"board": board.name, "what": "both", "records": ["pixel 1"]},
    ):
        with pytest.raises(ValueError, match="expected"):
            MapWizard(board).resume(kept)


def test_two_nodes_on_one_channel_are_named_and_nothing_else() -> None:
    board = small_board()
    one, other = list(board.nodes)[:2]
    wizard = MapWizard(board, "channels")
    records = [[f"node {one}", 0, "", ""], [f"node {other}", 0, "", ""]]
    wizard.resume({"board": board.name, "what": "channels", "records": records})
    assert wizard.wiring().open == (f"{one} and {other} share channel 0",)


def test_a_byte_order_mark_is_no_mistake_where_a_wizard_writes_the_file(tmp_path: Path) -> None:
    shipped, mine = find_board("spokes-45"), tmp_path / "my.toml"
    mine.write_bytes(b"\xef\xbb\xbf" + shipped.read_bytes())
    board = load_board(mine)
    write_wiring(mine, mine, {name: (one.channel, one.pixel) for name, one in board.nodes.items()})
    assert load_board(mine) == board == load_board(shipped)
