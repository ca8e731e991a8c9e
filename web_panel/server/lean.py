"""Answers with less to send: gzip, style sheets without comments and spare blanks, nothing that is known already."""

from __future__ import annotations

import gzip
import re
from functools import lru_cache

from flask import Flask, Response, request

PACKED = {"text/css", "text/javascript"}
"""Compressed types. They hold no secret and no part of the request, so their length reveals nothing (BREACH)."""
LEAST = 500
"""Smallest content, in bytes, that is compressed."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_BLANKS = re.compile(r"\s+")
_AROUND = re.compile(r" ?([{};,]) ?")
_AFTER_NAME = re.compile(r"(?<=[\w-]): (?=[^{}]*[;}])")


@lru_cache(maxsize=64)
def squeezed(sheet: str) -> str:
    """Return an equivalent shorter style sheet. Its strings must not hold ``{};,`` or double blanks."""
    text = _AROUND.sub(r"\1", _BLANKS.sub(" ", _COMMENT.sub("", sheet)))
    return _AFTER_NAME.sub(":", text).replace(";}", "}").strip()


@lru_cache(maxsize=256)
def packed(content: bytes) -> bytes:
    """Return content compressed by gzip; equal content gives equal bytes."""
    return gzip.compress(content, mtime=0)


def unless_known(response: Response) -> Response:
    """Turn an answer that the page already has into a 304."""
    response.add_etag()
    response.make_conditional(request)
    return response


def send_lean(app: Flask) -> None:
    """Make an app compress its scripts and style sheets."""

    @app.after_request
    def make_lean(response: Response) -> Response:
        if response.mimetype not in PACKED or response.status_code != 200:
            return response
        response.direct_passthrough = False
        content = response.get_data()
        if response.mimetype == "text/css":
            content = squeezed(content.decode()).encode()
        response.vary.add("Accept-Encoding")
        if len(content) >= LEAST and request.accept_encodings.best_match(["gzip"]):
            response.headers["Content-Encoding"] = "gzip"
            content = packed(content)
        response.set_data(content)
        return response

    del make_lean
