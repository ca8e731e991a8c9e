"""Whatever fails in a game while a table runs, the program goes on: the loop, the phones, the lights, the journal."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.capabilities import (
    HasAnalysis,
    HasDecisions,
    HasFacts,
    HasOptions,
    HasReasons,
    HasStages,
    HasStartOptions,
    HasTiles,
)
from firmware_host.games.game import Game
from firmware_host.table import events as ev
from firmware_host.table.errors import InternalError, TableError
from firmware_host.table.ledger import Ledger
from firmware_host.table.subjects.hints import HintsAllowed
from firmware_host.table.subjects.proposals import Proposed
from firmware_host.table.subjects.resolving import Noticed, Resigned
from firmware_host.table.subjects.seats import GameStarted, ModeChosen, SeatTaken
from lodestone.tables import SimulatedTable
from tests.sentences import is_in
from tests.table.fragile import Breaker, fragile

PROTOCOLS = (Game, HasAnalysis, HasTiles, HasStages, HasReasons, HasDecisions, HasOptions, HasStartOptions, HasFacts)
METHODS = sorted({name for one in PROTOCOLS for name, it in vars(one).items() if callable(it) and name[0] != "_"})


class Shaky(SimulatedTable):
    """A running table whose game may fail."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.breaker = Breaker()
        monkeypatch.setattr("lodestone.tables.find_game", lambda name, _rules: fragile(name, self.breaker))
        super().__init__(folder)

    def ask(self, event: type[ev.Event], **fields: Any) -> str:
        """Let a phone ask; return the code of the refusal."""
        try:
            self.runtime.submit(event(at=self.runtime.now(), **fields))
        except TableError as error:
            return error.code
        return ""

    def ledgers(self) -> tuple[dict[str, str], ...]:
        """Return what the table knows and what its journal tells, to be compared."""
        table: Any = self.runtime._table
        told = Ledger(table.game, table.ledger.game_id, "2")
        for entry in self.journal.entries(table.ledger.game_id):
            told.apply(entry.kind, entry.data)
        return tuple({name: repr(value) for name, value in vars(one).items()} for one in (table.ledger, told))


@pytest.fixture
def shaky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shaky]:
    table = Shaky(tmp_path, monkeypatch)
    yield table
    table.close()


def phones(table: Shaky) -> list[str]:
    """Let phones and the host ask for what some phase allows; return the codes of the answers."""
    return [
        table.ask(HintsAllowed, seat=1, on=False),
        table.ask(HintsAllowed, seat=1, on=True),
        table.ask(Proposed, seat=1, what="loop"),
        table.ask(Noticed, what="x", text="y"),
        table.ask(Noticed, what="x", text=None),
    ]


def shake(table: Shaky) -> None:
    """Let every method fail in turn, while phones ask and hands move a stone."""
    view: Any = table.view
    asked = {task.get("node") for task in view["tasks"]}
    free = next(node for node in table.description.nodes if node not in view["board"] and node not in asked)
    for method in METHODS:
        table.breaker.armed = method
        phones(table)
        table.hand.put(free, "w")
        table.wait(0.3)
        table.hand.take_off(free)
        table.wait(0.3)
        table.breaker.armed = None
        table.wait(0.3)
        known, told = table.ledgers()
        assert known == told, method
    table.wait(1.5)
    assert table.view["notices"] == []


def seat(table: Shaky, *, computers: bool) -> None:
    for number in (1, 2):
        asked = table.ask(SeatTaken, seat=number, name=f"P{number}", claim=f"c{number}", computer=computers)
        assert asked == ""


def test_whatever_fails_before_the_first_turn_play_goes_on(shaky: Shaky, caplog: pytest.LogCaptureFixture) -> None:
    shake(shaky)
    seat(shaky, computers=False)
    shaky.breaker.armed = "status"
    assert shaky.ask(GameStarted) == "internal"
    shaky.breaker.armed = None
    assert shaky.ask(GameStarted) == ""
    shaky.wait(0.5)
    assert shaky.view["phase"] == "sealing"
    shake(shaky)
    assert shaky.ask(Resigned, seat=1) == ""
    assert shaky.view["phase"] == "over"
    shake(shaky)
    assert "Sudden: resign" not in caplog.text
    assert "Sudden: occupancy" in caplog.text


@pytest.mark.thorough
def test_whatever_fails_while_computers_play_play_goes_on(shaky: Shaky) -> None:
    seat(shaky, computers=True)
    assert shaky.ask(GameStarted) == ""
    seen: set[str] = set()
    while seen < {"placing", "resolving"}:
        shaky.wait(0.4)
        view: Any = shaky.view
        if view["phase"] not in seen:
            seen.add(view["phase"])
            shake(shaky)
        for task in view["tasks"]:
            if task["do"] == "put":
                shaky.hand.put(task["node"], task["piece"])


def test_a_game_that_can_not_be_shown_does_not_come_to_the_table(shaky: Shaky) -> None:
    games, shown = len(shaky.journal.games()), shaky.view
    shaky.breaker.armed = "homes"
    with pytest.raises(InternalError):
        shaky.runtime.change(shaky.runtime.setting, "2")
    shaky.breaker.armed = None
    assert (len(shaky.journal.games()), shaky.view) == (games, shown)
    shaky.runtime.change(shaky.runtime.setting, "2")
    assert len(shaky.journal.games()) == games + 1


def test_a_phone_of_another_thread_is_refused_and_the_loop_goes_on(
    shaky: Shaky, caplog: pytest.LogCaptureFixture
) -> None:
    runtime = shaky.runtime
    runtime.start()
    shaky.breaker.armed = "seats"
    answers: list[str] = []
    asked = ModeChosen(at=runtime.now(), mode="2")

    def phone() -> None:
        try:
            runtime.submit(asked)
        except TableError as error:
            answers.append(f"{error.code}: {error.message}")

    thread = threading.Thread(target=phone)
    with caplog.at_level(logging.ERROR):
        thread.start()
        thread.join(60)
        shaky.breaker.armed = None
        runtime.submit(asked)
    runtime.stop()
    assert runtime.failure is None
    assert len(answers) == 1
    assert answers[0].startswith("internal: ")
    assert is_in("this did not work because of", answers[0])
    assert "Sudden: seats" in caplog.text


def test_who_only_listens_ends_no_game(shaky: Shaky, caplog: pytest.LogCaptureFixture) -> None:
    """Backups, speech and Home Assistant are told each view: what fails there is theirs."""
    told: list[str] = []

    def fail(view: Any) -> None:
        if told:
            raise RuntimeError("Sudden: no thread")
        told.append(view["phase"])

    shaky.runtime.follow(fail)
    shaky.runtime.follow(lambda view: told.append(view["phase"]))
    seat(shaky, computers=False)
    assert shaky.ask(GameStarted) == ""
    shaky.wait(0.5)
    assert told[-1] == shaky.view["phase"] == "sealing", "the next one is told all the same"
    assert caplog.text.count("Sudden: no thread") == 2, "an error is logged once: its line, and its message"


@pytest.mark.parametrize("where", ["scan", "complaint"])
def test_a_driver_that_fails_in_an_unexpected_way_pauses_play(
    shaky: Shaky, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, where: str
) -> None:
    """One of another package may raise anything. It is asked again, and what hands do then counts."""
    seat(shaky, computers=False)
    assert shaky.ask(GameStarted) == ""
    shaky.wait(0.5)

    def fail(*_: object) -> None:
        raise OSError("Sudden: input/output error")

    with monkeypatch.context() as broken:
        if where == "scan":
            broken.setattr(shaky.board.sensors.bank, "scan", fail)
        else:
            broken.setattr("firmware_host.sensing.pipeline.complaint_of", fail)
        shaky.wait(3.0)
        assert ("Sudden" in str(shaky.view["message"])) == (where == "scan")
    assert caplog.text.count("OSError: Sudden") == 1
    shaky.wait(3.0)
    assert "Sudden" not in str(shaky.view["message"])
    assert shaky.view["phase"] == "sealing"
