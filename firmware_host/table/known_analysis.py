"""What is known of the present position: searches' answers are merged, and what is still true after an action is kept.

None of it is journalled: a search finds it again. A table shows it (:class:`firmware_host.table.state.Table`); only
:func:`learn` and :func:`carry_over` replace it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from firmware_host.games.game import Analysis
from firmware_host.table.subject import Holder, SubjectState


@dataclass(frozen=True)
class Known:
    """The analysis of one position; ``seconds`` is how long the search that found its path has looked."""

    position: Hashable
    analysis: Analysis
    seconds: float


KNOWN: SubjectState[Known | None] = SubjectState(None)


def known_of(table: Holder, position: Hashable) -> Analysis | None:
    """Return what is known of a position, None of any but the last one that was searched."""
    known = KNOWN.of(table)
    return known.analysis if known is not None and known.position == position else None


def learn(table: Holder, position: Hashable, news: Analysis, seconds: float) -> None:
    """Merge a search's answer with what earlier searches have proved."""
    old = KNOWN.of(table)
    if old is None or old.position != position or news.in_loop:
        merged = Known(position, news, seconds)
    elif _better_way(old, news, seconds):
        merged = Known(position, news.with_proofs_of(old.analysis), seconds)
    else:
        merged = Known(position, old.analysis.with_proofs_of(news), old.seconds)
    KNOWN.put(table, merged)


def carry_over(table: Holder, before: Hashable, action: str, after: Hashable) -> None:
    """Keep what is still true after an action."""
    known = KNOWN.of(table)
    if known is not None and known.position == before:
        carried = known.analysis.after(action)
        KNOWN.put(table, Known(after, carried, known.seconds) if carried is not None else None)


def _better_way(old: Known, news: Analysis, seconds: float) -> bool:
    """Return whether to show a new answer's path: it is better, was searched for longer, or can't be beaten.

    Of two paths that can't be beaten the first stays, so that players who follow it are not led back and forth.
    """
    if news.exact or old.analysis.exact:
        return not old.analysis.exact
    found = old.analysis
    return found.end is None or (news.end is not None and (news.worth, seconds) > (found.worth, old.seconds))
