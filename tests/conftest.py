from __future__ import annotations

from typing import Any

import pytest
from werkzeug.routing.rules import Rule

from firmware_host.compile import form
from tests import sampling

sampling.register()

_compile_builder = Rule._compile_builder
_builders: dict[tuple[Any, ...], Any] = {}


def _compiled_once(rule: Rule, append_unknown: bool = True) -> Any:
    """Return what builds a route's addresses; the routes of hundreds of apps are the same, and take long to compile."""
    key = (rule.rule, tuple(rule._trace), repr(rule.defaults), append_unknown)
    if key not in _builders:
        _builders[key] = _compile_builder(rule, append_unknown)
    return _builders[key]


Rule._compile_builder = _compiled_once  # type: ignore[method-assign]


def pytest_report_header() -> str:
    return f"lodestone: {form()}"


def pytest_sessionstart() -> None:
    if "make compile" in form():
        pytest.exit(f"{form()} (or: LODESTONE_PURE=1)", returncode=4)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let every generated test be sampled, whoever wrote it (tests/test_sampling.py)."""
    tests = {id(test): test for item in items if isinstance(item, pytest.Function) for test in [_generated(item)]}
    for test in tests.values():
        if test is not None:
            test._hypothesis_internal_use_settings = sampling.sampled(test._hypothesis_internal_use_settings)


def _generated(item: pytest.Function) -> Any:
    """Return the function of a test that hypothesis generates examples for, which its parameters share."""
    test: Any = getattr(item.obj, "__func__", item.obj)
    return test if hasattr(test, "_hypothesis_internal_use_settings") else None
