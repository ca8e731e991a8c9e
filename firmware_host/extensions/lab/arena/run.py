"""Plays the games of a match: in processes of this machine, or on a Dask cluster (mass-work.md)."""

from __future__ import annotations

from collections.abc import Callable

from firmware_host.extensions.lab.arena.match import schedule
from firmware_host.extensions.lab.arena.referee import dismiss_now, play
from firmware_host.extensions.lab.arena.results import ResultsFile, Summary, summary
from firmware_host.link.mass_work import Workers, work

Report = Callable[[Summary], None]


def run(
    results: ResultsFile,
    games: int,
    *,
    workers: Workers = Workers(),  # noqa: B008 - it is frozen
    test: tuple[float, float] | None = None,
    report: Report = lambda _: None,
) -> Summary:
    """Play until there are ``games`` games, or the test has decided; each game is written once it is over.

    Games that the file already holds are not played again. ``report`` is called with the standing after each game.
    Raise LeftOut, once the others are played, for games whose processes have ended.
    """
    match = results.match
    missing = [(key, (match, *key)) for key in schedule(match, games) if key not in results.rows]
    done = work(
        play,
        missing,
        workers,
        enough=lambda: test is not None and standing(results, test).decision is not None,
        at_end=dismiss_now,
    )
    for _, row in done if missing else ():
        results.add_game(row)
        report(standing(results, test))
    return standing(results, test)


def standing(results: ResultsFile, test: tuple[float, float] | None = None) -> Summary:
    """Return the present summary of a match: with a test of the complete openings, else of all games."""
    return summary(results.match, results.whole() if test else results.rows.values(), test)
