"""Results on disk: JSON Lines, one game each, to be combined over runs, machines and files; and their summary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from firmware_host.extensions.lab.arena.match import Match
from firmware_host.extensions.lab.arena.statistics import MatchTally, likelihood, sequential_decision, tally
from firmware_host.link.mass_work import Row, RowsFile
from firmware_host.text.json_reader import wrong_field

SPENT = ("moves", "nodes", "seconds")
"""What each side has used in a game."""
MOST = 1e15
"""Largest number of what was used that is believed."""


def check(row: Row, sides: int) -> None:
    """Raise InvalidField, naming the field, unless a line has the fields of a game between so many sides."""

    def expect(fits: bool, name: str, what: str) -> None:
        if not fits:
            raise wrong_field(what, row, name)

    for name, most in (("opening", math.inf), ("team", sides - 1), ("repeats", math.inf), ("passes", math.inf)):
        value, upper = row.get(name), "" if math.isinf(most) else f" to {most}"
        expect(type(value) is int and 0 <= value <= most, name, f"a whole number from 0{upper}")
    expect(_is_number(row.get("score"), 1.0), "score", "a number from 0 to 1")
    expect(isinstance(row.get("reason"), str), "reason", "a text")
    expect(isinstance(row.get("fault", 0), str | None), "fault", "a text or null")
    used = row.get("used")
    sides_used = [used.get(side) for side in ("a", "b")] if isinstance(used, dict) else [None]
    for spent in sides_used:
        counted = isinstance(spent, dict) and all(_is_number(spent.get(name), MOST) for name in SPENT)
        expect(counted, "used", f"for a and b their {', '.join(SPENT)}")


def _is_number(value: object, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most


class ResultsFile(RowsFile):
    """A file of results; the keys of its rows are (opening, team). Lines of other matches are kept, but not counted."""

    rows: dict[tuple[int, int], Row]  # type: ignore[assignment]

    def __init__(self, path: Path, match: Match) -> None:
        """Read a match's results. Raise Refused for a file that can't be read or written."""
        self.match = match
        key, sides = match.key, len(match.teams)

        def key_of(row: Row) -> tuple[int, int] | None:
            if row.get("match") != key:
                return None
            check(row, sides)
            return row["opening"], row["team"]

        super().__init__(path, key_of)

    def add_game(self, result: Row) -> None:
        """Write the result of a game."""
        match = self.match
        row: dict[str, Any] = {"match": match.key, "game": match.game, "mode": match.mode, "a": match.a, "b": match.b}
        used = {side: {**result[side], "seconds": round(result[side]["seconds"], 4)} for side in ("a", "b")}
        row |= {"seed": match.seed, "used": used}
        row |= {name: value for name, value in result.items() if name not in {"a", "b"}}
        self.add((row["opening"], row["team"]), row)

    def whole(self) -> list[Row]:
        """Return the games of openings that were played from every side, up to the first opening that was not.

        A sequential test uses only these, because short games must not count before long ones.
        """
        sides, found = len(self.match.teams), []
        for number in range(len(self.rows)):
            games = [self.rows.get((number, team)) for team in range(sides)]
            if None in games:
                break
            found += [row for row in games if row is not None]
        return found


@dataclass(frozen=True)
class Summary:
    """The results of a match. ``drawn``, ``repeated``, ``passed`` and ``unfinished`` are numbers of games.

    ``used`` maps a side (``a``, ``b``) to its moves, and its seconds and nodes for a move.
    """

    match: Match
    tally: MatchTally
    test: tuple[float, float] | None
    draws: int
    repeated: int
    passed: int
    unfinished: int
    faults: Sequence[str]
    used: Mapping[str, Mapping[str, float]]

    @property
    def decision(self) -> str | None:
        """Return the sequential test's decision, None without a test or before it has decided."""
        return sequential_decision(self.tally, *self.test) if self.test else None

    def plain(self) -> dict[str, Any]:
        """Return the summary as plain data for JSON; infinite numbers are null."""
        difference, low, high = (_finite(value) for value in self.tally.elo())
        found: dict[str, Any] = {
            "match": asdict(self.match),
            "games": self.tally.games,
            "won": self.tally.wins,
            "drawn": self.tally.draws,
            "lost": self.tally.losses,
            "score": round(self.tally.score, 4),
            "score_95": [round(value, 4) for value in self.tally.interval()],
            "elo": difference,
            "elo_95": [low, high],
            "repeated": self.repeated,
            "passed": self.passed,
            "unfinished": self.unfinished,
            "faults": list(self.faults),
            "a": {**self.used["a"], "time": time_of(self.match.a)},
            "b": {**self.used["b"], "time": time_of(self.match.b)},
        }
        if self.test:
            ratio = round(likelihood(self.tally, *self.test), 3)
            found["test"] = {"low": self.test[0], "high": self.test[1], "likelihood": ratio, "decided": self.decision}
        return found


def summary(
    match: Match,
    rows: Iterable[Row],
    test: tuple[float, float] | None = None,
) -> Summary:
    """Return the summary of some games."""
    kept = list(rows)
    return Summary(
        match,
        tally((row["score"] for row in kept), len(match.teams)),
        test,
        draws=sum(0 < row["score"] < 1 for row in kept),
        repeated=sum(row["repeats"] > 0 for row in kept),
        passed=sum(row["passes"] > 0 for row in kept),
        unfinished=sum(row["reason"] == "unfinished" for row in kept),
        faults=[row["fault"] for row in kept if row["fault"]],
        used={side: _used(kept, side) for side in ("a", "b")},
    )


def time_of(player: str) -> str:
    """Return which time of a player is measured: ``cpu`` in the arena's own processes, ``wall`` of another program."""
    return "wall" if player.startswith("engine:") else "cpu"


def _used(rows: Sequence[Row], side: str) -> dict[str, float]:
    """Return one side's number of moves, and its mean seconds and nodes for a move."""
    total = {name: sum(row["used"][side][name] for row in rows) for name in SPENT}
    moves = max(1, total["moves"])
    return {
        "moves": total["moves"],
        "seconds_a_move": round(total["seconds"] / moves, 6),
        "nodes_a_move": round(total["nodes"] / moves, 1),
    }


def _finite(value: float) -> float | None:
    return round(value, 1) if math.isfinite(value) else None
