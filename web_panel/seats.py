"""Which seat a phone holds: a signed cookie with seat and claim, believed while the table knows that claim."""

from __future__ import annotations

import hmac

from flask import Response, request
from itsdangerous import BadSignature, URLSafeSerializer

from firmware_host.table.door import Door

COOKIE = "lodestone-seat"
COOKIE_DAYS = 30


class Seats:
    """Signs and reads seat cookies."""

    def __init__(self, door: Door, secret: bytes) -> None:
        """``secret`` lives as long as phones shall keep their seats over restarts."""
        self._door = door
        self._signer = URLSafeSerializer(secret, salt="lodestone-seat-v1")

    def cookie(self) -> tuple[int, str] | None:
        """Return (seat, claim) of a genuine cookie, whether or not the seat is still held by it."""
        try:
            seat, claim = self._signer.loads(request.cookies.get(COOKIE, ""))
        except (BadSignature, ValueError, TypeError):
            return None
        return (seat, claim) if isinstance(seat, int) and isinstance(claim, str) else None

    def mine(self) -> int | None:
        """Return the seat of the phone that asks, None for a spectator."""
        found = self.cookie()
        if found is None:
            return None
        held = self._door.claim(found[0])
        return found[0] if held and hmac.compare_digest(held.encode(), found[1].encode()) else None

    def give(self, response: Response, seat: int, claim: str) -> None:
        """Let a phone keep its seat. No ``Secure``: the table speaks plain HTTP in its own network."""
        response.set_cookie(
            COOKIE,
            str(self._signer.dumps([seat, claim])),
            max_age=COOKIE_DAYS * 86400,
            httponly=True,
            samesite="Strict",
        )

    def take(self, response: Response) -> None:
        """Let a phone forget its seat."""
        response.delete_cookie(COOKIE, httponly=True, samesite="Strict")
