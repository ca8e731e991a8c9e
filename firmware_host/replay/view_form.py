"""The form of a replay's view, field by field; the parts shared with a table's view come from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from firmware_host.games.drawing import Arrow, LayoutView, Node
from firmware_host.table.view_form import Count, Hex64, Light, Seat, Time
from firmware_host.text.json_reader import limits

AtLeast1 = Annotated[int, limits(minimum=1)]


class RecordedGame(TypedDict):
    """The recorded game."""

    id: str
    name: str
    title: str
    rules: Sequence[str]


class RecordedPlayer(TypedDict):
    """A seat of the recorded game."""

    seat: Seat
    name: str
    homes: Sequence[Node]
    colour: AtLeast1


class FilmView(TypedDict):
    """What is the same at all moments of a recorded game."""

    game: RecordedGame
    mode: str
    started: Time
    clocks_words: str | None
    moments: AtLeast1
    pieces: Mapping[str, str]
    tints: Mapping[str, str]
    layout: LayoutView
    seats: Sequence[RecordedPlayer]


class RecordedFilm(FilmView):
    """The film for pages that load moments, ``chunk`` at a time, of one version of the record."""

    version: str
    chunk: AtLeast1


class RecordedClock(TypedDict):
    """A seat's clock at a moment, ms; docs/view.md, Clocks."""

    seat: Seat
    left: int | None
    used: Count
    thought: Count


class RecordedSeal(TypedDict):
    """A commitment, with its opening if there was one."""

    seat: Seat
    turn: int
    commitment: Hex64
    action: str | None
    words: str | None
    nonce: str | None
    void: bool


class SceneView(TypedDict):
    """What a moment shows."""

    turn: int
    actor: Seat | None
    words: str
    board: Mapping[str, Sequence[str]]
    lights: Mapping[str, Light]
    arrows: Sequence[Arrow]


class RecordedMoment(SceneView):
    """One moment of a recorded game."""

    when: Time
    plays: Mapping[str, str]
    scores: Sequence[str]
    clocks: Sequence[RecordedClock]
    seals: Sequence[RecordedSeal]
    standing: Sequence[str]


class Moments(TypedDict):
    """Some moments, from ``first`` on."""

    first: Count
    moments: Sequence[RecordedMoment]


class ReplayView(FilmView, RecordedMoment):
    """What every screen of ``lodestone replay`` gets."""

    seq: Count
    you: None
    host: bool
    moment: Count
    playing: bool
    pace: float
    notice: str | None
