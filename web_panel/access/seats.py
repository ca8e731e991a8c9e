"""Which seat a phone holds: a signed cookie with seat and claim, believed while the table knows that claim."""

from __future__ import annotations

import hmac

from flask import Response
from itsdangerous import URLSafeSerializer

from firmware_host.table.service import TableService
from web_panel.access.signed import said

COOKIE = "lodestone-seat"
LESSON_COOKIE = "lodestone-lesson"
"""Holds the learner's seat; the seat in the game that waits stays in its own."""
COOKIE_DAYS = 30

Sitting = tuple[int, str]
"""Seat and claim."""


class Seats:
    """Signs and reads seat cookies."""

    def __init__(self, door: TableService, secret: bytes) -> None:
        """``secret`` lives as long as phones shall keep their seats over restarts."""
        self._door = door
        self._signer = URLSafeSerializer(secret, salt="lodestone-seat-v1")

    def cookie(self) -> Sitting | None:
        """Return what a genuine cookie says, whether or not the seat is still held by it; in a lesson the learner's."""
        learner = self.learner()
        return learner if self.held(learner) is not None else self._said(COOKIE)

    def learner(self) -> Sitting | None:
        """Return what the cookie of the last lesson says."""
        return self._said(LESSON_COOKIE)

    def _said(self, cookie: str) -> Sitting | None:
        match said(self._signer, cookie):
            case [int(seat), str(claim)] if type(seat) is int:
                return seat, claim
        return None

    def held(self, sitting: Sitting | None) -> int | None:
        """Return the seat that this sitting holds, None for a spectator.

        The claim counts: people who turn round between two games have another seat than when their cookie was written.
        """
        if sitting is None:
            return None
        seat, claim = sitting
        if self._holds(seat, claim):
            return seat
        others = (one["seat"] for one in self._door.view(None)[1]["seats"])
        return next((other for other in others if self._holds(other, claim)), None)

    def _holds(self, seat: int, claim: str) -> bool:
        held = self._door.claim(seat)
        return bool(held) and hmac.compare_digest(str(held).encode(), claim.encode())

    def mine(self) -> int | None:
        """Return the seat of the phone that asks, None for a spectator."""
        return self.held(self.cookie())

    def give(self, response: Response, sitting: Sitting, *, lesson: bool = False) -> None:
        """Let a phone keep its seat. No ``Secure``: the table speaks plain HTTP in its own network."""
        response.set_cookie(
            LESSON_COOKIE if lesson else COOKIE,
            str(self._signer.dumps(list(sitting))),
            max_age=COOKIE_DAYS * 86400,
            httponly=True,
            samesite="Strict",
        )

    def take(self, response: Response) -> None:
        """Let a phone forget its seat."""
        response.delete_cookie(COOKIE, httponly=True, samesite="Strict")
