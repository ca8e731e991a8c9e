"""How pieces are named on lights and phones, why one does not belong where it lies, and why something is impossible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firmware_host.games.capabilities import Attempt, capabilities_of
from firmware_host.games.game import Game, GameError, Stack, Step, bounded_cache
from firmware_host.games.naming import PIECE, STONE, TILE, Forms, Noun, Piece, forms
from firmware_host.games.positions import next_steps
from firmware_host.table.errors import TableError
from firmware_host.table.sensor_model import NOTHING
from firmware_host.table.state import Table
from firmware_host.text.words import Text, fill, join_sentences, list_of, say


def why_not(table: Table, attempt: Attempt) -> str | None:
    """Return the rule that forbids an attempt now, as a clause; None if it is possible, or no reason is known.

    Raise TableError for a node or a piece that the game does not have.
    """
    game = table.game
    nodes = {node for node in (attempt.source, attempt.target) if node is not None}
    for node in nodes - set(game.layout().nodes):
        raise TableError("bad_node", say("node: {node} is not on this board", node=repr(node[:20])))
    if attempt.piece is not None and attempt.piece not in game.pieces:
        raise TableError("bad_action", say("piece: this game has no {piece}", piece=repr(attempt.piece[:20])))
    reasons = capabilities_of(game).reasons
    if reasons is None or not nodes or attempt.source == attempt.target:
        return None
    if not table.ledger.started or table.ledger.over:
        return None
    try:
        return reasons.why_not(table.ledger.now.position, attempt, table.done_stages)
    except GameError:  # The stages on the board have just changed.
        return None


def why_not_now(table: Table, attempt: Attempt) -> str | None:
    """Return the rule that forbids an attempt of the acting seat; None if it is possible, or no seat acts alone."""
    return why_not(table, attempt) if table.phase == "resolving" else None


def rule_broken(table: Table, node: str) -> str | None:
    """Return the rule that the sensed state of a node breaks, as a clause; None if no rule is known."""
    if table.phase not in {"resolving", "sealing"}:
        return None
    tracker, lying, wells = table.watch.tracker, table.watch.target, table.layout.wells
    if lacks_piece(table, node):
        return why_not(table, Attempt(node, None))
    away = [other for other in tracker.differing if tracker.sensed[other] == NOTHING and other in lying]
    missing = [other for other in away if (other in wells) == (node in wells)]
    if not missing and node in tracker.unseen_origins():
        return None  # What may have come from there broke no rule.
    source = missing[0] if len(missing) == 1 else None
    return why_not(table, Attempt(source, node, seen_piece(table, node)))


def lacks_piece(table: Table, node: str) -> bool:
    """Return whether the sensor of a node shows that a piece, or all of a stack, is away."""
    return table.watch.tracker.sensed[node] == NOTHING or missing_piece(table, node) is not None


def missing_piece(table: Table, node: str) -> str | None:
    """Return the piece of a stack that its sensor shows to be away while others lie there; None if none is."""
    model, stack, sensed = table.watch.tracker.model, table.watch.target.get(node, ()), table.watch.tracker.sensed[node]
    left = {piece: stack[:at] + stack[at + 1 :] for at, piece in enumerate(stack)}
    return next((piece for piece, others in left.items() if others and model.fits(node, others, sensed)), None)


def seen_piece(table: Table, node: str) -> str | None:
    """Return the piece that a node shows, if its sensor distinguishes pieces."""
    tracker = table.watch.tracker
    found = [piece for piece in table.game.pieces if tracker.model.fits(node, (piece,), tracker.sensed[node])]
    return found[0] if len(found) == 1 else None


EIGHTHS = 8
"""Number of rotations of a tile."""


def a_piece(game: Game[Any], piece: str) -> str:
    """Return a piece's name with its article: ``a white stone``, ``tile 7, turned by 3 eighths``, ``a blue runner``."""
    name = game.pieces[piece]
    return name if tile_of(game, piece) is not None else forms(name).a


@bounded_cache(16)
def _tiles(game: Game[Any]) -> frozenset[str]:
    """Return the names of a game's tiles."""
    tiles = capabilities_of(game).tiles
    return frozenset(tiles.tiles) if tiles else frozenset()


@bounded_cache(16)
def _round_noun(game: Game[Any]) -> Noun:
    """Return the noun for pieces that are not tiles: stones, unless a game gives another."""
    others = [name for piece, name in game.pieces.items() if tile_of(game, piece) is None]
    nouns = {name.noun if isinstance(name, Piece) else STONE for name in others}
    return nouns.pop() if len(nouns) == 1 else PIECE


def noun(game: Game[Any], nodes: Sequence[str]) -> Noun:
    """Return the noun for pieces on some nodes: stone, hoplite; with tiles tile, runner, or piece for both."""
    if not _tiles(game):
        return _round_noun(game)
    wells = game.layout().wells
    if all(node in wells for node in nodes):
        return TILE
    return _round_noun(game) if wells.isdisjoint(nodes) else PIECE


def the_pieces(game: Game[Any], nodes: Sequence[str]) -> Text:
    """Return the words for pieces lifted from or put back on some nodes: ``the stones from H2 and H3``."""
    if len(nodes) == 1:
        return say("{piece} from {node}", piece=noun(game, nodes).the, node=nodes[0])
    return fill(noun(game, nodes).those, nodes=list_of(nodes))


def the_piece(game: Game[Any], node: str, sensed: str = "", stack: Stack | None = None) -> Forms:
    """Return the words for what lies on a node, or belongs there: ``the stone``, ``tile 9``, ``the blue runner``.

    ``sensed`` is the node's sensed state, ``stack`` its known stack.
    """
    seen = tile_of(game, sensed)
    if seen is not None:
        name = say("tile {tile}", tile=seen[0])
        return Forms(a=name, the=name, subject=name)
    if not _tiles(game) or not stack:
        return noun(game, [node])
    name_of_it = game.pieces[stack[0]]
    if tile_of(game, stack[0]) is not None and not isinstance(name_of_it, Piece):
        as_it_is = join_sentences((name_of_it,))
        return Forms(a=as_it_is, the=as_it_is, subject=as_it_is)
    return forms(name_of_it)


def tile_of(game: Game[Any], sensed: str) -> tuple[str, int] | None:
    """Return name and rotation (eighths clockwise) of a tile from its text or sensed state (``7r5``), else None."""
    name, _, turned = sensed.rpartition("r")
    return (name, int(turned)) if name in _tiles(game) else None


def rotation_words(eighths: Sequence[int]) -> str:
    """Return some rotations in words: ``turned by 0, 1 or 3 eighths``."""
    if len(eighths) == EIGHTHS:
        return say("however it is turned")
    if list(eighths) == [0]:
        return say("not turned")
    if list(eighths) == [1]:
        return say("turned by {eighths} eighth", eighths=1)
    *others, last = (str(one) for one in sorted(eighths))
    listed = say("{first} or {last}", first=", ".join(others), last=last) if others else last
    return say("turned by {eighths} eighths", eighths=listed)


def how_it_works(game: Game[Any], steps: Sequence[Step], well: str, *, lying: bool = True) -> str:
    """Return how the next tile may lie in a well: ``tile 4 may lie in b3, turned by 1 or 3 eighths``, or "".

    ``lying``: include which tile must be taken out of the well first.
    """
    moves = [(step, move) for step in steps if step.partial for move in step.moves if move.target == well]
    tiles = [tile for _, move in moves if (tile := tile_of(game, move.pieces[0])) is not None]
    if not tiles:
        return ""
    known = tiles[0][0], rotation_words(sorted({tile[1] for tile in tiles}))
    covered = next((move.pieces[0] for move in moves[0][0].moves if move.target is None), None) if lying else None
    out = tile_of(game, covered or "")
    if out is None:
        return say("tile {tile} may lie in {well}, {turned}", tile=known[0], well=well, turned=known[1])
    return say(
        "tile {tile} may lie in {well}, {turned}, once tile {covered} is out",
        tile=known[0],
        well=well,
        turned=known[1],
        covered=out[0],
    )


def nothing_belongs(game: Game[Any], nodes: Sequence[str]) -> Text:
    """Return the sentence that the pieces on some nodes do not belong there."""
    return say("{none} belongs on {nodes} now", none=noun(game, nodes).no, nodes=list_of(nodes))


def _other_colour(table: Table, node: str) -> Text | None:
    """Return the sentence that a piece of another colour belongs on a node; None if the fault is another."""
    game, wanted = table.game, table.watch.target.get(node, ())
    seen = seen_piece(table, node)
    if len(wanted) != 1 or seen is None or seen == wanted[0]:
        return None
    right, wrong = (forms(game.pieces[piece]).subject for piece in (wanted[0], seen))
    return say("{right} belongs on {node}, but {wrong} lies there", right=right, node=node, wrong=wrong)


def why_wrong(table: Table, node: str) -> str:
    """Return why the sensed state of a node does not belong there, in words."""
    game, sensed, tiles = table.game, table.watch.tracker.sensed[node], capabilities_of(table.game).tiles
    if tiles is None or node not in table.layout.wells:
        return _other_colour(table, node) or rule_broken(table, node) or nothing_belongs(game, [node])
    if sensed == "?":
        return say("what lies in {well} can't be read: lay one tile flat in it, alone", well=node)
    seen, top = tile_of(game, sensed), tiles.supply(table.ledger.now.position).piece
    if table.done_stages or table.phase != "resolving":
        if seen is not None:
            return say("no tile {tile} belongs in {well} now", tile=seen[0], well=node)
        return say("no tile belongs in {well} now", well=node)
    if seen is not None and seen[0] != top:
        return say("that is tile {tile} in {well}; tile {top} is on top of the stack", tile=seen[0], well=node, top=top)
    works = how_it_works(game, next_steps(game, table.ledger.now.position), node, lying=False)
    none = say("no turn is possible with tile {tile} in {well}", tile=top, well=node)
    return works or rule_broken(table, node) or none
