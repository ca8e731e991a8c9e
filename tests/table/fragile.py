"""A game whose methods fail when they are told to, and tables of it in every phase."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from firmware_host.games.game import Analysis, Game
from firmware_host.games.registry import game as find_game
from firmware_host.games.seals import commitment
from firmware_host.table import events as ev
from firmware_host.table.ledger import Ledger
from firmware_host.table.state import Table
from firmware_host.table.subjects.hints import HintsAllowed
from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.proposals import ActionUndone, GamePaused, GameResumed, Proposed, TurnVoided
from firmware_host.table.subjects.resolving import (
    ActionChosen,
    AnalysisFound,
    BoardBack,
    BoardChanged,
    BoardLost,
    Confirmed,
    Resigned,
    SensorChanged,
)
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady
from firmware_host.table.subjects.seats import GameStarted, ModeChosen, SeatColoured, SeatMoved, SeatTaken
from firmware_host.table.table import restore
from lodestone.evening import NONCE, Evening


class Sudden(Exception):
    """What no caller expects."""


class Breaker:
    """Notes which methods of a game are called, and lets one of them fail while it is armed."""

    def __init__(self) -> None:
        self.armed: str | None = None
        self.called: set[str] = set()

    def __call__(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any) -> Any:
            self.called.add(name)
            if name == self.armed:
                raise Sudden(name)
            return method(*given)

        return called


def fragile(name: str, breaker: Breaker) -> Game[Any]:
    """Return a game of its own whose public methods all go through a breaker."""
    whole: Any = find_game(name)
    methods = {n for n in dir(type(whole)) if not n.startswith("_") and callable(getattr(whole, n))}
    wrapped = {n: staticmethod(breaker(n, getattr(whole, n))) for n in methods}
    broken: Any = object.__new__(type("Fragile", (type(whole),), wrapped))
    broken.__dict__.update(whole.__dict__)
    return broken


class FragileEvening(Evening):
    """An evening whose game may fail."""

    def __init__(self, name: str, kind: str = "presence") -> None:
        super().__init__(name, kind=kind)
        self.breaker = Breaker()
        self.game = fragile(name, self.breaker)
        self.table = Table(self.game, "g1", "2", kind=kind)
        restore(self.table, self.entries, 0.0)

    def begin(self, position: str | None = None) -> FragileEvening:
        """Seat two people, and start in a position whose pieces do not lie on the board yet."""
        for seat in (1, 2):
            self.say(SeatTaken(at=self.at, seat=seat, name=f"P{seat}", claim=f"c{seat}"))
        self.say(GameStarted(at=self.at, position=position))
        return self

    def lay(self) -> FragileEvening:
        """Put down what belongs on the board."""
        for node, stack in self.table.watch.target.items():
            self.stones[node] = list(stack)
            self.feel(node)
        self.wait(0.6)
        return self

    def folded(self) -> Ledger:
        """Return what the journal tells."""
        ledger = Ledger(self.game, "g1", "2")
        for kind, data in self.entries:
            ledger.apply(kind, data)
        return ledger


DYING = "9/9/9/9/9/2bbw4/2b1w4/6bb1/1ww6 b 3 1"
LOOP = "./..../b......./...........wb.b./................ 2 2 2 resolve -"


def _spokes() -> FragileEvening:
    evening = FragileEvening("spokes").begin()
    evening.wait(0.5)
    return evening


def _sealing() -> FragileEvening:
    evening = _spokes()
    evening.commit(1, "wC2")
    return evening


def _revealing() -> FragileEvening:
    evening = _sealing()
    evening.commit(2, "wC3")
    evening.open(1, "wC2")
    return evening


def _placing() -> FragileEvening:
    evening = _revealing()
    evening.open(2, "wC3")
    return evening


def _circling() -> FragileEvening:
    evening = FragileEvening("spokes").begin(LOOP).lay()
    evening.foresee(Analysis(None, None, ("C2", "C3")))
    return evening


def _moving() -> FragileEvening:
    return FragileEvening("phalanx", "polarity").begin(DYING).lay()


def _clearing() -> FragileEvening:
    evening = FragileEvening("phalanx").begin(DYING).lay()
    for move in evening.step("C4>e").moves:
        evening.make(move, 0.2)
    evening.wait(1.0)
    return evening


def _tile_laid() -> FragileEvening:
    evening = FragileEvening("octiles", "coded").begin().lay()
    step = next(step for step in evening.table.watch.tracker.steps if step.partial)
    for move in step.moves:
        evening.make(move)
    evening.wait(0.5)
    assert evening.table.done_stages
    return evening


def _dropping() -> FragileEvening:
    evening = FragileEvening("coil").begin()
    evening.wait(0.5)
    evening.put("g7", "b")
    evening.wait(0.6)
    return evening


def _over() -> FragileEvening:
    evening = FragileEvening("coil").begin()
    evening.say(Resigned(at=evening.at, seat=1))
    return evening


SCENES: Mapping[str, Callable[[], FragileEvening]] = {
    "lobby": lambda: FragileEvening("spokes"),
    "setup": lambda: FragileEvening("phalanx").begin(),
    "sealing": _sealing,
    "revealing": _revealing,
    "placing": _placing,
    "resolving, circling": _circling,
    "resolving, moving": _moving,
    "resolving, a tile laid": _tile_laid,
    "resolving, dropping": _dropping,
    "clearing": _clearing,
    "over": _over,
}
"""A table in every phase, and in the states that a phase has besides."""


def happenings(evening: FragileEvening) -> Iterator[ev.Event]:
    """Yield what phones, the host and the loop may tell a table now: possible, impossible and too early."""
    at, table, ledger = evening.at + 0.1, evening.table, evening.table.ledger
    yield ModeChosen(at=at, mode="2")
    yield SeatTaken(at=at, seat=1, name="Ann", claim="a")
    yield SeatColoured(at=at, seat=1, colour=4)
    yield GameStarted(at=at)
    yield SeatMoved(at=at, seat=1, claim="new")
    yield GamePaused(at=at)
    yield GameResumed(at=at)
    yield ActionUndone(at=at)
    yield TurnVoided(at=at)
    yield SensorMasked(at=at, node=next(iter(table.watch.tracker.sensed)), reason="r")
    if ledger.round is not None:
        sealing = ledger.round
        for seat, action in ((1, "wC2"), (2, "wC3")):
            digest = commitment(sealing.game, sealing.turn, seat, sealing.history, action, NONCE)
            yield SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=digest)
            yield SealReady(at=at, seat=seat, turn=sealing.turn)
            yield SealOpened(at=at, seat=seat, turn=sealing.turn, action=action, nonce=NONCE)
    steps = [*table.watch.tracker.steps[:2], *table.watch.tracker.steps[-1:]]
    for step in steps:
        yield ActionChosen(at=at, seat=table.actor or 1, action=step.action)
        yield Confirmed(at=at, seat=table.actor or 1, action=step.action)
    yield ActionChosen(at=at, seat=table.actor or 1, action="pass")
    yield Confirmed(at=at, seat=1, action="")
    for what in ("take-back", "void", "loop", "decided", "reseal"):
        yield Proposed(at=at, seat=1, what=what)
    yield Resigned(at=at, seat=2)
    yield HintsAllowed(at=at, seat=1, on=False)
    if ledger.started:
        text = evening.text()
        yield AnalysisFound(at=at, position=text, analysis=Analysis(False, True, ("C2", "C3")), seconds=1.0)
    yield ev.Tick(at=at)
    yield ev.Tick(at=at + 5)
    yield BoardLost(at=at, reason="r")
    yield BoardBack(at=at)
    nodes = {node for step in steps for node in step.touches} | set(table.watch.target)
    for node in sorted(nodes)[:6]:
        sensed = "" if table.watch.tracker.sensed[node] else "x"
        yield SensorChanged(at=at, node=node, sensed=sensed)
    yield BoardChanged(at=at, sensed_states=tuple((node, "") for node in sorted(nodes)[:4]))
