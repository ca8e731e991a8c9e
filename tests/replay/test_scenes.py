"""A record as scenes: what lies there, what is marked, and what is said."""

from __future__ import annotations

import gc
import json
from weakref import ref

import pytest

from firmware_host.archive.format import write_lines
from firmware_host.archive.records import RecordError
from firmware_host.games.lamps import LAMPS
from firmware_host.games.registry import game as find_game
from firmware_host.replay.scenes import FAINTEST, MAX_MADE, FilmScene, film
from firmware_host.table import lights
from tests.archive.records.recorder import a_beginning, a_decided_record, a_loop_record
from tests.replay.played import a_push_that_kills, recorded, whole
from tests.sampling import cases, few
from tests.sentences import is_in, sentence


def meanings(scene: FilmScene) -> dict[str, str]:
    return {node: lamp.meaning for node, lamp in scene.marks.items()}


@pytest.mark.parametrize("game", few(cases(["spokes", "phalanx", "coil", "octiles"], "spokes", "octiles"), 1))
def test_a_whole_game_has_a_scene_for_its_start_each_moment_and_its_end(game: str) -> None:
    record = whole(game)
    events = [json.loads(line) for line in record[1:]]
    shown = film(record)
    played = [event for event in events if event["kind"] in {"reveal", "action", "loop", "resign", "decided"}]
    cleared = sum(bool(event["data"].get("removed")) for event in played)
    assert len(shown.scenes) == 1 + len(played) + cleared + 1
    first, last = shown.scenes[0], shown.scenes[-1]
    rules = find_game(game)
    assert first.board == rules.occupancy(rules.start("2"))
    assert first.words == "The game begins: Ada against Grace."
    winners = events[-1]["data"]["winners"]
    assert last.words.startswith(f"{shown.names[winners[0]]} has won. ")
    assert last.words.endswith(rules.endings[events[-1]["data"]["reason"]])
    assert set(meanings(last).values()) == {"won"}
    assert {lamp.seat for lamp in last.marks.values()} == set(winners)
    turns = [scene.turn for scene in shown.scenes]
    assert turns == sorted(turns)
    times = [scene.at for scene in shown.scenes]
    assert times == sorted(times)
    assert times[0] == json.loads(record[0])["started"]


@pytest.mark.parametrize("game", cases(["spokes", "phalanx", "coil", "octiles"], "spokes"))
def test_every_piece_glows_and_every_lamp_can_be_shown(game: str) -> None:
    nodes = set(find_game(game).layout().nodes)
    for scene in film(whole(game)).scenes:
        assert set(scene.board) <= set(scene.lamps) <= nodes
        assert all(scene.lamps[node].meaning == "stone" for node in set(scene.board) - set(scene.marks))
        assert {lamp.meaning for lamp in scene.lamps.values()} <= set(LAMPS)
        assert lights.frame(scene.lamps, 0.3, {}).keys() >= scene.lamps.keys()


def test_a_film_that_was_seen_to_its_end_holds_little_more_than_one_that_was_begun() -> None:
    shown = film(whole("phalanx"))
    kinds = {(stack, scene.lamps[node].seat) for scene in shown.scenes for node, stack in scene.board.items()}
    gc.collect()
    scenes = [ref(scene) for scene in shown.scenes]
    assert len(scenes) > MAX_MADE, "the game is too short to tell"
    alive = [scene for one in scenes if (scene := one()) is not None]
    assert 0 < len(alive) <= MAX_MADE
    assert alive[-1] is shown.scenes[-1]
    stones = {id(lamp) for scene in alive for lamp in scene.lamps.values() if lamp.meaning == "stone"}
    assert len(stones) <= len(kinds)


def test_pieces_glow_in_their_players_colour_and_none_like_the_other() -> None:
    scene = film(recorded("phalanx")).scenes[0]
    assert {lamp.seat for lamp in scene.lamps.values()} == {1, 2}
    kinds = {(scene.board[node], lamp.seat, lamp.strength) for node, lamp in scene.lamps.items()}
    assert sorted(strength for _, _, strength in kinds) == [FAINTEST, 1.0]
    assert {scene.lamps[node].seat for node, stack in scene.board.items() if stack == ("b",)} == {1}
    stones = [
        lamp for scene in film(whole("spokes")).scenes for lamp in scene.lamps.values() if lamp.meaning == "stone"
    ]
    assert {lamp.seat for lamp in stones} == {None}
    assert len({lamp.strength for lamp in stones}) > 1


def test_black_stones_that_are_for_both_belong_to_nobody_until_somebody_passes() -> None:
    scenes = film(recorded("coil", "a1", "b2", "pass", "g7")).scenes
    assert scenes[2].lamps["a1"].seat is None
    assert scenes[3].lamps["a1"].seat == 1
    assert scenes[3].words == f"Ada: {sentence('pass, and play Black from')}."
    assert scenes[3].marks == {}
    assert scenes[4].plays == {1: "b", 2: "w"}
    assert scenes[4].marks["g7"].seat == 2


def test_a_push_runs_along_its_line_and_the_dead_are_shown_before_they_are_gone() -> None:
    record, step, dead = a_push_that_kills()
    *_, push, death, end = film(record).scenes
    assert [node for node, lamp in sorted(push.marks.items(), key=lambda item: item[1].order)] == list(step.line)
    assert {lamp.meaning for lamp in push.marks.values()} == {"line"}
    assert {lamp.way for lamp in push.marks.values()} == {step.line}
    assert push.board == death.board
    assert set(dead) <= set(push.board)
    assert meanings(death) == dict.fromkeys(dead, "remove")
    assert death.words.startswith("Dead, because they stand alone: ")
    assert not set(dead) & set(end.board)
    assert end.words.startswith(f"{sentence('The record ends here: the')} ")


def test_where_a_piece_went_is_shown_from_where_it_came() -> None:
    scenes = film(recorded("phalanx", "G3-H4", "+J2")).scenes
    assert meanings(scenes[1]) == {"G3": "movable", "H4": "best"}
    assert scenes[1].marks["H4"].way == ("G3", "H4")
    assert (scenes[1].actor, scenes[1].words) == (1, "Ada: G3 to H4.")
    assert meanings(scenes[2]) == {"J2": "put"}


def test_placements_breathe_in_the_colours_of_those_who_placed() -> None:
    scene = film(a_loop_record()).scenes[1]
    assert {node: (lamp.meaning, lamp.seat) for node, lamp in scene.marks.items()} == {
        "C2": ("put", 1),
        "C3": ("put", 2),
    }
    assert scene.actor is None
    assert scene.words == "Ada places white on C2; Grace places white on C3."


def test_a_loop_is_shown_before_its_stones_are_gone() -> None:
    called, cleared, end = film(a_loop_record()).scenes[-3:]
    assert called.words == sentence("This circling can never end")
    assert meanings(called) == meanings(cleared) == {"C2": "loop", "C3": "loop"}
    assert "C2" in cleared.board
    assert end.board == {}


def test_what_was_taken_back_is_left_out() -> None:
    kept = film(recorded("phalanx", "G3-H4", "H4-G3", "G3-H4", back=2))
    assert [scene.words for scene in kept.scenes[:-1]] == ["The game begins: Ada against Grace.", "Ada: G3 to H4."]
    beginning = film(a_beginning("coil"))
    assert len(beginning.scenes) == 1 + 25 - 2 + 1 + 1


def test_how_a_game_ends_is_said_in_the_games_words() -> None:
    *_, resigning, end = film(recorded("phalanx", "G3-H4", resigns=2)).scenes
    assert resigning.words == "Grace resigns."
    assert end.words == "Ada has won. The other player has resigned."
    *_, agreed, end = film(a_decided_record()).scenes
    assert agreed.words == f"All players agree: {sentence('no coil is possible.')}"
    assert is_in("no coil is possible in", end.words)
    assert film(a_decided_record()).standing == ()
    assert film(recorded("phalanx", resigns=2)).standing[0] == "Ada: 4 hoplites on the board - won"


def test_the_rules_that_were_on_are_told() -> None:
    assert film(a_beginning("phalanx", second_player_bonus=True)).rules == [sentence("White's first turn has four")]
    assert film(a_beginning("phalanx")).rules == []


def test_a_record_that_lies_is_refused_at_its_line_and_an_empty_game_has_nothing_to_show() -> None:
    header, *events = (json.loads(line) for line in recorded("phalanx", "G3-H4", "+J2"))
    for fields in (header, *events):
        del fields["hash"]
        fields.pop("n", None)
    events[2]["data"]["action"] = "+J3"
    with pytest.raises(RecordError, match=r"^line 4: "):
        film(write_lines(header, events))
    with pytest.raises(RecordError, match="has not begun"):
        film(write_lines(header | {"started": None, "events": 0}, []))


def test_scenes_are_made_when_they_are_looked_at_and_kept() -> None:
    """In some games a scene takes long to make, as all steps of its moment have to be found."""
    scenes = film(whole("octiles")).scenes
    made = scenes._made.cache_info
    assert made().misses == 0
    assert scenes[-1] is scenes[len(scenes) - 1]
    assert [scene.words for scene in scenes[:3]] == [scenes[0].words, scenes[1].words, scenes[2].words]
    assert made().misses == 4
    with pytest.raises(IndexError):
        scenes[len(scenes)]
    assert len(list(scenes[:MAX_MADE])) == MAX_MADE
    assert made().misses == MAX_MADE + 1, "the last one, and these"


def test_what_is_done_in_stages_is_shown_as_the_whole_of_it() -> None:
    """The stages of a turn come to the same as the step of the whole turn, which takes long to find."""
    game = find_game("octiles")
    events = [json.loads(line) for line in whole("octiles")[1:]]
    shown = film(whole("octiles"))
    for at in (1, 40, 80, 120):
        position = game.parse(events[at - 1]["data"]["position"])
        played = events[at]["data"]
        step = next(step for step in game.steps(position) if step.action == played["action"])
        marks = shown.scenes[at].marks
        assert {node: (lamp.meaning, lamp.seat, lamp.way) for node, lamp in marks.items()} == dict.fromkeys(
            step.line, ("line", played["seat"], step.line)
        )
