"""An evening that goes by itself, deed by deed: phones choose, hands do what the lights ask, and a test cuts in.

What people choose follows from the seed and the position alone, so that two evenings which differ in what a host does
between the deeds can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from firmware_host.games.clocks import ClockSetting
from firmware_host.table import events as ev
from firmware_host.table import guide
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed
from firmware_host.table.subjects.rounds import SealOpened, SealReady, may_open, open_seats, ready_phones
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from firmware_host.table.subjects.timekeeping import ClocksChosen
from lodestone.evening import NONCE, Evening

KINDS = {"spokes": "level", "coil": "polarity", "phalanx": "presence", "octiles": "coded"}
MAX_WAITS = 60


class Played:
    """A game at a table with everybody it takes."""

    def __init__(
        self, game: str, seed: int, *, clocks: ClockSetting | None = None, kind: type[Evening] = Evening
    ) -> None:
        self.evening = kind(game, Evening(game).game.modes[0], KINDS[game])
        self.seed = seed
        if clocks is not None:
            self.say(ClocksChosen, setting=clocks)
        for seat in self.evening.table.ledger.all_seats:
            self.say(SeatTaken, seat=seat, name=f"P{seat}", claim=f"c{seat}")
        self.say(GameStarted, seed=seed)

    def say(self, event: type[ev.Event], **fields: Any) -> None:
        self.evening.say(event(at=self.evening.at, **fields))

    def deeds(self, moments: int) -> Iterator[str]:
        """Play until so many things have moved the game on; after each deed the test may cut in."""
        waited = 0
        while len(self.evening.table.ledger.moments) <= moments and self.evening.phase != "over":
            waited += 1
            for deed in self._next():
                waited = 0
                yield deed
            assert waited < MAX_WAITS, f"the table waits: {self.evening.view()['message']}"
            self.evening.wait(0.3)

    def _next(self) -> Iterator[str]:
        table = self.evening.table
        tasks = guide.tasks(table)
        if self.evening.hand:  # What was lifted is put down before anything else, if only beside the board.
            self.evening.hand = []
        if tasks:
            meant = (table.phase, table.chosen_action, len(table.ledger.moments))
            for task in tasks:
                lifted = task["node"] if task["do"] in {"take", "tap"} else task.get("from")
                if lifted is not None and lifted not in self.evening.stones:
                    return  # Somebody has moved it meanwhile: look at the lights again.
                self._do(task)
                self.evening.wait(0.1)
                yield "hand"
                if meant != (table.phase, table.chosen_action, len(table.ledger.moments)):
                    return
        elif table.phase == "sealing":
            yield from self._seal()
        elif table.phase == "revealing":
            yield from self._open()
        elif table.phase == "resolving" and table.chosen_action is None and not table.done_stages:
            if table.in_order and table.watch.verdict.kind == "quiet":
                seat = table.actor or 0
                self.say(ActionChosen, seat=seat, action=self._choice(seat))
                yield "choose"
        elif table.phase == "placing" and table.watch.unseen_stacks():
            self.say(Confirmed, seat=table.actor or 1, action="")
            yield "confirm"

    def _seal(self) -> Iterator[str]:
        sealing = self.evening.table.ledger.round
        assert sealing is not None
        for seat in sealing.seats:
            if seat not in sealing.commitments and self.evening.phase == "sealing":
                self.evening.commit(seat, self._choice(seat))
                yield "seal"

    def _open(self) -> Iterator[str]:
        sealing = self.evening.table.ledger.round
        assert sealing is not None
        turn = sealing.turn
        table = self.evening.table
        while self.evening.phase == "revealing" and not may_open(table):  # A seat that moves has to be awake anew.
            asleep = next(seat for seat in sealing.seats if seat not in ready_phones(table))
            self.say(SealReady, seat=asleep, turn=turn)
            yield "ready"
        for seat in sealing.seats:
            if self.evening.phase == "revealing" and may_open(table) and seat not in open_seats(table):
                self.say(SealOpened, seat=seat, turn=turn, action=self._choice(seat), nonce=NONCE)
                yield "open"

    def _choice(self, seat: int) -> str:
        """Return what a seat does now: the same whenever it is asked."""
        table = self.evening.table
        rng = Random(f"{self.seed} {seat} {len(table.ledger.moments)} {self.evening.text()}")
        return table.game.random_action(table.ledger.now.position, seat, rng)

    def _do(self, task: dict[str, Any]) -> None:
        evening = self.evening
        if task["do"] == "put":
            evening.put(task["node"], task["piece"] or next(iter(evening.game.pieces)))
        elif task["do"] == "take":
            evening.take_off(task["node"])
        elif task["do"] == "tap":
            evening.tap(task["node"])
        else:
            pieces = [piece for piece in task["pieces"] if piece in evening.stones[task["from"]]]
            evening.lift(task["from"], pieces or 1)
            evening.wait(0.1)
            evening.put(task["to"])

    def meddle(self, rng: Random) -> None:
        """Do with the board what people do when nothing counts."""
        evening = self.evening
        nodes = list(evening.game.layout().nodes)
        if evening.stones and rng.random() < 0.7:
            evening.hand = []
            evening.lift(rng.choice(sorted(evening.stones)))
            evening.wait(0.2)
        if evening.hand and rng.random() < 0.5:
            evening.put(rng.choice([node for node in nodes if node not in evening.stones]))
        evening.hand = []
        evening.wait(rng.choice((0.1, 1.5, 6.0)))
