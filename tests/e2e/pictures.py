"""``make pictures``: the pictures of docs/pictures, and contact sheets of every screen.

Each picture is taken of a real panel over a real table that stands still (:mod:`tests.e2e.pictured`), by day and in the
evening. What its caption says is on the page, inside the first screen: tests/e2e/test_pictures.py holds that too.

``make pictures`` writes docs/pictures. ``make pictures ARGS="OUT TARGET"`` writes every screen and contact sheets into
a folder OUT, each beside the picture in the folder TARGET that it is built after. ``make pictures
ARGS="OUT --languages"`` writes one sheet for each screen of :data:`WORDED`, from lobby to end, on a phone and on a
desktop, with every language on it.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from firmware_host.table.subjects.seats import GameStarted
from tests.e2e.chromium import DRAWN, launched
from tests.e2e.pictured import Evening, View
from web_panel.languages import languages

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
PHONE = (390, 844)
SIDEWAYS = (844, 390)
SCREEN = (1280, 720)
DESK = (1440, 900)
PATIENCE_S = 120
"""How long a page may take on a busy machine; whatever it waits for, it goes on at once."""
BREATH = 40
"""Tenths of a second in which every light has breathed."""
COLOUR_COUNT = 256
"""Colours of a picture: enough for wood and stones, and a quarter of the bytes."""
SMALL = (360, 740)
LAPTOP = (1280, 800)
ENGLISH = "en-GB"

Steps = Callable[[Page], None]


def nothing(_page: Page) -> None:
    """Leave a page as it opens."""


@dataclass(frozen=True)
class Picture:
    """A picture: which page of which moment it shows, and what is to be seen on it."""

    name: str
    caption: str
    path: str
    shows: Sequence[str]
    """Texts that are visible inside the first screen, without scrolling."""
    size: tuple[int, int] = PHONE
    who: int | None = 1
    """Whose phone it is, by the seat; 0: of whoever acts; None: nobody's, as that of the big screen."""
    steps: Steps = nothing
    """What is done on the page before."""
    public: bool = False
    """Whether docs/pictures has it."""

    @property
    def themes(self) -> Sequence[str]:
        """Return the themes that it has: the big screen is always dark."""
        return ("evening",) if self.path == "/tv" else tuple(THEMES)


@dataclass(frozen=True)
class Moment:
    """A moment of an evening, and its pictures."""

    board: str
    mode: str
    seed: int
    lead: Callable[[Evening], None]
    pictures: Sequence[Picture]


def start(evening: Evening) -> None:
    """Let everybody sit down, and start."""
    evening.sit()
    evening.table.say(GameStarted, seed=1)


def played(until: Callable[[View], bool]) -> Callable[[Evening], None]:
    """Return what leads an evening to a moment of its game."""

    def lead(evening: Evening) -> None:
        start(evening)
        evening.play(until)

    return lead


def brightly(lead: Callable[[Evening], None]) -> Callable[[Evening], None]:
    """Return what leads an evening on to where the lights that breathe are brightest."""

    def shine(evening: Evening) -> None:
        lead(evening)
        wire = evening.table.parts[-1].wire
        levels = []
        for _ in range(BREATH):
            levels.append(sum(map(sum, wire.pixels())))
            evening.table.wait(0.1)
        while sum(map(sum, wire.pixels())) < max(levels):
            evening.table.wait(0.1)

    return shine


def _guests(evening: Evening) -> None:
    evening.sit([1])
    evening.seat_computer(2)


def _all_but_one(evening: Evening) -> None:
    evening.sit([1, 3])
    evening.seat_computer(2)


OUTER = "D16 D12 D8 D4"


def _tap(*names: str) -> Steps:
    """Return steps that tap buttons by what they are called, elements by "#" and a name, nodes by "@" and theirs."""

    def steps(page: Page) -> None:
        for name in names:
            if name.startswith("#"):
                page.locator(name).click()
            elif name.startswith("@"):
                _choose(page, name[1:].split())
            else:
                page.get_by_role("button", name=name).first.click()

    return steps


def _choose(page: Page, nodes: Sequence[str]) -> None:
    """Tap the first of some nodes on which something can be placed: what lies where depends on how computers play."""
    for node in nodes:
        page.locator(f'[data-node="{node}"]').click(force=True)
        page.evaluate(DRAWN)
        if page.locator("#seal.go").is_visible():
            return


def in_phase(phase: str, turn: int) -> Callable[[View], bool]:
    """Return whether a view is of a phase, from a turn on."""
    return lambda view: view["phase"] == phase and view["turn"] >= turn


def learning(*actions: str) -> Callable[[Evening], None]:
    """Return what leads an evening into its first lesson's second exercise, and some actions further."""

    def lead(evening: Evening) -> None:
        learner = evening.phones[0]
        assert learner.post("lesson/begin", {"name": "01-homes", "phone": True})[0] == 200
        for step in ("C2-D3-3", "", *actions):
            evening.table.wait(1)
            answer = learner.post("choose?alone=1", {"action": step}) if step else learner.post("lesson/next?alone=1")
            assert answer[0] == 200, answer
        evening.table.wait(1)

    return lead


MOMENTS: Sequence[Moment] = (
    Moment("spokes-45", "4", 1, _guests, [
        Picture("lobby-guest", "The lobby on a guest's phone: tap a free seat.", "/", ["Where do you sit?"], who=None),
        Picture("tv-lobby", "The lobby on the big screen, with a code for each free seat.", "/tv", ["Mia"], SCREEN,
                who=None),
        Picture("host", "The host starts; computers take what is free.", "/", ["Start"], public=True),
    ]),
    Moment("spokes-45", "4", 1, _all_but_one, [
        Picture("lobby-seated", "Seated: a name and a colour.", "/", ["You sit"], who=3),
    ]),
    Moment("spokes-45", "2", 4, played(in_phase("sealing", 4)), [
        Picture("choosing", "Choosing in secret: first a colour.", "/play", ["Choose a colour"]),
        Picture("choosing-colour", "Then a hole.", "/play", ["Choose a node"], steps=_tap("#colour-w")),
        Picture("sealing", "White is chosen, and a hole; one tap seals it.", "/play", ["Seal white on"],
                steps=_tap("#colour-w", f"@{OUTER}"), public=True),
        Picture("menu", "The host's menu on a player's phone.", "/play", ["Pause", "Take back", "Seats"],
                steps=_tap("Menu")),
        Picture("seats", "Seats, one tap further.", "/play", ["Seats"], steps=_tap("Menu", "Seats")),
        Picture("sideways-choosing", "A phone on its side.", "/play", ["Seal white on"], SIDEWAYS,
                steps=_tap("#colour-w", f"@{OUTER}")),
    ]),
    Moment("spokes-45", "2", 4, brightly(played(in_phase("placing", 6))), [
        Picture("virtual-board", "The virtual board: drag what was revealed from a bowl to its hole.", "/board",
                ["White", "Black"], DESK, who=None, public=True),
    ]),
    Moment("spokes-45", "2", 4, played(in_phase("resolving", 6)), [
        Picture("resolving", "One player resolves: stones with a dotted ring may move.", "/play", ["Take back"], who=0,
                public=True),
        Picture("sideways-resolving", "Resolving, on its side.", "/play", ["Take back"], SIDEWAYS, who=0),
        Picture("tv", "The big screen during a turn.", "/tv", ["Mia", "Jonas"], SCREEN, who=None, public=True),
    ]),
    Moment("spokes-45", "2v2", 4, played(in_phase("placing", 5)), [
        Picture("teams", "Two against two: one score a team.", "/play", ["Mia", "Jonas"]),
    ]),
    Moment("spokes-45", "2", 2, played(in_phase("over", 0)), [
        Picture("end", "The end: who won, the numbers, and how it went.", "/play", ["Play again"], public=True),
        Picture("tv-end", "The end on the big screen.", "/tv", [], SCREEN, who=None),
    ]),
    Moment("spokes-45", "2", 1, learning(), [
        Picture("lesson", "A lesson asks: the task is the headline.", "/play?alone=1",
                ["Bring one stone home", "Next, when it is done", "Show me"]),
    ]),
    Moment("spokes-45", "2", 1, learning("C1-D1-1"), [
        Picture("lesson-right", "What was right stands where the task stood.", "/play?alone=1", ["Right!"]),
    ]),
    Moment("spokes-45", "2", 1, learning("D1-C1-B1"), [
        Picture("lesson-wrong", "So does what was not, with a way on.", "/play?alone=1", ["Not this way", "Try again"]),
    ]),
    Moment("go-9x9", "2", 3, played(in_phase("resolving", 5)), [
        Picture("phalanx", "Phalanx: three actions a turn.", "/play", ["actions left"], who=0),
    ]),
    Moment("hexhex-7", "2", 3, played(in_phase("resolving", 22)), [
        Picture("coil", "Coil: one stone a turn.", "/play", [], who=0),
    ]),
    Moment("octiles-53", "2", 3, played(in_phase("resolving", 12)), [
        Picture("octiles", "Octiles: turn the tile, then lay it.", "/play", [], who=0),
    ]),
)  # fmt: skip

SHEETS: Mapping[str, Sequence[str]] = {
    "screens-1-before": ["lobby-guest", "lobby-seated", "host"],
    "screens-2-choosing": ["choosing", "choosing-colour", "sealing"],
    "screens-3-playing": ["phalanx", "coil", "octiles"],
    "screens-4-teams-menu": ["teams", "menu", "seats"],
    "screens-5-lesson": ["lesson", "lesson-right", "lesson-wrong"],
    "screens-6-end": ["end"],
    "screens-7-side": ["sideways-choosing", "sideways-resolving"],
    "screens-8-virtual-board": ["virtual-board"],
    "tv-lobby": ["tv-lobby"],
    "tv-play": ["tv"],
    "tv-end": ["tv-end"],
}
"""Contact sheets: the pictures on each, by the picture of the target."""


def _worded(name: str, path: str, who: int | None = 1, steps: Steps = nothing) -> list[Picture]:
    """Return the pictures of a page that are taken in every language."""
    sizes = {"phone": SMALL, "desktop": LAPTOP}
    return [Picture(f"{name}-{kind}", "", path, [], size, who, steps) for kind, size in sizes.items()]


WORDED: Sequence[Moment] = (
    Moment("spokes-45", "4", 1, _guests, [
        *_worded("lobby", "/"), *_worded("lobby-guest", "/", None),
        *_worded("learn", "/", None, _tap("#learn-open")),
        *_worded("games", "/host?part=games"), *_worded("puzzle", "/puzzles/spokes", None),
    ]),
    Moment("spokes-45", "2", 4, played(in_phase("sealing", 4)), [
        *_worded("sealing", "/play", steps=_tap("#colour-w", f"@{OUTER}")),
        *_worded("menu", "/play", steps=_tap("#menu")), *_worded("lobby-running", "/", 2),
        *_worded("host-running", "/host"),
    ]),
    Moment("spokes-45", "2", 4, played(in_phase("placing", 6)), _worded("placing", "/play", 2)),
    Moment("spokes-45", "2", 1, learning(), _worded("lesson", "/play?alone=1")),
    Moment("spokes-45", "2", 4, played(in_phase("resolving", 6)), _worded("resolving", "/play", 0)),
    Moment("spokes-45", "2", 2, played(in_phase("over", 0)), _worded("end", "/play")),
)  # fmt: skip
"""Moments that are looked at in every language; what their pages say can't be asked for here."""
THEMES = {"day": "light", "evening": "dark"}


@contextmanager
def evening_of(moment: Moment, folder: Path) -> Iterator[Evening]:
    """Lead a table to a moment; yield it."""
    with Evening.at(folder, moment.board, moment.mode, moment.seed) as evening:
        moment.lead(evening)
        yield evening


@contextmanager
def page_of(picture: Picture, evening: Evening, browser: Browser, theme: str, locale: str = ENGLISH) -> Iterator[Page]:
    """Open a picture's page in a language, and do its steps."""
    width, height = picture.size
    seat = evening.view["resolver"] if picture.who == 0 else picture.who
    phone = evening.phones[seat - 1] if seat else None
    context = evening.phone(
        browser, phone, viewport={"width": width, "height": height}, color_scheme=THEMES[theme],
        locale=locale, reduced_motion="reduce",
    )  # fmt: skip
    context.set_default_timeout(PATIENCE_S * 1000)
    page = context.new_page()
    page.goto(evening.base + picture.path)
    page.wait_for_function("() => document.fonts.ready.then(() => true)")
    page.wait_for_function("() => document.querySelector('[data-node]')")
    picture.steps(page)
    try:
        yield page
    finally:
        context.close()


def missing(picture: Picture, page: Page) -> list[str]:
    """Return what a picture's page ought to show inside its first screen, and does not, even after a while."""
    end = time.monotonic() + PATIENCE_S
    while (left := _missing_now(picture, page)) and time.monotonic() < end:
        page.wait_for_timeout(100)
    return left


def _missing_now(picture: Picture, page: Page) -> list[str]:
    width, height = picture.size
    left = []
    for text in picture.shows:
        boxes = [one.bounding_box() for one in page.get_by_text(re.compile(re.escape(text), re.I)).all()]
        inside = [box for box in boxes if box and box["width"] and box["y"] + box["height"] <= height + 1
                  and box["x"] + box["width"] <= width + 1]  # fmt: skip
        left += [] if inside else [text]
    return left


def take(browser: Browser, folder: Path, *, public: bool) -> None:
    """Take all pictures, or those of docs/pictures alone, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, moment in enumerate(MOMENTS):
        wanted = [one for one in moment.pictures if one.public or not public]
        if not wanted:
            continue
        with tempfile.TemporaryDirectory() as scratch, evening_of(moment, Path(scratch)) as evening:
            for picture in wanted:
                for theme in picture.themes:
                    try:
                        with page_of(picture, evening, browser, theme) as page:
                            page.wait_for_timeout(300)
                            taken = folder / f"{picture.name}-{theme}.png"
                            page.screenshot(path=taken)
                            Image.open(taken).convert("RGB").quantize(COLOUR_COUNT).save(taken, optimize=True)
                            if left := missing(picture, page):
                                print(f"{picture.name}: not on the first screen: {', '.join(left)}")
                    except Exception as error:  # noqa: BLE001 - the others are taken all the same
                        print(f"{picture.name} (moment {number}): {str(error).splitlines()[0]}")


def sheets(folder: Path, target: Path | None) -> None:
    """Put the pictures side by side below those of the target."""
    for name, pictures in SHEETS.items():
        for theme in THEMES:
            ours = [Image.open(path) for one in pictures if (path := folder / f"{one}-{theme}.png").exists()]
            if not ours:
                continue
            aims = [target / f"{name}{end}.png" for end in (f"-{theme}", "")] if target else []
            aim = [Image.open(path) for path in aims if path.exists()][:1]
            _sheet([aim, ours] if aim else [ours]).save(folder / f"sheet-{name}-{theme}.png")


def _sheet(rows: Sequence[Sequence[Image.Image]]) -> Image.Image:
    """Return pictures in rows."""
    width = max(sum(one.width + 16 for one in row) for row in rows)
    sheet = Image.new("RGB", (width, sum(max(one.height for one in row) + 16 for row in rows)), "gray")
    top = 0
    for row in rows:
        left = 0
        for image in row:
            sheet.paste(image, (left, top))
            left += image.width + 16
        top += max(one.height for one in row) + 16
    return sheet


def in_languages(browser: Browser, folder: Path) -> None:
    """Take the pictures of :data:`WORDED` in every language into a folder, one sheet for each."""
    folder.mkdir(parents=True, exist_ok=True)
    tongues = [code.replace("_", "-") for code in languages()]
    for moment in WORDED:
        with tempfile.TemporaryDirectory() as scratch, evening_of(moment, Path(scratch)) as evening:
            for picture in moment.pictures:
                taken = []
                for tongue in tongues:
                    with page_of(picture, evening, browser, "day", tongue) as page:
                        page.wait_for_timeout(300)
                        taken.append(Image.open(BytesIO(page.screenshot())).convert("RGB"))
                across = 8 if picture.size == SMALL else 2
                rows = [taken[at : at + across] for at in range(0, len(taken), across)]
                _sheet(rows).quantize(COLOUR_COUNT).save(folder / f"languages-{picture.name}.png", optimize=True)


def main(out: Path | None, target: Path | None, *, tongues: bool = False) -> None:
    """Take the pictures of docs/pictures; with a folder, all pictures and contact sheets into it."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        if out is not None and tongues:
            in_languages(browser, out)
        else:
            take(browser, out or FOLDER, public=out is None)
        browser.close()
    if out is not None and not tongues:
        sheets(out, target)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("target", type=Path, nargs="?")
    parser.add_argument("--languages", action="store_true", dest="tongues")
    main(**vars(parser.parse_args()))
