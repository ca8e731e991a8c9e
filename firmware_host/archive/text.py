"""A recorded game in words, turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_host.archive.verify import Replay
from firmware_host.games.game import Game
from firmware_host.games.offers import offers_of
from firmware_host.table.clocks import clock_face, thought
from firmware_host.table.ledger import COLOUR_NAMES, Ledger, Moment, level_of

Data = Mapping[str, Any]


@dataclass
class _Block:
    """The lines under one heading. A turn of one action is written in one line."""

    heading: str
    lines: list[str] = field(default_factory=list)
    turn: tuple[int, int | None] | None = None
    """Turn and seat of the block's actions; None if the block begins with a reveal."""

    @property
    def is_one_line(self) -> bool:
        """Whether the turn was a single action."""
        return self.turn is not None and len(self.lines) == 1


class Teller:
    """Turns events into lines of text while the game is replayed."""

    def __init__(self, header: Data, replay: Replay) -> None:
        """Write the heading of a game that is about to be replayed."""
        self._replay = replay
        self._ledger = ledger = replay.ledger
        names = [ledger.name(seat) + _more_of(ledger, seat) for seat in sorted(ledger.sittings)]
        started = str(header["started"] or "not yet")[:16].replace("T", " ")
        self._head = [
            f"{ledger.game.title}, mode {header['mode']}: {', '.join(names) or 'nobody'}",
            f"Game {header['id']} on board {header['board']}, program {header['version']}, started {started} (UTC)",
            *(f"Rule {option}: {words}." for option, words in options_in_words(ledger.game).items()),
        ]
        self._head += [f"Clocks: {ledger.clock_setting.words}."] if ledger.clock_setting else []
        self._blocks: list[_Block] = []

    def tell(self, kind: str, data: Data, at: str) -> None:
        """Replay an event and add its lines. Raise Lie if it breaks the rules or seals."""
        before = list(self._ledger.moments)
        self._replay.feed(kind, data)
        told = getattr(self, f"_{kind}", None)
        if told is not None:
            for line in told(data, at, before):
                self._say(line)

    def finish(self) -> list[str]:
        """Return all lines, with the standing at the end."""
        lines = list(self._head)
        close = False
        for block in self._blocks:
            if not (close and block.is_one_line):
                lines.append("")
            close = block.is_one_line
            if close:
                lines.append(f"{block.heading}: {block.lines[0]}")
            else:
                lines += [block.heading] if block.heading else []
                lines += [f"  {line}" for line in block.lines]
        return [*lines, "", *self._standing()]

    def _say(self, line: str) -> None:
        if not self._blocks:
            self._blocks.append(_Block(""))
        self._blocks[-1].lines.append(line)

    # -- events --------------------------------------------------------------------------------------------------

    def _reveal(self, data: Data, at: str, _before: list[Moment]) -> Iterable[str]:
        ledger = self._ledger
        self._blocks.append(_Block(f"Turn {data['turn']} ({at[11:16]})"))
        for seat, action in sorted(data["actions"].items(), key=lambda item: int(item[0])):
            yield f"{ledger.name(int(seat))} places {ledger.game.words(action)}{self._thought(int(seat))}."
        yield from self._cleared(data["removed"])

    def _action(self, data: Data, at: str, before: list[Moment]) -> Iterable[str]:
        ledger = self._ledger
        words = f"{ledger.game.words(data['action'])}{self._thought(data['seat'])}."
        if self._sealed_turns(before):
            yield f"{ledger.name(data['seat'])}: {words}"
        else:
            turn = (ledger.game.turn(before[-1].position), data["seat"])
            if not self._blocks or self._blocks[-1].turn != turn:
                self._blocks.append(_Block(f"Turn {turn[0]}, {ledger.name(data['seat'])} ({at[11:16]})", turn=turn))
            yield words
        yield from self._cleared(data["removed"])

    def _thought(self, seat: int) -> str:
        """Return the seat's thinking time for the last moment, in brackets; empty without clocks."""
        standings = self._ledger.clocks_at
        spent = thought(standings, len(standings) - 1)
        return f" ({clock_face(spent.get(seat, 0))})" if standings else ""

    def _sealed_turns(self, moments: Sequence[Moment]) -> bool:
        """Tell whether turns begin with a reveal, which makes their heading."""
        return any(moment.kind == "reveal" for moment in moments)

    def _loop(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield "A search has proved that this is a loop." if data["by"] == "proof" else "All players agree on a loop."
        yield from self._cleared(self._ledger.now.removed)

    def _decided(self, _data: Data, _at: str, before: list[Moment]) -> Iterable[str]:
        yield f"All players agree: {decision_words(self._ledger.game, before[-1])}."

    def _cleared(self, removed: Sequence[str]) -> Iterable[str]:
        if removed:
            yield removal_words(self._ledger.game, removed)

    def _resign(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        name = self._ledger.name(data["seat"])
        yield f"{name} has run out of time and is out." if data.get("by") == "time" else f"{name} resigns."

    def _flag(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        name = self._ledger.name(data["seat"])
        played = {"seal": "a placement is drawn by lot", "act": "the turn is drawn by lot", None: "the game goes on"}
        yield f"{name}'s time is up: {played[data.get('stint')]}."

    def _reseal(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        if "seat" in data:
            yield f"{self._ledger.name(data['seat'])} seals turn {data['turn']} again, as the seal is lost."
        elif data.get("by") == "host":
            yield f"The host declares turn {data['turn']} void; everybody seals again."
        else:
            yield f"All seals of turn {data['turn']} are void; everybody seals again."

    def _correction(self, data: Data, _at: str, before: list[Moment]) -> Iterable[str]:
        gone = [self._moment(moment) for moment in reversed(before[data["to"] + 1 :])]
        how = _HOW[data["by"]]
        yield f"Taken back {how}: {'; '.join(gone)}."

    def _guidance(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        wish = "is shown the best way" if data["on"] else "wants no best way shown"
        yield f"{self._ledger.name(data['seat'])} {wish} from now on."

    def _hints(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"{self._ledger.name(data['seat'])} may {'' if data['on'] else 'not '}ask for hints from now on."

    def _hint(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"{self._ledger.name(data['seat'])} asks for a hint: {_TOLD[data['told']]}."

    def _mask(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"The sensor of {data['node']} is not believed any more: {data['reason']}."

    def _unmask(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"The sensor of {data['node']} is believed again."

    def _seat(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"{data['name']}{_more_of(self._ledger, data['seat'])} sits on seat {data['seat']} now."

    def _moved(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"{self._ledger.name(data['seat'])} continues on another phone."

    def _moment(self, moment: Moment) -> str:
        if moment.kind in _CALLED:
            return _CALLED[moment.kind].format(name=self._ledger.name(moment.seat or 0))
        words = [self._ledger.game.words(action) for _, action in sorted(moment.actions.items())]
        return ", ".join(words)

    # -- the standing --------------------------------------------------------------------------------------------

    def _standing(self) -> Iterable[str]:
        ledger = self._ledger
        if not ledger.started:
            yield "The game was abandoned in the lobby." if self._replay.abandoned else "The game has not begun."
            return
        if ledger.over:
            yield f"The end: {ledger.ending}"
        elif self._replay.abandoned:
            yield "The game was abandoned; as it stood:"
        else:
            yield "The game is not finished; as it stands:"
        if not ledger.over:
            yield f"  {self._whose_turn()}"
        yield from (f"  {line}" for line in score_lines(ledger))

    def _whose_turn(self) -> str:
        game, position = self._ledger.game, self._ledger.now.position
        if game.simultaneous(position):
            return f"All seal their placements of turn {game.turn(position)}."
        return f"{self._ledger.name(game.actor(position) or 0)}: {game.prompt(position)}."


_TOLD = {1: "which piece", 2: "which actions", 3: "shown on the board"}
"""Step of a hint → its words."""
_HOW = {"hand": "by hand", "agreement": "by agreement", "host": "by the host"}
"""Origin of a correction → its words."""
_CALLED = {
    "resign": "{name} had resigned",
    "loop": "a loop had been called",
    "decided": "the game had been called decided",
}
"""Kind of a moment without an action → its words when it is taken back."""


# -- sentences about a game --------------------------------------------------------------------------------------------


def _more_of(ledger: Ledger, seat: int) -> str:
    """Return further facts about a seat's player, in brackets; empty without any."""
    sitting = ledger.sittings[seat]
    more = ["computer"] if sitting.computer else []
    more += [level_of(ledger.game, sitting).name] if sitting.level else []  # Old records have no levels.
    more += ["without hints"] if seat in ledger.without_hints else []
    more += [COLOUR_NAMES[ledger.chosen_colours[seat]]] if seat in ledger.chosen_colours else []
    return f" ({', '.join(more)})" if more else ""


def options_in_words(game: Game[Any]) -> dict[str, str]:
    """Return option → description, for the options that are on."""
    found = offers_of(game).options
    return {option: found.options[option] for option, on in sorted(found.rules.items()) if on} if found else {}


def removal_words(game: Game[Any], removed: Sequence[str]) -> str:
    """Return the sentence about pieces that the rules have removed from these nodes."""
    return game.removal.event.format(nodes=", ".join(removed)) if game.removal else f"Removed: {', '.join(removed)}."


def decision_words(game: Game[Any], moment: Moment) -> str:
    """Return the reason why a game is decided at a moment."""
    decisions = offers_of(game).decisions
    found = decisions.decided(moment.position) if decisions else None
    return found.words if found else "the game is decided"


def score_lines(ledger: Ledger) -> list[str]:
    """Return a line for each player or team with the score and who has won; without scores only the winners."""
    game, status = ledger.game, ledger.now.status
    won = set(status.winners) if ledger.over else set()
    lines = []
    for seats in game.teams(ledger.mode):
        names = " and ".join(ledger.name(seat) for seat in seats)
        told = next((line for line in game.explain(ledger.now.position) if line.seats == seats), None)
        words = [game.scoring.line.format(score=told.score, tiebreak=told.tiebreak)] if game.scoring and told else []
        words += ["won"] if won & set(seats) else []
        if words:
            lines.append(f"{names}: {' - '.join(words)}")
    return lines
