"""Cookies that this table has signed."""

from __future__ import annotations

import traceback
from typing import Any

from flask import request
from itsdangerous import BadData, URLSafeSerializer


def said(signer: URLSafeSerializer, cookie: str) -> Any:
    """Return the content of the request's cookie; None if it is missing or its signature is wrong."""
    if cookie not in request.cookies:
        return None
    try:
        return signer.loads(request.cookies[cookie])
    except BadData as error:
        # The signer's frames refer to their own error: this cycle would keep the request (an opening, say) in memory.
        traceback.clear_frames(error.__traceback__)
        return None
