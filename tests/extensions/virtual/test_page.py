"""The virtual board in a browser: pointer, fingers and keys move stones, the picture shows the bytes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, Response
from playwright.sync_api import Browser, Page, Route, expect

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.virtual.simulated import HELD_S
from lodestone.boards import Clock
from simulator.board import SimulatedBoard
from tests.e2e.hands import Dragging
from tests.e2e.program import Program, eventually
from tests.extensions.virtual.pages import files_beside, pages_of
from tests.sentences import sentence
from web_panel.guard import POLICY
from web_panel.languages import speak
from web_panel.pages import assets
from web_panel.pages.assets import STATIC
from web_panel.serve import serve
from web_panel.streams import BEAT, Broadcaster, Stream

pytestmark = pytest.mark.e2e


@dataclass
class Shown(Dragging):
    """A simulated board and the page that shows it."""

    parts: SimulatedBoard
    page: Page
    complaints: list[str]


DESKTOP, PHONE = (1280, 800), (360, 740)
NO_TABLE: Any = SimpleNamespace(id="none", event=BEAT)
"""A table that is there, and of which these tests need no view."""


def kept(sample: tuple[int, int], other: tuple[int, int]) -> pytest.MarkDecorator:
    """Run a test on one of the two screens, and on the other one where all is run."""
    screens = [pytest.param(sample), pytest.param(other, marks=pytest.mark.thorough)]
    return pytest.mark.parametrize(
        "shown", screens, ids=["phone", "desktop"][:: 1 if sample is PHONE else -1], indirect=True
    )


on_a_desktop, on_a_phone = kept(DESKTOP, PHONE), kept(PHONE, DESKTOP)


@pytest.fixture
def shown(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Shown]:
    given = getattr(request, "param", (1280, 800))
    width, height, board, kind = (*given, *("spokes-45", "polarity")[len(given) - 2 :])
    parts = SimulatedBoard(load_board(find_board(board), backend="sim", kind=kind), Clock())
    app = Flask(__name__, static_folder=STATIC, static_url_path="/static")
    speak(app)
    everybody: Any = SimpleNamespace(admit=lambda _: nullcontext({}))
    app.register_blueprint(assets.routes.blueprint(everybody))  # The words of its scripts.
    app.register_blueprint(pages_of(lambda: parts))
    for files in files_beside():
        app.register_blueprint(files)

    @app.after_request
    def policy(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = POLICY
        return response

    beats = Broadcaster(parts.watcher)

    @app.get("/api/state")
    def no_view() -> tuple[str, int]:
        return "", 204

    @app.get("/api/events")
    def no_table() -> Response:
        return beats.response(Stream(lambda _: NO_TABLE, "", lambda: True, lambda: None))

    listener = socket.create_server(("127.0.0.1", 0))
    serving = serve(app, listener)
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=width < 500)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"http://127.0.0.1:{listener.getsockname()[1]}/board")
    letter = next(iter(parts.world.pieces.stones))
    expect(page.locator(f"#tray-{letter} span")).to_have_text(str(parts.world.supply[letter]))
    try:
        yield Shown(parts, page, complaints)
        assert [line for line in complaints if "409" not in line] == []
    finally:
        context.close()
        parts.watcher.close()
        serving.close()
        listener.close()


@on_a_desktop
def test_stones_are_dragged_and_the_table_feels_the_lift(shown: Shown) -> None:
    world = shown.parts.world
    shown.drag("tray-w", shown.centre("D12"))
    shown.says("On D12: white.")
    shown.page.mouse.move(*shown.centre("D12"))
    shown.page.mouse.down()
    expect(shown.page.locator('[data-node="D12"]')).to_have_attribute("aria-label", "D12: empty")
    assert world.stones() == {}, "lifted as soon as the pointer goes down"
    shown.page.mouse.move(*shown.centre("C6"), steps=3)
    shown.page.mouse.up()
    shown.says("On C6: white.")
    shown.drag("tray-b", shown.centre("C6"))
    shown.says("On C6: white and black.")
    shown.drag("C6", (3, 3))
    shown.says("Back in the bowl.")
    assert world.stones() == {"C6": ["w"]}
    expect(shown.page.locator("#tray-b span")).to_have_text("44")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "shown",
    [pytest.param((1280, 800, "hexhex-7"), marks=pytest.mark.thorough), (360, 740, "hexhex-7")],
    indirect=True,
)
def test_a_hundred_nodes_are_told_apart(shown: Shown) -> None:
    """Every stone lands where the pointer lets it go, also on a phone, where neighbours are 26 px apart."""
    world = shown.parts.world
    ring = ["f6", "f7", "g8", "h7", "h6", "g6"]
    for number, node in enumerate(ring):
        shown.drag(f"tray-{'wb'[number % 2]}", shown.centre(node))
        shown.says(f"On {node}: {('white', 'black')[number % 2]}.")
    shown.drag("g6", shown.centre("g7"))
    shown.says("On g7: black.")
    assert set(world.stones()) == {*ring[:5], "g7"}
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.thorough
@on_a_desktop
def test_blocks_are_carried_whole_and_tapped(shown: Shown) -> None:
    world = shown.parts.world
    world.put("A1", "w")
    world.put("A1", "b")
    expect(shown.page.locator('[data-node="A1"] .pip')).to_have_count(2)
    shown.page.get_by_text("Hands and keys").click()
    shown.page.locator("#whole").check()
    shown.drag("A1", shown.centre("B1"))
    shown.says("On B1: white and black.")
    shown.page.locator("#whole").uncheck()
    empty: list[bool] = []
    told = world.on_change

    def note() -> None:
        empty.append("B1" not in world.stones())
        if told is not None:
            told()

    world.on_change = note
    shown.page.mouse.dblclick(*shown.centre("B1"))
    shown.says("Tapped B1.")
    assert any(empty), "the sensor saw the whole stack go"
    assert world.stones() == {"B1": ["w", "b"]}
    assert world.snapshot()["hands"] == {}


@pytest.mark.thorough
@on_a_phone
def test_a_finger_taps_without_losing_the_stone(shown: Shown) -> None:
    shown.parts.world.put("A1", "w")
    expect(shown.page.locator('[data-node="A1"] .stone.white')).to_have_count(1)
    if shown.page.evaluate("navigator.maxTouchPoints"):
        shown.page.touchscreen.tap(*shown.centre("A1"))
    else:
        shown.page.mouse.click(*shown.centre("A1"))
    shown.says("On A1: white. Drag to move.")
    assert shown.parts.world.stones() == {"A1": ["w"]}


@pytest.mark.thorough
@on_a_phone
def test_a_tap_on_a_tray_then_on_a_node_puts_a_stone(shown: Shown) -> None:
    world, page = shown.parts.world, shown.page
    page.locator("#tray-b").click()
    shown.says("In the hand: black.")
    page.mouse.click(*shown.centre("C3"))
    shown.says("On C3: black.")
    page.locator("#tray-w").click()
    shown.says("In the hand: white.")
    page.locator("#tray-w").click()
    shown.says("Back in the bowl.")
    assert world.stones() == {"C3": ["b"]}
    assert world.supply == {"w": 44, "b": 43}
    assert world.snapshot()["hands"] == {}


def test_keys_do_all_that_a_pointer_does(shown: Shown) -> None:
    world, keys = shown.parts.world, shown.page.keyboard
    shown.page.locator("#tray-b").focus()
    keys.press("Enter")
    shown.says("In the hand: black.")
    shown.page.locator('[data-node="A1"]').focus()
    keys.press("ArrowUp")
    expect(shown.page.locator('[data-node="B1"]')).to_be_focused()
    keys.press("ArrowUp")
    keys.press("Enter")
    shown.says("On C1: black.")
    keys.press("t")
    shown.says("Tapped C1.")
    keys.press("Enter")
    shown.says("Lifted from C1: black.")
    keys.press("Escape")
    shown.says("Back in the bowl.")
    assert world.stones() == {}
    assert world.supply == {"w": 44, "b": 44}


@pytest.mark.thorough
def test_a_line_is_pushed_stone_by_stone(shown: Shown) -> None:
    """Along the ray from the centre: B1 pushes C1 and D1 on; the next push sends one over the edge."""
    world, page = shown.parts.world, shown.page
    for node, piece in (("B1", "w"), ("C1", "b"), ("D1", "b")):
        world.put(node, piece)
    expect(page.locator('[data-node="D1"] .stone.black')).to_have_count(1)
    page.get_by_text("Hands and keys").click()
    page.get_by_label(sentence("Push what is in the")).check()
    shown.drag("B1", shown.centre("C1"))
    shown.says("On C1: white.")
    assert world.stones() == {"C1": ["w"], "D1": ["b"], "1": ["b"]}
    page.locator('[data-node="C1"]').focus()
    page.keyboard.press("Enter")
    shown.says("Lifted from C1: white.")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    shown.says("On D1: white.")
    assert world.stones() == {"D1": ["w"], "1": ["b"]}
    assert world.supply == {"w": 43, "b": 43}
    shown.drag("D1", shown.centre("D9"))
    shown.drag("tray-b", shown.centre("D9"))
    shown.says("On D9: white and black.")


@pytest.mark.thorough
def test_what_was_in_the_hand_when_the_network_failed_goes_back(shown: Shown) -> None:
    """The request to lift arrives, its answer does not; nor does anything after it, until the network is back."""
    world, page = shown.parts.world, shown.page
    world.put("A1", "w")
    expect(page.locator('[data-node="A1"] .stone.white')).to_have_count(1)
    arrived: list[str] = []

    def fail(route: Route) -> None:
        if not arrived:
            route.fetch()
        arrived.append(route.request.url)
        route.abort()

    page.route("**/sim/*", fail)
    shown.drag("A1", shown.centre("C6"))
    shown.says("The program does not answer.")
    assert world.stones() == {}
    assert list(world.snapshot()["hands"].values()) == [["w"]]
    page.unroute("**/sim/*")
    eventually(lambda: world.stones() == {"A1": ["w"]}, "the stone is where it came from")
    shown.complaints.clear()


@pytest.mark.thorough
def test_what_a_page_holds_goes_back_when_it_goes(shown: Shown) -> None:
    world, page = shown.parts.world, shown.page
    world.put("A1", "w")
    expect(page.locator('[data-node="A1"] .stone.white')).to_have_count(1)
    page.locator('[data-node="A1"]').focus()
    page.keyboard.press("Enter")
    shown.says("Lifted from A1: white.")
    page.goto("about:blank")
    eventually(lambda: world.stones() == {"A1": ["w"]}, "the stone is where it came from")


@pytest.mark.thorough
def test_a_page_says_what_it_holds(shown: Shown) -> None:
    world, page, clock = shown.parts.world, shown.page, shown.parts.world._clock
    assert isinstance(clock, Clock)
    world.put("A1", "w")
    expect(page.locator('[data-node="A1"] .stone.white')).to_have_count(1)
    page.clock.install()
    page.reload()
    page.locator('[data-node="A1"]').focus()
    page.keyboard.press("Enter")
    shown.says("Lifted from A1: white.")
    for _ in range(4):
        clock.now += HELD_S / 2
        with page.expect_response("**/sim/hold"):
            page.clock.run_for(20_000)
        world.contacts()
    assert list(world.snapshot()["hands"].values()) == [["w"]]
    clock.now += HELD_S
    world.contacts()
    assert world.stones() == {"A1": ["w"]}


def test_lights_are_shown_as_they_are_in_the_bytes(shown: Shown) -> None:
    description = shown.parts.description
    strip = shown.parts.strip()
    frame = [(0, 0, 0)] * description.lights.length
    frame[description.nodes["D12"].pixel] = (255, 0, 10)
    strip.show(frame)
    node = shown.page.locator('[data-node="D12"]')
    expect(node).to_have_attribute("aria-label", "D12: empty, light 255 0 10")
    expect(node.locator(".glow")).to_have_css("stroke", "rgb(255, 0, 59)")
    expect(shown.page.locator("#current")).to_have_text("21 / 1500 mA")
    shown.parts.world.put("D12", "w")
    expect(node).to_have_attribute("aria-label", "D12: white, light 255 0 10")
    expect(node.locator(".glow")).to_have_css("stroke", "rgb(255, 0, 59)")
    strip.close()
    expect(node).to_have_attribute("aria-label", "D12: white")


DARK = """() => document.querySelector('[data-node="A1"]').getAttribute("aria-label").includes("light 0 0 0")
  && [...document.querySelectorAll(".sign:is(.wrong, .remove)")].filter((one) => one.checkVisibility())
    .map((one) => getComputedStyle(one.firstChild).fill).join()"""


@pytest.mark.thorough
def test_a_lamp_tells_its_meaning_while_it_is_dark(program: Program, screen: Page) -> None:
    """What is wrong blinks: between two flashes the dark well and the sign, in its hue, are still there."""
    program.start("--new")
    for seat in (1, 2):
        program.join(seat, f"Player {seat}")
    program.start_game()
    program.until_phase("sealing")
    program.hand("put", node="A1", piece="w")
    screen.goto(f"{program.base}/board")
    expect(screen.locator(".sign:is(.wrong, .remove)")).to_have_count(1)
    assert screen.wait_for_function(DARK).json_value() == "rgb(255, 86, 72)"
    expect(screen.locator('[data-node="A1"] .lampwell')).to_have_count(1)


@pytest.mark.thorough
@pytest.mark.parametrize("screen", [(1280, 720), (1366, 650)], indirect=True)
def test_however_much_is_to_be_laid_the_bowls_stay_in_sight(program: Program, screen: Page) -> None:
    """The list of what is to be laid scrolls; each bowl, and what is said of the hand, lie on the first screen."""
    program.start("--new", "--sim", "--game", "phalanx")
    for seat in (1, 2):
        program.join(seat, f"Player {seat}")
    program.start_game()
    program.until_phase("setup")
    screen.goto(f"{program.base}/board")
    expect(screen.locator("#todo li").nth(7)).to_be_attached()
    for one in (*screen.locator(".bowl").all(), screen.locator("#todo li").first, screen.locator("#say")):
        expect(one).to_be_in_viewport(ratio=1)
    screen.locator("#todo li").last.scroll_into_view_if_needed()
    expect(screen.locator(".bowl").first).to_be_in_viewport(ratio=1)


@pytest.mark.thorough
def test_a_stream_that_falls_silent_is_opened_anew(program: Program, screen: Page) -> None:
    """After a change of network the old connection says nothing for a minute, and does not end: no packet comes."""
    program.start("--new")
    with Hushing(program.port) as network:
        screen.goto(f"http://127.0.0.1:{network.port}/board")
        program.hand("put", node="A1", piece="w")
        expect(screen.locator('[data-node="A1"] .stone.white')).to_have_count(1)
        network.hush()
        program.hand("put", node="D12", piece="b")
        expect(screen.locator("#net")).not_to_have_text("")
        expect(screen.locator('[data-node="D12"] .stone.black')).to_have_count(1)
        expect(screen.locator("#net")).to_have_text("")


class Hushing:
    """A network between page and table. What is connected when it is hushed stays so, and hears nothing any more."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._quiet = threading.Event()
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def hush(self) -> None:
        """Let all present connections fall silent; new ones are well."""
        self._quiet.set()
        self._quiet = threading.Event()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                self._ends += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(source, target, self._quiet), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, quiet: threading.Event) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not quiet.is_set():
                    target.sendall(data)
            if not quiet.is_set():
                target.shutdown(socket.SHUT_WR)

    def __enter__(self) -> Hushing:
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._listener, *self._ends):
            one.close()


@pytest.mark.thorough
def test_mishaps_and_what_the_sensors_feel(shown: Shown) -> None:
    page = shown.page
    shown.parts.world.put("A1", "b")
    page.get_by_text("Sensors, mishaps").click()
    page.locator("#feel").check()
    expect(page.locator('[data-node="A1"] .reading-sign')).to_have_text("S")
    expect(page.locator('[data-node="A1"] .reading-sign')).to_be_visible()
    expect(page.locator("#kind")).to_have_text("polarity")
    page.locator("#node").select_option("D9")
    page.get_by_role("button", name="Break it").click()
    expect(page.locator("#faults")).to_have_text("D9: stuck on")
    assert shown.parts.world.snapshot()["faults"] == {"D9": "stuck-on"}
    page.locator("#line").select_option("chip-low")
    page.get_by_role("button", name="Break all readings").click()
    expect(page.locator("#faults")).to_have_text("D9: stuck on; whole board: a dead chip, low")
    page.get_by_role("button", name="Unplug the whole board").click()
    expect(page.locator("#faults")).to_contain_text("whole board: does not answer")
    page.get_by_role("button", name="Repair everything").click()
    expect(page.locator("#faults")).to_have_text("")


@pytest.mark.thorough
@on_a_phone
def test_nothing_sticks_out_and_fingers_find_everything(shown: Shown) -> None:
    page = shown.page
    if page.evaluate("innerWidth") < 500:
        page.set_viewport_size({"width": 320, "height": 640})
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for button in page.locator("button, select, summary, label.switch").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
    x, y = shown.centre("A1")
    shown.parts.world.put("A1", "w")
    expect(page.locator('[data-node="A1"] .stone.white')).to_have_count(1)
    page.mouse.move(x - 14, y)
    page.mouse.down()
    expect(page.locator('[data-node="A1"]')).to_have_attribute("aria-label", "A1: empty")
    page.mouse.up()
    shown.says("On A1: white.")
