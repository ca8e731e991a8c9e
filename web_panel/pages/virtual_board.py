"""The virtual board's pages: mounted once, and always those of the open board.

A panel accepts blueprints only before its first request. So the mounted pages have the addresses of a simulated
board's own blueprint and pass each request to the open board.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from flask import Blueprint, Flask, abort

from web_panel.routes import EXTENSION, routes_of


def blueprint(present: Callable[[], Blueprint | None]) -> Blueprint:
    """Return the pages of the open simulated board. ``present`` returns its own ones, None for a real board.

    The first board's pages must be there already: all others have the same addresses.
    """
    web = present()
    if web is None:
        raise ValueError("expected the pages of a simulated board")
    first, mounted = _alone(web), lru_cache(maxsize=1)(_alone)
    pages = Blueprint(
        web.name,
        web.import_name,
        static_folder=web.static_folder,
        static_url_path=web.static_url_path,
        template_folder=web.template_folder,
        root_path=web.root_path,
    )

    def passing(endpoint: str) -> Callable[..., Any]:
        def view(**parts: Any) -> Any:
            now = present()
            app = mounted(now) if now is not None else None
            if app is None or endpoint not in app.view_functions:
                abort(404)
            for check in app.before_request_funcs.get(web.name, ()):
                refused = check()
                if refused is not None:
                    return refused
            return app.view_functions[endpoint](**parts)

        return view

    pages.record(lambda state: state.app.extensions.setdefault(EXTENSION, []).extend(routes_of(first)))
    for rule in first.url_map.iter_rules():
        name = rule.endpoint.removeprefix(f"{web.name}.")
        if name not in {rule.endpoint, "static"}:
            methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
            pages.add_url_rule(rule.rule, name, passing(rule.endpoint), methods=methods)
    return pages


def _alone(web: Blueprint) -> Flask:
    """Return an app with only these pages, for internal requests."""
    app = Flask(web.import_name, static_folder=None)
    app.register_blueprint(web)
    return app
