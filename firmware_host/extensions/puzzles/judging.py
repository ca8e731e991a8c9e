"""What a turn that somebody has tried in a puzzle is worth, and the puzzle as an exercise at a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firmware_host.extensions.puzzles.check import look, score, turn_goes_on
from firmware_host.extensions.puzzles.puzzle import WHO, Puzzle, kinds_of
from firmware_host.games.game import Game
from firmware_host.games.lessons import Exercise, Lesson, LessonReply, LessonVerdict
from firmware_host.session.lessons import Lessons
from firmware_host.table.errors import TableError
from firmware_host.text.words import capital, fill, join_sentences, say, say_many


@dataclass(frozen=True)
class PuzzleVerdict:
    """What the end of a turn is: right or wrong, what is said of it, and the ``reply`` that refutes a wrong one."""

    right: bool
    words: str
    reply: Sequence[str] = ()


def verdict(game: Game[Any], puzzle: Puzzle, position: Any, action: str) -> PuzzleVerdict | None:
    """Judge a position that the last action of a seat led to; None while the turn goes on."""
    start = game.parse(puzzle.position)
    if turn_goes_on(game, position, puzzle.seat, game.turn(start)):
        return None
    right = start
    for step in puzzle.answer:
        right = game.apply(right, {puzzle.seat: step}).position
    if look(game, position) == look(game, right):
        return PuzzleVerdict(True, say("Right!"))
    missed = fill(kinds_of(game)[puzzle.kind].missed, score=score(game, position, puzzle.seat))
    reply = puzzle.refutation(action) or _reply_to_same_board(game, puzzle, position)
    if not reply:
        return PuzzleVerdict(False, missed)
    words = join_sentences([game.words(one) for one in reply])
    return PuzzleVerdict(False, say("The reply to that: {reply}. {missed}", reply=words, missed=missed), reply)


def _reply_to_same_board(game: Game[Any], puzzle: Puzzle, position: Any) -> tuple[str, ...]:
    """Return the reply to a turn that looks like a known one, but was made by another action."""
    start, looks = game.parse(puzzle.position), look(game, position)
    for reply, wrong in puzzle.replies.items():
        for action in wrong.split(" "):
            if look(game, game.apply(start, {puzzle.seat: action}).position) == looks:
                return tuple(reply.split(" "))
    return ()


def fits_board(game: Game[Any], puzzle: Puzzle) -> bool:
    """Tell whether hands can solve a puzzle on the game's board: it asks for actions, on no smaller board."""
    kind = kinds_of(game)[puzzle.kind]
    return kind.claim.form != WHO and kind.layout is None


def as_lesson(game: Game[Any], puzzle: Puzzle) -> Lesson:
    """Return a puzzle as a lesson of one exercise, which the table sets up and watches; see :func:`fits_board`."""
    kind = kinds_of(game)[puzzle.kind]

    def judge_end(action: str, after: Any) -> LessonReply:
        found = verdict(game, puzzle, after, action)
        if found is None:
            return LessonReply(LessonVerdict.ON_THE_WAY)
        if found.right:
            return LessonReply(LessonVerdict.DONE, join_sentences([found.words, _proof_words(puzzle)], " "))
        said = capital(game.words(action))
        return LessonReply(LessonVerdict.WRONG, say("{action} is not the answer. {why}", action=said, why=found.words))

    exercise = Exercise(kind.asked, puzzle.seat, puzzle.answer, position=puzzle.position, judged=judge_end)
    return Lesson(puzzle.id, kind.title, [exercise], puzzle.grade)


def begin_puzzle(lessons: Lessons, game: Game[Any], puzzle: Puzzle, claim: str, *, host: bool) -> int:
    """Set a puzzle of the game at the table up on its board, as a lesson is begun; return its seat. Raise TableError.

    ``game`` has no options of the rules: the solution was proved without any.
    """
    if puzzle.game != game.name:
        raise TableError("bad_puzzle", say("this puzzle is of another game than the one at the table"))
    if not fits_board(game, puzzle):
        raise TableError("bad_puzzle", say("this puzzle is solved on a phone: there is nothing to do on the board"))
    return lessons.begin_exercise(as_lesson(game, puzzle), claim, host=host)


def _proof_words(puzzle: Puzzle) -> str:
    return say_many(
        "Proved: {count} position was looked at, and nothing else is right.",
        "Proved: {count} positions were looked at, and nothing else is right.",
        puzzle.looked,
    )
