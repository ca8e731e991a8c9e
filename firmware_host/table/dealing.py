"""Shuffled games: the seed that deals them, and the seal by which everybody can check later that it was not changed.

The seed is drawn when the lobby opens. Until the game is over it is in the journal and in the table's memory, and on no
page; what everybody sees is the seal of the deal: a hash of the seed and of the position in which the game begins.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import BadPosition, Game
from firmware_host.text.words import say

SEED = "seed"
"""The start option that holds the seed of a shuffle."""
TAG = "lodestone-deal-v1"

Seed = int | str
"""The seed of a deal: 32 lower-case hex digits, 128 bits; a number in older journals and records."""

_HEX = re.compile(r"[0-9a-f]{32}")


def is_seed(value: object) -> bool:
    """Return whether a value can be the seed of a new game: 32 lower-case hex digits."""
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


def is_dealt(game: Game[Any]) -> bool:
    """Return whether a game begins with a shuffle, and so needs a seed."""
    options = capabilities_of(game).start_options
    return options is not None and SEED in options.start_options


def starting(game: Game[Any], mode: str, data: Mapping[str, Any]) -> Any:
    """Return the position in which a game begins: the given one, or the game's own.

    A shuffled game is dealt from the ``seed`` of the entry. Raise BadPosition if the given position is not valid.
    """
    if data.get("given"):
        position = game.parse(data["position"])
        if position.mode != mode or game.status(position).over:
            raise BadPosition(say("position: expected one of mode {mode} that is not over", mode=mode))
        return position
    options = capabilities_of(game).start_options
    if options and is_dealt(game):
        seed: Seed = data[SEED]
        return options.start_with(mode, {SEED: int(seed, 16) if isinstance(seed, str) else seed})
    return game.start(mode)


def deal_seal(game_id: str, seed: Seed, position: str) -> str:
    """Return the seal of a deal, 64 hex digits: of the seed, and of the text of the position in which the game begins.

    The fields are joined by line feeds, as those of a placement's seal are; none of them can contain one.
    """
    return hashlib.sha256("\n".join((TAG, game_id, str(seed), position)).encode("ascii")).hexdigest()


def shown_short(seal: str) -> str:
    """Return the beginning of a seal, as people compare it: five groups of four digits."""
    return " ".join(seal[at : at + 4] for at in range(0, 20, 4))
