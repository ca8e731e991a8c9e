"""Game records: games of the journal listed, told in words, exported as JSON Lines; and verification of such lines.

A record holds public knowledge only: no claims of phones, and only the commitment of a placement that was not revealed.
Verification needs nothing but the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware_host.archive.format import CLOCKED, FORMAT, RecordError, read_lines, write_lines
from firmware_host.archive.journal import Entry, Journal
from firmware_host.archive.summary import GameSummary, full_title
from firmware_host.archive.verify import ANY_TIME, GameReplay, InvalidRecord
from firmware_host.games.capabilities import CIRCLED, ENDLESS, capabilities_of
from firmware_host.games.clocks import clock_face, thinking_times
from firmware_host.games.drawing import COLOUR_NAMES
from firmware_host.games.game import Game, GameError
from firmware_host.games.levels import NO_LEVEL
from firmware_host.games.registry import game as find_game
from firmware_host.table.ledger import TAKEN_UP, Ledger, LedgerError, Moment, is_beside, level_of
from firmware_host.table.subjects import hints
from firmware_host.text.words import fill, join_sentences, list_of, say

__all__ = [
    "RecordError",
    "RecordReport",
    "export",
    "file_lines",
    "find",
    "list_text",
    "play_again",
    "show_text",
    "verify_file",
    "verify_lines",
]


MAX_LINE = 1 << 20
"""Longest line of a record that is read, bytes; the longest so far has a few thousand."""


@dataclass(frozen=True)
class RecordReport:
    """The result of a successful verification. ``game`` is the title with the options that are on.

    ``turns`` counts the turns in which somebody played; ``seals`` counts the openings that fit their commitments.
    """

    id: str
    game: str
    mode: str
    events: int
    turns: int
    seals: int
    state: str
    deal: bool = False
    """Whether the game was dealt; the deal then fits its seal from before the first move."""
    lots: int = 0
    """How many pieces of the stack were drawn by lots, which the tables had sealed before the first one."""

    def __str__(self) -> str:
        sealed = f", {self.seals} placements as they were sealed" if self.seals else ""
        sealed += ", dealt as it was sealed" if self.deal else ""
        sealed += f", {self.lots} lots as they were sealed" if self.lots else ""
        return (
            f"{self.id} is in order: {self.events} events, {self.turns} turns by the rules of {self.game} (mode"
            f" {self.mode}){sealed}; {self.state}"
        )


def find(journal: Journal, prefix: str) -> str:
    """Return the only id that begins with ``prefix``, or whose part after the dash does. Raise RecordError."""
    ids = [summary.id for summary in journal.games()]
    if prefix in ids:
        return prefix
    found = [one for one in ids if prefix and (one.startswith(prefix) or one.partition("-")[2].startswith(prefix))]
    if not found:
        raise RecordError(f"no game {prefix!r} in {journal.path}; `lodestone record list` shows what there is")
    if len(found) > 1:
        shown = ", ".join(found[:5]) + (", …" if len(found) > 5 else "")
        raise RecordError(f"{prefix!r} is the beginning of {len(found)} games: {shown}; give more of it")
    return found[0]


# -- export ------------------------------------------------------------------------------------------------------------


def export(journal: Journal, game_id: str) -> Iterator[str]:
    """Return the lines of a game's record, without line feeds. Raise RecordError for an unknown game."""
    header, events = _record(journal, game_id)
    return write_lines(header, events)


def _record(journal: Journal, game_id: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    entries = journal.entries(game_id)
    if not entries or entries[0].kind != "game":
        raise RecordError(f"no game {game_id!r} in {journal.path}; `lodestone record list` shows what there is")
    begun = next((place for place, entry in enumerate(entries) if entry.kind == "start"), len(entries))
    head, lobby, private = entries[0].data, _lobby(entries[:begun]), _private_numbers(entries)
    public = [entry for entry in entries[:begun] if entry.kind in ANY_TIME]
    public += [entry for entry in entries[begun:] if not is_beside(entry.kind)]
    taken_up = max((entry.seq for entry in entries if entry.kind == TAKEN_UP), default=0)
    public = [entry for entry in public if entry.kind != "abandoned" or entry.seq > taken_up]
    events = [
        {"at": e.at, "kind": e.kind, "data": _public(e, private)}
        for e in public
        if e.seq not in private or e.kind == "flag"
    ]
    clocks = {"clocks": lobby.clock_setting.to_dict()} if lobby.clock_setting else {}
    header = {
        "record": CLOCKED if clocks else FORMAT,
        "id": game_id,
        "game": head["game"],
        "mode": lobby.mode,
        "rules": head["rules"],
        "seats": {str(seat): _seat_fields(lobby, seat) for seat in lobby.sittings},
        "board": head["board"],
        "version": head["version"],
        "started": entries[begun].at if begun < len(entries) else None,
        "events": len(events),
        **clocks,
    }
    return header, events


def _public(entry: Entry, private: Collection[int]) -> dict[str, Any]:
    """Return the public data of an entry: no claim, and no seed of a placement that was not revealed."""
    hidden = {"claim", "seed"} if entry.seq in private else {"claim"}
    return {name: item for name, item in entry.data.items() if name not in hidden}


def _seat_fields(lobby: Ledger, seat: int) -> dict[str, Any]:
    """Return a seat's fields of the header: name, computer, and if set its level, colour and permission of hints."""
    sitting = lobby.sittings[seat]
    chosen = {"colour": lobby.chosen_colours[seat]} if seat in lobby.chosen_colours else {}
    level = {"level": sitting.level} if sitting.level != NO_LEVEL else {}
    barred = {"hints": False} if seat in hints.KEPT.of(lobby).barred else {}
    return {"name": sitting.name, "computer": sitting.computer, **level, **chosen, **barred}


def _lobby(entries: Sequence[Entry]) -> Ledger:
    """Return the ledger at the end of the lobby: seats, names, mode. Raise RecordError."""
    head = entries[0].data
    try:
        ledger = Ledger(find_game(head["game"], head["rules"]), head["id"], head["mode"])
        for entry in entries:
            if entry.kind not in ANY_TIME:
                ledger.apply(entry.kind, entry.data)
    except (GameError, LedgerError, KeyError, TypeError) as error:
        raise RecordError(f"game {entries[0].game}: its lobby can't be understood: {error}") from error
    return ledger


def _private_numbers(entries: Iterable[Entry]) -> set[int]:
    """Return the numbers of the entries with placements that were never revealed, which stay private."""
    private: set[int] = set()
    waiting: list[Entry] = []
    for entry in entries:
        if entry.kind == "opening" or (entry.kind == "flag" and entry.data.get("stint") == "seal"):
            waiting.append(entry)
            private.add(entry.seq)
        elif entry.kind == "reveal":
            private -= {opening.seq for opening in waiting if str(opening.data["seat"]) in entry.data["actions"]}
        if entry.kind in {"reveal", "correction"} or (entry.kind == "reseal" and "seat" not in entry.data):
            waiting = []
    return private


# -- verify ------------------------------------------------------------------------------------------------------------


def play_again(lines: Iterable[str]) -> Iterator[tuple[Mapping[str, Any], GameReplay]]:
    """Yield (fields, the game after them) for each line of a record; the first line is the header.

    Raise RecordError naming the first line whose form, chain, rules or seals are wrong.
    """
    header: Mapping[str, Any] = {}
    replay: GameReplay | None = None
    for number, fields in read_lines(lines):
        try:
            if replay is None:
                header, replay = fields, GameReplay(fields)
            else:
                replay.feed(fields["kind"], fields["data"])
        except InvalidRecord as error:
            raise RecordError(str(error), number) from error
        if fields.get("kind") == "start" and fields["at"] != header["started"]:
            raise RecordError(f"at: expected the header's {header['started']}, found {fields['at']}", number)
        yield fields, replay
    if replay is None:
        raise RecordError("expected the header, found nothing: the record is empty", 1)
    if header["started"] is not None and not replay.ledger.started:
        raise RecordError("started: the header says when, but there is no start among the events", 1)


def verify_lines(lines: Iterable[str]) -> RecordReport:
    """Check the form, the chain, the rules and the seals of a record. Raise RecordError naming the first wrong line."""
    header: Mapping[str, Any] = {}
    turns: set[int] = set()
    before = 0
    for fields, replay in play_again(lines):
        header = header or fields
        if fields.get("kind") in {"reveal", "action"}:
            turns.add(before)
        ledger = replay.ledger
        before = ledger.game.turn(ledger.now.position) if ledger.started else 0
    return RecordReport(
        header["id"],
        full_title(header["game"], header["rules"]),
        header["mode"],
        header["events"],
        len(turns),
        replay.seals,
        _state(replay),
        replay.ledger.deal is not None,
        replay.ledger.drawn,
    )


def verify_file(path: Path) -> RecordReport:
    """Check a record in a file. Raise RecordError naming the first wrong line, or the file if it can't be read."""
    return verify_lines(file_lines(path))


def file_lines(path: Path) -> Iterator[str]:
    """Return the lines of a record in a file. Raise RecordError if it can't be read or is cut off."""
    number = 0
    try:
        with path.open("rb") as file:
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise RecordError(f"longer than {MAX_LINE} bytes, which no line of a record is", number)
                if not line.endswith(b"\n"):
                    raise RecordError("the file does not end with a line feed: something is missing", number)
                yield line[:-1].decode("ascii")
    except OSError as error:
        raise RecordError(f"{path}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"expected ASCII, found byte {line[error.start]:#04x}", number) from error


def _state(replay: GameReplay) -> str:
    if replay.result is not None:
        winners = replay.result["winners"]
        who = f"won by seat {' and '.join(map(str, winners))}" if winners else "a draw"
        return f"{who} ({replay.ledger.reason})"
    if replay.abandoned:
        return "abandoned"
    return "not finished" if replay.ledger.started else "not started"


# -- words -------------------------------------------------------------------------------------------------------------


def list_text(journal: Journal) -> str:
    """Return a table of all games that were started, oldest first, without a final line feed."""
    games = [summary for summary in journal.games() if summary.turns or summary.state != "lobby"]
    if not games:
        return "No games have been played yet."
    heads = ("ID", "STARTED (UTC)", "GAME", "MODE", "PLAYERS", "TURNS", "RESULT")
    rows = [heads, *(_row(summary) for summary in games)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _row(summary: GameSummary) -> tuple[str, ...]:
    result = summary.state
    if summary.state == "finished":
        winners = " and ".join(summary.seats.get(seat, f"seat {seat}") for seat in summary.winners)
        result = f"{winners} won ({summary.reason})" if winners else f"a draw ({summary.reason})"
    started = summary.started[:16].replace("T", " ")
    return (summary.id, started, summary.title, summary.mode, ", ".join(summary.names), str(summary.turns), result)


def show_text(journal: Journal, game_id: str) -> str:
    """Return a game in words, turn by turn, without a final line feed. Raise RecordError."""
    header, events = _record(journal, game_id)
    try:
        replay = GameReplay(header)
    except InvalidRecord as error:
        raise RecordError(f"game {game_id}: {error}") from error
    text = GameText(header, replay)
    for number, event in enumerate(events, 1):
        try:
            text.add(event["kind"], event["data"], event["at"])
        except (InvalidRecord, KeyError, TypeError) as error:
            raise RecordError(f"game {game_id}: event {number} ({event['kind']}): {error}") from error
    return "\n".join(text.finish())


# -- A recorded game in words, turn by turn ----------------------------------------------------------------------------


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


class GameText:
    """Turns events into lines of text while the game is replayed."""

    def __init__(self, header: Data, replay: GameReplay) -> None:
        """Write the heading of a game that is about to be replayed."""
        self._replay = replay
        self._ledger = ledger = replay.ledger
        names = [ledger.name(seat) + _more_of(ledger, seat) for seat in sorted(ledger.sittings)]
        started = str(header["started"] or "not yet")[:16].replace("T", " ")
        self._head = [
            f"{ledger.game.title}, mode {header['mode']}: {', '.join(names) or 'nobody'}",
            f"Game {header['id']} on board {header['board']}, program {header['version']}, started {started} (UTC)",
            *(f"Rule {option}: {words}." for option, words in option_words(ledger.game).items()),
        ]
        self._head += [f"Clocks: {ledger.clock_setting.words}."] if ledger.clock_setting else []
        self._blocks: list[_Block] = []
        self._taken_back, self._late = "", ledger.late
        """How a correction was made, and who had no time left before it: both are gone after it."""

    def add(self, kind: str, data: Data, at: str) -> None:
        """Replay an event and add its lines. Raise InvalidRecord if it breaks the rules or seals."""
        before = list(self._ledger.moments)
        if kind == "correction" and before:
            self._taken_back, self._late = str(self._ledger.taken_back_words(data["by"])), self._ledger.late
        self._replay.feed(kind, data)
        if kind in _LINES:
            for line in _LINES[kind](self, data, at, before):
                self._add_line(line)

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

    def _add_line(self, line: str) -> None:
        if not self._blocks:
            self._blocks.append(_Block(""))
        self._blocks[-1].lines.append(line)

    # -- events --------------------------------------------------------------------------------------------------

    def _reveal(self, data: Data, at: str, _before: list[Moment]) -> Iterable[str]:
        ledger = self._ledger
        self._blocks.append(_Block(f"Turn {data['turn']} ({at[11:16]})"))
        for seat, action in sorted(data["actions"].items(), key=lambda item: int(item[0])):
            yield f"{ledger.name(int(seat))} places {ledger.game.words(action)}{self._thinking_time(int(seat))}."
        yield from self._removal_lines(data["removed"])

    def _action(self, data: Data, at: str, before: list[Moment]) -> Iterable[str]:
        ledger = self._ledger
        words = f"{ledger.game.words(data['action'])}{self._thinking_time(data['seat'])}."
        if self._sealed_turns(before):
            yield f"{ledger.name(data['seat'])}: {words}"
        else:
            turn = (ledger.game.turn(before[-1].position), data["seat"])
            if not self._blocks or self._blocks[-1].turn != turn:
                self._blocks.append(_Block(f"Turn {turn[0]}, {ledger.name(data['seat'])} ({at[11:16]})", turn=turn))
            yield words
        yield from self._removal_lines(data["removed"])

    def _thinking_time(self, seat: int) -> str:
        """Return the seat's thinking time for the last moment, in brackets; empty without clocks."""
        standings = self._ledger.clocks_at
        spent = thinking_times(standings, len(standings) - 1)
        return f" ({clock_face(spent.get(seat, 0))})" if standings else ""

    def _sealed_turns(self, moments: Sequence[Moment]) -> bool:
        """Tell whether turns begin with a reveal, which makes their heading."""
        return any(moment.kind == "reveal" for moment in moments)

    def _loop(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield _LOOP[data["by"]]
        yield from self._removal_lines(self._ledger.now.removed)

    def _decision(self, _data: Data, _at: str, before: list[Moment]) -> Iterable[str]:
        yield f"All players agree: {decision_words(self._ledger.game, before[-1])}."

    def _draw(self, _data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield "All players agree on a draw."

    def _removal_lines(self, removed: Sequence[str]) -> Iterable[str]:
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
        if "past" in data:
            name = self._ledger.name(data["seat"])
            yield f"{name} has sealed turn {data['turn']} before: the other tables know it, this one had lost it."
        elif "seat" in data:
            yield f"{self._ledger.name(data['seat'])} seals turn {data['turn']} again, as the seal is lost."
        elif data.get("by") == "host":
            yield f"The host declares turn {data['turn']} void; everybody seals again."
        else:
            yield f"All seals of turn {data['turn']} are void; everybody seals again."

    def _correction(self, data: Data, _at: str, before: list[Moment]) -> Iterable[str]:
        gone = [self._moment(moment) for moment in reversed(before[data["to"] + 1 :])]
        yield f"{self._taken_back.removesuffix('.')}: {'; '.join(gone)}."

    def _guidance(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        wish = "is shown the best way" if data["on"] else "wants no best way shown"
        yield f"{self._ledger.name(data['seat'])} {wish} from now on."

    def _hints(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"{self._ledger.name(data['seat'])} may {'' if data['on'] else 'not '}ask for hints from now on."

    def _hint(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"{self._ledger.name(data['seat'])} asks for a hint: {_HINT_LEVELS[data['told']]}."

    def _mask(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"The sensor of {data['node']} is not believed any more: {data['reason']}."

    def _unmask(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"The sensor of {data['node']} is believed again."

    def _seat(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"{data['name']}{_more_of(self._ledger, data['seat'])} sits on seat {data['seat']} now."

    def _move_to_phone(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"{self._ledger.name(data['seat'])} continues on another phone."

    def _moment(self, moment: Moment) -> str:
        if moment.kind == "resign" and moment.seat in self._late:
            return f"{self._ledger.name(moment.seat)} had run out of time"
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
        yield from (f"  {line}" for line in score_lines(ledger, ledger.now))

    def _whose_turn(self) -> str:
        game, position = self._ledger.game, self._ledger.now.position
        if game.simultaneous(position):
            return f"All seal their placements of turn {game.turn(position)}."
        return f"{self._ledger.name(game.actor(position) or 0)}: {self._ledger.prompt}."


_LINES: Mapping[str, Callable[[GameText, Data, str, list[Moment]], Iterable[str]]] = {
    "reveal": GameText._reveal,
    "action": GameText._action,
    "loop": GameText._loop,
    "decided": GameText._decision,
    "draw": GameText._draw,
    "resign": GameText._resign,
    "flag": GameText._flag,
    "reseal": GameText._reseal,
    "correction": GameText._correction,
    "guidance": GameText._guidance,
    "hints": GameText._hints,
    "hint": GameText._hint,
    "mask": GameText._mask,
    "unmask": GameText._unmask,
    "seat": GameText._seat,
    "moved": GameText._move_to_phone,
}
"""Kind of event → its lines, from its data, its time, and the moments before."""
_HINT_LEVELS = {1: "which piece", 2: "which actions", 3: "shown on the board"}
"""Step of a hint → its words."""
_LOOP = {
    "proof": "A search has proved that this is a loop.",
    ENDLESS: "No rest can be reached any more: the stones that could still move are removed.",
    CIRCLED: "No rest can be reached any more, and the stones only circle: this ends like a loop.",
    "agreement": "All players agree on a loop.",
}
_CALLED = {
    "resign": "{name} had resigned",
    "loop": "a loop had been called",
    "decided": "the game had been called decided",
    "draw": "a draw had been agreed on",
}
"""Kind of a moment without an action → its words when it is taken back."""


# -- sentences about a game --------------------------------------------------------------------------------------------


def _more_of(ledger: Ledger, seat: int) -> str:
    """Return further facts about a seat's player, in brackets; empty without any."""
    sitting = ledger.sittings[seat]
    more = ["computer"] if sitting.computer else []
    more += [level_of(ledger.game, sitting).name] if sitting.level != NO_LEVEL else []  # Old records have no levels.
    more += ["without hints"] if seat in hints.KEPT.of(ledger).barred else []
    more += [COLOUR_NAMES[ledger.chosen_colours[seat]]] if seat in ledger.chosen_colours else []
    return f" ({', '.join(more)})" if more else ""


def option_words(game: Game[Any]) -> dict[str, str]:
    """Return option → what it changes, for the options of a game that are on."""
    found = capabilities_of(game).options
    return {name: found.options[name] for name, on in sorted(found.rules.items()) if on} if found else {}


def removal_words(game: Game[Any], removed: Sequence[str]) -> str:
    """Return the sentence that the rules have taken pieces off the board."""
    nodes = ", ".join(removed)
    return fill(game.removal.event, nodes=nodes) if game.removal else say("Removed: {nodes}.", nodes=nodes)


def decision_words(game: Game[Any], moment: Moment) -> str:
    """Return why a game is decided at a moment, in words."""
    decisions = capabilities_of(game).decisions
    found = decisions.decision(moment.position) if decisions else None
    return found.words if found else say("the game is decided")


def score_lines(ledger: Ledger, moment: Moment) -> Iterator[str]:
    """Yield a line for each player or team: the score at a moment of a game that counts, and the winners."""
    game, won = ledger.game, set(moment.status.winners) if moment.status.over else set()
    lines = {line.seats: line for line in game.explain(moment.position)}
    for seats in game.teams(ledger.mode):
        line, words = lines.get(seats), []
        if game.scoring and line:
            words.append(fill(game.scoring.line, score=line.score, tiebreak=line.tiebreak))
        if won & set(seats):
            words.append(say("won"))
        if words:
            yield say("{names}: {score}", names=list_of(map(ledger.name, seats)), score=join_sentences(words, " - "))
