"""The action that is being made: what was chosen, which of its stages lie on the board, what is left to tidy.

None of it is journalled. A table shows the three values (:class:`firmware_host.table.state.Table`); only the functions
here replace them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmware_host.table.subject import Holder, SubjectState

Stages = tuple[str, ...]
"""The texts of the stages that lie on the board, in order."""


@dataclass(frozen=True)
class ActionState:
    """``chosen`` is the action, or the stage of one, that was chosen on a phone, or by a computer or lot.

    ``done`` are the stages of the present action that lie on the board. ``tidying``: what is to be done off the board
    after the last action, in words.
    """

    chosen: str | None = None
    done: Stages = ()
    tidying: str | None = None


ACTION = SubjectState(ActionState())


def choose(table: Holder, action: str | None) -> None:
    """Have an action chosen, or none any more."""
    ACTION.put(table, replace(ACTION.of(table), chosen=action))


def lay(table: Holder, done: Stages) -> None:
    """Note which stages of the action lie on the board."""
    ACTION.put(table, replace(ACTION.of(table), done=done))


def tidy(table: Holder, words: str | None) -> None:
    """Note what is to be done off the board, if anything is."""
    ACTION.put(table, replace(ACTION.of(table), tidying=words))
