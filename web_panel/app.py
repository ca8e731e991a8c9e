"""The panel as an app factory: pages for the lobby, the phones and the big screen, and the JSON that they speak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from firmware_host.table.door import Door
from firmware_host.table.errors import TableError
from web_panel import api, live, openapi, pages
from web_panel.headers import SAFE
from web_panel.limits import Buckets, limit
from web_panel.refusals import host_name, is_address, refusal
from web_panel.seats import Seats

LARGEST_BODY = 4096
LONGEST_URL = 1024


def create_app(
    door: Door,
    *,
    secret: bytes,
    addresses: Sequence[str],
    extra: Sequence[Blueprint] = (),
    links: Mapping[str, str] | None = None,
    buckets: Buckets | None = None,
) -> Flask:
    """Return the panel over a table's door.

    ``addresses`` are its base URLs, the first for QR codes; ``extra`` blueprints are mounted as they are (the virtual
    board); ``links`` (label → path) are offered in the lobby. Hosts not among the addresses are refused (rebinding).
    ``buckets`` count who asks how often.
    """
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    seats = Seats(door, secret)
    hosts = {host_name(urlsplit(address).netloc) for address in addresses} | {"localhost"}
    app.register_blueprint(pages.blueprint(door, seats, addresses, links or {}))
    app.register_blueprint(api.blueprint(door, seats))
    app.register_blueprint(live.blueprint(door, seats, live.Streams()))
    app.register_blueprint(openapi.blueprint())
    for more in extra:
        app.register_blueprint(more)

    @app.before_request
    def check_host() -> tuple[Response, int] | None:
        name = host_name(request.host)
        if name and (name in hosts or is_address(name)):
            return None
        return jsonify(refusal("bad_host", "this table does not answer to that name; use the printed address")), 400

    @app.before_request
    def check_url() -> tuple[Response, int] | None:
        if len(request.path) + len(request.query_string) <= LONGEST_URL:
            return None
        return jsonify(refusal("http", "414: no path here is that long")), 414

    limit(app, seats, Buckets() if buckets is None else buckets)

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
        return jsonify(refusal("busy", "the table did not answer in time; try again")), 503

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> tuple[Response | str, int]:
        code = error.code or 500
        if request.path.startswith(("/api/", "/sim/")):
            return jsonify(refusal("http", f"{code}: {error.name}")), code
        return render_template("error.html", code=code, name=error.name), code

    return app
