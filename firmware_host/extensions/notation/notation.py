"""A game as text: a header in brackets, then a line a turn (game-text.md); written of a record, and read exactly.

What is read is played by the rules, whoever has written it: Lodestone, or a program whose form is known
(:mod:`firmware_host.extensions.notation.forms`). So an action that is not legal is refused where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from firmware_host.archive.format import RecordError
from firmware_host.archive.records import play_again
from firmware_host.extensions.notation import forms
from firmware_host.extensions.notation.forms import UnreadableText
from firmware_host.games.capabilities import capabilities_of, rules_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.registry import game as find_game
from firmware_host.table.ledger import Ledger, Moment

FORM = "1"
"""The number of this form of text."""
RESIGNS, LOOP, DECIDED, DRAW = "resigns", "loop", "decided", "draw"
_ENDS = {"resign": RESIGNS, "loop": LOOP, "decided": DECIDED, "draw": DRAW}
"""Kind of a moment that is no action → its word, after a star."""
TOGETHER = "&"
"""Stands between actions that are revealed together, in the order of their seats."""
_FIELD = re.compile(r"\[(\w+) ((?:[^\]\\]|\\.)*)\]")


@dataclass(frozen=True)
class Act:
    """What was done: actions by seat, or (``kind``: one of the words above) what has ended a phase or the game."""

    actions: tuple[tuple[int, str], ...] = ()
    kind: str = ""
    seat: int = 0
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True)
class WrittenGame:
    """A game as its text tells it. ``turns`` are the numbers of the turns in which the acts were done.

    ``start`` is the text of the position in which it began; None where its stack is still hidden.
    """

    game: str
    mode: str
    rules: tuple[str, ...]
    players: Mapping[int, str]
    date: str
    start: str | None
    acts: tuple[Act, ...]
    turns: tuple[int, ...]
    result: str = ""


# -- written -----------------------------------------------------------------------------------------------------------


def of_record(lines: Iterable[str]) -> WrittenGame:
    """Return the game of a record, without what was taken back. Raise RecordError as verification does."""
    ledger: Ledger | None = None
    date = ""
    for fields, replay in play_again(lines):
        ledger = replay.ledger
        date = date or str(fields.get("started") or "")[:10]
    if ledger is None or not ledger.started:
        raise RecordError("the game has not begun: there is nothing to write", 1)
    return of_ledger(ledger, date)


def of_ledger(ledger: Ledger, date: str = "", *, hidden: bool = False) -> WrittenGame:
    """Return a game that has begun, as far as it is played; ``hidden``: its stack stays hidden."""
    game, moments = ledger.game, ledger.moments
    pairs = list(pairwise(moments))
    status = ledger.now.status
    who = "+".join(map(str, status.winners)) or "draw"
    return WrittenGame(
        game.name,
        ledger.mode,
        tuple(sorted(rules_of(game))),
        {seat: ledger.name(seat) for seat in ledger.all_seats},
        date,
        None if hidden else game.text(moments[0].position),
        tuple(map(_act, moments[1:])),
        tuple(game.turn(before.position) for before, _ in pairs),
        f"{who} {status.reason or ''}".strip() if status.over else "",
    )


def _act(moment: Moment) -> Act:
    kind = _ENDS.get(moment.kind, "")
    if not kind:
        return Act(tuple(sorted(moment.actions.items())))
    return Act((), kind, moment.seat or 0, moment.removed if kind == LOOP else ())


def write(game: WrittenGame) -> str:
    """Return the text of a game, with a final line feed."""
    fields = [("Lodestone", FORM), ("Game", game.game), ("Mode", game.mode)]
    fields += [("Rule", rule) for rule in game.rules]
    fields += [(f"Player{seat}", name) for seat, name in sorted(game.players.items())]
    fields += [("Date", game.date)] if game.date else []
    fields += [("Start", game.start)] if game.start is not None else []
    fields += [("Result", game.result)] if game.result else []
    lines = [*(f"[{name} {_escape(value)}]" for name, value in fields), ""]
    turn: int | None = None
    for act, number in zip(game.acts, game.turns, strict=True):
        if number != turn:
            lines.append(f"{number}.")
            turn = number
        lines[-1] += f" {token(act)}"
    return "\n".join(lines) + "\n"


def _escape(value: str) -> str:
    return re.sub(r"([\\\]])", r"\\\1", value)


def token(act: Act) -> str:
    """Return what was done as it stands in a turn's line."""
    if act.kind:
        more = ",".join(act.nodes) if act.kind == LOOP else str(act.seat) if act.kind == RESIGNS else ""
        return f"*{act.kind}{':' if more else ''}{more}"
    return f" {TOGETHER} ".join(f"={action}" if action[:1] in "*&=" else action for _, action in act.actions)


# -- read --------------------------------------------------------------------------------------------------------------


def read(text: str) -> WrittenGame:
    """Return the game of a text, played by the rules. Raise RecordError naming the line and what is taken there."""
    return _read_foreign(text) or _read_own(text)


class _Player:
    """Plays what is read, and notes it."""

    def __init__(self, game: Game[Any], position: Any) -> None:
        self.game, self.now = game, position
        self.over = game.status(position).over
        self.result = ""
        self.acts: list[Act] = []
        self.turns: list[int] = []

    def do(self, actions: Mapping[int, str]) -> None:
        """Do actions together. Raise GameError."""
        self._note(Act(tuple(sorted(actions.items()))), lambda: self.game.apply(self.now, actions))

    def end(self, kind: str, more: str) -> None:
        """End a phase or the game by a word. Raise GameError for one that is not possible here."""
        found = capabilities_of(self.game)
        if kind == RESIGNS and re.fullmatch(r"[0-9]{1,4}", more):
            self._note(Act(kind=kind, seat=int(more)), lambda: self.game.resign(self.now, int(more)))
        elif kind == LOOP and found.analysis is not None:
            search, nodes = found.analysis, tuple(more.split(","))
            self._note(Act(kind=kind, nodes=nodes), lambda: search.call_loop(self.now, nodes))
        elif kind == DECIDED and found.decisions is not None and not more:
            decisions = found.decisions
            self._note(Act(kind=kind), lambda: decisions.settle(self.now))
        elif kind == DRAW and not more:
            self.check_goes_on()
            self.acts.append(Act(kind=kind))
            self.turns.append(self.game.turn(self.now))
            self.over, self.result = True, "draw agreed"
        else:
            raise GameError(f"*{kind}: expected *resigns:SEAT, *loop:NODES, *decided or *draw")

    def check_goes_on(self) -> None:
        """Raise GameError if the game is over."""
        if self.over:
            raise GameError("the game is over before it")

    def _note(self, act: Act, do: Callable[[], Any]) -> None:
        self.check_goes_on()
        turn = self.game.turn(self.now)
        after = do()
        self.acts.append(act)
        self.turns.append(turn)
        self.now, self.over = after.position, after.status.over
        if self.over:
            who = "+".join(map(str, after.status.winners)) or "draw"
            self.result = f"{who} {after.status.reason or ''}".strip()

    def whole_game(self, players: Mapping[int, str], date: str, start: str) -> WrittenGame:
        """Return the whole game."""
        mode: str = self.now.mode
        names = {seat: players.get(seat, f"Player {seat}") for seat in self.game.seats(mode)}
        rules = tuple(sorted(rules_of(self.game)))
        acts, turns = tuple(self.acts), tuple(self.turns)
        return WrittenGame(self.game.name, mode, rules, names, date, start, acts, turns, self.result)


def _read_own(text: str) -> WrittenGame:
    header: dict[str, str] = {}
    rules: dict[str, bool] = {}
    player: _Player | None = None
    start = ""
    for number, line in enumerate(text.split("\n"), 1):  # A name may have what else ends lines elsewhere.
        match = _FIELD.fullmatch(line.strip())
        if match and player is None:
            value = re.sub(r"\\(.)", r"\1", match[2])
            if match[1] == "Rule":
                rules[value] = True
            else:
                header[match[1]] = value
        elif line.strip():
            if player is None:
                player, start = _read_header(header, rules, number)
            _read_turn(player, line.split(), number)
    if player is None:
        player, start = _read_header(header, rules, 1)
    players = {int(name[6:]): value for name, value in header.items() if re.fullmatch(r"Player\d", name)}
    found = player.whole_game(players, header.get("Date", ""), start)
    if header.get("Result", found.result) != found.result:
        raise RecordError(f"Result: by these turns expected {found.result or 'none'}, found {header['Result'][:40]}", 1)
    return found


def _read_header(header: Mapping[str, str], rules: Mapping[str, bool], number: int) -> tuple[_Player, str]:
    if header.get("Lodestone") != FORM:
        others = ", ".join(form.words for form in forms.find_all())
        raise RecordError(f"expected [Lodestone {FORM}] first; also taken: {others}", number)
    for name in ("Game", "Mode", "Start"):
        if name not in header:
            raise RecordError(f"{name}: the header needs it", number)
    try:
        game = find_game(header["Game"], rules)
        game.seats(header["Mode"])
        position = game.parse(header["Start"])
    except GameError as error:
        raise RecordError(f"header: {error.message}", number) from error
    if position.mode != header["Mode"]:
        raise RecordError(f"Mode: expected that of Start, {position.mode}, found {header['Mode'][:20]}", number)
    return _Player(game, position), header["Start"]


def _read_turn(player: _Player, words: Sequence[str], number: int) -> None:
    label, *tokens = words
    if not re.fullmatch(r"[0-9]{1,6}\.", label):
        raise RecordError(f"expected a turn such as '1. …', found {label[:20]!r}", number)
    turn = player.game.turn(player.now)
    if int(label[:-1]) != turn:
        raise RecordError(f"expected turn {turn}, found {label[:20]}", number)
    if any(one == TOGETHER for one in (tokens[:1] + tokens[-1:])) or (TOGETHER, TOGETHER) in pairwise(tokens):
        raise RecordError(f"turn {turn}: {' '.join(tokens)[:60]}: {TOGETHER} stands between two actions", number)
    for group in _groups(tokens):
        shown = " & ".join(group)
        try:
            if group[0].startswith("*") and len(group) == 1:
                kind, _, more = group[0][1:].partition(":")
                player.end(kind, more)
                continue
            player.check_goes_on()
            seats = list(player.game.actions(player.now))
            if len(seats) != len(group):
                raise GameError(f"expected {len(seats)} actions joined by {TOGETHER}, found {len(group)}")
            player.do(dict(zip(seats, (action.removeprefix("=") for action in group), strict=True)))
        except GameError as error:
            raise RecordError(f"turn {turn}: {shown[:60]}: {error.message}", number) from error


def _groups(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield the tokens, those together that are joined."""
    group: list[str] = []
    joined = True
    for token in tokens:
        if token == TOGETHER:
            joined = True
            continue
        if not joined:
            yield group
            group = []
        group.append(token)
        joined = False
    if group:
        yield group


# -- other programs' ---------------------------------------------------------------------------------------------------


def _read_foreign(text: str) -> WrittenGame | None:
    """Return the game that another program has written; None if no game knows the form."""
    try:
        found = next((one for form in forms.find_all() if (one := form.read(text))), None)
    except UnreadableText as error:
        raise RecordError(error.message, error.line) from error
    if found is None:
        return None
    player = _Player(found.game, found.start)
    for step in found.steps:
        try:
            action, seat = step.action(player.now), player.game.actor(player.now) or 0
            if action is None:
                player.end(RESIGNS, str(seat))
            else:
                player.do({seat: action})
        except GameError as error:
            raise RecordError(f"{step.text[:60]}: {error.message}", step.line) from error
    return player.whole_game({}, "", found.game.text(found.start))
