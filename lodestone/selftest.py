"""``lodestone selftest``: an installed game is held against its contract, without pytest."""

from __future__ import annotations

import argparse
from random import Random

from firmware_host.commands.options import whole
from firmware_host.games.game import GameError
from firmware_host.games.registry import game as find_game
from firmware_host.plug import Extension, Verbs
from firmware_host.text.words import Refused


class KitExtension(Extension):
    """What the kit adds to the program."""

    name = "kit"

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone selftest``."""
        verb = verbs.add_parser(
            "selftest",
            help="hold an installed game against its contract",
            description="""Play random games of each mode, and check in every position what the table expects of a game:
docs/adding-a-game.md. The first promise that is broken is named, with the position.""",
        )
        verb.add_argument("game", help="the name under which the game is installed")
        verb.add_argument("--games", type=whole(1), default=3, help="how many random games of each mode (default 3)")
        verb.set_defaults(verb=_selftest)


def _selftest(arguments: argparse.Namespace) -> int:
    from lodestone.game_contract import ContractBroken, check_game  # noqa: PLC0415 - other commands need none of it

    try:
        game = find_game(arguments.game)
    except GameError as error:
        raise Refused(str(error.message)) from error
    for mode in game.modes:
        for seed in range(arguments.games):
            try:
                actions = check_game(game, Random(seed), mode)
            except ContractBroken as error:
                raise Refused(f"{game.name}, mode {mode}, seed {seed}: {error}") from error
            print(f"mode {mode}, seed {seed}: {actions} actions, every promise is kept", flush=True)
    return 0


EXTENSION = KitExtension()
