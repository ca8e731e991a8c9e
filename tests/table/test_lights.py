"""The language of lights: colours and motions."""

import itertools
from pathlib import Path

import pytest

from firmware_host.games.lamps import LAMPS, SIGNS
from firmware_host.games.registry import game as find_game
from firmware_host.table import lights
from firmware_host.table.guide import Lamp
from tools.lamps import texts

ROOT = Path(__file__).parents[2]
NEAR = {"a": ["b"], "b": ["a", "c"], "c": ["b"]}


def seen(meaning: str, at: float, **more: object) -> tuple[int, int, int]:
    return lights.frame({"a": Lamp(meaning, "", **more)}, at, NEAR)["a"]  # type: ignore[arg-type]


def changes(meaning: str, seconds: float = 1.0, **more: object) -> int:
    frames = [seen(meaning, i / 100, **more) for i in range(int(seconds * 100))]
    lit = [sum(colour) > 250 for colour in frames]
    return sum(one != other for one, other in itertools.pairwise(lit))


def test_an_error_blinks_red_four_times_a_second() -> None:
    assert {seen("wrong", i / 50) for i in range(50)} == {(255, 0, 0), (0, 0, 0)}
    assert changes("wrong") == 7


def test_confirm_blinks_magenta_twice_a_second() -> None:
    assert {seen("confirm", i / 50) for i in range(50)} == {(255, 0, 255), (0, 0, 0)}
    assert changes("confirm") == 3


def test_put_breathes_in_the_seats_colour_once_a_second() -> None:
    frames = [seen("put", i / 25, seat=1) for i in range(26)]
    assert frames[0] == frames[25]
    assert len(set(frames)) > 8
    assert all(blue > red for red, _, blue in frames)


def test_movable_is_low_white_and_steady() -> None:
    assert {seen("movable", i / 10) for i in range(20)} == {(51, 51, 51)}
    assert not lights.moves({"a": Lamp("movable", "")})


def test_targets_are_steady_cyan_and_the_best_has_a_comet() -> None:
    assert {seen("target", i / 10) for i in range(20)} == {(0, 255, 255)}
    lamps = {"c": Lamp("best", "", way=("a", "c"))}
    heads = {tuple(node for node, colour in lights.frame(lamps, i / 10, NEAR).items() if colour == lights.CYAN)
             for i in range(10)}  # fmt: skip
    assert heads == {("a",), ("c",)} or heads == {("c",), ("a",), ()}


def test_an_interacting_pair_swaps_brightness() -> None:
    pair = {"a": Lamp("interact", "", way=("a", "b"), order=0), "b": Lamp("interact", "", way=("a", "b"), order=1)}
    one, other = lights.frame(pair, 0.0, NEAR), lights.frame(pair, 0.6, NEAR)
    assert one["a"] == other["b"] != one["b"] == other["a"]


def test_put_back_blinks_twice_and_rings_the_node() -> None:
    lamps = {"b": Lamp("return", "")}
    assert changes("return") == 3
    dark = lights.frame(lamps, 0.8, NEAR)
    assert dark["b"] == (0, 0, 0)
    assert dark["a"] == dark["c"]
    assert dark["a"][0] > 0 == dark["a"][1]


def test_the_loop_runs_round() -> None:
    lamps = {node: Lamp("loop", "", way=("a", "b", "c"), order=i) for i, node in enumerate("abc")}
    heads = [max(lights.frame(lamps, at, NEAR).items(), key=lambda item: sum(item[1]))[0] for at in (0.0, 0.2, 0.4)]
    assert heads == ["a", "b", "c"]


def test_every_meaning_has_a_motion_and_a_sign_or_ring_of_its_own() -> None:
    assert set(lights.MOTIONS) == set(LAMPS)
    assert {one.sign for one in LAMPS.values()} == set(SIGNS)
    looks = [(one.ring, one.sign) for meaning, one in LAMPS.items() if meaning != "stone"]
    assert len(set(looks)) == len(looks), "two meanings would differ by their hue alone"


def test_what_follows_from_the_table_of_lamps_is_up_to_date() -> None:
    """Mended with: python -m tools.lamps"""
    for name, text in texts().items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, name


def test_what_has_no_beat_needs_no_new_frames() -> None:
    for meaning, one in LAMPS.items():
        lamp = Lamp(meaning, "", seat=1, way=("a", "b"), order=0)
        frames = {tuple(lights.frame({"a": lamp}, at / 20, NEAR).items()) for at in range(40)}
        assert (len(frames) > 1) == bool(one.beat) == lights.moves({"a": lamp}), meaning


def test_every_meaning_differs_from_every_other_without_colour() -> None:
    def rhythm(meaning: str) -> tuple[int, ...]:
        lamp = Lamp(meaning, "", seat=1, way=("a", "b"), order=0)
        return tuple(max(lights.frame({"a": lamp}, i / 20, NEAR)["a"]) // 32 for i in range(40))

    motions = {meaning: rhythm(meaning) for meaning in LAMPS if meaning != "remove"}
    assert len(set(motions.values())) == len(motions)


@pytest.mark.parametrize("dim", [0.3, 0.5])
def test_dimming_scales_everything(dim: float) -> None:
    lamps = {"a": Lamp("target", "")}
    assert lights.frame(lamps, 0, NEAR, dim=dim)["a"] == (0, int(255 * dim), int(255 * dim))


def test_a_seat_with_coloured_pieces_shines_in_their_colour() -> None:
    octiles, coil = find_game("octiles"), find_game("coil")
    hues = lights.hues(octiles, octiles.plays(octiles.start("3")))
    assert [hues[seat] for seat in (1, 2, 3)] == [lights.NAMED[name] for name in ("blue", "red", "yellow")]
    assert lights.hues(coil, coil.plays(coil.start("2"))) == lights.SEAT_COLOURS, "black does not shine"
    put = {"a": Lamp("put", "", seat=3)}
    assert lights.frame(put, 0.5, {}, hues=hues)["a"] == hues[3]
