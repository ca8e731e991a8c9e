"""Play evenings: ``python -m tests.hands GAME MODE KIND SEED`` tells all that happens in one.

With a number of evenings after the seed it plays so many and prints the faults of each, and the sums.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from firmware_host.games.game import Step
from tests.hands.account import Account, share
from tests.hands.doors import Events
from tests.hands.evening import ACTIONS, Evening, a_position, run


class Telling(Events):
    """A door that prints what passes, and what the table makes of it."""

    told = 0
    verdict: tuple[object, ...] = ()

    def sense(self, at: float, changes: Sequence[tuple[str, str]]) -> None:
        print(f"{at:8.2f} sensed", *(f"{node}={sensed or 'nothing'}" for node, sensed in changes))
        super().sense(at, changes)
        self._tell(at)

    def tick(self, at: float) -> None:
        super().tick(at)
        self._tell(at)

    def deed(self, at: float, what: str, **more: Any) -> str | None:
        refused = super().deed(at, what, **more)
        print(f"{at:8.2f} phone: {what} {more}", f"refused: {refused}" if refused else "")
        self._tell(at)
        return refused

    def restart(self, at: float) -> None:
        print(f"{at:8.2f} restart")
        super().restart(at)

    def _tell(self, at: float) -> None:
        entries: Sequence[tuple[str, Mapping[str, Any]]] = self.service._entries
        for kind, data in entries[self.told :]:
            print(f"{at:8.2f} ** {kind}", data.get("action", data.get("by", "")), data.get("position", ""))
        self.told = len(entries)
        verdict = self.table.watch.verdict
        choices = tuple(one.step.action for one in verdict.choices)
        live = tuple(step.action for step in verdict.live[:6])
        now = (verdict.kind, verdict.done.actions, verdict.done.undo, verdict.foreign, live, choices)
        if now != self.verdict:
            self.verdict = now
            print(
                f"{at:8.2f}   {verdict.kind}",
                f"undo, {verdict.done.actions}" if verdict.done.undo else verdict.done.actions or "",
                f"wrong {verdict.foreign}" if verdict.foreign else "",
                f"live {live}" if live else "",
                f"choices {choices}" if choices else "",
            )


class ToldEvening(Evening):
    """An evening that says what people mean to do."""

    def choose(self) -> Step | None:
        step = super().choose()
        print(f"-- {self.game.text(self.position)}: {step.action if step else 'nothing to do by hand'}")
        return step

    def _attempt(self, way: str, deed: Any, about: str = "") -> bool:
        print(f"-- {way} {about}")
        return super()._attempt(way, deed, about)


def _tell_one(name: str, mode: str, kind: str, seed: int) -> Account:
    evening = ToldEvening(name, mode, kind, a_position(name, mode, seed), seed, door=Telling)
    account = evening.play(ACTIONS)
    view = evening.door.look()
    print("message:", view["message"], "\ntasks:", view["tasks"])
    stacks = {node: "".join(stack) for node, stack in evening.world.stacks.items() if len(stack) > 1}
    print("stacks:", stacks, "\nfaults:", account.faults)
    return account


def main(name: str, mode: str, kind: str, first: str, count: str | None = None) -> int:
    """Tell of one evening, or play several; return 1 where there was a fault."""
    if count is None:
        return bool(_tell_one(name, mode, kind, int(first)).faults)
    total = Account()
    for seed in range(int(first), int(first) + int(count)):
        account = run(name, mode, kind, seed)
        for fault in account.faults:
            print(f"python -m tests.hands {name} {mode} {kind} {seed}: {fault}")
        total.add(account)
    print(
        f"{name} {mode} {kind}: {total.actions} actions, {len(total.faults)} faults,",
        f"{total.questions_per_100:.1f} questions in 100 actions ({total.told_apart_per_100:.1f} told apart),",
        f"waits p50 {share(total.waits, 0.5):.2f} s, p90 {share(total.waits, 0.9):.2f} s,",
        f"verdicts p99 {1000 * share(total.verdicts, 0.99):.2f} ms",
    )
    return bool(total.faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
