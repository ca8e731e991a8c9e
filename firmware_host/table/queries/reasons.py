"""Reasons why something is not possible by the rules of the game: for hands on the board and for phones."""

from __future__ import annotations

from firmware_host.games.game import GameError
from firmware_host.games.offers import Attempt, offers_of
from firmware_host.table.errors import TableError
from firmware_host.table.sensor_model import NOTHING
from firmware_host.table.state import TableState
from firmware_host.text.words import say


def why_not(table: TableState, attempt: Attempt) -> str | None:
    """Return the rule that forbids an attempt now, as a clause; None if it is possible, or no reason is known.

    Raise TableError for a node or a piece that the game does not have.
    """
    game = table.game
    nodes = {node for node in (attempt.source, attempt.target) if node is not None}
    for node in nodes - set(game.layout().nodes):
        raise TableError("bad_node", say("node: {node} is not on this board", node=repr(node[:20])))
    if attempt.piece is not None and attempt.piece not in game.pieces:
        raise TableError("bad_action", say("piece: this game has no {piece}", piece=repr(attempt.piece[:20])))
    reasons = offers_of(game).reasons
    if reasons is None or not nodes or attempt.source == attempt.target:
        return None
    if not table.ledger.started or table.ledger.over:
        return None
    try:
        return reasons.why_not(table.ledger.now.position, attempt, table.done_stages)
    except GameError:  # The stages on the board have just changed.
        return None


def why_not_now(table: TableState, attempt: Attempt) -> str | None:
    """Return the rule that forbids an attempt of the acting seat; None if it is possible, or no seat acts alone."""
    return why_not(table, attempt) if table.phase == "resolving" else None


def rule_broken(table: TableState, node: str) -> str | None:
    """Return the rule that the sensed state of a node breaks, as a clause; None if no rule is known."""
    if table.phase not in {"resolving", "sealing"}:
        return None
    tracker, lying = table.watch.tracker, table.watch.target
    if tracker.seen[node] == NOTHING:
        return why_not(table, Attempt(node, None))
    missing = [other for other in tracker.differing if tracker.seen[other] == NOTHING and other in lying]
    source = missing[0] if len(missing) == 1 else None
    return why_not(table, Attempt(source, node, seen_piece(table, node)))


def seen_piece(table: TableState, node: str) -> str | None:
    """Return the piece that a node shows, if its sensor distinguishes pieces."""
    tracker = table.watch.tracker
    found = [piece for piece in table.game.pieces if tracker.model.fits(node, (piece,), tracker.seen[node])]
    return found[0] if len(found) == 1 else None
