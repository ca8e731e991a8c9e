"""The players of the arena: levels of a game, random actions, re-implemented peers, and engine programs.

``level:3`` is a level, ``level:3:nodes=500,spread=0.1`` the same with other limits, ``level:5:seconds=2`` what it
finds in this time, whatever its nodes are, ``random`` plays at random,
``peer:NAME`` is a player in ``tools/peers/NAME.py`` (or in a file given by its path), ``peer:NAME:nodes=500`` the same
with another limit, ``engine:COMMAND`` is any program that answers the engine's ``play``.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass, fields, replace
from functools import cached_property, partial
from math import isfinite
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Protocol

from firmware_host.analysis.engine_process import BrokenProcess, EngineChild
from firmware_host.extensions.lab.arena.match import Course, Match
from firmware_host.extensions.lab.arena.versions import version
from firmware_host.games.game import Game
from firmware_host.games.levels import choose_at, lowest_level, strength_of
from firmware_host.games.thinking import Budget, ComputerPlayer, Strength, think_in_time
from firmware_host.searching.playouts import computer_player_of
from firmware_host.text.json_reader import wrong_field
from firmware_host.text.words import Refused

PEERS = Path(__file__).parents[4] / "tools" / "peers"
"""Folder of re-implemented players, a module each: for measurements only, never installed."""
MAX_NODES = 10**15
"""Number of nodes above which a program's count is not believed."""
EXPECTED = "expected level:NUMBER, random, peer:NAME or engine:COMMAND"


@dataclass(frozen=True)
class Move:
    """A player's action, and the number of nodes that it searched (0: unknown)."""

    action: str
    nodes: int = 0


class Contestant(Protocol):
    """A player. ``clock`` measures its time in seconds: CPU time in this process, else wall time."""

    clock: Callable[[], float]

    @property
    def mark(self) -> str:
        """Identify this version of the player: results of different versions are never combined."""
        ...

    def choose(self, course: Course, seat: int, rng: Random) -> Move:
        """Return an action. A player that raises any exception loses the game."""
        ...

    def close(self) -> None:
        """End the processes that it has started."""
        ...


class _InProcess:
    """A player in this process; its time is CPU time."""

    clock = staticmethod(time.process_time)

    def close(self) -> None:
        """Do nothing."""


class RandomPlayer(_InProcess):
    """Plays at random."""

    mark = ""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game

    def choose(self, course: Course, seat: int, rng: Random) -> Move:
        """Return a random action."""
        return Move(self._game.random_action(course.position, seat, rng))


class LevelPlayer(_InProcess):
    """Plays at a level of the game."""

    def __init__(self, game: Game[Any], named: str, mode: str) -> None:
        """``named``: a level's number, and after a colon other limits. Raise Refused for unknown ones."""
        self._game = game
        self._computer = computer_player_of(game)
        count, lowest = len(self._computer.strengths), lowest_level(self._computer)
        level, _, limits = named.partition(":")
        if not level.isascii() or not level.isdecimal() or not lowest <= int(level) <= count:
            raise Refused(f"level:{level}: expected a number from {lowest} to {count}")
        self._strength, self._seconds = with_limits(strength_of(self._computer, int(level), mode), limits)

    @cached_property
    def mark(self) -> str:
        """Return the level's limits and the version of the game's player."""
        budget = self._strength.budget
        limits: tuple[float, ...] = (budget.nodes, budget.depth, budget.width, budget.evaluation, self._strength.spread)
        limits += (budget.variety,) if budget.variety else ()
        limits += (self._seconds,) if self._seconds else ()
        limits += astuple(self._strength.oversights) if self._strength.oversights else ()
        module = type(self._game).__module__
        main = Path(sys.modules[module].__file__ or "")
        roots = sorted((main.parent / "player").glob("*.py")) or [main]
        if not isinstance(self._game, ComputerPlayer):
            roots = [main, Path(sys.modules[type(self._computer).__module__].__file__ or "")]
        return " ".join(map(str, (*limits, version(roots, _package(self._game)))))

    def choose(self, course: Course, seat: int, rng: Random) -> Move:
        """Return the level's action."""
        began, budget = self.clock(), self._strength.budget

        def time_used() -> float:
            return (self.clock() - began) / self._seconds if self._seconds else 0.0

        if self._seconds:
            budget = replace(budget, out_of_time=lambda: time_used() >= 1)
        thought = think_in_time(self._computer, course.position, seat, budget, rng, time_used)
        return Move(choose_at(self._game, course.position, seat, thought, self._strength, rng).action, thought.nodes)


def with_limits(strength: Strength, limits: str) -> tuple[Strength, float]:
    """Return a level with other limits (``nodes=500,spread=0.1``), and its seconds for an action, 0 for any.

    With seconds but without nodes the clock alone ends a search. Raise Refused for unknown or impossible limits.
    """
    known = [one.name for one in fields(Budget) if one.name != "out_of_time"]
    seconds = 0.0
    asked = [limit.partition("=") for limit in filter(None, limits.split(","))]
    if "seconds" in {name for name, _, _ in asked} and "nodes" not in {name for name, _, _ in asked}:
        strength = replace(strength, budget=replace(strength.budget, nodes=MAX_NODES))
    for name, equals, number in asked:
        if not equals or name not in {*known, "spread", "seconds"}:
            expected = ", ".join(f"{one}=NUMBER" for one in (*known, "spread", "seconds"))
            raise Refused(f"level: {name + equals + number!r}: expected some of {expected}, with commas between them")
        if name == "spread":
            strength = replace(strength, spread=_number(name, number))
        elif name == "seconds":
            seconds = _number(name, number)
        else:
            changed: dict[str, Any] = {name: _count(name, number, 1 if name == "nodes" else 0)}
            strength = replace(strength, budget=replace(strength.budget, **changed))
    return strength, seconds


def _count(name: str, number: str, least: int) -> int:
    if not re.fullmatch("[0-9]{1,18}", number) or int(number) < least:
        raise Refused(f"level: {name}: expected a whole number from {least}, got {number[:40]!r}")
    return int(number)


def _number(name: str, number: str) -> float:
    with suppress(ValueError):
        if isfinite(found := float(number)) and found >= 0:
            return found
    raise Refused(f"level: {name}: expected a number from 0, got {number[:40]!r}")


class PeerPlayer(_InProcess):
    """Plays by a module's ``choose(game, position, seat, rng) → action``."""

    def __init__(self, game: Game[Any], named: str) -> None:
        """``named``: a peer, and ``:nodes=NUMBER`` to limit it. Raise Refused if there is no such peer or limit."""
        self._game = game
        name, limit, nodes = named.partition(":nodes=")
        self._path = Path(name) if name.endswith(".py") else PEERS / f"{name}.py"
        module = _load(self._path, name)
        choose = getattr(module, "choose", None)
        if not callable(choose):
            raise Refused(f"peer:{name}: {self._path} has no choose(game, position, seat, rng)")
        if limit:
            if not nodes.isdecimal() or "nodes" not in inspect.signature(choose).parameters:
                raise Refused(f"peer:{named}: expected a number of nodes for a peer whose choose takes `nodes`")
            choose = partial(choose, nodes=int(nodes))
        self._choose: Callable[[Game[Any], Any, int, Random], str] = choose
        self._nodes = nodes

    @cached_property
    def mark(self) -> str:
        """Return the peer's limit and version."""
        return f"{self._nodes} {version([self._path], {**_package(self._game), 'tools.peers': PEERS})}".strip()

    def choose(self, course: Course, seat: int, rng: Random) -> Move:
        """Return the peer's action."""
        return Move(self._choose(self._game, course.position, seat, rng))


class EnginePlayer:
    """Plays by another program's answers to ``play``, a JSON object a line (docs/engine.md)."""

    clock = staticmethod(time.perf_counter)

    def __init__(self, game: Game[Any], command: str, match: Match) -> None:
        """Raise Refused for a malformed command or a missing program."""
        try:
            parts = shlex.split(command)
        except ValueError as error:
            raise Refused(f"engine:{command}: {error}") from error
        if not parts or shutil.which(parts[0]) is None:
            raise Refused(f"engine:{command}: expected a command with its arguments; there is no such program")
        self._game, self._match, self.mark = game, match, ""
        self._course: Course | None = None
        self._child = EngineChild(parts, memory=None)

    def choose(self, course: Course, seat: int, rng: Random) -> Move:
        """Return the program's action. Raise Broken if it dies, refuses, is late or gives another answer."""
        moves = [{str(who): action for who, action in move.items()} for move in course.moves]
        request = {
            "do": "play",
            "game": self._match.game,
            "new_game": course is not self._course,
            "position": course.as_known(course.position),
            "history": {"position": course.as_known(course.start), "moves": moves},
            "seat": seat,
            "seed": rng.getrandbits(62),
            "seconds": self._match.seconds,
        }
        self._course = course
        if self._match.rules:
            request["rules"] = dict.fromkeys(self._match.rules, True)
        answer = self._child.ask(request, self._match.seconds)
        if answer.get("ok") is not True:
            raise BrokenProcess(f"it refuses: {str(answer.get('error', answer))[:200]}")
        action, nodes = answer.get("action"), answer.get("nodes")
        if not isinstance(action, str):
            raise BrokenProcess(wrong_field("a text", answer, "action").message)
        return Move(action, nodes if type(nodes) is int and 0 <= nodes <= MAX_NODES else 0)

    def close(self) -> None:
        """End the program."""
        self._child.end()


def _package(game: Game[Any]) -> dict[str, Path]:
    """Return the dotted name of a game's package and its folder, or the modules beside one that is in no package."""
    module = type(game).__module__
    package, folder = module.rpartition(".")[0], Path(sys.modules[module].__file__ or "").parent
    return {package: folder} if package else {path.stem: path.with_suffix("") for path in folder.glob("*.py")}


def contestant(named: str, game: Game[Any], match: Match) -> Contestant:
    """Return the player of this name. Raise Refused, saying what was expected."""
    kind, _, rest = named.partition(":")
    if named == "random":
        return RandomPlayer(game)
    if kind == "level":
        return LevelPlayer(game, rest, match.mode)
    if kind == "peer":
        return PeerPlayer(game, rest)
    if kind == "engine":
        return EnginePlayer(game, rest, match)
    raise Refused(f"{named}: {EXPECTED}")


def peers() -> list[str]:
    """Return the names of the re-implemented players."""
    return sorted(path.stem for path in PEERS.glob("*.py") if not path.stem.startswith("_"))


def peer(name: str) -> ModuleType:
    """Return a re-implemented player's module. Raise Refused if there is none."""
    return _load(PEERS / f"{name}.py", name)


def peers_of(game: str) -> list[str]:
    """Return the peers of a game: those whose ``GAME``, or else name, is ``game`` or begins with ``game_``."""
    found = []
    for name in peers():
        named = getattr(peer(name), "GAME", name)
        if named == game or named.startswith(f"{game}_"):
            found.append(name)
    return found


def _load(path: Path, name: str) -> ModuleType:
    if not path.is_file():
        known = f"; there are {', '.join(peers())}" if peers() else ""
        raise Refused(f"peer:{name}: there is no file {path}{known}")
    try:
        if path.parent == PEERS:  # Peers may share modules of their folder.
            if str(PEERS.parents[1]) not in sys.path:
                sys.path.append(str(PEERS.parents[1]))
            return importlib.import_module(f"tools.peers.{path.stem}")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - it is a file of Python
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # A user's file may raise anything.
        raise Refused(f"peer:{name}: {path} can't be loaded: {type(error).__name__}: {error}") from error
    return module
