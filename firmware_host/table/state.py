"""The state of a table: all that it holds, and what follows from that alone. Nothing here changes it.

Its parts are values: they are replaced, never changed in place (:class:`firmware_host.table.change.Change`). The ledger
is what survives a power cut, the watch is what hands do; the rest is here: what is proposed, what searches have found,
and what has been looked up.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Analysis, Game, Step
from firmware_host.games.positions import Seed, is_dealt
from firmware_host.table.hypotheses import Timings
from firmware_host.table.ledger import Ledger
from firmware_host.table.sealing import Opening
from firmware_host.table.sensor_model import sensor_model
from firmware_host.table.subject import SubjectState, subjects
from firmware_host.table.view_form import LessonShown
from firmware_host.table.watch import Watch

SILENT = "silent"
"""The notice that tells what sensors have in common that do not answer."""


@dataclass(frozen=True)
class FarTables:
    """What a table knows of the other tables of its room (:mod:`firmware_host.link`).

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


@dataclass(frozen=True)
class _Known:
    """The analysis of one position; ``seconds`` is how long the search that found its path has looked."""

    position: Hashable
    analysis: Analysis
    seconds: float


class KnownAnalysis:
    """The analysis of the present position; None is returned for any other position."""

    def __init__(self) -> None:
        """Know nothing."""
        self._known: _Known | None = None

    def at(self, position: Hashable) -> Analysis | None:
        """Return what is known of a position."""
        known = self._known
        return known.analysis if known is not None and known.position == position else None

    def learn(self, position: Hashable, news: Analysis, seconds: float) -> None:
        """Merge a search's answer with what earlier searches have proved."""
        old = self._known
        if old is None or old.position != position or news.in_loop:
            self._known = _Known(position, news, seconds)
        elif _better_way(old, news, seconds):
            self._known = _Known(position, _with_proofs(news, old.analysis), seconds)
        else:
            self._known = _Known(position, _with_proofs(old.analysis, news), old.seconds)

    def step(self, before: Hashable, action: str, after: Hashable) -> None:
        """Keep what is still true after an action."""
        known = self._known
        if known is not None and known.position == before:
            carried = after_action(known.analysis, action)
            self._known = _Known(after, carried, known.seconds) if carried is not None else None


def after_action(known: Analysis, action: str) -> Analysis | None:
    """Return what still holds after an action; None if nothing does.

    After the first step of a path the rest of it remains the best: every end within reach after the step was within
    reach before it. For the same reason, where no end could be reached before, none can be reached after it.
    """
    restless = known.rest_reachable is False
    if not known.way or known.way[0] != action:
        return Analysis(rest_reachable=False, in_loop=None) if restless else None
    to_rest = known.end == "rest"
    return replace(
        known,
        rest_reachable=True if to_rest else False if restless else None,
        in_loop=False if to_rest else None,
        loop_nodes=(),
        way=known.way[1:],
    )


def is_settled(known: Analysis) -> bool:
    """Return whether no search can add anything."""
    return known.in_loop is True or (known.in_loop is False and known.rest_reachable is not None and known.exact)


def _better_way(old: _Known, news: Analysis, seconds: float) -> bool:
    """Return whether to show a new answer's path: it is better, was searched for longer, or can't be beaten.

    Of two paths that can't be beaten the first stays, so that players who follow it are not led back and forth.
    """
    if news.exact or old.analysis.exact:
        return not old.analysis.exact
    found = old.analysis
    return found.end is None or (news.end is not None and (news.worth, seconds) > (found.worth, old.seconds))


def _with_proofs(shown: Analysis, other: Analysis) -> Analysis:
    """Return the analysis whose path is shown, with what the other one has proved."""
    return replace(
        shown,
        rest_reachable=other.rest_reachable if shown.rest_reachable is None else shown.rest_reachable,
        in_loop=other.in_loop if shown.in_loop is None else shown.in_loop,
        loop_nodes=shown.loop_nodes or other.loop_nodes,
    )


# -- what comes next ---------------------------------------------------------------------------------------------------


MOST_STEPS = 20_000
"""Maximum number of steps that are kept: about 30 MB, and more than one moment of any game needs."""


class NextStepCache:
    """A cache of the steps after a step: they are asked for repeatedly while hands hesitate."""

    def __init__(self, game: Game[Any]) -> None:
        """Know nothing yet."""
        self._game = game
        self._known: dict[tuple[Any, Sequence[str], str], tuple[Step, ...]] = {}
        """The last ones used come last."""
        self._size = 0

    def after(self, position: Any, done: Sequence[str], step: Step) -> tuple[Step, ...]:
        """Return the next actor's steps after a step; none where all act together, or where stones are removed first.

        ``done`` are the stages that lie before the step.
        """
        key = (position, done, step.action)
        steps = self._known.pop(key, None)
        if steps is None:
            steps = self._look(position, done, step)
            self._size += 1 + len(steps)
        self._known[key] = steps
        while self._size > MOST_STEPS and len(self._known) > 1:
            self._size -= 1 + len(self._known.pop(next(iter(self._known))))
        return steps

    def _look(self, position: Any, done: Sequence[str], step: Step) -> tuple[Step, ...]:
        game, staged = self._game, capabilities_of(self._game).stages
        if step.partial and staged:
            return tuple(staged.stage(position, (*done, step.action)))
        seat = game.actor(position)
        if seat is None or game.simultaneous(position):
            return ()
        after = game.apply(position, {seat: step.action})
        if after.status.over or after.removed or game.simultaneous(after.position):
            return ()
        following = after.position
        return tuple(staged.stage(following, ()) if staged else game.steps(following))


# -- the table ---------------------------------------------------------------------------------------------------------


Stages = tuple[str, ...]
"""The texts of the stages that lie on the board, in order."""


class Table:
    """One game, from the lobby to the cleared board. ``kind`` is the board's kind of sensing.

    Its parts are replaced, never changed in place: see :class:`firmware_host.table.change.Change`.
    """

    far: FarTables | None = None
    """The other tables of the room; None for a table by itself."""

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
        self.known_analysis = KnownAnalysis()
        self.next_steps = NextStepCache(game)
        self.ready_phones: frozenset[int] = frozenset()
        """The seats whose phones are ready to open the present seals."""
        self.openings: Mapping[int, Opening] = {}
        """The openings received in the round that is being revealed, by seat; nowhere else before the last one."""
        self.chosen_action: str | None = None
        """The action, or the stage of one, that was chosen on a phone."""
        self.reason: tuple[int, str] | None = None
        """A computer's seat and the reason for its action, until another seat has acted after it."""
        self.thinking: int | None = None
        """The seat for which a computer has been thinking for a while."""
        self.done_stages: Stages = ()
        """The stages of the present action that lie on the board; none of them is journalled."""
        self.tidying: str | None = None
        """What is to be done off the board after the last action, in words."""
        self.board_lost: str | None = None
        """Why the board can't be judged, None while it can."""
        self.held_because: str | None = None
        """Why the program paused the game; None if the host did, or if the program has started since."""
        self.seat_requests: Mapping[str, int] = {}
        """Requests of phones for a seat: code → seat."""
        self.lesson: LessonShown | None = None
        """The lesson at this table; None at a table with a game, which is journalled."""
        self.states: Mapping[SubjectState[Any], Any] = {}
        """What each subject holds that a power cut may take."""
        self.notices: Mapping[str, str] = {}
        self.channels: Mapping[str, int] = {}
        self.at = 0.0
        self.clocks_of: frozenset[int] = frozenset()
        """The seats whose clocks have been running since the last event."""
        self.clocks_until = 0
        """The time up to which they are counted, milliseconds."""
        self.wakes_at = 0.0
        """Until then a tick changes nothing unless something else happens first."""
        self.judges_again_at = 0.0
        """Until then the board is not judged without a change: judging has failed."""
        self.clocks_kept = 0
        """When the state of the clocks was last journalled."""

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
        return self.known_analysis.at(self.ledger.now.position) if self.phase == "resolving" else None

    @property
    def in_order(self) -> bool:
        """Return whether the sensed board matches the position (or the target of the stage)."""
        return not self.watch.tracker.mismatch(self.watch.target)

    def is_computer(self, seat: int | None) -> bool:
        """Return whether a computer sits on a seat."""
        sitting = self.ledger.sittings.get(seat or 0)
        return sitting is not None and sitting.computer

    @property
    def last_seconds(self) -> tuple[int, ...]:
        """Return the seats whose last seconds run."""
        clocks = self.ledger.clocks
        return () if clocks is None else tuple(seat for seat in sorted(self.clocks_of) if clocks.last(seat))

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
            self.clocks_of,
            self.last_seconds,
            *(subject.pictured(self) for subject in subjects()),
        )
