"""Routes compiled once a process: hundreds of panels have the same, and werkzeug takes a millisecond for each.

Only what builds addresses is kept (``url_for``), which depends on the rule alone.
"""

from __future__ import annotations

from typing import Any

from werkzeug.routing.rules import Rule

_compile_builder = Rule._compile_builder
_builders: dict[tuple[Any, ...], Any] = {}


def _compiled_once(rule: Rule, append_unknown: bool = True) -> Any:
    key = (rule.rule, tuple(rule._trace), repr(rule.defaults), append_unknown)
    if key not in _builders:
        _builders[key] = _compile_builder(rule, append_unknown)
    return _builders[key]


def compile_once() -> None:
    """Let all panels of this process, and of its forks, share what builds their addresses."""
    Rule._compile_builder = _compiled_once  # type: ignore[method-assign]
