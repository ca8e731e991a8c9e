"""A running replay: what the strip gets byte for byte, what screens see, and that all see the same."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.replay.cursor import Reel
from firmware_host.replay.player import ReplaySession
from firmware_host.replay.scenes import film
from firmware_host.session.light_renderer import BY_DAY, DIM_AFTER_S, LightSetting
from firmware_host.table.lights import FRAMES_PER_SECOND, SEAT_COLOURS
from firmware_host.text.json_reader import InvalidField
from hw.ports import Colour, HardwareError, OpenBoard
from lodestone.boards import Clock
from simulator.board import SimulatedBoard
from tests.archive.records.recorder import BOARDS, forged
from tests.replay.played import a_push_that_kills, recorded, whole
from tests.waiting import eventually


class Shown:
    """A replay over a simulated strip, on a clock of its own."""

    def __init__(self, record: tuple[str, ...], game: str, pace: float = 2.0, rest: LightSetting = BY_DAY) -> None:
        self.clock = Clock()
        self.clock.now = 100.0
        name = next(board for board, of in BOARDS.items() if of == game)
        self.description = load_board(find_board(name), backend="sim")
        self.parts = SimulatedBoard(self.description, self.clock)
        self.board = OpenBoard(self.parts.sensors(), self.parts.strip(), self.description)
        self.film = film(record)
        reel = Reel(len(self.film.scenes), pace=pace)
        self.show = ReplaySession(self.film, reel, self.board, clock=self.clock, light_setting=rest)
        self.show.step()

    def order(self, do: str, **more: Any) -> None:
        self.show.order({"do": do, **more})
        self.show.step()

    def wait(self, seconds: float, hertz: int = 100) -> list[dict[str, Colour]]:
        """Let time pass; return the strip after each step."""
        seen = []
        for _ in range(round(seconds * hertz)):
            self.clock.now += 1 / hertz
            self.show.step()
            seen.append(self.strip())
        return seen

    def strip(self) -> dict[str, Colour]:
        """Return the pixels that are lit, by node: decoded from the bytes on the wire."""
        pixels = self.parts.wire.pixels()
        return {
            node: pixels[wiring.pixel] for node, wiring in self.description.nodes.items() if any(pixels[wiring.pixel])
        }

    @property
    def view(self) -> Any:
        return self.show.view(None)[1]


def test_the_board_shines_as_its_host_wants_it() -> None:
    def light(**rest: Any) -> int:
        shown = Shown(recorded("phalanx", "G3-H4"), "phalanx", rest=LightSetting(**rest))
        return sum(sum(colour) for colour in shown.strip().values())

    assert light() > light(brightness=50) > light(brightness=50, night=True) > light(off=True) == 0
    asleep = Shown(recorded("phalanx", "G3-H4"), "phalanx", rest=LightSetting(sleep=1))
    asleep.wait(61, hertz=10)
    assert asleep.strip() == {}
    asleep.order("on")
    assert asleep.strip() != {}, "the next moment wakes them"


# -- the strip ---------------------------------------------------------------------------------------------------------


def test_standing_pieces_glow_low_and_steady_in_their_players_hue() -> None:
    shown = Shown(recorded("phalanx", "G3-H4"), "phalanx")
    scene = shown.film.scenes[0]
    before = shown.strip()
    assert before.keys() == scene.board.keys()
    for node, colour in before.items():
        full = SEAT_COLOURS[scene.lamps[node].seat or 0]
        assert max(colour) < max(full) / 2
        assert colour.index(max(colour)) == full.index(max(full))
    assert len({max(colour) for colour in before.values()}) == 2, "colour is not the only sign"
    frames = shown.parts.wire.frames
    assert shown.wait(1.0)[-1] == before
    assert shown.parts.wire.frames == frames, "what does not move is sent once"


def test_the_piece_that_was_put_down_breathes_and_the_others_stay() -> None:
    shown = Shown(recorded("coil", "a1", "pass", "g7"), "coil")
    shown.order("to", moment=3)
    seen = shown.wait(1.0)
    assert all(frame.keys() <= {"a1", "g7"} for frame in seen)
    assert len({frame["a1"] for frame in seen}) == 1
    breathing = [sum(frame.get("g7", (0, 0, 0))) for frame in seen]
    assert max(breathing) > 4 * min(breathing)
    assert len(set(breathing)) > 8


def test_light_runs_along_a_push_then_the_dead_blink() -> None:
    record, step, dead = a_push_that_kills()
    shown = Shown(record, "phalanx")
    at = len(shown.film.scenes) - 3
    shown.order("to", moment=at)
    heads: list[str] = []
    for frame in shown.wait(1.5, hertz=200):
        brightest = max(step.line, key=lambda node, frame=frame: sum(frame[node]))  # type: ignore[misc]
        if not heads or heads[-1] != brightest:
            heads.append(brightest)
    doubled = [*step.line, *step.line]
    assert any(heads[place : place + len(doubled)] == doubled for place in range(len(heads))), heads
    shown.order("on")
    blinking = {tuple(frame.get(node, (0, 0, 0)) for node in dead) for frame in shown.wait(1.0)}
    assert len(blinking) == 2
    shown.order("on")
    assert not set(dead) & shown.strip().keys()


def test_the_end_shows_what_decided() -> None:
    shown = Shown(whole("coil"), "coil")
    shown.order("last")
    way = shown.film.scenes[-1].marks
    seen = shown.wait(2.0)
    for node in way:
        assert len({frame[node] for frame in seen}) > 1, "one light runs along it"
    assert seen[-1].keys() == shown.film.scenes[-1].board.keys()


def test_lights_are_in_the_colours_that_people_chose() -> None:
    """Ada sat down in the third colour, Grace in hers."""
    coloured = forged(lambda header, _: header["seats"]["1"].update(colour=3), recorded("phalanx", "G3-H4"))
    shown = Shown(tuple(coloured), "phalanx")
    assert {seat["seat"]: seat["colour"] for seat in shown.view["seats"]} == {1: 3, 2: 2}
    scene, strip = shown.film.scenes[0], shown.strip()
    for node, colour in strip.items():
        full = SEAT_COLOURS[3 if scene.lamps[node].seat == 1 else 2]
        assert colour.index(max(colour)) == full.index(max(full))


def test_frames_are_limited_but_another_moment_is_shown_at_once() -> None:
    shown = Shown(recorded("coil", "a1", "pass", "g7"), "coil", pace=0.5)
    shown.order("to", moment=3)
    before = shown.parts.wire.frames
    shown.wait(2.0, hertz=400)
    assert FRAMES_PER_SECOND <= shown.parts.wire.frames - before <= 2 * FRAMES_PER_SECOND + 1
    shown.order("first")
    assert shown.strip() == {}


def test_it_plays_to_its_end_on_the_strip() -> None:
    shown = Shown(recorded("coil", "a1", "pass", "g7", resigns=1), "coil", pace=0.5)
    shown.order("play")
    assert [shown.view["moment"] for _ in range(7) for _ in [shown.wait(0.5)]] == [1, 2, 3, 4, 5, 5, 5]
    assert not shown.view["playing"]
    assert shown.strip().keys() == {"a1", "g7"}


def test_a_board_that_nobody_looks_at_dims() -> None:
    shown = Shown(recorded("phalanx", "G3-H4"), "phalanx")
    before = sum(map(sum, shown.strip().values()))
    shown.clock.now += DIM_AFTER_S + 1
    shown.show.step()
    assert 0 < sum(map(sum, shown.strip().values())) < before / 2
    shown.order("on")
    assert sum(map(sum, shown.strip().values())) > before / 2


def test_a_strip_that_fails_stops_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown(recorded("coil", "a1", "pass", "g7"), "coil")
    true_show = shown.board.strip.show

    def fail(_frame: object) -> None:
        raise HardwareError("no data line")

    monkeypatch.setattr(shown.board.strip, "show", fail)
    shown.order("on")
    assert "no data line" in shown.view["notice"]
    assert shown.view["moment"] == 1
    monkeypatch.setattr(shown.board.strip, "show", true_show)
    shown.wait(1.5)
    assert shown.view["notice"] is None
    assert shown.strip().keys() == {"a1"}


def test_without_a_strip_the_screens_show_everything() -> None:
    shown = film(recorded("coil", "a1", "pass", "g7"))
    show = ReplaySession(shown, Reel(len(shown.scenes)), None, notice="no lights here")
    show.order({"do": "last"})
    show.step()
    view = show.view(None)[1]
    assert (view["notice"], view["moment"], view["board"]) == ("no lights here", 4, {"a1": ["b"], "g7": ["w"]})


# -- screens -----------------------------------------------------------------------------------------------------------


def test_a_screen_sees_board_marks_words_turn_and_who() -> None:
    view = Shown(recorded("coil", "a1", "pass", "g7"), "coil").view
    assert (view["moment"], view["moments"], view["turn"], view["actor"], view["you"]) == (0, 5, 1, None, None)
    shown = Shown(recorded("coil", "a1", "pass", "g7"), "coil")
    shown.order("to", moment=3)
    view = shown.view
    assert view["board"] == {"a1": ["b"], "g7": ["w"]}
    assert view["lights"] == {"g7": {"meaning": "put", "words": "Ada: a stone on g7.", "seat": 1}}
    assert (view["turn"], view["actor"], view["words"]) == (3, 1, "Ada: a stone on g7.")
    assert [(seat["name"], seat["colour"]) for seat in view["seats"]] == [("Ada", 1), ("Grace", 2)]
    assert view["plays"] == {"1": "w", "2": "b"}
    assert view["tints"] == {"b": "black", "w": "white"}
    assert view["game"] == {"id": "coil-0a1b2c3d", "name": "coil", "title": "Coil", "rules": []}
    assert len(view["layout"]["nodes"]) == 127


def test_the_number_grows_with_each_change_only() -> None:
    shown = Shown(recorded("phalanx", "G3-H4"), "phalanx")
    before = shown.view["seq"]
    shown.wait(1.0)
    shown.order("pause")
    assert shown.view["seq"] == before
    shown.order("on")
    assert shown.view["seq"] == before + 1
    with pytest.raises(InvalidField):
        shown.order("fly")
    assert shown.view["seq"] == before + 1


def test_several_screens_follow_the_same_moments_on_threads_of_their_own() -> None:
    shown = film(recorded("coil", "a1", "b2", "pass", "g7", resigns=2))
    show = ReplaySession(shown, Reel(len(shown.scenes), pace=0.08), None)
    seen: list[list[int]] = [[], []]

    def watch(moments: list[int]) -> None:
        seq = 0
        while not show.closing():
            if show.wait(seq, 0.5) != seq:
                seq, view = show.view(None)
                moments.append(view["moment"])

    watchers = [threading.Thread(target=watch, args=(moments,)) for moments in seen]
    for watcher in watchers:
        watcher.start()
    show.start()
    show.order({"do": "play"})
    eventually(lambda: show.reel.at_end and all(moments[-1:] == [6] for moments in seen))
    show.order({"do": "back"})
    eventually(lambda: all(moments[-1:] == [5] for moments in seen))
    show.stop()
    for watcher in watchers:
        watcher.join(timeout=60)
        assert not watcher.is_alive()
    assert show.failure is None
    for moments in seen:
        assert set(range(7)) >= set(moments) >= {5, 6}
