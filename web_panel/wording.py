"""All sentences of the pages in the reader's language."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flask import Flask, Response, current_app, g, request

from firmware_host.text.words import translate_all
from web_panel.languages import COOKIE, FOLDER, Language, language_of, languages

LANGUAGES = "LODESTONE_LANGUAGES"
"""Key of another folder of catalogues: in the app's configuration, or in the environment for trying a translation."""


def known_languages() -> Mapping[str, Language]:
    """Return the languages of this app, by code."""
    return languages(Path(current_app.config.get(LANGUAGES) or os.environ.get(LANGUAGES) or FOLDER))


def language() -> Language:
    """Return the language of the present request."""
    if "language" not in g:
        wish = request.headers.get("Accept-Language", "")
        g.language = language_of(known_languages(), wish, request.cookies.get(COOKIE))
    found: Language = g.language
    return found


def in_words(value: Any) -> Any:
    """Return a text (or a structure with texts in it) in the language of the request."""
    return translate_all(value, language())


def speak(app: Flask) -> None:
    """Add translation of templates and pages to an app."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda form: language().find(form),
        lambda one, many, count: language().find_many(one, many, count),
        newstyle=True,
        pgettext=lambda context, form: language().find(form, context),
    )
    app.context_processor(lambda: {"language": language(), "languages": list(known_languages().values())})

    @app.after_request
    def say_what_it_depends_on(response: Response) -> Response:
        """Set ``Vary`` where the answer depends on the language, for caches."""
        if "language" in g:
            response.vary.update(("Cookie", "Accept-Language"))
        return response

    del say_what_it_depends_on
