"""Turns on boards that break again and again: what was committed wrongly, what crashed, which tables stood still.

EVENINGS in the environment multiplies the evenings: with 4 there are 10,000 turns of Spokes.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from firmware_host.table.hypotheses import Timings
from lodestone.soaking import ASKING, FAULTS, Account, evening

LONG = True
EVENING = 50
"""Turns of one evening: one world, one journal, several games."""
SHARES = (
    ("spokes", "presence", "2", 22),
    ("spokes", "polarity", "2", 15),
    ("spokes", "presence", "4", 5),
    ("spokes", "polarity", "2v2", 3),
    ("spokes", "level", "2", 5),
)
"""Game, kind of sensing, mode, evenings."""
LONE = (("spokes", "presence", "2", 6), ("spokes", "polarity", "2", 3), ("spokes", "level", "2", 2))
OTHERS = tuple((game, kind, "2", 5) for game in ("phalanx", "coil") for kind in ("presence", "polarity"))
TILES = tuple(("octiles", kind, mode, 3) for kind in ("presence", "coded") for mode in ("2", "3", "4"))
OTHERS_LONE = tuple((game, kind, "2", 3) for game in ("phalanx", "coil") for kind in ("presence", "polarity"))

LOOKS_MOVED = re.compile(r", stuck-on at |, stuck-off at (\w+): action {\d: '\1-\w+'}$")
"""What no sensor tells from a hand, where one sensor may decide: a sensor that gets stuck as if a piece had been put
there, or dies as if its own piece had been lifted just before one is added where that could go (moves of Phalanx)."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    total, crashes = play(SHARES, ASKING)
    rows: list[tuple[str, float, str]] = [
        ("turns played while parts break (at least: 2,500)", total.turns, f"turns, {total.games} games"),
        ("steps made by hand, each compared with what was committed", total.steps, "steps"),
        ("wrong actions committed (at most: 0)", len(total.wrong), "; ".join(total.wrong)[:300]),
        ("crashes (at most: 0)", len(crashes), "; ".join(crashes)[:300]),
        ("tables that did not go on (at most: 0)", len(total.stuck), "; ".join(total.stuck)[:300]),
    ]
    rows += [(f"  broken: {fault}", total.faults[fault], "times") for fault in FAULTS if fault != "none"]
    others, failed = play(OTHERS, ASKING)
    wrong = [*others.wrong, *others.stuck, *failed]
    rows.append(("actions of Phalanx and Coil while parts break", others.steps, f"steps, {others.games} games"))
    rows.append(("  wrong, stuck or crashed (at most: 0)", len(wrong), "; ".join(wrong)[:300]))
    tiles, failed = play(TILES, ASKING)
    wrong = [*tiles.wrong, *tiles.stuck, *failed]
    rows.append(("turns of Octiles while parts break", tiles.turns, f"turns, {tiles.games} games"))
    rows.append(("  wrong, stuck or crashed (at most: 0)", len(wrong), "; ".join(wrong)[:300]))
    for name, shares in (("", LONE), ("Phalanx and Coil: ", OTHERS_LONE)):
        lone, failed = play(shares, Timings())
        wrong, moved = told_apart(lone)
        wrong += failed
        rows.append((f"{name}one sensor may decide (as set)", lone.turns, f"turns, {lone.games} games"))
        rows.append(("  wrong, stuck or crashed (at most: 0)", len(wrong), "; ".join(wrong)[:300]))
        rows.append(
            ("  a sensor got stuck as if a hand had put or lifted its piece", len(moved), "; ".join(moved)[:300])
        )
    return rows


def told_apart(lone: Account) -> tuple[list[str], list[str]]:
    """Return what one sensor may not decide, and what it can't but decide: :data:`LOOKS_MOVED`."""
    moved = [one for one in lone.wrong if LOOKS_MOVED.search(one)]
    return [one for one in [*lone.wrong, *lone.stuck] if one not in moved], moved


def play(shares: Sequence[tuple[str, str, str, int]], timings: Timings) -> tuple[Account, list[str]]:
    """Play all evenings on all cores; return their sum, and what crashed."""
    # Only here: others take what stands above from this module, also without that folder.
    from firmware_host.link.mass_work import Workers, cores, work  # noqa: PLC0415

    times = int(os.environ.get("EVENINGS", "1"))
    wanted = [
        (game, kind, mode, seed, timings) for game, kind, mode, evenings in shares for seed in range(evenings * times)
    ]
    total, crashes = Account(), []
    for _, (account, crashed) in work(one_evening, [(entry, entry) for entry in wanted], Workers(cores())):
        total.add(account)
        crashes += [crashed] if crashed else []
    return total, crashes


def one_evening(game: str, kind: str, mode: str, seed: int, timings: Timings) -> tuple[Account, str]:
    """Play one evening in a folder of its own; return what came of it, and what was raised."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            account = evening(Path(folder), EVENING, kind=kind, mode=mode, seed=seed, timings=timings, game=game)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is counted here
            return Account(), f"{type(error).__name__}: {error}"
        return account, ""
