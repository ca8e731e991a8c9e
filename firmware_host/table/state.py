"""The state of a table, and what follows from it alone. Nothing here changes it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from firmware_host.games.game import Analysis, Game
from firmware_host.table.analysis import KnownAnalysis
from firmware_host.table.dealing import Seed, is_dealt
from firmware_host.table.hypotheses import Timings
from firmware_host.table.ledger import Ledger
from firmware_host.table.lookahead import NextStepCache
from firmware_host.table.proposal import Declined, Proposal
from firmware_host.table.sealing import Opening
from firmware_host.table.sensor_model import sensor_model
from firmware_host.table.view_form import LessonShown
from firmware_host.table.watch import Watch

Stages = tuple[str, ...]
"""The texts of the stages that lie on the board, in order."""


class TableState:
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
        self.known_analysis = KnownAnalysis()
        self.next_steps = NextStepCache(game)
        self.proposal: Proposal | None = None
        self.lapsed_until: float | None = None
        """Until when people see that a proposal has lapsed."""
        self.declined: tuple[Declined, ...] = ()
        self.ready_phones: frozenset[int] = frozenset()
        """The seats whose phones are ready to open the present seals."""
        self.openings: Mapping[int, Opening] = {}
        """The openings received in the round that is being revealed, by seat; nowhere else before the last one."""
        self.wanted: str | None = None
        self.reason: tuple[int, str] | None = None
        """A computer's seat and the reason for its action, until another seat has acted after it."""
        self.thinking: int | None = None
        """The seat for which a computer has been thinking for a while."""
        """The action, or the stage of one, that was chosen on a phone."""
        self.done_stages: Stages = ()
        """The stages of the present action that lie on the board; none of them is journalled."""
        self.tidying: str | None = None
        """What is to be done off the board after the last action, in words."""
        self.paused: str | None = None
        """Why the board can't be judged, None while it can."""
        self.held_because: str | None = None
        """Why the program paused the game; None if the host did, or if the program has started since."""
        self.seat_requests: Mapping[str, int] = {}
        """Requests of phones for a seat: code → seat."""
        self.lesson: LessonShown | None = None
        """The lesson at this table; None at a table with a game, which is journalled."""
        self.notices: Mapping[str, str] = {}
        self.channels: Mapping[str, int] = {}
        self.at = 0.0
        self.clocks_of: frozenset[int] = frozenset()
        """The seats whose clocks have been running since the last event."""
        self.clocks_until = 0
        """The time up to which they are counted, milliseconds."""
        self.clocks_kept = 0
        """When the state of the clocks was last journalled."""

    @property
    def held(self) -> bool:
        """Whether the host has paused the game."""
        return self.ledger.paused

    @property
    def phase(self) -> str:
        """Return one of the phases of :mod:`firmware_host.table.phases`."""
        if not self.ledger.started:
            return "lobby"
        if self.watch.stage != "play":
            return self.watch.stage
        if self.ledger.over:
            return "over"
        sealing = self.ledger.round
        if sealing is None:
            return "resolving"
        return "revealing" if sealing.sealed else "sealing"

    @property
    def actor(self) -> int | None:
        """Return the seat that resolves this turn, None in the lobby and at the end."""
        return self.game.actor(self.ledger.now.position) if self.ledger.started and not self.ledger.over else None

    @property
    def end_stands(self) -> bool:
        """Return whether the game's end can't be taken back: it has shown the order of a shuffled stack."""
        return self.ledger.over and is_dealt(self.game)

    @property
    def asked_seat(self) -> int | None:
        """Return the seat that answers what no sensor tells: the one that acts or, at the end, that has acted last."""
        return self.ledger.now.seat if self.ledger.over else self.actor

    @property
    def foresight(self) -> Analysis | None:
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

    def is_led(self, seat: int | None) -> bool:
        """Return whether no person chooses this seat's action: a computer does, or the table, as time is up."""
        return self.is_computer(seat) or self.is_late(seat)

    def picture(self) -> tuple[object, ...]:
        """Return what people see of the changes that frequent events may make."""
        return (
            self.phase,
            self.watch.picture(),
            self.paused,
            self.foresight,
            self.proposal,
            self.declined,
            self.done_stages,
            self.notices,
            self.clocks_of,
            self.last_seconds,
        )
