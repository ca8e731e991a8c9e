"""Seats that computers play: each searches at its level beside the table, seals, and chooses steps for hands to do.

They use the same events as a phone. Their choices depend only on a key, the state of the game and a
number of nodes, so a restart between sealing and opening finds the same placement; no file ever holds one.
The time of a seal does not depend on the position. Without an answer of the search they play at random: play
never stops for it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Protocol

from firmware_host.analysis.history import text_and_moves
from firmware_host.analysis.thinker import Answer, Question
from firmware_host.games.game import GameError, Step
from firmware_host.games.offers import rules_of
from firmware_host.games.thinkers import thinker_of
from firmware_host.session.circling import circles, is_back
from firmware_host.table.events import ActionChosen, Confirmed, Event, Proposed, SealCommitted, SealOpened, Thinking
from firmware_host.table.ledger import level_of, levels_of
from firmware_host.table.rounds import may_open, opened, sealed_for
from firmware_host.table.sealing import Round, commitment
from firmware_host.table.stages import leads_to
from firmware_host.table.state import Table

UNSEEN_S = 6.0
"""How long people have for a computer's step that no sensor can see, seconds: a computer has no phone to confirm it."""
SLOW_S = 5.0
"""How long a search for a step lasts at most, and the time that each computer has for a seal, seconds."""
LAST_S = 5.0
"""How long a computer then waits, or once it is hurried, for any answer, seconds: a small Pi may have to start the
process first."""
SHOWN_S = 0.5
"""Thinking that takes longer is shown, seconds."""
QUICK = 16
"""A quick search uses the nodes of its level divided by this. It comes first, so that its answer is there when needed:
a search that is stopped for it would end the process, and a small Pi takes seconds to start another one."""
LOST_S = 60.0
"""How often a computer asks for a new seal if it can't find what it has sealed, seconds."""

Placement = tuple[str, str]
"""A sealed placement: the action and the nonce."""


class Thinks(Protocol):
    """A search beside the table: :class:`firmware_host.analysis.thinker.Thinker`."""

    def want(self, questions: Sequence[Question]) -> None:
        """Answer these questions from now on, and forget all others. Must return at once."""
        ...

    def found(self, question: Question) -> Answer | None:
        """Return the answer to a wanted question, None while there is none."""
        ...

    def close(self) -> None:
        """Stop its child processes."""
        ...


class ComputerPlayers:
    """Plays every computer seat of a table. ``pause`` is the minimum time to think before each step, seconds."""

    def __init__(self, key: bytes, pause: float = 0.8) -> None:
        """``key`` is secret and lives as long as the game may be resumed."""
        self.thinker: Thinks | None = None
        """Without it all computers play at random."""
        self.others: Callable[[Table], Sequence[Question]] = lambda _table: ()
        """Questions to be answered after the computers' own: hints, a review."""
        self._key = key
        self._pause = pause
        self._since: tuple[object, float] | None = None
        self._hurried: object = None
        """The step that is hurried."""
        self._seals = Seals(self)

    def act(self, table: Table, at: float) -> Iterator[Event]:
        """Yield the present actions of computers; each event must be handled before the next is requested."""
        wanted: list[Question] = []
        if not table.held and table.phase in {"sealing", "revealing"}:
            yield from self._seals.act(table, at, wanted)
        else:
            self._seals.wait_anew()
        if not table.held and table.phase == "resolving":
            yield from self._resolve(table, at, wanted)
        else:
            self._since = None
        if table.thinking is not None and not (wanted and table.thinking == table.actor):
            yield Thinking(at=at, seat=None)
        if self.thinker is not None:
            self.thinker.want([*wanted, *self.others(table)])

    def hurry(self) -> None:
        """Make the computer that thinks now act soon."""
        if self._since is not None:
            self._hurried = self._since[0]

    def _resolve(self, table: Table, at: float, wanted: list[Question]) -> Iterator[Event]:
        seat = table.actor
        if seat is None or not table.is_computer(seat) or not table.in_order:
            self._since = None  # Thinking is interrupted: its time begins again.
            return
        position = table.ledger.now.position
        if table.wanted is None:
            word = f"step {len(table.ledger.moments)} {table.game.text(position)}"
            waited = self._has_waited((table.ledger.game_id, word), self._pause, at)
            answer = self._found(table, seat, word, at, wanted)
            if answer is None:
                if self._waited(at) >= SHOWN_S and table.thinking != seat:
                    yield Thinking(at=at, seat=seat)
                return
            if waited:
                yield self._chosen(table, seat, word, answer, at)
            return
        step = unseen_step(table)
        if step is not None and self._has_waited((table.ledger.game_id, position, step.action), UNSEEN_S, at):
            yield Confirmed(at=at, seat=seat, action=step.action)

    def _chosen(self, table: Table, seat: int, word: str, answer: Answer, at: float) -> ActionChosen:
        """Return a computer's choice: the search's answer; a random action if there is none or it leads in circles."""
        position = table.ledger.now.position
        way = table.foresight.way if table.foresight is not None and circles(table) else ()
        if way and is_legal(table, seat, way[0]):
            return ActionChosen(at=at, seat=seat, action=way[0])
        if answer.action is not None and not is_back(table):
            return ActionChosen(at=at, seat=seat, action=answer.action, reason=next(iter(answer.reasons), None))
        return ActionChosen(at=at, seat=seat, action=table.game.random_action(position, seat, self.rng(table, word)))

    def _found(self, table: Table, seat: int, word: str, at: float, wanted: list[Question]) -> Answer | None:
        """Return the answer for a step, None while a search may still find one; the questions go to ``wanted``."""
        if self.thinker is None:
            return Answer(None)
        question = replace(self.question(table, seat, word), seconds=SLOW_S)
        hasty = quick(table, question)
        wanted += [hasty, question]
        hurried = self._hurried == (self._since or ("", 0))[0]
        if hurried and self._waited(at) < SLOW_S:
            self._since = (self._hurried, at - SLOW_S)
        late = self._waited(at) >= SLOW_S + LAST_S
        full, short = self.thinker.found(question), self.thinker.found(hasty)
        if full is None and not (hurried or late):
            return None
        whole = full is not None and is_whole(table, question, full)
        if short is None and not (whole or late):
            return None
        for answer in filter(None, (full, short) if whole else (short, full)):
            if answer.action is not None and is_legal(table, seat, answer.action):
                return answer
        return Answer(None)

    def question(self, table: Table, seat: int, word: str, level: int | None = None) -> Question:
        """Return a computer's question; ``word`` seeds its random numbers."""
        game, ledger = table.game, table.ledger
        number = level or level_of(game, ledger.sittings[seat]).number
        seed = self.rng(table, word).getrandbits(62)
        rules = tuple(sorted(rules_of(game)))
        position, moves = text_and_moves(game, ledger.moments)
        return Question(game.name, rules, position, seat, number, seed, moves=moves)

    def rng(self, table: Table, word: str) -> Random:
        """Return random numbers that can't be guessed without the key."""
        text = f"{table.ledger.game_id} {word}"
        return Random(hmac.digest(self._key, text.encode(), hashlib.sha256))

    def _has_waited(self, what: object, seconds: float, at: float) -> bool:
        """Return whether the same thing has been waited for at least this long."""
        if self._since is None or self._since[0] != what:
            self._since = (what, at)
        return at >= self._since[1] + seconds

    def _waited(self, at: float) -> float:
        return 0.0 if self._since is None else at - self._since[1]


class Seals:
    """Seals and openings of computers, also after a restart."""

    def __init__(self, players: ComputerPlayers) -> None:
        """Seal for these."""
        self._players = players
        self._round: object = None
        """The round to which the other attributes belong."""
        self._began: dict[int, float] = {}
        """When each seat that has not sealed yet began to think."""
        self._placements: dict[int, Placement] = {}
        self._tried: dict[int, int] = {}
        """How many candidates of each seat are known not to be its seal."""
        self._asked = -LOST_S

    def act(self, table: Table, at: float, wanted: list[Question]) -> Iterator[Event]:
        """Yield seals and openings; their questions go to ``wanted``."""
        sealing = table.ledger.round
        if sealing is None:
            return
        if self._round != (sealing.game, sealing.turn, sealing.history):
            self._round = (sealing.game, sealing.turn, sealing.history)
            self._began, self._placements, self._tried, self._asked = {}, {}, {}, -LOST_S
        drawn = sealed_for(table)  # The table itself opens what was sealed for a seat whose time was up.
        computers = [seat for seat in sealing.seats if table.is_computer(seat) and seat not in drawn]
        # Several thinkers in sequence need more time; it never depends on the position.
        patience = SLOW_S * len(computers) if len(computers) < len(sealing.seats) else 0.0
        full: list[Question] = []  # Asked after the quick ones of all.
        for seat in computers:
            if seat not in sealing.commitments:
                self._began.setdefault(seat, at)
                hasty, own = self._own(table, sealing, seat)
                wanted.append(hasty)
                full.append(own)
                placement = self._found(table, sealing, seat, at, patience, (own, hasty))
                if placement is not None:
                    self._began.pop(seat)
                    self._tried.pop(seat, None)
                    digest = _digest(sealing, seat, placement)
                    yield SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=digest)
            elif not sealing.sealed:  # Its opening is not kept: it is computed again when all have sealed.
                wanted.extend(self._answered(self._own(table, sealing, seat)))
            elif not self._is_known(table, sealing, seat, wanted):
                yield from self._lost(sealing, seat, at)
            elif seat in self._placements and may_open(table) and seat not in opened(table):
                action, nonce = self._placements[seat]
                yield SealOpened(at=at, seat=seat, turn=sealing.turn, action=action, nonce=nonce)
        wanted.extend(full)

    def wait_anew(self) -> None:
        """Restart the waiting time once play goes on: nothing is searched meanwhile."""
        self._began = {}

    def _found(
        self, table: Table, sealing: Round, seat: int, at: float, patience: float, asked: tuple[Question, Question]
    ) -> Placement | None:
        """Return a seat's placement, None while it is too early: the time of a seal must reveal nothing.

        The answer to the first of the questions counts that has a legal one.
        """
        thinker = self._players.thinker
        if thinker is None:
            return self._random(table, sealing, seat)
        waited = at - self._began[seat]
        if waited < (patience or SLOW_S + LAST_S) and (patience or thinker.found(asked[0]) is None):
            return None
        for answer in filter(None, map(thinker.found, asked)):
            if answer.action is not None and is_legal(table, seat, answer.action):
                return answer.action, self._nonce(table, sealing, seat)
        return self._random(table, sealing, seat)

    def _is_known(self, table: Table, sealing: Round, seat: int, wanted: list[Question]) -> bool:
        """Find what a seat has sealed, by its commitment; return False if it can't be found any more."""
        if self._fits(sealing, seat, self._placements.pop(seat, None)):  # It may be of before the turn was void.
            return True
        if self._fits(sealing, seat, self._random(table, sealing, seat)):
            return True
        thinker, candidates = self._players.thinker, self._candidates(table, sealing, seat)
        tried = self._tried.get(seat, 0)
        if thinker is None or tried >= len(candidates):
            return False
        for answer in filter(None, map(thinker.found, candidates[tried:])):
            if self._fits(sealing, seat, (answer.action or "", self._nonce(table, sealing, seat))):
                return True
        wanted.append(candidates[tried])
        if thinker.found(candidates[tried]) is not None:
            self._tried[seat] = tried + 1
        return True

    def _fits(self, sealing: Round, seat: int, placement: Placement | None) -> bool:
        """Keep a placement if it is what the seat has committed to; tell whether it is."""
        if placement is None or _digest(sealing, seat, placement) != sealing.commitments[seat]:
            return False
        self._placements[seat] = placement
        return True

    def _answered(self, questions: Sequence[Question]) -> list[Question]:
        """Return the questions that the search has answered, so that it keeps the answers."""
        thinker = self._players.thinker
        return [] if thinker is None else [one for one in questions if thinker.found(one) is not None]

    def _lost(self, sealing: Round, seat: int, at: float) -> Iterator[Event]:
        """Ask for a new seal; once phones have begun to open, only players or the host can void the turn."""
        if not sealing.begun and at >= self._asked + LOST_S:
            self._asked = at
            yield Proposed(at=at, seat=seat, what="reseal")

    def _own(self, table: Table, sealing: Round, seat: int) -> tuple[Question, Question]:
        """Return a seat's questions at its level: the quick one, and the one with all nodes."""
        own = self._players.question(table, seat, f"seal {sealing.turn} {seat} {sealing.history}")
        return quick(table, own), own

    def _candidates(self, table: Table, sealing: Round, seat: int) -> list[Question]:
        """Return the questions that a seat may have had before it sealed: its own level's first, then the others'."""
        hasty, own = self._own(table, sealing, seat)
        others = [replace(own, level=one.number) for one in levels_of(table.game) if one.number != own.level]
        return [hasty, own, *(quick(table, one) for one in others), *others]

    def _random(self, table: Table, sealing: Round, seat: int) -> Placement:
        rng = self._players.rng(table, f"seal {sealing.turn} {seat} {sealing.history}")
        action = table.game.random_action(table.ledger.now.position, seat, rng)
        return action, f"{rng.getrandbits(128):032x}"

    def _nonce(self, table: Table, sealing: Round, seat: int) -> str:
        rng = self._players.rng(table, f"nonce {sealing.turn} {seat} {sealing.history}")
        return f"{rng.getrandbits(128):032x}"


def _digest(sealing: Round, seat: int, placement: Placement) -> str:
    return commitment(sealing.game, sealing.turn, seat, sealing.history, *placement)


def quick(table: Table, question: Question) -> Question:
    """Return a version of a question that takes little time."""
    return replace(question, nodes=max(1, nodes_of(table, question) // QUICK))


def is_whole(table: Table, question: Question, answer: Answer) -> bool:
    """Return whether a search counts: one that the clock stopped early may have looked at one action alone."""
    return answer.in_time or 2 * answer.nodes >= nodes_of(table, question)


def nodes_of(table: Table, question: Question) -> int:
    """Return the nodes of a question's level."""
    return thinker_of(table.game).strengths[question.level - 1].budget.nodes


def is_legal(table: Table, seat: int, action: str) -> bool:
    """Return whether an action is legal for a seat now."""
    try:
        table.game.check(table.ledger.now.position, seat, action)
    except GameError:
        return False
    return True


def unseen_step(table: Table) -> Step | None:
    """Return the step that the actor has chosen, if all sensors that could see it are masked."""
    tracker = table.watch.tracker
    step = next((one for one in tracker.steps if leads_to(one, table.wanted)), None)
    nodes = {node for move in step.moves for node in (move.source, move.target) if node} if step else set()
    return step if nodes and nodes <= tracker.masked else None
