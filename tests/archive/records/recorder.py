"""Games recorded as a table records them, and records changed by somebody who can compute hashes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from firmware_host.archive.format import write_lines
from firmware_host.archive.journal import Journal
from firmware_host.archive.records import RecordError, export
from firmware_host.games.capabilities import HasAnalysis, HasDecisions, HasStack
from firmware_host.games.game import Status
from firmware_host.games.positions import is_dealt, starting
from firmware_host.games.registry import game as find_game
from firmware_host.games.seals import FIRST_HISTORY, chain_of, commitment, deal_seal, lot_of, next_history
from firmware_host.table.ledger import Moment, agree_draw

SPOKES = find_game("spokes")
NAMES = ("Ada", "Grace", "Zoë", "Barbara")
CLAIM = "claim-that-nobody-may-see"
BOARDS = {"spokes-45": "spokes", "go-9x9": "phalanx", "hexhex-7": "coil"}


class Recorder:
    """Plays a game at random by the rules and writes the entries that a table writes."""

    def __init__(
        self,
        journal: Journal,
        game_id: str,
        mode: str = "2",
        seed: int = 0,
        game: str = "spokes",
        rules: Mapping[str, bool] | None = None,
        *,
        lots: int = 0,
    ) -> None:
        """``lots`` tables draw the stack, the tables of the first seats."""
        self.journal, self.id, self.rng = journal, game_id, random.Random(seed)
        self.game = find_game(game, rules)
        self.mode, self.seconds = mode, 0
        # What is durable, and when, is the journal's own tests' business.
        journal._db.execute("PRAGMA synchronous = OFF")
        self.status = Status(over=False)
        self.history = FIRST_HISTORY
        self.chains, self.drawn = dict[int, tuple[str, ...]](), 0
        sealed: dict[str, Any] = {}
        dealt: dict[str, Any] = {"seed": f"{seed:032x}"} if is_dealt(self.game) else {}
        if lots:
            assert isinstance(self.game, HasStack)
            secret = f"{seed:063x}"
            self.chains = {s: chain_of(game_id, f"{s}{secret}", self.game.lots) for s in range(1, lots + 1)}
            dealt = {"lots": {str(seat): chain[0] for seat, chain in self.chains.items()}}
        self.moments = [starting(self.game, mode, dealt)]
        if "seed" in dealt:
            sealed = {"deal": deal_seal(game_id, dealt["seed"], self.game.text(self.now))}
        board = next((name for name, of in BOARDS.items() if of == game), "a-board")
        self.write("game", id=game_id, game=game, mode=mode, rules=dict(rules or {}), board=board, version="0.1.0")
        for seat in self.game.seats(mode):
            self.write("seat", seat=seat, name=NAMES[seat - 1], claim=CLAIM, computer=seat == 2)
        self.write("start", position=self.game.text(self.now), **dealt, **sealed)
        self.draw_lots()

    @property
    def now(self) -> Any:
        return self.moments[-1]

    def write(self, kind: str, **data: Any) -> None:
        self.seconds += 1
        at = f"2026-11-21T{10 + self.seconds // 3600:02}:{self.seconds // 60 % 60:02}:{self.seconds % 60:02}.000+00:00"
        self.journal.append(self.id, kind, data, at)

    def choices(self) -> tuple[dict[int, str], dict[int, str]]:
        actions = {seat: self.game.random_action(self.now, seat, self.rng) for seat in self.game.actions(self.now)}
        return actions, {seat: f"{self.rng.getrandbits(128):032x}" for seat in actions}

    def seal(self, actions: dict[int, str], nonces: dict[int, str]) -> int:
        turn = self.game.turn(self.now)
        for seat, action in actions.items():
            digest = commitment(self.id, turn, seat, self.history, action, nonces[seat])
            self.write("seal", seat=seat, turn=turn, commitment=digest)
        return turn

    def place(self, **chosen: str) -> None:
        actions, nonces = self.choices()
        actions |= {int(seat[1:]): action for seat, action in chosen.items()}
        turn = self.seal(actions, nonces)
        self.write("opens", turn=turn)
        for seat in actions:
            self.write("opening", seat=seat, turn=turn, action=actions[seat], nonce=nonces[seat])
        after = self.game.apply(self.now, actions)
        told = {str(seat): action for seat, action in actions.items()}
        self.history = next_history(self.history, turn, actions, nonces)
        self.write(
            "reveal", turn=turn, actions=told, position=self.game.text(after.position), removed=list(after.removed)
        )
        self.arrive(after)

    def reseal(self, **by: str) -> None:
        turn = self.seal(*self.choices())
        self.write("reseal", turn=turn, **by)

    def step(self, chosen: str | None = None) -> None:
        (seat,) = self.game.actions(self.now)
        action = chosen or self.game.random_action(self.now, seat, self.rng)
        after = self.game.apply(self.now, {seat: action})
        position = self.game.text(after.position)
        self.write("action", seat=seat, action=action, position=position, removed=list(after.removed))
        self.arrive(after)

    def circle(self) -> None:
        """Begin with two stones that can still be moved."""
        self.place(p1="wC2", p2="wC3")

    def call_loop(self, by: str, *nodes: str) -> None:
        assert isinstance(self.game, HasAnalysis)
        after: Any = self.game.call_loop(self.now, nodes)
        self.write("loop", nodes=list(nodes), position=self.game.text(after.position), by=by)
        self.arrive(after)

    def back(self, count: int = 1, by: str = "hand") -> None:
        del self.moments[-count:]
        self.write("correction", to=len(self.moments) - 1, by=by, position=self.game.text(self.now))

    def play_until_decided(self) -> None:
        """Pass after the first stone, then play at random until the winner is certain."""
        assert isinstance(self.game, HasDecisions)
        while self.game.decision(self.now) is None:
            self.step("pass" if len(self.moments) == 2 else None)
            assert not self.game.status(self.now).over, "it takes another seed"

    def settle(self) -> None:
        """Let all players agree that the game is decided."""
        assert isinstance(self.game, HasDecisions)
        found = self.game.decision(self.now)
        assert found is not None
        after: Any = self.game.settle(self.now)
        self.write("decided", winner=found.winner, position=self.game.text(after.position))
        self.arrive(after)

    def draw(self) -> None:
        """Let all players agree on a draw."""
        position = self.now
        self.write("draw", position=self.game.text(position))
        moment = Moment(position, self.status, {}, (), "action")
        self.arrive(agree_draw(self.game, moment))

    def draw_lots(self) -> None:
        """Open what the tables have sealed, as far as the position needs it."""
        while self.chains and isinstance(self.game, HasStack) and self.game.lots_needed(self.now) > self.drawn:
            self.drawn += 1
            opened = {seat: chain[self.drawn] for seat, chain in self.chains.items()}
            lot = lot_of(self.id, self.drawn, opened)
            before = self.game.text(self.now)
            self.moments = [self.game.with_lot(moment, self.drawn, lot) for moment in self.moments]
            for seat, number in opened.items():
                last = seat == max(opened)
                self.write("lot", seat=seat, number=number, position=self.game.text(self.now) if last else before)

    def resign(self, seat: int, **by: str) -> None:
        after = self.game.resign(self.now, seat)
        self.write("resign", seat=seat, position=self.game.text(after.position), **by)
        self.arrive(after)

    def arrive(self, after: Any) -> None:
        self.moments.append(after.position)
        self.status = after.status
        if after.status.over:
            status = after.status
            self.write(
                "result",
                reason=status.reason,
                winners=list(status.winners),
                scores=list(status.scores),
                tiebreak=list(status.tiebreak),
            )
        else:
            self.draw_lots()

    def go_on(self) -> None:
        if self.game.simultaneous(self.now):
            self.place()
        else:
            self.step()

    def finish(self, *, corrected: bool = False, most: int = 10**6) -> None:
        """Play on to the end; after ``most`` moments everybody but the last seat resigns."""
        seats = iter(self.game.seats(self.mode))
        while not self.status.over:
            if len(self.moments) > most:
                self.resign(next(seats))
                continue
            if corrected and len(self.moments) > 2 and self.rng.random() < 0.15:
                self.back(self.rng.choice((1, 2)), self.rng.choice(("hand", "agreement")))
            if corrected and self.game.simultaneous(self.now) and self.rng.random() < 0.2:
                self.reseal()
            self.go_on()


@cache
def a_record(mode: str = "2", seed: int = 3, turns: int = 3, *, hinted: bool = False) -> tuple[str, ...]:
    """Return the lines of a game whose beginning is corrected and resealed, resigned after some turns.

    ``hinted``: a player was given a hint, the other one may have none.
    """
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, "spokes-0a1b2c3d", mode, seed)
        recorder.reseal()
        recorder.place()
        recorder.back(by="agreement")
        recorder.write("mask", node="D4", reason="flapping (channel 20)")
        recorder.write("unmask", node="D4")
        recorder.write("guidance", seat=1, on=False)
        if hinted:
            recorder.write("hints", seat=2, on=False)
            recorder.write("hint", seat=1, told=2)
        recorder.write("moved", seat=1, claim=CLAIM)
        while SPOKES.turn(recorder.now) <= turns or SPOKES.simultaneous(recorder.now):
            recorder.go_on()
        recorder.resign(1)
        lines = tuple(export(journal, recorder.id))
        journal.close()
    return lines


@cache
def a_loop_record() -> tuple[str, ...]:
    """Return the lines of a game that ends with stones which all players agree to call a loop."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, "spokes-0a1b2c3e")
        recorder.circle()
        recorder.call_loop("agreement", "C2", "C3")
        lines = tuple(export(journal, recorder.id))
        journal.close()
    return lines


@cache
def a_beginning(game: str, seed: int = 1, actions: int = 25, **rules: bool) -> tuple[str, ...]:
    """Return the lines of a game without seals, some of it taken back, resigned after some actions."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, f"{game}-0a1b2c3f", seed=seed, game=game, rules=rules)
        for number in range(actions):
            if number == actions // 2:
                recorder.back(2, "agreement")
            recorder.step()
        recorder.resign(1)
        lines = tuple(export(journal, recorder.id))
        journal.close()
    return lines


@cache
def a_decided_record() -> tuple[str, ...]:
    """Return the lines of a game that all players agree to end, as nothing can change its winner."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, "coil-0a1b2c3d", seed=11, game="coil")
        recorder.play_until_decided()
        recorder.settle()
        lines = tuple(export(journal, recorder.id))
        journal.close()
    return lines


def a_drawn_record() -> tuple[str, ...]:
    """Return the lines of a game that all players have ended as a draw."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, "coil-0a1b2c3d", seed=11, game="coil")
        recorder.step()
        recorder.draw()
        lines = tuple(export(journal, recorder.id))
        journal.close()
    return lines


def a_lots_record(turns: int = 4) -> tuple[str, ...]:
    """Return the lines of a game whose stack two tables have drawn; a turn of it was taken back."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, "octiles-0a1b2c3d", seed=11, game="octiles", lots=2)
        recorder.step()
        recorder.step()
        recorder.back(by="agreement")
        for _ in range(turns):
            recorder.step()
        recorder.resign(1)
        lines = tuple(export(journal, recorder.id))
        journal.close()
    return lines


def refusal(deed: Callable[[], object]) -> str:
    with pytest.raises(RecordError) as caught:
        deed()
    return str(caught.value)


# -- lies told with correct hashes -------------------------------------------------------------------------------------

Events = list[dict[str, Any]]


def forged(change: Callable[[dict[str, Any], Events], None], record: tuple[str, ...] | None = None) -> list[str]:
    """Return a record in which something was changed by somebody who can compute hashes."""
    header, *events = (json.loads(line) for line in record or a_record())
    for fields in (header, *events):
        del fields["hash"]
        fields.pop("n", None)
    change(header, events)
    header["events"] = len(events)
    return list(write_lines(header, events))


def first(events: Events, kind: str, skip: int = 0) -> int:
    return [place for place, event in enumerate(events) if event["kind"] == kind][skip]


def set_data(kind: str, skip: int = 0, **data: Any) -> Callable[[dict[str, Any], Events], None]:
    def change(_header: dict[str, Any], events: Events) -> None:
        events[first(events, kind, skip)]["data"] |= data

    return change


def drop(kind: str, skip: int = 0) -> Callable[[dict[str, Any], Events], None]:
    def change(_header: dict[str, Any], events: Events) -> None:
        del events[first(events, kind, skip)]

    return change


def both(*changes: Callable[[dict[str, Any], Events], None]) -> Callable[[dict[str, Any], Events], None]:
    def change(header: dict[str, Any], events: Events) -> None:
        for one in changes:
            one(header, events)

    return change


def repeat(kind: str, skip: int = 0) -> Callable[[dict[str, Any], Events], None]:
    def change(_header: dict[str, Any], events: Events) -> None:
        place = first(events, kind, skip)
        events.insert(place + 1, json.loads(json.dumps(events[place])))

    return change


def head(**fields: Any) -> Callable[[dict[str, Any], Events], None]:
    return lambda header, _events: header.update(fields)


def line_of(kind: str, skip: int = 0, record: tuple[str, ...] | None = None) -> int:
    """Return the number of the line of an event of the true record."""
    return first([json.loads(line) for line in (record or a_record())[1:]], kind, skip) + 2
