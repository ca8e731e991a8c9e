from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

from tests.e2e.chromium import launched
from tests.e2e.program import PATIENCE_S, Program
from tests.e2e.staged import Scenes, house, scenes

PATIENCE_MS = PATIENCE_S * 1000
"""On a slow machine, with as many browsers as cores, a page may take its time; so may whatever is done on it."""
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = launched(playwright)
    opened = browser.new_context

    def patient_and_still(**options: Any) -> BrowserContext:
        """Moving lights are drawn by the processor, without a graphics card: pages move where a test wants it."""
        context = opened(**{"reduced_motion": "reduce", **options})
        context.set_default_timeout(PATIENCE_MS)
        return context

    browser.new_context = patient_and_still  # type: ignore[method-assign,assignment]
    yield browser
    browser.close()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path / "games")
    yield running
    if running.process is not None and running.process.poll() is None:
        running.stop(signal.SIGKILL)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of the pages to which tests show views (:mod:`tests.e2e.staged`)."""
    with house(tmp_path_factory.mktemp("house")) as address:
        yield address


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    """Return the views of every moment."""
    return scenes(tmp_path_factory.mktemp("scenes"))


class Phones(Sequence[BrowserContext]):
    """Four phones that nobody knows yet; each is a browser context that is made when it is first looked for."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.made: dict[int, BrowserContext] = {}

    def __len__(self) -> int:
        return 4

    @overload
    def __getitem__(self, which: int) -> BrowserContext: ...
    @overload
    def __getitem__(self, which: slice) -> list[BrowserContext]: ...
    def __getitem__(self, which: int | slice) -> BrowserContext | list[BrowserContext]:
        if isinstance(which, slice):
            return [self[number] for number in range(len(self))[which]]
        number = range(len(self))[which]
        if number not in self.made:
            self.made[number] = self._browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
        return self.made[number]


@pytest.fixture
def phones(browser: Browser) -> Iterator[Phones]:
    phones = Phones(browser)
    yield phones
    for context in phones.made.values():
        context.close()


@pytest.fixture
def screen(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page beside the phones, as wide and high as the test says."""
    width, height = getattr(request, "param", (1280, 900))
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=width < 500)
    yield context.new_page()
    context.close()
