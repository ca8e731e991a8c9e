"""Checks of every request (host name, length, rate), headers of every answer, and the form of refusals."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from firmware_host.table.errors import TableError
from firmware_host.text.words import Text, say
from web_panel.access.seats import Seats
from web_panel.server.headers import SAFE
from web_panel.server.limits import Buckets, limit
from web_panel.text.denied import Denied, answered
from web_panel.text.refusals import host_name, is_address, refusal
from web_panel.text.wording import in_words

LARGEST_BODY = 4096
LONGEST_URL = 1024


def guard(app: Flask, seats: Seats, addresses: Sequence[str], buckets: Buckets, *, what: str = "table") -> None:
    """Add the panel's checks, headers and refusals to an app.

    Only the host names of ``addresses`` and IP addresses are answered (DNS rebinding). ``what`` the app shows:
    ``table`` or ``replay``.
    """
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    hosts = {host_name(urlsplit(address).netloc) for address in addresses} | {"localhost"}

    @app.before_request
    def check_host() -> Response | None:
        name = host_name(request.host)
        if name and (name in hosts or is_address(name)):
            return None
        return answered(Denied(400, "bad_host", _bad_host(what)))

    @app.before_request
    def check_url() -> Response | None:
        if len(request.path) + len(request.query_string) <= LONGEST_URL:
            return None
        return answered(Denied(414, "http", say("414: no path here is that long")))

    limit(app, seats, buckets)

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(SAFE)
        response.headers.setdefault("Cache-Control", "no-store" if request.path.startswith("/api/") else "no-cache")
        return response

    @app.errorhandler(TableError)
    def refused(error: TableError) -> tuple[Response, int]:
        return jsonify(refusal(error.code, in_words(error.args[0]))), 409

    @app.errorhandler(Denied)
    def denied(error: Denied) -> Response:
        return answered(error)

    @app.errorhandler(TimeoutError)
    def busy(_error: TimeoutError) -> Response:
        return answered(Denied(503, "busy", _busy(what)))

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> tuple[Response | str, int]:
        code = error.code or 500
        name = in_words(_named(code, error.name))
        if request.path.startswith(("/api/", "/sim/")):
            return jsonify(refusal("http", f"{code}: {name}")), code
        return render_template("error.html", code=code, name=name), code

    del check_host, check_url, add_headers, refused, denied, busy, failed


def _named(code: int, name: str) -> str:
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
        return say("this replay does not answer to that name; use the printed address")
    return say("this table does not answer to that name; use the printed address")


def _busy(what: str) -> Text:
    if what == "replay":
        return say("the replay did not answer in time; try again")
    return say("the table did not answer in time; try again")
