"""The host's right: given for the token that ``lodestone play`` prints, kept by a signed cookie."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from flask import Response
from itsdangerous import URLSafeSerializer

from firmware_host.table.errors import TableError
from web_panel.access.signed import said

COOKIE = "lodestone-host"
COOKIE_DAYS = 30


class Host:
    """Signs and reads the host's cookie. It holds a hash of the token, and dies when there is another token."""

    def __init__(self, token: Callable[[], str] | None, secret: bytes) -> None:
        """``token`` is asked each time; without one nobody is the host."""
        self._token = token
        self._signer = URLSafeSerializer(secret, salt="lodestone-host-v1")

    def is_token(self, token: str) -> bool:
        """Tell whether this is the host's token."""
        return self.holds(_digest(token))

    def cookie(self) -> str | None:
        """Return what a genuine cookie says, whether or not it is still believed."""
        found = said(self._signer, COOKIE)
        return found if isinstance(found, str) else None

    def holds(self, told: str | None) -> bool:
        """Tell whether what a cookie says is of today's token."""
        if told is None or self._token is None:
            return False
        try:
            word = self._token()
        except TableError:  # The file that holds it can't be read: then nobody is the host, and all others play on.
            return False
        return hmac.compare_digest(_digest(word).encode(), told.encode())

    def here(self) -> bool:
        """Tell whether the phone that asks is the host's."""
        return self.holds(self.cookie())

    def give(self, response: Response, token: str) -> None:
        """Let a phone be the host by the token that it has shown: there may be another one already.

        No ``Secure``: the table speaks plain HTTP in its own network.
        """
        response.set_cookie(
            COOKIE,
            str(self._signer.dumps(_digest(token))),
            max_age=COOKIE_DAYS * 86400,
            httponly=True,
            samesite="Strict",
        )

    def take(self, response: Response) -> None:
        """Let a phone be the host no more."""
        response.delete_cookie(COOKIE, httponly=True, samesite="Strict")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
