"""Puzzles: a page for each game, its list, and the position after tried actions. The server keeps no state of it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from flask import Response, abort, render_template, request

from firmware_host.extensions.puzzles import store
from firmware_host.extensions.puzzles.judging import begin_puzzle
from firmware_host.extensions.puzzles.posing import PuzzleAnswer, PuzzleQuestion
from firmware_host.extensions.puzzles.puzzle import Puzzle, kinds_of
from firmware_host.extensions.puzzles.view import least_seconds, miniatures, puzzle_view, solution, summary
from firmware_host.games.game import Game, GameError
from firmware_host.games.registry import GAMES
from firmware_host.link.laid import LAID, Asked, game_of, position_of, read_laid
from firmware_host.link.solved import Solved, SolvedPuzzles
from firmware_host.table.errors import TableError
from firmware_host.table.events import Whole, Word
from firmware_host.table.subjects.seats import check_name
from firmware_host.text.json_reader import COUNT, NODE, SEAT, Form, Schema, choice, maybe, part, record, rows, table_of
from firmware_host.text.words import Refused, say
from web_panel.api.lessons import begin_for, check_lobby
from web_panel.languages import in_words
from web_panel.limits import Rate
from web_panel.panel import PanelContext
from web_panel.refusals import Denied
from web_panel.routes import Routes

MAX_S = 86_400
"""Seconds that solving a puzzle may take."""

NOTED = Rate(60, 60 / 86_400)
"""Solved puzzles that one address writes into the household's book: sixty at once, and sixty a day. Nobody checks the
name or the time, so it is a bound on nonsense; a family that solves all evening on one tablet does not reach it."""

_log = logging.getLogger(__name__)


Name = Annotated[str, (("minLength", 1),)]
_GRADE: Schema = {"type": "integer", "minimum": 1, "maximum": 5}
_SUMMARY: dict[str, Form] = {"id": str, "kind": str, "title": str, "grade": _GRADE, "on_board": bool, "least": COUNT}
_SEATS = rows(record(seat=SEAT, name=str, homes=rows(NODE), colour=COUNT, plays=maybe(str)))
_TRIED: Schema = {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 40}
routes = Routes("puzzles", {
    "PuzzleInList": record(**_SUMMARY),
    "Puzzles": record(
        today=maybe(part("PuzzleInList")), day=str, today_by=rows(record(name=str, seconds=COUNT)),
        puzzles=rows(part("PuzzleInList")), modes=rows(str),
    ),
    "Puzzle": record(
        **_SUMMARY, game=str, goals=bool, asked=str, seat=SEAT, teams=rows(rows(SEAT)),
        state=choice("open", "solved", "wrong"), words=str, ends=COUNT, looked=COUNT,
        layout=part("LayoutView"), board=table_of(rows(str)), pieces=table_of(str),
        tints=table_of(str), lights=table_of(part("Light")), arrows=rows(part("Arrow")),
        supply=maybe(record(piece=str, left=COUNT)), stage=rows(str), steps=rows(part("StepView")),
        choices=rows(record(action=str, words=str)),
        seats=_SEATS,
    ),
    "PuzzleMiniatures": record(
        pieces=table_of(str), tints=table_of(str), layouts=table_of(part("LayoutView")), seats=table_of(_SEATS),
        boards=table_of(record(board=table_of(rows(str)), mode=str)),
    ),
    "PuzzleSolution": record(actions=rows(str), words=rows(str)),
    "Posed": record(ok={"const": True}, puzzles=maybe(rows(part("PuzzleInList")))),
}, static="/static/puzzles")  # fmt: skip


@dataclass(frozen=True)
class Solving(PanelContext):
    """What the requests are given (:class:`web_panel.routes.Context`)."""

    data: Path | None
    """The folder of the household's own puzzles."""
    solved: SolvedPuzzles | None
    """Where solved puzzles are noted; None where no book is kept."""

    @cached_property
    def search(self) -> Asked:
        """Return what phones ask of the table's search."""
        return Asked(self.panel.table)


@routes.get("/puzzles")
def page_here(here: Solving) -> str:
    """Puzzles of the game at the table."""
    return _page(str(here.panel.view["game"]["name"]))


@routes.get("/puzzles/<name>", _404="Missing")
def page_of_game(_here: Solving, name: Name) -> str:
    """Puzzles of a game."""
    return _page(name)


@routes.get("/api/puzzles/<name>", part("Puzzles"), _404="Missing")
def all_of_them(here: Solving, name: Name) -> Mapping[str, Any]:
    """All puzzles of a game, today's, and the modes whose positions may become one."""
    game = _game_of(name)
    return {
        "today": today_of(name),
        "day": date.today().isoformat(),
        "puzzles": [summary(game, puzzle) for puzzle in known_puzzles(game, here.data)],
        "today_by": _today_by(here.solved, name),
        "modes": sorted({mode for kind in kinds_of(game).values() if kind.layout is None for mode in kind.modes}),
    }


@routes.get("/api/puzzle-boards/<name>", part("PuzzleMiniatures"), _404="Missing")
def small_boards(here: Solving, name: Name) -> Mapping[str, Any]:
    """What lies on the boards of all puzzles of a game."""
    game = _game_of(name)
    return miniatures(game, known_puzzles(game, here.data))


@routes.get(
    "/api/puzzles/<name>/<puzzle>", part("Puzzle"), _404="Missing",
    _409="Conflict", more={"parameters": [
        {"name": "do", "in": "query", "description": "The seat's actions, in order", "schema": _TRIED},
        {"name": "stage", "in": "query", "description": "The next action's first stage", "schema": _TRIED},
    ]},
)  # fmt: skip
def after_actions(here: Solving, name: Name, puzzle: Name) -> Mapping[str, Any]:
    """A puzzle after some actions of its seat."""
    game = _game_of(name)
    actions, stage = request.args.getlist("do"), request.args.getlist("stage")
    try:
        return puzzle_view(game, find_puzzle(game, here.data, puzzle) or abort(404), actions, stage)
    except GameError as error:
        raise Denied(409, "bad_action", error.message) from error


@routes.get("/api/puzzles/<name>/<puzzle>/solution", part("PuzzleSolution"), _404="Missing")
def answer(here: Solving, name: Name, puzzle: Name) -> Mapping[str, Any]:
    """The answer of a puzzle."""
    game = _game_of(name)
    return solution(game, find_puzzle(game, here.data, puzzle) or abort(404))


@routes.post("/api/puzzle/solved", "guest")
def note(here: Solving, game: Word, puzzle: Word, name: Word, seconds: Whole) -> None:
    """Note in the household's book that somebody has solved a puzzle, and in how many seconds.

    No fewer than the puzzle's `least`.
    """
    if here.solved is None:
        raise TableError("no_book", say("no book is kept at this table"))
    solved = _read_solved(here.data, game, puzzle, name.strip(), seconds)
    here.panel.guesses.limit("puzzles", NOTED)
    here.solved.note(solved)


@routes.post("/api/puzzle/begin", "guest")
def begin(here: Solving, puzzle: Word, sure: bool = False) -> Response:
    """Set a puzzle of the game at the table up on its board; its cookie and further requests are those of a lesson."""
    panel = here.panel
    rules = GAMES.get(panel.view["game"]["name"])
    found = find_puzzle(rules, here.data, puzzle) if rules else None
    if rules is None or found is None:
        raise TableError("bad_puzzle", say("the game at the table has no such puzzle"))
    check_lobby(panel, sure)
    return begin_for(
        panel, lambda claim: begin_puzzle(panel.table.lessons, rules, found, claim, host=panel.hosting.here())
    )


@routes.post("/api/position/puzzle", "host", answer="Posed", more=LAID)
def make(here: Solving, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Make a puzzle of the position, for the household; null while its answer is proved: ask again."""
    game = game_of(here.panel.table)
    position = position_of(game, read_laid(body))
    found = here.search.answer(PuzzleQuestion(game.name, game.text(position)))
    if found is None:
        return {"puzzles": None}
    if not isinstance(found, PuzzleAnswer) or not found.puzzles:
        raise TableError("no_puzzle", say("this is no puzzle: it has no answer, or more than one that is as good"))
    plain = GAMES[game.name]
    if here.data is not None:
        store.keep(here.data, plain, found.puzzles)
    return {"puzzles": [summary(plain, one) for one in found.puzzles]}


def today_of(game: str) -> Mapping[str, Any] | None:
    """Return today's puzzle of a game as a list has it, None without one."""
    rules = GAMES.get(game)
    today = store.today(rules, date.today()) if rules else None
    return summary(rules, today) if rules and today else None


def _read_solved(data: Path | None, game_name: str, wanted: str, name: str, seconds: int) -> Solved:
    """Return what a phone says that somebody has solved. Raise TableError for what can't be."""
    game = GAMES.get(game_name)
    puzzle = find_puzzle(game, data, wanted) if game is not None else None
    if game is None or puzzle is None:
        raise TableError("bad_puzzle", say("there is no such puzzle"))
    check_name(name)
    least = least_seconds(puzzle)
    if not least <= seconds <= MAX_S:
        form = say("seconds: expected {least} to {most}, got {got}", least=least, most=MAX_S, got=seconds)
        raise TableError("bad_puzzle", form)
    today = date.today()
    daily = store.today(game, today)
    is_daily = daily is not None and daily.id == wanted
    return Solved(name, game.name, wanted, today.isoformat(), seconds, is_daily)


def _today_by(book: SolvedPuzzles | None, game: str) -> list[dict[str, Any]]:
    """Return who has solved today's puzzle of a game, the quickest first; nobody where the book can't be read."""
    try:
        found = book.solvers() if book else ()
    except TableError as error:
        _log.warning("who has solved puzzles is left out: %s", error)
        return []
    some = [{"name": one.name, "seconds": one.today[game]} for one in found if game in one.today]
    return sorted(some, key=lambda one: one["seconds"])


def _game_of(name: str) -> Game[Any]:
    if name not in GAMES:
        abort(404)
    return GAMES[name]


def known_puzzles(game: Game[Any], data: Path | None) -> Sequence[Puzzle]:
    """Return all puzzles; if the household's can't be read, log why and return those shipped."""
    try:
        return store.all_puzzles(game, data)
    except Refused as error:
        _log.warning("puzzles are left out: %s", error)
        return store.shipped_puzzles(game)


def find_puzzle(game: Game[Any], data: Path | None, wanted: str) -> Puzzle | None:
    """Return the puzzle with this id, None if there is none."""
    return next((puzzle for puzzle in known_puzzles(game, data) if puzzle.id == wanted), None)


def _page(name: str) -> str:
    game = _game_of(name)
    others = [(other, in_words(one.title)) for other, one in sorted(GAMES.items()) if other != name and kinds_of(one)]
    return render_template(
        "puzzles.html",
        name=name,
        title=in_words(game.title),
        count=len(store.shipped_puzzles(game)),
        day=date.today().isoformat(),
        others=others,
    )
