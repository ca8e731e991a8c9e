"""Who may ask an app of ours at all, what every answer carries, and in which form it says no."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from firmware_host.table.errors import TableError
from web_panel.headers import SAFE
from web_panel.limits import Buckets, limit
from web_panel.refusals import host_name, is_address, refusal
from web_panel.seats import Seats

LARGEST_BODY = 4096
LONGEST_URL = 1024


def guard(app: Flask, seats: Seats, addresses: Sequence[str], buckets: Buckets, *, what: str = "table") -> None:
    """Answer to the names of these addresses only (rebinding), within limits, with the panel's headers and refusals.

    ``what`` the app shows, in a word.
    """
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    hosts = {host_name(urlsplit(address).netloc) for address in addresses} | {"localhost"}

    @app.before_request
    def check_host() -> tuple[Response, int] | None:
        name = host_name(request.host)
        if name and (name in hosts or is_address(name)):
            return None
        return jsonify(refusal("bad_host", f"this {what} does not answer to that name; use the printed address")), 400

    @app.before_request
    def check_url() -> tuple[Response, int] | None:
        if len(request.path) + len(request.query_string) <= LONGEST_URL:
            return None
        return jsonify(refusal("http", "414: no path here is that long")), 414

    limit(app, seats, buckets)

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(SAFE)
        response.headers.setdefault("Cache-Control", "no-store" if request.path.startswith("/api/") else "no-cache")
        return response

    @app.errorhandler(TableError)
    def refused(error: TableError) -> tuple[Response, int]:
        return jsonify(refusal(error.code, str(error))), 409

    @app.errorhandler(TimeoutError)
    def busy(_error: TimeoutError) -> tuple[Response, int]:
        return jsonify(refusal("busy", f"the {what} did not answer in time; try again")), 503

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> tuple[Response | str, int]:
        code = error.code or 500
        if request.path.startswith(("/api/", "/sim/")):
            return jsonify(refusal("http", f"{code}: {error.name}")), code
        return render_template("error.html", code=code, name=error.name), code

    del check_host, check_url, add_headers, refused, busy, failed
