"""Computers at a table: they wait for their search as long as it is worth it, and nobody learns anything by waiting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from firmware_host.analysis.questions import ActionQuestion, Answer
from firmware_host.games.clocks import ClockSetting
from firmware_host.games.levels import default_level
from firmware_host.games.registry import game as find_game
from firmware_host.session.computers import LAST_S, SHOWN_S, SLOW_S, ComputerPlayers
from firmware_host.table.ledger import level_of
from firmware_host.table.state import Table
from firmware_host.table.subjects import proposals
from firmware_host.table.subjects.proposals import Agreed, GamePaused, GameResumed, TurnVoided
from firmware_host.table.subjects.seats import ComputerSeated, GameStarted, SeatAsked, SeatMoved, SeatTaken
from firmware_host.table.subjects.timekeeping import ClocksChosen
from firmware_host.table.table import restore
from firmware_host.text.words import say
from lodestone.evening import Evening

KEY = b"k" * 32
REASON = say("It looks good.")


def chosen(question: ActionQuestion) -> Answer:
    """Answer as a search does: by the position, the level and the seed alone."""
    game = find_game(question.game)
    rng = Random(f"{question.position} {question.level} {question.seed} {question.nodes}")
    return Answer(game.random_action(game.parse(question.position), question.seat, rng), (REASON,))


class Scripted:
    """A search that answers when it is let."""

    def __init__(self, reply: Callable[[ActionQuestion], Answer | None] = chosen) -> None:
        self.reply = reply
        self.queue: Sequence[ActionQuestion] = ()
        self.heard: list[ActionQuestion] = []

    def ask(self, questions: Sequence[ActionQuestion]) -> None:
        self.queue = questions
        self.heard += [one for one in questions if one not in self.heard]

    def answer(self, question: ActionQuestion) -> Answer | None:
        return self.reply(question) if question in self.queue else None

    def close(self) -> None:
        pass


class Room(Evening):
    """A table with a computer on some seats, whose search is scripted."""

    def __init__(
        self,
        game: str = "phalanx",
        computers: tuple[int, ...] = (1,),
        level: int | None = None,
        clocks: ClockSetting | None = None,
        analyser: Scripted | None = None,
    ) -> None:
        super().__init__(game, "2")
        if clocks is not None:
            self.say(ClocksChosen(at=0, setting=clocks))
        self.analyser = analyser or Scripted()
        self.players = self.newly()
        for seat in (1, 2):
            computer = seat in computers
            name, claim = f"P{seat}", "" if computer else f"c{seat}"
            self.say(SeatTaken(at=0, seat=seat, name=name, claim=claim, computer=computer, level=level))
        self.say(GameStarted(at=0))
        self.set_board_up()

    def newly(self) -> ComputerPlayers:
        return ComputerPlayers(KEY, 0.0, self.analyser)

    def set_board_up(self) -> None:
        for node, stack in self.game.occupancy(self.table.ledger.now.position).items():
            self.stones[node] = list(stack)
            self.feel(node)
        self.wait(0.5)

    def run(self, seconds: float) -> None:
        """Let time pass, computers acting ten times a second."""
        for _ in range(round(seconds * 10)):
            self.wait(0.1)
            for event in self.players.act(self.table, self.at):
                self.say(event)
            self.analyser.ask(self.players.questions)

    def restart(self) -> None:
        """Lose everything but the journal."""
        table = Table(self.game, "g1", "2", kind=self.kind)
        restore(table, self.entries, self.at)
        self.table, self.players = table, self.newly()
        self.wait(0.5)

    @property
    def committed(self) -> dict[int, str]:
        sealing = self.table.ledger.round
        return dict(sealing.commitments) if sealing else {}


def late(_: ActionQuestion) -> None:
    return None


# -- steps -------------------------------------------------------------------------------------------------------------


def test_it_does_what_its_search_has_found_and_says_why() -> None:
    room = Room(level=3)
    room.run(0.2)
    hasty, question = room.analyser.heard
    assert (question.level, question.seat, question.nodes) == (3, 1, None)
    assert hasty == replace(question, nodes=hasty.nodes)
    assert room.table.chosen_action == chosen(question).action
    assert room.view()["reason"] == {"seat": 1, "text": "It looks good."}


def test_what_it_does_follows_from_key_and_history() -> None:
    rooms = [Room(), Room()]
    for room in rooms:
        room.run(0.2)
    assert rooms[0].analyser.heard == rooms[1].analyser.heard
    other = Room()
    other.players._key = b"o" * 32
    other.run(0.2)
    assert other.analyser.heard[0].seed != rooms[0].analyser.heard[0].seed


def test_thinking_is_shown_after_half_a_second_and_can_be_hurried() -> None:
    room = Room()
    room.analyser.reply = late
    room.run(SHOWN_S - 0.2)
    assert room.view()["thinking"] is None
    room.run(0.4)
    assert room.view()["thinking"] == 1
    room.analyser.reply = lambda question: chosen(question) if question.nodes else None
    room.run(0.5)
    assert room.view()["thinking"] == 1
    room.players.hurry()
    room.run(0.3)
    assert room.view()["thinking"] is None
    assert room.table.chosen_action == chosen(room.analyser.heard[0]).action
    assert room.analyser.heard[0].nodes


@pytest.mark.parametrize("hurried", [False, True])
def test_a_search_that_never_answers_is_left_after_a_while(hurried: bool) -> None:
    room = Room()
    room.analyser.reply = late
    room.run(1)
    if hurried:
        room.players.hurry()
    room.run(LAST_S - 0.5 if hurried else SLOW_S + LAST_S - 1.5)
    assert room.table.chosen_action is None
    room.run(1)
    assert room.table.chosen_action in room.game.actions(room.table.ledger.now.position)[1]
    assert room.view()["reason"] is None


@pytest.mark.parametrize("answer", [Answer(None), Answer("nonsense"), Answer("end\nC1")])
def test_a_search_that_fails_or_lies_stops_nobody(answer: Answer) -> None:
    room = Room()
    room.analyser.reply = lambda _: answer
    room.run(0.3)
    assert room.table.chosen_action in room.game.actions(room.table.ledger.now.position)[1]


def test_nothing_is_thought_about_while_the_host_has_paused_or_somebody_else_acts() -> None:
    room = Room(computers=(2,))
    room.run(0.3)
    assert room.analyser.queue == []
    room = Room()
    room.analyser.reply = late
    room.run(1)
    room.say(GamePaused(at=room.at))
    room.run(0.2)
    assert (list(room.analyser.queue), room.view()["thinking"]) == ([], None)


def test_a_board_that_is_not_in_order_or_a_pause_costs_no_strength() -> None:
    room = Room()
    room.analyser.reply = late
    room.run(1)
    node = next(iter(room.stones))
    room.lift(node)
    room.run(SLOW_S + LAST_S)
    room.put(node)
    room.say(GamePaused(at=room.at))
    room.run(SLOW_S + LAST_S)
    room.say(GameResumed(at=room.at))
    room.wait(0.5)
    room.run(1)
    room.analyser.reply = chosen
    room.run(0.5)
    hasty, question = room.analyser.heard
    assert hasty.nodes
    assert room.table.chosen_action == chosen(question).action


# -- seals -------------------------------------------------------------------------------------------------------------


def sealing_times(answer_after: float) -> list[float]:
    """Return when a computer's seal came, its search having taken so long."""
    room = Room("spokes", computers=(2,))
    began = room.at
    room.analyser.reply = lambda question: chosen(question) if room.at >= began + answer_after else None
    while not room.committed and room.at < began + 30:
        room.run(0.1)
    return [round(room.at - began, 1)]


def test_a_seal_comes_after_the_same_time_however_long_it_was_thought_about() -> None:
    assert sealing_times(0.1) == sealing_times(2.0) == sealing_times(4.0) == sealing_times(20.0)


def clocks_seen(answer_after: float, level: int, action: str) -> list[Any]:
    """Return what everybody sees of the clocks, ten times a second, while a computer seals."""
    room = Room("spokes", computers=(2,), level=level, clocks=ClockSetting(main=60, increment=2, strict=True))
    began, shown = room.at, []
    room.analyser.reply = lambda _: Answer(action) if room.at >= began + answer_after else None
    for _ in range(80):
        room.run(0.1)
        shown.append((room.view()["clocks"], room.lights(), [seat["sealed"] for seat in room.view()["seats"]]))
    assert 2 in room.committed
    return shown


def test_its_clock_tells_neither_what_it_has_sealed_nor_its_level() -> None:
    assert clocks_seen(0.1, 1, "wD12") == clocks_seen(2.0, 3, "bA1") == clocks_seen(20.0, 5, "bD3")


def test_its_search_hears_the_position_and_nothing_of_what_others_have_sealed() -> None:
    room = Room("spokes", computers=(2,))
    room.run(1)
    before = list(room.analyser.heard)
    room.commit(1, "wD12")
    room.run(1)
    assert room.analyser.heard == before
    assert {question.position for question in before} == {room.text()}


@pytest.mark.parametrize("slow", [False, True])
def test_a_restart_between_sealing_and_opening_finds_the_same_placement(slow: bool) -> None:
    room = Room("spokes", computers=(2,))
    room.analyser.reply = (lambda question: chosen(question) if question.nodes else None) if slow else chosen
    room.run(SLOW_S + 1)
    assert set(room.committed) == {2}
    told = str(room.entries)
    room.commit(1, "wD12")
    room.analyser.reply = chosen
    room.restart()
    room.wake()
    room.run(2)
    room.open(1, "wD12")
    assert room.table.ledger.now.kind == "reveal"
    action = room.table.ledger.now.actions[2]
    assert action in {chosen(question).action for question in room.analyser.heard}
    assert f"'{action}'" not in told


def test_another_level_after_the_seal_still_opens_it() -> None:
    room = Room("spokes", computers=(2,), level=1)
    room.run(SLOW_S + 1)
    room.say(ComputerSeated(at=room.at, seat=2, level=3))
    room.commit(1, "wD12")
    room.restart()
    room.wake()
    room.run(4)
    room.open(1, "wD12")
    assert room.table.ledger.now.kind == "reveal"


def test_another_level_after_all_have_sealed_and_the_turn_is_void_opens_what_was_sealed_last() -> None:
    """The placement of before was kept, and refused again and again as not what was sealed."""
    room = Room("spokes", computers=(2,), level=1)
    room.run(SLOW_S + 1)
    room.commit(1, "wD12")
    room.run(1)
    first = room.committed[2]
    room.say(TurnVoided(at=room.at))
    room.say(ComputerSeated(at=room.at, seat=2, level=3))
    room.run(SLOW_S + 1)
    assert room.committed[2] != first
    room.commit(1, "wD12")
    room.wake()
    room.run(1)
    room.open(1, "wD12")
    assert room.table.ledger.now.kind == "reveal"


def test_a_seal_that_cannot_be_found_again_is_made_anew_by_agreement() -> None:
    room = Room("spokes", computers=(2,))
    room.run(SLOW_S + 1)
    before = room.committed[2]
    room.commit(1, "wD12")
    # Another version of the program finds something else.
    room.analyser.reply = lambda question: chosen(ActionQuestion(*list(vars(question).values())[:5], seed=1))
    room.restart()
    room.run(5)
    proposal = proposals.current(room.table)
    assert proposal is not None
    assert (proposal.what, proposal.by) == ("reseal", 2)
    room.say(Agreed(at=room.at, seat=1, what="reseal"))
    room.run(SLOW_S + 1)
    assert room.committed[2] != before
    room.wake()
    room.run(0.3)
    room.open(1, "wD12")
    assert room.table.ledger.now.kind == "reveal"


def test_computers_among_themselves_wait_for_nothing() -> None:
    room = Room("spokes", computers=(1, 2))
    room.run(1)
    assert room.table.ledger.now.kind == "reveal"


# -- who plays ---------------------------------------------------------------------------------------------------------


def test_a_computer_plays_on_for_somebody_who_is_away_and_gives_the_seat_back() -> None:
    room = Room(computers=())
    room.say(ComputerSeated(at=room.at, seat=1, level=2))
    room.run(0.3)
    assert room.analyser.heard[-1].level == 2
    assert room.table.chosen_action is not None
    seat = room.view()["seats"][0]
    assert (seat["name"], seat["computer"], seat["level"]["level"]) == ("P1", True, 2)
    room.say(SeatAsked(at=room.at, seat=1, code="1234"))
    room.say(SeatMoved(at=room.at, seat=1, claim="the new phone"))
    room.run(0.3)
    seat = room.view()["seats"][0]
    assert (seat["name"], seat["computer"], seat["level"]) == ("P1", False, None)
    assert len(room.view()["steps"]) > 1


def test_a_seal_of_somebody_who_has_left_is_made_anew_by_the_computer() -> None:
    room = Room("spokes", computers=())
    room.commit(1, "wD12")
    room.run(SLOW_S * 3)
    room.say(ComputerSeated(at=room.at, seat=1))
    assert room.committed == {}
    room.commit(2, "bD11")
    room.run(SLOW_S - 0.5)
    assert set(room.committed) == {2}, "it has as long to think as others"
    room.run(1)
    assert set(room.committed) == {1, 2}


def test_once_phones_open_their_seals_a_seat_stays_whose_it_is() -> None:
    room = Room("spokes", computers=())
    room.commit(1, "wD12")
    room.commit(2, "bD11")
    room.open(1, "wD12")
    assert room.refused(ComputerSeated(at=room.at, seat=2)) == "wrong_phase"


def test_levels_that_there_are_not_and_people_in_the_lobby_are_refused() -> None:
    room = Room()
    assert room.refused(ComputerSeated(at=room.at, seat=1, level=6)) == "bad_level"
    assert room.refused(ComputerSeated(at=room.at, seat=1, level=-1)) == "bad_level"
    assert room.refused(ComputerSeated(at=room.at, seat=7)) == "bad_seat"
    lobby = Evening("phalanx")
    lobby.say(SeatTaken(at=0, seat=1, name="Ann", claim="c1"))
    assert lobby.refused(ComputerSeated(at=0, seat=1)) == "seat_taken"
    assert lobby.refused(ComputerSeated(at=0, seat=2)) == "bad_seat"
    assert lobby.refused(SeatTaken(at=0, seat=2, name="C", claim="", computer=True, level=9)) == "bad_level"


def test_a_journal_of_before_there_were_levels_loads_and_its_computers_have_the_usual_one() -> None:
    room = Room(level=3)
    old = [(kind, {name: value for name, value in data.items() if name != "level"}) for kind, data in room.entries]
    table = Table(room.game, "g1", "2", kind=room.kind)
    restore(table, old, 0.0)
    assert level_of(room.game, table.ledger.sittings[1]).number == default_level(len(room.view()["levels"]))
    room.restart()
    assert level_of(room.game, room.table.ledger.sittings[1]).number == 3
