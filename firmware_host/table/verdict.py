"""The judgement of the board: counting, waiting, asking, or wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from firmware_host.games.game import Occupancy, Step
from firmware_host.table.hypotheses import Done, Hypothesis


@dataclass(frozen=True)
class Verdict:
    """The judgement of the board now.

    ``kind``: ``quiet`` (the board matches the position), ``moving`` (something legal is under way), ``settling``
    (``done`` lies on the board and counts at ``due``), ``ask`` (``choices`` can't be distinguished; asked at ``due``),
    ``wrong`` (``foreign`` nodes differ and nothing legal explains them; ``target`` is the nearest valid board). While
    something is ``moving``, ``foreign`` are pieces that it does not move, if no others are lifted.
    ``live`` are the steps under way; ``lifted`` the nodes where their pieces are missing.
    """

    kind: str
    done: Done = field(default_factory=Done)
    due: float | None = None
    live: tuple[Step, ...] = ()
    lifted: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    choices: tuple[Hypothesis, ...] = ()
    target: Occupancy | None = None


def ask(
    choices: Sequence[Hypothesis], due: float, live: Iterable[Hypothesis] = (), lifted: tuple[str, ...] = ()
) -> Verdict:
    """Return a verdict that asks which of these was done."""
    shown = {one.step.action: one.step for one in (*live, *choices)}
    return Verdict("ask", due=due, choices=tuple(choices), live=tuple(shown.values()), lifted=lifted)
