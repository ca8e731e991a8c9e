"""The public view of a game's seals: all commitments in order, but openings only of revealed placements.

A fold over the entries of the journal, like the ledger. Only a reveal entry publishes an opening: until then it is kept
apart, and one never revealed is never shown (a seat that resigned, a void turn). The same holds for the deal of a
shuffled game: its seal is shown from the start, its content after the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game
from firmware_host.games.seals import DEAL_TAG, FIRST_HISTORY, LINK_TAG, LOT_TAG, TAG, next_history

Data = Mapping[str, Any]


@dataclass(frozen=True)
class PublicSeal:
    """One commitment and, once revealed, its opening. Times are the journal's: UTC, ISO 8601.

    ``n`` and ``opened_n`` are the numbers of their entries in the game: unlike clocks they can't be set back. ``lost``
    is the time when all others agreed that it was lost with its phone, ``resigned`` when its player resigned, ``void``
    when the turn was declared void, by ``void_by``: ``agreement`` or ``host``.
    """

    seat: int
    commitment: str
    at: str
    n: int
    action: str | None = None
    nonce: str | None = None
    opened: str | None = None
    opened_n: int | None = None
    lost: str | None = None
    resigned: str | None = None
    void: str | None = None
    void_by: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {
            "seat": self.seat,
            "commitment": self.commitment,
            "at": self.at,
            "n": self.n,
            "action": self.action,
            "nonce": self.nonce,
            "opened": self.opened,
            "opened_n": self.opened_n,
            "lost": self.lost,
            "resigned": self.resigned,
            "void": self.void,
            "void_by": self.void_by,
        }

    @property
    def stands(self) -> bool:
        """Whether the seal counts: it is neither lost, nor void, nor of a player who resigned."""
        return self.lost is self.resigned is self.void is None


@dataclass(frozen=True)
class PublicDeal:
    """The seed of a dealt game and its first position, and the seal over both, which is public from the start."""

    commitment: str
    at: str
    seed: str
    position: str

    def to_dict(self, over: bool) -> dict[str, Any]:
        """Return it ready for JSON; seed and position are None before the game is over."""
        opening = {"seed": self.seed, "position": self.position} if over else {"seed": None, "position": None}
        return {"tag": DEAL_TAG, "commitment": self.commitment, "at": self.at, **opening}


@dataclass(frozen=True)
class PublicLots:
    """The lots by which tables draw a stack: first seat of each table → its commitment, and what was opened so far."""

    commitments: Mapping[int, str]
    pieces: tuple[str, ...]
    """All pieces of the stack, in the order in which those that are not drawn yet are counted."""
    at: str
    opened: tuple[tuple[int, str], ...] = ()
    """Seat and secret number, in the order of their opening: all seats for the first lot, then for the second, …"""

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        sealed = [{"seat": seat, "commitment": one} for seat, one in sorted(self.commitments.items())]
        opened = [{"seat": seat, "number": number} for seat, number in self.opened]
        tags = {"link": LINK_TAG, "lot": LOT_TAG}
        return {**tags, "at": self.at, "pieces": list(self.pieces), "sealed": sealed, "opened": opened}


@dataclass(frozen=True)
class SealedTurn:
    """The seals of a turn in the order of their arrival. ``history`` is the hash that they are bound to.

    ``after`` is the history's hash after the reveal, ``taken_back`` the time when the turn was taken back.
    """

    turn: int
    history: str
    seals: tuple[PublicSeal, ...] = ()
    revealed: str | None = None
    after: str | None = None
    taken_back: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {
            "turn": self.turn,
            "history": self.history,
            "seals": [seal.to_dict() for seal in self.seals],
            "revealed": self.revealed,
            "after": self.after,
            "taken_back": self.taken_back,
        }

    def each(self, change: Callable[[PublicSeal], PublicSeal]) -> SealedTurn:
        """Return the turn with ``change`` applied to every seal that stands."""
        return replace(self, seals=tuple(change(seal) if seal.stands else seal for seal in self.seals))


class Proof:
    """The seals of one game so far. One thread feeds it; any may read ``turns``, which is replaced as a whole."""

    def __init__(self, game: Game[Any], game_id: str, mode: str) -> None:
        """Begin without seals. Raise GameError for an unknown mode."""
        self.game_id = game_id
        self.secrets = game.simultaneous(game.start(mode))
        """Whether this game has secret choices."""
        tiles = capabilities_of(game).tiles
        self._pieces = tuple(tiles.tiles) if tiles else ()
        self.turns: tuple[SealedTurn, ...] = ()
        self.deal: PublicDeal | None = None
        self.lots: PublicLots | None = None
        self.over = False
        self._n = 0
        self._history = FIRST_HISTORY
        self._openings: dict[int, tuple[str, str, int]] = {}
        """Seat → (nonce, time of its arrival, its number) in the running turn; secret before the reveal."""
        self._made: list[int | None] = []
        """For each moment that a correction may return to: the index in ``turns`` that it revealed, or None."""

    def feed(self, entries: Iterable[tuple[str, Data, str]]) -> None:
        """Add entries: (kind, data, time)."""
        for kind, data, at in entries:
            self._n += 1
            handler = _HANDLERS.get(kind)
            if handler is not None:
                handler(self, data, at)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole proof, ready for JSON."""
        turns = [turn.to_dict() for turn in self.turns]
        deal = self.deal.to_dict(self.over) if self.deal else None
        seals = {"tag": TAG, "first": FIRST_HISTORY, "turns": turns}
        lots = self.lots.to_dict() if self.lots else None
        return {"game": self.game_id, "secrets": self.secrets, "deal": deal, "lots": lots, **seals}

    # -- the fold --------------------------------------------------------------------------------------------------

    def _running(self) -> SealedTurn | None:
        """Return the turn that is being sealed or opened, None without one."""
        last = self.turns[-1] if self.turns else None
        return last if last and last.revealed is None and last.taken_back is None else None

    def _become(self, running: SealedTurn) -> None:
        self.turns = (*self.turns[:-1], running)

    def _start(self, data: Data, at: str) -> None:
        if "deal" in data:
            self.deal = PublicDeal(data["deal"], at, str(data["seed"]), data["position"])
        if "lots" in data:
            self.lots = PublicLots({int(seat): one for seat, one in data["lots"].items()}, self._pieces, at)
        self._moment(data, at)

    def _lot(self, data: Data, _at: str) -> None:
        if self.lots is not None:
            self.lots = replace(self.lots, opened=(*self.lots.opened, (data["seat"], data["number"])))

    def _result(self, _data: Data, _at: str) -> None:
        self.over = True

    def _seal(self, data: Data, at: str) -> None:
        running = self._running()
        if running is None or running.turn != data["turn"]:
            running = SealedTurn(data["turn"], self._history)
            self.turns = (*self.turns, running)
            self._openings.clear()
        seal = PublicSeal(data["seat"], data["commitment"], at, self._n)
        self._become(replace(running, seals=(*running.seals, seal)))

    def _opening(self, data: Data, at: str) -> None:
        self._openings[data["seat"]] = (data["nonce"], at, self._n)

    def _reseal(self, data: Data, at: str) -> None:
        """Mark one seat's seal as lost or, without a seat, all as void."""
        running, seat = self._running(), data.get("seat")
        if seat is None:
            self._openings.clear()
        if running is None:
            return
        if seat is None:
            by = data.get("by", "agreement")
            self._become(running.each(lambda seal: replace(seal, void=at, void_by=by)))
        else:
            self._become(running.each(lambda seal: replace(seal, lost=at) if seat == seal.seat else seal))

    def _reveal(self, data: Data, at: str) -> None:
        running = self._running()
        actions = {int(seat): action for seat, action in data["actions"].items()}
        openings, self._openings = self._openings, {}
        if running is None:
            return

        def with_opening(seal: PublicSeal) -> PublicSeal:
            if seal.seat not in actions:
                return seal
            nonce, when, number = openings[seal.seat]
            return replace(seal, action=actions[seal.seat], nonce=nonce, opened=when, opened_n=number)

        nonces = {seat: nonce for seat, (nonce, _, _) in openings.items()}
        self._history = next_history(self._history, running.turn, actions, nonces)
        self._become(replace(running.each(with_opening), revealed=at, after=self._history))
        self._made.append(len(self.turns) - 1)

    def _moment(self, _data: Data, _at: str) -> None:
        self._made.append(None)

    def _resign(self, data: Data, at: str) -> None:
        running, seat = self._running(), data["seat"]
        self._openings.pop(seat, None)
        if running is not None:
            self._become(running.each(lambda seal: replace(seal, resigned=at) if seal.seat == seat else seal))
        self._made.append(None)

    def _correction(self, data: Data, at: str) -> None:
        self.over = False
        keep = data["to"] + 1
        gone = {place for place in self._made[keep:] if place is not None}
        if self._running() is not None:
            gone.add(len(self.turns) - 1)
        self._made = self._made[:keep]
        self._openings.clear()
        self.turns = tuple(
            replace(turn, taken_back=at) if place in gone else turn for place, turn in enumerate(self.turns)
        )


_HANDLERS: Mapping[str, Callable[[Proof, Data, str], None]] = {
    "start": Proof._start,
    "lot": Proof._lot,
    "result": Proof._result,
    "seal": Proof._seal,
    "opening": Proof._opening,
    "reseal": Proof._reseal,
    "reveal": Proof._reveal,
    "action": Proof._moment,
    "loop": Proof._moment,
    "decided": Proof._moment,
    "draw": Proof._moment,
    "resign": Proof._resign,
    "correction": Proof._correction,
}
"""The kinds of entry about seals, about the deal, or that make a moment which a correction counts."""
