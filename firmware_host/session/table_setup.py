"""Preparation of tables: a new game's lobby, or a game from the journal.

Nothing is journalled or shown here: the caller writes the entries, and then uses the table.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_host.archive.journal import Journal
from firmware_host.games.capabilities import capabilities_of, rules_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.positions import Seed
from firmware_host.table.errors import TableError
from firmware_host.table.hypotheses import Timings
from firmware_host.table.ledger import TAKEN_UP, LedgerError
from firmware_host.table.state import Table
from firmware_host.table.subjects.seats import moved_seat_entries, seat_entries
from firmware_host.table.table import restore
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

    @classmethod
    def read(cls, journal: Journal, game_id: str) -> SuspendedGame:
        """Return a game of the journal. Raise JournalError naming the entry that is damaged."""
        entries = [(entry.kind, entry.data) for entry in journal.trusted_entries(game_id)]
        return cls(game_id, entries, journal.moved_claims())


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


def fresh_table(setting: Setting, game_id: str, mode: str, *, ideal: bool = False, seed: Seed | None = None) -> Table:
    """Return an empty table for a board's sensors, or (``ideal``) for sensors that see everything.

    ``seed`` deals a shuffled game; without it, it is drawn. Raise GameError for an unknown mode.
    """
    if ideal:
        kind = "coded" if capabilities_of(setting.game).tiles else "level"
        return Table(setting.game, game_id, mode, kind=kind, timings=setting.timings)
    board = setting.board.description
    ambiguous_stacks = [node for node, levels in board.calibration.items() if not levels.stacks]
    table = Table(
        setting.game,
        game_id,
        mode,
        kind=board.kind,
        timings=setting.timings,
        ambiguous_stacks=ambiguous_stacks if board.kind == "level" else (),
        seed=setting.draw(16) if seed is None else seed,
    )
    table.channels = {node: wiring.channel for node, wiring in board.nodes.items() if not wiring.ring}
    return table


def lobby(
    setting: Setting,
    mode: str,
    before: Table | None,
    at: float,
    *,
    turned: bool = False,
    game_id: str | None = None,
) -> tuple[Table, list[Entry]]:
    """Return the table of a new game and its first entries; people of the last one keep seat and colour.

    ``turned``: each moves on by one seat. ``game_id`` is that of another table's game, which is played here as well:
    then its players keep their seats who play here.
    """
    shared = game_id is not None
    game_id = game_id or f"{setting.game.name}-{setting.draw(4)}"
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
        kept = seat_entries(before.ledger, table.ledger, turned=turned)
        entries += [one for one in kept if not (shared and (before.is_far(one[1].get("seat")) or one[0] == "clocks"))]
    restore(table, entries, at)
    return table, entries


def resume(
    setting: Setting, game: SuspendedGame, at: float, *, restarted: bool = False, seed: Seed | None = None
) -> tuple[Table, list[Entry]]:
    """Return the table of a journalled game, and the entries of resuming it. Raise TableError.

    ``restarted``: the game was at the table when the program ended, so nothing but time has passed.
    """
    note: list[Entry] = [] if restarted else [(TAKEN_UP, {})]
    try:
        table = fresh_table(setting, game.id, game.entries[0][1]["mode"], seed=seed)
        restore(table, [*game.entries, *note], at)
    except (GameError, LedgerError) as error:
        raise TableError("bad_game", str(error)) from error
    moves: list[Entry] = list(moved_seat_entries(table.ledger, game.moved))
    for kind, data in moves:
        table.ledger.apply(kind, data)
    return table, [*note, *moves]
