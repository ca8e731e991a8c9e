"""The board at rest: brightness, night, off, sleep, and a gentle show between games; kept over a restart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.session.light_renderer import (
    DIM_AFTER_S,
    FILE,
    LightRenderer,
    LightSetting,
    read_light_setting,
    save_light_setting,
)
from firmware_host.table.errors import TableError
from hw.ports import OpenBoard
from lodestone.boards import Clock
from lodestone.evening import Evening
from simulator.board import SimulatedBoard

AWAKE = LightSetting(sleep=0)


class Board:
    """The strip of a simulated board, and the table of an evening that lights it."""

    def __init__(self, game: str = "phalanx") -> None:
        description = load_board(find_board("go-9x9"), backend="sim")
        parts = SimulatedBoard(description, Clock(), seed=1)
        self.wire = parts.wire
        self.board = OpenBoard(parts.sensors(), parts.strip(), description)
        self.evening = Evening(game)
        self.lights = LightRenderer(self.board, self.evening.game.layout())
        self.rest = AWAKE
        self.at = 0.0
        self.look(changed=True)

    def look(self, *, changed: bool = False) -> None:
        self.lights.refresh(self.evening.table, self.at, changed=changed, setting=self.rest)

    def lit(self) -> int:
        """Return how bright all pixels together are."""
        return sum(map(sum, self.wire.pixels()))

    def wait(self, seconds: float) -> None:
        self.at += seconds
        self.look()

    def brightest(self) -> int:
        """Return the most light of a second that begins with a whole one."""
        self.at = float(round(self.at) + 1)
        most = 0
        for _ in range(20):
            self.wait(0.05)
            most = max(most, self.lit())
        return most

    def touch(self) -> None:
        self.evening.at = self.at
        self.evening.put("D4", "b")
        self.wait(0.1)


@pytest.fixture
def board() -> Iterator[Board]:
    here = Board()
    yield here
    here.board.close()


def playing(board: Board) -> Board:
    """Begin a game: the board is set up by light, which blinks."""
    board.evening.sit_and_start("Ann", "Bob")
    board.look(changed=True)
    return board


def test_brightness_night_and_off(board: Board) -> None:
    full = playing(board).brightest()
    found = {}
    for name, rest in {"half": replace(AWAKE, brightness=50), "night": replace(AWAKE, night=True)}.items():
        board.rest = rest
        found[name] = board.brightest()
    assert full > found["half"] > found["night"] > 0
    board.rest = replace(AWAKE, off=True)
    assert board.brightest() == 0
    board.rest = AWAKE
    assert board.brightest() == full, "it shines again at once"


def test_lights_sleep_and_any_touch_wakes_them(board: Board) -> None:
    playing(board).rest = LightSetting(sleep=5)
    board.wait(298)
    assert board.lit() > 0
    board.wait(3)
    assert board.brightest() == 0
    board.touch()
    assert board.brightest() > 0


def test_between_games_the_lights_move_gently_until_somebody_touches(board: Board) -> None:
    board.wait(DIM_AFTER_S)
    assert board.lit() == 0, "in the lobby nothing is lit unless it is wished"
    board.rest = replace(AWAKE, show=True)
    board.wait(1)
    before = board.wire.pixels()
    assert sum(map(sum, before)) > 0
    assert max(map(max, before)) < 60, "gently"
    board.wait(2)
    assert board.wire.pixels() != before
    board.touch()
    assert board.lit() == 0
    board.wait(DIM_AFTER_S)
    board.rest = replace(board.rest, sleep=5)
    board.wait(1)
    assert board.lit() == 0, "asleep it shows nothing either"


def test_what_was_chosen_is_kept(tmp_path: Path) -> None:
    assert read_light_setting(tmp_path) == LightSetting()
    chosen = LightSetting(40, night=True, off=False, sleep=0, show=True)
    save_light_setting(tmp_path, chosen)
    assert read_light_setting(tmp_path) == chosen
    for broken in ("", "[]", "{}x", '{"brightness": 0}', '{"brightness": "much"}', '{"colour": 1}'):
        (tmp_path / FILE).write_text(broken)
        assert read_light_setting(tmp_path) == LightSetting()


@pytest.mark.parametrize(("field", "value"), [("brightness", 4), ("brightness", 101), ("sleep", -1), ("sleep", 1441)])
def test_what_can_not_be_is_refused(field: str, value: int) -> None:
    with pytest.raises(TableError, match=f"{field}: expected"):
        LightSetting.of(vars(LightSetting()) | {field: value})


def test_a_folder_that_can_not_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="can't be written"):
        save_light_setting(tmp_path / "nowhere", LightSetting())
