"""Databases, tournaments and records for the club's tests."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.archive.records import export
from firmware_host.extensions.club.assigned import AssignedBoards, Pairing
from firmware_host.extensions.club.club import Club, LiveTable, _Coming, found_club
from firmware_host.extensions.club.judging import FinishedGame
from firmware_host.extensions.club.membership import FILE, ClubTable, JournalGames, become_member
from firmware_host.extensions.club.messages import TableState, parts_of
from firmware_host.extensions.club.store import Archive
from firmware_host.extensions.club.tournament import SWISS, Act, Board, Tournament
from firmware_host.games.capabilities import rules_of
from firmware_host.link.common_log import RoomFile
from firmware_host.link.glicko import Rating
from firmware_host.table.subjects.proposals import Agreed, Proposed
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.seats import SeatLeft
from lodestone.tables import SimulatedTable
from tests.e2e.program import PATIENCE_S
from tests.forked import Forked
from tests.ports import free_port
from tests.waiting import eventually

INITDB, PG_CTL = shutil.which("initdb"), shutil.which("pg_ctl")
AT = "2026-05-01T18:00:00Z"


def tournament(players: int, system: str = SWISS, rounds: int = 5) -> Tournament:
    """Return a tournament in Coil before its first round."""
    found = Tournament(1)
    head = {"name": "May", "game": "coil", "rules": {}, "mode": "2", "system": system, "rounds": rounds}
    found = found.apply(found.act("create", head, AT))
    for number in range(1, players + 1):
        found = do(found, "enter", player=number, name=f"Player {number}")
    return found


def do(what: Tournament, kind: str, **data: Any) -> Tournament:
    """Return the tournament after an act."""
    return what.apply(what.act(kind, data, AT))


def pair(what: Tournament) -> Tournament:
    """Return it with the next round paired."""
    pairs, bye = what.next_pairing({number: Rating() for number in what.players})
    return do(what, "pair", round=len(what.rounds) + 1, pairs=[list(one) for one in pairs], bye=bye, records=0)


def play_round(what: Tournament, rng: Random) -> Tournament:
    """Return it with all open results of the last round, by records of no content."""
    number = len(what.rounds)
    for place, board in enumerate(what.rounds[-1].boards, 1):
        if board.points is None:
            points = rng.choice(([2, 0], [1, 1], [0, 2]))
            digest = hashlib.sha256(f"{what.id} {number} {place}".encode()).hexdigest()
            what = do(what, "result", round=number, board=place, points=points, how="record", record=digest)
    return what


def acts_of(what: Tournament) -> Sequence[Act]:
    """Return its acts."""
    return what.acts


@contextmanager
def postgres() -> Iterator[str]:
    """Run a PostgreSQL server of its own; yield the address of its database.

    The server refuses root, and pytest keeps others out of its folders: so it has a folder elsewhere.
    """
    with tempfile.TemporaryDirectory(prefix="lodestone-postgres-") as name:
        home, own = Path(name), {"user": "nobody"} if os.geteuid() == 0 else {}
        if own:
            shutil.chown(home, "nobody")
        run: Callable[..., Any] = subprocess.run
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "cwd": home, **own}
        run([str(INITDB), "-D", str(home / "data"), "-U", "club", "-A", "trust", "-N", "-E", "UTF8"], **quiet)
        port = free_port()
        options = f"-p {port} -k {home} -c listen_addresses=127.0.0.1 -c fsync=off"
        run([str(PG_CTL), "-D", str(home / "data"), "-o", options, "-l", str(home / "log"), "-w", "start"], **quiet)
        try:
            yield f"postgresql://club@127.0.0.1:{port}/postgres"
        finally:
            run([str(PG_CTL), "-D", str(home / "data"), "-m", "immediate", "stop"], **quiet)


HEAD = {"name": "May", "game": "coil", "rules": {}, "mode": "2", "system": "swiss", "rounds": 3}


class HallTable:
    """A simulated table that belongs to a club: people play Coil at it, who resign when a test wants it."""

    def __init__(self, folder: Path, link: str, name: str) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.link, self.name = folder, link, name
        self.boards: Sequence[Pairing] = ()
        """The boards that it was told last."""
        self.history: list[Sequence[Pairing]] = []
        self.remark = ""
        """What its people were told last of the club."""
        self.table = SimulatedTable(folder, game="coil", kind="level")
        self.assigned = AssignedBoards(self.table.runtime)
        self.join()

    def join(self) -> None:
        """Connect with the club, again after :meth:`leave`."""
        kept = RoomFile(self.folder / FILE)
        become_member(kept, self.link, self.name)
        games = JournalGames(self.folder / "journal.sqlite", kept)
        self.club = ClubTable(kept, games, self._rules, self._take, self._remark)
        self.club.start()
        self.table.runtime.follow(self.club.show)

    def _rules(self) -> Iterable[str]:
        return rules_of(self.table.runtime.setting.game)

    def _take(self, boards: Sequence[Pairing]) -> None:
        self.boards = self.assigned.pairings = boards
        self.history.append(boards)

    def _remark(self, words: str | None) -> None:
        self.remark = words or ""

    def leave(self) -> None:
        """Break the connection."""
        self.club.close()

    def play(self, first: str, second: str, loser: int | None = None, actions: int = 2) -> None:
        """Play some actions; then a seat resigns, or (None) both agree on a draw."""
        runtime, rng = self.table.runtime, Random(first)
        runtime.new_lobby("2")
        for seat in sorted(runtime.table().ledger.sittings):  # Who has played last sits there still.
            runtime.submit(SeatLeft(at=runtime.now(), seat=seat))
        self.table.begin([first, second])
        self.table.set_up()
        for _ in range(actions):
            steps = runtime.table().game.steps(runtime.table().ledger.now.position)
            move = rng.choice([step for step in steps if len(step.moves) == 1]).moves[0]
            before = len(self.table.committed)
            self.table.hand.put(str(move.target), move.pieces[0])
            self.table.wait_for(lambda table, n=before: len(table.committed) > n)
        if loser is None:
            runtime.submit(Proposed(at=runtime.now(), seat=1, what="draw"))
            runtime.submit(Agreed(at=runtime.now(), seat=2, what="draw"))
        else:
            runtime.submit(Resigned(at=runtime.now(), seat=loser))
        self.table.wait(1)

    def close(self) -> None:
        """Close the table."""
        self.club.close()
        self.table.close()


def resigned_record(folder: Path, seat: int) -> str:
    """Return the record of a game of Coil between Ann and Ben, in which a seat has resigned."""
    table = SimulatedTable(folder, game="coil", seats=["Ann", "Ben"])
    table.set_up()
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=seat))
    table.wait(1)
    text = "".join(f"{line}\n" for line in export(table.journal, table.journal.games()[-1].id))
    table.close()
    return text


class Silence:
    """A broker that passes nothing on."""

    def __init__(self, *_: object) -> None:
        """Connect with nothing."""

    def send(self, topic: str, payload: bytes, *, kept: bool) -> None:
        """Lose a message."""

    def close(self) -> None:
        """End nothing."""


@contextmanager
def silent_club(folder: Path) -> Iterator[Club]:
    """Open a club without a broker, which handles messages when a test lets it (:meth:`Club.step`)."""
    folder.mkdir(exist_ok=True)
    with closing(RoomFile(folder / "club.sqlite")) as kept, closing(Archive(f"sqlite:///{folder}/archive")) as archive:
        found_club(kept, "Hall", "mqtt://127.0.0.1:1")
        with closing(Club(kept, archive, connect=Silence)) as club:  # type: ignore[arg-type]
            yield club


def meet(club: Club, public: str) -> None:
    """Let a club know a table that is free."""
    state = TableState(public[:4], "", "1", 1, "coil", (), "2", "", "lobby", 0, 0, (), {}, ())
    club.tables.setdefault(public, LiveTable(public, state, 1))


def take_record(
    club: Club,
    first: str,
    second: str,
    winner: int | None = 1,
    *,
    table: str = "aa" * 32,
    game: str = "",
    entries: int = 10,
    **said: Any,
) -> str:
    """Let a club take a record for true in which two have played; return its digest.

    ``winner`` is a seat, None for a draw; ``said``: what else the record says.
    """
    game = game or f"{first} {second} {winner}"
    text = f"{game} {entries} {first} {second} {winner} {table} {said}\n"
    found: dict[str, Any] = {
        "game_id": game, "game": "coil", "rules": {}, "mode": "2", "seats": {1: (first, False), 2: (second, False)},
        "winners": () if winner is None else (winner,), "reason": "", "started": AT, "turns": 9, "changed": False,
        "given": False,
    }  # fmt: skip
    meet(club, table)
    wanted = (table, game, entries)
    club._coming[wanted] = _Coming(0.0)
    packed = b"".join(part.data for part in parts_of((game, entries), text))
    club._judged.put((wanted, packed, FinishedGame(**{**found, **said})))
    club.step(None)
    return hashlib.sha256(text.encode()).hexdigest()


def begin(club: Club, *names: str, **head: Any) -> int:
    """Begin a tournament and pair its first round; return its number."""
    number = club.create({**HEAD, **head})
    club.enter(number, names)
    club.pair(number)
    return number


def undo(club: Club, number: int) -> None:
    """Take the arbiter's last act back, whichever that is."""
    last = club.tournament_view(number)["undo"]
    club.undo(number, last["act"] if last else 1)


def board_of(club: Club, number: int, place: int = 1, round_: int = -1) -> Board:
    """Return a board, by default the first of the last round."""
    paired = club.tournaments[number].rounds
    return paired[round_ - 1 if round_ > 0 else -1].boards[place - 1]


def met_at(club: Club, number: int, place: int = 1) -> tuple[str, str]:
    """Return who meets at a board of the last round."""
    board, players = board_of(club, number, place), club.tournaments[number].players
    return players[board.first].name, players[board.second].name


@contextmanager
def opened_club(folder: Path, broker: str, database: str = "") -> Iterator[Club]:
    """Run a club in this process."""
    folder.mkdir(exist_ok=True)
    with (
        closing(RoomFile(folder / "club.sqlite")) as kept,
        closing(Archive(database or f"sqlite:///{folder}/archive.sqlite")) as archive,
    ):
        found_club(kept, "Hall", broker)
        with closing(Club(kept, archive)) as club:
            club.start()
            yield club


def hall(club: Club, folder: Path, *names: str) -> list[HallTable]:
    """Return tables that the club knows."""
    tables = [HallTable(folder / name, club.invitation.link, name) for name in names]
    until(lambda: len([one for one in club.tables.values() if one.is_here]) == len(names))
    return tables


class ClubProgram:
    """``lodestone club`` as a process of its own."""

    def __init__(self, folder: Path, broker: str = "", *options: str) -> None:
        """Without a ``broker`` that of before is used."""
        folder.mkdir(exist_ok=True)
        options += ("--broker", broker, "--name", "The Hall") if broker else ()
        self.process = Forked("club", "--data", str(folder / "data"), "--port", "0", *options)
        until(lambda: "The club is open" in self.printed or self.process.poll() is not None)
        assert self.process.poll() is None, self.printed
        self.url = re.findall(r"https?://127\.0\.0\.1:\d+", self.printed)[0]
        self.token = re.findall(r"/arbiter#(\S+)", self.printed)[0]
        self.invitation = re.findall(r"lodestone-club:\S+", self.printed)[0]
        self.cookie = ""

    @property
    def printed(self) -> str:
        """All that it has printed."""
        return self.process.printed()

    def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, bytes, Any]:
        """Return status, content and headers of an answer; with a ``body`` the request is a POST of JSON."""
        more = {"X-Lodestone": "1", "Content-Type": "application/json", "Cookie": self.cookie, **headers}
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {name: one for name, one in more.items() if one})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                self.cookie = str(answer.headers.get("Set-Cookie") or self.cookie).partition(";")[0]
                return answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read(), error.headers

    def get(self, path: str) -> Any:
        """Return a JSON answer."""
        status, content, _ = self.ask(path)
        assert status == 200, content
        return json.loads(content)

    def act(self, what: str, **fields: Any) -> str:
        """Do what an arbiter may; return why it is refused, empty if it is not."""
        status, content, _ = self.ask(f"/api/arbiter/{what}", fields)
        return "" if status == 200 else str(json.loads(content)["error"]["message"])

    def kill(self) -> None:
        """End it at once, as a power cut does."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """End it."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE_S) == 0, self.printed


def until(holds: Callable[[], Any], within: float = PATIENCE_S) -> Any:
    """Return the first true answer."""
    return eventually(holds, patience=within)
