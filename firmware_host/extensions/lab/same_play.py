"""Shows that players still play what they played (``make ladder`` does it first).

Each game's player, with several kinds of limits, and each peer plays some games from seeds, with few nodes. The hash of
all moves is kept in ``tools/measured/same_play.json``, with the versions (arena/versions.py) that have
played so. Where the hash is the same after the code has changed, the new version counts as the first of them: what was
measured stays valid. Where it is not, the list begins anew. The limits are not those of the levels, which are no part
of a version: a level that gets others is another contestant, and the player is still the same.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from firmware_host.extensions.lab.arena.match import Match
from firmware_host.extensions.lab.arena.players import contestant, peer, peers_of
from firmware_host.extensions.lab.arena.versions import SAME, alike
from firmware_host.games.registry import GAMES, game
from firmware_host.games.thinking import Budget, Strength, choose
from firmware_host.searching.playouts import computer_player_of

NODES = 150
"""Nodes of an action at most."""
PLAYED = (
    Strength(Budget(NODES, depth=1, evaluation=0), spread=0.2),
    Strength(Budget(NODES, depth=2, width=4), spread=0.05),
    Strength(Budget(NODES, depth=4), spread=0.05),
    Strength(Budget(NODES, variety=50)),
)
"""The limits of the players that play: each kind that a level may have. A game none of whose levels has a spread plays
without: there the values of other actions than the best one are for hints and reviews alone."""
ACTIONS = 30
"""Rounds of a game that are played."""
GAMES_EACH = 2

Choose = Callable[[Any, Any, int, Random], str]
"""Game, position, seat and random numbers → action."""


def play_hashes(name: str) -> dict[str, str]:
    """Return the hash of what a game's player (under its own name) and each of its peers play."""
    computer = computer_player_of(game(name))
    has_spread = any(one.spread for level in computer.strengths for one in (level, *level.modes.values()))
    played = [one if has_spread else replace(one, spread=0.0) for one in PLAYED]

    def player(strength: Strength) -> Choose:
        return lambda _, position, seat, rng: (
            choose(computer.think(position, seat, strength.budget, rng), strength.spread, rng).action
        )

    def peer_choice(known: str) -> Choose:
        module = peer(known)
        few = {"nodes": NODES} if "nodes" in inspect.signature(module.choose).parameters else {}
        return lambda *arguments: str(module.choose(*arguments, **few))

    modes = game(name).modes
    found = {name: _hash(name, modes, [player(strength) for strength in played])}
    for known in peers_of(name):
        found[f"peer:{known}"] = _hash(name, [modes[0], *getattr(peer(known), "MODES", ())], [peer_choice(known)])
    return found


def _hash(name: str, modes: Any, choosers: list[Choose]) -> str:
    said = [
        _moves(game(name), mode, chooser, Random(f"{mode} {number} {seed}"))
        for mode in modes
        for number, chooser in enumerate(choosers)
        for seed in range(GAMES_EACH)
    ]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def _moves(one: Any, mode: str, chooser: Choose, rng: Random) -> list[list[str]]:
    """Return the actions of a game, after two at random, round by round."""
    position, rounds = one.start(mode), []
    for number in range(ACTIONS):
        if one.status(position).over:
            break
        chosen = {
            seat: one.random_action(position, seat, rng) if number < 2 else chooser(one, position, seat, rng)
            for seat in sorted(one.actions(position))
        }
        rounds.append(list(chosen.values()))
        position = one.apply(position, chosen).position
    return rounds


def versions(name: str) -> dict[str, str]:
    """Return the version of a game's player and of each of its peers."""
    match = Match(name, game(name).modes[0], "random", "random")
    named = {name: "level:1", **{f"peer:{known}": f"peer:{known}" for known in peers_of(name)}}
    return {key: contestant(who, game(name), match).mark.split(" ")[-1] for key, who in named.items()}


def update() -> list[str]:
    """Note the present versions; return the names of those that play otherwise than before."""
    kept = json.loads(SAME.read_text(encoding="utf-8")) if SAME.exists() else {}
    changed = []
    for name in sorted(GAMES):
        now, plays = versions(name), None
        for key, version in now.items():
            known = kept.get(key, {"play": "", "versions": []})
            if version in known["versions"]:
                continue
            plays = plays or play_hashes(name)
            if plays[key] == known["play"]:
                known["versions"].append(version)
            else:
                changed.append(key)
                known = {"play": plays[key], "versions": [version]}
            kept[key] = known
    text = json.dumps(kept, indent=1, sort_keys=True) + "\n"
    if not SAME.exists() or SAME.read_text(encoding="utf-8") != text:
        SAME.write_text(text, encoding="utf-8")
        alike.cache_clear()
    return changed


if __name__ == "__main__":
    for key in update():
        print(f"{key} plays otherwise than what was measured: make ladder")
    sys.exit(0)
