"""The virtual board's pages: mounted once, and always those of the open board.

A panel accepts blueprints only before its first request. So the mounted pages have the addresses of a simulated
board's own blueprint and pass each request to the open board.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Flask, abort

View = Callable[..., Any]


class VirtualPages:
    """The pages of the open simulated board. ``web`` is the blueprint of the first."""

    def __init__(self, web: Blueprint) -> None:
        """Take the addresses of the first board's pages: all others have the same."""
        first = _mounted(web)
        self._app: Flask | None = first
        self.blueprint = Blueprint(
            web.name,
            web.import_name,
            static_folder=web.static_folder,
            static_url_path=web.static_url_path,
            template_folder=web.template_folder,
            root_path=web.root_path,
        )
        self.blueprint.record(lambda state: _describe(state.app.extensions, first))
        own = f"{web.name}."
        for rule in first.url_map.iter_rules():
            name = rule.endpoint.removeprefix(own)
            if rule.endpoint.startswith(own) and name != "static":
                methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
                self.blueprint.add_url_rule(rule.rule, name, self._asking(rule.endpoint), methods=methods)

    def show(self, web: Blueprint | None) -> None:
        """Show the pages of another board from now on; None: no pages."""
        self._app = _mounted(web) if web is not None else None

    def _asking(self, endpoint: str) -> View:
        def ask(**parts: Any) -> Any:
            app = self._app
            if app is None or endpoint not in app.view_functions:
                abort(404)
            name = endpoint.partition(".")[0]
            for check in app.before_request_funcs.get(name, ()):
                refused = check()
                if refused is not None:
                    return refused
            return app.view_functions[endpoint](**parts)

        return ask


def _describe(extensions: dict[str, Any], first: Flask) -> None:
    """Give an app what describes the pages: lists under the names of extensions."""
    for name, described in first.extensions.items():
        extensions.setdefault(name, []).extend(described)


def _mounted(web: Blueprint) -> Flask:
    """Return an app with only these pages, for internal requests."""
    app = Flask(web.import_name, static_folder=None)
    app.register_blueprint(web)
    return app
