"""All sentences of the pages in the reader's language, and the choice of another language."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Response, current_app, g, jsonify, request

from firmware_host.text.words import Text, say, translated
from web_panel.languages import COOKIE, FOLDER, Language, language_of, languages
from web_panel.server.lean import unless_known
from web_panel.text.refusals import own_page, refusal

COOKIE_DAYS = 400
"""The longest time that browsers keep a cookie."""
LONGEST_WISH = 1024
"""Maximum length of ``Accept-Language``, in characters; longer ones are ignored, because sorting them takes time."""
LANGUAGES = "LODESTONE_LANGUAGES"
"""Key of another folder of catalogues: in the app's configuration, or in the environment for trying a translation."""


def known() -> Mapping[str, Language]:
    """Return the languages of this app, by code."""
    return languages(Path(current_app.config.get(LANGUAGES) or os.environ.get(LANGUAGES) or FOLDER))


def language() -> Language:
    """Return the language of the present request."""
    if "language" not in g:
        if len(request.headers.get("Accept-Language", "")) > LONGEST_WISH:
            request.environ["HTTP_ACCEPT_LANGUAGE"] = ""
        g.language = language_of(request, known())
    found: Language = g.language
    return found


def in_words(value: Any) -> Any:
    """Return a text (or a structure with texts in it) in the language of the request."""
    return translated(value, language())


def speak(app: Flask) -> None:
    """Add translation of templates, pages and scripts to an app, and the choice of the language."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda form: language().find(form),
        lambda one, many, count: language().find_many(one, many, count),
        newstyle=True,
        pgettext=lambda context, form: language().find(form, context),
    )
    app.context_processor(lambda: {"language": language(), "languages": list(known().values())})
    app.register_blueprint(_blueprint())

    @app.after_request
    def say_what_it_depends_on(response: Response) -> Response:
        """Set ``Vary`` where the answer depends on the language, for caches."""
        if "language" in g:
            response.vary.update(("Cookie", "Accept-Language"))
        return response

    del say_what_it_depends_on


def _blueprint() -> Blueprint:
    wording = Blueprint("wording", __name__)

    @wording.get("/words.js")
    def words() -> Response:
        response = Response(language().script, mimetype="text/javascript")
        response.headers["Cache-Control"] = "no-cache"
        return unless_known(response)

    def refused(status: int, code: str, message: Text) -> tuple[Response, int]:
        return jsonify(refusal(code, in_words(message))), status

    @wording.post("/api/language")
    def choose() -> tuple[Response, int]:
        if not own_page():
            return refused(403, "foreign", say("requests of other pages are not taken"))
        if request.mimetype != "application/json":
            return refused(415, "bad_request", say("expected Content-Type: application/json"))
        try:
            body = json.loads(request.get_data())
        except (ValueError, RecursionError) as error:
            return refused(400, "bad_request", say("expected a JSON object: {why}", why=str(error)))
        code = body.get("language") if isinstance(body, dict) and len(body) == 1 else None
        if not isinstance(code, str) or code not in known():
            return refused(400, "bad_request", say("language: expected one of {known}", known=", ".join(known())))
        response = jsonify({"ok": True})
        response.set_cookie(COOKIE, code, max_age=COOKIE_DAYS * 86400, httponly=True, samesite="Strict")
        return response, 200

    del words, choose
    return wording
