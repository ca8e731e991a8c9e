"""What evenings have shown: how much was done, what was asked, what went wrong, and how long it took."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


class Lost(Exception):
    """The table did something that was not meant, or leads nobody on. The text says what."""


@dataclass
class Account:
    """What one run has shown, or several together. Times are seconds."""

    actions: int = 0
    questions: int = 0
    told_apart: int = 0
    """Those of them where some sensor reports the choices differently."""
    faults: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    """From the last change that a sensor reported to the commit, of actions that need no question.

    Not of those that count because the hands have turned elsewhere: for them nobody waits.
    """
    waits_since_touch: list[float] = field(default_factory=list)
    """The same from the last touch: contacts bounce, and a reading has to be seen several times."""
    verdicts: list[float] = field(default_factory=list)
    """What the table took for each change of sensors, in time of this thread."""
    restarts: list[float] = field(default_factory=list)
    """The same for each restart, the look at the whole board included."""
    done: Counter[str] = field(default_factory=Counter)
    """How often each way of doing things was tried."""
    acted: Counter[str] = field(default_factory=Counter)
    """How many actions have counted in each way."""
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often something was asked, by the way of doing things and what was asked."""

    def add(self, other: Account) -> None:
        self.actions += other.actions
        self.questions += other.questions
        self.told_apart += other.told_apart
        self.faults += other.faults
        self.waits += other.waits
        self.waits_since_touch += other.waits_since_touch
        self.verdicts += other.verdicts
        self.restarts += other.restarts
        self.done += other.done
        self.acted += other.acted
        self.asked += other.asked

    @property
    def questions_per_100(self) -> float:
        """Return how often people were asked in a hundred actions."""
        return 100 * self.questions / max(1, self.actions)

    @property
    def told_apart_per_100(self) -> float:
        """Return how often people were asked what some sensor may have told, in a hundred actions."""
        return 100 * self.told_apart / max(1, self.actions)


def share(values: list[float], part: float) -> float:
    """Return the value below which a part of all lies, 0.5 for the median; 0 where there are none."""
    return sorted(values)[int(len(values) * part)] if values else 0.0
