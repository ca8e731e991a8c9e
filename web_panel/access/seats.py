"""The seat of a phone: a signed cookie with seat and claim, valid while the table holds this claim."""

from __future__ import annotations

import hmac

from flask import Response
from itsdangerous import URLSafeSerializer

from firmware_host.table.service import TableService
from web_panel.access.signed import said

COOKIE = "lodestone-seat"
LESSON_COOKIE = "lodestone-lesson"
"""Cookie of the learner's seat; the seat in the waiting game stays in ``COOKIE``."""
COOKIE_DAYS = 30

Sitting = tuple[int, str]
"""Seat and claim."""


class Seats:
    """Signs and reads seat cookies."""

    def __init__(self, door: TableService, secret: bytes) -> None:
        """``secret`` signs the cookies; phones keep their seats over restarts as long as it is the same."""
        self._door = door
        self._signer = URLSafeSerializer(secret, salt="lodestone-seat-v1")

    def cookie(self) -> Sitting | None:
        """Return the sitting in a genuine cookie, valid or not; in a lesson the learner's. None without one."""
        learner = self.learner()
        return learner if self.held(learner) is not None else self._said(COOKIE)

    def learner(self) -> Sitting | None:
        """Return the sitting in the cookie of the last lesson, None without one."""
        return self._said(LESSON_COOKIE)

    def _said(self, cookie: str) -> Sitting | None:
        match said(self._signer, cookie):
            case [int(seat), str(claim)] if type(seat) is int:
                return seat, claim
        return None

    def held(self, sitting: Sitting | None) -> int | None:
        """Return the seat that this sitting holds, None for a spectator.

        The claim decides: seats may rotate between two games, and then the number in the cookie is the former one.
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
        """Return the seat of the requesting phone, None for a spectator."""
        return self.held(self.cookie())

    def give(self, response: Response, sitting: Sitting, *, lesson: bool = False) -> None:
        """Set the cookie of a phone's seat. No ``Secure``: the table speaks plain HTTP in its own network."""
        response.set_cookie(
            LESSON_COOKIE if lesson else COOKIE,
            str(self._signer.dumps(list(sitting))),
            max_age=COOKIE_DAYS * 86400,
            httponly=True,
            samesite="Strict",
        )

    def take(self, response: Response) -> None:
        """Delete the cookie of a phone's seat."""
        response.delete_cookie(COOKIE, httponly=True, samesite="Strict")
