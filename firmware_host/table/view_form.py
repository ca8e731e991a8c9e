"""The form of the view, field by field, without the parts of subjects; docs/view.md has the meanings.

With those (``view.py`` joins them) it is the single source: mypy checks the code that fills it, and the OpenAPI
description is generated from it (``firmware_host/text/json_reader.py``). ``Annotated`` adds to a type the name of a
component, or keywords of JSON Schema.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypedDict

from firmware_host.games.drawing import Arrow, LayoutView, Node
from firmware_host.games.lamps import LAMPS
from firmware_host.text.json_reader import limits

Seat = Annotated[int, "Seat"]
Count = Annotated[int, limits(minimum=0)]
Hex64 = Annotated[str, limits(pattern="^[0-9a-f]{64}$")]
Time = Annotated[str, limits(description="UTC, ISO 8601")]
_TWO = limits(minItems=2, maxItems=2)
What = Annotated[str, limits(enum=("take-back", "reseal", "void", "loop", "decided", "draw"))]
Phase = Annotated[
    str, limits(enum=("lobby", "setup", "sealing", "revealing", "placing", "resolving", "clearing", "over"))
]
Meaning = Annotated[str, limits(enum=tuple(LAMPS))]
"""What a light means: each has a motion of its own (``lights.py``)."""
Tint = Annotated[str, limits(enum=("white", "black", "blue", "red", "yellow", "green", "plain"))]

Move = TypedDict(
    "Move", {"do": Literal["move"], "from": Node, "to": Node, "pieces": Sequence[str], "seat": Seat | None}
)


class Put(TypedDict):
    """A piece from the supply is to be put on a node."""

    do: Literal["put"]
    node: Node
    piece: str | None
    seat: Seat | None


class Touch(TypedDict):
    """A piece is to be taken off the board, or a stack to be tapped."""

    do: Literal["take", "tap"]
    node: Node
    seat: Seat | None


Task = Move | Put | Touch


class ScoringView(TypedDict):
    score: str
    tiebreak: str
    hint: str
    tied: str
    decides: bool


class GameView(TypedDict):
    id: str
    name: str
    title: str
    aim: str | None
    mode: str
    modes: Sequence[str]
    rules: Sequence[str]
    scoring: ScoringView | None
    goals: bool
    secrets: bool
    colours: bool


class LevelView(TypedDict):
    level: Annotated[int, limits(minimum=0, maximum=5)]
    name: str
    about: str


class SeatPart(TypedDict):
    """What the view says of a seat, without the subjects' parts."""

    seat: Seat
    name: str
    taken: bool
    computer: bool
    level: LevelView | None
    resigned: bool
    late: bool
    sealed: bool
    opened: bool
    homes: Sequence[Node]
    team: int
    plays: str | None
    role: str | None
    colour: Annotated[int, limits(minimum=1, maximum=8)]
    table: str | None


class Light(TypedDict):
    meaning: Meaning
    words: str
    seat: Seat | None


class StepView(TypedDict):
    action: str
    words: str
    hidden: bool
    moves: Sequence[Annotated[Sequence[Node | None], _TWO]]
    line: Sequence[Node]
    tap_twice: bool
    partial: bool


class ChoiceView(TypedDict):
    action: str
    words: str


class Question(TypedDict):
    text: str
    seat: Seat | None
    choices: Sequence[ChoiceView]


class ProblemView(TypedDict):
    text: str
    nodes: Sequence[Node]
    since: float
    fault: bool


class AnalysisView(TypedDict):
    rest_reachable: bool | None
    in_loop: bool | None
    words: str


class Placements(TypedDict):
    nodes: Sequence[Node]
    colours: Sequence[str]
    closed: Mapping[str, str]
    spent: Mapping[str, str]


class Seal(Placements):
    tag: str
    game: str
    turn: int
    history: Hex64
    open: bool
    awake: Sequence[Seat]
    commitments: Mapping[str, Hex64]


class Deal(TypedDict):
    commitment: Hex64
    short: str


class ActionsLeft(TypedDict):
    left: Count
    most: Count


class Supply(TypedDict):
    piece: str
    left: int


class LineView(TypedDict):
    n: Count
    text: str


class Score(TypedDict):
    seats: Sequence[Seat]
    names: Sequence[str]
    score: int
    tiebreak: int
    counted: Mapping[str, int]
    sector: Mapping[str, int]
    won: bool


class TurnScores(TypedDict):
    turn: Count
    scores: Sequence[int]


class Result(TypedDict):
    reason: str | None
    words: str
    winners: Sequence[Seat]
    lines: Sequence[Score]
    course: Sequence[TurnScores]


class SeatClock(TypedDict):
    seat: Seat
    main: Count | None
    left: int | None
    used: Count
    delay: Count
    runs: bool
    late: bool


class ClocksView(TypedDict):
    words: str
    main: Count | None
    increment: Count
    delay: Count
    strict: bool
    at: Count
    seats: Sequence[SeatClock]


class PuzzleShown(TypedDict):
    grade: int
    helped: bool
    seconds: int | None


class LessonShown(TypedDict):
    name: str
    title: str
    number: Count
    count: Count
    exercise: Count
    exercises: Count
    phone: bool
    puzzle: PuzzleShown | None
    task: str
    words: str
    said: str | None
    right: bool
    done: bool
    over: bool
    hint: str | None


class TablePart(TypedDict):
    """What everybody may see of a table, without the subjects' parts."""

    game: GameView
    lesson: LessonShown | None
    phase: Phase
    standstill: str | None
    paused: bool
    turn: int | None
    resolver: Seat | None
    levels: Sequence[LevelView]
    layout: LayoutView
    board: Mapping[str, Sequence[str]]
    pieces: Mapping[str, str]
    tints: Mapping[str, Tint]
    lights: Mapping[str, Light]
    arrows: Sequence[Arrow]
    brought: Sequence[Node]
    tasks: Sequence[Task]
    steps: Sequence[StepView]
    stage: Sequence[str]
    tidying: str | None
    reminder: str | None
    supply: Supply | None
    stock: Mapping[str, Count]
    actions: ActionsLeft | None
    wanted: str | None
    question: Question | None
    problem: ProblemView | None
    analysis: AnalysisView | None
    seal: Seal | None
    deal: Deal | None
    lots: bool
    log: Sequence[LineView]
    message: str
    own_messages: Mapping[str, str]
    standing: Sequence[Score] | None
    result: Result | None
    clocks: ClocksView | None
    notices: Sequence[str]
