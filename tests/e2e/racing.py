"""People at a board with wells: phones, a virtual hand that lays tiles and runs runners."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.program import Program, eventually
from tests.e2e.test_whole_game import at_table

NAMES = ("Ann", "Bob", "Cleo", "Dan")


class Race:
    """A game in play; ``pages`` are the phones in the order of seats."""

    def __init__(self, program: Program, phones: Sequence[BrowserContext], board: str, seats: int = 2) -> None:
        self.program, self.random = program, Random(seats)
        self.pages: list[Page] = []
        if not phones:
            return
        program.start("--new", "--board", board, "--sim", *(["--mode", str(seats)] if seats != 2 else []))
        self.pages = at_table(program, phones, *NAMES[:seats])
        self.set_up()
        program.until_phase("resolving")

    @classmethod
    def at(cls, program: Program) -> Race:
        """Return the hands of a game that runs already; nobody has a phone."""
        return cls(program, [], "")

    @property
    def view(self) -> Any:
        return self.program.state()

    @property
    def page(self) -> Page:
        """The phone of whoever acts."""
        return self.pages[self.view["resolver"] - 1]

    # -- hands: by the program's interface here, and otherwise where a hand is tested itself --------------------------

    def set_up(self) -> None:
        self.program.follow_the_lights("setup")

    def put(self, node: str, piece: str) -> None:
        self.program.hand("put", node=node, piece=piece)

    def take_up(self, well: str) -> None:
        self.program.hand("lift", node=well)
        self.program.hand("put", node="supply")

    def move(self, source: str, target: str) -> None:
        self.program.hand("move", **{"from": source, "to": target})

    def tap(self, node: str) -> None:
        self.program.tap(node)

    # -- turns -------------------------------------------------------------------------------------------------------

    def other_turning(self, laid: str) -> str:
        """Return another turning, where there is one a turning with which the same well has no legal turn."""
        well, legal = laid.partition("r")[0], {step["action"] for step in self.view["steps"]}
        others = [f"{well}r{turn}" for turn in range(8) if f"{well}r{turn}" != laid]
        return min(others, key=lambda other: other in legal)

    def turnings(self, well: str) -> int:
        """Return in how many ways the tile can lie in a well."""
        return sum(step["action"].partition("r")[0] == well for step in self.view["steps"])

    def tile(self, laid: str) -> str:
        """Return the piece that the hand puts down for a stage: the tile on top of the stack, so turned."""
        return f"{self.view['supply']['piece']}r{laid.partition('r')[2]}"

    def lay(self, laid: str) -> None:
        """Do the first stage by hand, and say on the phone how the tile lies, if that is asked."""
        well = laid.partition("r")[0]
        if well in self.program.get("/sim/state")["stones"]:
            self.take_up(well)
            time.sleep(0.4)  # The well is seen empty; no view shows that.
        self.put(well, self.tile(laid))
        self.say(laid)

    def say(self, laid: str) -> None:
        view = eventually(lambda: (v := self.view) and (v["question"] or v["stage"]) and v, f"{laid} is seen")
        if view["stage"] != [laid]:
            self.page.locator(f"#lies-{laid}").click()
        eventually(lambda: self.view["stage"] == [laid], f"{laid} lies: {self.view['message']}")

    def run(self, step: dict[str, Any]) -> None:
        """Do the second stage by hand."""
        before = self.view
        ((source, target),) = step["moves"]
        if source == target:
            self.program.tapped(source, before, step["action"], times=2, tap=self.tap)
        else:
            self.move(source, target)
        self.program.counted(before, step["action"])

    def turn(self, *, covering: bool = False) -> dict[str, Any]:
        """Play a turn at random, over a tile that lies there where one can be had; return the view before it."""
        before = self.view
        steps = before["steps"]
        over = [step for step in steps if len(step["moves"]) > 1]
        self.lay(self.random.choice(over if covering and over else steps)["action"])
        self.run(self.random.choice(self.view["steps"]))
        eventually(lambda: self.view["turn"] != before["turn"], "the next turn")
        return dict(before)

    def looks(self, well: str, piece: str, *, ghost: bool = False) -> None:
        """See on every phone that a tile is drawn in a well."""
        for page in self.pages:
            place = page.locator(f'[data-node="{well}"]')
            expect(place.locator(".tile-number")).to_have_text(piece.partition("r")[0])
            expect(place.locator(".track")).to_have_count(4)
            expect(page.locator(f'[data-node="{well}"].ghost')).to_have_count(int(ghost))
