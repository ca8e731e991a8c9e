"""Routes and templates compiled once a process: hundreds of panels have the same.

Each would take ten milliseconds for its routes, and fifty for each page.
Only what follows from a rule's own text is kept: its parts, its converters (Flask's own, which look at no other route),
and what builds addresses (``url_for``). Of a template its code is kept, as long as its text is the same.
"""

from __future__ import annotations

from typing import Any

from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache
from werkzeug.routing.rules import Rule

_compile = Rule.compile
_compiled: dict[tuple[Any, ...], tuple[dict[str, Any], Any, Any]] = {}


def _compiled_once(rule: Rule) -> None:
    domain = rule.host if rule.map.host_matching else rule.subdomain
    key = (rule.rule, domain, rule.merge_slashes, repr(rule.defaults), rule.websocket)
    if key not in _compiled:
        _compile(rule)
        kept = {name: getattr(rule, name) for name in ("_parts", "_trace", "_converters", "arguments")}
        _compiled[key] = kept, rule._build.__func__, rule._build_unknown.__func__  # type: ignore[attr-defined]
        return
    kept, build, build_unknown = _compiled[key]
    vars(rule).update(kept)
    rule._build = build.__get__(rule, None)
    rule._build_unknown = build_unknown.__get__(rule, None)


class Templates(BytecodeCache):
    """The code of templates that have been compiled in this process."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, ...], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        known = self._codes.get((bucket.key, *bucket.environment.extensions))
        if known is not None:
            bucket.bytecode_from_string(known)  # Unless its text has changed.

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key, *bucket.environment.extensions] = bucket.bytecode_to_string()


def compile_once() -> None:
    """Let all panels of this process, and of its forks, share what is compiled of their routes and templates."""
    Rule.compile = _compiled_once  # type: ignore[method-assign]
    Flask.jinja_options = {"bytecode_cache": Templates()}
