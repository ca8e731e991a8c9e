"""What every page says, in the language of whoever looks at it."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, Flask, Response, g, request

from firmware_host.words import translated
from web_panel.languages import Language, language_of


def language() -> Language:
    """Return the language of the request that is being answered."""
    if "language" not in g:
        g.language = language_of(request)
    found: Language = g.language
    return found


def in_words(value: Any) -> Any:
    """Return a text (or a structure with texts in it) in the language of the request."""
    return translated(value, language())


def speak(app: Flask) -> None:
    """Let templates, pages and scripts of an app speak the beholder's language."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda form: language().find(form),
        lambda one, many, count: language().find_many(one, many, count),
        newstyle=True,
        pgettext=lambda context, form: language().find(form, context),
    )
    app.context_processor(lambda: {"language": language().code})
    wording = Blueprint("wording", __name__)

    @wording.get("/words.js")
    def words() -> Response:
        text = json.dumps(language().for_browsers(), separators=(",", ":"))
        response = Response(f"export default {text};\n", mimetype="text/javascript")
        response.headers["Vary"] = "Cookie, Accept-Language"
        response.headers["Cache-Control"] = "no-cache"
        response.add_etag()
        response.make_conditional(request)
        return response

    app.register_blueprint(wording)
    del words
