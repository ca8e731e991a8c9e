"""Paths of pieces, for the arrows of the board's drawing: the last step, and the moves that hands are asked for.

They are derived from the table's state, as the lights are, and match the tasks: one stone at a time while the
board is mended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from firmware_host.games.game import PieceMove, Step
from firmware_host.table.queries import stages
from firmware_host.table.state import TableState
from firmware_host.table.view_form import Arrow
from firmware_host.table.watch import Fix

Way = tuple[str, ...]
"""The path of a piece: the node it leaves, those it passes in order along a line, the node it reaches."""

MADE, ASKED = "made", "asked"


def arrows(table: TableState, last: Step | None) -> list[Arrow]:
    """Return the arrows to draw now (docs/view.md), the fainter ones first; ``last`` is the :func:`last_step`."""
    if not table.ledger.started:
        return []
    asked = [] if table.held else list(_asked(table))
    return told(MADE, ways_of(last) if last else []) + told(ASKED, asked)


def brought(last: Step | None) -> list[str]:
    """Return the nodes to which the last step brought pieces from beside the board: no arrow shows them."""
    return [move.target for move in last.moves if move.source is None and move.target] if last else []


def last_step(table: TableState) -> Step | None:
    """Return the last step; None while the board is being mended: what was done would distract."""
    ledger = table.ledger
    if not ledger.started or ledger.now.kind != "action" or _mended(table) or table.phase == "setup":
        return None
    (action,) = ledger.now.actions.values()
    return stages.whole(table.game, ledger.moments[-2].position, action)


def told(kind: str, ways: Iterable[Way]) -> list[Arrow]:
    """Return some paths in the form of the view."""
    return [{"kind": kind, "nodes": list(way)} for way in ways]


def ways_of(step: Step) -> list[Way]:
    """Return the paths of a step's pieces; pieces from the supply or off the board have none."""
    ends = [(move.source, move.target) for move in step.moves if move.source and move.target]
    if step.line and ends == [(step.line[0], step.line[-1])]:
        return [step.line]  # One piece runs along it, and may end where it began.
    return [way for move in step.moves for way in _way(move)]


def _way(move: PieceMove | Fix) -> Iterator[Way]:
    if move.source and move.target and move.source != move.target:
        yield move.source, move.target


def _asked(table: TableState) -> Iterator[Way]:
    """Yield the paths along which hands are asked to carry pieces now: to mend the board, or as was chosen."""
    fixes = _mended(table)
    if fixes:
        yield from _way(fixes[0])
        return
    step = _led_to(table)
    if step is not None:
        yield from ways_of(step)


def _mended(table: TableState) -> tuple[Fix, ...]:
    problem = table.watch.problem
    return problem.fixes if problem is not None and table.phase != "over" else ()


def _led_to(table: TableState) -> Step | None:
    """Return the step to which hands are led, unless it lies already or they have begun another."""
    watch = table.watch
    if table.phase != "resolving" or watch.asking or watch.verdict.kind == "settling":
        return None
    step = next((one for one in watch.tracker.steps if stages.leads_to(one, table.wanted)), None)
    begun = watch.verdict.live if watch.verdict.lifted else ()
    return step if step is None or not begun or step.action in {one.action for one in begun} else None
