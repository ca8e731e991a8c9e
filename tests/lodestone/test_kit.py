"""The kit as somebody elsewhere uses it: tables, boards and the program, by the fixtures alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hw.ports import StripWiring
from lodestone.boards import BareBoard
from lodestone.contracts import BoardFileContract, GameContract, PlayerContract, SchemeContract, StripContract
from lodestone.evening import Evening
from lodestone.pytest_plugin import Kit
from lodestone.server import Server
from lodestone.tables import NotAsExpected, SimulatedTable
from tests.sampling import is_sample

PAIR = {1: "wD12", 2: "wD13"}


@pytest.fixture
def resolving(lodestone: Kit) -> SimulatedTable:
    """A table of Spokes at which two white stones lie side by side."""
    table = lodestone.table("spokes", board="spokes-45", kind="presence", seats=["Ann", "Bob"])
    table.wait_for(phase="sealing", turn=1)
    table.seal(PAIR)
    table.wait_for(phase="placing")
    table.follow()
    table.wait_for(phase="resolving")
    return table


def test_a_turn_by_hand_with_lights_by_meaning_and_bytes(resolving: SimulatedTable) -> None:
    table = resolving
    assert table.stones == {"D12": ["w"], "D13": ["w"]}
    assert table.lights["D13"] == "interact"
    assert table.lights["A1"] == ""
    table.hand.lift("D13")
    table.wait_for(lambda now: now.lights["D14"] == "target")
    assert table.pixels["D14"] == (0, 255, 255)
    table.hand.put("D14")
    table.wait_for(phase="sealing", turn=2)
    assert table.committed == ["wD12", "wD13", "D12-D13-D14"]


def test_after_a_power_cut_the_board_is_guided_home(resolving: SimulatedTable) -> None:
    table = resolving
    table.hand.move("D13", "D14")
    table.wait_for(phase="sealing")
    table.hand.move("D14", "D16")
    table.power_cut()
    assert table.view["problem"]
    table.follow()
    assert table.stones == {"D12": ["w"], "D14": ["w"]}
    assert table.committed[-1] == "D12-D13-D14"
    table.wait_for(problem=None)


def test_what_a_hand_has_just_done_is_noted_before_the_table_is_followed(resolving: SimulatedTable) -> None:
    resolving.hand.move("D13", "D14")
    resolving.follow()
    assert resolving.committed[-1] == "D12-D13-D14"


def test_a_hand_slides_a_stone_from_node_to_node(resolving: SimulatedTable) -> None:
    resolving.hand.slide(("D13", "D14"))
    resolving.follow()
    assert resolving.committed[-1] == "D12-D13-D14"


@pytest.mark.parametrize("game", ["phalanx", "octiles"])
def test_an_evening_is_set_up_and_a_stray_piece_put_back(game: str) -> None:
    evening = Evening(game, kind="polarity" if game == "phalanx" else "coded").sit_and_start("Ann", "Bob")
    assert evening.phase == "setup"
    evening.set_up()
    assert evening.phase == "resolving"
    lying = {node: list(stack) for node, stack in evening.stones.items()}
    source = next(node for node, stack in lying.items() if stack and node not in evening.game.layout().wells)
    evening.take_off(source)
    evening.wait(30)  # A hand may be thinking, and is given time.
    evening.follow()
    assert evening.stones == lying


def test_what_was_expected_in_vain_is_told_with_the_board_and_the_last_events(resolving: SimulatedTable) -> None:
    resolving.hand.move("D13", "D14")
    with pytest.raises(NotAsExpected) as failure:
        resolving.wait_for(phase="over", within=2.0)
    said = str(failure.value)
    for part in ("waited 2 s for phase 'over', not 'sealing'", "'D14': ['w']", "message  Turn 2", "D12-D13-D14"):
        assert part in said


@pytest.mark.parametrize(("game", "seats"), [("phalanx", 2), ("coil", 2), ("octiles", 4)])
def test_each_game_has_a_board_and_is_set_up_by_its_lights(lodestone: Kit, game: str, seats: int) -> None:
    mode = str(seats)
    table = lodestone.table(game, mode=mode, seats=[f"Player {seat}" for seat in range(1, seats + 1)])
    table.set_up()
    assert table.view["phase"] in ("resolving", "sealing")
    assert not table.view["problem"], table.report()


def test_a_board_without_a_game_and_its_faults(lodestone_board: Callable[..., BareBoard]) -> None:
    board = lodestone_board("spokes-45", kind="presence")
    empty = board.scan()
    board.hand.put("D12", "w")
    changed = {node for node, reading in board.scan().items() if reading != empty[node]}
    assert changed == {"D12"}
    board.break_("swap", "D12")
    assert {node for node, reading in board.scan().items() if reading != empty[node]} == {"D13"}, "the next one"
    board.mend()
    board.break_("stuck-off", "D12")
    assert board.scan() == empty
    board.mend()
    board.break_("data-high")
    assert len(set(board.scan().values())) == 1, "the whole line reads the same"


def test_the_program_with_phones(lodestone_server: Callable[..., Server]) -> None:
    server = lodestone_server("--hands", "all", "--pause", "0.02")
    phones = [server.sit(1, "Ann"), server.sit(2, "Bob")]
    server.host().post("/api/host/start", {})
    assert phones[0].until(lambda view: view["phase"] == "sealing" and view["you"])["seat"] == 1
    with pytest.raises(OSError, match=r"403|401"):
        server.post("/api/host/start", {})
    if not is_sample():
        assert lodestone_server("--hands", "all").url != server.url


class TestSpokes(GameContract, PlayerContract):
    game = "coil"

    @pytest.fixture(autouse=True)
    def one_game_for_each_mode(self, monkeypatch: pytest.MonkeyPatch) -> None:
        if is_sample():
            monkeypatch.setattr("lodestone.contracts.SEEDS", 1)


class TestBoardOfSpokes(BoardFileContract):
    board = "spokes-45"


class TestBoardOfOctiles(BoardFileContract):
    board = "octiles-189"


class TestSchemeOfChips(SchemeContract):
    scheme = "74hc165"


class TestStripOfPixels(StripContract):
    strip = "ws2812"


class CrookedPixels(StripContract):
    """One pixel too many."""

    strip = "ws2812"

    def wiring(self, length: int, over: str, order: str) -> StripWiring:
        strip = super().wiring(length, over, order)
        return replace(strip, length=length + 1)


def test_a_strip_that_sends_another_number_of_pixels_breaks_the_contract() -> None:
    with pytest.raises(AssertionError, match="begins with one dark frame"):
        CrookedPixels().test_frames_come_out_as_they_went_in()
