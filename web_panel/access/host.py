"""The host's right: a phone gets it with the token that ``lodestone play`` prints, and keeps it in a signed cookie."""

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
    """Signs and reads the host's cookie. It holds a hash of the token, and is void after the token has changed."""

    def __init__(self, token: Callable[[], str] | None, secret: bytes) -> None:
        """``token`` returns the present token, and is called for each check; None: nobody is the host."""
        self._token = token
        self._signer = URLSafeSerializer(secret, salt="lodestone-host-v1")

    def is_token(self, token: str) -> bool:
        """Tell whether this is the host's token."""
        return self.holds(_digest(token))

    def cookie(self) -> str | None:
        """Return the token's hash in a genuine cookie, valid or not; None without one."""
        found = said(self._signer, COOKIE)
        return found if isinstance(found, str) else None

    def holds(self, told: str | None) -> bool:
        """Tell whether a cookie's hash is that of the present token."""
        if told is None or self._token is None:
            return False
        try:
            word = self._token()
        except TableError:  # The token's file can't be read: nobody is the host, and the others play on.
            return False
        return hmac.compare_digest(_digest(word).encode(), told.encode())

    def here(self) -> bool:
        """Tell whether the request comes from the host's phone."""
        return self.holds(self.cookie())

    def give(self, response: Response, token: str) -> None:
        """Set the host's cookie for the token that the phone has shown, even if it has changed meanwhile.

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
        """Delete the host's cookie."""
        response.delete_cookie(COOKIE, httponly=True, samesite="Strict")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
