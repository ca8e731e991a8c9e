"""Who sealed what in a record, turn by turn: commitments, and the openings that were found to fit them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from firmware_host.games.game import Game


@dataclass(frozen=True)
class SealShown:
    """One seal: whose, of which turn, its commitment; what it held and its nonce, None where it was never opened."""

    seat: int
    turn: int
    commitment: str
    action: str | None = None
    nonce: str | None = None
    words: str | None = None
    void: bool = False
    """Whether its turn was declared void: all sealed again."""


class Seals:
    """Follows a record's events; those that were taken back are forgotten."""

    def __init__(self) -> None:
        """Begin before the first event."""
        self._round: dict[int, SealShown] = {}
        self._void: list[SealShown] = []
        self._opened: dict[int, tuple[SealShown, ...]] = {}

    def follow(self, kind: str, data: Mapping[str, Any], moments: int) -> None:
        """Let an event happen that was found to be in order; there are so many moments after it."""
        self._opened = {at: seals for at, seals in self._opened.items() if at < moments}
        if kind == "seal":
            self._round[data["seat"]] = SealShown(data["seat"], data["turn"], data["commitment"])
        elif kind == "opening":
            known = self._round[data["seat"]]
            self._round[data["seat"]] = replace(known, action=data["action"], nonce=data["nonce"])
        elif kind in {"reseal", "resign"} and "seat" in data:
            self._round.pop(data["seat"], None)
        elif kind == "reveal":
            self._opened[moments - 1] = (*self._void, *self._in_order())
        elif kind == "reseal":
            self._void += [replace(seal, action=None, nonce=None, void=True) for seal in self._in_order()]
            self._round = {}
        if kind in {"reveal", "correction", "result"}:
            self._round, self._void = {}, []

    def opened(self, number: int, game: Game[Any]) -> tuple[SealShown, ...]:
        """Return the seals that were opened for a moment, with what they held in words, after those of void turns."""
        return tuple(
            replace(seal, words=game.words(seal.action)) if seal.action else seal
            for seal in self._opened.get(number, ())
        )

    def unopened(self) -> tuple[SealShown, ...]:
        """Return the seals of the turn at whose middle the record ends. What one of them held is nobody's business."""
        return tuple(replace(seal, action=None, nonce=None) for seal in (*self._void, *self._in_order()))

    def _in_order(self) -> tuple[SealShown, ...]:
        return tuple(self._round[seat] for seat in sorted(self._round))
