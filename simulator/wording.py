"""What the virtual board's page says: in the words of the app that serves it, in English where it has none."""

from __future__ import annotations

from typing import Any

from flask import current_app, render_template
from markupsafe import Markup

from hw.ports import Message

THE_APPS = 'export { default } from "/words.js";\n'
ENGLISH = "export default { sentences: {} };\n"
"""A catalogue is a script that gives the sentences by their English ones."""


def page(template: str, **values: Any) -> str:
    """Return a page; its sentences are those of the app's own translation, if it has one."""
    if not _translated():
        values["_"] = _english
    return render_template(template, **values)


def catalogue() -> str:
    """Return the script from which a page's scripts take their sentences: the app's own, if it has one."""
    return THE_APPS if _translated() else ENGLISH


def refusal(message: str) -> dict[str, Any]:
    """Return the answer of a refusal: English, and how it was made, for the page's own language."""
    if isinstance(message, Message):
        return {"error": str(message), "form": message.form, "values": dict(message.values)}
    return {"error": message}


def _translated() -> bool:
    return "gettext" in current_app.jinja_env.globals


def _english(form: str, /, **values: object) -> Markup:
    return Markup(form) % values  # noqa: S704 - only what stands in our own templates
