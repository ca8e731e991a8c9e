"""try/ of the docs' site: the whole program in a browser tab, served by a server that only has files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Error, Frame, Page, expect

from firmware_host.games.registry import GAMES
from firmware_host.table.ledger import levels_of
from tests.e2e import engines
from tests.e2e.conftest import PATIENCE_MS
from tests.waiting import eventually
from tools import tab_site

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]

ROOT = Path(__file__).parents[2]
LINK = re.compile(r'"try/([^"]*)"')
WHOLE_S = 900.0
"""A whole game of two computers takes a minute or two; on a busy machine more."""
MAX_BYTES = 15_000_000
FETCH = "async ([path, body]) => (await fetch(path, body && { method: 'POST', body: JSON.stringify(body), " \
    "headers: { 'Content-Type': 'application/json' } })).json()"  # fmt: skip
STEPS = """async (game) => {
  const { fetch } = document.querySelector('#board').contentWindow;
  const record = await (await fetch(`/api/records/${game}.jsonl`)).text();
  return [...record.matchAll(/"kind":"(action|reveal)"/g)].length;
}"""
"""Reveals and actions of a game that is over, by its record: pages show the last sixty."""
FROM_TOUCH_TO_LIGHT = """async ([node]) => {
  const events = new EventSource('/sim/events');
  const next = () => new Promise((done) => {
    events.onmessage = ({ data }) => done(JSON.stringify(JSON.parse(data).pixels));
  });
  const before = await next();
  const begun = performance.now();
  const headers = { 'Content-Type': 'application/json' };
  fetch('/sim/lift', { method: 'POST', body: JSON.stringify({ node }), headers });
  while (await next() === before);
  events.close();
  return performance.now() - begun;
}"""


class Files(SimpleHTTPRequestHandler):
    """What any static host does."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".mjs": "text/javascript"}  # noqa: RUF012

    def __init__(self, *words: Any, served: list[int], **more: Any) -> None:
        self._served = served
        super().__init__(*words, **more)

    def send_header(self, keyword: str, value: str) -> None:
        super().send_header(keyword, value)
        if keyword == "Content-Length":
            self._served.append(int(value))

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


class Site:
    """The site on a port of its own, until it is cut off."""

    def __init__(self, folder: Path) -> None:
        self.served: list[int] = []
        """The bytes of each answer."""
        self.folder = folder
        self._files = partial(Files, directory=str(folder), served=self.served)
        self._port = 0
        self.join()
        self.url = f"http://127.0.0.1:{self._port}/try/"
        self.host = urlsplit(self.url).netloc

    def join(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), self._files)
        self._port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, name="site", daemon=True)
        self._thread.start()

    def cut(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not tab_site.PYODIDE.is_dir():
        pytest.skip("tests/need-pyodide")
    folder = tmp_path_factory.mktemp("site")
    for name, path in tab_site.build().items():
        (folder / "try" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / "try" / name)
    return folder


@pytest.fixture
def site(folder: Path) -> Iterator[Site]:
    site = Site(folder)
    yield site
    site.cut()


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Site]:
    """Yield the page alone, without the program that it fetches: that needs no Pyodide, and nothing is compiled."""
    (tmp_path / "try").mkdir()
    for name in tab_site.PAGES:
        shutil.copy(tab_site.SOURCE / name, tmp_path / "try" / name)
    about = {"version": "0", "files": {}, "pyodide": {"version": "0", "licence": "MPL-2.0"}}
    for name, content in (("about", about), ("offers", tab_site.offers_of_page())):
        (tmp_path / f"try/{name}.json").write_text(json.dumps(content), encoding="utf-8")
    site = Site(tmp_path)
    yield site
    site.cut()


@pytest.mark.thorough
def test_what_a_tab_fetches_is_small(folder: Path) -> None:
    """No package of others is loaded, and each file is as long as the page counts on."""
    about = json.loads((folder / "try/about.json").read_text(encoding="utf-8"))
    assert {name: (folder / "try" / name).stat().st_size for name in about["files"]} == about["files"]
    assert sum(about["files"].values()) < MAX_BYTES


class Tab:
    """A page with a table in it."""

    def __init__(self, page: Page, site: Site, rest: str) -> None:
        self.page = page
        self.asked: list[str] = []
        page.context.on("request", lambda request: self.asked.append(request.url))
        begun = time.monotonic()
        page.goto(site.url + rest)
        self.wait_for_board()
        self.seconds = time.monotonic() - begun
        self.foreign = [url for url in self.asked if urlsplit(url).netloc not in {site.host, ""}]

    def wait_for_board(self) -> None:
        expect(self.page.locator("#board")).to_be_attached(timeout=PATIENCE_MS)
        expect(self.page.frame_locator("#board").locator("[data-node]").first).to_be_visible()

    def _frame(self) -> Frame | None:
        """Return the board's frame; None while another one takes its place."""
        element = self.page.query_selector("#board")
        return element.content_frame() if element is not None else None

    @property
    def board(self) -> Frame:
        eventually(lambda: self._frame() is not None, "the board has a frame")
        frame = self._frame()
        assert frame is not None
        return frame

    def ask(self, path: str, body: object = None) -> Any:
        return self.board.evaluate(FETCH, [path, body])

    def view(self) -> Any:
        """Return what the board's frame is told; what says nothing while another frame takes its place."""
        frame = self._frame()
        with suppress(Error):
            if frame is not None:
                return frame.evaluate(FETCH, ["/api/state", None])
        return {"phase": "", "game": {"name": ""}, "board": {}}


@pytest.mark.thorough
def test_a_table_in_a_tab(browser: Browser, site: Site) -> None:
    """A touch comes to the phones; without a network it opens again, and a link leads to a game.

    To compile all for browsers costs thirty seconds of the processor after each change of a source, each time it opens
    ten: ``make test`` plays in the tab's service alone (tests/extensions/tab).
    """
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    tab = Tab(context.new_page(), site, "?game=phalanx&people=2&pause=0")
    expect(tab.page.frame_locator("#phone-1").locator("#page, main").first).to_be_visible()
    eventually(lambda: tab.view()["phase"] == "resolving", "the simulated hands have laid the pieces")
    node = next(node for node, stack in tab.view()["board"].items() if stack == ["b"])
    took = tab.board.evaluate(FROM_TOUCH_TO_LIGHT, [node])
    print(f"to the board: {tab.seconds:.1f} s; from a touch to its light: {took:.0f} ms")
    assert tab.foreign == []
    share = tab.page.locator("#share")
    words = share.inner_text()
    share.click()
    expect(share).to_have_text("Once the game is over")
    tab.page.set_viewport_size({"width": 390, "height": 844})
    expect(tab.page.locator("#how")).to_have_text("The phones tell you what to do. Pieces lie on the board.")
    site.cut()
    tab.page.reload()
    tab.wait_for_board()
    assert tab.view()["game"]["name"] == "phalanx"
    tab.page.select_option("#game", "coil")
    tab.page.click("#again")
    eventually(lambda: tab.view()["game"]["name"] == "coil", "another game")
    expect(share).to_have_text(words)
    context.close()


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "cut"), [*((game, True) for game in sorted(GAMES)), ("coil", False)])
def test_a_whole_game(game: str, cut: bool, browser: Browser, site: Site) -> None:
    """Two computers play it to its end, simulated hands move the pieces; its record is a link that shows it again."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab = Tab(context.new_page(), site, f"?game={game}&people=0&level=1&pause=0")
    if cut:
        site.cut()
    begun = time.monotonic()
    eventually(lambda: tab.view()["phase"] == "over", "the end", WHOLE_S)
    print(
        f"{game}: {tab.seconds:.1f} s to the board, {sum(site.served)} bytes, {time.monotonic() - begun:.0f} s, "
        f"{tab.page.evaluate(STEPS, tab.view()['game']['id'])} actions, load {os.getloadavg()[0]:.0f}"
    )
    assert tab.view()["result"]
    assert tab.foreign == []
    tab.page.click("#share")
    expect(tab.page.locator("#share")).to_contain_text("Copied")
    again = tab.page.url
    assert tab.page.evaluate("navigator.clipboard.readText()") == again
    assert "#record=" in again
    replay = context.new_page()
    replay.goto(again)
    expect(replay.frame_locator("#phone-1").locator("[data-node]").first).to_be_visible()
    context.close()


@pytest.mark.thorough
@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_whole_game_in_firefox(game: str, site: Site, tmp_path: Path) -> None:
    """Once the board is there the site is gone: the game, and the phones' frames, come from the tab alone."""
    with engines.phones("firefox", 1, tmp_path) as (phone,):
        begun = time.monotonic()
        phone.goto(f"{site.url}?game={game}&people=0&level=1&pause=0")
        phone.until("document.querySelector('#board')?.contentDocument?.querySelector('[data-node]') != null")
        seconds = time.monotonic() - begun
        assert {urlsplit(url).netloc for url in phone.script(FETCHED)} <= {site.host}
        site.cut()
        begun = time.monotonic()
        eventually(lambda: state_in(phone)["phase"] == "over", "the end", WHOLE_S)
        view = state_in(phone)
        steps = phone.script(f"return ({STEPS})(arguments[0])", view["game"]["id"])
        print(
            f"{game} in Firefox: {seconds:.1f} s to the board, {sum(site.served)} bytes, "
            f"{time.monotonic() - begun:.0f} s, {steps} actions, load {os.getloadavg()[0]:.0f}"
        )
        assert view["result"]
        assert {urlsplit(url).netloc for url in phone.script(FETCHED)} <= {site.host}


FETCHED = """
const windows = [window, ...[...document.querySelectorAll('iframe')].map((one) => one.contentWindow)];
return windows.flatMap((one) => one.performance.getEntriesByType('resource').map((entry) => entry.name))
  .filter((name) => name.startsWith('http'));
"""
"""What the page and its frames have asked for, by its whole address."""


def state_in(phone: engines.Phone) -> Any:
    """Return what the board's frame is told; what says nothing while another frame takes its place."""
    try:
        return phone.script(
            "return document.querySelector('#board').contentWindow.fetch('/api/state').then((answer) => answer.json())"
        )
    except engines.Refused:
        return {"phase": ""}


def positions() -> list[tuple[str, str]]:
    """Return page and address below try/ of each link in the docs that opens a position."""
    pages = sorted((ROOT / "docs").glob("*.md"))
    links = [(page.name, link) for page in pages for link in LINK.findall(page.read_text(encoding="utf-8"))]
    return [(page, link) for page, link in links if "position=" in link and "…" not in link]


@pytest.mark.thorough
@pytest.mark.parametrize(("page", "link"), positions())
def test_a_position_of_the_docs_opens_on_the_board(page: str, link: str, browser: Browser, site: Site) -> None:
    context = browser.new_context()
    tab = Tab(context.new_page(), site, link)
    asked = {name: words[0] for name, words in parse_qs(urlsplit(link).query).items()}
    game = GAMES[asked["game"]]
    laid = {node: list(stack) for node, stack in game.occupancy(game.parse(asked["position"])).items()}

    def lies_there() -> bool:
        """A ruling may be on how a game ends: then pieces are being removed, or have been."""
        view = tab.view()
        return view["phase"] in {"resolving", "clearing", "over"} and view["board"].items() <= laid.items()

    eventually(lies_there, f"the position of {page} lies there")
    expect(tab.page.locator("#unable")).to_be_hidden()
    assert tab.view()["board"]
    assert tab.foreign == []
    context.close()


@pytest.mark.thorough
def test_a_record_of_the_docs_opens(browser: Browser, site: Site) -> None:
    pages = (ROOT / "docs").glob("*.md")
    links = [link for page in pages for link in LINK.findall(page.read_text(encoding="utf-8")) if "#record=" in link]
    context = browser.new_context()
    for link in (one for one in links if "…" not in one):
        page = context.new_page()
        page.goto(site.url + link)
        expect(page.frame_locator("#phone-1").locator("[data-node]").first).to_be_visible()
        expect(page.locator("#unable")).to_be_hidden()
        page.close()
    context.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site as ``make docs`` builds it."""
    pytest.importorskip("mkdocs", reason="make docs")
    if not tab_site.PYODIDE.is_dir():
        pytest.skip("tools/tab/need-pyodide")
    folder = tmp_path_factory.mktemp("pages")
    made = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


@pytest.fixture
def built(pages: Path) -> Iterator[Site]:
    site = Site(pages)
    yield site
    site.cut()


EXAMPLES = re.compile(r"<!-- run -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TALLY = re.compile(r"(\d+ (?:passed|failed|error|skipped)[\w, ]*) in ")


def tally(text: str) -> str:
    """Return what pytest counts in its last line."""
    found = TALLY.search(text)
    assert found is not None, text
    return found[1]


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what pytest counts in each example of docs/kit.md that can be run in its page."""
    codes = EXAMPLES.findall((ROOT / "docs/kit.md").read_text(encoding="utf-8"))
    assert codes
    told = []
    for code in codes:
        folder = tmp_path_factory.mktemp("example")
        (folder / "test_page.py").write_text(code, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}", str(folder)]
        environment = {name: words for name, words in os.environ.items() if not name.startswith("PYTEST")}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        told.append(tally(done.stdout))
    return told


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_the_examples_of_the_docs_run_in_their_page(
    size: tuple[int, int], examples: list[str], browser: Browser, built: Site
) -> None:
    """Each button runs its example with the result that it has elsewhere; without a network once the first has run.

    What could not be fetched is fetched by the next click; nothing comes from other hosts.
    """
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.goto(built.url.replace("/try/", "/kit.html"))
    buttons, told = page.locator(".run > button"), page.locator(".run > output")
    expect(buttons).to_have_count(len(examples))
    built.cut()
    buttons.first.click()
    expect(told.first).to_contain_text("press the button again")
    built.join()
    before = sum(built.served)
    for number, expected in enumerate(examples):
        buttons.nth(number).click()
        expect(told.nth(number)).to_contain_text(TALLY)
        expect(buttons.nth(number)).to_be_enabled()
        assert tally(told.nth(number).inner_text()) == expected
        built.cut()
    about = json.loads((built.folder / "try/about.json").read_text(encoding="utf-8"))
    assert sum(built.served) - before == about["examples"] + (built.folder / "try/about.json").stat().st_size
    assert {urlsplit(url).netloc for url in asked} <= {built.host, ""}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


ENDED = """document.querySelectorAll('.run > button')[arguments[0]].disabled ? ""
  : document.querySelectorAll('.run > output')[arguments[0]].textContent"""
"""What an example has said once it has ended."""


@pytest.mark.thorough
def test_the_examples_of_the_docs_run_in_firefox(examples: list[str], built: Site, tmp_path: Path) -> None:
    with engines.phones("firefox", 1, tmp_path) as (phone,):
        phone.goto(built.url.replace("/try/", "/kit.html"))
        for number, expected in enumerate(examples):
            phone.script("document.querySelectorAll('.run > button')[arguments[0]].id = `run-${arguments[0]}`", number)
            phone.click(f"#run-{number}")
            told = phone.until(ENDED, number)
            assert tally(told) == expected
            built.cut()


@pytest.mark.thorough
def test_an_example_that_fails_says_where(examples: list[str], browser: Browser, built: Site) -> None:
    """While one runs no other can be begun, and what it has said so far stands there already."""
    text = (built.folder / "kit.html").read_text(encoding="utf-8")
    end = text.index("</code>", text.index('class="run"'))
    failing = text[:end] + "    assert table.committed == []\n" + text[end:]
    context = browser.new_context()
    page = context.new_page()
    page.route("**/kit.html", lambda route: route.fulfill(body=failing, content_type="text/html"))
    page.goto(built.url.replace("/try/", "/kit.html"))
    buttons, told = page.locator(".run > button"), page.locator(".run > output")
    longest = max(range(len(examples)), key=lambda number: int(examples[number].split()[0]))
    buttons.nth(longest).click()
    expect(told.nth(longest)).to_have_text(re.compile(r"^\.+$"))
    expect(page.locator(".run > button:disabled")).to_have_count(len(examples))
    expect(buttons.first).to_be_enabled()
    buttons.first.click()
    expect(told.first).to_contain_text(TALLY)
    assert tally(told.first.inner_text()) == "1 failed"
    assert "Left contains 3 more items, first extra item: 'wD12'" in told.first.inner_text()
    assert re.search(r"^FAILED test_page_\d+\.py::test_a_push", told.first.inner_text(), re.MULTILINE)
    context.close()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("delete Navigator.prototype.serviceWorker", "no service workers"),
        ("Object.defineProperty(window, 'isSecureContext', { value: false })", "https"),
    ],
)
def test_what_is_missing_is_told(script: str, words: str, browser: Browser, front: Site) -> None:
    """Beside what can be chosen, which needs no Python: levels have the numbers that the table gives them."""
    context = browser.new_context()
    context.add_init_script(script)
    page = context.new_page()
    page.goto(f"{front.url}?game=spokes&level=1")
    expect(page.locator("#why")).to_contain_text(words)
    level = next(one for one in levels_of(GAMES["spokes"]) if one.number == 1)
    expect(page.locator("#level option:checked")).to_have_text(str(level.name))
    page.select_option("#game", "coil")
    coil = next(offer for offer in tab_site.offers_of_page() if offer["game"] == "coil")
    slow = sum(not level["fast"] for level in coil["levels"])
    expect(page.locator("#level option:disabled")).to_have_count(slow)
    expect(page.locator("#too-slow")).to_be_visible()
    page.select_option("#people", "2")
    expect(page.locator("#level")).to_be_disabled()
    expect(page.locator("#too-slow")).to_be_hidden()
    context.close()
