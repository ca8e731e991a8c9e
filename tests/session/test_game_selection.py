"""Which game is played on which board: what is asked for, what is refused, and what an unfinished game decides."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from firmware_host.archive.journal import Journal
from firmware_host.archive.summary import GameSummary
from firmware_host.games.capabilities import rules_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.registry import game
from firmware_host.session.game_selection import LaunchRequest, board_for, choose, offers, selection_for
from firmware_host.table.ledger import Ledger, LedgerError
from firmware_host.text.words import Refused
from tests.archive.records.recorder import Recorder
from tests.commands.test_cli import refused
from tests.e2e.program import Program
from tests.sentences import sentence

BONUS = "second_player_bonus"


def refusal(request: LaunchRequest) -> str:
    with pytest.raises(Refused) as caught:
        choose(request)
    return str(caught.value)


def unfinished(name: str, board: str, rules: Mapping[str, bool] | None = None) -> GameSummary:
    return GameSummary(f"{name}-1", name, "2", "", {1: "Ada"}, 1, 9, "unfinished", rules=rules or {}, board=board)


# -- what is asked for -------------------------------------------------------------------------------------------------


def test_without_a_wish_a_shipped_board_is_simulated() -> None:
    choice = choose(LaunchRequest())
    assert (choice.description.name, choice.description.backend, choice.game.name) == ("spokes-45", "sim", "spokes")
    assert choose(LaunchRequest(board="sim")) == choice


def test_the_first_board_tells_colours_and_stacks() -> None:
    """A simulated board that nobody has named sees all that sensors can see; one that was named is as its file says."""
    assert {choose(LaunchRequest(game=name)).description.kind for name in (None, "coil", "phalanx", "spokes")} == {
        "level"
    }
    assert choose(LaunchRequest(board="sim")).description.kind == "level"
    assert choose(LaunchRequest(simulate=True)).description.kind == "level", "as a demonstration does"
    assert choose(LaunchRequest(kind="presence")).description.kind == "presence"
    assert choose(LaunchRequest(board="spokes-45", simulate=True)).description.kind == "presence"
    assert choose(LaunchRequest(game="octiles")).description.kind == "coded", "its wells read tiles"
    assert (
        selection_for(LaunchRequest(), choose(LaunchRequest()), unfinished("coil", "hexhex-7")).description.kind
        == "level"
    )
    kinds = {offer.key: offer.description.kind for offer in offers(LaunchRequest(), choose(LaunchRequest()))}
    assert (kinds["spokes-45-74hc165-spi"], kinds["go-9x9"], kinds["octiles-189"]) == ("level", "level", "coded")


@pytest.mark.parametrize("name", ["coil", "phalanx", "spokes"])
def test_each_game_can_be_asked_for_by_its_name(name: str) -> None:
    choice = choose(LaunchRequest(game=name))
    assert (choice.game.name, choice.description.game, choice.description.backend) == (name, name, "sim")


def test_a_board_of_its_own_is_opened_and_simulated_when_asked() -> None:
    assert choose(LaunchRequest(board="go-9x9")).description.backend == "gpio"
    assert choose(LaunchRequest(board="go-9x9", game="phalanx")).game.name == "phalanx"
    simulated = choose(LaunchRequest(board="go-9x9", simulate=True, kind="polarity")).description
    assert (simulated.backend, simulated.kind) == ("sim", "polarity")


def test_options_of_the_rules_are_on_when_asked_for() -> None:
    assert rules_of(choose(LaunchRequest(game="phalanx")).game) == {}
    assert rules_of(choose(LaunchRequest(game="phalanx", rules=(BONUS, BONUS))).game) == {BONUS: True}


def test_what_does_not_fit_is_refused_in_words() -> None:
    assert refusal(LaunchRequest(game="chess")).startswith("--game: expected one of coil, ")
    assert "the board 'spokes-45' is for spokes; name a board for phalanx with --board (go-9x9)" in refusal(
        LaunchRequest(board="spokes-45", game="phalanx")
    )
    said = refusal(LaunchRequest(game="phalanx", rules=("wrap",)))
    assert said == f"--rule: Phalanx has no option 'wrap'; it has {BONUS} ({sentence('first turn has four actions')})"
    assert (
        refusal(LaunchRequest(rules=(BONUS,)))
        == f"--rule: Spokes has no option {BONUS!r}; it has none; for that one: --game phalanx"
    )
    assert "--kind is for simulated boards" in refusal(LaunchRequest(board="go-9x9", kind="level"))


# -- what an unfinished game decides -----------------------------------------------------------------------------------


def test_a_game_is_gone_on_with_under_its_own_rules(capsys: pytest.CaptureFixture[str]) -> None:
    request = LaunchRequest(game="phalanx")
    going_on = selection_for(request, choose(request), unfinished("phalanx", "go-9x9", {BONUS: True}))
    assert rules_of(going_on.game) == {BONUS: True}
    assert capsys.readouterr().out == ""
    request = LaunchRequest(game="phalanx", rules=(BONUS,))
    going_on = selection_for(request, choose(request), unfinished("phalanx", "go-9x9"))
    assert rules_of(going_on.game) == {}
    assert "goes on as Phalanx, as it began; other rules hold with --new" in capsys.readouterr().out


def test_a_game_of_another_board_brings_its_own_where_none_was_asked_for() -> None:
    for board, found in (
        ("spokes-45-74hc165-spi", "spokes-45-74hc165-spi"),
        ("mine", "spokes-45"),
        ("go-9x9", "spokes-45"),
    ):
        assert board_for("spokes", board, LaunchRequest()).description.name == found
    going_on = selection_for(LaunchRequest(), choose(LaunchRequest()), unfinished("coil", "hexhex-7"))
    assert (going_on.game.name, going_on.description.name) == ("coil", "hexhex-7")


@pytest.mark.parametrize(
    "launch",
    [LaunchRequest(board="go-9x9"), LaunchRequest(game="phalanx"), LaunchRequest(board="go-9x9", simulate=True)],
)
def test_a_game_that_does_not_fit_the_board_asked_for_is_not_dropped_silently(launch: LaunchRequest) -> None:
    with pytest.raises(Refused) as caught:
        selection_for(launch, choose(launch), unfinished("coil", "hexhex-7"))
    assert "coil-1 is Coil, but the board 'go-9x9' is for Phalanx" in str(caught.value)
    assert "--new" in str(caught.value)


def test_a_game_that_this_program_does_not_know_is_named() -> None:
    for last in (unfinished("chess", "b"), unfinished("phalanx", "go-9x9", {"wrap": True})):
        with pytest.raises(Refused, match=f"{last.id} can't be resumed"):
            selection_for(LaunchRequest(), choose(LaunchRequest()), last)


# -- the whole program -------------------------------------------------------------------------------------------------


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path / "games", "--hands", "none")
    yield running
    if running.process is not None and running.process.poll() is None:
        running.stop(signal.SIGKILL)


def heads(data: Path) -> list[Mapping[str, object]]:
    with sqlite3.connect(data / "journal.sqlite") as journal:
        rows = journal.execute("SELECT data FROM event WHERE kind = 'game' ORDER BY seq").fetchall()
    journal.close()
    return [json.loads(row[0]) for row in rows]


def test_whoever_ends_it_is_told_that_the_game_is_saved(program: Program) -> None:
    saved = f"The game is saved. Start Lodestone again with --data {program.data} to go on with it."
    program.start("--game", "phalanx")
    program.join(1, "Ada")
    program.join(2, "Bob")
    assert saved not in program.stop(signal.SIGINT), "none has begun"
    program.start("--game", "phalanx", "--new")
    program.join(1, "Ada")
    program.join(2, "Bob")
    program.start_game()
    assert saved in program.stop(signal.SIGINT)
    assert "Resuming phalanx-" in program.start("--resume").stop()


@pytest.mark.thorough
def test_rules_are_kept_in_the_journal_and_a_restart_plays_on_by_them(program: Program) -> None:
    program.start("--game", "phalanx", "--rule", BONUS)
    program.join(1, "Ada")
    assert program.as_host("computer", seat=2)[0] == 200
    program.start_game()
    program.stop()
    assert [(head["game"], head["rules"]) for head in heads(program.data)] == [("phalanx", {BONUS: True})]
    said = refused("play", "--port", "0", "--data", str(program.data), "--board", "spokes-45", "--sim")
    assert "but the board 'spokes-45' is for Spokes" in said
    program.start()
    view = program.state()
    assert (view["game"]["name"], view["phase"] != "lobby") == ("phalanx", True)
    out = program.stop()
    assert "an unfinished game of Phalanx with second_player_bonus; going on with it" in out
    assert len(heads(program.data)) == 1
    program.start("--new")
    assert program.state()["game"]["name"] == "spokes"
    program.stop()
    assert [head["game"] for head in heads(program.data)] == ["phalanx", "spokes"]
    with_journal = Journal(program.data / "journal.sqlite", writer=False)
    assert [summary.state for summary in with_journal.games()] == ["abandoned", "lobby"]
    with_journal.close()


def test_a_game_is_resumed_under_the_rules_of_its_journal(tmp_path: Path) -> None:
    """Four actions in White's first turn: without the option the entries would not follow from each other."""
    journal = Journal(tmp_path / "journal.sqlite")
    recorder = Recorder(journal, "phalanx-1", seed=2, game="phalanx", rules={BONUS: True})
    while recorder.now.turn < 3:
        recorder.step()
    last, entries = journal.unfinished_game(), journal.entries("phalanx-1")
    journal.close()
    assert last is not None
    assert (last.rules, last.board, last.title) == ({BONUS: True}, "go-9x9", "Phalanx with second_player_bonus")

    def fold(played: Game[Any]) -> Ledger:
        ledger = Ledger(played, "phalanx-1", "2")
        for entry in entries:
            ledger.apply(entry.kind, entry.data)
        return ledger

    assert fold(selection_for(LaunchRequest(), choose(LaunchRequest()), last).game).now.position == recorder.now
    with pytest.raises((LedgerError, GameError)):
        fold(game("phalanx"))
