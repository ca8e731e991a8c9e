"""The sentences of the virtual board's page: translated by the app that serves it, in English without one."""

from __future__ import annotations

from typing import Any

from flask import current_app, render_template
from markupsafe import Markup

from hw.ports import Message


def page(template: str, **values: Any) -> str:
    """Return a page, translated if the app has a translation."""
    if not _translated():
        values["_"] = _english
    return render_template(template, **values)


def refusal(message: str) -> dict[str, Any]:
    """Return the JSON of a refusal: the English text and, for translation, its form and values."""
    if isinstance(message, Message):
        return {"error": str(message), "form": message.form, "values": dict(message.values)}
    return {"error": message}


def _translated() -> bool:
    return "gettext" in current_app.jinja_env.globals


def _english(form: str, /, **values: object) -> Markup:
    return Markup(form) % values  # noqa: S704 - the form is from our own templates
