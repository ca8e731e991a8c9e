"""Hands on the virtual board's page: pieces and tiles from the trays, from node to node, by pointer, wheel and keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.program import Program, eventually

POINTER, TAPS, KEYS = "pointer", "taps", "keys"


class Dragging:
    """A page that shows the virtual board, and a pointer on it."""

    page: Page

    def centre(self, node: str) -> tuple[float, float]:
        """Return where a node is in the window, which is scrolled to the top."""
        self.page.evaluate("scrollTo(0, 0)")
        return self._seen_at(node)

    def _seen_at(self, node: str) -> tuple[float, float]:
        box = self.page.locator(f'[data-node="{node}"] .spot').bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, source: str, target: tuple[float, float] | str, eighths: int = 0) -> None:
        """Drag from a node or a tray (``tray-7``) to a place in the window, or to a node, turned on the way.

        To reach a tray may scroll the page: a node is looked for after it.
        """
        if source.startswith("tray"):
            self.page.locator(f"#{source}").hover()
        else:
            self.page.mouse.move(*self.centre(source))
        place = self._seen_at(target) if isinstance(target, str) else target
        self.page.mouse.down()
        self.page.mouse.move(*place, steps=4)
        for turned in range(1, eighths + 1):
            self.wheel(turned)
        self.page.mouse.up()

    def wheel(self, turned: int) -> None:
        """Turn what is in the hand on by an eighth, to so many; a busy browser takes two turns at once for one."""
        self.page.mouse.wheel(0, 100)
        self.says(f"turned by {turned} eighth")

    def says(self, words: str) -> None:
        """See what the page says about the hand."""
        expect(self.page.locator("#say")).to_contain_text(words)


class Hands(Dragging):
    """Somebody who moves pieces on the virtual board of a program, in one way after the other."""

    def __init__(self, program: Program, page: Page, *ways: str) -> None:
        """``ways`` are taken in turn: ``pointer``, ``taps``, ``keys``."""
        self.program, self.page, self.ways = program, page, cycle(ways)

    def open(self) -> None:
        """Go to the board."""
        self.page.goto(f"{self.program.base}/board")
        expect(self.page.locator(".bowl").first).to_be_visible()
        expect(self.page.locator("#table")).to_be_visible()  # From then on nothing moves.

    @property
    def stones(self) -> Any:
        """What lies on each node."""
        return self.program.get("/sim/state")["stones"]

    def node(self, name: str) -> Any:
        """Return the button of a node."""
        return self.page.locator(f'[data-node="{name}"]')

    def put(self, node: str, piece: str) -> None:
        """Take a piece from its tray, turn it if it is a tile, and put it down."""
        name, _, turn = piece.partition("r") if piece[0].isdigit() else (piece, "", "")
        before, eighths, way = self.stones.get(node, []), int(turn or 0), next(self.ways)
        tray = self.page.locator(f"#tray-{name}")
        if way == POINTER:
            tray.scroll_into_view_if_needed()
            self.drag(f"tray-{name}", node, eighths)
        else:
            tray.click() if way == TAPS else tray.press("Enter")
            for _ in range(eighths):
                self.page.keyboard.press("]")
            self.node(node).locator(".spot").click() if way == TAPS else self.node(node).press("Enter")
        eventually(lambda: self.stones.get(node) == [*before, piece], f"{piece} lies on {node}, not {self.stones}")

    def take(self, node: str) -> None:
        """Give what lies on a node back to its tray."""
        if next(self.ways) == KEYS:
            self.node(node).press("Enter")
            self.page.keyboard.press("Escape")
        else:
            self.drag(node, (3, 3))
        eventually(lambda: node not in self.stones, f"{node} is taken off")

    def move(self, source: str, target: str) -> None:
        """Carry a piece from node to node."""
        before = self.stones
        if next(self.ways) == KEYS:
            self.node(source).press("Enter")
            self.node(target).press("Enter")
        else:
            self.drag(source, self.centre(target))
        there = [*before.get(target, []), before[source][-1]]
        eventually(lambda: self.stones.get(target) == there, f"{there} on {target}, not {self.stones}")

    def tap(self, node: str) -> None:
        """Lift what lies on a node and put it back."""
        if next(self.ways) == KEYS:
            self.node(node).press("t")
        else:
            self.page.mouse.dblclick(*self.centre(node))

    @contextmanager
    def holding(self, node: str) -> Iterator[None]:
        """Have a piece in the hand for a while, and put it back."""
        self.page.mouse.move(*self.centre(node))
        self.page.mouse.down()
        eventually(lambda: node not in self.stones, f"{node} is lifted")
        yield
        self.page.mouse.up()
        eventually(lambda: node in self.stones, f"{node} is put back")

    def turn(self, well: str, eighths: int) -> None:
        """Turn a tile where it lies, clockwise, by its right half or by a key."""
        way, (x, y) = next(self.ways), self.centre(well)
        name, _, turn = self.stones[well][-1].partition("r")
        turned = f"{name}r{(int(turn) + eighths) % 8}"
        for _ in range(eighths % 8):
            if way == KEYS:
                self.node(well).press("]")
            else:
                self.page.mouse.click(x + 8, y)
        eventually(lambda: self.stones.get(well, [""])[-1] == turned, f"{well} has {turned}, not {self.stones}")
