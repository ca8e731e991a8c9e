"""People at a table who read any language: what their pages say, and a language that is easily told from English."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from babel.messages.pofile import write_po
from playwright.sync_api import Browser, BrowserContext, Page

from tests.e2e.chromium import LAN_NAME
from tests.e2e.program import Program, eventually
from tests.e2e.room import menu
from tools.words import extract

PSEUDO = "eo"
"""Whose catalogue is made here: every sentence in brackets."""
NAMES = ("Ann", "Bob")

_READ = """() => {
  const texts = [], attributes = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    const silent = ["SCRIPT", "STYLE", "NOSCRIPT", "TEXTAREA", "CODE"];
    if (node.nodeType !== Node.ELEMENT_NODE || silent.includes(node.tagName) || node.lang) return;
    for (const name of ["aria-label", "aria-valuetext", "title", "alt", "placeholder"]) {
      const text = node.getAttribute(name);
      if (text) attributes.push(text);
    }
    for (const child of node.childNodes) walk(child);
    texts.push(" ");
  };
  walk(document.body);
  return { all: texts.join(""), attributes: [...attributes, document.title] };
}"""


def pseudo_language(folder: Path) -> Path:
    """Write a catalogue in which every sentence stands in brackets; return its folder."""
    catalogue = extract()
    catalogue.locale = PSEUDO
    for message in catalogue:
        if message.id:
            whole = message.id if isinstance(message.id, str) else None
            message.string = f"⟦{whole}⟧" if whole is not None else tuple(f"⟦{form}⟧" for form in message.id)
    with (folder / f"{PSEUDO}.po").open("wb") as out:
        write_po(out, catalogue)
    return folder


ACCENTS = str.maketrans("aeiouncsyAEIOUNCSY", "àéîöüñçšÿÀÉÎÖÜÑÇŠÝ")


def long_language(folder: Path) -> Path:
    """Write a catalogue whose words have accents and whose sentences are longer by two fifths; return its folder."""
    catalogue = extract()
    catalogue.locale = PSEUDO
    for message in catalogue:
        if message.id:
            whole = message.id if isinstance(message.id, str) else None
            message.string = _longer(whole) if whole is not None else tuple(map(_longer, message.id))
    with (folder / f"{PSEUDO}.po").open("wb") as out:
        write_po(out, catalogue)
    return folder


def _longer(form: str) -> str:
    """Return a sentence with accents and more words like its own; values and marks stay as they are."""
    parts = re.split(r"(\{\w+(?:![rs])?\}|%\(\w+\)s|</?\w+>)", form)
    words = [part if at % 2 else part.translate(ACCENTS) for at, part in enumerate(parts)]
    plain = "".join(words[::2]).split()
    more: list[str] = []
    while plain and len(" ".join(more)) < 0.4 * len(form):
        more.append(plain[len(more) % len(plain)].strip(".,:;?!…"))
    end = re.search(r"[.?!:…;,]*$", words[-1])
    tail = end[0] if end else ""
    words[-1] = words[-1].removesuffix(tail)
    return f"{''.join(words)} {' '.join(more)}{tail}" if plain else form


def untold(page: Page, *known: str) -> list[str]:
    """Return the words of a page, attributes included, that come from no catalogue: letters outside of all brackets.

    ``known`` are words that are nobody's sentence, such as names. What has a digit in it is the name of a node, a
    board, a moment or a place in the net.
    """
    read = page.evaluate(_READ)
    found = []
    for text in [read["all"], *read["attributes"]]:
        for word in re.findall(r"[^\W\d_][^\W_]+", re.sub(r"\S*\d\S*", " ", _outside(text))):
            if word not in known and word != "Lodestone":
                found.append(word)
    return found


def brackets(page: Page) -> int:
    """Return how many translated sentences a page shows."""
    return str(page.evaluate(_READ)["all"]).count("⟦")


def _outside(text: str) -> str:
    depth, kept = 0, []
    for sign in text:
        depth += (sign == "⟦") - (sign == "⟧")
        kept.append(sign if depth == 0 and sign != "⟧" else " ")
    return "".join(kept)


class Evening:
    """A table of ``lodestone play``, somebody who moves its pieces, and two phones that read some language each."""

    def __init__(
        self, program: Program, browser: Browser, locales: Sequence[str], *options: str, width: int = 360
    ) -> None:
        program.start("--new", "--sim", *options)
        self.program = program
        self.base = f"http://{LAN_NAME}:{program.port}"
        self.contexts: list[BrowserContext] = []
        self.browser = browser
        self.width = width
        self.phones = [self.open("/", locale) for locale in locales]

    def close(self) -> None:
        for context in self.contexts:
            context.close()

    def open(self, path: str, locale: str, width: int | None = None, height: int = 740) -> Page:
        """Return a page of a browser of its own."""
        size: Any = {"width": width or self.width, "height": height}
        context = self.browser.new_context(locale=locale, viewport=size)
        self.contexts.append(context)
        page = context.new_page()
        page.goto(self.base + path)
        return page

    @property
    def view(self) -> Any:
        return self.program.state()

    def sit(self) -> None:
        """Sit down on the page that the seat's code leads to."""
        for seat, (page, name) in enumerate(zip(self.phones, NAMES, strict=False), 1):
            page.goto(self.program.join_link(seat, self.base))
            field = page.locator(f"#name-{seat}")
            field.fill(name)
            field.press("Enter")
            page.locator("#who", has_text=name).wait_for()

    def start(self) -> None:
        """Let the host start, and wait until the first player may do something."""
        for page in self.phones:  # A page that has not seen the lobby yet does not see the game begin.
            page.locator("#seats").get_by_text(NAMES[-1]).first.wait_for()
        self.program.start_game()
        for page in self.phones:
            page.wait_for_url("**/play")
        self.program.until_phase("setup", "sealing", "resolving")
        self.program.follow_the_lights("setup")
        self.program.until_phase("sealing", "resolving")

    def seal(self, each: Callable[[], None] = lambda: None) -> None:
        """Let everybody choose and seal a white stone, on nodes side by side."""
        for page, node in zip(self.phones, ("A1", "B1"), strict=True):
            page.locator("#colour-w").click()
            page.locator(f'[data-node="{node}"]').click()
            each()
            page.locator("#seal").click()
            page.locator('[data-card="seal"]').wait_for(state="detached")
            each()

    def actor(self) -> Page:
        return self.phones[self.view["resolver"] - 1]

    def place(self) -> None:
        """Put the sealed stones down."""
        self.program.until_phase("placing")
        self.program.follow_the_lights("placing")
        self.program.until_phase("resolving")

    def choose(self) -> str:
        """Let whoever acts choose the first step of the list, to be led there."""
        action = str(self.view["steps"][0]["action"])
        page = self.actor()
        if not page.locator(f'.tray [id="step-{action}"]').count():
            menu(page, "moves")
        page.locator(f'[id="step-{action}"]').first.evaluate("(button) => button.click()")
        eventually(lambda: self.view["wanted"] == action, f"{action} is wanted")
        return action

    def do(self, action: str) -> None:
        """Do what was chosen, as the lights lead, and say so where sensors can't see it."""
        before = self.view
        for task in before["tasks"]:
            self.program.do(task)

        def counted() -> bool:
            now = self.view
            return bool(now["log"] != before["log"] or now["stage"] != before["stage"] or now["question"])

        eventually(counted, f"{action} counts", 30)

    def resign(self, page: Page) -> None:
        menu(page, "resign")
        page.locator('#ask [value="yes"]').click()
