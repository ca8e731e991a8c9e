"""A seat given to a computer: it seals random legal placements and chooses random steps.

It speaks to the table through the same events as a phone. Its choices come from a key and the state of the game alone,
so a restart between sealing and opening loses nothing; and no file ever holds a sealed placement.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from random import Random

from firmware_host.games.game import Step
from firmware_host.table.events import ActionChosen, Confirmed, Event, SealCommitted, SealOpened
from firmware_host.table.queries.seals import may_open, opened
from firmware_host.table.queries.stages import leads_to
from firmware_host.table.sealing import Round, commitment
from firmware_host.table.table import Table

UNSEEN_S = 6.0
"""So long people have to do a step of a computer that no sensor can see: a computer has no phone to be asked on."""


class ComputerPlayers:
    """Plays every computer seat of a table. ``pause`` is how long it thinks before each step, seconds."""

    def __init__(self, key: bytes, pause: float = 0.8) -> None:
        """``key`` is secret and lives as long as the game may be resumed."""
        self._key = key
        self._pause = pause
        self._since: tuple[object, float] | None = None

    def act(self, table: Table, at: float) -> Iterator[Event]:
        """Yield what the computers do now; each event is to be handled before the next is asked for."""
        if table.held or table.phase not in {"sealing", "revealing", "resolving"}:
            return
        if table.phase != "resolving":
            yield from self._seal(table, at)
            return
        seat = table.actor
        if seat is None or not table.is_computer(seat) or not table.in_order:
            return
        position = table.ledger.now.position
        if table.wanted is None:
            if self._has_waited((table.ledger.game_id, position), self._pause, at):
                word = f"step {len(table.ledger.moments)} {table.game.text(position)}"
                action = table.game.random_action(position, seat, self._rng(table, word))
                yield ActionChosen(at=at, seat=seat, action=action)
            return
        step = unseen_step(table)
        if step is not None and self._has_waited((table.ledger.game_id, position, step.action), UNSEEN_S, at):
            yield Confirmed(at=at, seat=seat, action=step.action)

    def _has_waited(self, what: object, seconds: float, at: float) -> bool:
        """Tell whether it has been about one thing for so long."""
        if self._since is None or self._since[0] != what:
            self._since = (what, at)
        return at >= self._since[1] + seconds

    def _seal(self, table: Table, at: float) -> Iterator[Event]:
        sealing = table.ledger.round
        if sealing is None:
            return
        for seat in sealing.seats:
            if not table.is_computer(seat):
                continue
            action, nonce = self._placement(table, sealing, seat)
            if seat not in sealing.commitments:
                digest = commitment(sealing.game, sealing.turn, seat, sealing.history, action, nonce)
                yield SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=digest)
            elif may_open(table) and seat not in opened(table):
                yield SealOpened(at=at, seat=seat, turn=sealing.turn, action=action, nonce=nonce)

    def _placement(self, table: Table, sealing: Round, seat: int) -> tuple[str, str]:
        rng = self._rng(table, f"seal {sealing.turn} {seat} {sealing.history}")
        action = table.game.random_action(table.ledger.now.position, seat, rng)
        return action, f"{rng.getrandbits(128):032x}"

    def _rng(self, table: Table, word: str) -> Random:
        text = f"{table.ledger.game_id} {word}"
        return Random(hmac.digest(self._key, text.encode(), hashlib.sha256))


def unseen_step(table: Table) -> Step | None:
    """Return the step that the actor has named, where all sensors that could see it are masked."""
    tracker = table.watch.tracker
    step = next((one for one in tracker.steps if leads_to(one, table.wanted)), None)
    nodes = {node for move in step.moves for node in (move.source, move.target) if node} if step else set()
    return step if nodes and nodes <= tracker.masked else None
