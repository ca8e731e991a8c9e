"""The state of a table: all that it holds, and what follows from that alone.

Its parts are values: they are replaced, never changed in place (:class:`firmware_host.table.change.Change`). The ledger
is what survives a power cut, the watch is what hands do. What a subject holds beside them is its own
(:attr:`Table.states`), and is shown here where many ask for it; three such values that several subjects replace stand
at the end. What searches have found and what has been looked up is the table's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from firmware_host.games.game import Analysis, Game
from firmware_host.games.positions import NextStepCache, Seed, is_dealt
from firmware_host.table.hypotheses import Timings
from firmware_host.table.known_analysis import known_of
from firmware_host.table.ledger import Ledger
from firmware_host.table.sensor_model import sensor_model
from firmware_host.table.subject import Holder, SubjectState, subjects
from firmware_host.table.view_form import LessonShown
from firmware_host.table.watch import Watch


class Table:
    """One game, from the lobby to the cleared board. ``kind`` is the board's kind of sensing.

    Its parts are replaced, never changed in place: see :class:`firmware_host.table.change.Change`.
    """

    def __init__(
        self,
        game: Game[Any],
        game_id: str,
        mode: str,
        *,
        kind: str,
        timings: Timings | None = None,
        ambiguous_stacks: Collection[str] = (),
        seed: Seed = 0,
    ) -> None:
        """Open the lobby. ``ambiguous_stacks``: nodes where levels don't show stacks; ``seed`` deals a shuffled game.

        Raise GameError for an unknown mode.
        """
        self.game = game
        self.kind = kind
        self.seed = seed
        self.ledger = Ledger(game, game_id, mode)
        self.layout = game.layout()
        self.watch = Watch(sensor_model(game, kind, ambiguous_stacks), self.layout, timings or Timings())
        self.next_steps = NextStepCache(game)
        self.lesson: LessonShown | None = None
        """The lesson at this table; None at a table with a game, which is journalled."""
        self.states: Mapping[SubjectState[Any], Any] = {}
        """What each subject holds that a power cut may take."""
        self.channels: Mapping[str, int] = {}
        self.at = 0.0
        self.wakes_at = 0.0
        """Until then a tick changes nothing unless something else happens first."""
        self.judges_again_at = 0.0
        """Until then the board is not judged without a change: judging has failed."""

    @property
    def chosen_action(self) -> str | None:
        """Return the action, or the stage of one, that was chosen."""
        return ACTION.of(self).chosen

    @property
    def done_stages(self) -> Stages:
        """Return the stages of the present action that lie on the board."""
        return ACTION.of(self).done

    @property
    def tidying(self) -> str | None:
        """Return what is to be done off the board after the last action, in words."""
        return ACTION.of(self).tidying

    @property
    def far(self) -> FarTables | None:
        """Return the other tables of the room; None for a table by itself."""
        return FAR.of(self)

    @property
    def notices(self) -> Mapping[str, str]:
        """Return what people are told beside the game: what it is about → its words."""
        return NOTICES.of(self)

    @property
    def board_lost(self) -> str | None:
        """Return why the board can't be judged, None while it can."""
        return BOARD_LOST.of(self)

    @property
    def paused(self) -> bool:
        """Whether the host has paused the game."""
        return self.ledger.paused

    @property
    def phase(self) -> str:
        """Return one of the phases of :mod:`firmware_host.table.events`."""
        ledger, stage = self.ledger, self.watch.stage
        if not ledger.moments:  # Asked several times for each scan: the ledger's own properties take twice as long.
            return "lobby"
        if stage != "play":
            return stage
        if ledger.moments[-1].status.over:
            return "over"
        sealing = ledger.round
        if sealing is None:
            return "resolving"
        return "revealing" if sealing.is_sealed else "sealing"

    @property
    def actor(self) -> int | None:
        """Return the seat that resolves this turn, None in the lobby and at the end."""
        return self.game.actor(self.ledger.now.position) if self.ledger.started and not self.ledger.over else None

    @property
    def end_stands(self) -> bool:
        """Return whether the game's end can't be taken back: it has shown the order of a shuffled stack."""
        return self.ledger.over and is_dealt(self.game)

    @property
    def answering_seat(self) -> int | None:
        """Return the seat that answers what no sensor tells: the one that acts or, between turns, has acted last."""
        return self.actor if self.phase == "resolving" else self.ledger.now.seat

    @property
    def analysis(self) -> Analysis | None:
        """Return the analysis of the phase being resolved, None without any (yet)."""
        return known_of(self, self.ledger.now.position) if self.phase == "resolving" else None

    @property
    def in_order(self) -> bool:
        """Return whether the sensed board matches the position (or the target of the stage)."""
        return not self.watch.tracker.mismatch(self.watch.target)

    def is_computer(self, seat: int | None) -> bool:
        """Return whether a computer sits on a seat."""
        sitting = self.ledger.sittings.get(seat or 0)
        return sitting is not None and sitting.computer

    def is_late(self, seat: int | None) -> bool:
        """Return whether the table plays this turn for a seat whose time is up."""
        clocks = self.ledger.clocks
        stint = clocks.stints.get(seat or 0) if clocks is not None else None
        return (
            clocks is not None and stint is not None and stint[1] == "act" and clocks.out(seat or 0, stint) is not None
        )

    def is_far(self, seat: int | None) -> bool:
        """Return whether a seat is played at another table."""
        return self.far is not None and seat in self.far.seats

    @property
    def writes(self) -> bool:
        """Whether this table writes the next entry of its game, alone or among the tables of a room."""
        return self.far is None or self.far.writes

    @property
    def waits_for_tables(self) -> str | None:
        """Why this table's next action has to wait for another table, in words; None if it need not."""
        waits = self.far.waits if self.far is not None else None
        return waits if self.phase == "resolving" and not self.is_far(self.actor) else None

    def is_played_for(self, seat: int | None) -> bool:
        """Return whether nobody here chooses this seat's action: a computer or another table does, or lots do."""
        return self.is_computer(seat) or self.is_far(seat) or self.is_late(seat)

    def picture(self) -> tuple[object, ...]:
        """Return what people see of the changes that frequent events may make."""
        return (
            self.phase,
            self.watch.picture(),
            self.board_lost,
            self.analysis,
            self.done_stages,
            self.notices,
            *(subject.pictured(self) for subject in subjects()),
        )


# -- the action that is being made: not journalled, replaced only here -------------------------------------------------


Stages = tuple[str, ...]
"""The texts of the stages that lie on the board, in order."""


@dataclass(frozen=True)
class ActionState:
    """``chosen`` is the action, or the stage of one, that was chosen on a phone, or by a computer or lot.

    ``done`` are the stages of the present action that lie on the board. ``tidying``: what is to be done off the board
    after the last action, in words.
    """

    chosen: str | None = None
    done: Stages = ()
    tidying: str | None = None


ACTION = SubjectState(ActionState())


def choose(table: Holder, action: str | None) -> None:
    """Have an action chosen, or none any more."""
    ACTION.put(table, replace(ACTION.of(table), chosen=action))


def lay(table: Holder, done: Stages) -> None:
    """Note which stages of the action lie on the board."""
    ACTION.put(table, replace(ACTION.of(table), done=done))


def tidy(table: Holder, words: str | None) -> None:
    """Note what is to be done off the board, if anything is."""
    ACTION.put(table, replace(ACTION.of(table), tidying=words))


# -- what is told beside the game: faults of parts, and a board that does not answer; not journalled -------------------


SILENT = "silent"
"""The notice of what several sensors have in common: they do not answer, or show the other pole."""
NOTICES: SubjectState[Mapping[str, str]] = SubjectState({})
"""What is told about → its words."""
BOARD_LOST: SubjectState[str | None] = SubjectState(None)
"""Why the board can't be judged, None while it can."""


def notice(table: Holder, what: str, text: str | None) -> None:
    """Tell something, in place of what was told about the same before; None: it is over."""
    others = {one: words for one, words in NOTICES.of(table).items() if one != what}
    NOTICES.put(table, others if text is None else {**others, what: text})


def lose_board(table: Holder, reason: str | None) -> None:
    """Note why the board can't be judged, None: it answers again."""
    BOARD_LOST.put(table, reason)


# -- the other tables of a room, and what people here want of them: not journalled -------------------------------------


@dataclass(frozen=True)
class FarTables:
    """The other tables of a room (:mod:`firmware_host.link`).

    ``seats`` maps a seat that is played at another table to that table's name. ``writes``: whether this table writes
    the next entry of the game that they share. ``waits`` says why hands have to wait with the next action, if they do.
    """

    seats: Mapping[int, str]
    writes: bool = False
    waits: str | None = None
    resigning: frozenset[int] = frozenset()
    """The seats here that want to resign while another table writes the next entry; the table itself keeps them."""
    begins: bool = False
    """Whether somebody here wants the game to begin; the table itself keeps it."""


FAR: SubjectState[FarTables | None] = SubjectState(None)
"""None for a table by itself."""


def know(table: Holder, far: FarTables | None) -> None:
    """Know the other tables from now on, None: there are none; what people here want is as ``far`` says."""
    FAR.put(table, far)


def wish_to_resign(table: Holder, seat: int) -> None:
    """Note that a seat here wants to resign, which another table has to write."""
    if (far := FAR.of(table)) is not None:
        know(table, replace(far, resigning=far.resigning | {seat}))


def wish_to_begin(table: Holder) -> None:
    """Note that somebody here wants the game to begin."""
    if (far := FAR.of(table)) is not None:
        know(table, replace(far, begins=True))
