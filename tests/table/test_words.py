"""Whatever a table says can be told in another language: evenings are played in one whose every word can be told."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.extract import extract_from_dir

from firmware_host.games.game import GameError
from firmware_host.games.registry import GAMES
from firmware_host.services.table_protocol import TableSession
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.hints import HintsAllowed
from firmware_host.table.subjects.masks import SensorMasked, SensorUnmasked
from firmware_host.table.subjects.proposals import Proposed
from firmware_host.table.subjects.resolving import BoardBack, BoardLost, Resigned
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened
from firmware_host.table.subjects.seats import GameStarted, ModeChosen, SeatLeft, SeatTaken
from firmware_host.table.view import public_view
from firmware_host.text.words import ENGLISH, say, translate_all
from lodestone.evening import Evening
from tests.sampling import cases, few
from tests.table import (
    test_broken_senses,
    test_coil_hands,
    test_games_in_turn,
    test_host_holds,
    test_lost_seal,
    test_octiles_evenings,
    test_octiles_guides,
    test_octiles_masked,
    test_opening,
    test_phalanx_touches,
    test_phalanx_turns,
    test_scenarios,
    test_tiles,
    test_void,
)
from tests.table.doors import Direct
from tests.table.octiles_errors import ERRORS
from tests.table.octiles_evenings import KINDS, Octiles
from tests.table.pseudo import Listener
from tools.words import KEYWORDS, PYTHON

ROOT = Path(__file__).parents[2]
NAMES = ("Ada", "Ann", "Bob", "Cid", "Cleo", "Dan", "Eve", "P", "said", "so", "dead")
"""People, and what scenarios say of sensors that they mask."""
SCENARIOS = [
    one if number % 4 == 0 else pytest.param(*one.values, id=one.id, marks=[*one.marks, pytest.mark.thorough])
    for number, one in enumerate(test_scenarios.scenarios())
]
PROPOSALS = ("take-back", "reseal", "void", "loop", "decided", "draw", "fly")
QUOTED = ("ada", "nonsense", "pass", "end", *PROPOSALS)
"""Words for programs, and names, that refusals quote."""


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    """Hear every evening that is played; nothing in it may be left untold."""
    heard = Listener(*NAMES, quoted=QUOTED)
    say_it, happen = Evening.say, TableSession._happen

    def hearing(self: Evening, event: ev.Event) -> None:
        try:
            say_it(self, event)
        except TableError as error:
            heard.refused(error.message)
            raise
        if not isinstance(event, ev.Tick) or self.effects:
            heard.hear(self.view())

    def happening(self: TableSession, event: ev.Event) -> None:
        try:
            happen(self, event)
        except TableError as error:
            heard.refused(error.message)
            raise
        if self._view is None and self._table is not None:
            self._view = public_view(self._table)
            heard.hear(self._view)

    monkeypatch.setattr(Evening, "say", hearing)
    monkeypatch.setattr(TableSession, "_happen", happening)
    yield heard
    assert heard.wrong == {}
    assert heard.language.said, "nothing was heard"
    assert heard.language.said <= extracted(), "sentences that no catalogue can have"


_EXTRACTED: set[tuple[str, str]] = set()


def extracted() -> set[tuple[str, str]]:
    """Return (context, sentence) of all that catalogues are made of, as far as tables say it."""
    if not _EXTRACTED:
        for _, _, message, _, context in extract_from_dir(ROOT / "firmware_host", PYTHON, {}, KEYWORDS):
            for one in message if isinstance(message, tuple) else (message,):
                _EXTRACTED.add((context or "", one))
    return _EXTRACTED


# -- evenings ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("path", few(SCENARIOS, 8))
def test_scenario(listener: Listener, path: Path) -> None:
    test_scenarios.play(path, Direct())


def test_lost_seals(listener: Listener) -> None:
    test_lost_seal.test_all_others_are_asked_and_only_that_seat_seals_anew()
    test_lost_seal.test_a_seal_that_is_open_or_was_never_made_stands()
    test_lost_seal.test_phones_open_only_when_all_have_said_that_they_are_awake()
    test_lost_seal.test_once_phones_have_begun_to_open_only_all_can_seal_anew()


def test_void_turns(listener: Listener) -> None:
    test_void.test_a_phone_that_never_wakes_can_not_hold_up_the_turn()
    test_void.test_one_who_keeps_the_others_waiting_may_ask_too_and_nobody_waits_then()
    test_void.test_the_host_declares_a_turn_void_at_once()
    test_opening.test_an_opening_that_comes_before_all_phones_are_awake_is_refused()


@pytest.mark.slow
def test_coil(listener: Listener) -> None:
    test_games_in_turn.test_coil_begins_with_black_for_both_and_whoever_passes_plays_black("polarity")
    test_games_in_turn.test_a_pass_waits_until_the_board_is_in_order()
    test_games_in_turn.test_a_stone_chosen_on_the_phone_breathes_where_it_goes_and_is_a_task()
    test_games_in_turn.test_the_coil_that_closes_runs_in_light_in_the_winners_colour()
    test_games_in_turn.test_a_decided_game_is_offered_to_all_and_ends_when_all_agree()
    test_coil_hands.test_a_stone_of_the_wrong_colour_is_shown_and_never_counts("polarity")
    test_coil_hands.test_a_stone_that_one_sensor_shows_is_asked_where_that_is_wanted()
    test_coil_hands.test_an_older_stone_moved_by_accident_goes_back("presence")


@pytest.mark.slow
def test_phalanx(listener: Listener) -> None:
    test_games_in_turn.test_phalanx_counts_the_actions_of_a_turn_and_ends_it_on_the_phone()
    test_games_in_turn.test_dead_hoplites_are_lit_and_play_waits_until_they_are_off()
    test_games_in_turn.test_the_goal_that_was_reached_runs_in_light()
    test_games_in_turn.test_rules_in_force_are_told()
    test_phalanx_touches.test_a_rear_stone_held_for_long_is_asked_about_and_may_still_go_elsewhere()
    test_phalanx_touches.test_a_wrong_order_is_shown_and_mended("polarity")
    test_phalanx_touches.test_the_last_push_is_taken_back_by_hand("presence", test_phalanx_touches.PUSH)
    test_phalanx_turns.test_the_dead_are_waited_for("presence")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "mode"), few(cases([(kind, mode) for kind in KINDS for mode in ("2", "3")]), 1))
def test_octiles(listener: Listener, kind: str, mode: str) -> None:
    hands = Octiles(kind, mode, seed=5)
    for error in (None, *ERRORS):
        if not hands.over:
            hands.turn(*(one for one in (error,) if one is not None))


@pytest.mark.slow
@pytest.mark.parametrize("kind", cases(KINDS, "coded"))
def test_octiles_at_its_edges(listener: Listener, kind: str) -> None:
    test_octiles_evenings.test_a_player_resigns_in_any_stage_and_the_others_play_on(kind)
    test_octiles_evenings.test_who_has_no_legal_turn_passes_on_the_phone(kind)
    test_octiles_evenings.test_the_vacate_rule_is_said_in_words(kind)
    test_octiles_guides.test_at_set_up_everything_comes_off_before_it_is_put_on_and_tiles_never_pair_with_runners(kind)
    test_octiles_guides.test_a_tile_that_is_chosen_elsewhere_is_taken_up_again(kind)
    test_octiles_guides.test_runners_are_called_runners(kind)
    test_octiles_masked.test_a_tile_on_a_dead_sensor_is_said_on_the_phone_and_the_sensor_is_offered(kind)
    test_octiles_masked.test_a_runner_that_starts_or_ends_on_a_masked_node_is_asked_about(kind)
    test_tiles.test_a_covered_tile_comes_out_first_and_goes_under_the_stack(kind)
    test_tiles.test_a_lifted_runner_sends_light_along_its_lines(kind)


@pytest.mark.slow
def test_tiles_that_are_wrong(listener: Listener) -> None:
    test_octiles_guides.test_a_tile_that_is_only_turned_wrong_is_turned_and_a_wrong_one_taken_out()
    test_octiles_guides.test_who_has_only_looked_at_a_tile_is_asked_and_may_lay_the_new_one_elsewhere()
    test_tiles.test_a_wrong_tile_a_wrong_turning_and_an_unreadable_one_are_told()
    test_tiles.test_whoever_has_said_the_turning_before_is_not_asked_and_may_turn_it_afterwards()


def test_the_host_and_broken_boards(listener: Listener) -> None:
    test_host_holds.test_everything_players_do_is_refused_and_the_view_says_why()
    test_broken_senses.test_a_tap_proves_nothing_where_the_source_is_masked()
    evening = Evening("octiles").sit_and_start()
    evening.table.channels = dict.fromkeys(evening.game.layout().nodes, 3)
    evening.say(BoardLost(at=evening.at, reason=say("many sensors change at once")))
    evening.say(BoardBack(at=evening.at))
    evening.say(SensorMasked(at=evening.at, node="b3", reason="a player says so"))
    evening.say(SensorMasked(at=evening.at, node="b4", reason="the host says so"))
    evening.restarted().say(Resigned(at=evening.at, seat=1))
    listener.language.said.discard(("", "many sensors change at once"))


def test_a_seat_that_nobody_has_is_called_player(listener: Listener) -> None:
    evening = Evening()
    evening.say(SeatTaken(at=0.0, seat=1, name="Ada", claim="c1"))
    listener.hear(evening.view())
    assert translate_all(evening.view()["seats"][1]["name"], listener.language) == "⟦······ 2⟧"


# -- refusals ----------------------------------------------------------------------------------------------------------

OPEN = "./..../b......./...........wb.b./................ 2 2 2 resolve -"
HALF = "/".join(("b.w.w" * 3)[: 7 + min(row, 12 - row)] for row in range(13)) + " main 1 2"
PUSHES = "9/9/9/9/4ww3/2bbw4/6bb1/1ww6/9 b 3 1"
CASES: list[tuple[str, str, tuple[str, ...]]] = [
    ("spokes", "", ("nonsense", "w1", "b1", "wZ9")),
    ("spokes", OPEN, ("nonsense", "D1-D2-D3")),
    ("coil", "", ("nonsense", "z99")),
    ("coil", HALF, ("pass", "nonsense", "a1")),
    ("phalanx", PUSHES, ("nonsense", "+A9", "+C4", "+A5", "A1-A2", "C4-A9", "C4-D4", "C4-A5", "A1>e", "D4>e", "C4>w")),
    ("octiles", "", ("nonsense", "pass", "b3r5:C3-C4", "b3r5:A1-A2", "b3r5:A1-A1", "b3r0:A1-F6")),
]


@pytest.mark.parametrize(("name", "text", "actions"), CASES)
def test_what_the_rules_refuse(name: str, text: str, actions: tuple[str, ...]) -> None:
    game: Any = GAMES[name]
    heard = Listener(*NAMES, quoted=QUOTED)
    position = game.parse(text) if text else game.start(game.modes[0])
    seat = next(iter(game.actions(position)))
    deeds: list[Callable[[], Any]] = [lambda action=action: game.check(position, seat, action) for action in actions]
    deeds += [
        lambda: game.check(position, 3 - seat, "nonsense") if not game.simultaneous(position) else _refuse(game),
        lambda: game.apply(position, {9: actions[0]}),
        lambda: game.resign(position, 9),
        lambda: game.seats("nonsense"),
        lambda: game.check(over(game), seat, actions[0]),
        lambda: game.resign(over(game), seat),
    ]
    for deed in deeds:
        with pytest.raises(GameError) as refused:
            deed()
        heard.refused(refused.value.message)
    assert heard.wrong == {}


def _refuse(game: Any) -> None:
    game.seats("nonsense")


def over(game: Any) -> Any:
    """Return a position that resigning has ended."""
    position = game.start(game.modes[0])
    for seat in game.seats(game.modes[0])[1:]:
        position = game.resign(position, seat).position
    return position


def test_what_a_table_refuses(listener: Listener) -> None:
    evening = Evening()
    evening.refused(SeatTaken(at=0.0, seat=9, name="Ada", claim="c"))
    evening.refused(SeatTaken(at=0.0, seat=1, name=" ", claim="c"))
    evening.say(SeatTaken(at=0.0, seat=1, name="Ada", claim="c1"))
    for event in (
        SeatTaken(at=0.0, seat=1, name="Bob", claim="c2"),
        SeatTaken(at=0.0, seat=2, name="ada", claim="c2"),
        SeatLeft(at=0.0, seat=2),
        ModeChosen(at=0.0, mode="nonsense"),
        GameStarted(at=0.0),
        Resigned(at=0.0, seat=1),
    ):
        evening.refused(event)
    evening.sit_and_start("Ada", "Bob")
    evening.commit(1, "wD4")
    for event in (
        SealCommitted(at=0.0, seat=1, turn=1, commitment="0" * 64),
        SealCommitted(at=0.0, seat=2, turn=1, commitment="nonsense"),
        SealCommitted(at=0.0, seat=2, turn=7, commitment="0" * 64),
        SealOpened(at=0.0, seat=1, turn=1, action="wD4", nonce="0" * 32),
        Proposed(at=0.0, seat=1, what="take-back"),
        Proposed(at=0.0, seat=1, what="loop"),
        Proposed(at=0.0, seat=1, what="decided"),
        Proposed(at=0.0, seat=1, what="fly"),
        SensorMasked(at=0.0, node="nonsense", reason="dead"),
        SensorUnmasked(at=0.0, node="D12"),
        HintsAllowed(at=0.0, seat=9, on=True),
    ):
        evening.refused(event)


@pytest.mark.slow
def test_no_refusal_is_a_plain_string() -> None:
    """Whoever refuses says it in a sentence that can be told: this looks at every place where something is refused."""
    plain = []
    for folder in ("table", "games"):
        for path in sorted((ROOT / "firmware_host" / folder).rglob("*.py")):
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                    at = {"TableError": 1, "BadAction": 0, "GameOver": 0}.get(call.func.id)
                    if at is not None and isinstance(call.args[at], (ast.Constant, ast.JoinedStr, ast.BinOp)):
                        plain.append(f"{path.name}:{call.lineno}")
    assert plain == []


def test_words_for_all_games() -> None:
    """What a game says of itself and needs no evening for."""
    heard = Listener()
    for name in ("spokes", "phalanx", "coil", "octiles"):
        game: Any = GAMES[name]
        scoring, removal = game.scoring, game.removal
        said = [game.title, *game.endings.values(), *getattr(game, "options", {}).values()]
        said += [scoring.score, scoring.tiebreak, scoring.hint, scoring.tied] if scoring else []
        said += [removal.message] if removal else []
        for text in said:
            if text:
                heard.check(name, text)
        for piece in game.pieces.values():
            for form in (piece, piece.forms.a, piece.forms.the, piece.forms.subject, piece.noun.no):
                heard.check(name, form)
    assert heard.wrong == {}
    assert heard.language.said <= extracted()


# -- English -----------------------------------------------------------------------------------------------------------


def test_a_view_told_in_english_is_that_view_and_nothing_is_lost_in_a_journal() -> None:
    evening = Evening().sit_and_start("Ada", "Bob")
    evening.seal_all({1: "wD4", 2: "bD5"})
    view = evening.view()
    assert json.loads(json.dumps(translate_all(view, ENGLISH))) == json.loads(json.dumps(view))
    again = evening.restarted().view()
    assert [line["text"] for line in again["log"]] == [line["text"] for line in view["log"]]


def test_tints_are_told_by_the_games_and_not_by_words() -> None:
    assert Evening("spokes").view()["tints"] == {"w": "white", "b": "black"}
    tints = Evening("octiles").view()["tints"]
    assert {tints[letter] for letter in "bryg"} == {"blue", "red", "yellow", "green"}
    assert tints["7r3"] == "plain"
