"""A tournament as a fold over its acts, like a game over its journal; and the standings that follow from it.

An *act* is one thing that somebody has done: entered a player, paired a round, assigned a table; or a result, which a
verified record brings. Acts are only ever appended. An *undo* names an act, and the tournament is then what the others
make of it; if they do not make sense without it, the undo is refused. So everything can be taken back, nothing is
overwritten, and who did what when stays on record.

======== ================================================================================================
kind     data
======== ================================================================================================
create   ``name, game, rules, mode, system`` (``swiss``, ``round-robin``), ``rounds``; ``form``, a random text that
         names the form that was filled in (missing in old ones)
enter    ``player, name``: a player with a number, which counts from 1
withdraw ``player``: is paired no more; in a round robin the others win without playing
return   ``player``: is paired again
rest     ``player``: is not paired in the next round, and gets half a point for it (Swiss only)
pair     ``round`` (the next one), ``pairs`` ([first, second]..), ``bye`` (a player or null), ``records`` (the number
         of the archive's last record, 0 without any: what has a higher one came later), ``acts`` (how many acts
         all tournaments had: what has more was paired later; missing in old ones)
assign   ``round, board, table`` (the table's public key, empty: none)
result   ``round, board, points`` ([first's, second's], in halves), ``how`` (``record``, ``typed``, ``forfeit``),
         ``record`` (its digest, empty without one); with a record ``seat``, where the board's first player sat in
         it (missing in old ones), and ``hand``, whether an arbiter has named it
correct  as ``result``: what a board of any round has in place of its result. Nothing that was paired since changes
end      no data: the tournament ends before all rounds are played. Open boards wait for nothing any more
undo     ``act``: the number of the act that does not count any more
======== ================================================================================================

What makes no sense *now* is refused before an act is taken up (:meth:`Tournament.apply`): others are playing at that
table, say. What can't follow from the acts before is refused by the fold, and so is an undo that would lead there.

Points are counted in halves: 2 for a win or a bye, 1 for a draw or a rest. A bye, a rest and a game won without playing
count points, but nothing for the rating; in a tie-break they count as a game against an opponent with the player's own
points (FIDE's virtual opponent, Handbook C.07, in its simplest form).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_host.extensions.club.assigned import Pairing
from firmware_host.extensions.club.pairing import Candidate, Pair, repeats, round_robin, rounds_of, swiss
from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.registry import game as find_game
from firmware_host.link.glicko import Rating
from firmware_host.table.subjects.seats import is_name, name_key
from firmware_host.text.words import Refused, Text, fill, say

SWISS, ROUND_ROBIN = "swiss", "round-robin"
SYSTEMS = (SWISS, ROUND_ROBIN)
MAX_ROUNDS = 60
MAX_PLAYERS = 4000
WIN, DRAW = 2, 1
RECORD, TYPED, FORFEIT = "record", "typed", "forfeit"
"""How a result came: by a verified record; typed in by an arbiter, for a game that was played; without a game."""
PLAYED = frozenset({RECORD, TYPED})
Place = tuple[int, int]
"""A board: the round's number and its own in it, both from 1."""


@dataclass(frozen=True)
class Act:
    """One act: ``number`` counts within its tournament, from 1; ``at`` is UTC in ISO 8601, for people: it decides
    nothing."""

    tournament: int
    number: int
    at: str
    kind: str
    data: Mapping[str, Any]


@dataclass
class Entrant:
    """A player of a tournament."""

    number: int
    name: str
    withdrawn: bool = False
    rests: bool = False
    """Whether the next round is paired without this player, who has asked for it."""


@dataclass
class Board:
    """One pairing. ``points`` are in halves, None while it is open."""

    first: int
    second: int
    table: str = ""
    points: tuple[int, int] | None = None
    how: str = ""
    record: str = ""
    seat: int = 0
    """Where the first player sat in the record; 0 where nothing says it but the names."""
    act: int = 0
    """The number of the result's act, 0 without one; ``corrections`` are those of the acts that have replaced it."""
    corrections: list[int] = field(default_factory=list)

    def of(self, player: int) -> int:
        """Return a player's points, 0 while the game is open."""
        return 0 if self.points is None else self.points[player == self.second]

    def other(self, player: int) -> int:
        """Return a player's opponent."""
        return self.first + self.second - player


@dataclass
class PairedRound:
    """One round: its boards in order, who has no opponent, when it was paired: by a clock for people, and after which
    of the archive's records."""

    boards: list[Board]
    bye: int | None
    at: str
    records: int
    resting: Sequence[int] = ()
    """Who has half a point for not playing."""
    acts: int = 0
    """How many acts all tournaments had when it was paired."""
    at_table: dict[str, Board] = field(default_factory=dict, compare=False)
    """Table → the board that was assigned to it last. All earlier ones have a result, another table, or none."""

    @property
    def is_done(self) -> bool:
        """Whether all results are known."""
        return all(board.points is not None for board in self.boards)


@dataclass(frozen=True)
class Standing:
    """One line of the standings. Points are in halves, ``sonneborn`` in quarters; ``rating`` is the one after."""

    place: int
    player: int
    points: int
    buchholz: int
    sonneborn: int
    wins: int
    played: int
    rating: Rating


@dataclass
class Tournament:
    """A tournament as far as it has gone. Only :func:`fold` and :meth:`apply` change it."""

    id: int
    name: str = ""
    game: str = ""
    rules: Mapping[str, bool] = field(default_factory=dict)
    mode: str = ""
    system: str = SWISS
    rounds_planned: int = 0
    ended: bool = False
    """Whether the arbiter has ended it, however many rounds are left."""
    players: dict[int, Entrant] = field(default_factory=dict)
    rounds: list[PairedRound] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    """All acts, also those that do not count any more."""
    undone: set[int] = field(default_factory=set)
    _name_keys: set[str] = field(default_factory=set)
    """Keys of the players' names."""
    _used: dict[str, Place] = field(default_factory=dict)
    """Records of all results among the acts → the board of the first."""

    @property
    def is_over(self) -> bool:
        """Whether the last round is done, or the arbiter has ended it."""
        played = len(self.rounds) >= self.rounds_planned > 0 and all(one.is_done for one in self.rounds)
        return self.ended or played

    @property
    def next_act(self) -> int:
        """The number of the next act."""
        return len(self.acts) + 1

    def act(self, kind: str, data: Mapping[str, Any], at: str) -> Act:
        """Return an act that could come next."""
        return Act(self.id, self.next_act, at, kind, data)

    def apply(self, act: Act) -> Tournament:
        """Return the tournament after a new act, which may be this one. Raise Refused; then nothing has changed."""
        if act.kind == "undo":
            number = act.data["act"]
            self._check_undoable(number)
            found = fold(self.id, self.acts, undone=self.undone | {number})
            found._keep(act)
            return found
        if (check := _CHECKS.get(act.kind)) is not None:
            check(self, act)
        _APPLY[act.kind](self, act)
        self._keep(act)
        return self

    def _keep(self, act: Act) -> None:
        """Add an act to those that there were, whether it counts or not."""
        self.acts.append(act)
        if act.kind in {"result", "correct"} and act.data["record"]:
            self._used.setdefault(act.data["record"], _place(act))

    def last_undoable(self) -> Act | None:
        """Return the arbiter's last act that counts, None without one: what "undo" would take back."""
        for act in reversed(self.acts):
            by_itself = act.data.get("how") == RECORD and not act.data.get("hand")
            if act.number not in self.undone and act.kind not in {"create", "undo"} and not by_itself:
                return act
        return None

    def undos_of(self, board: Board) -> list[Mapping[str, Any]]:
        """Return the data of the undos that together take a board's result back, none if no act has brought it."""
        return [{"act": number} for number in (*reversed(board.corrections), board.act) if number]

    def board(self, number: int, place: int) -> Board:
        """Return a board of a round, both counted from 1. Raise Refused."""
        if not 1 <= number <= len(self.rounds) or not 1 <= place <= len(self.rounds[number - 1].boards):
            raise Refused(say("there is no board {board} in round {round}", board=place, round=number))
        return self.rounds[number - 1].boards[place - 1]

    @property
    def next_player(self) -> int:
        """The number of the next player, which nobody has had before."""
        return 1 + max((act.data["player"] for act in self.acts if act.kind == "enter"), default=0)

    def player(self, number: int) -> Entrant:
        """Return a player. Raise Refused."""
        if number not in self.players:
            raise Refused(say("there is no player {number}", number=number))
        return self.players[number]

    def used_records(self) -> set[str]:
        """Return the digests of all records that have ever brought a result, also one that was struck."""
        return set(self._used)

    def assigned_tables(self) -> set[str]:
        """Return the public keys of all tables that were ever assigned a board."""
        return {act.data["table"] for act in self.acts if act.kind == "assign" and act.data["table"]}

    def open_pairings(self, tables: Container[str]) -> Iterator[tuple[str, Pairing]]:
        """Yield the last round's boards without a result at these tables, each with its table's public key."""
        rules = tuple(sorted(self.rules))
        for place, board in enumerate(self.rounds[-1].boards if self.rounds and not self.ended else (), 1):
            if board.points is None and board.table in tables:
                names = (self.players[number].name for number in (board.first, board.second))
                yield (
                    board.table,
                    Pairing(self.id, self.name, len(self.rounds), place, self.game, rules, self.mode, *names),
                )

    def _check_undoable(self, number: int) -> None:
        if not 1 <= number <= len(self.acts):
            raise Refused(say("there is no act {number}", number=number))
        act = self.acts[number - 1]
        if number in self.undone or act.kind in {"undo", "create"}:
            raise Refused(say("act {number} can't be undone", number=number))

    # -- what can't be done now, although it may have been done; folds ask for none of it ------------------------

    def _check_create(self, act: Act) -> None:
        check_game(act.data["game"], act.data["rules"], act.data["mode"])

    def _check_goes_on(self, _act: Act | None = None) -> None:
        if self.ended:
            raise Refused(say("the tournament has ended"))

    def _check_end(self, _act: Act) -> None:
        if self.is_over:
            raise Refused(say("the tournament has ended"))

    def _check_assign(self, act: Act) -> None:
        self._check_goes_on(act)
        board, table = self.board(*_place(act)), act.data["table"]
        other = self.rounds[act.data["round"] - 1].at_table.get(table, board)
        if other is not board and other.table == table and other.points is None:
            raise Refused(say("at that table others of this round are playing"))

    def _check_correct(self, act: Act) -> None:
        board, data = self.board(*_place(act)), act.data
        if (board.points, board.how, board.record) == (tuple(data["points"]), data["how"], data["record"]):
            raise Refused(say("the game has this result already"))

    # -- what acts do; each checks all before it changes anything ------------------------------------------------

    def _create(self, act: Act) -> None:
        data = act.data
        if self.acts:
            raise Refused(say("this tournament exists already"))
        if not is_name(data["name"]):
            raise Refused(
                say("the tournament's name: expected 1 to 24 letters, digits or symbols, got {name}", name=data["name"])
            )
        if data["system"] not in SYSTEMS or not 0 <= data["rounds"] <= MAX_ROUNDS:
            raise Refused(say("rounds: expected 1 to {most}, got {count}", most=MAX_ROUNDS, count=data["rounds"]))
        if data["system"] == SWISS and not data["rounds"]:
            raise Refused(say("rounds: expected 1 to {most}, got {count}", most=MAX_ROUNDS, count=0))
        self.name, self.game, self.rules, self.mode = data["name"], data["game"], data["rules"], data["mode"]
        self.system, self.rounds_planned = data["system"], data["rounds"]

    def _enter(self, act: Act) -> None:
        name = act.data["name"]
        if not is_name(name):
            raise Refused(say("a player's name: expected 1 to 24 letters, digits or symbols, got {name}", name=name))
        key = name_key(name)
        if key in self._name_keys:
            raise Refused(say("{name} plays already", name=name))
        if self.system == ROUND_ROBIN and self.rounds:
            raise Refused(say("a round robin has begun: nobody can be entered any more"))
        if len(self.players) >= MAX_PLAYERS:
            raise Refused(say("at most {most} players", most=MAX_PLAYERS))
        if act.data["player"] in self.players:
            raise Refused(say("there is a player {number} already", number=act.data["player"]))
        self.players[act.data["player"]] = Entrant(act.data["player"], name)
        self._name_keys.add(key)

    def _withdraw(self, act: Act) -> None:
        player = self.player(act.data["player"])
        if player.withdrawn:
            raise Refused(say("{name} has withdrawn already", name=player.name))
        player.withdrawn = True

    def _return(self, act: Act) -> None:
        player = self.player(act.data["player"])
        if not player.withdrawn:
            raise Refused(say("{name} has not withdrawn", name=player.name))
        player.withdrawn = False

    def _rest(self, act: Act) -> None:
        player = self.player(act.data["player"])
        if self.system != SWISS:
            raise Refused(say("in a round robin nobody rests: all meet all"))
        if player.rests or player.withdrawn:
            raise Refused(say("{name} is not paired in the next round anyway", name=player.name))
        if self.rounds_planned and len(self.rounds) >= self.rounds_planned:
            raise Refused(say("all {count} rounds are paired", count=self.rounds_planned))
        player.rests = True

    def _resting(self) -> list[int]:
        """Return who rests in the next round."""
        return [number for number, one in self.players.items() if one.rests and not one.withdrawn]

    def _pair(self, act: Act) -> None:
        pairs: Sequence[Pair] = [(int(a), int(b)) for a, b in act.data["pairs"]]
        bye = act.data["bye"]
        self.check_may_pair()
        if act.data["round"] != len(self.rounds) + 1:
            raise Refused(say("round {round} is not the next one", round=act.data["round"]))
        resting = self._resting()
        everybody = [number for pair in pairs for number in pair] + ([bye] if bye else []) + resting
        expected = [number for number, one in self.players.items() if self.system != SWISS or not one.withdrawn]
        if sorted(everybody) != sorted(expected):
            raise Refused(say("a pairing has each player once"))
        boards = [Board(first, second) for first, second in pairs]
        for board in boards:  # In a round robin all are on the plan; who has withdrawn loses without playing.
            here = [not self.players[number].withdrawn for number in (board.first, board.second)]
            if not all(here):
                board.points, board.how = (WIN * here[0], WIN * here[1]), FORFEIT
        self.rounds.append(PairedRound(boards, bye, act.at, act.data["records"], resting, act.data.get("acts", 0)))
        for player in self.players.values():
            player.rests = False
        if self.system == ROUND_ROBIN and not self.rounds_planned:
            self.rounds_planned = rounds_of(len(self.players))

    def check_may_pair(self) -> None:
        """Raise Refused unless the next round can be paired."""
        if self.rounds_planned and len(self.rounds) >= self.rounds_planned:
            raise Refused(say("all {count} rounds are paired", count=self.rounds_planned))
        if self.rounds and not self.rounds[-1].is_done:
            left = sum(board.points is None for board in self.rounds[-1].boards)
            raise Refused(say("results of round {round} are missing: {count}", round=len(self.rounds), count=left))

    def _assign(self, act: Act) -> None:
        board, table = self.board(*_place(act)), act.data["table"]
        if board.points is not None:
            raise Refused(say("the game has a result already"))
        at_table = self.rounds[act.data["round"] - 1].at_table
        other = at_table.get(table, board)
        if other is not board and other.table == table and other.points is None:
            other.table = ""  # It had a result when these others came to the table; that was struck since.
        board.table = table
        if table:
            at_table[table] = board

    def _result(self, act: Act) -> None:
        board = self.board(*_place(act))
        if board.points is not None:
            raise Refused(say("the game has a result already"))
        self._check_result(act, None)
        _put_result(board, act)
        board.act = act.number

    def _correct(self, act: Act) -> None:
        board = self.board(*_place(act))
        if board.points is None:
            raise Refused(say("the game has no result yet"))
        self._check_result(act, _place(act))
        _put_result(board, act)
        board.corrections.append(act.number)

    def _check_result(self, act: Act, again: Place | None) -> None:
        """Raise Refused for what is no result, or a record that has counted already; ``again``: not for this board."""
        played = ([2, 0], [1, 1], [0, 2])
        fits = {RECORD: played, TYPED: played, FORFEIT: ([2, 0], [0, 2], [0, 0])}
        if list(act.data["points"]) not in fits.get(act.data["how"], ()):
            raise Refused(say("this is no result"))
        if act.data["how"] == RECORD and self._used.get(act.data["record"], again) != again:
            raise Refused(say("this record has counted already"))

    def _end(self, _act: Act) -> None:
        self.ended = True

    # -- what follows --------------------------------------------------------------------------------------------

    def next_pairing(self, ratings: Mapping[int, Rating]) -> tuple[list[Pair], int | None]:
        """Return pairs and bye of the next round; ``ratings`` by player. Raise Refused."""
        self._check_goes_on()
        self.check_may_pair()
        check_game(self.game, self.rules, self.mode)
        if self.system == ROUND_ROBIN:
            return round_robin(sorted(self.players), len(self.rounds))
        return swiss(self.candidates(ratings))

    def repeats_of(self, pairs: Sequence[Pair], bye: int | None) -> list[str]:
        """Return who would meet again in the next round of a Swiss tournament, or have no opponent again, in words."""
        if self.system != SWISS:
            return []
        names = {number: one.name for number, one in self.players.items()}
        again, idle = repeats(self.candidates(dict.fromkeys(self.players, Rating())), pairs, bye)
        words = [f"{names[first]} – {names[second]}" for first, second in again]
        return words + ([say("{name} without an opponent", name=names[idle])] if idle is not None else [])

    def candidates(self, ratings: Mapping[int, Rating]) -> list[Candidate]:
        """Return the players to be paired, with what they have played."""
        met: dict[int, set[int]] = {number: set() for number in self.players}
        seats: dict[int, list[int]] = {number: [] for number in self.players}
        idle: set[int] = set()
        for one in self.rounds:
            idle |= {one.bye} if one.bye else set()
            for board in one.boards:
                met[board.first].add(board.second)
                met[board.second].add(board.first)
                if board.how == FORFEIT:  # Who has won without playing gets no bye as well.
                    idle |= {number for number in (board.first, board.second) if board.of(number)}
                else:
                    seats[board.first].append(1)
                    seats[board.second].append(-1)
        points = self.points()
        return [
            Candidate(
                number,
                points[number],
                ratings[number].points,
                frozenset(met[number]),
                number in idle,
                sum(seats[number]),
                seats[number][-1] if seats[number] else 0,
            )
            for number, one in self.players.items()
            if not one.withdrawn and not one.rests
        ]

    def points(self) -> dict[int, int]:
        """Return the points of each player, in halves."""
        found = dict.fromkeys(self.players, 0)
        for one in self.rounds:
            if one.bye:
                found[one.bye] += WIN
            for number in one.resting:
                found[number] += DRAW
            for board in one.boards:
                for number in (board.first, board.second):
                    found[number] += board.of(number)
        return found

    def ratings_after(self, before: Mapping[int, Rating]) -> dict[int, Rating]:
        """Return the ratings after this tournament, which is one period, from those before it. Only games count."""
        games: dict[int, list[tuple[Rating, float]]] = {number: [] for number in self.players}
        for one in self.rounds:
            for board in one.boards:
                if board.how in PLAYED:
                    for number in (board.first, board.second):
                        games[number].append((before[board.other(number)], board.of(number) / WIN))
        return {number: before[number].after(those) if those else before[number] for number, those in games.items()}

    def standings(self, before: Mapping[int, Rating]) -> list[Standing]:
        """Return all players, the first one first: by points, Buchholz, Sonneborn-Berger, won games, rating, number."""
        points = self.points()
        buchholz, sonneborn = dict.fromkeys(self.players, 0), dict.fromkeys(self.players, 0)
        wins, played = dict.fromkeys(self.players, 0), dict.fromkeys(self.players, 0)
        for one in self.rounds:
            if one.bye:
                buchholz[one.bye] += points[one.bye]
                sonneborn[one.bye] += points[one.bye] * WIN
            for number in one.resting:
                buchholz[number] += points[number]
                sonneborn[number] += points[number] * DRAW
            for board in one.boards:
                for number in (board.first, board.second):
                    if board.points is None:
                        continue
                    against = points[number if board.how == FORFEIT else board.other(number)]
                    buchholz[number] += against
                    sonneborn[number] += against * board.of(number)
                    if board.how in PLAYED:
                        played[number] += 1
                        wins[number] += board.of(number) == WIN
        after = self.ratings_after(before)

        def key(number: int) -> tuple[float, ...]:
            ties = (points[number], buchholz[number], sonneborn[number], wins[number])
            return (*(-one for one in ties), -before[number].points, number)

        order = sorted(self.players, key=key)
        found: list[Standing] = []
        for place, number in enumerate(order, 1):
            last = found[-1] if found else None
            same = last is not None and key(last.player)[:4] == key(number)[:4]
            found.append(
                Standing(
                    last.place if last is not None and same else place,
                    number,
                    points[number],
                    buchholz[number],
                    sonneborn[number],
                    wins[number],
                    played[number],
                    after[number],
                )
            )
        return found


_APPLY: Mapping[str, Callable[[Tournament, Act], None]] = {
    "create": Tournament._create,
    "enter": Tournament._enter,
    "withdraw": Tournament._withdraw,
    "return": Tournament._return,
    "rest": Tournament._rest,
    "pair": Tournament._pair,
    "assign": Tournament._assign,
    "result": Tournament._result,
    "correct": Tournament._correct,
    "end": Tournament._end,
}
_CHECKS: Mapping[str, Callable[[Tournament, Act], None]] = {
    "create": Tournament._check_create,
    "enter": Tournament._check_goes_on,
    "rest": Tournament._check_goes_on,
    "pair": Tournament._check_goes_on,
    "assign": Tournament._check_assign,
    "correct": Tournament._check_correct,
    "end": Tournament._check_end,
}


def _place(act: Act) -> Place:
    return act.data["round"], act.data["board"]


def _put_result(board: Board, act: Act) -> None:
    data = act.data
    board.points, board.how = (data["points"][0], data["points"][1]), data["how"]
    board.record, board.seat = data["record"], data.get("seat", 0)


def fold(tournament: int, acts: Iterable[Act], undone: set[int] | None = None) -> Tournament:
    """Return the tournament that some acts make. Raise Refused for acts that do not follow from one another.

    ``undone``: acts that do not count; without it the undos among the acts say which.
    """
    listed = list(acts)
    skipped = {act.data["act"] for act in listed if act.kind == "undo"} if undone is None else undone
    found = Tournament(tournament, undone=set(skipped))
    for act in listed:
        if act.number not in skipped and act.kind != "undo":
            try:
                _APPLY[act.kind](found, act)
            except Refused as error:
                raise Refused(
                    say("without that, act {number} is not possible: {why}", number=act.number, why=error.words)
                ) from error
        found._keep(act)
    return found


def check_game(name: str, rules: Mapping[str, bool], mode: str) -> Game[Any]:
    """Return a game in which two players meet. Raise Refused for another mode, or a game that is not installed."""
    try:
        game = find_game(name, rules)
    except GameError as error:
        raise Refused(error.message) from error
    if mode not in game.modes or [len(side) for side in game.teams(mode)] != [1, 1]:
        raise Refused(
            say(
                "mode: expected a mode for two players ({modes}), got {mode}",
                modes=", ".join(duel_modes(game)),
                mode=repr(mode),
            )
        )
    return game


def duel_modes(game: Game[Any]) -> list[str]:
    """Return the modes in which two players meet."""
    return [mode for mode in game.modes if [len(side) for side in game.teams(mode)] == [1, 1]]


def option_words(game: Game[Any]) -> dict[str, str]:
    """Return a game's options in words."""
    found = capabilities_of(game).options
    return dict(found.options) if found else {}


_WORDS = {
    "create": say("the tournament begins"),
    "enter": say("{name} is entered"),
    "withdraw": say("{name} withdraws"),
    "return": say("{name} plays again"),
    "rest": say("{name} rests in a round"),
    "pair": say("a round is paired"),
    "assign": say("round {round}, board {board} gets a table"),
    "result": say("round {round}, board {board} has a result"),
    "correct": say("round {round}, board {board} has another result"),
    "end": say("the tournament ends"),
}


def words_of(act: Act, tournament: Tournament) -> Text:
    """Return what an act was, in a sentence; not for an undo."""
    values = {name: act.data[name] for name in ("round", "board", "name") if name in act.data}
    if "player" in act.data and "name" not in values:
        values["name"] = tournament.players[act.data["player"]].name
    return fill(_WORDS[act.kind], **values)
