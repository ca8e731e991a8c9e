"""A random game by sets of cells, for playouts by the thousand.

Nobody is asked stone by stone. In phase II black stones only grow in number, so the full board tells who has won: it is
filled at once, half of the empty cells black. In phase I the pass is one action among as many as there are empty cells,
so that cells and pass come in a random order of which the pass, or the closing stone, is an end: the order is drawn by
halving, only as far as needed to know what comes before that end.
"""

from __future__ import annotations

from random import Random

from firmware_host.games.coil.board import Board, board
from firmware_host.games.coil.coils import has_coil
from firmware_host.games.coil.position import Position, other
from firmware_host.games.game import Status

PASS_BIT = 1
"""Stands for the pass among cells: bit 0 is padding on every board."""
FEW = 12
"""From so few cells they are drawn one by one."""

COIL = {seat: Status(over=True, reason="coil", winners=(seat,)) for seat in (1, 2)}
FULL = {seat: Status(over=True, reason="full", winners=(seat,)) for seat in (1, 2)}


def playout(position: Position, rng: Random) -> Status:
    """Play random legal actions to the end and return the result; ``position`` may be in any phase."""
    if position.ending is not None:
        return Status(over=True, reason=position.ending, winners=(position.winner,))
    cells = board(position.size)
    black, seat, holder = position.black, position.seat, position.holder
    empty = cells.all ^ (black | position.white)
    if not holder:
        laid, passed = contract(cells, black, empty, rng)
        odd = laid.bit_count() & 1
        if not passed:
            return COIL[other(seat) if odd else seat]
        holder = other(seat) if odd else seat
        seat = other(holder)
        black |= laid
        empty ^= laid
    black |= half(cells, empty, rng, more=seat == holder)
    return COIL[holder] if has_coil(cells, black) else FULL[other(holder)]


def contract(cells: Board, black: int, empty: int, rng: Random) -> tuple[int, bool]:
    """Play phase I: return the stones laid up to the pass, or up to the one that closed a coil, and which it was."""
    bits, length = rng.getrandbits, cells.length
    laid, pool = 0, empty | PASS_BIT
    while pool != PASS_BIT:  # The end lies in the pool; what was laid comes before it, and the first half is next.
        first = pool & bits(length)
        if first & PASS_BIT:
            if not has_coil(cells, black | laid | first ^ PASS_BIT):
                return laid | _before_pass(first, rng, length), True
            pool = first
        elif has_coil(cells, black | laid | first):
            return laid | _to_closing(cells, black | laid, first, rng), False
        else:
            laid |= first
            pool ^= first
    return laid, True


def _before_pass(pool: int, rng: Random, length: int) -> int:
    """Return what comes before the pass of a pool, where nothing else can be the end."""
    laid = 0
    while pool != PASS_BIT:
        first = pool & rng.getrandbits(length)
        if first & PASS_BIT:
            pool = first
        else:
            laid |= first
            pool ^= first
    return laid


def _to_closing(cells: Board, black: int, pool: int, rng: Random) -> int:
    """Return what comes up to the stone that closes a coil, where one of the pool does."""
    laid = 0
    while pool & pool - 1:
        first = pool & rng.getrandbits(cells.length)
        if first == pool:
            continue
        if first and has_coil(cells, black | laid | first):
            pool = first
        else:
            laid |= first
            pool ^= first
    return laid | pool


def half(cells: Board, pool: int, rng: Random, *, more: bool) -> int:
    """Return a random half of some cells, every choice as likely as every other; of an odd number less or ``more``.

    Each cell is taken with a chance of a half. Which number of cells that gives tells nothing of which they are, so
    that adding or taking away random ones leaves all choices equally likely.
    """
    size = pool.bit_count()
    count = (size + more) // 2
    if size <= FEW:
        return sum(1 << cell for cell in rng.sample(list(cells.members(pool)), count))
    random, among, many = rng.random, cells.bits, len(cells.bits)
    taken = pool & rng.getrandbits(cells.length)
    wrong = taken.bit_count() - count
    side = taken if wrong > 0 else pool ^ taken
    for _ in range(abs(wrong)):
        bit = among[int(random() * many)]
        while not side & bit:
            bit = among[int(random() * many)]
        side ^= bit
    return side if wrong > 0 else pool ^ side
