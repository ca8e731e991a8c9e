"""Replay of a game record: each event must follow from those before by the rules and by the seals.

The table's own fold (:class:`firmware_host.table.ledger.Ledger`) recomputes positions, removed nodes and corrections.
The table's checks before an entry (permission to seal, an opening that fits its seal, the result) are repeated here,
because a record may come from anywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from firmware_host.games.capabilities import CIRCLES, capabilities_of
from firmware_host.games.clocks import Clocks, ClockSetting
from firmware_host.games.game import GameError
from firmware_host.games.positions import is_dealt
from firmware_host.games.registry import game as find_game
from firmware_host.games.seals import is_seed
from firmware_host.table.errors import TableError
from firmware_host.table.ledger import Ledger, LedgerError, Round, random_placement, result_entry, why_not_resealed
from firmware_host.table.subjects import hints, masks
from firmware_host.table.subjects.seats import checked_name

Data = Mapping[str, Any]
ANY_TIME = frozenset({"mask", "unmask", "abandoned"})
"""Kinds of event that may precede the start in a record."""

PROOF_S = 1.0
PROOF_POSITIONS = 200_000
"""Limits, in seconds and positions, of the search that checks a proved loop; beyond them the record is believed."""


class InvalidRecord(ValueError):
    """An event that does not follow from those before; the message says why."""


class GameReplay:
    """A recorded game so far. Feed it the events in order; their shapes must have been checked."""

    def __init__(self, header: Data) -> None:
        """Seat the players. Raise Lie for an unknown game, option or mode, or seats that are not the mode's."""
        try:
            game = find_game(header["game"], header["rules"])
            self.ledger = Ledger(game, header["id"], header["mode"])
        except GameError as error:
            raise InvalidRecord(str(error)) from error
        self.seals = 0
        """Number of openings that fit their commitments."""
        self.result: Data | None = None
        self.abandoned = False
        seats = {int(seat): sitting for seat, sitting in header["seats"].items()}
        expected = set(self.ledger.all_seats)
        if not set(seats) <= expected or (header["started"] is not None and set(seats) != expected):
            raise InvalidRecord(f"seats: expected {sorted(expected)} in mode {header['mode']}, found {sorted(seats)}")
        for seat, sitting in seats.items():
            self._check_name(seat, sitting["name"])
            self.ledger.apply("seat", {"seat": seat, "claim": "", **sitting})
        chosen = {seat: sitting["colour"] for seat, sitting in seats.items() if "colour" in sitting}
        if len(set(chosen.values())) < len(chosen):
            raise InvalidRecord(f"seats: each colour once, found {sorted(chosen.values())}")
        self.ledger.chosen_colours = {**self.ledger.chosen_colours, **chosen}
        for seat in (seat for seat, sitting in seats.items() if "hints" in sitting):
            self.ledger.apply("hints", {"seat": seat, "on": False})
        try:
            self.ledger.clock_setting = ClockSetting.from_dict(header["clocks"]) if "clocks" in header else None
        except ValueError as error:
            raise InvalidRecord(f"clocks: {error}") from error

    def feed(self, kind: str, data: Data) -> None:
        """Apply one event. Raise InvalidRecord if it does not follow from those before."""
        self._check_order(kind)
        check, clocks = _CHECKS.get(kind), self.ledger.clocks
        try:
            if check is not None:
                check(self, data)
            self.ledger.apply(kind, {**data, "claim": ""} if kind in {"seat", "moved"} else data)
        except (GameError, LedgerError, TableError) as error:
            raise InvalidRecord(str(error)) from error
        if "clock" in data:
            self._check_clock(kind, data, clocks)
        if kind in {"result", "correction"}:
            self.result = data if kind == "result" else None
        self.abandoned = self.abandoned or kind == "abandoned"

    def _check_order(self, kind: str) -> None:
        if kind == "start" and self.ledger.started:
            raise InvalidRecord("kind: the game has started already, found 'start' again")
        if not self.ledger.started and kind not in {"start", *ANY_TIME}:
            raise InvalidRecord(f"kind: expected start before anything is played, found {kind!r}")
        taken_back = kind == "correction" and self.ledger.over and not self.abandoned
        if self.ledger.ended and not taken_back and kind not in {"mask", "unmask", "moved"}:
            raise InvalidRecord(f"kind: the game has ended, found {kind!r} after its end")

    def _check_clock(self, kind: str, data: Data, before: Clocks | None) -> None:
        """Raise Lie for impossible clocks: used time only grows; a correction restores it exactly."""
        now = self.ledger.clocks
        if now is None:
            raise InvalidRecord("clock: nothing stands on the clocks before the start")
        if kind == "correction" and now.to_dict() != data["clock"]:
            raise InvalidRecord("clock: not what stood at the moment that was gone back to")
        fell = [seat for seat, used in (before.used if before else {}).items() if now.used[seat] < used]
        if fell and kind != "correction":
            raise InvalidRecord(f"clock.used: seat {fell[0]} has thought for less time than before")

    def _flag(self, data: Data) -> None:
        turn, stint = self.ledger.due().get(data["seat"], (None, None))
        if data["turn"] != turn or data.get("stint", stint) != stint:
            seat = data["seat"]
            raise InvalidRecord(f"the time of seat {seat} is up, but it has nothing to think about in this turn")
        if self.ledger.clock_setting is None or self.ledger.clock_setting.strict != ("stint" in data):
            raise InvalidRecord("stint: expected where clocks are strict, and there alone")

    def _start(self, data: Data) -> None:
        dealt = is_dealt(self.ledger.game)
        if "lots" in data:
            if "seed" in data or "deal" in data:
                raise InvalidRecord("lots: nothing else says how the stack lies, found that, too")
            return
        if dealt and "seed" not in data:
            raise InvalidRecord("seed: expected that from which the game was dealt, found nothing")
        if not dealt and "seed" in data:
            raise InvalidRecord(f"seed: nothing is dealt in {self.ledger.game.title}, found {data['seed']}")
        if "deal" not in data and is_seed(data.get("seed")):  # Old records have numbers, and no seal of the deal.
            raise InvalidRecord("deal: expected the seal of the deal, found nothing")
        if "deal" in data and not dealt:
            raise InvalidRecord(f"deal: nothing is dealt in {self.ledger.game.title}, found a seal of it")

    def _seat(self, data: Data) -> None:
        if data["seat"] not in self.ledger.all_seats:
            raise InvalidRecord(f"seat: expected one of {list(self.ledger.all_seats)}, found {data['seat']}")
        self._check_name(data["seat"], data["name"])

    def _check_name(self, seat: int, name: str) -> None:
        try:
            checked_name(self.ledger, seat, name, str.casefold)  # Former lobbies compared names so.
        except TableError as error:
            raise InvalidRecord(f"seat {seat}: a name that the lobby refuses: {error}") from error

    def _seal(self, data: Data) -> None:
        if not self._round().check_commitment(data["seat"], data["turn"], data["commitment"]):
            raise InvalidRecord(f"seat {data['seat']} has sealed turn {data['turn']} already")

    def _opens(self, data: Data) -> None:
        sealed = self._round()
        if not sealed.is_sealed:
            raise InvalidRecord("phones begin to open before all have sealed")
        if data["turn"] != sealed.turn:
            raise InvalidRecord(f"turn: expected {sealed.turn}, found {data['turn']}")

    def _opening(self, data: Data) -> None:
        if not self._round().check_opening(data["seat"], data["turn"], data["action"], data["nonce"]):
            raise InvalidRecord(f"seat {data['seat']} has opened its seal of turn {data['turn']} already")
        out = self.ledger.clocks.out(data["seat"], (data["turn"], "seal")) if self.ledger.clocks else None
        drawn = random_placement(self.ledger, data["seat"], out.seed) if out is not None else None
        if drawn is not None and drawn.action != data["action"]:
            raise InvalidRecord(f"action: drawn by lot was {drawn.action}, found {data['action']}")
        self.seals += 1

    def _reseal(self, data: Data) -> None:
        if data["turn"] != self._round().turn:
            raise InvalidRecord(f"turn: expected {self._round().turn}, found {data['turn']}")
        if {"seat", "by"} <= set(data):
            raise InvalidRecord("by: a seat that seals anew voids no turn, found both")
        reason = why_not_resealed(self._round(), data["seat"]) if "seat" in data else None
        if reason is not None:
            raise InvalidRecord(f"seat {data['seat']}: {reason}")

    def _reveal(self, data: Data) -> None:
        sealed = self._round()
        if data["turn"] != sealed.turn:
            raise InvalidRecord(f"turn: expected {sealed.turn}, found {data['turn']}")
        unopened = [seat for seat in sealed.seats if seat not in sealed.actions]
        if unopened:
            raise InvalidRecord(f"revealed before seats {unopened} had opened their seals")
        opened = {str(seat): action for seat, action in sorted(sealed.actions.items())}
        if data["actions"] != opened:
            raise InvalidRecord(f"actions: the openings are {opened}, found {data['actions']}")

    def _action(self, data: Data) -> None:
        self.ledger.game.check(self.ledger.now.position, data["seat"], data["action"])
        if self.ledger.round is not None:
            raise InvalidRecord("an action while all seats seal their placements")

    def _loop(self, data: Data) -> None:
        """Raise InvalidRecord for an impossible loop. A short search checks a proved one; people may agree on any."""
        search, nodes = capabilities_of(self.ledger.game).analysis, data["nodes"]
        if self.ledger.round is not None or search is None:
            raise InvalidRecord("a loop is called where nothing is being resolved that could be one")
        if len(set(nodes)) < len(nodes):
            raise InvalidRecord(f"nodes: each node once, found {nodes}")
        if data["by"] != "agreement":
            deadline = time.monotonic() + PROOF_S
            found = search.foresee(self.ledger.now.position, PROOF_POSITIONS, lambda: time.monotonic() >= deadline)
            if data["by"] in CIRCLES:
                circling = search.circling(self.ledger.now.position, data["by"])
                if found.rest_reachable or set(circling) != set(nodes):
                    raise InvalidRecord(f"nodes: the stones circle on {list(circling)}, found {nodes}")
                return
            if found.rest_reachable or found.in_loop is False:
                raise InvalidRecord("a loop said to be proved, but steps lead out of it")
            if found.in_loop and set(found.loop_nodes) != set(nodes):
                raise InvalidRecord(f"nodes: the loop is on {list(found.loop_nodes)}, found {nodes}")

    def _decision(self, data: Data) -> None:
        decisions = capabilities_of(self.ledger.game).decisions
        found = decisions.decision(self.ledger.now.position) if decisions else None
        if found is None:
            raise InvalidRecord("the game is called decided, but by the rules it is not")
        if found.winner != data["winner"]:
            raise InvalidRecord(f"winner: {data['winner']} recorded, {found.winner} by the rules")

    def _guidance(self, data: Data) -> None:
        if data["seat"] not in self.ledger.all_seats:
            raise InvalidRecord(f"seat: expected one of {list(self.ledger.all_seats)}, found {data['seat']}")

    def _hint(self, data: Data) -> None:
        ledger, seat = self.ledger, data["seat"]
        self._guidance(data)
        if ledger.sittings[seat].computer:
            raise InvalidRecord(f"seat {seat}: a hint for a computer")
        if seat in hints.KEPT.of(ledger).barred:
            raise InvalidRecord(f"seat {seat}: a hint, but the host allows this seat none")
        sealing = ledger.round
        if sealing is None and seat != ledger.game.actor(ledger.now.position):
            raise InvalidRecord(f"seat {seat}: a hint for a seat that does not act")
        if sealing is not None and (seat not in sealing.seats or seat in sealing.commitments):
            raise InvalidRecord(f"seat {seat}: a hint for a seat that has nothing to seal")
        if sealing is not None and data["told"] > 2:
            raise InvalidRecord("told: a hint about a seal is never shown on a board")

    def _mask(self, data: Data) -> None:
        if data["node"] not in self.ledger.game.layout().nodes:
            raise InvalidRecord(f"node: {data['node'][:20]!r} is not on this board")

    def _unmask(self, data: Data) -> None:
        if data["node"] not in masks.KEPT.of(self.ledger):
            raise InvalidRecord(f"node: the sensor of {data['node'][:20]!r} is not masked")

    def _result(self, data: Data) -> None:
        if not self.ledger.over:
            raise InvalidRecord("a result, but by the rules the game goes on")
        for name, ruled in result_entry(self.ledger.now.status).items():
            if data[name] != ruled:
                raise InvalidRecord(f"{name}: {data[name]} recorded, {ruled} by the rules")

    def _round(self) -> Round:
        if self.ledger.round is None:
            raise InvalidRecord("nobody seals anything now")
        return self.ledger.round


_CHECKS: Mapping[str, Callable[[GameReplay, Data], None]] = {
    "start": GameReplay._start,
    "seat": GameReplay._seat,
    "seal": GameReplay._seal,
    "opens": GameReplay._opens,
    "opening": GameReplay._opening,
    "reseal": GameReplay._reseal,
    "reveal": GameReplay._reveal,
    "action": GameReplay._action,
    "loop": GameReplay._loop,
    "decided": GameReplay._decision,
    "guidance": GameReplay._guidance,
    "hints": GameReplay._guidance,
    "hint": GameReplay._hint,
    "flag": GameReplay._flag,
    "mask": GameReplay._mask,
    "unmask": GameReplay._unmask,
    "result": GameReplay._result,
}
