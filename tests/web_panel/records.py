"""A panel of nothing but its records, and whoever has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from flask import Flask

import web_panel
from firmware_host.plug import Attached, Extension
from firmware_host.replay.scenes import film
from firmware_host.table.errors import TableError
from firmware_host.text.words import say
from tests.attached import without_reviews
from tests.replay.played import recorded
from web_panel.api import records
from web_panel.guard import guard
from web_panel.languages import speak
from web_panel.limits import Buckets
from web_panel.pages import assets
from web_panel.panel import Panel
from web_panel.renderings import Films
from web_panel.routes import Routes

ADDRESS = "http://board.lan:8080"


class Shelf:
    """Records by id; counts how often each was asked for."""

    def __init__(self, games: Mapping[str, Sequence[str]] | None = None) -> None:
        self.games = dict(games or {"coil-0a1b2c3d": recorded("coil", "a1", "pass", "g7")})
        self.asked: list[str] = []
        self.is_host = True

    def is_over(self, game_id: str) -> bool:
        if game_id not in self.games:
            raise TableError("no_game", say("there is no game {id}", id=game_id))
        return film(self.games[game_id]).over

    def whole_record(self, game_id: str) -> Sequence[str]:
        self.asked.append(game_id)
        if game_id not in self.games:
            raise TableError("no_game", say("there is no game {id}", id=game_id))
        return self.games[game_id]


def panel_of(
    shelf: Shelf,
    is_host: Callable[[], bool] | None = None,
    addresses: Sequence[str] = (ADDRESS,),
    more: Sequence[Routes] = (),
    attached: Mapping[Extension, Attached] | None = None,
) -> Flask:
    """Return the panel's own way to records, guarded as the panel is, with what extensions add.

    ``more`` are routes of extensions.
    """
    app = Flask(web_panel.__name__)
    attached = without_reviews() if attached is None else attached
    panel: Any = SimpleNamespace(
        hosting=SimpleNamespace(here=is_host or (lambda: shelf.is_host)),
        films=Films(shelf),
        attached=list(attached.values()),
    )
    panel.admit = lambda sender: Panel.admit(panel, sender)
    for routes in (records.routes, *more):
        app.register_blueprint(routes.blueprint(panel))
    app.register_blueprint(assets.routes.blueprint(panel))
    assets.add_extensions(app, panel, attached, lambda extension: extension.routes)
    speak(app)
    guard(app, lambda: None, addresses, Buckets())
    return app
