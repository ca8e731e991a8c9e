"""Sentences of a replay about its game, for translation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from firmware_host.archive.format import DATA, FORMAT, FORMATS, RecordError
from firmware_host.games.game import Game
from firmware_host.games.offers import offers_of
from firmware_host.table.ledger import Ledger, Moment
from firmware_host.text.words import fill, joined, listed, say


def options(game: Game[Any]) -> list[str]:
    """Return the active options of a game, each with what it changes."""
    found = offers_of(game).options
    return [found.options[name] for name, on in sorted(found.rules.items()) if on] if found else []


def removal(game: Game[Any], removed: Sequence[str]) -> str:
    """Return the sentence that the rules have taken pieces off the board."""
    nodes = ", ".join(removed)
    return fill(game.removal.event, nodes=nodes) if game.removal else say("Removed: {nodes}.", nodes=nodes)


def decision(game: Game[Any], moment: Moment) -> str:
    """Return why a game is decided at a moment, in words."""
    decisions = offers_of(game).decisions
    found = decisions.decided(moment.position) if decisions else None
    return found.words if found else say("the game is decided")


def winners(ledger: Ledger) -> str:
    """Return the sentence about the winners of a finished game."""
    names = [ledger.name(seat) for seat in ledger.now.status.winners]
    if not names:
        return say("A draw.")
    if len(names) == 1:
        return say("{name} has won.", name=names[0])
    return say("{names} have won.", names=listed(names))


def waiting(ledger: Ledger) -> str:
    """Return what an unfinished game waits for, in words."""
    game, position = ledger.game, ledger.now.position
    if game.simultaneous(position):
        return say("All players seal their placements of turn {turn}.", turn=game.turn(position))
    return say("{name}: {prompt}.", name=ledger.name(game.actor(position) or 0), prompt=game.prompt(position))


def scores(ledger: Ledger, moment: Moment) -> Iterator[str]:
    """Yield a line for each player or team: the score at a moment of a game that counts, and the winners."""
    game, won = ledger.game, set(moment.status.winners) if moment.status.over else set()
    told = {line.seats: line for line in game.explain(moment.position)}
    for seats in game.teams(ledger.mode):
        line, words = told.get(seats), []
        if game.scoring and line:
            words.append(fill(game.scoring.line, score=line.score, tiebreak=line.tiebreak))
        if won & set(seats):
            words.append(say("won"))
        if words:
            yield say("{names}: {score}", names=listed(map(ledger.name, seats)), score=joined(words, " - "))


def unreadable(lines: Sequence[str], error: RecordError) -> str:
    """Return why a record can't be shown, in words: another version's, or changed, or nothing was played."""
    header, *events = (_fields(line) for line in lines or [""])
    version = str(header.get("version", "?"))[:20]
    written = header.get("record", FORMAT)
    if isinstance(written, int) and written not in FORMATS:
        return say(
            "This record has format {written}, this program reads format {known}: Lodestone {version} wrote it.",
            written=written,
            known=FORMATS[-1],
            version=version,
        )
    strange = sorted({str(event.get("kind", ""))[:20] for event in events} - set(DATA) - {""})
    if strange:
        return say(
            "This record contains events that this program does not know ({kinds}): Lodestone {version} wrote it.",
            kinds=", ".join(strange[:3]),
            version=version,
        )
    if error.line is None:
        return say("This record can't be shown: {reason}", reason=error.args[0])
    return say(
        "This record can't be shown: something in it was changed or is missing, first in line {line} ({reason}).",
        line=error.line,
        reason=error.args[0].removeprefix(f"line {error.line}: "),
    )


def _fields(line: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}
