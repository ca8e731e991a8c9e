"""The JSON lines of `lodestone table` for somebody who knows docs/table-protocol.md only: every answer is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.hands.account import Lost
from tests.hands.doors import Lines


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIELDS = _names(
    "id ok time phase actor turn position committed undone journal asked lights tasks problem message stage proposal "
    "notices result masked suspects"
)
PHASES = _names("setup sealing revealing placing resolving clearing over")
MEANINGS = _names("put movable target best line interact wrong return remove confirm loop won time")
ENTRIES = _names(
    "seal opens opening reveal action correction reseal loop decided draw resign mask unmask hint hints flag time "
    "pause resume result"
)
MOMENTS = frozenset({"reveal", "action", "loop", "resign", "decided"})
"""Entries that begin another moment, to which a correction may lead back."""
TASKS = {
    "put": {"do", "node", "piece", "seat"},
    "move": {"do", "from", "to", "pieces", "seat"},
    "take": {"do", "node", "seat"},
    "tap": {"do", "node", "seat"},
}


class Checked(Lines):
    """Sends lines; fails where an answer is not as the protocol says, or contradicts earlier ones."""

    def __init__(self, nodes: Sequence[str], **opening: Any) -> None:
        self.nodes = frozenset(nodes)
        self.sent = dict.fromkeys(nodes, "")
        """What the sensors have reported."""
        self.force: list[str | None] = []
        """What is in force since the start: an action, None for anything else."""
        self.at = 0.0
        self.now: Mapping[str, Any] = {}
        self.turned: frozenset[str] = frozenset()
        """The nodes of the last line, where hands may have turned to something else."""
        self.heard: Callable[[], None] = lambda: None
        """Called after each answer."""
        super().__init__(**opening)

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self.turned = frozenset(request.get("nodes", ()))
        answer = super()._ask(request)
        _check_form(answer, self.nodes)
        self._check_news(answer)
        self.now = answer
        self.heard()
        return answer

    def sense(self, at: float, changes: Sequence[tuple[str, str]]) -> None:
        self.pass_time()  # What counts before the change must match what was reported before it.
        self.sent.update(changes)
        super().sense(at, changes)

    def tick(self, at: float) -> None:
        self.at = at  # Sent when the answer matters: the table lets time pass by itself.

    def pass_time(self) -> None:
        """Tell the table the time."""
        self._ask({"do": "tick", "time": self.at})

    def deed(self, at: float, what: str, **more: Any) -> str | None:
        self.at = at
        return super().deed(at, what, **more)

    def _check_news(self, answer: Mapping[str, Any]) -> None:
        """Compare what was committed and undone with the journal."""
        undone: list[str] = []
        for entry in answer["journal"]:
            if entry["kind"] == "correction":
                undone += [action for action in reversed(self.force[entry["to"] :]) if action is not None]
                del self.force[entry["to"] :]
            elif entry["kind"] in MOMENTS:
                self.force.append(entry["action"] if entry["kind"] == "action" else None)
        acted = [entry["action"] for entry in answer["journal"] if entry["kind"] == "action"]
        _must(acted == answer["committed"], f"committed {answer['committed']}, journal {acted}")
        _must(undone == answer["undone"], f"undone {answer['undone']}, journal {undone}")


def _check_form(answer: Mapping[str, Any], nodes: frozenset[str]) -> None:
    """Compare an answer with the table of its fields."""
    _must(set(answer) == FIELDS, f"fields {set(answer) ^ FIELDS}")
    _must(answer["phase"] in PHASES, f"phase {answer['phase']}")
    _must(bool(answer["message"]), "no message")
    _must(nodes.issuperset(answer["lights"]) and MEANINGS.issuperset(answer["lights"].values()), "lights")
    for task in answer["tasks"]:
        at = {task[name] for name in ("node", "from", "to") if name in task}
        _must(set(task) == TASKS.get(task["do"]) and at <= nodes, f"task {task}")
    if answer["asked"] is not None:
        offered = [choice["action"] for choice in answer["asked"]["choices"]]
        _must(bool(offered) and len(set(offered)) == len(offered), f"asked {offered}")
    if answer["problem"] is not None:
        wrong = answer["problem"]["nodes"]
        _must(bool(answer["problem"]["text"]) and len(set(wrong)) == len(wrong), f"problem {answer['problem']}")
    _must(all(entry["kind"] in ENTRIES for entry in answer["journal"]), f"journal {answer['journal']}")
    _must(answer["phase"] != "over" or answer["result"] is not None, "over without a result")


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Lost(otherwise)
