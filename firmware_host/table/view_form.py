"""The form of the view, field by field: what each means docs/view.md says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

Point = Sequence[float]
"""x and y."""
What = Literal["take-back", "reseal", "void", "loop", "decided"]

Move = TypedDict(
    "Move", {"do": Literal["move"], "from": str, "to": str | None, "pieces": Sequence[str], "seat": int | None}
)


class Put(TypedDict):
    """A piece from the supply is to be put on a node."""

    do: Literal["put"]
    node: str | None
    piece: str | None
    seat: int | None


class Touch(TypedDict):
    """A piece is to be taken off the board, or a stack to be tapped."""

    do: Literal["take", "tap"]
    node: str
    seat: int | None


Task = Move | Put | Touch


class Scoring(TypedDict):
    score: str
    tiebreak: str
    hint: str
    tied: str


class GameHead(TypedDict):
    id: str
    name: str
    title: str
    aim: str | None
    mode: str
    modes: Sequence[str]
    rules: Sequence[str]
    scoring: Scoring | None
    goals: bool
    secrets: bool
    colours: bool


class DeclinedBefore(TypedDict):
    what: str
    about: int | None


class LevelShown(TypedDict):
    level: int
    name: str
    about: str


class Reason(TypedDict):
    seat: int
    text: str


class Player(TypedDict):
    seat: int
    name: str
    taken: bool
    computer: bool
    level: LevelShown | None
    resigned: bool
    sealed: bool
    opened: bool
    declined: Sequence[DeclinedBefore]
    may_reseal: bool
    hints: bool
    hinted: int
    homes: Sequence[str]
    team: int
    plays: str | None
    colour: int


class Drawing(TypedDict):
    nodes: Mapping[str, Point]
    lines: Sequence[Sequence[str]]
    circles: Sequence[float]
    wells: Sequence[str]
    paths: Sequence[Sequence[Point]]
    tiles: Mapping[str, Sequence[Sequence[int]]] | None


class Light(TypedDict):
    meaning: str
    words: str
    seat: int | None


class Arrow(TypedDict):
    kind: str
    nodes: Sequence[str]


class StepShown(TypedDict):
    action: str
    words: str
    hidden: bool
    moves: Sequence[Sequence[str | None]]
    line: Sequence[str]
    tap_twice: bool
    partial: bool


class Choice(TypedDict):
    action: str
    words: str


class Question(TypedDict):
    text: str
    seat: int | None
    choices: Sequence[Choice]


class ProblemShown(TypedDict):
    text: str
    nodes: Sequence[str]
    since: float


class AnalysisShown(TypedDict):
    rest_reachable: bool | None
    in_loop: bool | None
    words: str


class Decided(TypedDict):
    winner: int
    words: str


class ProposalShown(TypedDict):
    what: str
    words: str
    by: int
    about: int | None
    agreed: Sequence[int]
    waiting: Sequence[int]


class Placements(TypedDict):
    nodes: Sequence[str]
    colours: Sequence[str]
    closed: Mapping[str, str]
    spent: Mapping[str, str]


class Sealing(Placements):
    tag: str
    game: str
    turn: int
    history: str
    open: bool
    awake: Sequence[int]
    commitments: Mapping[str, str]


class DealShown(TypedDict):
    commitment: str
    short: str


class SupplyShown(TypedDict):
    piece: str
    left: int


class Line(TypedDict):
    n: int
    text: str


class Score(TypedDict):
    seats: Sequence[int]
    names: Sequence[str]
    score: int
    tiebreak: int
    counted: Mapping[str, int]
    sector: Mapping[str, int]
    won: bool


class Result(TypedDict):
    reason: str | None
    words: str
    winners: Sequence[int]
    lines: Sequence[Score]


class Suspect(TypedDict):
    node: str
    words: str


class Sensors(TypedDict):
    kind: str
    masked: Mapping[str, str]
    suspects: Sequence[Suspect]


class SeatClock(TypedDict):
    seat: int
    main: int | None
    left: int | None
    used: int
    delay: int
    runs: bool
    late: bool


class ClocksShown(TypedDict):
    words: str
    main: int | None
    increment: int
    delay: int
    strict: bool
    at: int
    seats: Sequence[SeatClock]


class SeatRequest(TypedDict):
    seat: int
    code: str
    name: str


class PuzzleShown(TypedDict):
    grade: int
    helped: bool
    seconds: int | None


class LessonShown(TypedDict):
    name: str
    title: str
    number: int
    count: int
    exercise: int
    exercises: int
    phone: bool
    puzzle: PuzzleShown | None
    words: str
    said: str | None
    right: bool
    done: bool
    over: bool
    hint: str | None


class PublicView(TypedDict):
    """What everybody may see of a table; ``seq``, ``you`` and ``host`` are added for each phone."""

    game: GameHead
    lesson: LessonShown | None
    phase: str
    paused: str | None
    held: bool
    asks: Sequence[SeatRequest]
    turn: int | None
    resolver: int | None
    seats: Sequence[Player]
    levels: Sequence[LevelShown]
    layout: Drawing
    board: Mapping[str, Sequence[str]]
    pieces: Mapping[str, str]
    tints: Mapping[str, str]
    lights: Mapping[str, Light]
    arrows: Sequence[Arrow]
    tasks: Sequence[Task]
    steps: Sequence[StepShown]
    stage: Sequence[str]
    tidying: str | None
    reminder: str | None
    supply: SupplyShown | None
    wanted: str | None
    thinking: int | None
    reason: Reason | None
    question: Question | None
    problem: ProblemShown | None
    foresight: AnalysisShown | None
    decided: Decided | None
    proposal: ProposalShown | None
    cannot: Mapping[str, str]
    can: Mapping[str, bool]
    seal: Sealing | None
    deal: DealShown | None
    log: Sequence[Line]
    message: str
    own_messages: Mapping[str, str]
    standing: Sequence[Score] | None
    result: Result | None
    sensors: Sensors
    clocks: ClocksShown | None
    notices: Sequence[str]
