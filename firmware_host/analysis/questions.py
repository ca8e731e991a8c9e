"""What a table asks a search about a position, and how its answers are read.

There are two questions. An :class:`ActionQuestion` is about a seat's action: a computer's (the engine's verb
``play``), or all choices, best first, for a hint or a review (``think``). An :class:`EndsQuestion` is about the ends of
the phase that is being resolved (``foresee``): whether the stones can come to rest, whether they are in a loop, and the
best way.

A question holds a position and the moves before it, a seat, a level and a seed, nothing else. So the search can't know
what others have sealed, and equal questions have equal answers, unless their time has stopped them. Questions are
values: who asks one again, after a restart or because another came first, gets the answer that it would have had.

Answers come from another process, which may be broken in any way. They are read here, with every bound, or refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from firmware_host.games.capabilities import rules_of
from firmware_host.games.game import Analysis, Game
from firmware_host.games.thinking import Choice
from firmware_host.table.ledger import Moment
from firmware_host.text.words import unpack_text

SECONDS = 60.0
"""Longest search for an action, unless the question says less."""
ACTION_MEMORY, ENDS_MEMORY = 1 << 28, 1 << 30
"""Bytes of address space for a question about an action, and about ends: 256 MB and 1 GB."""
ROUNDING = 1e-6
"""How far a value or a share from 0 to 1 may lie outside."""
ENDS = (None, "rest", "loop")

Move = tuple[tuple[int, str | None], ...]
"""What was done at once: each seat with its action; None where it resigned."""


class UnreadableAnswer(Exception):
    """A refusal, or an answer of another shape."""


@dataclass(frozen=True)
class Answer:
    """An action and its reasons, in sentences, or an analysis of ends; neither is there if the search has failed.

    ``choices`` belong to a ranked question, best first. ``in_time`` is false if the clock has stopped the search after
    this number of ``nodes``. ``value`` is the score that the seat expects, if it was told.
    """

    action: str | None = None
    reasons: Sequence[str] = ()
    choices: Sequence[Choice] = ()
    in_time: bool = True
    nodes: int = 0
    ends: Analysis | None = None
    value: float | None = None


@dataclass(frozen=True)
class ActionQuestion:
    """A question for the action of a seat at a level. ``seed`` makes the answer reproducible.

    ``nodes`` replace the level's. ``moves`` lead from ``position`` to ``reached``, where the seat acts, even if that is
    a loop of which the table has not heard yet: none where the text of the position is enough. ``ranked`` asks for all
    choices, best first (a hint, a review), instead of the level's action. ``seconds`` may stop the search before its
    nodes do: then its answer is not reproducible.
    """

    game: str
    rules: tuple[str, ...]
    position: str
    seat: int
    level: int
    seed: int
    nodes: int | None = None
    ranked: bool = False
    moves: tuple[Move, ...] = ()
    reached: str = ""
    seconds: float = SECONDS

    memory = ACTION_MEMORY

    @classmethod
    def at(cls, game: Game[Any], moments: Sequence[Moment], seat: int, level: int, seed: int) -> ActionQuestion:
        """Return the question for an action after the last moment of a game."""
        position, moves = text_and_moves(game, moments)
        reached = game.text(moments[-1].position)
        return cls(game.name, tuple(sorted(rules_of(game))), position, seat, level, seed, moves=moves, reached=reached)

    def request(self) -> dict[str, Any]:
        """Return the engine's request, without its id."""
        fields: dict[str, Any] = {
            "do": "think" if self.ranked else "play",
            "game": self.game,
            "position": self.position,
            "seat": self.seat,
            "level": self.level,
            "seed": self.seed,
            "seconds": self.seconds,
        }
        if self.moves:
            moves = [{str(seat): action for seat, action in move} for move in self.moves]
            fields |= {"position": self.reached, "history": {"position": self.position, "moves": moves}}
        fields |= _options(self.rules)
        return fields if self.nodes is None else {**fields, "nodes": self.nodes}

    @staticmethod
    def read(given: Mapping[str, Any]) -> Answer:
        """Return the answer in an engine's. Raise UnreadableAnswer."""
        with strictly():
            if given.get("ok") is True and "choices" in given:
                choices = tuple(_choice(one) for one in check_kind(given["choices"], list))
                return Answer(choices[0].action, choices[0].reasons, choices)
            check_accepted(given)
            nodes = given.get("nodes")
            return Answer(
                check_kind(given["action"], str),
                _reasons(given.get("packed", [])),
                in_time=given.get("in_time") is not False,
                nodes=nodes if isinstance(nodes, int) else 0,
                value=None if given.get("value") is None else _share(given["value"]),
            )


@dataclass(frozen=True)
class EndsQuestion:
    """A question about the ends of the phase that is being resolved; a search of more ``seconds`` may know more."""

    game: str
    rules: tuple[str, ...]
    position: str
    seconds: float

    memory = ENDS_MEMORY

    def request(self) -> dict[str, Any]:
        """Return the engine's request, without its id."""
        fields = {"do": "foresee", "game": self.game, "position": self.position, "seconds": self.seconds}
        return fields | _options(self.rules)

    @staticmethod
    def read(given: Mapping[str, Any]) -> Answer:
        """Return the answer in an engine's. Raise UnreadableAnswer."""
        with strictly():
            check_accepted(given)
            end, cells = given.get("end"), given.get("cells")
            if end not in ENDS:
                raise ValueError(f"end: got {end!r}")
            ends = Analysis(
                check_kind(given.get("rest_reachable"), bool, optional=True),
                check_kind(given.get("in_loop"), bool, optional=True),
                each(given["loop_nodes"], str),
                each(given["way"], str),
                end,
                check_kind(cells, str, optional=True),
                check_kind(given["exact"], bool),
                each(given["worth"], int),
            )
        return Answer(ends=ends)


class Question(Protocol):
    """A question: one of these, or an extension's. It is hashable, and equal ones have equal answers."""

    @property
    def memory(self) -> int:
        """Return the bytes of address space that its search may have."""

    @property
    def seconds(self) -> float:
        """Return the longest time of its search."""

    def request(self) -> dict[str, Any]:
        """Return the engine's request, without its id."""

    def read(self, given: Mapping[str, Any], /) -> Answer:
        """Return the answer in an engine's. Raise UnreadableAnswer."""


Asking: TypeAlias = Callable[[], Sequence[Question]]
"""Returns what somebody wants to know now, the most urgent first: quickly, as a loop calls it at every round."""


class Analyser(Protocol):
    """Who answers questions while the table goes on: :class:`firmware_host.analysis.engine_process.AnalysisProcess`."""

    def ask(self, questions: Sequence[Question]) -> None:
        """Answer these questions from now on, the most urgent first, and forget all others. Must return at once."""
        ...

    def answer(self, question: Question) -> Answer | None:
        """Return the answer to one of these questions, None while there is none."""
        ...

    def close(self) -> None:
        """Stop the search."""
        ...


def text_and_moves(game: Game[Any], moments: Sequence[Moment]) -> tuple[str, tuple[Move, ...]]:
    """Return the text of a position and the moves from it to the last moment; none where the last one's text tells all.

    A draw by repetition depends on what was before, which a text does not tell, and so does a resolution that circles:
    there the moves since it began are enough. Where something else has happened than actions and resignations, the text
    has to do.
    """
    last = len(moments) - 1
    phase = next((number for number in range(last, 0, -1) if moments[number].kind != "action"), 0)
    for first in dict.fromkeys((last, phase, 0)):
        text = game.text(moments[first].position)
        # Their forms are compared, not they themselves: equal positions may differ in what is known of them.
        is_enough = repr(game.parse(text)) == repr(moments[first].position)
        if is_enough or first == 0:
            break
    if any(moment.kind not in {"reveal", "action", "resign"} for moment in moments[first + 1 :]):
        return game.text(moments[-1].position), ()
    moves: list[Move] = [
        ((moment.seat or 0, None),) if moment.kind == "resign" else tuple(sorted(moment.actions.items()))
        for moment in moments[first + 1 :]
    ]
    return text, tuple(moves)


def _options(rules: Sequence[str]) -> dict[str, Any]:
    """Return the field of a request with the options that are on, none without any."""
    return {"rules": dict.fromkeys(rules, True)} if rules else {}


# -- parts of an engine's answer: each raises one of _MISSHAPEN --------------------------------------------------------

_MISSHAPEN = (LookupError, TypeError, ValueError, OverflowError, RecursionError)


@contextmanager
def strictly() -> Iterator[None]:
    """Raise UnreadableAnswer for whatever an answer of another shape causes."""
    try:
        yield
    except _MISSHAPEN as error:
        raise UnreadableAnswer(f"an answer of another shape: {type(error).__name__}: {error!s:.100}") from error


def check_accepted(given: Mapping[str, Any]) -> None:
    """Raise UnreadableAnswer for a refusal."""
    if given.get("ok") is not True:
        raise UnreadableAnswer(f"the engine refused: {given.get('error', given)!s:.200}")


def check_kind(value: Any, kind: type, *, optional: bool = False) -> Any:
    """Return a value of a kind, or None where that is ``optional``. Raise TypeError for another one."""
    if isinstance(value, kind) or (optional and value is None):
        return value
    raise TypeError(f"expected {kind.__name__}, got {value!s:.60}")


def each(values: Any, kind: type) -> tuple[Any, ...]:
    """Return the values of a list, all of a kind. Raise TypeError."""
    return tuple(check_kind(value, kind) for value in check_kind(values, list))


def _reasons(packed: Any) -> tuple[str, ...]:
    """Return sentences, which can be told in any language."""
    return each([unpack_text(one) for one in check_kind(packed, list)], str)


def _choice(given: Any) -> Choice:
    action, line, reasons = check_kind(given["action"], str), each(given["line"], str), _reasons(given["packed"])
    return Choice(action, _share(given["value"]), _share(given["share"]), line, reasons)


def _share(given: Any) -> float:
    number = float(given)
    if not -ROUNDING <= number <= 1 + ROUNDING:
        raise ValueError(f"expected a number from 0 to 1, got {number}")
    return number
