"""Hints: answers of the players' search for people, kept for the present moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from firmware_host.analysis.thinker import Answer, Question
from firmware_host.games.game import Game
from firmware_host.games.thinkers import thinker_of
from firmware_host.session.computer import ComputerPlayers
from firmware_host.table import hints
from firmware_host.table.errors import TableError
from firmware_host.table.events import Event, HintTaken
from firmware_host.table.hints import MOST
from firmware_host.table.state import Table
from firmware_host.text.words import say


@dataclass(frozen=True)
class Asked:
    """A seat's question, with its game and moment."""

    moment: tuple[str, int]
    question: Question


@dataclass(frozen=True)
class Found:
    """A hint that any thread can read, without references to the table; its answer is None while the search runs.

    ``position`` is the position that the hint is about.
    """

    game: Game[Any]
    position: Any
    answer: Answer | None

    def lit(self, seat: int) -> str | None:
        """Return the action to which the lights can lead, None without any."""
        return hints.lit_by(self.game, self.position, seat, self.answer.choices) if self.answer else None

    def told(self, seat: int, told: int) -> Mapping[str, Any] | None:
        """Return the hint for the phone that asked; None while nothing is known."""
        return hints.shown(self.game, self.position, seat, self.answer.choices, told) if self.answer else None


OnLoop = Callable[[Callable[[], Found]], Found]
"""Runs a function on the loop's thread and returns its result."""


class Hints:
    """The questions of people; the search runs in the thinker's child process."""

    def __init__(
        self, players: ComputerPlayers, table: Callable[[], Table], happen: Callable[[Event], None], on_loop: OnLoop
    ) -> None:
        """Use the thinker of the computers for a table that handles events. ``on_loop`` runs a function on the loop."""
        self._players, self._table, self._happen, self._on_loop = players, table, happen, on_loop
        self._asked: Mapping[int, Asked] = {}

    def wanted(self, table: Table) -> Sequence[Question]:
        """Return the questions to answer now: those about this moment."""
        moment = _moment(table)
        self._asked = {seat: asked for seat, asked in self._asked.items() if asked.moment == moment}
        return [asked.question for asked in self._asked.values()]

    def hint(self, seat: int, told: int) -> Mapping[str, Any] | None:
        """Return a hint for a seat (:class:`firmware_host.table.service.TableService`), on any thread.

        The table is read on the loop; words are made here, so that the loop does not wait for them.
        """
        found = self._on_loop(lambda: self._ask(seat, told))
        lit = found.lit(seat) if told == MOST else None
        if lit is not None:
            found = self._on_loop(lambda: self._ask(seat, told, lit))
        return found.told(seat, told)

    def _ask(self, seat: int, told: int, lit: str | None = None) -> Found:
        """Queue a seat's question, and return what is known. Raise TableError if there is no search."""
        thinker = self._players.thinker
        if thinker is None:
            raise TableError("no_hints", say("there are no hints at this table: no search runs beside it"))
        table = self._table()
        self._happen(HintTaken(at=table.at, seat=seat, told=told, action=lit))
        moment = _moment(table)
        asked = self._asked.get(seat)
        if asked is None or asked.moment != moment:
            strongest = len(thinker_of(table.game).strengths)
            question = self._players.question(table, seat, f"hint {moment[1]} {seat}", strongest)
            asked = Asked(moment, replace(question, ranked=True))
            self._asked = {**self._asked, seat: asked}
        answer = thinker.found(asked.question)
        if answer is not None and not answer.choices:
            raise TableError("no_hints", say("the search has failed here: there is no hint"))
        return Found(table.game, table.ledger.now.position, answer)


def _moment(table: Table) -> tuple[str, int]:
    return table.ledger.game_id, len(table.ledger.moments)
