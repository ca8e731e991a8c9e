from __future__ import annotations

import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e.chromium import launched
from tests.e2e.program import Program

expect.set_options(timeout=20_000)  # On a slow machine, with as many browsers as cores, a page may take its time.


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launched(playwright)
        # Without a graphics card every moving light is drawn by the processor: pages move where a test wants it.
        still: Any = partial(browser.new_context, reduced_motion="reduce")
        browser.new_context = still  # type: ignore[method-assign]
        yield browser
        browser.close()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path / "games")
    yield running
    if running.process is not None and running.process.poll() is None:
        running.stop(signal.SIGKILL)


@pytest.fixture
def phones(browser: Browser) -> Iterator[list[BrowserContext]]:
    contexts = [browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True) for _ in range(4)]
    yield contexts
    for context in contexts:
        context.close()


@pytest.fixture
def screen(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page beside the phones, as wide and high as the test says."""
    width, height = getattr(request, "param", (1280, 900))
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=width < 500)
    yield context.new_page()
    context.close()
