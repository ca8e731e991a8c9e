"""Preparation of tables: a new game's lobby, or a game from the journal. Nothing is journalled or shown here."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_host.games.game import Game, GameError
from firmware_host.games.offers import offers_of, rules_of
from firmware_host.table.errors import TableError
from firmware_host.table.hypotheses import Timings
from firmware_host.table.ledger import TAKEN_UP, LedgerError
from firmware_host.table.seats import kept_seats, moved_since
from firmware_host.table.state import Table
from firmware_host.table.table import resume
from hw.ports import OpenBoard

Entry = tuple[str, Mapping[str, Any]]
"""Kind and data of a journal's entry."""


@dataclass(frozen=True)
class SuspendedGame:
    """A journalled game to be resumed: its id, and its entries, starting with its head.

    ``moved``: claims that became invalid, in any game, because their seat moved to another phone → the new claims.
    """

    id: str
    entries: Sequence[Entry]
    moved: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Setting:
    """The settings of a table that stay the same until its host chooses another game or board.

    ``draw`` takes a number of bytes and returns them at random, as hexadecimal digits, for ids and deals.
    """

    game: Game[Any]
    board: OpenBoard
    key: bytes
    version: str
    timings: Timings = field(default_factory=Timings)
    computer_pause: float = 0.8
    draw: Callable[[int], str] = secrets.token_hex


def fresh_table(setting: Setting, game_id: str, mode: str, *, ideal: bool = False) -> Table:
    """Return an empty table for a board's sensors, or (``ideal``) for sensors that see everything.

    Raise GameError for an unknown mode.
    """
    if ideal:
        kind = "coded" if offers_of(setting.game).tiles else "level"
        return Table(setting.game, game_id, mode, kind=kind, timings=setting.timings)
    board = setting.board.description
    ambiguous_stacks = [node for node, levels in board.calibration.items() if not levels.stacks]
    usable = ambiguous_stacks if board.kind == "level" else ()
    seed = setting.draw(16)
    table = Table(
        setting.game, game_id, mode, kind=board.kind, timings=setting.timings, ambiguous_stacks=usable, seed=seed
    )
    table.channels = {node: wiring.channel for node, wiring in board.nodes.items() if not wiring.ring}
    return table


def lobby(
    setting: Setting, mode: str, before: Table | None, at: float, *, turned: bool = False
) -> tuple[Table, list[Entry]]:
    """Return the table of a new game and its first entries; people of the last one keep seat and colour.

    ``turned``: each moves on by one seat.
    """
    game_id = f"{setting.game.name}-{setting.draw(4)}"
    table = fresh_table(setting, game_id, mode)
    head: dict[str, Any] = {
        "id": game_id,
        "game": setting.game.name,
        "mode": mode,
        "rules": rules_of(setting.game),
        "board": setting.board.description.name,
        "version": setting.version,
    }
    entries: list[Entry] = [("game", head)]
    if before is not None:
        entries += kept_seats(before.ledger, table.ledger, turned=turned)
    resume(table, entries, at)
    return table, entries


def taken_up(setting: Setting, what: SuspendedGame, at: float) -> tuple[Table, list[Entry]]:
    """Return the table of a resumed game, and the entries of resuming it. Raise TableError."""
    try:
        table = fresh_table(setting, what.id, what.entries[0][1]["mode"])
        resume(table, [*what.entries, (TAKEN_UP, {})], at)
    except (GameError, LedgerError) as error:
        raise TableError("bad_game", str(error)) from error
    return table, [(TAKEN_UP, {}), *moved_seats(table, what.moved)]


def moved_seats(table: Table, moved: Mapping[str, str]) -> list[Entry]:
    """Give seats of a game to the phones to which they have moved in other games; return the entries."""
    moves: list[Entry] = list(moved_since(table.ledger, moved))
    for kind, data in moves:
        table.ledger.apply(kind, data)
    return moves
