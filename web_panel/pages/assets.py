"""What every page of the panel and of a replay loads: its script, its words, the app's manifest; and this description.

A page's script in one answer: its module with all that this one imports, instead of forty requests.

The modules in ``static`` stay as they are, and are served too. In the answer each becomes a function that returns what
the module exports; it runs once, when another one first needs it. That is equal to what a browser does with modules
that export functions, classes and constants alone, and import each other in no circle; others are refused. What is only
a comment is left out: a fifth of what a phone would load.
"""

from __future__ import annotations

import json
import posixpath
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, current_app, jsonify, url_for

from firmware_host.plug import Attached, Extension, extensions
from firmware_host.table.events import Word
from firmware_host.text.words import say
from web_panel.languages import COOKIE, in_words, known_languages, language
from web_panel.openapi import document
from web_panel.panel import Screens
from web_panel.refusals import Denied
from web_panel.routes import Routes, routes_of, unless_known

COOKIE_DAYS = 400
"""The longest time that browsers keep a cookie."""
GROUND = "#14171a"
"""Background colour of the opening app and its bars: the pages' own dark."""
STATIC = Path(__file__).resolve().parent.parent / "static"
ROOTS = {f"{one.name}/": folder for one in extensions() if (folder := one.folder / "static").is_dir()}
ROOTS |= {f"{name}/": folder for one in extensions() for name, folder in one.shared_scripts.items()}
"""What the pages of an extension load stands in its folder: ``NAME/my.js`` is ``static/my.js`` there."""
ALWAYS = "shared/language.js"
"""Runs on every page."""
_IMPORT = re.compile(r'^import (?:\{\s+([^{}]+?),?\s+\}|(\w+)) from "([^"]+)";(?: *//.*)?$', re.MULTILINE)
_LATER = re.compile(r'\bimport\("([^"]+)"\)')
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.MULTILINE)
_EXPORTED_LAST = re.compile(r"\bexport\{([^{}]+)\};\s*\Z")
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*\*(?:(?!\*/)[\s\S])*\*/[ \t]*)\n", re.MULTILINE)
"""Whole lines of a comment."""
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)

_NOT_CHANGED = {"description": "Not changed"}
routes = Routes("assets", static="/static")


@routes.get("/script/<path:name>", kind="text/javascript", _404="Missing", _304=_NOT_CHANGED)
def script(_screens: Screens, name: str) -> Response:
    """A module of the pages with all that it imports."""
    if name not in names():
        abort(404)
    return _script_response(bundle(name))


@routes.get("/words.js", kind="text/javascript", _304=_NOT_CHANGED)
def words(_screens: Screens) -> Response:
    """All words of the pages, in the reader's language."""
    return _script_response(language().script)


def _script_response(content: bytes | str) -> Response:
    response = Response(content, mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    return unless_known(response)


@routes.post("/api/language", "guest", _409=None, _503=None)
def choose_language(_screens: Screens, language: Word) -> Response:
    """Choose the language of this browser."""
    if language not in known_languages():
        some = ", ".join(known_languages())
        raise Denied(400, "bad_request", say("language: expected one of {known}", known=some))
    response = jsonify({"ok": True})
    response.set_cookie(COOKIE, language, max_age=COOKIE_DAYS * 86400, httponly=True, samesite="Strict")
    return response


@routes.get("/favicon.ico", _200=None, _204={"description": "No icon"})
def no_icon(_screens: Screens) -> Response:
    """No icon."""
    return Response(status=204)


@routes.get("/app.webmanifest", {}, kind="application/manifest+json")
def app_manifest(_screens: Screens) -> Response:
    """The panel as an app on a home screen."""
    return Response(json.dumps(manifest(), indent=1), mimetype="application/manifest+json")


_making = threading.Lock()


@routes.get("/api/openapi.json", {"type": "object"})
def description(screens: Screens) -> Response:
    """This description."""
    made = current_app.extensions.setdefault("lodestone-openapi", [])
    with _making:  # Requests that come together wait for the first: it takes a while. Routes do not change.
        if not made:
            made.append(json.dumps(document(routes_of(current_app), *screens.about), separators=(",", ":")).encode())
    return Response(made[0], mimetype="application/json")


# -- the app on a home screen -----------------------------------------------------------------------------------------


def manifest() -> dict[str, Any]:
    """Return the web app manifest, in the language of the request."""
    drawn = {"type": "image/png", "purpose": "any"}
    return {
        "id": "/",
        "name": in_words(say("Lodestone: the table")),
        "short_name": "Lodestone",
        "description": in_words(say("Your place at the table: the board, your turn, what you seal.")),
        "lang": language().tag,
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": GROUND,
        "theme_color": GROUND,
        "icons": [
            {**drawn, "src": _icon("icon-192.png"), "sizes": "192x192"},
            {**drawn, "src": _icon("icon-512.png"), "sizes": "512x512"},
            {**drawn, "src": _icon("maskable-512.png"), "sizes": "512x512", "purpose": "maskable"},
            {"src": _icon("lodestone.svg"), "sizes": "any", "type": "image/svg+xml", "purpose": "any"},
        ],
    }


def _icon(name: str) -> str:
    return url_for("static", filename=f"icons/{name}")


# -- scripts ----------------------------------------------------------------------------------------------------------


@cache
def names() -> frozenset[str]:
    """Return the names of all modules, relative to ``static``."""
    return frozenset(
        f"{prefix}{path.relative_to(root).as_posix()}"
        for prefix, root in {"": STATIC, **ROOTS}.items()
        for path in root.rglob("*.js")
    )


def static_file(name: str) -> Path | None:
    """Return the file of this name below ``/static``; None for a name that leads elsewhere."""
    prefix = next((prefix for prefix in ROOTS if name.startswith(prefix)), "")
    root = ROOTS.get(prefix, STATIC)
    try:
        path = (root / name.removeprefix(prefix)).resolve()
        return path if root in path.parents and path.is_file() else None
    except (OSError, ValueError):  # No disk has so long a name, and no path a null character.
        return None


def files_of(extension: Extension) -> dict[str, Any]:
    """Return the arguments of a blueprint that serves what an extension's pages load, as ``/static/NAME/…``."""
    return {
        "template_folder": str(extension.folder / "templates"),
        "static_folder": str(extension.folder / "static"),
        "static_url_path": f"/static/{extension.name}",
    }


def add_extensions(
    app: Flask, screens: Screens, attached: Mapping[Extension, Attached], own: Callable[[Extension], Sequence[Routes]]
) -> None:
    """Add the routes of extensions to an app; ``own`` returns those of one, of a table or of a replay."""
    for extension, found in attached.items():
        if found.context is not None:
            context = found.context(screens)
            for some in own(extension):
                app.register_blueprint(some.blueprint(context, **files_of(extension)))


def added_modules(name: str) -> list[str]:
    """Return the names of the modules that extensions want to run before a page's module."""
    return [f"{one.name}/{one.scripts[name]}" for one in extensions() if name in one.scripts]


@cache
def bundle(name: str) -> bytes:
    """Return one script that runs what runs on every page and the module. Raise ValueError for what it can't hold."""
    modules: dict[str, Module] = {}
    roots = dict.fromkeys([ALWAYS, *added_modules(name), name])
    for root in roots:
        _gather(root, (), modules)
    outside = sorted({address for one in modules.values() for address in one.outside})
    lines = [f'import {_alias(address)} from "{address}";' for address in outside]
    lines += ["const modules = {", *(f'"{one}": () => {{\n{module.text}\n}},' for one, module in modules.items())]
    lines += ["};", "const made = {};", "const need = (name) => made[name] ??= modules[name]();"]
    return "\n".join([*lines, *(f'need("{root}");' for root in roots), ""]).encode()


class Module:
    """One module as a function's text, and what it takes from others."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.taken: dict[str, list[str]] = {}
        self.later: list[str] = []
        self.outside: list[str] = []
        path = static_file(name)
        if path is None:
            raise ValueError(f"{name}: there is no such module")
        text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
        text = _IMPORT.sub(self._rewrite_import, text)
        text = _LATER.sub(self._rewrite_load, text)
        self.exports = {exported: exported for exported in _EXPORT.findall(text)}
        text = _EXPORT.sub("", text)
        if last := _EXPORTED_LAST.search(text):
            named = (one.partition(" as ") for one in last[1].split(","))
            self.exports |= {alias or inside: inside for inside, _, alias in named}
            text = text[: last.start()]
        if left := _LEFT.search(text):
            raise ValueError(f"{name}: can't be put into one script with others: {left[0]}")
        text = text.replace("import.meta.url", f'new URL("/static/{name}", import.meta.url)')
        given = ", ".join(f"{alias}: {inside}" for alias, inside in self.exports.items())
        self.text = f"{text}\nreturn {{ {given} }};"

    def _path(self, address: str) -> str:
        return posixpath.normpath(posixpath.join("/static", posixpath.dirname(self.name), address))[len("/static/") :]

    def _rewrite_import(self, match: re.Match[str]) -> str:
        several, whole, address = match.groups()
        if whole:
            self.outside.append(address)
            return f"const {whole} = {_alias(address)};"
        path = self._path(address)
        self.taken[path] = [one.strip().partition(" as ")[0] for one in several.split(",")]
        return f"const {{ {several.replace(' as ', ': ')} }} = need({json.dumps(path)});"

    def _rewrite_load(self, match: re.Match[str]) -> str:
        self.later.append(self._path(match[1]))
        return f"Promise.resolve().then(() => need({json.dumps(self.later[-1])}))"


def _alias(address: str) -> str:
    return "outside" + re.sub(r"\W", "_", address)


def _gather(name: str, on_the_way: tuple[str, ...], modules: dict[str, Module]) -> None:
    """Add a module and all that it imports; ``on_the_way`` are those that are importing it."""
    if name in on_the_way:
        raise ValueError(f"{name}: expected no circle of imports, got {' → '.join([*on_the_way, name])}")
    if name in modules:
        return
    found = Module(name)
    for taken, wanted in found.taken.items():
        _gather(taken, (*on_the_way, name), modules)
        if missing := set(wanted) - modules[taken].exports.keys():
            raise ValueError(f"{name}: {taken} has no {', '.join(sorted(missing))}")
    modules[name] = found
    for later in found.later:  # It may import what imports it.
        _gather(later, (), modules)
