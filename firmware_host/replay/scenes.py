"""A record as a series of scenes: the board, its lights, and words; and their form for pages (JSON).

A record is verified and played again (:func:`firmware_host.archive.records.play_again`). Moments that were taken back
are left out: there is a scene for the start, one for each reveal, action, call or resignation in force, one more where
the rules then removed pieces, and one for the end. A scene is made when it is first shown, as some games take long.

Seals: each turn shows its commitments with the openings that match them. A record that ends in the middle of a turn
shows its commitments without placements, which stay secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial, reduce
from typing import Any, overload

from firmware_host.archive.format import DATA, FORMAT, FORMATS, RecordError
from firmware_host.archive.records import decision_words, option_words, play_again, removal_words, score_lines
from firmware_host.archive.verify import GameReplay
from firmware_host.games import naming
from firmware_host.games.clocks import thinking_times
from firmware_host.games.drawing import MADE, Way, arrows_along, layout_view, ways_of
from firmware_host.games.game import Game, Occupancy, PieceMove, Stack, Step
from firmware_host.games.positions import whole
from firmware_host.replay import view_form as form
from firmware_host.table.guide import Lamp, Lamps, won_lamps
from firmware_host.table.ledger import Ledger, Moment
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import join_sentences, list_of, say, say_many

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
class FilmScene:
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


Shot = Callable[[], FilmScene]
MAX_MADE = 32
"""Number of a film's scenes that are kept: an answer of the panel. A screen keeps what it was sent."""


class Scenes(Sequence[FilmScene]):
    """All scenes, oldest first; each is made on use, as that takes long for some games, and the last few are kept.

    Thread-safe.
    """

    def __init__(self, shots: Sequence[Shot]) -> None:
        """Begin with no scene made."""
        self._shots = shots
        self._made = lru_cache(maxsize=MAX_MADE)(lambda at: shots[at]())

    def __len__(self) -> int:
        return len(self._shots)

    @overload
    def __getitem__(self, at: int) -> FilmScene: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[FilmScene]: ...
    def __getitem__(self, at: int | slice) -> FilmScene | Sequence[FilmScene]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        return self._made(range(len(self._shots))[at])


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
        return list(option_words(self.game).values())


def film(lines: Iterable[str]) -> Film:
    """Verify a record and return its film. Raise RecordError naming the first line that fails, or for no moment."""
    header: Mapping[str, Any] = {}
    times: list[str] = []
    seals = RecordedSeals()
    ledger: Ledger | None = None
    last: GameReplay | None = None
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
    standing = tuple(score_lines(ledger, ledger.now)) if ledger.over and ledger.game.scoring else ()
    setting = ledger.clock_setting
    clocks = setting.words if setting else None
    return Film(
        header, ledger.game, names, ledger.colours, scenes, standing, clocks, over=ledger.over, moments=ledger.moments
    )


def shots_so_far(ledger: Ledger) -> list[Shot]:
    """Return the scenes of a running game: what was revealed and counts, so nothing that is secret now."""
    return list(_Camera(ledger, [""], RecordedSeals()).shots(abandoned=False))[:-1]


class _Camera:
    """Makes scenes from the moments of a replayed game."""

    def __init__(self, ledger: Ledger, times: list[str], seals: RecordedSeals) -> None:
        self._ledger, self._game, self._times, self._seals = ledger, ledger.game, times, seals
        pieces = list(ledger.game.pieces)
        fade = (1.0 - FAINTEST) / max(1, len(pieces) - 1)
        self._strength = {piece: 1.0 - fade * place for place, piece in enumerate(pieces)}
        self._made: dict[tuple[Stack, int | None], Lamp] = {}
        """Stack and its owner's seat → lamp: a long game has tens of thousands, but few of a kind."""

    def shots(self, abandoned: bool) -> Iterator[Shot]:
        """Yield the data of each scene, oldest first."""
        moments = self._ledger.moments
        yield partial(self._start, moments[0])
        for number in range(1, len(moments)):
            yield partial(self._moment, number)
            if moments[number].removed:
                yield partial(self._removal_scene, number)
        yield self._end if self._ledger.over else partial(self._unfinished_scene, abandoned)

    # -- one moment ------------------------------------------------------------------------------------------------

    def _start(self, moment: Moment) -> FilmScene:
        teams = self._game.teams(self._ledger.mode)
        names = [list_of(map(self._ledger.name, team)) for team in teams]
        sides = reduce(lambda one, other: say("{one} against {other}", one=one, other=other), names)
        return self._scene(0, moment, moment.placed, {}, say("The game begins: {sides}.", sides=sides))

    def _moment(self, number: int) -> FilmScene:
        before, moment = self._ledger.moments[number - 1 : number + 1]
        marks, words = _SHOTS[moment.kind](self, before, moment)
        seals = self._seals.of_moment(number, self._game)
        scene = self._scene(number, moment, moment.placed, marks, words, self._game.turn(before.position), seals=seals)
        return replace(scene, ways=self._ways(before, moment))

    def _ways(self, before: Moment, moment: Moment) -> tuple[Way, ...]:
        steps = [whole(self._game, before.position, action) for action in moment.actions.values()]
        return tuple(way for step in steps if step and moment.kind == "action" for way in ways_of(step))

    def _removal_scene(self, number: int) -> FilmScene:
        before, moment = self._ledger.moments[number - 1 : number + 1]
        words, turn = removal_words(self._game, moment.removed), self._game.turn(before.position)
        return self._scene(number, moment, moment.placed, self._removal_marks(moment), words, turn)

    def _removal_marks(self, moment: Moment) -> Lamps:
        removal = self._game.removal
        meaning = removal.meaning if removal else "remove"
        return {
            node: Lamp(meaning, removal_words(self._game, (node,)), way=moment.removed, order=order)
            for order, node in enumerate(moment.removed)
        }

    def _end(self) -> FilmScene:
        ledger, game = self._ledger, self._game
        board = game.occupancy(ledger.now.position)
        marks = won_lamps(game, ledger)
        words = join_sentences([winner_words(ledger), ledger.ending], " ")
        return self._scene(len(ledger.moments) - 1, ledger.now, board, marks, words, actor=None)

    def _unfinished_scene(self, abandoned: bool) -> FilmScene:
        ledger = self._ledger
        stops = say("The record ends here: the game is not finished.")
        ended = say("The game was abandoned here.") if abandoned else stops
        words = join_sentences([ended, waiting_words(ledger)], " ")
        board, number = ledger.game.occupancy(ledger.now.position), len(ledger.moments) - 1
        return self._scene(number, ledger.now, board, {}, words, seals=self._seals.secret())

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
    ) -> FilmScene:
        plays = self._game.plays(moment.position)
        lamps = {**self._stones(board, plays), **marks}
        at = self._times[min(number, len(self._times) - 1)]
        turn = self._game.turn(moment.position) if turn is None else turn
        scores = tuple(score_lines(self._ledger, moment)) if self._game.scoring else ()
        actor = moment.seat if actor == -1 else actor
        scene = FilmScene(board, marks, lamps, turn, actor, words, at, plays, scores, seals)
        return replace(scene, clocks=self._clocks(number))

    def _clocks(self, number: int) -> tuple[ClockStood, ...]:
        standings = self._ledger.clocks_at
        if number >= len(standings):
            return ()
        stood, spent = standings[number], thinking_times(standings, number)
        return tuple(
            ClockStood(seat, stood.left.get(seat), used, spent.get(seat, 0)) for seat, used in stood.used.items()
        )

    def _stones(self, board: Occupancy, plays: Mapping[int, str]) -> Lamps:
        """Let every piece on the board glow in its player's colour; white for pieces without a player."""
        owners: dict[str, list[int]] = {}
        for seat, piece in plays.items():
            owners.setdefault(piece, []).append(seat)
        owner = {piece: seats[0] if len(seats) == 1 else None for piece, seats in owners.items()}
        return {node: self._stone(stack, owner.get(stack[-1])) for node, stack in board.items()}

    def _stone(self, stack: Stack, owner: int | None) -> Lamp:
        if (lamp := self._made.get((stack, owner))) is None:
            words = list_of(self._game.pieces.get(piece, piece) for piece in stack)
            strength = sum(self._strength.get(piece, 1.0) for piece in stack) / len(stack)
            lamp = self._made[stack, owner] = Lamp("stone", words, owner, strength=strength)
        return lamp

    # -- what has happened -----------------------------------------------------------------------------------------

    def _reveal(self, before: Moment, moment: Moment) -> tuple[Lamps, str]:
        name = self._ledger.name
        marks: Lamps = {}
        for seat, move in self._game.placements(before.position, moment.actions):
            done = self._game.words(moment.actions[seat])
            marks |= _move_marks(move, say("{name}: {action}", name=name(seat), action=done), seat)
        placements = [
            say("{name} places {action}", name=name(seat), action=self._game.words(action))
            for seat, action in sorted(moment.actions.items())
        ]
        return marks, join_sentences([join_sentences(placements, "; "), "."], "")

    def _action(self, before: Moment, moment: Moment) -> tuple[Lamps, str]:
        seat = moment.seat or 0
        action = moment.actions[seat]
        words = say("{name}: {action}.", name=self._ledger.name(seat), action=self._game.words(action))
        step = whole(self._game, before.position, action)
        return (_step_marks(step, words, seat) if step else {}), words

    def _loop(self, _before: Moment, moment: Moment) -> tuple[Lamps, str]:
        return self._removal_marks(moment), say("This circling can never end: it is declared a loop.")

    def _decision(self, before: Moment, _moment: Moment) -> tuple[Lamps, str]:
        return {}, say("All players agree: {reason}.", reason=decision_words(self._game, before))

    def _draw(self, _before: Moment, _moment: Moment) -> tuple[Lamps, str]:
        return {}, say("All players agree on a draw.")

    def _resign(self, _before: Moment, moment: Moment) -> tuple[Lamps, str]:
        name = self._ledger.name(moment.seat or 0)
        if moment.seat in self._ledger.late:
            return {}, say("{name} has run out of time.", name=name)
        return {}, say("{name} resigns.", name=name)


_SHOTS = {
    "reveal": _Camera._reveal,
    "action": _Camera._action,
    "loop": _Camera._loop,
    "decided": _Camera._decision,
    "draw": _Camera._draw,
    "resign": _Camera._resign,
}
"""Kind of a moment → its marks and words."""


def _step_marks(step: Step, words: str, seat: int) -> Lamps:
    """Mark a step: light runs along a line, or from where a piece was lifted to where it lies."""
    if step.line:
        return {node: Lamp("line", words, seat, step.line, order) for order, node in enumerate(step.line)}
    marks: Lamps = {}
    for move in step.moves:
        marks |= _move_marks(move, words, seat)
    return marks


def _move_marks(move: PieceMove, words: str, seat: int) -> Lamps:
    if move.source is None:
        return {move.target: Lamp("put", words, seat)} if move.target else {}
    if move.target is None:
        return {move.source: Lamp("remove", words, seat)}
    return {
        move.source: Lamp("movable", words, seat),
        move.target: Lamp("best", words, seat, (move.source, move.target)),
    }


@dataclass(frozen=True)
class SealShown:
    """One seal: its seat, turn and commitment; its placement and nonce, None if it was never opened."""

    seat: int
    turn: int
    commitment: str
    action: str | None = None
    nonce: str | None = None
    words: str | None = None
    void: bool = False
    """Whether its turn was declared void: all sealed again."""


class RecordedSeals:
    """Follows a record's events; those that were taken back are forgotten."""

    def __init__(self) -> None:
        """Begin before the first event."""
        self._round: dict[int, SealShown] = {}
        self._void: list[SealShown] = []
        self._opened: dict[int, tuple[SealShown, ...]] = {}

    def follow(self, kind: str, data: Mapping[str, Any], moments: int) -> None:
        """Process a verified event; ``moments`` is the number of moments after it."""
        self._opened = {at: seals for at, seals in self._opened.items() if at < moments}
        if kind == "seal":
            self._round[data["seat"]] = SealShown(data["seat"], data["turn"], data["commitment"])
        elif kind == "opening":
            known = self._round[data["seat"]]
            self._round[data["seat"]] = replace(known, action=data["action"], nonce=data["nonce"])
        elif kind in {"reseal", "resign"} and "seat" in data:
            self._round.pop(data["seat"], None)
        elif kind == "reveal":
            self._opened[moments - 1] = (*self._void, *self._in_order())
        elif kind == "reseal":
            self._void += [replace(seal, action=None, nonce=None, void=True) for seal in self._in_order()]
            self._round = {}
        if kind in {"reveal", "correction", "result"}:
            self._round, self._void = {}, []

    def of_moment(self, number: int, game: Game[Any]) -> tuple[SealShown, ...]:
        """Return the seals opened for a moment, with their placements in words, after those of void turns."""
        return tuple(
            replace(seal, words=game.words(seal.action)) if seal.action else seal
            for seal in self._opened.get(number, ())
        )

    def secret(self) -> tuple[SealShown, ...]:
        """Return the seals of the turn in which the record ends, without their placements, which stay secret."""
        return tuple(replace(seal, action=None, nonce=None) for seal in (*self._void, *self._in_order()))

    def _in_order(self) -> tuple[SealShown, ...]:
        return tuple(self._round[seat] for seat in sorted(self._round))


def winner_words(ledger: Ledger) -> str:
    """Return the sentence about the winners of a finished game."""
    names = [ledger.name(seat) for seat in ledger.now.status.winners]
    if not names:
        return say("A draw.")
    return say_many("{names} has won.", "{names} have won.", len(names), names=list_of(names))


def waiting_words(ledger: Ledger) -> str:
    """Return what an unfinished game waits for, in words."""
    game, position = ledger.game, ledger.now.position
    if game.simultaneous(position):
        return say("All players seal their placements of turn {turn}.", turn=game.turn(position))
    return say("{name}: {prompt}.", name=ledger.name(game.actor(position) or 0), prompt=ledger.prompt)


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
        return read_object(line)
    except InvalidJson:
        return {}


def film_view(film: Film) -> form.FilmView:
    """Return what is the same at all moments."""
    header, game = film.header, film.game
    return {
        "game": {"id": header["id"], "name": game.name, "title": game.title, "rules": film.rules},
        "mode": header["mode"],
        "started": header["started"],
        "clocks_words": film.clocks,
        "moments": len(film.scenes),
        "pieces": dict(game.pieces),
        "tints": naming.tints(game.pieces),
        "layout": layout_view(game),
        "seats": [
            {
                "seat": seat,
                "name": name,
                "homes": list(game.homes(header["mode"], seat)),
                "colour": film.colours[seat],
            }
            for seat, name in film.names.items()
        ],
    }


def moment_view(film: Film, at: int) -> form.RecordedMoment:
    """Return one moment, from 0."""
    scene = film.scenes[at]
    return {
        **scene_view(scene),
        "when": scene.at,
        "plays": {str(seat): piece for seat, piece in scene.plays.items()},
        "scores": list(scene.scores),
        "clocks": [_clock(clock) for clock in scene.clocks],
        "seals": [_seal(seal) for seal in scene.seals],
        "standing": list(film.standing) if at == len(film.scenes) - 1 else [],
    }


def scene_view(scene: FilmScene) -> form.SceneView:
    """Return what a moment shows."""
    return {
        "turn": scene.turn,
        "actor": scene.actor,
        "words": scene.words,
        "board": {node: list(stack) for node, stack in scene.board.items()},
        "lights": {
            node: {"meaning": lamp.meaning, "words": lamp.words, "seat": lamp.seat}
            for node, lamp in scene.marks.items()
        },
        "arrows": arrows_along(MADE, scene.ways),
    }


def _seal(seal: SealShown) -> form.RecordedSeal:
    return {
        "seat": seal.seat,
        "turn": seal.turn,
        "commitment": seal.commitment,
        "action": seal.action,
        "words": seal.words,
        "nonce": seal.nonce,
        "void": seal.void,
    }


def _clock(clock: ClockStood) -> form.RecordedClock:
    return {"seat": clock.seat, "left": clock.left, "used": clock.used, "thought": clock.thought}
