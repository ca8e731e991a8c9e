"""A whole table in one process, on simulated time: rules, drivers over simulated chips, debouncing, journal, lights.

Nothing waits: :meth:`SimulatedTable.wait` moves the clock on and lets the program do what it does meanwhile, scan by
scan. Hands lift and carry pieces as people do, so a test sees what a real board would have seen: a stone that is in
the hand, a reading that bounces, a stack that no sensor tells from a single stone.
"""

from __future__ import annotations

import importlib
import tempfile
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import dropwhile, pairwise
from pathlib import Path
from typing import Any

from firmware_host.analysis.questions import Analyser
from firmware_host.archive.journal import Journal
from firmware_host.boardfile.load import board_of, find_board, load_board, shipped_boards
from firmware_host.games.registry import game as find_game
from firmware_host.games.seals import commitment
from firmware_host.link.evening_log import EveningLog, evening_text
from firmware_host.session.runtime import Runtime
from firmware_host.session.table_setup import Setting, SuspendedGame
from firmware_host.table.hypotheses import Timings
from firmware_host.table.subjects.resolving import ActionChosen
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from hw.ports import BoardDescription
from lodestone.boards import Clock, opened
from lodestone.chance import Drawn
from lodestone.evening import first_tasks
from simulator.board import SimulatedBoard
from simulator.hand import Hand

KEY = b"k" * 32
"""The table's key: seals and records of simulated tables prove nothing to anybody."""
NONCE = "0123456789abcdef0123456789abcdef"
SETTLED_S = 0.6
"""After this time the table has taken note of a piece that was put down."""
PATIENCE_S = 30.0
"""So long, of simulated time, an expectation is waited for."""
LAST_EVENTS = 10


class NotAsExpected(AssertionError):
    """An expectation was not met; the message has the board, the lights, the sentence and the last events."""


class ByNode(dict[str, str]):
    """Node → meaning of its light; a dark node has the meaning ``""``."""

    def __missing__(self, node: str) -> str:
        return ""


@cache
def described_board(name: str, kind: str | None) -> BoardDescription:
    """Return the simulated board of a board file or a shipped one, which is read once a process."""
    return load_board(find_board(name), backend="sim", kind=kind)


@cache
def board_for(game: str, kind: str | None, scheme: str | None = None) -> BoardDescription:
    """Return a simulated board for a game: the first shipped one, else one that follows from its layout.

    It follows from the layout also where its sensors shall be wired in another ``scheme``. What makes it goes with the
    extensions, where somebody has deleted all.
    """
    for path in () if scheme else shipped_boards():
        if load_board(path).game == game:
            return described_board(path.stem, kind)
    rules = find_game(game)
    new_board = importlib.import_module("firmware_host.link.new_board")
    pieces = new_board.pieces_of(rules, coded=kind == "coded")
    text = new_board.board_text(
        game, game, rules.layout(), "A simulated board", pieces=pieces, scheme=scheme, kind=kind
    )
    return board_of(Path(f"{game}.toml"), text, backend="sim")


class TableHand(Hand):
    """A hand with the words of the table's tasks (docs/table-protocol.md): put, move, take, tap."""

    def move(self, source: str, target: str, pieces: Sequence[str] | None = None) -> None:
        """Lift the top piece of a node, or these, carry them to another node and put them down."""
        self.carry(source, target, pieces)

    def slide(self, way: Sequence[str], pieces: Sequence[str] | None = None) -> None:
        """Move pieces from node to node along ``way``, with a short stop on each."""
        for source, target in pairwise(way):
            self.carry(source, target, pieces)

    def take(self, node: str) -> None:
        """Take the top piece of a node off the board."""
        self.take_off(node)


class SimulatedTable:
    """A table that is stepped by hand, on a clock of its own."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        game: str | None = None,
        board: str | None = None,
        kind: str | None = None,
        scheme: str | None = None,
        mode: str | None = None,
        seats: Sequence[str] = (),
        computers: Sequence[int] = (),
        resume: bool = False,
        timings: Timings | None = None,
        rules: Mapping[str, bool] | None = None,
        draw: Callable[[int], str] | None = None,
        analyser: Analyser | None = None,
    ) -> None:
        """Open a table with an empty lobby or, with names in ``seats``, with a game that has begun.

        ``folder`` keeps the journal; without it a temporary one does. ``board`` is a board file or the name of a
        shipped board (default: ``spokes-45`` or, for a ``game``, one of its own, wired in ``scheme``). ``mode`` is how
        many play, or how (default: the game's first). ``resume`` goes on with the journal's unfinished game. Raise what
        board files, games and hardware raise.
        """
        self.clock = Clock()
        self.clock.now = 100.0
        if board is None and game is not None:
            self.description = board_for(game, kind, scheme)
        else:
            self.description = described_board(board or "spokes-45", kind)
        self._rules, self._timings, self._draw, self._analyser = rules, timings or Timings(), draw or Drawn(), analyser
        self._game = find_game(game or self.description.game, rules)
        self.parts = SimulatedBoard(self.description, self.clock, seed=1, is_stepped=True)
        self._last: deque[str] = deque(maxlen=LAST_EVENTS)
        self._temporary = tempfile.TemporaryDirectory() if folder is None else None
        self._folder = folder or Path(self._temporary.name if self._temporary else "")
        self._open()
        self.hand = TableHand(self.parts.world, sleep=self.wait)
        if resume:
            self._resume()
        else:
            self.runtime.new_lobby(mode or self._game.modes[0])
        if seats:
            self.begin(seats, computers)

    def _open(self) -> None:
        self.board = opened(self.parts, self.description)
        self.journal = Journal(self._folder / "journal.sqlite")
        setting = Setting(
            self._game, self.board, KEY, "test", timings=self._timings, computer_pause=0.0, draw=self._draw
        )
        self.runtime = Runtime(setting, self.journal, analyser=self._analyser, clock=self.clock)
        self.runtime.evening = EveningLog(self._folder)

    def _resume(self) -> None:
        last = self.journal.unfinished_game()
        if last is None:
            raise NotAsExpected("the journal has no unfinished game")
        self.runtime.resume(SuspendedGame.read(self.journal, last.id))

    def close(self) -> None:
        """Close board and journal."""
        self.board.close()
        self.journal.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    # -- time ------------------------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Let the loop run for a while."""
        for _ in range(max(1, round(seconds * self.description.scan_hz))):
            self.clock.now += 1 / self.description.scan_hz
            self.runtime.step()

    def wait_for(
        self,
        expected: Callable[[SimulatedTable], object] | None = None,
        *,
        within: float = PATIENCE_S,
        **fields: object,
    ) -> None:
        """Wait until a function of this table is true, and the view has these fields.

        ``actor`` and ``committed`` are understood, too. Raise NotAsExpected after ``within`` seconds of the table's
        time, with what the table looks like then.
        """
        end = self.clock.now + within
        while not self._is(expected, fields):
            if self.clock.now >= end:
                wished = [f"{name} {value!r}, not {self._field(name)!r}" for name, value in fields.items()]
                wished += [getattr(expected, "__name__", "the condition")] if expected else []
                raise NotAsExpected(f"waited {within:g} s for {', '.join(wished)}\n{self.report()}")
            self.wait(1 / self.description.scan_hz)

    def _is(self, expected: Callable[[SimulatedTable], object] | None, fields: Mapping[str, object]) -> bool:
        shown = all(self._field(name) == value for name, value in fields.items())
        return shown and (expected is None or bool(expected(self)))

    def _field(self, name: str) -> object:
        if name == "actor":
            return self.view["resolver"]
        return self.committed if name == "committed" else self.view[name]

    def power_cut(self) -> None:
        """Cut the power and switch on again: pieces stay where they lie, the journal is all that is remembered."""
        self._note("the power was cut")
        self.board.close()
        self.journal.close()
        self._open()
        self._resume()
        self.wait(SETTLED_S)

    # -- people ----------------------------------------------------------------------------------------------------

    def begin(self, names: Sequence[str], computers: Sequence[int] = ()) -> None:
        """Seat people, and ``computers`` on these seats, and start the game."""
        for seat, name in enumerate(names, 1):
            taken = SeatTaken(at=self._now, seat=seat, name=name, claim=f"c{seat}", computer=seat in computers)
            self.runtime.submit(taken)
        self.runtime.submit(GameStarted(at=self._now))
        self.wait(SETTLED_S)

    def seal(self, actions: Mapping[int, str]) -> None:
        """Seal an action for each seat, and open all seals once they are complete."""
        info: Any = self.view["seal"]
        for seat, action in actions.items():
            digest = commitment(info["game"], info["turn"], seat, info["history"], action, NONCE)
            self.runtime.submit(SealCommitted(at=self._now, seat=seat, turn=info["turn"], commitment=digest))
        for seat in actions:
            self.runtime.submit(SealReady(at=self._now, seat=seat, turn=info["turn"]))
        for seat, action in actions.items():
            opens = SealOpened(at=self._now, seat=seat, turn=info["turn"], action=action, nonce=NONCE)
            self.runtime.submit(opens)
        self.wait(SETTLED_S)

    def choose(self, seat: int, action: str) -> None:
        """Choose a step on a phone: the lights lead to it."""
        self.runtime.submit(ActionChosen(at=self._now, seat=seat, action=action))
        self.wait(SETTLED_S)

    def set_up(self) -> None:
        """Put down what the lights ask for, until the game goes on."""
        while self.view["phase"] == "setup":
            self.follow()

    def follow(self) -> None:
        """Do all that the table asks hands for, task by task. Raise NotAsExpected where that leads nowhere."""
        tasks: Any
        if not self.view["tasks"]:  # It has yet to take note of what hands have just done.
            self.wait(SETTLED_S)
        for _ in range(4 * len(self.description.nodes)):
            tasks = self.view["tasks"]
            if not tasks:
                return
            for task in first_tasks(list(dropwhile(self._is_done, tasks)) or tasks):
                self._do(task)
            self.wait(SETTLED_S)
        raise NotAsExpected(f"the table asks for ever more\n{self.report()}")

    def _is_done(self, task: Mapping[str, Any]) -> bool:
        """Tell whether a piece has left already where a task wants it: a sensor may not see where it lies now."""
        return task["do"] == "move" and not self.stones.get(task["from"])

    def _do(self, task: Mapping[str, Any]) -> None:
        self._note(f"task {task}")
        if task["do"] == "put":
            self.hand.put(task["node"], task["piece"])
        elif task["do"] == "move":
            self.hand.move(task["from"], task["to"], task["pieces"])
        elif task["do"] == "take":
            self.hand.take(task["node"])
        else:
            self.hand.tap(task["node"])

    # -- what there is to see ----------------------------------------------------------------------------------------

    @property
    def _now(self) -> float:
        return self.runtime.now()

    @property
    def view(self) -> dict[str, object]:
        """What every phone sees (docs/view.md)."""
        return dict(self.runtime.view(None)[1])

    @property
    def lights(self) -> ByNode:
        """Node → what its light means: ``put``, ``movable``, ``target``, … (docs/table-protocol.md)."""
        lit: Any = self.view["lights"]
        return ByNode({node: light["meaning"] for node, light in lit.items()})

    @property
    def pixels(self) -> dict[str, tuple[int, int, int]]:
        """Node → red, green and blue of its pixel, as the bytes on the wire say."""
        shown = self.parts.wire.pixels()
        return {node: shown[wiring.pixel] for node, wiring in self.description.nodes.items()}

    def pixel(self, node: str) -> tuple[int, int, int]:
        """Return one node's pixel."""
        return self.parts.wire.pixels()[self.description.nodes[node].pixel]

    @property
    def stones(self) -> dict[str, list[str]]:
        """Node → the pieces that lie there, from bottom to top."""
        return self.parts.world.stones()

    @property
    def committed(self) -> list[str]:
        """The actions that count, in order; those of one moment in the order of their seats."""
        moments = self.runtime.table().ledger.moments
        return [action for moment in moments for _, action in sorted(moment.actions.items())]

    def record(self, path: Path | str) -> None:
        """Write the running or last game as lines that ``lodestone table`` plays again. Raise Refused without one."""
        Path(path).write_text(evening_text(self._folder, lambda _: False), encoding="utf-8")

    def report(self) -> str:
        """Return the board, the lights, the sentence and the last events, in words."""
        view = self.view
        entries = self.journal.entries(self.journal.games()[-1].id) if self.journal.games() else []
        events = [*self._last, *(f"{entry.kind} {dict(entry.data)}" for entry in entries)][-LAST_EVENTS:]
        return "\n".join(
            (
                f"phase    {view['phase']}, turn {view['turn']}, actor {view['resolver']}",
                f"message  {view['message']}",
                f"board    {self.stones}",
                f"lights   {dict(self.lights)}",
                f"tasks    {view['tasks']}",
                f"problem  {view['problem']}",
                "events",
                *(f"  {event}" for event in events),
            )
        )

    def _note(self, event: str) -> None:
        self._last.append(f"{self.clock.now:.2f} s: {event}")
