"""The sentences of the virtual board's page: translated by the app that serves it, in English without one."""

from __future__ import annotations

from typing import Any

from flask import current_app, render_template
from markupsafe import Markup

from hw.ports import Message

THE_APPS = 'export { default } from "/words.js";\n'
ENGLISH = "export default { sentences: {} };\n"
"""A catalogue is a script that maps English sentences to translated ones."""


def page(template: str, **values: Any) -> str:
    """Return a page, translated if the app has a translation."""
    if not _translated():
        values["_"] = _english
    return render_template(template, **values)


def catalogue() -> str:
    """Return the script with the sentences for a page's scripts: the app's own, if it has one."""
    return THE_APPS if _translated() else ENGLISH


def refusal(message: str) -> dict[str, Any]:
    """Return the JSON of a refusal: the English text and, for translation, its form and values."""
    if isinstance(message, Message):
        return {"error": str(message), "form": message.form, "values": dict(message.values)}
    return {"error": message}


def _translated() -> bool:
    return "gettext" in current_app.jinja_env.globals


def _english(form: str, /, **values: object) -> Markup:
    return Markup(form) % values  # noqa: S704 - the form is from our own templates
