"""A recorded game told in words, turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from firmware_host.record_replay import Replay
from firmware_host.table.ledger import Moment

Data = Mapping[str, Any]


class Teller:
    """Turns events into lines of text while the game is played again."""

    def __init__(self, header: Data, replay: Replay) -> None:
        """Write the heading of a game that is about to be replayed."""
        self._replay = replay
        self._ledger = ledger = replay.ledger
        names = [
            ledger.name(seat) + (" (computer)" if ledger.sittings[seat].computer else "")
            for seat in sorted(ledger.sittings)
        ]
        started = str(header["started"] or "not yet")[:16].replace("T", " ")
        self._lines = [
            f"{ledger.game.title}, mode {header['mode']}: {', '.join(names) or 'nobody'}",
            f"Game {header['id']} on board {header['board']}, program {header['version']}, started {started} (UTC)",
        ]

    def tell(self, kind: str, data: Data, at: str) -> None:
        """Let an event happen and write what it was. Raise Lie when it can't have happened."""
        before = list(self._ledger.moments)
        self._replay.feed(kind, data)
        told = getattr(self, f"_{kind}", None)
        if told is not None:
            self._lines.extend(told(data, at, before))

    def finish(self) -> list[str]:
        """Return all lines, with how the game stands at the end."""
        return [*self._lines, "", *self._standing()]

    def _reveal(self, data: Data, at: str, _before: list[Moment]) -> Iterable[str]:
        ledger = self._ledger
        yield ""
        yield f"Turn {data['turn']} ({at[11:16]})"
        for seat, action in sorted(data["actions"].items(), key=lambda item: int(item[0])):
            yield f"  {ledger.name(int(seat))} places {ledger.game.words(action)}."
        yield from self._cleared(data["removed"])

    def _action(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"  {self._ledger.name(data['seat'])}: {self._ledger.game.words(data['action'])}."
        yield from self._cleared(data["removed"])

    def _loop(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield "  A search has proved a loop." if data["by"] == "proof" else "  All players agree on a loop."
        yield from self._cleared(self._ledger.now.removed)

    def _cleared(self, removed: Sequence[str]) -> Iterable[str]:
        if removed:
            yield f"  An unbreakable loop: the stones on {', '.join(removed)} are removed."

    def _resign(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"  {self._ledger.name(data['seat'])} resigns."

    def _reseal(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"  All seals of turn {data['turn']} are void; everybody seals anew."

    def _correction(self, data: Data, _at: str, before: list[Moment]) -> Iterable[str]:
        gone = [self._moment(moment) for moment in reversed(before[data["to"] + 1 :])]
        how = "by hand" if data["by"] == "hand" else "by agreement"
        yield f"  Taken back {how}: {'; '.join(gone)}."

    def _guidance(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        wish = "is shown the best way" if data["on"] else "wants no best way shown"
        yield f"  {self._ledger.name(data['seat'])} {wish} from now on."

    def _mask(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"  The sensor of {data['node']} is not believed any more: {data['reason']}."

    def _unmask(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"  The sensor of {data['node']} is believed again."

    def _seat(self, data: Data, _at: str, _before: list[Moment]) -> Iterable[str]:
        yield f"  {data['name']} sits on seat {data['seat']} now."

    def _moment(self, moment: Moment) -> str:
        if moment.kind == "resign":
            return f"{self._ledger.name(moment.seat or 0)} had resigned"
        if moment.kind == "loop":
            return "a loop had been called"
        words = [self._ledger.game.words(action) for _, action in sorted(moment.actions.items())]
        return ", ".join(words)

    def _standing(self) -> Iterable[str]:
        ledger = self._ledger
        if not ledger.started:
            yield "The game was abandoned in the lobby." if self._replay.abandoned else "The game has not begun."
            return
        if ledger.over:
            yield f"The end: {ledger.now.status.reason}."
        elif self._replay.abandoned:
            yield "The game was abandoned; as it stood:"
        else:
            yield "The game is not finished; as it stands:"
        for line in ledger.game.explain(ledger.now.position):
            names = " and ".join(ledger.name(seat) for seat in line.seats)
            won = " - won" if ledger.over and set(line.seats) & set(ledger.now.status.winners) else ""
            yield f"  {names}: {line.score} on home nodes, {line.tiebreak} in the sector{won}"
