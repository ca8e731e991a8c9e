from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.compile import form
from tests import sampling
from tests.routes import compile_once

sampling.register()
compile_once()
# What a shell starts in the background ignores Ctrl-C, and so do all programs that tests start and end by it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# The installer's tests start python3 a hundred times: a shim such as pyenv's takes ten times as long as Python itself.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.base_prefix) / "bin"), os.environ["PATH"]])


def pytest_report_header() -> str:
    return f"lodestone: {form()}"


def pytest_sessionstart() -> None:
    if "make compile" in form():
        pytest.exit(f"{form()} (or: LODESTONE_PURE=1)", returncode=4)


def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Make no items of thorough tests, unless they run or a test is named: each worker would take a second for them."""
    config = collector.config
    if "not thorough" not in config.option.markexpr or any("::" in word for word in config.args):
        return None
    marks = getattr(obj, "pytestmark", ()) if callable(obj) else ()
    return [] if any(mark.name == "thorough" for mark in marks) else None


def pytest_collection() -> None:
    """Collect no garbage while everything is imported: it took a fifth of that time, and finds little."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what was imported for thousands of tests: it took a fifth of their time."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 10)


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


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    """Playwright, which a process can have once."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - most tests have no browser

    with sync_playwright() as running:
        yield running
