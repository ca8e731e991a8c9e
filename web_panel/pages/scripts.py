"""A page's script in one answer: its module with all that this one imports, instead of forty requests.

The modules in ``static`` stay as they are, and are served too. In the answer each becomes a function that returns what
the module exports; it runs once, when another one first needs it. That is equal to what a browser does with modules
that export functions, classes and constants alone, and import each other in no circle; others are refused.
"""

from __future__ import annotations

import json
import posixpath
import re
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, abort

from web_panel.server.lean import unless_known

STATIC = Path(__file__).resolve().parent.parent / "static"
ALWAYS = "shared/language.js"
"""Runs on every page."""
_IMPORT = re.compile(r'^import (?:\{\s+([^{}]+?),?\s+\}|(\w+)) from "([^"]+)";(?: *//.*)?$', re.MULTILINE)
_LATER = re.compile(r'\bimport\("([^"]+)"\)')
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.MULTILINE)
_EXPORTED_LAST = re.compile(r"\bexport\{([^{}]+)\};\s*\Z")
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def blueprint() -> Blueprint:
    """Return the addresses of all bundles: ``/script/`` and the name of a module in ``static``."""
    scripts = Blueprint("scripts", __name__)

    @scripts.get("/script/<path:name>")
    def script(name: str) -> Response:
        if name not in names():
            abort(404)
        response = Response(bundle(name), mimetype="text/javascript")
        response.headers["Cache-Control"] = "no-cache"
        return unless_known(response)

    del script
    return scripts


@cache
def names() -> frozenset[str]:
    """Return the names of all modules, relative to ``static``."""
    return frozenset(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js"))


@cache
def bundle(name: str) -> bytes:
    """Return one script that runs what runs on every page and the module. Raise ValueError for what it can't hold."""
    modules: dict[str, Module] = {}
    roots = dict.fromkeys([ALWAYS, name])
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
        text = _IMPORT.sub(self._imported, (STATIC / name).read_text(encoding="utf-8"))
        text = _LATER.sub(self._loaded, text)
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
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.name), address))

    def _imported(self, match: re.Match[str]) -> str:
        several, whole, address = match.groups()
        if whole:
            self.outside.append(address)
            return f"const {whole} = {_alias(address)};"
        path = self._path(address)
        self.taken[path] = [one.strip().partition(" as ")[0] for one in several.split(",")]
        return f"const {{ {several.replace(' as ', ': ')} }} = need({json.dumps(path)});"

    def _loaded(self, match: re.Match[str]) -> str:
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
