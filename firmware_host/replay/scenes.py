"""A record as a series of scenes: the board, its lights, and words.

Moments that were taken back are left out: there is a scene for the start, one for each reveal, action, call or
resignation in force, one more where the rules then removed pieces, and one for the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, overload

from firmware_host.archive.format import RecordError
from firmware_host.archive.records import play_again
from firmware_host.archive.verify import Replay
from firmware_host.games.game import Game, Occupancy, PieceMove, Stack, Step
from firmware_host.replay import captions as words_of
from firmware_host.replay.seals import Seals, SealShown
from firmware_host.table.clocks import thought
from firmware_host.table.guide import Lamp, Lamps
from firmware_host.table.ledger import Ledger, Moment
from firmware_host.table.stages import whole
from firmware_host.table.view import Way, ways_of
from firmware_host.text.words import joined, listed, say

FAINTEST = 0.4
"""The brightness of the last kind of piece, relative to the first: colour is never the only sign."""


@dataclass(frozen=True)
class ClockStood:
    """A seat's clock at a moment, ms: time left (None: no limit), used, and thought for this moment alone."""

    seat: int
    left: int | None
    used: int
    thought: int


@dataclass(frozen=True)
class Scene:
    """One moment as it is shown. ``lamps`` are all lights of the strip, ``marks`` those that show what has happened.

    ``actor`` is the seat that acted, None for no seat or all; ``at`` is the time, UTC in ISO 8601; ``plays`` maps
    pieces' owners. ``scores`` are the lines of the scores at this moment, empty for a game without scores; ``seals``
    are those that were opened for it, and at the end those never opened. ``ways`` are the paths of pieces since the
    moment before; ``clocks`` the state of the clocks, empty without any.
    """

    board: Occupancy
    marks: Lamps
    lamps: Lamps
    turn: int
    actor: int | None
    words: str
    at: str
    plays: Mapping[int, str]
    scores: tuple[str, ...] = ()
    seals: tuple[SealShown, ...] = ()
    ways: tuple[Way, ...] = ()
    clocks: tuple[ClockStood, ...] = ()


Shot = Callable[[], Scene]


class Scenes(Sequence[Scene]):
    """All scenes, oldest first; each is made on first use, as that takes long for some games.

    Thread-safe.
    """

    def __init__(self, shots: Sequence[Shot]) -> None:
        """Begin with no scene made."""
        self._shots = shots
        self._made: list[Scene | None] = [None] * len(shots)

    def __len__(self) -> int:
        return len(self._shots)

    @overload
    def __getitem__(self, at: int) -> Scene: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Scene]: ...
    def __getitem__(self, at: int | slice) -> Scene | Sequence[Scene]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        made = self._made[at]
        if made is None:
            made = self._made[at] = self._shots[at]()
        return made

    def made(self) -> int:
        """Return the number of scenes made."""
        return sum(scene is not None for scene in self._made)


@dataclass(frozen=True)
class Film:
    """A whole record to show: header, game under its rules, names and colours by seat, scenes (at least one).

    ``standing`` are the lines of the result, empty for a game that is unfinished or has no scores.
    """

    header: Mapping[str, Any]
    game: Game[Any]
    names: Mapping[int, str]
    colours: Mapping[int, int]
    scenes: Scenes
    standing: tuple[str, ...]
    clocks: str | None = None
    """The time control, in words."""
    over: bool = False
    """Whether the game has ended."""
    moments: Sequence[Moment] = ()
    """The moments in force, the first one the start."""

    @property
    def rules(self) -> list[str]:
        """Return the active options, in words."""
        return words_of.options(self.game)


def film(lines: Iterable[str]) -> Film:
    """Verify a record and return its film. Raise RecordError naming the first line that fails, or for no moment."""
    header: Mapping[str, Any] = {}
    times: list[str] = []
    seals = Seals()
    ledger: Ledger | None = None
    last: Replay | None = None
    for fields, last in play_again(lines):
        header, ledger = header or fields, last.ledger
        del times[len(ledger.moments) :]  # What was taken back is left out.
        times += [fields.get("at", "")] * (len(ledger.moments) - len(times))
        if "kind" in fields:
            seals.follow(fields["kind"], fields["data"], len(ledger.moments))
    if ledger is None or last is None or not ledger.started:
        raise RecordError(say("game {id} has not begun: there is nothing to replay", id=header.get("id", "")))
    scenes = Scenes(tuple(_Camera(ledger, times, seals).shots(last.abandoned)))
    names = {seat: ledger.name(seat) for seat in ledger.all_seats}
    standing = tuple(words_of.scores(ledger, ledger.now)) if ledger.over and ledger.game.scoring else ()
    setting = ledger.clock_setting
    clocks = setting.words if setting else None
    return Film(
        header, ledger.game, names, ledger.colours, scenes, standing, clocks, over=ledger.over, moments=ledger.moments
    )


class _Camera:
    """Makes scenes from the moments of a replayed game."""

    def __init__(self, ledger: Ledger, times: list[str], seals: Seals) -> None:
        self._ledger, self._game, self._times, self._seals = ledger, ledger.game, times, seals
        pieces = list(ledger.game.pieces)
        fade = (1.0 - FAINTEST) / max(1, len(pieces) - 1)
        self._strength = {piece: 1.0 - fade * place for place, piece in enumerate(pieces)}

    def shots(self, abandoned: bool) -> Iterator[Shot]:
        """Yield the data of each scene, oldest first."""
        moments = self._ledger.moments
        yield partial(self._start, moments[0])
        for number in range(1, len(moments)):
            yield partial(self._moment, number)
            if moments[number].removed:
                yield partial(self._gone, number)
        yield self._end if self._ledger.over else partial(self._unfinished, abandoned)

    # -- one moment ------------------------------------------------------------------------------------------------

    def _start(self, moment: Moment) -> Scene:
        teams = self._game.teams(self._ledger.mode)
        sides = joined([listed(map(self._ledger.name, team)) for team in teams], say(" against "))
        return self._scene(0, moment, moment.placed, {}, say("The game begins: {sides}.", sides=sides))

    def _moment(self, number: int) -> Scene:
        before, moment = self._ledger.moments[number - 1 : number + 1]
        marks, words = _SHOTS[moment.kind](self, before, moment)
        seals = self._seals.opened(number, self._game)
        scene = self._scene(number, moment, moment.placed, marks, words, self._game.turn(before.position), seals=seals)
        return replace(scene, ways=self._ways(before, moment))

    def _ways(self, before: Moment, moment: Moment) -> tuple[Way, ...]:
        steps = [whole(self._game, before.position, action) for action in moment.actions.values()]
        return tuple(way for step in steps if step and moment.kind == "action" for way in ways_of(step))

    def _gone(self, number: int) -> Scene:
        before, moment = self._ledger.moments[number - 1 : number + 1]
        words, turn = words_of.removal(self._game, moment.removed), self._game.turn(before.position)
        return self._scene(number, moment, moment.placed, self._removed(moment), words, turn)

    def _removed(self, moment: Moment) -> Lamps:
        removal = self._game.removal
        meaning = removal.meaning if removal else "remove"
        return {
            node: Lamp(meaning, words_of.removal(self._game, (node,)), way=moment.removed, order=order)
            for order, node in enumerate(moment.removed)
        }

    def _end(self) -> Scene:
        ledger, game = self._ledger, self._game
        position, status = ledger.now.position, ledger.now.status
        board = game.occupancy(position)
        marks: Lamps = {}
        way = tuple(game.decisive(position))
        for seat in status.winners:
            nodes = way or tuple(game.homes(ledger.mode, seat))
            for order, node in enumerate(nodes):
                strength = 1.0 if way else min(1.0, 0.25 + 0.375 * len(board.get(node, ())))
                marks[node] = Lamp("won", say("{name} has won", name=ledger.name(seat)), seat, way, order, strength)
        words = joined([words_of.winners(ledger), ledger.ending], " ")
        return self._scene(len(ledger.moments) - 1, ledger.now, board, marks, words, actor=None)

    def _unfinished(self, abandoned: bool) -> Scene:
        ledger = self._ledger
        stops = say("The record ends here: the game is not finished.")
        ended = say("The game was abandoned here.") if abandoned else stops
        words = joined([ended, words_of.waiting(ledger)], " ")
        board, number = ledger.game.occupancy(ledger.now.position), len(ledger.moments) - 1
        return self._scene(number, ledger.now, board, {}, words, seals=self._seals.unopened())

    def _scene(
        self,
        number: int,
        moment: Moment,
        board: Occupancy,
        marks: Lamps,
        words: str,
        turn: int | None = None,
        actor: int | None = -1,
        seals: tuple[SealShown, ...] = (),
    ) -> Scene:
        plays = self._game.plays(moment.position)
        lamps = {**self._stones(board, plays), **marks}
        at = self._times[min(number, len(self._times) - 1)]
        turn = self._game.turn(moment.position) if turn is None else turn
        scores = tuple(words_of.scores(self._ledger, moment)) if self._game.scoring else ()
        actor = moment.seat if actor == -1 else actor
        scene = Scene(board, marks, lamps, turn, actor, words, at, plays, scores, seals)
        return replace(scene, clocks=self._clocks(number))

    def _clocks(self, number: int) -> tuple[ClockStood, ...]:
        standings = self._ledger.clocks_at
        if number >= len(standings):
            return ()
        stood, spent = standings[number], thought(standings, number)
        return tuple(
            ClockStood(seat, stood.left.get(seat), used, spent.get(seat, 0)) for seat, used in stood.used.items()
        )

    def _stones(self, board: Occupancy, plays: Mapping[int, str]) -> Lamps:
        """Let every piece on the board glow in its player's colour; white for pieces without a player."""
        owners: dict[str, list[int]] = {}
        for seat, piece in plays.items():
            owners.setdefault(piece, []).append(seat)
        return {node: self._stone(stack, owners) for node, stack in board.items()}

    def _stone(self, stack: Stack, owners: Mapping[str, list[int]]) -> Lamp:
        found = owners.get(stack[-1], [])
        words = listed(self._game.pieces.get(piece, piece) for piece in stack)
        strength = sum(self._strength.get(piece, 1.0) for piece in stack) / len(stack)
        return Lamp("stone", words, found[0] if len(found) == 1 else None, strength=strength)

    # -- what has happened -----------------------------------------------------------------------------------------

    def _reveal(self, before: Moment, moment: Moment) -> tuple[Lamps, str]:
        name = self._ledger.name
        marks: Lamps = {}
        for seat, move in self._game.placements(before.position, moment.actions):
            done = self._game.words(moment.actions[seat])
            marks |= _carried(move, say("{name}: {action}", name=name(seat), action=done), seat)
        told = [
            say("{name} places {action}", name=name(seat), action=self._game.words(action))
            for seat, action in sorted(moment.actions.items())
        ]
        return marks, joined([joined(told, "; "), "."], "")

    def _action(self, before: Moment, moment: Moment) -> tuple[Lamps, str]:
        seat = moment.seat or 0
        action = moment.actions[seat]
        words = say("{name}: {action}.", name=self._ledger.name(seat), action=self._game.words(action))
        step = whole(self._game, before.position, action)
        return (_stepped(step, words, seat) if step else {}), words

    def _loop(self, _before: Moment, moment: Moment) -> tuple[Lamps, str]:
        return self._removed(moment), say("This circling can never end: it is called a loop.")

    def _decided(self, before: Moment, _moment: Moment) -> tuple[Lamps, str]:
        return {}, say("All players agree: {reason}.", reason=words_of.decision(self._game, before))

    def _resign(self, _before: Moment, moment: Moment) -> tuple[Lamps, str]:
        return {}, say("{name} resigns.", name=self._ledger.name(moment.seat or 0))


_SHOTS = {
    "reveal": _Camera._reveal,
    "action": _Camera._action,
    "loop": _Camera._loop,
    "decided": _Camera._decided,
    "resign": _Camera._resign,
}
"""Kind of a moment → its marks and words."""


def _stepped(step: Step, words: str, seat: int) -> Lamps:
    """Mark a step: light runs along a line, or from where a piece was lifted to where it lies."""
    if step.line:
        return {node: Lamp("line", words, seat, step.line, order) for order, node in enumerate(step.line)}
    marks: Lamps = {}
    for move in step.moves:
        marks |= _carried(move, words, seat)
    return marks


def _carried(move: PieceMove, words: str, seat: int) -> Lamps:
    if move.source is None:
        return {move.target: Lamp("put", words, seat)} if move.target else {}
    if move.target is None:
        return {move.source: Lamp("remove", words, seat)}
    return {
        move.source: Lamp("movable", words, seat),
        move.target: Lamp("best", words, seat, (move.source, move.target)),
    }
