"""Two ways to a table: its events, and the JSON lines of `lodestone table`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from time import thread_time
from typing import Any

from firmware_host.games.game import GameError
from firmware_host.services.table_protocol import TableSession
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.resolving import BoardChanged, SensorChanged


class Events:
    """The table behind the protocol, without its text."""

    def __init__(self, **opening: Any) -> None:
        self.service = TableSession()
        self.service.answer({"do": "open", **opening})
        self.verdicts: list[float] = []
        """How long the table took for each change, seconds."""
        self.restarts: list[float] = []
        """How long it took to begin anew, seconds."""

    @property
    def table(self) -> Any:
        return self.service._table

    def sense(self, at: float, changes: Sequence[tuple[str, str]]) -> None:
        event: ev.Event
        if len(changes) == 1:
            event = SensorChanged(at=at, node=changes[0][0], sensed=changes[0][1])
        else:
            event = BoardChanged(at=at, sensed_states=tuple(changes))
        began = thread_time()
        self.service._happen(event)
        self.verdicts.append(thread_time() - began)

    def tick(self, at: float) -> None:
        table = self.table
        if at < table.wakes_at:  # Nothing happens; most of an evening's time is spent so.
            table.at = self.service._at = at
        else:
            self.service._happen(ev.Tick(at=at))

    def deed(self, at: float, what: str, **more: Any) -> str | None:
        return _refused(lambda: self.service.answer({"do": "request", "time": at, "what": what, **more}))

    def restart(self, at: float) -> None:
        began = thread_time()
        self.service.answer({"do": "restart", "time": at})
        self.restarts.append(thread_time() - began)

    def look(self) -> Mapping[str, Any]:
        return self.service.answer({"do": "look"})

    def count(self) -> int:
        """Return how many entries have been journalled."""
        return len(self.service._entries)


class Lines(Events):
    """The same by JSON lines, each answered by one line."""

    def __init__(self, **opening: Any) -> None:
        self.service = TableSession()
        self.verdicts, self.restarts = [], []
        self._ask({"do": "open", **opening})

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.service.answer_line(json.dumps(request)))
        if not answer["ok"]:
            raise TableError(answer["error"]["code"], answer["error"]["message"])
        return answer

    def sense(self, at: float, changes: Sequence[tuple[str, str]]) -> None:
        began = thread_time()
        self._ask({"do": "sense", "time": at, "nodes": dict(changes)})
        self.verdicts.append(thread_time() - began)

    def tick(self, at: float) -> None:
        self._ask({"do": "tick", "time": at})

    def deed(self, at: float, what: str, **more: Any) -> str | None:
        return _refused(lambda: self._ask({"do": "request", "time": at, "what": what, **more}))

    def restart(self, at: float) -> None:
        began = thread_time()
        self._ask({"do": "restart", "time": at})
        self.restarts.append(thread_time() - began)

    def look(self) -> Mapping[str, Any]:
        return self._ask({"do": "look"})


def _refused(deed: Callable[[], Any]) -> str | None:
    """Do something; return the code of the refusal, None where there was none."""
    try:
        deed()
    except (TableError, GameError) as error:
        return error.code
    return None
