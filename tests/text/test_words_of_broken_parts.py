"""What is said of broken parts can be told in another language, down to the hardware's own words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.sensing.diagnosis import Diagnosis, mixed_words, wire_words
from firmware_host.sensing.pipeline import SensorPipeline
from firmware_host.table import events as ev
from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.resolving import BoardLost, Noticed
from firmware_host.text.words import Text
from lodestone.tables import SimulatedTable
from tests import test_faults
from tests.sampling import cases
from tests.sensing import test_health as test_scan_health
from tests.sensing import test_well_faults as test_wells
from tests.sensing import test_wells_told
from tests.session.test_runtime import sit
from tests.table.pseudo import Listener

pytestmark = pytest.mark.slow

PINS = ("SPI", "MISO", "SDA", "GPIO", "Ann", "Bob", "V", "VCC", "GND", "SIG", "QH")


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    """Hear all that eyes say, and what tables show of it."""
    heard = Listener(*PINS)
    heard.verbatim = "NeoPixel write failed: the hardware does not answer"
    look = SensorPipeline.look

    def heard_look(self: SensorPipeline, at: float) -> Iterator[ev.Event]:
        for event in look(self, at):
            if isinstance(event, (BoardLost, SensorMasked)):
                heard.check("reason", event.reason)
            elif isinstance(event, Noticed) and event.text is not None:
                heard.check("notice", event.text)
            yield event

    monkeypatch.setattr(SensorPipeline, "look", heard_look)
    yield heard
    assert heard.wrong == {}
    assert heard.language.said, "nothing was heard"


@pytest.mark.thorough
@pytest.mark.parametrize("kind", cases(["presence", "polarity", "level"], "presence"))
def test_broken_lines_chips_and_strips(listener: Listener, tmp_path: Path, kind: str) -> None:
    for number, fault in enumerate(("data-high", "data-low", "data-shifted", "chip-high", "spikes", "", "lost")):
        table = SimulatedTable(tmp_path / str(number), kind=kind)
        table.runtime.follow(listener.hear)
        sit(table)
        if fault == "":
            test_faults.test_a_strip_that_fails_is_told_and_play_goes_on(table)
        elif fault == "lost":
            test_faults.test_an_unplugged_board_comes_back_and_the_game_with_it(table)
        elif fault == "spikes":
            test_faults.test_one_bad_scan_in_ten_is_told_and_disturbs_nobody(table)
        elif fault.startswith("chip"):
            test_faults.test_the_nodes_of_a_dead_chip_are_masked_and_believed_again(table, fault)
        else:
            test_faults.test_a_broken_data_line_pauses_play_with_its_name(table, fault)
        table.close()


def test_wells_with_broken_sensors(listener: Listener, tmp_path: Path) -> None:
    test_wells_told.test_a_dead_sensor_is_named_where_the_tile_is_known()
    test_wells_told.test_one_flapping_sensor_of_nine_is_done_without_and_a_second_masks_the_well()
    test_wells_told.test_a_flapping_node_of_one_sensor_is_masked_as_ever()
    test_wells.test_a_dead_half_of_the_chain_is_given_up_by_wells()


@pytest.mark.parametrize("scheme", test_scan_health.BOARDS)
def test_the_parts_of_all_boards(scheme: str) -> None:
    plain = load_board(find_board("spokes-45"), backend="sim", kind="presence")
    board, heard = test_scan_health.BOARDS[scheme](plain), Listener(*PINS)
    heard.check("wire", wire_words(board))
    found = Diagnosis(board)
    for fault in found.dead:
        heard.check("part", found.dead_words([fault], [0] * len(found.whole)))
        heard.check("silent", found.silent([found.nodes[at] for at in fault.inputs], [-1]) or "")
    for fault in found.mixed:
        heard.check("mixed", mixed_words(fault))
    assert heard.wrong == {}
    assert isinstance(wire_words(board), Text)
