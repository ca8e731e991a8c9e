"""The summary of a game for lists, folded from the few entries about its life cycle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from firmware_host.games.game import GameError
from firmware_host.games.levels import NO_LEVEL
from firmware_host.games.registry import game as find_game
from firmware_host.table.ledger import LOST_ON_TIME, TAKEN_UP

END_KINDS = ("abandoned", "result")
"""The kinds of entry that end a game; an abandoned game may still be resumed by the host, a result taken back."""
LIFE_KINDS = ("game", "mode", "seat", "left", "start", "resign", "correction", TAKEN_UP, *END_KINDS)
"""The kinds of entry that :func:`summarise` reads."""


@dataclass(frozen=True)
class GameSummary:
    """One game as lists show it. ``state`` is ``lobby``, ``unfinished``, ``finished`` or ``abandoned``.

    ``started`` is when play began (for a lobby: when it opened); ``seats`` maps a seat to its name; ``turns`` is the
    last turn in which somebody has played, 0 before; ``events`` counts all entries; ``winners`` are seats; ``rules``
    are the options that are on; ``board`` is the name of the board on which it began; ``ended`` is when it was over or
    abandoned; ``computers`` maps the seat of a computer to its level (NO_LEVEL: none was chosen); ``changed`` are the
    seats whose player, or computer's level, changed during the game; ``late`` is the seat whose time ended the game
    (``reason`` is ``time`` then), else 0; ``end`` is the number of the event by which it ended: a game that ended
    later has a higher one, whatever a clock says.
    """

    id: str
    game: str
    mode: str
    started: str
    seats: Mapping[int, str]
    turns: int
    events: int
    state: str
    reason: str | None = None
    winners: tuple[int, ...] = ()
    rules: Mapping[str, bool] = field(default_factory=dict)
    board: str = ""
    ended: str | None = None
    computers: Mapping[int, int] = field(default_factory=dict)
    changed: tuple[int, ...] = ()
    late: int = 0
    end: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Return the players' names in the order of their seats."""
        return tuple(name for _, name in sorted(self.seats.items()))

    @property
    def title(self) -> str:
        """Return the game's title with its rule options."""
        return full_title(self.game, self.rules)


def full_title(game: str, rules: Mapping[str, bool]) -> str:
    """Return a game's title with the options that are on; for an unknown game its short name."""
    try:
        title = find_game(game).title
    except GameError:
        title = game
    return " with ".join((title, ", ".join(sorted(rules)))) if rules else title


def turn_of(game: str, rules: Mapping[str, bool], position: str) -> int:
    """Return the turn of a position's text, 0 if this program can't read it."""
    try:
        known = find_game(game, rules)
        return known.turn(known.parse(position))
    except GameError:
        return 0


def summarise(
    game_id: str, life: Iterable[tuple[str, str, Mapping[str, Any]]], *, turns: int, events: int, end: int = 0
) -> GameSummary:
    """Return the summary of entries ``(kind, at, data)`` of LIFE_KINDS, oldest first; malformed: KeyError etc."""
    life = list(life)
    game = mode = "?"
    rules: Mapping[str, bool] = {}
    board, started, state = "", "", "lobby"
    seats: dict[int, str] = {}
    reason: str | None = None
    ended: str | None = None
    winners: tuple[int, ...] = ()
    late = 0
    for kind, at, data in life:
        started = started or at
        if kind == "game":
            game, mode, rules, board = data["game"], data["mode"], dict(data["rules"]), data["board"]
        elif kind == "mode":
            mode = data["mode"]
            seats = _remaining_seats(game, mode, seats)
        elif kind == "seat":
            seats[data["seat"]] = data["name"]
        elif kind == "left":
            seats.pop(data["seat"], None)
        elif kind == "start":
            started, state = at, "unfinished"
        elif kind == "resign":
            late = data["seat"] if data.get("by") == "time" else 0
        elif kind == "result":
            ended, state, winners = at, "finished", tuple(data["winners"])
            late = late if data["reason"] == "resigned" else 0
            reason = LOST_ON_TIME if late else data["reason"]
        elif kind == "abandoned":
            state, ended = "abandoned", at
        elif kind == TAKEN_UP and state == "abandoned":
            state, ended = "unfinished", None
        elif kind == "correction" and state == "finished":
            state, ended, reason, winners, late = "unfinished", None, None, (), 0
    computers, changed = _players(life, seats)
    return GameSummary(
        game_id, game, mode, started, seats, turns, events, state, reason, winners, rules, board, ended,
        computers, changed, late, end,
    )  # fmt: skip


def _players(
    life: Iterable[tuple[str, str, Mapping[str, Any]]], seats: Mapping[int, str]
) -> tuple[dict[int, int], tuple[int, ...]]:
    """Return the level of each computer that has a seat, and the seats whose player changed during the game."""
    computers: dict[int, int] = {}
    changed: set[int] = set()
    playing = False
    for kind, _, data in life:
        playing = playing or kind == "start"
        if kind == "seat":
            computers.pop(data["seat"], None)
            if data["computer"]:
                computers[data["seat"]] = data.get("level", NO_LEVEL)
            if playing:
                changed.add(data["seat"])
    return {seat: level for seat, level in computers.items() if seat in seats}, tuple(sorted(changed))


def _remaining_seats(game: str, mode: str, seats: Mapping[int, str]) -> dict[int, str]:
    """Return the seats that remain after a change of mode; in a game unknown to this program all."""
    try:
        there = find_game(game).seats(mode)
    except GameError:
        return dict(seats)
    return {seat: name for seat, name in seats.items() if seat in there}
