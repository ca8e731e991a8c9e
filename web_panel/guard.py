"""What every request and answer passes: checks of host name, length and rate; headers; refusals; compression."""

from __future__ import annotations

import gzip
import logging
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from hashlib import sha256
from urllib.parse import urlsplit

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from firmware_host.table.errors import TableError
from firmware_host.text.words import Refused, Text, say
from web_panel.languages import in_words
from web_panel.limits import Buckets, limit
from web_panel.refusals import Denied, host_name, leads_here, refusal, refusal_response

MAX_BODY = 4096
MAX_URL = 1024

_log = logging.getLogger(__name__)

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",
        "media-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-src 'self'",
        "frame-ancestors 'self'",
    )
)
"""No inline code, no foreign sources; ``blob:`` is a picture that the page itself has drawn. One page of the table
shows two others beside each other; no other site may frame them.

No ``upgrade-insecure-requests``: most tables speak plain HTTP.
"""

SAFE: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer, also of the server's own answers to requests that never reach the app."""

PACKED = {"text/css", "text/javascript"}
"""Compressed types. They hold no secret and no part of the request, so their length reveals nothing (BREACH)."""
LEAST = 500
"""Smallest content, in bytes, that is compressed."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_BLANKS = re.compile(r"\s+")
_AROUND = re.compile(r" ?([{};,]) ?")
_AFTER_NAME = re.compile(r"(?<=[\w-]): (?=[^{}]*[;}])")


def host_names(addresses: Iterable[str]) -> Set[str]:
    """Return the host names that are answered, of base URLs."""
    return {host_name(urlsplit(address).netloc) for address in addresses} | {"localhost"}


def is_ours(host: str, names: Set[str]) -> bool:
    """Tell whether a request's ``Host`` is one of the names, also in a home's domain, or an IP address."""
    name = host_name(host)
    return bool(name) and leads_here(name, names)


def guard(
    app: Flask,
    seat_here: Callable[[], int | None],
    addresses: Sequence[str],
    buckets: Buckets,
    *,
    what: str = "table",
) -> None:
    """Add the panel's checks, headers, refusals and compression to an app.

    Only the host names of ``addresses`` and IP addresses are answered (DNS rebinding); other names get a page that
    names the right address. ``what`` the app shows: ``table`` or ``replay``.
    """
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    names = host_names(addresses)

    @app.before_request
    def check_host() -> Response | None:
        if is_ours(request.host, names):
            return None
        if request.path.startswith(("/api/", "/sim/", "/qr/")):
            return refusal_response(Denied(400, "bad_host", _bad_host(what)))
        page = render_template("misnamed.html", words=in_words(_bad_host(what)), address=addresses[0])
        return Response(page, 400)

    @app.before_request
    def check_url() -> Response | None:
        if len(request.path) + len(request.query_string) <= MAX_URL:
            return None
        return refusal_response(Denied(414, "http", say("414: no path here is that long")))

    limit(app, buckets, seat_here)

    _compress(app)

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(SAFE)
        response.headers.setdefault(
            "Cache-Control", "no-store" if request.path.startswith(("/api/", "/qr/")) else "no-cache"
        )
        return response

    @app.errorhandler(TableError)
    def refuse(error: TableError) -> tuple[Response, int]:
        return jsonify(refusal(error.code, in_words(error.args[0]))), 409

    @app.errorhandler(Denied)
    def deny(error: Denied) -> Response:
        return refusal_response(error)

    @app.errorhandler(Refused)
    def refuse_as_commands_do(error: Refused) -> tuple[Response, int]:
        _log.warning("%s %s: %s", request.method, request.path, error)
        return jsonify(refusal("internal", in_words(error.words))), 409

    @app.errorhandler(TimeoutError)
    def busy(_error: TimeoutError) -> Response:
        return refusal_response(Denied(503, "busy", _busy(what)))

    @app.errorhandler(HTTPException)
    def fail(error: HTTPException) -> tuple[Response | str, int]:
        code = error.code or 500
        name = in_words(_status_name(code, error.name))
        if request.path.startswith(("/api/", "/sim/")):
            return jsonify(refusal("http", f"{code}: {name}")), code
        return render_template("error.html", code=code, name=name), code

    del check_host, check_url, add_headers, refuse, refuse_as_commands_do, deny, busy, fail


def _status_name(code: int, name: str) -> str:
    """Return the name of an HTTP status; translatable for those that people may meet."""
    known = {
        400: say("Bad Request"),
        404: say("Not Found"),
        405: say("Method Not Allowed"),
        413: say("Request Entity Too Large"),
        500: say("Internal Server Error"),
    }
    return known.get(code, name)


def _bad_host(what: str) -> Text:
    if what == "replay":
        return say("this replay does not answer to that name; use the address that the program shows")
    return say("this table does not answer to that name; use the address that the program shows")


def _busy(what: str) -> Text:
    if what == "replay":
        return say("the replay did not answer in time; try again")
    return say("the table did not answer in time; try again")


# -- compression -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def squeeze(sheet: str) -> str:
    """Return an equivalent shorter style sheet. Its strings must not hold ``{};,`` or double blanks."""
    text = _AROUND.sub(r"\1", _BLANKS.sub(" ", _COMMENT.sub("", sheet)))
    return _AFTER_NAME.sub(":", text).replace(";}", "}").strip()


MAX_PACKED = 256
_packed: dict[bytes, bytes] = {}
"""Digest → content, compressed. The content itself, as a key, would take half a MB more for pages and languages."""
_packing = threading.Lock()


def compress(content: bytes) -> bytes:
    """Return content compressed by gzip; equal content gives equal bytes, made once."""
    key = sha256(content).digest()
    with _packing:
        if key not in _packed:
            while len(_packed) >= MAX_PACKED:
                del _packed[next(iter(_packed))]
            _packed[key] = gzip.compress(content, mtime=0)
        return _packed[key]


def _compress(app: Flask) -> None:
    """Make an app compress its scripts and style sheets."""

    @app.after_request
    def make_lean(response: Response) -> Response:
        if response.mimetype not in PACKED or response.status_code != 200:
            return response
        response.direct_passthrough = False
        content = response.get_data()
        if response.mimetype == "text/css":
            content = squeeze(content.decode()).encode()
        response.vary.add("Accept-Encoding")
        if len(content) >= LEAST and request.accept_encodings.best_match(["gzip"]):
            response.headers["Content-Encoding"] = "gzip"
            content = compress(content)
        response.set_data(content)
        return response

    del make_lean
