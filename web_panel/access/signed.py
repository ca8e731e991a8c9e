"""Cookies that this table has signed."""

from __future__ import annotations

import traceback
from typing import Any

from flask import request
from itsdangerous import BadData, URLSafeSerializer


def said(signer: URLSafeSerializer, cookie: str) -> Any:
    """Return what a cookie of the request holds; None where there is none, or none that is genuine."""
    if cookie not in request.cookies:
        return None
    try:
        return signer.loads(request.cookies[cookie])
    except BadData as error:
        # The signer's frames hold their own error, and with it all that was sent, an opening too, until a collection.
        traceback.clear_frames(error.__traceback__)
        return None
