"""The seals of a record, turn by turn: commitments, and the openings that match them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from firmware_host.games.game import Game


@dataclass(frozen=True)
class SealShown:
    """One seal: its seat, turn and commitment; its placement and nonce, None if it was never opened."""

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
        """Process a verified event; ``moments`` is the number of moments after it."""
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
        """Return the seals opened for a moment, with their placements in words, after those of void turns."""
        return tuple(
            replace(seal, words=game.words(seal.action)) if seal.action else seal
            for seal in self._opened.get(number, ())
        )

    def unopened(self) -> tuple[SealShown, ...]:
        """Return the seals of the turn in which the record ends, without their placements, which stay secret."""
        return tuple(replace(seal, action=None, nonce=None) for seal in (*self._void, *self._in_order()))

    def _in_order(self) -> tuple[SealShown, ...]:
        return tuple(self._round[seat] for seat in sorted(self._round))
